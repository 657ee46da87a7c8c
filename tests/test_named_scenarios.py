"""Each named scenario does what it says, event for event."""

from pathlib import Path

import pytest

from habemus.scenario import named_scenario_text, named_scenarios, parse_scenario
from habemus.simulation import simulate
from habemus.trace.transcript import transcript

GOLDEN = Path(__file__).parent / "golden"
SCENARIOS = named_scenarios()


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario_goes_as_it_expects(name):
    scenario = SCENARIOS[name]
    assert scenario.title and scenario.shows and scenario.expect is not None
    assert simulate(scenario).surprises == []


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario_matches_its_golden_transcript(name, request):
    found = transcript(simulate(SCENARIOS[name], keep=100_000).trace)
    golden = GOLDEN / f"{name}.txt"
    if request.config.getoption("--write-golden"):
        golden.write_text(found, encoding="utf-8")
    assert found == golden.read_text(encoding="utf-8")


def test_no_golden_transcript_is_left_without_its_scenario():
    assert sorted(path.stem for path in GOLDEN.glob("*.txt")) == sorted(SCENARIOS)


def test_an_outcome_that_differs_is_a_surprise():
    scenario = SCENARIOS["bully-seven-steps"]
    scenario.expect.leader, scenario.expect.messages, scenario.expect.violated = 3, 7, ["stability"]
    assert simulate(scenario).surprises == [
        "3 should lead, not 4",
        "it should take 7 messages, not 43",
        "stability should fail",
    ]
    assert parse_scenario(named_scenario_text("bully-seven-steps").encode(), "x.toml").expect.leader == 4


def test_flapping_costs_two_changes_of_leader_a_failure_and_stable_at_most_one():
    failures = 3
    assert simulate(SCENARIOS["bully-flapping"]).claims == 1 + 2 * failures
    assert simulate(SCENARIOS["bully-stable"]).claims <= 1 + failures
