"""Suzuki and Kasami's claims: four properties, none or n messages an entry, and old requests do no harm."""

import pytest
from hypothesis import given
from workloads import locks, violated

from habemus.mutex.suzuki_kasami import SuzukiKasami
from habemus.scenario import Call, Crash, Demand, LinkDelay, Network, Recover, Scenario, TopologySpec
from habemus.simulation import simulate


@given(locks("suzuki-kasami"))
def test_the_four_properties_hold_whatever_the_order_of_messages(scenario):
    outcome = simulate(scenario)
    assert violated(outcome) == {}
    assert outcome.ended == "quiescence" and outcome.lock.entries >= outcome.n


@given(locks("suzuki-kasami"))
def test_an_entry_costs_nothing_with_the_token_and_n_messages_without(scenario):
    outcome = simulate(scenario)
    counts = outcome.messages_by_type
    bought = counts.get("Token", 0)
    assert counts.get("Request", 0) == (outcome.n - 1) * bought
    stays = [use.process for use in outcome.lock.uses]
    moves = sum(before != after for before, after in zip([min(outcome.ids), *stays], stays, strict=False))
    assert bought == moves <= outcome.lock.entries
    assert outcome.lock.messages_per_entry <= outcome.bound.messages(outcome.n, outcome.topology.m) == outcome.n


@pytest.mark.parametrize("n", [1, 2, 5, 16])
def test_a_single_entry_costs_n_and_another_by_the_same_process_nothing(n):
    def cost(*who: int) -> int:
        calls = [Call(100 * number, [pid], "acquire", 10) for number, pid in enumerate(who, 1)]
        outcome = simulate(Scenario("suzuki-kasami", topology=TopologySpec(n=n), workload=calls))
        assert outcome.lock.entries == len(who)
        return outcome.messages

    assert cost(1) == cost(1, 1) == 0
    assert cost(n) == cost(n, n) == cost(n, n, n) == (n if n > 1 else 0)
    assert cost(n, 1, n) == (3 * n if n > 1 else 0)


# Broken twins.


class KeepsACopy(SuzukiKasami):
    """Sends the token and has it still."""

    def pass_token(self, served):
        token = self.token
        SuzukiKasami.pass_token(self, served)
        self.token = self.token or token


class TrustsOldRequests(SuzukiKasami):
    """Takes every process it ever heard a request of for one who waits."""

    def outstanding(self, process, served):
        return process != self.id and self.number_of(process) > 0


class TakesTheLatestForTheHighest(SuzukiKasami):
    """Forgets a request when an older one arrives after it."""

    def hear_request(self, sender, message):
        self.numbers[sender] = message.number
        SuzukiKasami.hear_request.function(self, sender, message)


class DoesNotLookAround(SuzukiKasami):
    """Leaves without asking itself who has asked meanwhile."""

    def go_outside(self):
        self.leave()


def twin(name: str, seed: int = 0) -> Scenario:
    return Scenario(
        f"{__name__}:{name}",
        topology=TopologySpec(n=4),
        network=Network(delay="lognormal:5:1.5", fifo=False),
        demand=Demand("poisson", 6, think="exponential:40"),
        seed=seed,
        events=20_000,
    )


def entered_unasked(outcome) -> bool:
    """Whether somebody went inside without having asked."""
    return len(outcome.lock.uses) > outcome.lock.entries


def test_a_copy_of_the_token_lets_two_in():
    assert "had not left" in violated(simulate(twin("KeepsACopy")))["mutual_exclusion"]


def test_without_the_numbers_in_the_token_it_is_sent_to_one_who_does_not_wait():
    assert entered_unasked(simulate(twin("TrustsOldRequests")))


def test_an_old_request_must_not_replace_a_newer_one():
    said = [violated(simulate(twin("TakesTheLatestForTheHighest", seed))) for seed in range(60)]
    assert any("starvation_freedom" in each for each in said)


def test_who_leaves_has_to_look_who_asked_meanwhile():
    assert "deadlock_freedom" in violated(simulate(twin("DoesNotLookAround")))


@pytest.mark.parametrize("seed", range(60))
def test_the_twins_pass_when_nothing_is_broken(seed):
    outcome = simulate(twin("SuzukiKasami", seed))
    assert violated(outcome) == {} and not entered_unasked(outcome)


# What the numbers are for, and what it is not made for.


def test_a_request_that_comes_when_it_has_long_been_served_moves_nothing():
    """2's request reaches 3 after 2 has left, 1 has left and 3 has kept the token: it makes nobody send anything."""
    calls = [Call(at, [pid], "acquire", 5) for at, pid in ((1, 2), (10, 1), (20, 3))]
    slow = Network(links=[LinkDelay(2, 3, "constant:60")])
    scenario = Scenario("suzuki-kasami", topology=TopologySpec(ids=[1, 2, 3]), network=slow, workload=calls)
    outcome = simulate(scenario, keep=100)
    late = outcome.trace.events[-1]
    assert (late.process, late.time, late.clause, late.sent) == (3, 61, "hear_request", [])
    assert outcome.lock.uses[-1].process == 3 and outcome.messages == 9 and outcome.holds
    scenario.algorithm, scenario.events = f"{__name__}:TrustsOldRequests", 1000
    assert entered_unasked(simulate(scenario))


def test_a_token_that_dies_with_its_holder_leaves_all_others_waiting():
    calls = [Call(1, [2], "acquire", 50), Call(5, [3, 4], "acquire")]
    outcome = simulate(Scenario("suzuki-kasami", topology=TopologySpec(n=4), workload=calls, faults=[Crash(20, 2)]))
    assert violated(outcome)["deadlock_freedom"] == "3 and 4 wait and nobody is inside, nor will be"


def test_a_smallest_id_that_forgot_everything_makes_a_second_token():
    calls = [Call(1, [2], "acquire", 100), Call(60, [1], "acquire", 10)]
    faults = [Crash(40, 1), Recover(50, 1)]
    outcome = simulate(Scenario("suzuki-kasami", topology=TopologySpec(n=3), workload=calls, faults=faults))
    assert violated(outcome)["mutual_exclusion"] == "1 entered at time 60 while 2, inside since 3, had not left"
