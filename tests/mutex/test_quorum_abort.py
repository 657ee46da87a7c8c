"""Aborts may lead to infinite waiting: with a fixed back-off they do, with a random one they do not."""

import pytest
from soak import runs

from habemus.checking.answer.asking import check_scenario
from habemus.scenario import Demand, Network, Scenario, TopologySpec, named_scenarios
from habemus.simulation import simulate

TWO_COORDINATORS = {"coordinators": [2, 3]}


def test_one_aborts_and_retries_for_ever_while_the_others_enter():
    verdict = ask(entries=-1, timing="ordered", properties=["starvation_freedom"])
    assert verdict.violated == "starvation_freedom"
    schedule = verdict.counterexample.schedule
    cycle = [step.split() for step in schedule.steps[schedule.loop :]]
    aborting = {who for what, who, *why in cycle if what == "timeout" and why == ["patience"]}
    entering = {who for what, who, *_ in cycle if what == "release"}
    assert entering and aborting - entering


def test_without_aborts_nobody_is_overtaken_for_ever_but_two_may_wait_for_each_other():
    patient = {"coordinators": [3], "patience": 0}
    assert ask(parameters=patient, entries=-1, properties=["starvation_freedom"]).verdict == "holds"
    assert ask(parameters={"patience": 0}, properties=["deadlock_freedom"]).violated == "deadlock_freedom"


@pytest.mark.parametrize("timing", ["async", "ordered"])
@pytest.mark.parametrize("back_off", ["fixed", "random"])
def test_nobody_enters_while_another_is_inside(timing, back_off):
    assert ask(parameters={**TWO_COORDINATORS, "back_off": back_off, "pause": 2}, timing=timing).verdict == "holds"


def test_a_random_back_off_ends_every_wait_in_random_runs():
    for seed in range(runs(40, soak=2000)):
        scenario = named_scenarios()["quorum-abort-random"]
        scenario.seed = seed
        outcome = simulate(scenario)
        assert outcome.violated == [] and outcome.world.lock.entries == 12


@pytest.mark.parametrize("n", [2, 3, 5, 8])
def test_random_runs_of_everybody_are_exclusive_and_end(n):
    for seed in range(runs(10, soak=500)):
        outcome = simulate(
            Scenario(
                "quorum-abort",
                parameters={"back_off": "random", "patience": 40, "pause": 40},
                topology=TopologySpec(n=n),
                network=Network(delay="uniform:1:5"),
                demand=Demand("poisson", entries=2),
                seed=seed,
            )
        )
        assert outcome.violated == [] and outcome.world.lock.entries == 2 * n


def ask(parameters=None, **limits):
    scenario = Scenario("quorum-abort", topology=TopologySpec(ids=[1, 2, 3]), parameters=parameters or TWO_COORDINATORS)
    return check_scenario(scenario, **limits)
