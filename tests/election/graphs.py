"""Connected graphs, networks and starters for elections that run anywhere."""

from collections import Counter

from hypothesis import strategies as st

from habemus.scenario import Network, Scenario, TopologySpec
from habemus.simulation.run import build_simulation

DELAYS = ("unit", "uniform:1:20", "exponential:8", "lognormal:5:1.5")


@st.composite
def places(draw, most: int = 40):
    """A random tree of up to `most` processes with any ids, and up to two more links a process."""
    n = draw(st.integers(1, most))
    ids = draw(st.lists(st.integers(0, 10**6), min_size=n, max_size=n, unique=True))
    parents = draw(st.lists(st.integers(0, 10**4), min_size=n - 1, max_size=n - 1))
    more = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=2 * n))
    edges = [(parent % place, place) for place, parent in enumerate(parents, 1)] + more
    return TopologySpec(ids=ids, edges=[(ids[a], ids[b]) for a, b in edges if a != b])


@st.composite
def elections(draw, algorithm: str, most: int = 40, delays: tuple[str, ...] = DELAYS):
    """An election on a random graph, started by one, some or all, with any delays."""
    place = draw(places(most))
    starters = draw(st.just("all") | st.lists(st.sampled_from(place.ids), min_size=1, unique=True))
    network = Network(delay=draw(st.sampled_from(delays)))
    return Scenario(algorithm, topology=place, network=network, starters=starters, seed=draw(st.integers(0, 2**32)))


def violated(outcome) -> dict[str, str]:
    """The violated properties, each with its witness."""
    return {p.name: p.witness.text for p in outcome.properties if p.witness}


def final_processes(scenario: Scenario) -> list:
    """The processes after the run, in the order of their places."""
    simulation = build_simulation(scenario, None)
    simulation.run(-1, scenario.events)
    return [node.process for node in simulation.nodes]


def sources_by_iteration(outcome) -> list[int]:
    """How many processes were sources in each iteration of a recorded run of YoYo."""
    counts = Counter(event.changed["iteration"] for event in outcome.trace.events if "iteration" in event.changed)
    return [counts[iteration] for iteration in sorted(counts)]
