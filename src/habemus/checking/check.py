"""From a question to its verdict: holds, violated (with the shortest run that shows it), incomplete (and how far)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

import msgspec

from habemus.checking.instances import Question, fewer_starters
from habemus.checking.limits import ASYNC, BOUNDED, EVENTUAL, PERFECT, SIMULTANEOUS, Limits
from habemus.checking.liveness import Lasso, find_lasso, has_circle
from habemus.checking.moves import Move
from habemus.checking.replay import play
from habemus.checking.rival import Rival
from habemus.checking.search import BREADTH, Search, random_walk
from habemus.checking.semantics import Semantics
from habemus.scenario import Expect, Place, Scenario, Schedule

HOLDS, VIOLATED, INCOMPLETE = "holds", "violated", "incomplete"
MOST_STATES = 50_000_000
MOST_BYTES = 8_000_000_000
SHORTENING = 300_000  # states in which a shorter counterexample, or one with fewer faults, is looked for
LASSO_STATES = 2_000_000
TURN = 50_000  # steps that the reduced search and the full one take before it is the other's turn, at first
SMALL = 1_000_000  # states; with more, the full search leaves the field to the reduced one
WALK = 1_000_000  # steps of random runs

Progress = Callable[[Search], None]


class Effort:
    """How to search, and how much that may take."""

    def __init__(
        self,
        reduced: bool = True,
        order: str = BREADTH,
        states: int = MOST_STATES,
        memory: int = MOST_BYTES,
        walk: int | None = None,
        jobs: int = 1,
    ) -> None:
        self.reduced = reduced
        self.order = order
        self.states = states
        self.memory = memory
        self.walk = walk  # the seed of random runs, in place of a search
        self.jobs = jobs  # processes that the question may take


class Verdict:
    """The answer to a question, or to several that were asked as one."""

    def __init__(self, question: Question, search: Search, others: list[Search]) -> None:
        semantics = search.semantics
        self.question = question
        self.algorithm = question.scenario.algorithm
        self.n = semantics.n
        self.ids = list(semantics.topology.ids)
        self.edges = semantics.topology.edges()
        self.assumption = assumption(semantics)
        self.assumed = assumed(semantics)
        self.instances = 1
        self.states = len(search.states)
        self.transitions = search.transitions
        self.depth = search.deepest
        self.seconds = 0.0  # from the question to the answer, with all that was tried
        self.set_aside = sum([len(other.states) for other in others])  # states of searches that did not decide it
        self.clauses = sum([probe.clauses_run for probe in semantics.probes])
        self.lookups = semantics.lookups
        self.misses = semantics.misses
        self.bytes = search.bytes_in_use()
        self.reduced = search.reduction is not None
        self.truncated = search.truncated
        self.stopped = search.stopped
        self.interrupted = search.interrupted
        self.wanted = semantics.onlookers.wanted
        self.violated = search.violated
        self.witness = ""
        self.counterexample: Scenario | None = None
        self.shortest = False  # whether no shorter run violates the property

    @property
    def verdict(self) -> str:
        """holds, violated or incomplete."""
        if self.violated:
            return VIOLATED
        return INCOMPLETE if self.stopped else HOLDS

    @property
    def properties(self) -> dict[str, bool | None]:
        """What is known of each property."""
        rest = True if self.verdict == HOLDS else None
        return {name: False if name == self.violated else rest for name in self.wanted}

    @property
    def rate(self) -> float | None:
        """States a second, of all searches."""
        return (self.states + self.set_aside) / self.seconds if self.seconds else None

    def add(self, other: Verdict) -> None:
        """Take another instance into account."""
        self.instances += other.instances
        for count in ("states", "transitions", "seconds", "set_aside", "clauses", "lookups", "misses", "bytes"):
            setattr(self, count, getattr(self, count) + getattr(other, count))
        self.depth = max(self.depth, other.depth)
        self.reduced = self.reduced or other.reduced
        self.truncated = self.truncated or other.truncated
        self.stopped = self.stopped or other.stopped
        self.interrupted = self.interrupted or other.interrupted
        if other.violated and not self.violated:
            for name in ("question", "ids", "edges", "violated", "witness", "counterexample", "shortest", "wanted"):
                setattr(self, name, getattr(other, name))

    def as_dict(self) -> dict[str, Any]:
        """What `habemus check --json` prints."""
        return {
            "algorithm": self.algorithm,
            "n": self.n,
            "ids": self.ids,
            "edges": self.edges,
            "verdict": self.verdict,
            "assumption": self.assumption,
            "instances": self.instances,
            "states": self.states,
            "transitions": self.transitions,
            "depth": self.depth,
            "seconds": self.seconds,
            "reduced": self.reduced,
            "states_set_aside": self.set_aside,
            "bounded_by_limits": self.truncated,
            "stopped": self.stopped or None,
            "properties": self.properties,
            "witness": self.witness or None,
            "shortest": self.shortest if self.violated else None,
            "counterexample": self.counterexample.as_dict() if self.counterexample is not None else None,
            "clauses": self.clauses,
            "memo_hit_rate": 1 - self.misses / self.lookups if self.lookups else 0.0,
            "states_per_second": self.rate,
            "bytes_per_state": self.bytes / self.states,
        }


DETECTORS = {
    PERFECT: "a perfect detector, which tells each on its own",
    SIMULTANEOUS: "a perfect detector, which tells all at once",
    EVENTUAL: "an eventually perfect detector",
}


def assumption(semantics: Semantics) -> str:
    """Under what assumption the verdict is given, in words."""
    limits = semantics.limits
    if semantics.synchronous:
        return "synchronous pulses" + faults_in_words(limits)
    order = "FIFO links" if limits.fifo else "links that overtake"
    timers = any(anatomy.timeouts for anatomy in semantics.stack)
    if limits.timing == BOUNDED:
        ticks = "1 tick" if limits.delay == 1 else f"1 to {limits.delay} ticks"
        text = f"bounded: messages take {ticks}, {order}"
    elif limits.timing == ASYNC:
        text = f"async: any delay, {order}"
        if timers:
            often = "any number of" if limits.alarms < 0 else str(limits.alarms)
            text += f"; timers run out at any moment, {often} at each process"
    else:
        text = f"ordered: no timer while a message is under way, shorter timers first, {order}"
    if semantics.listens and (limits.crashes or limits.mistakes):
        text += f"; {DETECTORS[limits.detector]}"
    return text + faults_in_words(limits)


def assumed(semantics: Semantics) -> str:
    """The assumption in a few words, for a table."""
    limits = semantics.limits
    bounds = [f"{name} ≤ {value}" for name, value in limits.bounds.items()]
    links = [] if limits.fifo or semantics.synchronous else ["overtaking"]
    return ", ".join(["pulses" if semantics.synchronous else limits.timing, *links, *bounds])


def faults_in_words(limits: Limits) -> str:
    """`; at most 1 crash, 1 recovery`."""
    counted = [
        (limits.crashes, "crash", "crashes"),
        (limits.recoveries, "recovery", "recoveries"),
        (limits.losses, "message lost", "messages lost"),
        (limits.doubles, "message doubled", "messages doubled"),
        (limits.reorders, "message overtaking others", "messages overtaking others"),
        (limits.mistakes, "wrong suspicion", "wrong suspicions"),
    ]
    words = [f"{count} {one if count == 1 else many}" for count, one, many in counted if count]
    bounds = [f"{name} ≤ {value}" for name, value in limits.bounds.items()]
    return (f"; at most {', '.join(words)}" if words else "") + (f"; {', '.join(bounds)}" if bounds else "")


def check(question: Question, effort: Effort | None = None, progress: Progress | None = None) -> Verdict:
    """Answer a question; if interrupted, with as much as is known by then."""
    begun = time.perf_counter()
    effort = effort or Effort()
    try:
        search, others = explored(question, effort, progress)
    except AnsweredElsewhereError as other:
        other.verdict.seconds = time.perf_counter() - begun
        return other.verdict
    lasso = None
    if not search.violated and not search.stopped and search.recurrent and search.semantics.may_recur():
        try:
            search, lasso = endless(question, search, others, effort, progress)
        except KeyboardInterrupt:
            search.interrupt()
    verdict = Verdict(question, search, others)
    if lasso is not None:
        verdict.violated = lasso.property
        verdict.counterexample = scenario_of(question, search.semantics, search.way_to(lasso.entrance), lasso)
        explain(verdict)
    elif search.violated:
        shorten(question, search, effort, verdict)
        explain(verdict)
    verdict.seconds = time.perf_counter() - begun
    return verdict


def unanswered(question: Question) -> Verdict:
    """What is known of a question that nobody has begun to answer before the interruption."""
    search = Search(question.semantics(), False, BREADTH, MOST_STATES, MOST_BYTES)
    search.interrupt()
    verdict = Verdict(question, search, [])
    verdict.instances = 0
    return verdict


def endless(
    question: Question, search: Search, others: list[Search], effort: Effort, progress: Progress | None
) -> tuple[Search, Lasso | None]:
    """A run without end that violates a property, if there is one, and the search that tells."""
    if not has_circle(search):
        return search, None
    if search.reduction is not None:  # its circles show that there are some, but not which of them are fair
        others.append(search)
        search, _ = explored(question, Effort(False, BREADTH, effort.states, effort.memory), progress)
    if search.stopped:
        return search, None
    if len(search.states) > LASSO_STATES:
        search.stopped = f"runs without end were not looked for among more than {LASSO_STATES:,} states"
        return search, None
    return search, find_lasso(search)


def explored(question: Question, effort: Effort, progress: Progress | None) -> tuple[Search, list[Search]]:
    """The search that decides the question, and what else was tried.

    To reduce takes work that does not always pay, and nobody can tell beforehand. So the reduced search and the full
    one take turns, each longer than the one before, until one of them is done: that takes at most some four times as
    long as the better of the two alone. A full search that grows large is given up: reduction is the only hope there.
    What is not done in the first turn may be worth forgetting for (see `twins`), so the reduced one begins anew then;
    unless it has found little more than single runs, which no other search can better.

    If there are several processes for it they need not take turns: each search has its own.
    """
    reduced = Search(question.semantics(), effort.reduced, effort.order, effort.states, effort.memory)
    if effort.walk is not None:
        random_walk(reduced, effort.walk, min(effort.states, WALK))
        return reduced, []
    if reduced.reduction is None:
        reduced.run(progress)
        return reduced, []
    if least_states(reduced.semantics) > SMALL:
        reduced.run(progress)
        return reduced, []
    turn = TURN
    reduced.run(progress, turn)
    while reduced.is_narrow() and not reduced.finished:
        reduced.run(progress, turn)
    if reduced.finished:
        return reduced, []
    first = reduced
    reduced = Search(question.semantics(), True, effort.order, effort.states, effort.memory, forgetful=True)
    if effort.jobs > 1:
        race(reduced, first, question, effort, progress)
        return reduced, [first]
    full = Search(question.semantics(), False, effort.order, min(SMALL, effort.states), effort.memory)
    while not reduced.finished and not full.finished:
        full.run(progress, turn)
        if not full.finished:
            turn *= 2
            reduced.run(progress, turn)
    if full.finished and (not full.stopped or full.interrupted):
        return full, [first, reduced]
    reduced.run(progress)
    return reduced, [first, full]


def race(reduced: Search, first: Search, question: Question, effort: Effort, progress: Progress | None) -> None:
    """Go on with the reduced search unless the full one, in another process, is done before."""
    share = effort.memory // 4
    reduced.most_bytes -= share
    rival = Rival(check, question, Effort(False, effort.order, effort.states, share))

    def look(search: Search) -> None:
        rival.watch(search)
        if progress is not None:
            progress(search)

    try:
        reduced.run(look)
    finally:
        rival.end()
    if rival.answer is not None:
        rival.answer.set_aside += len(first.states) + len(reduced.states)
        raise AnsweredElsewhereError(rival.answer)


class AnsweredElsewhereError(Exception):
    """Another process was faster."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__()
        self.verdict = verdict


