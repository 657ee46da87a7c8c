"""Broken twins of the coordinator: each breaks one rule, and is caught."""

import pytest
from workloads import violated

from habemus.mutex.coordinator import Grant, Release
from habemus.mutex.coordinator_lease import CoordinatorLease
from habemus.mutex.coordinator_retry import CoordinatorRetry
from habemus.scenario import (
    Call,
    Crash,
    Demand,
    Network,
    Pause,
    Recover,
    Resume,
    Scenario,
    TopologySpec,
)
from habemus.simulation import simulate

# Broken twins ---------------------------------------------------------------------------------------------------------


class GrantsWithoutLooking(CoordinatorLease):
    """Lets the next one in though somebody is inside."""

    @property
    def may_grant(self):
        return bool(self.queue) and self.chief == self.id


class OverstaysItsLease(CoordinatorLease):
    """Stays inside when its lease ends."""

    def leave_in_time(self):
        pass


class ForgetsTransmission(CoordinatorLease):
    """Lets the next one in as soon as the lease has lasted since the grant was sent."""

    @property
    def validity(self):
        return self.lease


class OneTickTooSoon(CoordinatorLease):
    """Counts the lease and the transmission, but not the tick in which the holder leaves."""

    @property
    def validity(self):
        return self.lease + self.transmission


class GrantsAtOnceWhenBack(CoordinatorLease):
    """Lets somebody in as soon as it is back."""

    def wait_for_old_grants(self):
        pass


class AcceptsAnyGrant(CoordinatorRetry):
    """Enters when it waits and gets a grant, whichever request that was for."""

    def accept_grant(self, sender, message):
        super().accept_grant(sender, Grant(self.ticket, message.token))


class AcceptsAnyRelease(CoordinatorRetry):
    """Takes a late release for that of whoever is inside now."""

    def take_back(self, sender, message):
        if self.holder is not None and sender != self.id:
            super().take_back(self.holder[0], Release(self.holder[1]))
        else:
            super().take_back(sender, message)


class KeepsUnwantedGrants(CoordinatorLease):
    """Says nothing to a grant that it has no use for."""

    def accept_grant(self, sender, message):
        if self.waiting:
            super().accept_grant(sender, message)


class SaysNothingTwice(CoordinatorRetry):
    """Does not send the grant again to one who asks again."""

    def line_up(self, sender, message):
        if (sender, message.ticket) != self.holder:
            super().line_up(sender, message)


class TokensStandStill(CoordinatorLease):
    """Gives every grant the same token."""

    def next_token(self):
        return 1


class TokensAreForgotten(CoordinatorLease):
    """Counts from the beginning when it is back."""

    def come_back(self):
        self.token = 0
        super().come_back()


def leases(name: str, seed: int, **parameters) -> dict[str, str]:
    """What is violated where the coordinator and all others want in again and again, with as short leases as holds."""
    scenario = Scenario(
        f"{__name__}:{name}",
        parameters={"lease": 10, "transmission": 8, "retry": 30, **parameters},
        topology=TopologySpec(n=4),
        network=Network(delay="uniform:1:8"),
        demand=Demand("all-at-once", 6, hold="uniform:5:15"),
        faults=[Crash(60, 1), Recover(62, 1), Crash(130, 1), Recover(132, 1)],
        seed=seed,
        until=5000,
    )
    return violated(simulate(scenario))


def losses(name: str, seed: int) -> dict[str, str]:
    """What is violated where messages are lost, doubled and overtaken."""
    scenario = Scenario(
        f"{__name__}:{name}",
        parameters={"retry": 5},
        topology=TopologySpec(n=4),
        network=Network(delay="uniform:1:20", loss=0.3, duplication=0.3, fifo=False),
        demand=Demand("all-at-once", 6),
        seed=seed,
        until=20_000,
    )
    return violated(simulate(scenario))


@pytest.mark.parametrize(
    "name",
    ["GrantsWithoutLooking", "OverstaysItsLease", "ForgetsTransmission", "OneTickTooSoon", "GrantsAtOnceWhenBack"],
)
def test_without_a_rule_of_the_lease_two_get_in(name):
    assert any("mutual_exclusion" in leases(name, seed) for seed in range(30))


@pytest.mark.parametrize("name", ["AcceptsAnyGrant", "AcceptsAnyRelease"])
def test_without_tickets_two_get_in(name):
    assert any("mutual_exclusion" in losses(name, seed) for seed in range(30))


def test_where_a_grant_gets_lost_and_is_not_sent_again_nobody_gets_in_any_more():
    assert any("deadlock_freedom" in losses("SaysNothingTwice", seed) for seed in range(30))


@pytest.mark.parametrize("seed", range(30))
def test_the_twins_pass_when_nothing_is_broken(seed):
    assert leases("CoordinatorLease", seed) == losses("CoordinatorRetry", seed) == {}


def refused_or_not(name: str, faults: list, **parameters):
    """2 enters and stands still until 3 has entered and stayed for a while."""
    calls = [Call(1, [2], "acquire", 20), Call(30, [3], "acquire", 30)]
    scenario = Scenario(
        f"{__name__}:{name}",
        parameters={"lease": 25, "transmission": 1, "fencing": True, **parameters},
        topology=TopologySpec(n=3),
        workload=calls,
        faults=[Pause(10, 2), Resume(70, 2), *faults],
    )
    return simulate(scenario)


def test_tokens_that_do_not_grow_do_not_protect():
    said = violated(refused_or_not("TokensStandStill", []))["mutual_exclusion"]
    assert said == "3 entered at time 32 while 2, inside since 3, had not left"
    assert violated(refused_or_not("CoordinatorLease", [])) == {}


def test_tokens_that_are_forgotten_in_a_crash_do_not_protect():
    crash = [Crash(15, 1), Recover(16, 1)]
    said = violated(refused_or_not("TokensAreForgotten", crash, retry=40))["mutual_exclusion"]
    assert "while 2, inside since 3, had not left" in said
    outcome = refused_or_not("CoordinatorLease", crash, retry=40)
    assert violated(outcome) == {} and [use.process for use in outcome.lock.refusals] == [2]


def start_of_the_last(name: str) -> int:
    """When 4 gets in, who asked after 3, who asked after 2; but 3 has crashed meanwhile and wants in no more."""
    scenario = Scenario(
        f"{__name__}:{name}",
        parameters={"lease": 60},
        topology=TopologySpec(n=4),
        workload=[Call(1 + number, [pid], "acquire", 20) for number, pid in enumerate([2, 3, 4])],
        faults=[Crash(5, 3), Recover(8, 3)],
    )
    outcome = simulate(scenario)
    assert violated(outcome) == {}
    return outcome.lock.uses[-1].start


def test_a_grant_that_comes_too_late_is_given_back_at_once():
    left = 23  # when 2 leaves; then its release, the grant to 3, that given back, the grant to 4
    assert start_of_the_last("CoordinatorLease") == left + 4
    assert start_of_the_last("KeepsUnwantedGrants") == left + 1 + (60 + 10 + 1) + 1
