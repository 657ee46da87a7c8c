"""Who bears the load: the coordinator handles half of all messages, a ring has no bottleneck, and every run counts."""

import pytest

from habemus.catalogue import algorithm_names, find_algorithm
from habemus.checking.answer.asking import check_scenario
from habemus.checking.answer.replay import play
from habemus.scenario import Demand, Network, Scenario, TopologySpec
from habemus.simulation import simulate


def test_the_coordinator_handles_half_of_all_messages_and_no_process_of_a_ring_does():
    demand = Demand("poisson", entries=20)
    central = simulate(Scenario("coordinator", topology=TopologySpec(n=10), demand=demand)).bottleneck
    assert (central.process, central.share) == (1, 0.5)
    ring = simulate(Scenario("token-ring", topology=TopologySpec(n=10), demand=demand)).bottleneck
    assert ring.share == pytest.approx(1 / 10, abs=0.001)


def test_what_was_handled_is_what_was_received_whether_or_not_it_is_recorded():
    for name in algorithm_names():
        until = 300 if find_algorithm(name).horizon else 2000
        network = Network(loss=0.05, duplication=0.1)
        scenario = Scenario(name, topology=TopologySpec(n=5), network=network, until=until, seed=3)
        outcome = simulate(scenario, keep=100_000)
        received = dict.fromkeys(outcome.ids, 0)
        for event in outcome.trace.events:
            if event.kind != "lost" and event.process is not None:
                received[event.process] += len(event.received)
        assert outcome.handled == list(received.values()), name
        assert simulate(scenario).handled == outcome.handled, name


def test_a_counterexample_counts_too():
    verdict = check_scenario(Scenario("anonymous-ring", topology=TopologySpec(ids=[1, 2])), properties=["uniqueness"])
    assert sum(play(verdict.counterexample).handled) > 0
