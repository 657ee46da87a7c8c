"""A run says how it ended, is the same run recorded or not, and is the same everywhere for a seed."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.process import Election, Process, upon_start, upon_timeout
from habemus.scenario import (
    Call,
    Crash,
    Cut,
    Drift,
    Heal,
    LinkDelay,
    Network,
    Partition,
    Pause,
    Recover,
    Resume,
    Scenario,
    ScenarioError,
    Skew,
    TopologySpec,
    read_scenario,
)
from habemus.simulation import simulate

# How runs end ---------------------------------------------------------------------------------------------------------


class Ticker(Process):
    """Never comes to rest."""

    topology = "complete"

    @upon_start
    def begin(self):
        self.set_timer("tick", 3)

    @upon_timeout("tick")
    def tick(self):
        self.set_timer("tick", 3)


class Forgetful(Election):
    """Sets a timer far ahead and thinks better of it."""

    topology = "complete"

    @upon_start
    def begin(self):
        self.set_timer("late", 1000)
        self.set_timer("soon", 5)

    @upon_timeout("soon")
    def act(self):
        self.cancel_timer("late")
        self.elect(2)

    @upon_timeout("late")
    def never(self):
        self.elect(None)


def test_a_run_ends_by_quiescence_when_nothing_is_left_to_do():
    outcome = simulate(Scenario("chang-roberts"))
    assert outcome.ended == "quiescence"


@pytest.mark.parametrize("keep", [0, 100])
def test_a_cancelled_timer_does_not_run_out_and_is_not_waited_for(keep):
    outcome = simulate(Scenario(f"{__name__}:Forgetful", topology=TopologySpec(ids=[1, 2]), starters="all"), keep=keep)
    assert (outcome.ended, outcome.time, outcome.leader) == ("quiescence", 5, 2)


def test_a_run_ends_by_time():
    outcome = simulate(Scenario(f"{__name__}:Ticker", topology=TopologySpec(n=2), until=100))
    assert (outcome.ended, outcome.time) == ("time", 100)
    assert simulate(Scenario("chang-roberts", topology=TopologySpec(n=8), until=3)).ended == "time"


def test_what_is_due_at_the_very_end_still_happens():
    full = simulate(Scenario("chang-roberts"))
    assert simulate(Scenario("chang-roberts", until=full.time)).ended == "quiescence"
    assert simulate(Scenario("chang-roberts", until=full.time - 1)).ended == "time"


@given(st.integers(1, 200), st.booleans())
def test_a_run_ends_by_budget_and_counts_what_was_sent_even_if_it_did_not_arrive(budget, recorded):
    scenario = Scenario("chang-roberts", topology=TopologySpec(n=32, order="worst"), events=budget)
    outcome = simulate(scenario, keep=10_000 if recorded else 0)
    assert outcome.ended == "budget" and outcome.events <= max(budget, 2)
    if recorded:
        assert outcome.messages == sum(len(event.sent) for event in outcome.trace.events)


@pytest.mark.parametrize("goal", ["termination", "agreement"])
def test_a_run_ends_as_soon_as_its_goal_is_reached(goal):
    full = simulate(Scenario("chang-roberts", topology=TopologySpec(n=16)))
    outcome = simulate(Scenario("chang-roberts", topology=TopologySpec(n=16), goal=goal))
    assert outcome.ended == "property" and outcome.time < full.time  # the news has a last step to go, home
    assert next(p for p in outcome.properties if p.name == goal).holds


def test_a_run_ends_as_soon_as_its_goal_is_violated():
    flapping = [Crash(100, 8), Recover(200, 8), Crash(5000, 8)]
    outcome = simulate(Scenario("bully", faults=flapping, goal="stability"))
    assert outcome.ended == "property" and 200 < outcome.time < 5000
    assert next(p for p in outcome.properties if p.name == "stability").holds is False


def test_a_goal_that_is_no_property_is_refused():
    with pytest.raises(ScenarioError, match="goal: expected one of termination, uniqueness"):
        simulate(Scenario("bully", goal="peace"))


# Recorded or not ------------------------------------------------------------------------------------------------------

IDS = range(1, 7)
pids = st.integers(1, 6)
moments = st.integers(0, 150)
links = st.lists(st.tuples(pids, pids).filter(lambda pair: pair[0] != pair[1]), min_size=1, max_size=3)
faults = st.lists(
    st.builds(Crash, moments, pids)
    | st.builds(Recover, moments, pids)
    | st.builds(Pause, moments, pids)
    | st.builds(Resume, moments, pids)
    | st.builds(Cut, moments, links, st.booleans())
    | st.builds(Heal, moments, links | st.just([]))
    | st.builds(Partition, moments, st.permutations(IDS).map(lambda p: [p[:2], p[2:4]]))
    | st.builds(Skew, moments, pids, st.integers(-20, 20))
    | st.builds(Drift, moments, pids, st.sampled_from([0.5, 0.9, 1.1, 3.0])),
    max_size=8,
)
networks = st.builds(
    Network,
    delay=st.sampled_from(["unit", "uniform:1:10", "exponential:4", "lognormal:3:1"]),
    loss=st.sampled_from([0.0, 0.0, 0.2]),
    duplication=st.sampled_from([0.0, 0.0, 0.3]),
    fifo=st.booleans(),
    links=st.lists(st.builds(LinkDelay, st.just(1), st.just(2), st.just("uniform:2:30")), max_size=1),
)
anything = st.builds(
    Scenario,
    algorithm=st.sampled_from(["chang-roberts", "bully"]),
    topology=st.just(TopologySpec(n=6)),
    network=networks,
    faults=faults,
    workload=st.lists(st.builds(Call, at=moments, who=st.lists(pids, min_size=1, max_size=2)), max_size=3),
    starters=st.sampled_from(["all", "one", 3]),
    seed=st.integers(0, 2**62),
    until=st.just(3000),
)


def shape(outcome) -> tuple:
    """All that can be told of a run without its trace."""
    witnesses = [(p.name, p.holds, p.witness and (p.witness.text, p.witness.time)) for p in outcome.properties]
    return (
        outcome.leader,
        outcome.messages_by_type,
        outcome.time,
        outcome.events,
        outcome.claims,
        outcome.ended,
        witnesses,
    )


@given(anything)
def test_recorded_and_unrecorded_runs_are_the_same_run(scenario):
    assert shape(simulate(scenario)) == shape(simulate(scenario, digest=True))


@given(anything)
def test_the_digest_is_that_of_the_trace_kept_streamed_or_only_hashed(scenario):
    kept = simulate(scenario, keep=10**6)
    assert kept.digest == kept.trace.digest == simulate(scenario, digest=True).digest


@given(anything)
def test_the_scenario_says_it_all_written_as_toml_or_json_and_read_back_it_is_the_same_run(tmp_path_factory, scenario):
    folder = tmp_path_factory.mktemp("scenario")
    digest = simulate(scenario, digest=True).digest
    for name in ("scenario.toml", "scenario.json"):
        scenario.write(folder / name)
        again = read_scenario(folder / name)
        assert again == scenario
        assert simulate(again, digest=True).digest == digest


@given(anything)
def test_parents_come_before_their_children_and_include_the_sender(scenario):
    sent_in = {}
    for event in simulate(scenario, keep=10**6).trace.events:
        assert all(parent < event.event for parent in event.parents)
        for carried in event.received:
            assert sent_in[carried.message] in event.parents
        for carried in event.sent:
            sent_in[carried.message] = event.event


@pytest.mark.parametrize("algorithm", ["chang-roberts", "bully"])
def test_other_seeds_other_digests(algorithm):
    network = Network(delay="uniform:1:10")
    runs = [simulate(Scenario(algorithm, network=network, seed=seed), digest=True).digest for seed in range(20)]
    assert len(set(runs)) == 20


PRINT_DIGESTS = """
from habemus.scenario import Crash, Network, TopologySpec, Recover, Scenario
from habemus.simulation import simulate
for algorithm in ("chang-roberts", "bully"):
    network = Network(delay="lognormal:4:1", loss=0.05, duplication=0.1, fifo=False)
    faults = [Crash(40, 6), Recover(90, 6)]
    scenario = Scenario(algorithm, topology=TopologySpec(n=9), network=network, faults=faults, seed=11, until=2000)
    print(simulate(scenario, digest=True).digest)
