"""One machine under three drivers: the same events have the same effects, wherever a stack runs."""

from contextlib import suppress
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from three_drivers import ClauseFailed, Group, OnTheNetwork, UnderTheChecker

from habemus.catalogue import algorithm_names, find_algorithm
from habemus.network.node.stack import Stack
from habemus.network.node.synchroniser import EndOfPulse
from habemus.scenario import Layer, Scenario, ScenarioError, TopologySpec

EVENTS = 40
BY_KIND = {
    kind: [name for name in algorithm_names() if find_algorithm(name).kind == kind]
    for kind in ("detector", "election", "mutex")
}
BELOW = {"detector": [], "election": ["detector"], "mutex": ["election", "detector"]}


@st.composite
def stacks(draw, top: str) -> Scenario:
    """An algorithm over a detector, over an election if it is a mutex, over both, or alone."""
    layers = []
    for kind in BELOW[find_algorithm(top).kind]:
        below = draw(st.sampled_from([None, *BY_KIND[kind]]))
        if below is not None:
            layers.insert(0, Layer(below))
    return Scenario(top, layers=layers, topology=TopologySpec(n=draw(st.sampled_from([2, 3, 4]))))


def run_under_all_drivers(scenario: Scenario, choose, events: int, **drivers) -> int:
    group = Group(scenario, **drivers)
    for seat in range(group.topology.n):
        group.happen("start", seat)
    for count in range(events):
        options = group.options()
        if not options:
            return count
        group.take(options[choose(len(options))])
    return events


@pytest.mark.parametrize("top", [name for names in BY_KIND.values() for name in names])
@settings(max_examples=20)
@given(st.data(), st.integers(0, 2**32))
def test_a_stack_does_the_same_under_simulator_checker_and_network(top, data, seed):
    scenario = data.draw(stacks(top))
    try:
        Group(scenario)
    except ScenarioError:
        return  # these layers do not go together, or not on any topology
    with suppress(ClauseFailed):
        run_under_all_drivers(scenario, Random(seed).randrange, EVENTS)


class EverythingWaitsForThePulse(Stack):
    """A drift that was real: heartbeats came with the pulse, to whoever takes pulses."""

    def deliver(self, sender, message, received):
        if self.pulses is not None and not isinstance(message, EndOfPulse):
            self.pulses.receive(sender, message, received)
        else:
            super().deliver(sender, message, received)

    def pulse(self, pulse, inbox, received):
        for layer in self.machine.pulsing:
            self.step(layer, self.machine.stack[layer].events["pulse"], (pulse, inbox), pulse, received)


class DriftedNetwork(OnTheNetwork):
    host = EverythingWaitsForThePulse


class DriftedChecker(UnderTheChecker):
    """The other half of that drift: heartbeats never arrived."""

    def pulse(self, seat, number, envelopes):
        return super().pulse(seat, number, [e for e in envelopes if self.machine.waits_for_pulse(type(e.message))])


@pytest.mark.parametrize("drifted", [{"network": DriftedNetwork}, {"checker": DriftedChecker}], ids=str)
def test_the_drift_of_a_synchronous_election_over_heartbeats_is_seen(drifted):
    scenario = Scenario("capture-sync", layers=[Layer("heartbeat")], topology=TopologySpec(n=4))
    plan = iter([0, 0, -1, -1, 1, -1, -1, -1])
    run_under_all_drivers(scenario, lambda count: next(plan) % count, 8)
    plan = iter([0, 0, -1, -1, 1, -1, -1, -1])
    with pytest.raises(AssertionError, match="Drifted"):
        run_under_all_drivers(scenario, lambda count: next(plan) % count, 8, **drifted)