def least_states(semantics: Semantics) -> int:
    """How many states there are at least: all who can take a step now can do so independently of each other."""
    moves = semantics.beginning()
    state = moves[-1].state if moves else semantics.initial
    able = {semantics.events[move.event].place for move in semantics.expand(state)}
    return 1 << len(able - {-1})


# Counterexamples


def shorten(question: Question, search: Search, effort: Effort, verdict: Verdict) -> None:
    """Find the shortest run that violates the property, with as few faults and starters as it takes."""
    shortest = effort.order == BREADTH and search.reduction is None and effort.walk is None
    if not shortest:
        small = Effort(False, BREADTH, max(SHORTENING, len(search.states)), effort.memory)
        again, _ = explored(question, small, None)
        verdict.interrupted = again.interrupted
        if again.violated:
            search, shortest = again, True
    simpler: Question | None = question
    while simpler is not None and not verdict.interrupted:
        simpler = None
        for attempt in simplifications(question, search):
            again, _ = explored(attempt, Effort(False, BREADTH, SHORTENING, effort.memory), None)
            verdict.interrupted = again.interrupted
            if again.violated == search.violated:
                question, search, simpler = attempt, again, attempt
            if simpler is not None or verdict.interrupted:
                break
    verdict.violated = search.violated
    verdict.shortest = shortest
    verdict.counterexample = scenario_of(question, search.semantics, search.way_to(search.culprit), None)


