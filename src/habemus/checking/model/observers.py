"""What observers have seen, by number: the properties judge every state at the cost of a look-up.

Most of what properties ask follows from the local states; some does not: who became leader last, the largest token that
the resource has seen. So the `World` is part of the global state, as one number. It is rebuilt and judged only when
observers see something that they have not seen in that world before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from habemus.process import Pid
from habemus.process.layers import OF_A_LOG
from habemus.properties import NO_FAILURE, ClaimProperty, Property, World

Note = tuple[tuple[Pid, str, Any], ...]
"""What observers see in one step, in order: who, what, about whom."""


class Observers:
    """All worlds met so far, and what the properties say of them."""

    def __init__(self, members: list[Pid], make_properties: Callable[[], list[Property]], wanted: list[str]) -> None:
        self.members = members
        self.make_properties = make_properties
        self.wanted = wanted
        self.compares_terms = "one_leader_a_term" in wanted
        self.compares_logs = any(judge.topic == "log" for judge in self.make_judges())
        self.counts_entries = any(getattr(judge, "limit", None) is not None for judge in self.make_judges())
        self.notes: list[Note] = [()]
        self.note_numbers: dict[Note, int] = {(): 0}
        self.histories: list[list[int]] = [[]]  # the notes by which each world was first reached
        self.violated: list[str] = [""]  # the property that is violated in it
        self.numbers: dict[Any, int] = {(self.key(World(members)), ""): 0}
        self.successors: dict[tuple[int, int], int] = {}
        self.ends: dict[tuple[int, Any], list[str]] = {}

    def number_of(self, note: Note) -> int:
        number = self.note_numbers.get(note)
        if number is None:
            number = self.note_numbers[note] = len(self.notes)
            self.notes.append(note)
        return number

    def after(self, world: int, note: int) -> int:
        """The world after something was seen."""
        known = self.successors.get((world, note))
        if known is None:
            seen = self.rebuild(world)
            judges = self.make_judges()
            violated = self.violated[world] or self.show(seen, self.notes[note], judges)
            identity = (self.key(seen), violated)
            known = self.numbers.get(identity)
            if known is None:
                known = self.numbers[identity] = len(self.histories)
                self.histories.append([*self.histories[world], note])
                self.violated.append(violated)
            self.successors[(world, note)] = known
        return known

    def make_judges(self) -> list[Property]:
        """A new object for each property that is judged by what observers see."""
        judged = [watched for watched in self.make_properties() if watched.name in self.wanted]
        return [watched for watched in judged if not isinstance(watched, ClaimProperty)]

    def claims(self) -> list[ClaimProperty]:
        """The claims that are judged, by the states of all processes."""
        judged = [watched for watched in self.make_properties() if watched.name in self.wanted]
        return [watched for watched in judged if isinstance(watched, ClaimProperty)]

    def rebuild(self, world: int) -> World:
        """The world as an object."""
        seen = World(self.members)
        for note in self.histories[world]:
            self.show(seen, self.notes[note], [])
        return seen

    def show(self, world: World, note: Note, judges: list[Property]) -> str:
        """Apply a note to the world; returns the property that this violates, or nothing."""
        for process, what, subject in note:
            if what == "fail":
                return NO_FAILURE
            if what in OF_A_LOG and not self.compares_logs:
                continue  # worlds are told apart without their logs, so those of this one may be another's
            observe(world, process, what, subject)
            for judge in judges:
                judge.observe(world)
                if judge.witness is not None:
                    return judge.name
        return ""

    def violated_at_end(self, world: int, waits_for: dict[Pid, tuple[Pid, ...]]) -> list[str]:
        """The properties that are violated if the run ends in this world."""
        key = (world, tuple(waits_for.items()))
        known = self.ends.get(key)
        if known is None:
            known = self.ends[key] = self.judge_end(self.rebuild(world), waits_for)
        return known

    def judge_end(self, world: World, waits_for: dict[Pid, tuple[Pid, ...]]) -> list[str]:
        world.over = True
        world.lock.waits_for.update(waits_for)
        violated = []
        for judge in self.make_judges():
            judge.observe(world)
            judge.conclude(world)
            if judge.witness is not None:
                violated.append(judge.name)
        return violated

    def key(self, world: World) -> Any:
        """All that verdicts depend on, now or later."""
        lock, incumbent = world.lock, world.incumbent
        users = sorted([(use.process, use.token) for use in lock.resource.users.values()], key=lambda user: user[0])
        inside = sorted([(use.process, use.token) for use in lock.inside.values()], key=lambda user: user[0])
        return (
            tuple(sorted(world.down)),
            tuple(sorted(world.beliefs.items())),
            incumbent.process if incumbent is not None else None,
            tuple(sorted([(term, claim.process) for term, claim in world.terms.items()]))
            if self.compares_terms
            else (),
            tuple(sorted(lock.waiting)),
            tuple(sorted(lock.unheard)),
            tuple([(p, lock.bypassed(request)) for p, request in lock.waiting.items()]) if self.counts_entries else (),
            tuple(inside),
            tuple(users),
            lock.resource.highest,
            tuple(sorted(world.suspicions.mistaken)),
            tuple(sorted(world.suspicions.held)),
            world.logs.key if self.compares_logs else (),
        )


def observe(world: World, process: Pid, what: str, subject: Any) -> None:
    """Apply one thing that observers see to the world."""
    if what == "leader":
        world.names_leader(process, subject)
    elif what == "term":
        world.leads_in(process, subject)
    elif what == "want":
        world.lock.wants(process, world.time, world.event)
    elif what == "ask":
        world.lock.asks(process, world.time, world.event)
    elif what == "enter":
        world.lock.enters(process, subject, world.time, world.event)
    elif what == "leave":
        if process in world.lock.inside:
            world.lock.leaves(process, world.time)
    elif what in OF_A_LOG:
        world.sees_log(process, what, subject)
    elif what == "suspect":
        world.suspicions.suspects(process, subject, world.time)
    elif what == "trust":
        world.suspicions.trusts(process, subject, world.time)
    elif what == "crash":
        world.crashed(process)
    elif what == "recover":
        world.recovered(process)
