"""Ricart and Agrawala's claims: nobody enters against an earlier request, at 2(n-1) messages, and every rule counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workloads import locks, violated

from habemus.mutex.ricart_agrawala import Reply, RicartAgrawala
from habemus.scenario import Call, Crash, Demand, Network, Scenario, TopologySpec
from habemus.simulation import simulate

KEEPING = {"keep_permissions": True}


@given(locks("ricart-agrawala"))
def test_one_at_a_time_and_everybody_in_the_end_whatever_the_delays_and_the_order_of_messages(scenario):
    outcome = simulate(scenario)
    assert violated(outcome) == {}
    assert outcome.ended == "quiescence"


@given(locks("ricart-agrawala", keep_permissions=True))
def test_kept_permissions_change_nothing_about_it(scenario):
    outcome = simulate(scenario)
    assert violated(outcome) == {}
    assert outcome.ended == "quiescence"


@given(locks("ricart-agrawala"))
def test_an_entry_takes_exactly_2_times_n_minus_1_messages(scenario):
    outcome = simulate(scenario)
    entries, others = outcome.lock.entries, outcome.n - 1
    assert entries >= outcome.n
    assert outcome.messages == 2 * entries * others == entries * RicartAgrawala.bounds[0].messages(outcome.n, 0)
    assert outcome.messages_by_type.get("Request", 0) == outcome.messages_by_type.get("Reply", 0)


@given(locks("ricart-agrawala", keep_permissions=True))
def test_with_kept_permissions_an_entry_takes_at_most_2_times_n_minus_1_messages(scenario):
    outcome = simulate(scenario)
    assert outcome.messages <= 2 * outcome.lock.entries * (outcome.n - 1)


def calls(*entries: tuple[int, int]) -> list[Call]:
    return [Call(at=at, who=[who], call="acquire", hold=1) for at, who in entries]


@pytest.mark.parametrize("n", range(1, 17))
def test_with_kept_permissions_who_enters_again_pays_nothing_and_who_comes_between_a_request_and_a_reply(n):
    def messages(*entries: tuple[int, int]) -> int:
        place = TopologySpec(n=n, order="sorted")
        workload = calls(*entries)
        run = Scenario("ricart-agrawala", parameters=KEEPING, topology=place, demand=Demand("idle"), workload=workload)
        return simulate(run).messages

    assert messages((1, 1)) == messages((1, 1), (50, 1), (100, 1)) == 2 * (n - 1)
    if n > 1:
        assert messages((1, 1), (50, 2), (100, 1)) == 2 * (n - 1) + 2 * (n - 1) + 2


@given(st.integers(2, 16), st.integers(0, 2**32), st.sampled_from([{}, KEEPING]))
def test_of_equal_numbers_the_smaller_id_is_first(n, seed, parameters):
    demand = Demand("all-at-once", 1)
    run = Scenario("ricart-agrawala", parameters=parameters, topology=TopologySpec(n=n), demand=demand, seed=seed)
    outcome = simulate(run)
    assert [use.process for use in outcome.lock.uses] == sorted(outcome.ids)


@given(st.integers(2, 8), st.data())
def test_a_crash_stops_everybody_who_asks_and_is_named(n, data):
    dead = data.draw(st.integers(1, n))
    run = Scenario("ricart-agrawala", topology=TopologySpec(n=n), faults=[Crash(0, dead)], demand=Demand("all-at-once"))
    outcome = simulate(run)
    assert outcome.lock.entries == 0
    assert violated(outcome)["deadlock_freedom"].endswith(f"; {dead}, for whom they wait, has crashed")


# Broken twins: one rule apart, and the same tests see the difference.


class TiesForBoth(RicartAgrawala):
    """Agrees to every request with its own number, whoever sent it."""

    def weigh_request(self, sender, message):
        if self.waiting and message.number == self.number:
            self.highest = max(self.highest, message.number)
            self.send(sender, Reply())
        else:
            RicartAgrawala.weigh_request.function(self, sender, message)


class TiesForNobody(RicartAgrawala):
    """Keeps the answer to every request with its own number back."""

    def weigh_request(self, sender, message):
        if self.waiting and message.number == self.number:
            self.deferred.add(sender)
        else:
            RicartAgrawala.weigh_request.function(self, sender, message)


class NeverDefers(RicartAgrawala):
    """Agrees to everything at once."""

    def weigh_request(self, sender, message):
        self.highest = max(self.highest, message.number)
        self.send(sender, Reply())


class NoClock(RicartAgrawala):
    """Takes a number without regard to those it has seen."""

    def request_entry(self):
        self.highest = 0
        RicartAgrawala.request_entry.function(self)


class KeepsWhatItGaveAway(RicartAgrawala):
    """Agrees to a request and still counts on the asker's permission."""

    def weigh_request(self, sender, message):
        mine = set(self.permissions)
        RicartAgrawala.weigh_request.function(self, sender, message)
        self.permissions = mine


def twin(name: str, seed: int, parameters=None):
    """A broken twin under a lively demand."""
    return simulate(
        Scenario(
            f"{__name__}:{name}",
            parameters=parameters or {},
            topology=TopologySpec(n=4),
            network=Network(delay="uniform:1:20"),
            demand=Demand("poisson", 3, "exponential:20"),
            seed=seed,
        )
    )


def test_ties_decided_for_both_let_two_in():
    outcome = simulate(
        Scenario(f"{__name__}:TiesForBoth", topology=TopologySpec(ids=[1, 2]), demand=Demand("all-at-once"))
    )
    assert set(violated(outcome)) == {"mutual_exclusion"}


def test_ties_decided_for_nobody_are_a_deadlock_with_its_circle():
    outcome = simulate(
        Scenario(f"{__name__}:TiesForNobody", topology=TopologySpec(ids=[1, 2]), demand=Demand("all-at-once"))
    )
    assert violated(outcome)["deadlock_freedom"] == (
        "1 and 2 wait and nobody is inside: 1 for 2 for 1 wait in a circle"
    )


def test_replies_that_are_never_deferred_let_two_in():
    assert any("mutual_exclusion" in violated(twin("NeverDefers", seed)) for seed in range(20))


def test_a_permission_kept_after_agreeing_lets_two_in():
    assert any("mutual_exclusion" in violated(twin("KeepsWhatItGaveAway", seed, KEEPING)) for seed in range(20))


def test_without_the_clock_a_permission_is_taken_back_by_a_later_request_and_has_to_be_asked_for_again():
    assert any(twin("NoClock", seed).lock.messages_per_entry > 2 * 3 for seed in range(20))
