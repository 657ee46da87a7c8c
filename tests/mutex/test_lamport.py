"""Lamport's claims: entries in the order of the stamps at 3(n-1) messages each, as long as links keep the order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workloads import locks, violated

from habemus.mutex.lamport import Ack, Lamport
from habemus.scenario import Crash, Demand, Network, Scenario, TopologySpec
from habemus.simulation import simulate


@given(locks("lamport", fifo=True))
def test_one_at_a_time_and_everybody_in_the_end_whatever_the_delays(scenario):
    outcome = simulate(scenario)
    assert violated(outcome) == {}
    assert outcome.ended == "quiescence"


@given(locks("lamport", fifo=True))
def test_an_entry_takes_exactly_3_times_n_minus_1_messages(scenario):
    outcome = simulate(scenario)
    entries, others = outcome.lock.entries, outcome.n - 1
    assert entries >= outcome.n
    each = dict.fromkeys(("Request", "Ack", "Release"), entries * others)
    assert outcome.messages_by_type == (each if others else {})
    assert outcome.messages == entries * Lamport.bounds[0].messages(outcome.n, 0)


class Diary(Lamport):
    """Writes down with which stamp it enters."""

    entered: list[int] = []

    def go_inside(self):
        self.entered.append(self.queue[self.id])
        Lamport.go_inside.function(self)


@given(locks(f"{__name__}:Diary", fifo=True))
def test_they_enter_in_the_order_of_stamps_and_ids(scenario):
    outcome = simulate(scenario, keep=100_000)
    written = [
        (event.changed["entered"][-1], event.process) for event in outcome.trace.events if "entered" in event.changed
    ]
    assert len(written) == outcome.lock.entries
    assert written == sorted(written)


def lively(algorithm: str, fifo: bool) -> list[dict[str, str]]:
    """What forty runs violate in which three processes want in at about the same time."""
    network = Network(delay="uniform:1:20", fifo=fifo)
    demand = Demand("poisson", 3, "uniform:1:40", "constant:30")
    runs = [
        Scenario(algorithm, topology=TopologySpec(n=3), network=network, demand=demand, seed=seed) for seed in range(40)
    ]
    return [violated(simulate(run)) for run in runs]


def test_where_links_do_not_keep_the_order_two_get_in_and_where_they_do_the_same_demand_is_safe():
    assert any("mutual_exclusion" in run for run in lively("lamport", fifo=False))
    assert not any(lively("lamport", fifo=True))


@given(st.integers(2, 8), st.data())
def test_a_crash_stops_everybody_who_asks_and_is_named(n, data):
    dead = data.draw(st.integers(1, n))
    run = Scenario("lamport", topology=TopologySpec(n=n), faults=[Crash(0, dead)], demand=Demand("all-at-once"))
    outcome = simulate(run)
    assert outcome.lock.entries == 0
    assert violated(outcome)["deadlock_freedom"].endswith(f"; {dead}, for whom they wait, has crashed")


# Broken twins: one rule apart, and the same tests see the difference.


class HeardFromMost(Lamport):
    """Counts a neighbour as heard before it has said anything."""

    def request_entry(self):
        Lamport.request_entry.function(self)
        self.acknowledged.update(self.neighbours[:1])


class FirstByHearsay(Lamport):
    """Goes inside with everybody's acknowledgement, first in the queue or not."""

    def earlier(self):
        return set()


class StoppedClock(Lamport):
    """Takes no notice of others' stamps, so a request after an acknowledgement may still come before it."""

    def queue_request(self, sender, message):
        self.queue[sender] = message.stamp
        self.send(sender, Ack())


@pytest.mark.parametrize("name", ["HeardFromMost", "FirstByHearsay", "StoppedClock"])
def test_without_hearing_from_all_or_being_first_or_setting_the_clock_two_get_in(name):
    assert any("mutual_exclusion" in run for run in lively(f"{__name__}:{name}", fifo=True))