"""


def test_the_digest_does_not_depend_on_the_hash_seed():
    printed = set()
    for seed in ("0", "1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(map(str, sys.path))}
        run = subprocess.run(
            [sys.executable, "-c", PRINT_DIGESTS], env=environment, capture_output=True, text=True, cwd=Path.cwd()
        )
        assert run.returncode == 0, run.stderr
        printed.add(run.stdout)
    assert len(printed) == 1 and len(printed.pop().split()) == 2


def test_a_fault_after_the_usual_end_takes_place_and_the_group_gets_time_to_settle():
    usual = simulate(Scenario("raft-election", topology=TopologySpec(n=5)))
    crashed = [Crash(at=usual.time + 1, process=usual.leader)]
    outcome = simulate(Scenario("raft-election", topology=TopologySpec(n=5), faults=crashed))
    assert outcome.leader not in (None, usual.leader) and outcome.holds
    assert usual.time < outcome.time < 2 * usual.time, "it ends when the group has settled"


def test_a_group_that_cannot_settle_gets_its_horizon_once_more_and_no_longer():
    majority = [Crash(at=1990, process=pid) for pid in (1, 2, 3)]
    scenario = Scenario("raft-election", topology=TopologySpec(ids=[1, 2, 3, 4, 5]), faults=majority)
    assert simulate(scenario).time in range(3980, 3991)
    assert simulate(msgspec.structs.replace(scenario, until=2000)).time == 2000
