"""Detector, election and coordinator put together: who coordinates may change, die or be two."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workloads import demands, violated

from habemus.catalogue import algorithm_names, find_algorithm
from habemus.process import Election
from habemus.scenario import (
    Call,
    Crash,
    Cut,
    Demand,
    Heal,
    Layer,
    Network,
    Partition,
    Pause,
    Recover,
    Resume,
    Scenario,
    TopologySpec,
    named_scenarios,
)
from habemus.simulation import simulate

MUTEX = ("mutual_exclusion", "deadlock_freedom", "starvation_freedom", "bounded_waiting")


def mutex_violated(outcome) -> dict[str, str]:
    """The violated properties of the lock, not of the election below it."""
    return {name: text for name, text in violated(outcome).items() if name in MUTEX}


# Over any election ----------------------------------------------------------------------------------------------------


MANY_LEADERS = ("anonymous-ring", "invitation")  # the one is unsound, the other begins with a leader each


def sound_elections() -> list[str]:
    """All that lead to one leader, in asynchronous steps or in pulses."""
    elections = [name for name in algorithm_names() if issubclass(find_algorithm(name), Election)]
    return [name for name in elections if name not in MANY_LEADERS and "agreement" in find_algorithm(name).guarantees]


@pytest.mark.parametrize("name", sound_elections())
@pytest.mark.parametrize("seed", range(3))
def test_the_coordinator_is_whom_any_election_names(name, seed):
    scenario = Scenario(
        "coordinator-elected",
        layers=[Layer(name)],
        topology=TopologySpec(n=6),
        demand=Demand("poisson", 2),
        seed=seed,
    )
    outcome = simulate(scenario, keep=100_000)
    assert violated(outcome) == {} and outcome.lock.entries == 12
    grants = {sent.sender for event in outcome.trace.events for sent in event.sent if sent.type == "Grant"}
    assert grants == {outcome.leader}


# Over bully -----------------------------------------------------------------------------------------------------------


def crashes(draw, n: int, horizon: int, back_in_the_end: bool, spared: int = 0) -> list:
    """Crashes and recoveries of anybody but one at any time."""
    faults = []
    for process in [process for process in range(1, n + 1) if process != spared]:
        moments = draw(st.lists(st.integers(1, horizon), max_size=4, unique=True))
        for number, at in enumerate(sorted(moments)):
            faults.append(Recover(at, process) if number % 2 else Crash(at, process))
        if back_in_the_end and len(moments) % 2:
            faults.append(Recover(horizon + 1, process))
    return faults


@st.composite
def over_bully(draw, spared: int = 0):
    """Anybody but one may crash and come back, the leader included, in a timely network."""
    n = draw(st.integers(max(1, spared), 6))
    longest = draw(st.integers(1, 8))
    parameters = {
        "transmission": longest,
        "lease": draw(st.sampled_from([100, 5, 30])),
        "fencing": draw(st.booleans()),
        "acknowledged": draw(st.booleans()),
        "retry": draw(st.sampled_from([0, 7])),
    }
    return Scenario(
        "coordinator-elected",
        parameters=parameters,
        layers=[Layer(draw(st.sampled_from(["bully", "bully-stable"])), {"transmission": longest})],
        topology=TopologySpec(n=n),
        network=Network(delay=f"uniform:1:{longest}", fifo=draw(st.booleans())),
        detection=longest + draw(st.sampled_from([1, 20])),
        demand=draw(demands()),
        faults=crashes(draw, n, draw(st.sampled_from([50, 200, 600])), draw(st.booleans()), spared),
        seed=draw(st.integers(0, 2**32)),
        until=100_000,
    )


@given(over_bully())
def test_over_bully_anybody_may_crash_and_come_back(scenario):
    outcome = simulate(scenario)
    assert outcome.ended == "quiescence" and mutex_violated(outcome) == {}


@given(st.integers(1, 6).flatmap(lambda witness: over_bully(spared=witness)))
def test_tokens_grow_from_one_coordinator_to_the_next_as_long_as_somebody_remembers_the_last(scenario):
    outcome = simulate(scenario)
    tokens = [use.token for use in outcome.lock.uses if use.token is not None]
    assert tokens == sorted(set(tokens)) and outcome.lock.refusals == []


# Over Raft's election -------------------------------------------------------------------------------------------------


@st.composite
def over_raft(draw):
    """Crashes, loss, doubled messages, cuts and partitions; at 2000 all that is over, but for the loss."""
    n = draw(st.integers(1, 6))
    longest = draw(st.integers(1, 8))
    low = draw(st.sampled_from([40, 100]))
    faults = crashes(draw, n, 1500, back_in_the_end=True)
    order = draw(st.permutations(range(1, n + 1)))
    for at in draw(st.lists(st.integers(1, 1900), max_size=3)):
        half = draw(st.integers(0, n))
        faults.append(Partition(at, [list(order[:half]), list(order[half:])]))
        faults.append(Heal(at + draw(st.integers(1, 500))))
        if n > 1 and draw(st.booleans()):
            faults.append(Cut(at + 1, [(order[0], order[1])], one_way=True))
    faults.append(Heal(2000))
    election = {
        "low": low,
        "high": 2 * low,
        "heartbeat": low // 3,
        "prevote": draw(st.booleans()),
    }
    if draw(st.booleans()):
        election["weight"] = {str(draw(st.integers(1, n))): draw(st.integers(2, 4))}
    parameters = {
        "transmission": longest,
        "lease": draw(st.sampled_from([100, 30])),
        "fencing": draw(st.booleans()),
        "retry": draw(st.sampled_from([0, 20])),
        "overlap": 2 * low + longest,
    }
    network = Network(
        delay=f"uniform:1:{longest}",
        loss=draw(st.sampled_from([0, 0.02, 0.1])),
        duplication=draw(st.sampled_from([0, 0.1])),
        fifo=draw(st.booleans()),
    )
    return Scenario(
        "coordinator-elected",
        parameters=parameters,
        layers=[Layer("raft-election-steady", election)],
        topology=TopologySpec(n=n),
        network=network,
        demand=Demand(draw(st.sampled_from(["poisson", "all-at-once"])), draw(st.integers(1, 6)), hold="uniform:1:30"),
        faults=faults,
        seed=draw(st.integers(0, 2**32)),
        until=9000,
    )


@given(over_raft())
def test_over_raft_links_may_fail_and_anybody_may_crash_and_come_back(scenario):
    outcome = simulate(scenario)
    assert mutex_violated(outcome) == {}


# Over elections that do not deserve their name ------------------------------------------------------------------------


@st.composite
def over_anything(draw):
    """Several leaders at once: nothing is timely, links fail for ever, processes stand still, crash and come back."""
    n = draw(st.integers(2, 5))
    faults = crashes(draw, n, 800, draw(st.booleans()))
    for process in draw(st.lists(st.integers(1, n), max_size=2, unique=True)):
        at = draw(st.integers(1, 800))
        faults += [Pause(at, process), Resume(at + draw(st.integers(1, 300)), process)]
    order = draw(st.permutations(range(1, n + 1)))
    half = draw(st.integers(0, n))
    faults.append(Partition(draw(st.integers(1, 500)), [list(order[:half]), list(order[half:])]))
    if draw(st.booleans()):
        faults.append(Heal(draw(st.integers(500, 900))))
    election = draw(st.sampled_from(["bully", "raft-election", "raft-election-steady", "invitation", "anonymous-ring"]))
    return Scenario(
        "coordinator-elected",
        parameters={"transmission": 1, "lease": draw(st.sampled_from([5, 40])), "fencing": True},
        layers=[Layer("heartbeat"), Layer(election)],
        topology=TopologySpec(n=n),
        network=Network(delay=draw(st.sampled_from(["unit", "lognormal:5:1.5"])), fifo=draw(st.booleans())),
        demand=Demand("poisson", 8, hold="uniform:1:30"),
        faults=faults,
        seed=draw(st.integers(0, 2**32)),
        until=1500,
    )


@given(over_anything())
def test_with_fencing_the_resource_serves_one_at_a_time_whoever_believes_to_coordinate(scenario):
    outcome = simulate(scenario)
    assert "mutual_exclusion" not in violated(outcome)
    tokens = [use.token for use in outcome.lock.uses]
    assert len(set(tokens)) == len(tokens)


# The story of a coordinator that dies ---------------------------------------------------------------------------------


def test_a_killed_coordinator_loses_no_request_and_lets_nobody_in_beside_an_old_grant():
    outcome = simulate(named_scenarios()["coordinator-killed"])
    assert violated(outcome) == {} and outcome.leader == 3
    old, *new = outcome.lock.uses
    assert [use.process for use in new] == [3, 2]  # both waited when 4 died
    took_office = 160
    assert old.start < 120 < took_office < old.end  # it was inside when 4 died, and when 3 took office
    assert new[0].start == took_office + 100 + 2 + 1  # the lease, the transmission bound, a tick


def test_there_is_a_lease_wherever_the_coordinator_is_elected():
    calls = [Call(150, [1], "acquire", 1000)]
    scenario = Scenario(
        "coordinator-elected",
        layers=[Layer("perfect"), Layer("bully")],
        topology=TopologySpec(n=3),
        starters="all",
        workload=calls,
    )
    (use,) = simulate(scenario).lock.uses
    assert use.end - use.start == 100


def test_a_coordinator_that_was_down_for_a_moment_has_forgotten_the_queue_but_is_asked_again():
    """Nobody notices that 3 was down, so nobody is told of a new leader."""
    scenario = short_absence("coordinator-elected")
    outcome = simulate(scenario)
    assert violated(outcome) == {} and sorted(use.process for use in outcome.lock.uses) == [1, 2]
    assert "starvation_freedom" in violated(simulate(short_absence("test_layers_broken:AsksOnce")))


def short_absence(algorithm: str) -> Scenario:
    return Scenario(
        algorithm,
        parameters={"lease": 40},
        layers=[Layer("perfect"), Layer("bully")],
        topology=TopologySpec(n=3),
        starters="all",
        workload=[Call(100, [1], "acquire", 30), Call(101, [2], "acquire", 30)],
        faults=[Crash(110, 3), Recover(112, 3)],
        until=2000,
    )


# The story of a network that is cut in two ----------------------------------------------------------------------------


def test_over_bully_a_cut_network_has_two_coordinators_and_two_inside():
    outcome = simulate(named_scenarios()["split-brain-bully"])
    said = violated(outcome)
    assert said["uniqueness"] == "4 took office at time 2 and still held it when 2 took office at time 240"
    assert said["mutual_exclusion"] == "1 entered at time 284 while 3, inside since 264, had not left"


def test_over_bully_with_fencing_the_side_that_coordinated_before_is_refused():
    scenario = named_scenarios()["split-brain-bully"]
    scenario.parameters["fencing"] = True
    outcome = simulate(scenario)
    assert "uniqueness" in violated(outcome) and "mutual_exclusion" not in violated(outcome)
    assert [(use.process, use.start) for use in outcome.lock.refusals] == [(3, 264), (3, 332)]


def test_over_raft_by_weight_a_cut_network_has_one_coordinator():
    outcome = simulate(named_scenarios()["split-brain-raft"])
    assert violated(outcome) == {} and outcome.claims == 1
    assert [(use.process, use.start) for use in outcome.lock.uses] == [(3, 212), (3, 264), (3, 332), (1, 452)]


def test_over_raft_a_coordinator_on_the_lighter_side_stops_before_the_new_one_begins():
    outcome = simulate(named_scenarios()["split-brain-raft-light"])
    assert set(violated(outcome)) == {"uniqueness", "stability"}
    assert [(use.process, use.start) for use in outcome.lock.uses] == [(3, 212), (3, 264), (1, 385), (3, 442)]
    took_office = 259
    assert outcome.lock.uses[1].start > took_office  # let in by the old one beside the new one
    assert outcome.lock.uses[2].start == took_office + (2 * 40 + 2) + (40 + 2 + 1) + 1  # overlap, old grants, the grant


def test_the_cuts_are_the_same_cut_under_the_same_demand():
    first, *others = (named_scenarios()[f"split-brain-{election}"] for election in ("bully", "raft", "raft-light"))
    for other in others:
        for same in ("topology", "network", "workload", "faults", "until", "seed"):
            assert getattr(first, same) == getattr(other, same)
