"""A session with many locks, and a leader with many sessions: a step costs the same as with few."""

import time

import pytest

from habemus.replication.leases import Give, KeepAlive, Renewal, Want
from habemus.scenario import Layer, Scenario, TopologySpec
from habemus.simulation.run import build_simulation

FEW, MANY = 300, 3000


def alone():
    """The only voter of a group, which leads."""
    scenario = Scenario(
        "leased-group",
        layers=[Layer("raft", {"voters": [1]})],
        parameters={"voters": [1], "ttl": 100_000, "renew": 50_000, "sweep": 50_000},
        topology=TopologySpec(ids=[1, 2]),
    )
    node = next(node for node in build_simulation(scenario, None).nodes if node.id == 1)
    node.layer(0).wake_up()
    node.time_out(0, "election")
    assert node.process.leads
    return node


def seconds_each(node, steps):
    begin = time.process_time()
    for step in steps:
        node.command(*step)
    return (time.process_time() - begin) / len(steps)


@pytest.mark.timing
def test_a_lock_costs_as_much_beside_ten_times_as_many():
    costs = []
    for held in (FEW, MANY):
        node = alone()
        seconds_each(node, [("acquire", Want(number, f"name {number}")) for number in range(1, held + 1)])
        assert len(node.process.grants) == held
        again = [
            step
            for number in range(held + 1, held + 501)
            for step in (("acquire", Want(number, f"name {number}")), ("release", Give(number)))
        ]
        costs.append(min(seconds_each(node, again) for _ in range(3)))
        assert len(node.process.grants) == held and not node.process.unwanted
    assert costs[1] < 3 * costs[0], costs


def test_a_session_with_thousands_of_locks_is_lost_in_one_step():
    node = alone()
    for number in range(1, MANY + 1):
        node.command("acquire", Want(number, f"name {number}"))
    node.time_out(1, f"lease {node.process.counting}")
    assert not node.process.grants and not node.process.wants


def test_thousands_of_renewals_are_confirmed_by_one_round():
    node = alone()
    node.deliver(2, KeepAlive(1, 0, 1), [])
    raft = node.layer(0)
    raft.asked = [Renewal(2, 1, attempt) for attempt in range(2, 2002)]  # while another round was under way
    raft.end_round()
    node.settle()
    assert not raft.asked
