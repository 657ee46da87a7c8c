"""How patient real nodes are, where nobody says."""

import asyncio
import os
import subprocess
import sys

import pytest
from groups import until

from habemus.network.node.timing import add_fast_detector, complete_scenario, longest_pause, warn_of_long_stall
from habemus.network.operate.cluster import Cluster
from habemus.process import Detector, Process
from habemus.scenario import Layer, Scenario, TopologySpec
from habemus.scenario.stack import build_stack
from habemus.simulation.run import build_simulation

TRY = "import os; os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))"


def layers_of(scenario: Scenario) -> list[Process]:
    """The layers of one process of this scenario, as a real node would have them."""
    simulation = build_simulation(complete_scenario(scenario, [1, 2, 3]), None)
    node = simulation.nodes[0]
    return node.layers


def detectors_of(scenario: Scenario, n: int = 3) -> list[str]:
    stack, _ = build_stack(complete_scenario(scenario, list(range(n))))
    return [anatomy.cls.name for anatomy in stack if issubclass(anatomy.cls, Detector)]


def test_who_heeds_suspicions_gets_a_detector_unless_it_has_heartbeats_of_its_own():
    assert detectors_of(Scenario("bully")) == ["heartbeat"]
    assert detectors_of(Scenario("bully", layers=[Layer("swim")])) == ["swim"]
    assert detectors_of(Scenario("raft-election-steady")) == []
    assert detectors_of(Scenario("chang-roberts")) == []


def test_many_watch_each_other_in_turns_because_all_at_once_would_cost_too_much():
    assert detectors_of(Scenario("bully"), 24) == ["heartbeat"]
    assert detectors_of(Scenario("bully"), 25) == ["swim"]


def test_who_sets_one_of_the_times_that_belong_together_sets_them_all_and_nothing_else():
    given = {"low": 150, "high": 300}
    assert complete_scenario(Scenario("raft-election-steady", parameters=given), [1, 2, 3]).parameters == given
    wary = complete_scenario(Scenario("raft-election-steady", parameters={"prevote": False}), [1, 2, 3]).parameters
    assert wary == {"low": 1000, "high": 2000, "heartbeat": 250, "prevote": False}


def test_a_complete_scenario_stays_as_it_is():
    for name in ("bully", "raft-election", "coordinator"):
        once = complete_scenario(Scenario(name, topology=TopologySpec(ids=[1, 2, 3])), [1, 2, 3])
        assert complete_scenario(once, [1, 2, 3]) == once


def test_nobody_trusts_itself_for_longer_than_others_wait_after_its_last_beat():
    """The last beat may have left a whole period before the process was stopped."""
    assert longest_pause(layers_of(Scenario("bully"))) == 2000 - 500
    assert longest_pause(layers_of(Scenario("raft-election"))) == 1000 - 250
    assert longest_pause(layers_of(Scenario("chang-roberts"))) == 1000


@pytest.mark.parametrize(("stall", "warned"), [(750, False), (751, True)])
def test_whoever_may_stall_for_longer_than_its_peers_wait_is_warned(stall, warned, caplog):
    warn_of_long_stall(layers_of(Scenario("raft-election")), stall)
    assert ("peers may replace this process after 750 ms" in caplog.text) == warned


def test_the_fast_detector_suspects_silence_soon_enough_for_100_ms():
    for name in ("bully", "raft-election"):
        detector, *_ = layers_of(add_fast_detector(Scenario(name)))
        looks = -(-detector.usual_patience // detector.look) + 1
        assert looks * detector.look < 90 and longest_pause([detector]) >= 50


def policy_of(scenario: Scenario, folder) -> int:
    """How the system schedules a node of this scenario, once it leads."""
    scheduled = []

    async def run():
        cluster = Cluster(scenario, 1, folder)
        try:
            await cluster.start()
            await until(lambda: cluster.leader is not None)
            scheduled.extend(map(os.sched_getscheduler, cluster.pids.values()))
        finally:
            await cluster.end()

    asyncio.run(run())
    return scheduled[0] & ~os.SCHED_RESET_ON_FORK


def test_a_node_with_the_fast_detector_has_real_time_priority_if_it_may_and_no_other_has(tmp_path):
    may = subprocess.run([sys.executable, "-c", TRY], check=False).returncode == 0
    (tmp_path / "hasty").mkdir()
    (tmp_path / "patient").mkdir()
    assert policy_of(add_fast_detector(Scenario("bully")), tmp_path / "hasty") == (
        os.SCHED_RR if may else os.SCHED_OTHER
    )
    assert policy_of(Scenario("bully"), tmp_path / "patient") == os.SCHED_OTHER
