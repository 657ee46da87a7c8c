"""From a question to its verdict."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

from habemus.checking.answer.counterexamples import explain, find_shortest, schedule_run
from habemus.checking.answer.questions import Question
from habemus.checking.answer.verdicts import HOLDS, OF_THE_VIOLATION, Verdict
from habemus.checking.model.semantics import Semantics
from habemus.checking.search.continuation import (
    follow_stuck_ends,
    follow_waiting_ends,
    leave_all_ends_open,
    leave_stuck_ends_open,
    leave_vacuous_open,
)
from habemus.checking.search.effort import MOST_BYTES, MOST_STATES, Effort
from habemus.checking.search.full_search import FullSearch
from habemus.checking.search.liveness import Lasso, find_lasso, find_pending, has_endless_run
from habemus.checking.search.random_walk import walk_at_random
from habemus.checking.search.recurrence import may_recur
from habemus.checking.search.reduction import Reduction
from habemus.checking.search.search import BREADTH, Progress, Search

LASSO_STATES = 2_000_000
TURN = 50_000  # steps that the reduced search and the full one take before it is the other's turn, at first
SMALL = 1_000_000  # states; with more, the full search is given up in favour of the reduced one
NEVER_ENDING = ("starvation_freedom", "bounded_waiting")
SHOWN_BESIDE = ("mutual_exclusion",)  # violations of it count that are found while starvation is looked for
FOREVER_STATES = 20_000  # in which starvation is looked for, unless that is asked for
EARLY_STATES = 20_000  # among which a search that is not done yet looks for runs without end
SCOUT = 20_000  # steps of random runs, each time that a long search has doubled
WALK = 1_000_000  # steps of random runs


class Exploration:
    """The search that decides a question, what else was tried, and the verdict if another process was faster."""

    def __init__(self, search: Search, others: list[Search], answer: Verdict | None = None) -> None:
        self.search = search
        self.others = others
        self.answer = answer
        self.lasso: Lasso | None = None  # found while searching


def check(question: Question, effort: Effort | None = None, progress: Progress | None = None) -> Verdict:
    """Answer a question; if interrupted, with as much as is known by then."""
    begun = time.perf_counter()
    exploration = explore(question, effort or Effort(), progress)
    verdict = exploration.answer or judge(question, exploration, effort or Effort(), progress)
    if question.forever and verdict.verdict == HOLDS and not verdict.interrupted:
        look_for_starvation(question, verdict, effort or Effort(), progress)
    verdict.seconds = time.perf_counter() - begun
    return verdict


def look_for_starvation(question: Question, verdict: Verdict, effort: Effort, progress: Progress | None) -> None:
    """Whether anybody starves where processes ask for the lock again and again; it takes runs without end to tell."""
    wanted = [name for name in NEVER_ENDING if name in verdict.wanted]
    if not wanted or effort.walk is not None or question.limits.depth >= 0:
        return
    limits = replace(question.limits, entries=-1, alarms=-1)
    endless = Effort(False, effort.order, min(FOREVER_STATES, effort.states), effort.memory)
    beside = [name for name in SHOWN_BESIDE if name in verdict.wanted]  # what one entry each may not show
    asked = Question(question.scenario, limits, [*beside, *wanted])
    exploration = explore(asked, endless, progress)
    found = exploration.answer or judge(asked, exploration, endless, progress)
    verdict.set_aside += found.states
    verdict.interrupted = verdict.interrupted or found.interrupted
    if found.violated:
        for name in OF_THE_VIOLATION:
            if name not in ("question", "wanted"):
                setattr(verdict, name, getattr(found, name))
        verdict.scope = found.scope
        verdict.assumption, verdict.assumption_in_short = found.assumption, found.assumption_in_short
    elif found.stopped:
        for name in wanted:
            verdict.open.setdefault(name, set()).add(f"--entries any --states {endless.states}")
    else:
        for name, reasons in found.open.items():
            if name in wanted:
                verdict.open.setdefault(name, set()).update(reasons)


def judge(question: Question, exploration: Exploration, effort: Effort, progress: Progress | None) -> Verdict:
    """The verdict that a search allows, with a counterexample if a property is violated."""
    search = exploration.search
    lasso = exploration.lasso
    settled = bool(search.violated or search.stopped or search.is_cut) or lasso is not None
    if not settled and search.recurrent and may_recur(search.semantics):
        try:
            lasso = find_endless_violation(question, exploration, effort, progress)
        except KeyboardInterrupt:
            exploration.search.interrupt()
        search = exploration.search
    continuation = None
    if lasso is None and not search.violated and not search.stopped:
        if search.has_merged():  # what was merged is known to be alike within the limits only
            leave_stuck_ends_open(search)
        elif search.stuck:
            continuation = follow_stuck_ends(search)
        if search.waiting and not search.has_merged() and (continuation is None or continuation.culprit < 0):
            continuation = follow_waiting_ends(search)
    unended = search.is_cut or 0 < search.ends == search.open_ends
    if unended and lasso is None and not search.violated and not search.stopped:
        leave_all_ends_open(search)
    leave_vacuous_open(search)
    verdict = Verdict(question, search, exploration.others)
    if continuation is not None and continuation.culprit >= 0:
        before, after = continuation.parts()
        further = continuation.lasso
        verdict.violated = further.property if further is not None else continuation.search.violated
        verdict.counterexample = schedule_run(question, search.semantics, before, further, after)
        explain(verdict)
    elif lasso is not None:
        verdict.violated = lasso.property
        verdict.counterexample = schedule_run(question, search.semantics, search.path_to(lasso.entrance), lasso)
        explain(verdict)
    elif search.violated:
        find_shortest(question, search, effort, verdict)
        explain(verdict)
    return verdict


def give_no_answer(question: Question) -> Verdict:
    """The verdict on a question that was interrupted before the search began."""
    search = Search(question.build_semantics(), False, BREADTH, MOST_STATES, MOST_BYTES)
    search.interrupt()
    verdict = Verdict(question, search, [])
    verdict.instances = 0
    return verdict


def find_endless_violation(
    question: Question, exploration: Exploration, effort: Effort, progress: Progress | None
) -> Lasso | None:
    """A run without end that violates a property, if there is one. It may take another search to find out."""
    search = exploration.search
    if search.compact:  # the states of a cycle are forgotten
        for pending in find_pending(search):
            for name in pending.properties:
                search.leave_open(name, "--compact")
        return None
    if not has_endless_run(search):
        return None
    if search.reduction is not None:  # its cycles show that there are some, but not which of them are fair
        exploration.others.append(search)
        search = exploration.search = Search(question.build_semantics(), False, BREADTH, effort.states, effort.memory)
        search.run(progress)
    if search.stopped:
        return None
    if len(search.states) > LASSO_STATES:
        search.stopped = f"runs without end were not looked for among more than {LASSO_STATES:,} states"
        return None
    return find_lasso(search)


# Exploring


def explore(question: Question, effort: Effort, progress: Progress | None) -> Exploration:
    """Search until the question is decided.

    Reduction takes work that does not always pay, and nobody can tell beforehand. So the reduced search and the full
    one take turns, each longer than the one before, until one of them is done: that takes at most some four times as
    long as the better of the two alone. A full search that grows large is given up: reduction is the only hope there.
    If the reduced search is not done in its first turn, merging states may help (see `state_merging`), so it begins
    anew then; unless it has found little more than single runs, without a cycle, which no other search can better.

    If there are several processes for it they need not take turns: each search has its own.
    """
    reduced = Search(
        question.build_semantics(), effort.reduced, effort.order, effort.states, effort.memory, compact=effort.compact
    )
    if effort.walk is not None:
        walk_at_random(reduced, effort.walk, min(effort.states, WALK))
        return Exploration(reduced, [])
    if reduced.reduction is None or least_states(reduced.semantics) > SMALL:
        return explore_beside_scouts(question, reduced, effort, progress)
    turn = TURN
    reduced.run(progress, turn)
    while reduced.is_narrow() and not reduced.finished and not reduced.recurrent:
        reduced.run(progress, turn)
    if reduced.finished:
        return Exploration(reduced, [])
    first = reduced
    scout = send_scout(question, effort, 0)
    if scout.violated or scout.interrupted or scout.flooded:
        return Exploration(scout, [first])
    reduced = Search(question.build_semantics(), True, effort.order, effort.states, effort.memory, merging=True)
    if effort.jobs > 1:
        return race(reduced, first, question, effort, progress)
    full = Search(question.build_semantics(), False, effort.order, min(SMALL, effort.states), effort.memory)
    early = EarlyLassos()
    while not reduced.finished and not full.finished:
        full.run(progress, turn)
        if not full.finished:
            if early.look(full):
                return early.end(full, [first, reduced])
            turn *= 2
            reduced.run(progress, turn)
    if full.finished and (not full.stopped or full.interrupted):
        return Exploration(full, [first, reduced])
    reduced.run(progress)
    return Exploration(reduced, [first, full])


def explore_beside_scouts(question: Question, search: Search, effort: Effort, progress: Progress | None) -> Exploration:
    """One search, and random runs beside it while it is long: they find what lies deep, and it what is rare."""
    turn, number, early = TURN, 0, EarlyLassos()
    search.run(progress, turn)
    while not search.finished:
        scout = send_scout(question, effort, number)
        if scout.violated or scout.interrupted or scout.flooded:
            return Exploration(scout, [search])
        if early.look(search):
            return early.end(search, [])
        number += 1
        turn *= 2
        search.run(progress, turn)
    return Exploration(search, [])


class EarlyLassos:
    """Looks for runs without end among the states that a long search found first: they may be all there is to find."""

    def __init__(self) -> None:
        self.seen = 0
        self.found: Lasso | None = None

    def look(self, search: Search) -> bool:
        """Whether there is one; looked for again each time that four times as many states are known."""
        known = min(search.expanded, EARLY_STATES)
        in_full = search.reduction is None and search.order == BREADTH and not search.compact
        if in_full and search.recurrent and known >= 4 * self.seen:
            self.seen = known
            self.found = find_lasso(search, known)
        return self.found is not None

    def end(self, search: Search, others: list[Search]) -> Exploration:
        """The search as decided by what was found."""
        search.finished = True
        exploration = Exploration(search, others)
        exploration.lasso = self.found
        return exploration


def send_scout(question: Question, effort: Effort, number: int) -> Search:
    """Random runs, as a search that has found a violation, or not."""
    scout = Search(question.build_semantics(), False, BREADTH, effort.states, effort.memory, packing=False)
    walk_at_random(scout, number, SCOUT)
    return scout


def race(reduced: Search, first: Search, question: Question, effort: Effort, progress: Progress | None) -> Exploration:
    """Go on with the reduced search unless the full one, in another process, is done before."""
    share = effort.memory // 4
    reduced.most_bytes -= share
    full = FullSearch(partial(check, question, Effort(False, effort.order, effort.states, share)))

    def watch(search: Search) -> None:
        full.watch(search)
        if progress is not None:
            progress(search)

    try:
        reduced.run(watch)
    finally:
        full.end()
    if full.answer is not None:
        full.answer.set_aside += len(first.states) + len(reduced.states)
    return Exploration(reduced, [first], full.answer)


def foresee_states(question: Question, effort: Effort) -> int:
    """How many states the search will find at least, where that can be told beforehand."""
    semantics = question.build_semantics()
    prefix = semantics.common_prefix()
    state = prefix[-1].state if prefix else semantics.initial
    faults = state[-1] != semantics.transitions.no_faults
    if semantics.synchronous or (effort.reduced and Reduction.applies(semantics) and not faults):
        return 1
    return least_states(semantics)


def least_states(semantics: Semantics) -> int:
    """How many states there are at least: all processes that can take a step now can do so independently."""
    prefix = semantics.common_prefix()
    state = prefix[-1].state if prefix else semantics.initial
    transitions = semantics.expand(state).transitions
    able = {semantics.actions.known[transition.action].seat for transition in transitions}
    return 1 << len(able - {-1})
