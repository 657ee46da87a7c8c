"""Runs that the tests of the pictures look at."""

from hypothesis import strategies as st

from habemus.scenario import Crash, Cut, Heal, Network, Pause, Recover, Resume, Scenario, TopologySpec
from habemus.simulation import simulate
from habemus.trace import Trace


def recorded(scenario: Scenario) -> Trace:
    return simulate(scenario, keep=100_000).trace


def ring(n: int, **network: object) -> Trace:
    return recorded(Scenario("chang-roberts", topology=TopologySpec(n=n), network=Network(**network)))


def bully_with_crash() -> Trace:
    faults = [Crash(30, 5), Recover(200, 5)]
    return recorded(Scenario("bully", topology=TopologySpec(n=5, order="sorted"), faults=faults, until=400))


def bully_in_trouble(seed: int = 0) -> Trace:
    faults = [Cut(5, [(1, 4)]), Pause(10, 4), Resume(60, 4), Crash(80, 5), Heal(90), Recover(130, 5)]
    network = Network(loss=0.2, duplication=0.2, delay="uniform:1:10")
    place = TopologySpec(n=5, order="sorted")
    return recorded(Scenario("bully", topology=place, network=network, faults=faults, seed=seed, until=300))


rings = st.builds(ring, st.integers(1, 9), delay=st.sampled_from(["unit", "uniform:1:10"]))
troubles = st.builds(bully_in_trouble, st.integers(0, 10_000))
traces = st.one_of(rings, troubles)
