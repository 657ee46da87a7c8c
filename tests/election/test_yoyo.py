"""YoYo's claims: the smallest id leads on any graph, distances between sources halve, and pruning is what ends it."""

from itertools import pairwise

import networkx as nx
import pytest
from graphs import elections, places, sources_by_iteration, violated
from hypothesis import given
from hypothesis import strategies as st

from habemus.election.yoyo import DOWN, Vote, YoYo
from habemus.scenario import Cut, Network, Scenario, TopologySpec
from habemus.simulation import simulate

SIZES = range(2, 65)


def run(place: TopologySpec, algorithm: str = "yoyo", keep: int = 0, **settings):
    return simulate(Scenario(algorithm, topology=place, **settings), keep=keep)


@given(elections("yoyo"))
def test_the_smallest_id_of_all_leads_whoever_starts(scenario):
    outcome = simulate(scenario)
    assert not violated(outcome)
    assert outcome.leader == min(outcome.ids)
    assert outcome.claims == 1 and outcome.ended == "quiescence"


@given(elections("yoyo"))
def test_sources_fall_every_iteration_and_there_are_at_most_log_n_minus_1_plus_1(scenario):
    sources = sources_by_iteration(simulate(scenario, keep=10**6))
    n = len(scenario.topology.ids)
    assert sources[-1] == 1
    assert all(fewer < more for more, fewer in pairwise(sources))
    assert len(sources) <= max(1, (n - 1).bit_length())


@given(places(most=20), st.integers(0, 1000))
def test_a_source_dies_if_and_only_if_somebody_hears_of_it_and_of_a_smaller_one(place, seed):
    outcome = run(place, keep=10**6, seed=seed, network=Network(delay="uniform:1:9"))
    downward = nx.DiGraph([(min(edge), max(edge)) for edge in place.edges])
    downward.add_nodes_from(place.ids)
    reach = {s: nx.descendants(downward, s) | {s} for s in downward if not downward.in_degree(s)}
    expected = {s for s in reach if not any(other < s and reach[other] & reach[s] for other in reach)}
    events = outcome.trace.events
    assert {e.process for e in events if e.changed.get("iteration") == 1} == set(reach)
    survivors = {e.process for e in events if e.changed.get("iteration") == 2}
    assert survivors == (expected if len(reach) > 1 else set())


