"""Raymond's claims: four properties on any tree, two messages for each hop of the privilege, every part needed."""

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from workloads import locks, violated

from habemus.mutex.raymond import Privilege, Raymond
from habemus.scenario import Call, Crash, Demand, Network, Recover, Scenario, TopologySpec
from habemus.simulation import simulate


@st.composite
def trees(draw):
    """Any tree of up to 16 processes with any ids."""
    kind = draw(st.sampled_from(["tree", "line", "star", None]))
    n = draw(st.integers(1, 16))
    if kind is not None:
        return TopologySpec(kind=kind, n=n)
    ids = draw(st.lists(st.integers(0, 10**6), min_size=n, max_size=n, unique=True))
    parents = draw(st.lists(st.integers(0, 10**4), min_size=n - 1, max_size=n - 1))
    return TopologySpec(ids=ids, edges=[(ids[parent % place], ids[place]) for place, parent in enumerate(parents, 1)])


@st.composite
def locks_on_trees(draw, algorithm="raymond"):
    """Any demand on any tree; links that keep the order, or do not."""
    return msgspec.structs.replace(draw(locks(algorithm)), topology=draw(trees()))


def distances(outcome) -> dict[int, dict[int, int]]:
    """How many hops lie between any two processes."""
    around = {pid: set() for pid in outcome.ids}
    for a, b in outcome.topology.edges():
        around[a].add(b)
        around[b].add(a)
    found = {}
    for start in outcome.ids:
        hops = found[start] = {start: 0}
        frontier = [start]
        for pid in frontier:
            for other in sorted(around[pid] - hops.keys()):
                hops[other] = hops[pid] + 1
                frontier.append(other)
    return found


def way_of_the_privilege(outcome) -> list[int]:
    """The distance from each one who was inside to the next, the first time from the smallest id."""
    hops = distances(outcome)
    stops = [min(outcome.ids), *(use.process for use in outcome.lock.uses)]
    return [hops[a][b] for a, b in pairwise(stops)]


def entries_alone(place: TopologySpec, who: list[int]) -> Scenario:
    """These processes enter one after the other, each when the one before has long left."""
    calls = [Call(1000 * number, [pid], "acquire", 10) for number, pid in enumerate(who, 1)]
    return Scenario("raymond", topology=place, workload=calls)


@given(locks_on_trees())
def test_the_four_properties_hold_on_every_tree_whatever_the_order_of_messages(scenario):
    outcome = simulate(scenario)
    assert violated(outcome) == {}
    assert outcome.ended == "quiescence" and outcome.lock.entries >= outcome.n


@given(locks_on_trees())
def test_an_entry_costs_twice_the_way_from_the_one_before_and_the_first_word_n_minus_1(scenario):
    outcome = simulate(scenario)
    way = way_of_the_privilege(outcome)
    expected = {"Initialize": outcome.n - 1, "Request": sum(way), "Privilege": sum(way)}
    assert outcome.messages_by_type == {kind: count for kind, count in expected.items() if count}
    diameter = max(max(hops.values()) for hops in distances(outcome).values())
    assert outcome.messages <= 2 * diameter * outcome.lock.entries + outcome.n - 1
    assert outcome.lock.messages_per_entry <= outcome.bound.messages(outcome.n, outcome.topology.m)


@pytest.mark.parametrize("kind", ["tree", "line", "star"])
@pytest.mark.parametrize("process", range(1, 9))
def test_an_entry_alone_costs_twice_the_distance_to_the_privilege(kind, process):
    place = TopologySpec(kind=kind, n=8)
    outcome = simulate(entries_alone(place, [process]))
    distance = distances(outcome)[1][process]
    assert outcome.messages == 7 + 2 * distance
    again = simulate(entries_alone(place, [process, process]))
    assert again.lock.entries == 2 and again.messages == outcome.messages


def test_the_ends_of_a_line_pay_twice_the_diameter():
    outcome = simulate(entries_alone(TopologySpec(kind="line", ids=[1, 2, 3, 4, 5]), [5, 1, 5, 1]))
    assert outcome.messages == 4 + 4 * 2 * 4


