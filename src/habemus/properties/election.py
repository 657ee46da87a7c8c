"""What every election is judged by: termination, uniqueness, agreement, stability; and one leader a term, if any."""

from __future__ import annotations

from habemus.process import Pid
from habemus.properties.property import Property, Witness, join_ids
from habemus.properties.world import World


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
            return Witness(f"{join_ids(silent)} {verb_for(silent)} no leader at the end", world.time, silent[:8], [])
        if len(world.support) > 1:
            parties = []
            witnesses: list[Pid] = []
            for leader in sorted(world.support):
                party = [p for p in world.members if world.beliefs.get(p) == leader]
                parties.append(f"{join_ids(party)} {verb_for(party)} {leader}")
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


class OneLeaderATerm(Property):
    """No two processes ever take office in the same term."""

    name = "one_leader_a_term"
    heeds_followers = False

    def violation(self, world: World) -> Witness | None:
        if world.contested is None:
            return None
        term, first, second = world.contested
        return Witness(
            f"{second.process} took office at time {second.time} in term {term}, in which {first.process} had taken it "
            f"at time {first.time}",
            second.time,
            [first.process, second.process],
            [first.event, second.event],
        )


def election_properties(has_terms: bool = False) -> list[Property]:
    """The properties of an election; with terms there is one more."""
    return [Termination(), Uniqueness(), Agreement(), Stability(), *([OneLeaderATerm()] if has_terms else [])]


def verb_for(processes: list[Pid]) -> str:
    """`names` or `name`, for one process or several."""
    return "names" if len(processes) == 1 else "name"