@pytest.mark.parametrize("n", SIZES)
def test_on_a_ring_sources_at_least_halve_every_iteration(n):
    for seed in range(5):
        sources = sources_by_iteration(run(TopologySpec(kind="ring", n=n), keep=10**6, seed=seed))
        assert all(fewer <= more // 2 for more, fewer in pairwise(sources))


@pytest.mark.parametrize("legs", [2, 5, 20])
def test_on_a_spider_they_do_not_but_the_next_iteration_makes_up_for_it(legs):
    """The body, a source, dies and all the feet survive: it is the distance between sources that halves."""
    edges = [(100, 200 + leg) for leg in range(legs)] + [(1 + leg, 200 + leg) for leg in range(legs)]
    assert sources_by_iteration(run(TopologySpec(edges=edges), keep=10**6)) == [legs + 1, legs, 1]


@pytest.mark.parametrize("kind", ["complete", "line", "star", "tree", "grid"])
@pytest.mark.parametrize("n", SIZES)
def test_with_a_single_source_it_costs_exactly_4m_plus_n_minus_1(n, kind):
    outcome = run(TopologySpec(kind=kind, ids=list(range(1, n + 1))))
    assert outcome.messages == 4 * outcome.topology.m + n - 1


@pytest.mark.parametrize("n", SIZES)
def test_no_random_graph_costs_more_than_the_bound(n):
    for seed in range(3):
        outcome = run(TopologySpec(kind="random", n=n), seed=seed, network=Network(delay="uniform:1:9"))
        assert outcome.messages <= outcome.bound.messages(n, outcome.topology.m)


def test_one_process_leads_itself_without_a_message():
    outcome = run(TopologySpec(ids=[7], edges=[]))
    assert outcome.leader == 7 and outcome.messages == 0 and not violated(outcome)


def test_five_hundred_random_graphs_trees_complete_graphs_and_petersens_elect_the_smallest():
    graphs = [nx.gnp_random_graph(3 + seed % 30, 0.3, seed=seed) for seed in range(500)]
    graphs = [graph.subgraph(max(nx.connected_components(graph), key=len)) for graph in graphs]
    graphs += [nx.random_labeled_tree(2 + seed, seed=seed) for seed in range(30)]
    graphs += [nx.complete_graph(n) for n in range(1, 20)] + [nx.petersen_graph()]
    for seed, graph in enumerate(graphs):
        shuffled = nx.relabel_nodes(graph, {node: (node * 7919 + seed) % 10007 for node in graph})
        outcome = run(TopologySpec.from_graph(shuffled), seed=seed, network=Network(delay="uniform:1:9"), starters=1)
        assert outcome.leader == min(shuffled) and not violated(outcome)


# Split-brain ----------------------------------------------------------------------------------------------------------


def two_rings_and_a_bridge(patience: int):
    ring = [(1, 2), (2, 3), (3, 4), (4, 1)]
    place = TopologySpec(edges=[*ring, *((a + 4, b + 4) for a, b in ring), (4, 8)])
    return run(place, parameters={"patience": patience}, faults=[Cut(0, [(4, 8)])])


def test_a_cut_bridge_gives_each_half_a_leader_of_its_own_which_is_split_brain():
    outcome = two_rings_and_a_bridge(patience=5)
    assert violated(outcome).keys() == {"uniqueness", "agreement", "stability"}
    witness = next(p.witness for p in outcome.properties if p.name == "uniqueness")
    assert sorted(witness.processes) == [1, 5]


def test_without_patience_both_ends_of_the_cut_link_wait_for_ever():
    assert violated(two_rings_and_a_bridge(patience=0)).keys() == {"termination", "agreement"}


@given(elections("yoyo", delays=("unit", "uniform:1:20")))
def test_patience_changes_nothing_while_all_links_work(scenario):
    scenario.parameters = {"patience": 41}
    assert simulate(scenario).messages == simulate(Scenario(**{**fields(scenario), "parameters": {}})).messages


def fields(scenario: Scenario) -> dict:
    return {name: getattr(scenario, name) for name in scenario.__struct_fields__}


# Broken twins ---------------------------------------------------------------------------------------------------------


class KeepsRepetitions(YoYo):
    """Cuts leaves, but not the second way from the same source."""

    def cut_repetitions(self):
        pass


class KeepsLeaves(YoYo):
    """Cuts the second way, but no leaves: they go on saying yes."""

    def leave(self):
        self.send(sorted(self.above), Vote(True))
        self.ids.clear()
        self.stage = DOWN


class AnyYesWillDo(YoYo):
    """The lecture notes' rule: an internal process that got some yes does not pass on the no."""

    def hears_no(self):
        return 0 < len(self.refused) == len(self.below)


@pytest.mark.parametrize("twin", ["KeepsRepetitions", "KeepsLeaves"])
def test_without_either_kind_of_pruning_one_source_is_left_and_never_learns_it(twin):
    outcome = run(TopologySpec(kind="ring", n=8), f"{__name__}:{twin}", keep=10**6, events=10_000)
    assert outcome.ended == "budget" and "termination" in violated(outcome)
    assert {e.process for e in outcome.trace.events[-500:] if "iteration" in e.changed} == {1}


def test_the_notes_rule_elects_the_same_leader_but_lets_sources_live_that_somebody_has_outbid():
    def iterations(algorithm: str, seed: int) -> int:
        outcome = run(TopologySpec(kind="random", n=14), algorithm, keep=10**6, seed=seed)
        assert outcome.leader == 1 and not violated(outcome)
        return len(sources_by_iteration(outcome))

    late = [iterations(f"{__name__}:AnyYesWillDo", seed) - iterations("yoyo", seed) for seed in range(60)]
    assert min(late) == 0 and max(late) > 0