@pytest.mark.parametrize("n", [15, 63, 255])
def test_about_4_messages_an_entry_when_everybody_wants_in_all_the_time(n):
    outcome = simulate(
        Scenario("raymond", topology=TopologySpec(n=n), demand=Demand("all-at-once", 20, hold="constant:1"))
    )
    assert outcome.holds and outcome.lock.entries == 20 * n
    assert outcome.lock.messages_per_entry == pytest.approx(4, rel=0.1)


def test_who_asks_before_it_knows_the_direction_waits_until_it_does():
    place, network = TopologySpec(kind="line", ids=[1, 2, 3]), Network(delay="constant:10")
    calls = [Call(0, [3], "acquire", 5)]
    outcome = simulate(Scenario("raymond", topology=place, network=network, workload=calls), keep=99)
    asked = next(event for event in outcome.trace.events if event.clause == "request_entry")
    sent = next(event for event in outcome.trace.events if event.process == 3 and event.sent)
    assert (asked.time, asked.sent) == (0, [])
    assert (sent.time, sent.clause) == (20, "learn_direction")
    assert outcome.holds and outcome.lock.waits == [60]


# Broken twins.


class HandsOverWhileInside(Raymond):
    """Passes the privilege on without having left."""

    def assign_privilege(self):
        if self.inside and self.queue:
            self.holder = self.queue.pop(0)
            self.send(self.holder, Privilege())
        else:
            Raymond.assign_privilege(self)


class AsksNoMore(Raymond):
    """Passes the privilege on and does not ask for it back, though others are in the queue."""

    def move_on(self):
        if self.holder == self.id:
            self.assign_privilege()
        else:
            self.make_request()


class AsksForEach(Raymond):
    """Asks once for everybody in its queue."""

    def make_request(self):
        self.asked = False
        Raymond.make_request(self)


def twin(name: str, seed: int = 0) -> Scenario:
    demand = Demand("poisson", 5, think="exponential:20")
    return Scenario(f"{__name__}:{name}", topology=TopologySpec(n=7), demand=demand, seed=seed, events=100_000)


def test_passing_the_privilege_on_before_leaving_lets_two_in():
    assert "had not left" in violated(simulate(twin("HandsOverWhileInside")))["mutual_exclusion"]


def test_not_asking_for_the_privilege_back_leaves_the_rest_of_the_queue_waiting():
    assert "starvation_freedom" in violated(simulate(twin("AsksNoMore")))


def test_asking_again_for_each_one_costs_more_than_twice_the_way():
    outcome = simulate(twin("AsksForEach"))
    assert outcome.messages_by_type["Request"] > sum(way_of_the_privilege(outcome))


def test_the_twins_pass_when_nothing_is_broken():
    outcome = simulate(twin("Raymond"))
    assert violated(outcome) == {} and outcome.messages_by_type["Request"] == sum(way_of_the_privilege(outcome))


# Known failures: it is not made for crashes.


def test_a_crash_on_the_way_to_the_privilege_leaves_those_behind_it_waiting():
    calls = [Call(20, [3], "acquire", 5)]
    line = TopologySpec(kind="line", ids=[1, 2, 3])
    outcome = simulate(Scenario("raymond", topology=line, workload=calls, faults=[Crash(10, 2)]))
    said = violated(outcome)["deadlock_freedom"]
    assert said == "3 waits and nobody is inside, nor will be; 2, for whom they wait, has crashed"


def test_a_smallest_id_that_forgot_everything_makes_a_second_privilege():
    line = TopologySpec(kind="line", ids=[1, 2, 3])
    calls = [Call(20, [3], "acquire", 100), Call(60, [1], "acquire", 10)]
    faults = [Crash(40, 1), Recover(50, 1)]
    outcome = simulate(Scenario("raymond", topology=line, workload=calls, faults=faults))
    assert violated(outcome)["mutual_exclusion"] == "1 entered at time 60 while 3, inside since 24, had not left"
