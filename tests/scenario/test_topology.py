"""Topologies have the links, degrees and orders that their names promise."""

from dataclasses import dataclass
from random import Random

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.process import Election, Message, upon, upon_start
from habemus.scenario import Scenario, ScenarioError, TopologySpec
from habemus.scenario.topology import KINDS, arrange, build_topology
from habemus.simulation import simulate


def built(kind: str, n: int, seed: int = 0):
    return build_topology(kind, list(range(1, n + 1)), Random(seed))


def degrees(topology) -> list[int]:
    return [len(topology.neighbours(place)) for place in range(topology.n)]


@pytest.mark.parametrize(
    ("kind", "n", "links"),
    [
        ("ring", 7, 7),
        ("ring", 2, 1),
        ("ring", 1, 0),
        ("complete", 7, 21),
        ("complete", 1, 0),
        ("star", 7, 6),
        ("line", 7, 6),
        ("grid", 12, 17),
        ("grid", 7, 6),
        ("torus", 12, 24),
        ("torus", 9, 18),
        ("hypercube", 16, 32),
        ("hypercube", 1, 0),
        ("tree", 7, 6),
    ],
)
def test_the_number_of_links(kind, n, links):
    topology = built(kind, n)
    assert topology.m == len(topology.edges()) == links


@pytest.mark.parametrize(
    ("kind", "n", "expected"),
    [
        ("ring", 6, [2] * 6),
        ("complete", 6, [5] * 6),
        ("star", 6, [5, 1, 1, 1, 1, 1]),
        ("line", 4, [1, 2, 2, 1]),
        ("grid", 9, [2, 3, 2, 3, 4, 3, 2, 3, 2]),
        ("torus", 16, [4] * 16),
        ("hypercube", 8, [3] * 8),
        ("tree", 7, [2, 3, 3, 1, 1, 1, 1]),
    ],
)
def test_the_degrees(kind, n, expected):
    assert degrees(built(kind, n)) == expected


@given(st.sampled_from(KINDS), st.integers(1, 40), st.integers(0, 1000))
def test_every_topology_is_connected_simple_and_symmetric(kind, n, seed):
    if kind == "hypercube":
        n = 1 << n % 6
    if kind in ("ring", "complete"):
        n += 1  # alone, one is linked to oneself
    topology = built(kind, n, seed)
    graph = nx.Graph(topology.edges())
    graph.add_nodes_from(topology.ids)
    assert nx.is_connected(graph) and nx.number_of_selfloops(graph) == 0
    assert graph.number_of_edges() == topology.m == sum(degrees(topology)) // 2
    for place, id in enumerate(topology.ids):
        assert sorted(topology.neighbours(place)) == sorted(graph.neighbors(id))
        for other in topology.ids:
            assert topology.linked(place, other) == graph.has_edge(id, other)


@given(st.integers(2, 30), st.integers(0, 1000))
def test_a_random_graph_is_the_same_for_a_seed(n, seed):
    assert built("random", n, seed).edges() == built("random", n, seed).edges()


def test_random_graphs_differ_between_seeds():
    assert len({tuple(built("random", 12, seed).edges()) for seed in range(10)}) > 5


@pytest.mark.parametrize("n", [3, 6, 12, 100])
def test_a_hypercube_needs_a_power_of_two(n):
    with pytest.raises(ValueError, match=f"power of 2, not n={n}"):
        built("hypercube", n)
    with pytest.raises(ScenarioError, match="topology: a hypercube needs a power of 2"):
        simulate(Scenario(f"{__name__}:Still", topology=TopologySpec(kind="hypercube", n=n)))


def test_the_neighbours_on_a_ring_are_the_predecessor_then_the_successor():
    topology = build_topology("ring", [5, 9, 2, 7], Random(0))
    assert [topology.neighbours(place) for place in range(4)] == [(7, 9), (5, 2), (9, 7), (2, 5)]


def test_the_only_process_of_a_ring_is_its_own_successor():
    topology = built("ring", 1)
    assert topology.neighbours(0) == (1,) and topology.linked(0, 1) and topology.edges() == []


