"""What onlookers have seen, as a number: the properties of the simulator judge every state at the cost of a look-up.

Most of what properties ask follows from the local states; some does not: who took office last, the largest token that
the resource has seen. So the `World` is part of the global state, as one number. It is rebuilt and judged only when
onlookers see something that they have not seen in that world before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from habemus.process import Pid
from habemus.properties import Property, Witness, World

Note = tuple[tuple[Pid, str, Any], ...]
"""What onlookers see in one step, in order: who, what, about whom."""


class Onlookers:
    """All worlds met so far, and what the properties say of them."""

    def __init__(self, members: list[Pid], properties: Callable[[], list[Property]], wanted: list[str]) -> None:
        self.members = members
        self.make_properties = properties
        self.wanted = wanted
        self.heeds_terms = "one_leader_a_term" in wanted
        self.counting = any(getattr(judge, "limit", None) is not None for judge in self.judges())
        self.notes: list[Note] = [()]
        self.note_numbers: dict[Note, int] = {(): 0}
        self.histories: list[list[int]] = [[]]  # the notes by which each world was first reached
        self.broken: list[str] = [""]  # the property that is violated in it
        self.numbers: dict[Any, int] = {(self.key(World(members)), ""): 0}
        self.successors: dict[tuple[int, int], int] = {}
        self.shortfalls: dict[tuple[int, Any], str] = {}

    def number_of(self, note: Note) -> int:
        """The number of a note."""
        number = self.note_numbers.get(note)
        if number is None:
            number = self.note_numbers[note] = len(self.notes)
            self.notes.append(note)
        return number

    def after(self, world: int, note: int) -> int:
        """The world after something was seen."""
        known = self.successors.get((world, note))
        if known is None:
            seen = self.rebuilt(world)
            judges = self.judges()
            broken = self.broken[world] or self.show(seen, self.notes[note], judges)
            identity = (self.key(seen), broken)
            known = self.numbers.get(identity)
            if known is None:
                known = self.numbers[identity] = len(self.histories)
                self.histories.append([*self.histories[world], note])
                self.broken.append(broken)
            self.successors[(world, note)] = known
        return known

    def judges(self) -> list[Property]:
        """Fresh properties, those that are asked for."""
        return [watched for watched in self.make_properties() if watched.name in self.wanted]

    def rebuilt(self, world: int) -> World:
        """The world as an object."""
        seen = World(self.members)
        for note in self.histories[world]:
            self.show(seen, self.notes[note], [])
        return seen

    def show(self, world: World, note: Note, judges: list[Property]) -> str:
        """Let the world know; says which property that violates, if one."""
        for process, what, subject in note:
            tell(world, process, what, subject)
            for judge in judges:
                judge.observe(world)
                if judge.witness is not None:
                    return judge.name
        return ""

    def shortfall(self, world: int, waits_for: dict[Pid, tuple[Pid, ...]]) -> str:
        """Which property fails if all ends in this world; empty if none does."""
        key = (world, tuple(waits_for.items()))
        known = self.shortfalls.get(key)
        if known is None:
            known = ""
            for judge in self.concluded(self.rebuilt(world), self.judges(), waits_for):
                if judge.witness is not None and not known:
                    known = judge.name
            self.shortfalls[key] = known
        return known

    @staticmethod
    def concluded(world: World, judges: list[Property], waits_for: dict[Pid, tuple[Pid, ...]]) -> list[Property]:
        """The judges, after they have been told that nothing is left to do."""
        world.over = True
        world.lock.waits_for.update(waits_for)
        for judge in judges:
            judge.observe(world)
            judge.conclude(world)
        return judges

    def witness(self, world: World, name: str) -> Witness | None:
        """Why a property fails in a world."""
        for judge in self.make_properties():
            if judge.name == name:
                judge.observe(world)
                return judge.witness
        return None

    def key(self, world: World) -> Any:
        """All that verdicts depend on, now or later."""
        lock, incumbent = world.lock, world.incumbent
        users = sorted([(use.process, use.token) for use in lock.resource.users.values()], key=lambda user: user[0])
        inside = sorted([(use.process, use.token) for use in lock.inside.values()], key=lambda user: user[0])
        return (
            tuple(sorted(world.down)),
            tuple(sorted(world.beliefs.items())),
            incumbent.process if incumbent is not None else None,
            tuple(sorted([(term, claim.process) for term, claim in world.terms.items()])) if self.heeds_terms else (),
            tuple(sorted(lock.waiting)),
            tuple([(p, lock.bypassed(request)) for p, request in lock.waiting.items()]) if self.counting else (),
            tuple(inside),
            tuple(users),
            lock.resource.highest,
            tuple(sorted(world.suspicions.mistaken)),
            tuple(sorted(world.suspicions.held)),
        )


def tell(world: World, process: Pid, what: str, subject: Any) -> None:
    """One thing that onlookers see."""
    if what == "leader":
        world.names_leader(process, subject)
    elif what == "term":
        world.leads_in(process, subject)
    elif what == "ask":
        world.lock.asks(process, world.time, world.event)
    elif what == "enter":
        world.lock.enters(process, subject, world.time, world.event)
    elif what == "leave":
        if process in world.lock.inside:
            world.lock.leaves(process, world.time)
    elif what == "suspect":
        world.suspicions.suspects(process, subject, world.time)
    elif what == "trust":
        world.suspicions.trusts(process, subject, world.time)
    elif what == "crash":
        world.crashed(process)
    elif what == "recover":
        world.recovered(process)
