"""Broken twins of the elected coordinator: each breaks one rule, and is caught."""

import pytest
from workloads import violated

from habemus.mutex.coordinator_elected import CoordinatorElected
from habemus.scenario import (
    Call,
    Crash,
    Demand,
    Layer,
    LinkDelay,
    Network,
    Partition,
    Recover,
    Scenario,
    TopologySpec,
    named_scenarios,
)
from habemus.simulation import simulate

# Broken twins ---------------------------------------------------------------------------------------------------------


class DoesNotWait(CoordinatorElected):
    """A new coordinator that lets somebody in at once."""

    def wait_for_old_grants(self):
        pass


class ForgetsTheOverlap(CoordinatorElected):
    """A new coordinator that takes the old one to have stopped."""

    def wait_for_old_grants(self):
        self.closed = True
        self.set_timer("office", self.validity)


class AcceptsOldGrants(CoordinatorElected):
    """Asks the new coordinator with the old ticket, so that the old one's grant is as good as the new one's."""

    def want_in(self):
        self.ask()
        CoordinatorElected.apply(self)

    def apply(self):
        self.request()


class GrantsOutOfOffice(CoordinatorElected):
    """Goes on though another one was elected."""

    def follow(self, leader):
        if self.leader != self.id:
            super().follow(leader)


class AsksOnce(CoordinatorElected):
    """Asks again only when it hears of a new leader."""

    @property
    def patience(self):
        return self.retry


class LosesRequests(CoordinatorElected):
    """Does not ask the new coordinator."""

    def want_in(self):
        self.ask()
        CoordinatorElected.apply(self)

    def apply(self):
        pass


class TokensOfOneSeries(CoordinatorElected):
    """Coordinators that count alike."""

    def next_token(self):
        return self.token + 1


class TokensAreNotPassedOn(CoordinatorElected):
    """A new coordinator that neither asks nor is told what the old one gave, nor leaves room for it."""

    def begin_to_grant(self):
        self.closed = False

    def note_token(self, sender, message):
        pass


def test_a_new_coordinator_that_does_not_wait_lets_a_second_one_in():
    scenario = named_scenarios()["coordinator-killed"]
    scenario.algorithm = f"{__name__}:DoesNotWait"
    said = violated(simulate(scenario))["mutual_exclusion"]
    assert said == "3 entered at time 160 while 1, inside since 112, had not left"


def test_a_new_coordinator_that_forgets_the_overlap_lets_a_second_one_in():
    scenario = named_scenarios()["split-brain-raft-light"]
    scenario.algorithm = f"{__name__}:ForgetsTheOverlap"
    said = violated(simulate(scenario))["mutual_exclusion"]
    assert said == "1 entered at time 303 while 3, inside since 264, had not left"


def test_a_request_that_only_the_dead_coordinator_knows_is_lost():
    scenario = named_scenarios()["coordinator-killed"]
    scenario.algorithm = f"{__name__}:LosesRequests"
    assert "starvation_freedom" in violated(simulate(scenario))


def late_grant(name: str) -> Scenario:
    """What 4 sends to 1 takes far longer than it should: its grant arrives when 1 has long followed 3, after 2."""
    return Scenario(
        f"{__name__}:{name}",
        layers=[Layer("perfect"), Layer("bully")],
        topology=TopologySpec(n=4),
        network=Network(links=[LinkDelay(4, 1, "constant:150"), LinkDelay(1, 3, "constant:5")]),
        starters=[4],
        workload=[Call(5, [1], "acquire", 60), Call(165, [2], "acquire", 10)],
        faults=[Crash(160, 4)],
        until=2000,
    )


def test_the_grant_of_a_deposed_coordinator_is_ignored():
    outcome = simulate(late_grant("CoordinatorElected"), keep=10_000)
    assert violated(outcome) == {} and [use.process for use in outcome.lock.uses] == [2, 1]
    grants = [event for event in outcome.trace.events if event.received and event.received[0].type == "Grant"]
    late = next(event for event in grants if event.received[0].sender == 4)
    assert (late.time, late.process, late.role) == (301, 1, None)
    said = violated(simulate(late_grant("AcceptsOldGrants")))["mutual_exclusion"]
    assert said == "1 entered at time 301 while 2, inside since 293, had not left"


def takeover(name: str, seed: int):
    """Stronger ones come back and take over from who coordinates and is well, again and again."""
    faults = [fault for k in range(6) for fault in (Crash(150 + 300 * k, 5), Recover(250 + 300 * k, 5))]
    scenario = Scenario(
        f"{__name__}:{name}",
        parameters={"lease": 30, "fencing": True},
        layers=[Layer("perfect"), Layer("bully")],
        topology=TopologySpec(n=5),
        network=Network(delay="uniform:1:10"),
        demand=Demand("poisson", 20, think="exponential:30", hold="uniform:20:30"),
        faults=faults,
        seed=seed,
        until=20_000,
    )
    return simulate(scenario)


def suspicious(name: str, seed: int) -> bool:
    """Whether two were inside, or the resource had to refuse one of them."""
    outcome = takeover(name, seed)
    return "mutual_exclusion" in violated(outcome) or bool(outcome.lock.refusals)


@pytest.mark.parametrize("name", ["TokensAreNotPassedOn", "GrantsOutOfOffice"])
def test_who_does_not_heed_other_coordinators_is_refused(name):
    assert any(suspicious(name, seed) for seed in range(5))
    assert not any(suspicious("CoordinatorElected", seed) for seed in range(5))


def two_alike(name: str):
    """Both sides of a cut network elect a new coordinator at the same time, for 5 has crashed before."""
    scenario = named_scenarios()["split-brain-bully"]
    scenario.algorithm = f"{__name__}:{name}"
    scenario.parameters["fencing"] = True
    scenario.topology.ids = [1, 2, 3, 4, 5]
    scenario.faults = [Crash(195, 5), Partition(200, [[1, 2], [3, 4]])]
    scenario.workload = [Call(210, [1, 3], "acquire", 35)]
    return simulate(scenario)


def test_coordinators_that_count_alike_give_the_same_token_to_two():
    outcome = two_alike("CoordinatorElected")
    assert "mutual_exclusion" not in violated(outcome) and len(outcome.lock.refusals) == 1
    assert "mutual_exclusion" in violated(two_alike("TokensOfOneSeries"))
