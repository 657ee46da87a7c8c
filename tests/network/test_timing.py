"""How patient real nodes are, where nobody says."""

import asyncio
import os
import subprocess
import sys

from groups import until

from habemus.network.cluster import Cluster
from habemus.network.timing import in_haste, patience_of_others, settled
from habemus.process import Detector, Process
from habemus.scenario import Layer, Place, Scenario
from habemus.simulation.run import build_simulation, build_stack

TRY = "import os; os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))"


def layers_of(scenario: Scenario) -> list[Process]:
    """The layers of one process of this scenario, as a real node would have them."""
    simulation = build_simulation(settled(scenario, [1, 2, 3]), None)
    node = simulation.nodes[0]
    return [simulation.layer(node, index, node.process) for index in range(len(simulation.stack))]


def detectors_of(scenario: Scenario, n: int = 3) -> list[str]:
    stack, _ = build_stack(settled(scenario, list(range(n))))
    return [anatomy.cls.name for anatomy in stack if issubclass(anatomy.cls, Detector)]


def test_who_heeds_suspicions_gets_a_detector_unless_it_has_heartbeats_of_its_own():
    assert detectors_of(Scenario("bully")) == ["heartbeat"]
    assert detectors_of(Scenario("bully", layers=[Layer("swim")])) == ["swim"]
    assert detectors_of(Scenario("raft-election")) == []
    assert detectors_of(Scenario("chang-roberts")) == []


def test_many_watch_each_other_in_turns_because_all_at_once_would_cost_too_much():
    assert detectors_of(Scenario("bully"), 24) == ["heartbeat"]
    assert detectors_of(Scenario("bully"), 25) == ["swim"]


def test_raft_heeds_closed_connections_whatever_else_is_set():
    for parameters in ({}, {"low": 150, "high": 300, "heartbeat": 50}):
        assert settled(Scenario("raft-election", parameters=parameters), [1, 2, 3]).parameters["eager"] is True
    assert settled(Scenario("raft-election", parameters={"eager": False}), [1, 2, 3]).parameters["eager"] is False


def test_what_is_settled_stays_as_it_is():
    for name in ("bully", "raft-election", "coordinator"):
        once = settled(Scenario(name, topology=Place(ids=[1, 2, 3])), [1, 2, 3])
        assert settled(once, [1, 2, 3]) == once


def test_nobody_trusts_itself_for_longer_than_others_wait_after_its_last_beat():
    """The last beat may have left a whole period before the process was stopped."""
    assert patience_of_others(layers_of(Scenario("bully"))) == 2000 - 500
    assert patience_of_others(layers_of(Scenario("raft-election"))) == 1000 - 250
    assert patience_of_others(layers_of(Scenario("chang-roberts"))) == 1000


def test_in_haste_silence_is_suspicious_soon_enough_for_100_ms():
    for name in ("bully", "raft-election"):
        detector, *_ = layers_of(in_haste(Scenario(name)))
        looks = -(-detector.usual_patience // detector.look) + 1
        assert looks * detector.look < 90 and patience_of_others([detector]) >= 50


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


def test_a_node_in_haste_runs_before_others_if_it_may_and_no_other_does(tmp_path):
    may = subprocess.run([sys.executable, "-c", TRY], check=False).returncode == 0
    (tmp_path / "hasty").mkdir()
    (tmp_path / "patient").mkdir()
    assert policy_of(in_haste(Scenario("bully")), tmp_path / "hasty") == (os.SCHED_RR if may else os.SCHED_OTHER)
    assert policy_of(Scenario("bully"), tmp_path / "patient") == os.SCHED_OTHER
