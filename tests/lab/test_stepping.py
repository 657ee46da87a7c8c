"""A run chosen step by step is a run: what is offered can be taken, and what was taken can be played again."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from habemus.checking.answer.check import check
from habemus.checking.answer.questions import Question, settle
from habemus.checking.answer.replay import play
from habemus.lab.questions import Given, Step
from habemus.lab.stepping import replay_schedule, take_steps
from habemus.scenario import Scenario, ScenarioError, TopologySpec

RING = Scenario("chang-roberts", topology=TopologySpec(ids=[1, 3, 2]))
NAMES = ["chang-roberts", "bully", "ricart-agrawala", "itai-rodeh", "broadcast-sync", "raymond"]


def step(scenario=RING, **more):
    return msgspec.json.decode(msgspec.json.encode(take_steps(Step(scenario, **more))))


@settings(max_examples=25)
@given(st.sampled_from(NAMES), st.lists(st.integers(0, 100), max_size=12), st.booleans())
def test_whatever_is_offered_can_be_taken_and_played_again(name, choices, faults):
    scenario = Scenario(name, topology=TopologySpec(n=3))
    limits = Given(crashes=1, losses=1, recoveries=1) if faults and name != "broadcast-sync" else Given()
    answer = step(scenario, limits=limits)
    for choice in choices:
        if not answer["enabled"]:
            break
        chosen = answer["enabled"][choice % len(answer["enabled"])]["label"]
        answer = step(scenario, steps=[*answer["steps"], chosen], limits=limits)
        assert answer["steps"][-1] == chosen
    labels = [entry["label"] for entry in answer["enabled"]]
    assert len(set(labels)) == len(labels)
    scenario = msgspec.convert(answer["run"]["scenario"], Scenario)
    assert scenario.schedule.steps == answer["steps"]
    assert play(scenario).digest == answer["run"]["digest"] == replay_schedule(scenario)["digest"]


def test_to_go_back_is_to_take_fewer_steps():
    first = step(steps=["start 1"])
    step(steps=["start 1", "start 3", "start 2"])
    assert step(steps=["start 1"]) == first


def test_a_message_under_way_is_offered_with_its_number_in_the_trace():
    answer = step(steps=["start 1", "start 3", "start 2"], limits=Given(losses=1))
    sent = {letter["message"]: letter for event in answer["run"]["events"] for letter in event.get("sent", [])}
    offered = [entry for entry in answer["enabled"] if entry["kind"] == "deliver"]
    assert len(offered) == 3 and all(sent[entry["message"]["message"]] == entry["message"] for entry in offered)
    assert all(entry["process"] == entry["message"]["to"] for entry in offered)
    assert {entry["kind"] for entry in answer["enabled"]} == {"deliver", "lose"}


def test_chance_takes_one_step_and_the_same_seed_the_same_one():
    answer = step(steps=["start 1", "start 3", "start 2"], seed=5)
    assert len(answer["steps"]) == 4 and answer == step(steps=["start 1", "start 3", "start 2"], seed=5)
    others = {step(steps=["start 1", "start 3", "start 2"], seed=seed)["steps"][-1] for seed in range(20)}
    assert len(others) == 3


def test_until_a_property_changes_is_until_then_and_no_further():
    answer = step(until="property", seed=1)
    changed = [judged["strip"] for judged in answer["run"]["properties"] if len(judged["strip"]) > 1]
    assert changed and all(strip[-1][0] == answer["run"]["total"] - 1 for strip in changed)
    agreed = step(until="agreement", seed=1)
    assert agreed["steps"][: len(answer["steps"])] == answer["steps"]
    assert {judged["name"]: judged["strip"][-1][1] for judged in agreed["run"]["properties"]}["agreement"] == "holds"


def test_by_chance_without_a_goal_in_sight_it_comes_to_the_end():
    answer = step(until="stability", seed=1)
    assert answer["over"] and answer["enabled"] == []
    assert all(judged["verdict"] for judged in answer["run"]["properties"])


def test_a_counterexample_can_be_left_at_any_step_for_another_way():
    scenario, limits = settle(Scenario("anonymous-ring", topology=TopologySpec(n=3)), None, {})
    found = check(Question(scenario, limits, [])).counterexample
    assert found is not None
    run = replay_schedule(found)
    broken = [judged["name"] for judged in run["properties"] if judged["verdict"] is False]
    assert found.expect.violated == ["uniqueness"] and "uniqueness" in broken  # the rest is observed only
    half = found.schedule.steps[: len(found.schedule.steps) // 2]
    answer = step(found, steps=half)
    assert found.schedule.steps[len(half)] in [entry["label"] for entry in answer["enabled"]]
    assert len(answer["enabled"]) > 1
    assert all(judged["verdict"] is not False for judged in answer["run"]["properties"])


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"steps": ["dance"]}, "steps[0]: 'dance' is not possible then; possible: start 1"),
        ({"until": "beauty"}, "until: expected property, termination"),
    ],
)
def test_a_step_that_is_none_is_refused_with_a_sentence(asked, sentence):
    with pytest.raises(ScenarioError) as refusal:
        step(**asked)
    assert sentence in str(refusal.value)
