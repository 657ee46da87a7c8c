"""Runs leave nothing behind."""

import gc

from habemus.scenario import Scenario, TopologySpec
from habemus.simulation import simulate


def objects_after(runs):
    for seed in range(runs):
        simulate(Scenario("chang-roberts", topology=TopologySpec(n=500), seed=seed))
    return len(gc.get_objects())


def test_many_runs_in_one_process_do_not_pile_up():
    assert gc.isenabled()
    objects_after(20)
    few = objects_after(20)
    assert objects_after(200) < few + 150_000  # a few runs may linger; all of them would be over half a million objects
