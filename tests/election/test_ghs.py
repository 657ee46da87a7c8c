"""Gallager, Humblet and Spira's claims: the minimum spanning tree, levels that count doublings, 2m + 5n log n."""

import math
from collections import defaultdict

import networkx as nx
import pytest
from graphs import elections, final_processes, violated
from hypothesis import given

from habemus.election.ghs import BRANCH, GHS, weight
from habemus.scenario import Network, Scenario, TopologySpec
from habemus.simulation import simulate

SIZES = range(2, 65)


def minimum_spanning_tree(place: TopologySpec) -> set[tuple[int, int]]:
    """What networkx finds, given the order of the weights."""
    graph = nx.Graph()
    for number, (a, b) in enumerate(sorted(place.edges, key=lambda edge: weight(*edge))):
        graph.add_edge(a, b, weight=number)
    return {(min(edge), max(edge)) for edge in nx.minimum_spanning_edges(graph, data=False)}


def branches(processes) -> list[tuple[int, int]]:
    """The links that their ends take for branches, once for each end."""
    return [(min(p.id, q), max(p.id, q)) for p in processes for q, status in p.links.items() if status == BRANCH]


@given(elections("ghs"))
def test_one_end_of_the_last_core_leads_and_everyone_learns_it(scenario):
    outcome = simulate(scenario)
    assert not violated(outcome)
    assert outcome.claims == 1 and outcome.ended == "quiescence"
    cores = {process.fragment for process in final_processes(scenario)}
    assert len(cores) == 1
    if outcome.n > 1:
        assert outcome.leader == max(cores.pop()[1:])


@given(elections("ghs"))
def test_the_branches_are_the_minimum_spanning_tree_seen_alike_from_both_ends(scenario):
    found = branches(final_processes(scenario))
    tree = minimum_spanning_tree(scenario.topology)
    assert set(found) == tree and len(found) == 2 * len(tree)


@given(elections("ghs"))
def test_never_more_than_2m_plus_5n_log_n_messages_and_n_minus_1_to_announce_it(scenario):
    outcome = simulate(scenario)
    n, m = outcome.n, outcome.topology.m
    announcement = outcome.messages_by_type.get("Elected", 0)
    assert announcement == n - 1
    assert outcome.messages - announcement <= 2 * m + 5 * n * math.log2(n)


@pytest.mark.parametrize("kind", ["random", "ring", "complete", "line", "star", "grid"])
@pytest.mark.parametrize("n", SIZES)
def test_no_graph_of_these_kinds_costs_more_than_the_bound(n, kind):
    outcome = simulate(
        Scenario("ghs", topology=TopologySpec(kind=kind, n=n), seed=n, network=Network(delay="uniform:1:9"))
    )
    assert outcome.messages <= outcome.bound.messages(n, outcome.topology.m)
    assert not violated(outcome)


@given(elections("ghs"))
def test_a_fragment_of_level_l_has_at_least_2_to_the_l_processes(scenario):
    fragments = defaultdict(set)
    for event in simulate(scenario, keep=10**6).trace.events:
        for message in event.received:
            if message.type == "Initiate":
                fragments[message.fields["level"], tuple(message.fields["fragment"])].add(event.process)
    assert all(len(processes) >= 2**level for (level, _), processes in fragments.items())


def test_one_process_leads_itself_without_a_message():
    outcome = simulate(Scenario("ghs", topology=TopologySpec(ids=[7], edges=[])))
    assert outcome.leader == 7 and outcome.messages == 0


def test_weights_differ_and_are_the_same_from_both_ends():
    weights = {weight(a, b) for a in range(60) for b in range(a)}
    assert len(weights) == 60 * 59 // 2
    assert all(weight(a, b) == weight(b, a) for a in range(60) for b in range(a))


# Broken twins ---------------------------------------------------------------------------------------------------------


class AnswersAtOnce(GHS):
    """Answers a question of a higher level without waiting to be of that level itself."""

    def answer(self, asker):
        question = self.questions[asker]
        self.questions[asker] = type(question)(min(question.level, self.level), question.fragment)
        GHS.answer(self, asker)


class AbsorbsEquals(GHS):
    """Absorbs fragments of its own level, too."""

    def admit(self, caller):
        if self.callers[caller] == self.level:
            self.callers[caller] -= 1
        GHS.admit(self, caller)


@pytest.mark.parametrize("twin", ["AnswersAtOnce", "AbsorbsEquals"])
def test_a_fragment_that_does_not_wait_ends_with_another_tree_or_none(twin):
    def fails(seed: int) -> bool:
        network = Network(delay="lognormal:5:1.5")
        place = TopologySpec(kind="random", n=12)
        scenario = Scenario(f"{__name__}:{twin}", topology=place, network=network, seed=seed, events=20_000)
        try:
            outcome = simulate(scenario)
        except RuntimeError:
            return True
        graph = TopologySpec(ids=outcome.ids, edges=outcome.topology.edges())
        return bool(violated(outcome)) or set(branches(final_processes(scenario))) != minimum_spanning_tree(graph)

    assert any(fails(seed) for seed in range(30))