def test_orders_place_the_ids_as_the_extremes_need_them():
    ids = [3, 1, 4, 2, 5]
    assert arrange(ids, "best", Random(0)) == [5, 1, 2, 3, 4]
    assert arrange(ids, "worst", Random(0)) == [4, 3, 2, 1, 5]
    assert arrange(ids, "sorted", Random(0)) == [1, 2, 3, 4, 5]
    assert sorted(arrange(ids, "random", Random(1))) == [1, 2, 3, 4, 5]
    assert len({tuple(arrange(ids, "random", Random(seed))) for seed in range(20)}) > 10


@given(st.sampled_from(["best", "worst", "random", "sorted"]), st.integers(1, 2))
def test_orders_of_one_and_two(order, n):
    assert sorted(arrange(list(range(n)), order, Random(0))) == list(range(n))


@pytest.mark.parametrize("name", ["chang-roberts", "bully"])
@pytest.mark.parametrize("n", [1, 2])
def test_one_and_two_processes_elect(name, n):
    outcome = simulate(Scenario(name, topology=TopologySpec(n=n)))
    assert outcome.leader == n and outcome.holds


# Graphs from elsewhere ------------------------------------------------------------------------------------------------


class Still(Election):
    """Does nothing."""


@dataclass(frozen=True)
class Best(Message):
    id: int


class Flood(Election):
    """A toy for any graph: passes on the best id it has heard of."""

    @upon_start
    def begin(self):
        self.elect(self.id)
        self.send(self.neighbours, Best(self.id))

    @upon(Best)
    def hear(self, sender, message):
        if self.leader is None or message.id > self.leader:
            self.elect(message.id)
            self.send(self.neighbours, message)


FLOOD = f"{__name__}:Flood"


def test_an_edge_list_in_the_scenario():
    edges = [(10, 20), (20, 30), (30, 40), (40, 10)]
    outcome = simulate(Scenario(FLOOD, topology=TopologySpec(edges=edges), starters="all"))
    assert outcome.ids == [10, 20, 30, 40] and len(outcome.topology.edges()) == 4 and outcome.leader == 40


def test_a_networkx_graph():
    graph = nx.petersen_graph()
    outcome = simulate(Scenario(FLOOD, topology=TopologySpec.from_graph(graph), starters="all"))
    assert outcome.n == 10 and outcome.topology.m == 15 and outcome.leader == 9
    assert nx.is_isomorphic(nx.Graph(outcome.topology.edges()), graph)


@pytest.mark.parametrize("ending", ["graphml", "edges"])
def test_a_graph_file(tmp_path, ending):
    graph, path = nx.cycle_graph(6), str(tmp_path / f"graph.{ending}")
    if ending == "graphml":
        nx.write_graphml(graph, path)
    else:
        nx.write_edgelist(graph, path, data=False)
    outcome = simulate(Scenario(FLOOD, topology=TopologySpec(file=path), starters="all"))
    assert outcome.n == 6 and outcome.topology.m == 6 and outcome.leader == 5
    same = simulate(Scenario(FLOOD, topology=TopologySpec.from_graph(graph), starters="all"))
    assert (same.messages, same.time) == (outcome.messages, outcome.time)


def refusal(**place) -> str:
    with pytest.raises(ScenarioError) as caught:
        simulate(Scenario(FLOOD, topology=TopologySpec(**place)))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_bad_graphs_are_refused_in_one_sentence(tmp_path):
    assert "in pieces: only 2 of its 4" in refusal(edges=[(1, 2), (3, 4)])
    assert "7 is not among the ids 1, 2" in refusal(edges=[(1, 2), (2, 7)], ids=[1, 2])
    assert "cannot be read" in refusal(file=str(tmp_path / "missing.graphml"))
    (tmp_path / "bad.graphml").write_text("<graphml><")
    assert "neither GraphML nor an edge list" in refusal(file=str(tmp_path / "bad.graphml"))
    (tmp_path / "names.edges").write_text("a b\n")
    assert "have to be numbers" in refusal(file=str(tmp_path / "names.edges"))
    assert "at least one id" in refusal(edges=[])
