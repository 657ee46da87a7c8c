"""Small groups of Raft, checked in every run: with how many states, so that a change of behaviour shows."""

import pytest

from habemus.checking.answer.check import check
from habemus.checking.answer.questions import Question, settle
from habemus.checking.answer.replay import play
from habemus.scenario import Scenario, TopologySpec

FIGURE_3 = ["one_leader_a_term", "log_matching", "leader_completeness", "state_machine_safety"]
SMALL = {"low": 1, "high": 1, "heartbeat": 1, "prevote": False, "check_quorum": False, "eager": False}
RESTART = {"crashes": 1, "recoveries": 1}


def verdict_on(n, term, *, algorithm="raft", starters=None, **limits):
    scenario = Scenario(
        algorithm, parameters=dict(SMALL), topology=TopologySpec(n=n, order="sorted"), starters=starters
    )
    given = {"bounds": {"term": term}, "alarms": 1, **limits}
    return check(Question(*settle(scenario, "async", given), FIGURE_3))


@pytest.mark.parametrize(
    ("n", "term", "states", "more"),
    [
        (2, 2, 3475, {"entries": 2, **RESTART}),
        (3, 1, 1141, {"entries": 1}),
        (3, 1, 4246, {"entries": 1, "starters": [1], **RESTART}),
        (3, 1, 1454, {"entries": 2, "starters": [1], "losses": 1}),
    ],
)
def test_figure_3_holds_in_every_run(n, term, states, more):
    verdict = verdict_on(n, term, **more)
    assert (verdict.verdict, verdict.states) == ("holds", states)


def test_a_vote_for_a_shorter_log_is_found_and_its_run_replays():
    verdict = verdict_on(3, 2, algorithm="habemus.museum.raft:VotesForAShorterLog", starters=[1, 2], entries=1)
    assert verdict.violated == "leader_completeness"
    again = play(verdict.counterexample)
    assert "leader_completeness" in {judge.name for judge in again.properties if judge.witness is not None}