def simplifications(question: Question, search: Search) -> Iterator[Question]:
    """The question with one fault, input or starter less."""
    limits, scenario = question.limits, question.scenario
    for name in ("crashes", "recoveries", "losses", "doubles", "reorders", "mistakes"):
        if getattr(limits, name):
            fewer: dict[str, Any] = {name: getattr(limits, name) - 1}
            yield Question(scenario, replace(limits, **fewer), [search.violated])
    if limits.entries > 1 and search.semantics.mutex_layer >= 0:
        yield Question(scenario, replace(limits, entries=limits.entries - 1), [search.violated])
    starters = started(search.semantics, search.way_to(search.culprit))
    for kept in fewer_starters(starters) if search.semantics.mutex_layer < 0 else []:
        called = msgspec.structs.replace(scenario, starters=kept)
        yield Question(called, replace(limits, anybody=False), [search.violated])


def started(semantics: Semantics, moves: list[Move]) -> list[int]:
    """Who starts in a run."""
    events = [semantics.events[move.event] for move in moves]
    return sorted([semantics.topology.ids[event.place] for event in events if event.kind == "start" and event.name])


def scenario_of(question: Question, semantics: Semantics, moves: list[Move], lasso: Lasso | None) -> Scenario:
    """The run as a scenario that can be replayed."""
    scenario, limits, topology = question.scenario, question.limits, semantics.topology
    run = [*moves, *lasso.circle] if lasso is not None else moves
    named = zip(run, semantics.names(run), strict=True)
    steps = [name for move, name in named if semantics.events[move.event].kind != "abstain"]
    loop = len(steps) - len(lasso.circle) if lasso is not None else None
    shared = {field.name for field in fields(limits)}
    kept: dict[str, Any] = {name: getattr(limits, name) for name in Schedule.__struct_fields__ if name in shared}
    schedule = Schedule(steps=steps, loop=loop, **kept)
    regular = topology.kind in ("ring", "complete")
    place = Place(kind=topology.kind, ids=list(topology.ids))
    if not regular:
        place = Place(ids=list(topology.ids), edges=topology.edges())
    starters = started(semantics, run) if semantics.mutex_layer < 0 else None
    return msgspec.structs.replace(
        scenario,
        title=f"{scenario.algorithm}: a counterexample",
        topology=place,
        starters=starters,
        schedule=schedule,
    )


def explain(verdict: Verdict) -> None:
    """Replay the counterexample: what happens in it, and which properties it violates."""
    assert verdict.counterexample is not None
    outcome = play(verdict.counterexample)
    broken = [judge for judge in outcome.properties if judge.witness is not None]
    for judge in broken:
        if judge.name == verdict.violated and judge.witness is not None:
            verdict.witness = judge.witness.text
    verdict.counterexample.expect = Expect(violated=[judge.name for judge in broken])
