"""What a run is judged by. A property explains itself: when it fails it names who, when and in which events.

The driver tells the `World` what onlookers can see (who names whom leader, who crashed, who is back); after each
such change every property judges the world, so a violation is caught in the moment it happens, and at the end of the
run each one concludes. None of this costs anything between two such changes.
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from habemus.process import Pid


class Witness:
    """The evidence for a violated property."""

    def __init__(self, text: str, time: int, processes: list[Pid], events: list[int]) -> None:
        self.text = text
        self.time = time
        self.processes = processes
        self.events = events


class Claim:
    """A process took office."""

    def __init__(self, process: Pid, time: int, event: int) -> None:
        self.process = process
        self.time = time
        self.event = event


class World:
    """What onlookers know: who is up, whom each names leader, who is in office."""

    def __init__(self, members: list[Pid]) -> None:
        self.members = members
        self.live = len(members)
        self.down: set[Pid] = set()
        self.beliefs: dict[Pid, Pid] = {}
        self.support: dict[Pid, int] = {}
        self.in_office: dict[Pid, Claim] = {}
        self.incumbent: Claim | None = None  # the last to take office, until it crashes
        self.claims = 0
        self.vacant_since = -1  # when the leader crashed, until all live processes name a new one; else -1
        self.downtimes: list[int] = []
        self.time = 0
        self.event = -1
        self.deposed: Claim | None = None  # who was incumbent, and well, when the last one took office

    def names_leader(self, process: Pid, leader: Pid | None) -> bool:
        """`process` takes `leader` to be the leader (None: nobody). Says whether that changes who is in office."""
        office_changed = leader == process or process in self.in_office
        if process in self.beliefs:
            self.withdraw_belief(process)
        self.deposed = None
        if leader is not None:
            self.beliefs[process] = leader
            self.support[leader] = self.support.get(leader, 0) + 1
        if leader == process:
            self.claims += 1
            claim = Claim(process, self.time, self.event)
            self.in_office[process] = claim
            if self.incumbent is not None and self.incumbent.process != process:
                self.deposed = self.incumbent
            self.incumbent = claim
        if self.vacant_since >= 0 and self.agreed():
            self.downtimes.append(self.time - self.vacant_since)
            self.vacant_since = -1
        return office_changed

    def crashed(self, process: Pid) -> None:
        """`process` is down and names nobody."""
        if process in self.in_office and self.vacant_since < 0:
            self.vacant_since = self.time
        self.live -= 1
        self.down.add(process)
        self.withdraw_belief(process)
        self.deposed = None
        if self.incumbent is not None and self.incumbent.process == process:
            self.incumbent = None

    def recovered(self, process: Pid) -> None:
        """`process` is up again and names nobody yet."""
        self.live += 1
        self.down.discard(process)

    def withdraw_belief(self, process: Pid) -> None:
        """Forget whom `process` named leader."""
        named = self.beliefs.pop(process, None)
        if named is not None:
            supporters = self.support[named] - 1
            if supporters:
                self.support[named] = supporters
            else:
                del self.support[named]
            self.in_office.pop(process, None)

    def agreed(self) -> bool:
        """Whether all live processes name one leader, and it is in office."""
        return len(self.support) == 1 and len(self.beliefs) == self.live and len(self.in_office) == 1

    def leader(self) -> Pid | None:
        """The one process in office; None if there is none, or more than one."""
        return next(iter(self.in_office)) if len(self.in_office) == 1 else None


@mypyc_attr(allow_interpreted_subclasses=True)
class Property:
    """A claim about runs. It holds (True), is violated (False, with a witness) or is still open (None)."""

    name = "property"
    heeds_followers = True  # whether it matters who names whom while nobody takes or leaves office

    def __init__(self) -> None:
        self.witness: Witness | None = None
        self.reached = False

    @property
    def holds(self) -> bool | None:
        """The verdict so far."""
        if self.witness is not None:
            return False
        return True if self.reached else None

    def observe(self, world: World) -> None:
        """Judge the world after a change; the first violation is kept."""
        if self.witness is None:
            self.witness = self.violation(world)

    def violation(self, world: World) -> Witness | None:
        """The evidence that the property is violated now, if it is."""
        return None

    def conclude(self, world: World) -> None:
        """The run is over: decide."""
        if self.witness is None:
            self.witness = self.shortfall(world)
            self.reached = self.witness is None

    def shortfall(self, world: World) -> Witness | None:
        """The evidence, at the end of the run, that what should have come about has not."""
        return None


class Termination(Property):
    """Some process becomes leader, and at the end one is in office."""

    name = "termination"
    heeds_followers = False

    def observe(self, world: World) -> None:
        self.reached = bool(world.in_office)

    def shortfall(self, world: World) -> Witness | None:
        if world.in_office:
            return None
        if world.live == 0:
            return Witness("every process has crashed, so none is in office", world.time, [], [])
        past = "nobody ever took office" if world.claims == 0 else "the last leader is gone and nobody has followed it"
        return Witness(f"{past} by the end of the run", world.time, [], [])


class Uniqueness(Property):
    """Never two leaders at once."""

    name = "uniqueness"
    heeds_followers = False

    def violation(self, world: World) -> Witness | None:
        if len(world.in_office) < 2:
            return None
        first, second = sorted(world.in_office.values(), key=lambda claim: (claim.time, claim.process))[:2]
        return Witness(
            f"{first.process} took office at time {first.time} and still held it when {second.process} took office "
            f"at time {second.time}",
            second.time,
            [first.process, second.process],
            [first.event, second.event],
        )


class Agreement(Property):
    """At the end all live processes name the same live leader."""

    name = "agreement"

    def observe(self, world: World) -> None:
        united = len(world.beliefs) == world.live and len(world.support) == 1
        self.reached = united and next(iter(world.support)) not in world.down

    def shortfall(self, world: World) -> Witness | None:
        if world.live == 0:
            return None
        silent = [p for p in world.members if p not in world.beliefs and p not in world.down]
        if silent:
            return Witness(f"{enumerated(silent)} {names(silent)} no leader at the end", world.time, silent[:8], [])
        if len(world.support) > 1:
            parties = []
            witnesses: list[Pid] = []
            for leader in sorted(world.support):
                party = [p for p in world.members if world.beliefs.get(p) == leader]
                parties.append(f"{enumerated(party)} {names(party)} {leader}")
                witnesses += party[:4]
            return Witness("at the end " + " while ".join(parties), world.time, witnesses, [])
        named = next(iter(world.support))
        if named in world.down:
            return Witness(f"all live processes name {named}, which has crashed", world.time, [named], [])
        return None


class Stability(Property):
    """No new leader while the old one is well."""

    name = "stability"
    heeds_followers = False

    def violation(self, world: World) -> Witness | None:
        deposed, newcomer = world.deposed, world.incumbent
        if deposed is None or newcomer is None:
            return None
        return Witness(
            f"{newcomer.process} took over at time {newcomer.time} although {deposed.process}, "
            f"leader since {deposed.time}, had not crashed",
            newcomer.time,
            [deposed.process, newcomer.process],
            [deposed.event, newcomer.event],
        )


def election_properties() -> list[Property]:
    """What every election is judged by."""
    return [Termination(), Uniqueness(), Agreement(), Stability()]


def enumerated(processes: list[Pid]) -> str:
    """`3`, `3 and 5`, `1, 2, 3 and 40 more`."""
    if len(processes) == 1:
        return str(processes[0])
    if len(processes) > 4:
        return ", ".join(map(str, processes[:3])) + f" and {len(processes) - 3} more"
    return ", ".join(map(str, processes[:-1])) + f" and {processes[-1]}"


def names(processes: list[Pid]) -> str:
    """The verb that goes with `enumerated`."""
    return "names" if len(processes) == 1 else "name"
