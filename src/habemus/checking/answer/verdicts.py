"""The verdict on a question: holds, violated (with a run that shows it), incomplete (and how far the search got)."""

from __future__ import annotations

from typing import Any

from habemus.checking.answer.assumptions import describe_assumption, summarize_assumption
from habemus.checking.answer.questions import Question
from habemus.checking.answer.scope import describe_scope, suggest_question
from habemus.checking.search.search import Search
from habemus.checking.search.states import missing_probability
from habemus.properties import NO_FAILURE
from habemus.scenario import Scenario

HOLDS, VIOLATED, INCOMPLETE = "holds", "violated", "incomplete"

SUMMED = (
    *("ends", "open_ends", "states", "transitions", "seconds", "set_aside"),
    *("clauses", "lookups", "misses", "bytes", "missed"),
)
EITHER = ("reduced", "compact", "truncated", "stopped", "interrupted")
OF_THE_VIOLATION = ("question", "ids", "edges", "violated", "witness", "counterexample", "shortest", "wanted")


class Verdict:
    """The answer to a question, or to several that were asked as one."""

    def __init__(self, question: Question, search: Search, others: list[Search]) -> None:
        semantics = search.semantics
        topology = semantics.instance.topology
        self.question = question
        self.algorithm = question.scenario.algorithm
        self.n = semantics.n
        self.ids = list(topology.ids)
        self.edges = topology.edges()
        self.assumption = describe_assumption(semantics.instance)
        self.assumption_in_short = summarize_assumption(semantics.instance)
        self.instances = 1
        self.states = len(search.states)
        self.transitions = search.transitions
        self.depth = search.deepest + len(search.prefix)
        self.sizes = [semantics.n]
        self.scope = describe_scope(question, semantics)
        self.seconds = 0.0  # from the question to the answer, with all that was tried
        self.set_aside = sum([len(other.states) for other in others])  # states of searches that did not decide it
        self.clauses = int(semantics.machine.clauses_run)
        self.lookups = max(semantics.effects.lookups, search.transitions)  # a packed search keeps tables of its own
        self.misses = semantics.effects.misses
        self.bytes = search.bytes_in_use()
        self.reduced = search.reduction is not None
        self.compact = search.compact
        self.missed = missing_probability(self.states) if search.compact else 0.0  # that a state was, at most
        self.truncated = search.truncated
        self.open = {name: set(limits) for name, limits in search.open.items()}  # not judged, and because of what
        self.ends = search.ends
        self.open_ends = search.open_ends
        self.stopped = search.stopped
        self.interrupted = search.interrupted
        self.wanted = semantics.observers.wanted
        self.promised = [judge.name for judge in semantics.observers.make_properties() if judge.promised]
        self.violated = search.violated
        self.witness = ""
        self.counterexample: Scenario | None = None
        self.shortest = False  # whether no shorter run violates the property

    @property
    def verdict(self) -> str:
        """holds, violated or incomplete."""
        if self.violated:
            return VIOLATED
        nothing = bool(self.wanted) and all(name in self.open for name in self.wanted)
        return INCOMPLETE if self.stopped or nothing else HOLDS

    @property
    def properties(self) -> dict[str, bool | None]:
        """What is known of each property."""
        known: dict[str, bool | None] = {}
        for name in self.wanted:
            judged = not self.violated and not self.stopped and name not in self.open
            known[name] = False if name == self.violated else True if judged else None
        if self.violated and self.violated not in known:
            known[self.violated] = False
        return known

    @property
    def fails(self) -> bool:
        """Whether a property is violated that is promised, or that was asked about by name."""
        judged = (*self.promised, NO_FAILURE)
        return bool(self.violated) and (bool(self.question.properties) or self.violated in judged)

    @property
    def rate(self) -> float | None:
        """States a second, of all searches."""
        return (self.states + self.set_aside) / self.seconds if self.seconds else None

    @property
    def next_question(self) -> str:
        """The command that asks what is worth asking next; empty if this question has no answer, or a bad one."""
        if self.violated or (self.verdict != HOLDS and not self.open):
            return ""
        limits = set().union(*self.open.values())
        return suggest_question(self.question, self.question.build_semantics(), self.sizes, self.instances, limits)

    def __repr__(self) -> str:
        subject = f"{self.algorithm}, n = {self.n}"
        if self.violated:
            why = f": {self.witness}" if self.witness else ""
            return f"<Verdict on {subject}: {self.violated} violated{why}>"
        if self.stopped:
            return f"<Verdict on {subject}: incomplete after {self.states:,} states, {self.stopped}>"
        return f"<Verdict on {subject}: holds in {self.states:,} states>"

    def add(self, other: Verdict) -> None:
        """Take another instance into account."""
        self.instances += other.instances
        self.sizes = sorted({*self.sizes, *other.sizes})
        self.scope = [words for words in self.scope if words in other.scope]  # what is common to all instances
        self.depth = max(self.depth, other.depth)
        for name in SUMMED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name, limits in other.open.items():
            self.open.setdefault(name, set()).update(limits)
        for name in EITHER:
            setattr(self, name, getattr(self, name) or getattr(other, name))
        if other.violated and not self.violated:
            for name in OF_THE_VIOLATION:
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
            "scope": self.scope,
            "next": self.next_question or None,
            "instances": self.instances,
            "states": self.states,
            "transitions": self.transitions,
            "depth": self.depth,
            "seconds": self.seconds,
            "reduced": self.reduced,
            "compact": self.compact,
            "missed_state_probability": self.missed,
            "states_set_aside": self.set_aside,
            "bounded_by_limits": self.truncated,
            "not_judged": {name: sorted(limits) for name, limits in self.open.items()},
            "ends": self.ends,
            "ends_not_judged": self.open_ends,
            "stopped": self.stopped or None,
            "properties": self.properties,
            "promised": self.promised,
            "witness": self.witness or None,
            "shortest": self.shortest if self.violated else None,
            "counterexample": self.counterexample.as_dict() if self.counterexample is not None else None,
            "clauses": self.clauses,
            "memo_hit_rate": 1 - self.misses / self.lookups if self.lookups else 0.0,
            "states_per_second": self.rate,
            "bytes_per_state": self.bytes / self.states,
        }
