"""Each named scenario does what it says, event for event."""

from pathlib import Path

import pytest

from habemus.catalogue import algorithm_names
from habemus.scenario import named_scenarios, parse_scenario, read_named_text
from habemus.simulation import simulate
from habemus.trace.transcript import write_transcript

GOLDEN = Path(__file__).parent / "golden"
SCENARIOS = named_scenarios()


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario_goes_as_it_expects(name):
    scenario = SCENARIOS[name]
    assert scenario.title and scenario.shows and scenario.expect is not None
    outcome = simulate(scenario)
    assert outcome.surprises == [] and sorted(outcome.violated) == sorted(scenario.expect.violated)


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario_matches_its_golden_transcript(name, request):
    found = write_transcript(simulate(SCENARIOS[name], keep=100_000).trace)
    golden = GOLDEN / f"{name}.txt"
    if request.config.getoption("--write-golden"):
        golden.write_text(found, encoding="utf-8")
    assert found == golden.read_text(encoding="utf-8")


def test_no_golden_transcript_is_left_without_its_scenario():
    assert sorted(path.stem for path in GOLDEN.glob("*.txt")) == sorted(SCENARIOS)


def test_no_scenario_has_the_name_of_an_algorithm():
    assert not set(SCENARIOS) & set(algorithm_names())


def test_an_outcome_that_differs_is_a_surprise():
    scenario = named_scenarios()["bully-seven-steps"]  # our own copy: others run those of SCENARIOS
    scenario.expect.leader, scenario.expect.messages, scenario.expect.violated = 3, 7, ["stability"]
    assert simulate(scenario).surprises == [
        "3 should lead, not 4",
        "it should take 7 messages, not 43",
        "stability should fail",
    ]
    assert parse_scenario(read_named_text("bully-seven-steps").encode(), "x.toml").expect.leader == 4


def test_flapping_costs_two_changes_of_leader_a_failure_and_stable_at_most_one():
    failures = 3
    assert simulate(SCENARIOS["bully-flapping"]).claims == 1 + 2 * failures
    assert simulate(SCENARIOS["bully-flapping-stable"]).claims <= 1 + failures


def test_every_algorithm_of_the_lecture_notes_is_shown_by_a_scenario():
    shown = {scenario.algorithm for scenario in SCENARIOS.values()}
    shown |= {layer.algorithm for scenario in SCENARIOS.values() for layer in scenario.layers}
    # Parts of others, which scenarios show; and a variant that is not in the notes.
    beyond = {"coordinator-retry", "perfect", "raft-election-steady", "raft-durable"}
    assert set(algorithm_names()) - shown <= beyond


def test_the_coins_of_itai_and_rodeh_fall_alike_before_they_differ():
    events = simulate(SCENARIOS["itai-rodeh-two"], keep=1000).trace.events
    assert max(event.changed.get("round", 0) for event in events) == 3
