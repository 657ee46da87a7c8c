"""Claims of one's own: judged in simulations, in every state that the checker finds, and in runs without end."""

import pytest
from small_instances import Ball, question

from habemus.checking.answer.asking import check_scenario
from habemus.checking.answer.check import check
from habemus.checking.answer.replay import play
from habemus.election.chang_roberts import ChangRoberts
from habemus.process import Election, MisuseError, Pid, eventually, invariant, never, upon, upon_start
from habemus.scenario import Scenario, TopologySpec
from habemus.simulation import simulate

HERE = "test_claims"


def largest_leads(processes):
    wrong = [process.id for process in processes if process.leader not in (None, max(process.members))]
    return f"{wrong[0]} follows somebody else than the largest" if wrong else None


def two_have_spoken(processes):
    spoken = [process.id for process in processes if process.participant]
    return f"{spoken[0]} and {spoken[1]} stand at once" if len(spoken) > 1 else None


def all_follow(processes):
    lost = [process.id for process in processes if process.leader is None]
    return f"{lost[0]} follows nobody" if lost else None


class Sound(ChangRoberts):
    """Chang and Roberts, with claims that hold."""

    name = "sound"
    own_properties = (invariant(largest_leads), eventually(all_follow))


class Wrong(ChangRoberts):
    """Chang and Roberts, with a claim that does not hold."""

    name = "wrong"
    own_properties = (never(two_have_spoken),)


class Juggler(Election):
    """Plays for ever; elects nobody."""

    name = "juggler"
    topology = "complete"
    guarantees = ()
    own_properties = (eventually(all_follow),)

    @upon_start
    def serve(self) -> None:
        self.send(self.neighbours[0], Ball())

    @upon(Ball)
    def play(self, sender: Pid, message: Ball) -> None:
        self.send(sender, message)


def scenario_of(name, n=3):
    return Scenario(f"{HERE}:{name}", topology=TopologySpec(n=n))


def test_claims_that_hold_are_ticks_in_simulation_and_check():
    outcome = simulate(scenario_of("Sound"))
    assert {judge.name: judge.holds for judge in outcome.properties}["largest_leads"]
    assert {judge.name: judge.holds for judge in outcome.properties}["all_follow"]
    verdict = check(question(f"{HERE}:Sound", n=3))
    assert verdict.properties["largest_leads"] and verdict.properties["all_follow"]


@pytest.mark.parametrize("keep", [0, 100])
def test_a_claim_that_does_not_hold_has_its_own_witness(keep):
    outcome = simulate(scenario_of("Wrong"), keep=keep)
    (broken,) = [judge for judge in outcome.properties if judge.witness is not None]
    assert broken.name == "two_have_spoken" and "stand at once" in broken.witness.text
    verdict = check(question(f"{HERE}:Wrong", n=3))
    assert verdict.violated == "two_have_spoken" and verdict.fails and "stand at once" in verdict.witness
    assert len(verdict.counterexample.schedule.steps) == 2
    assert verdict.as_dict()["properties"]["two_have_spoken"] is False


def test_what_never_comes_about_in_a_run_without_end_is_a_lasso():
    verdict = check(question(f"{HERE}:Juggler", n=2, starters=[1], properties=["all_follow"]))
    assert verdict.violated == "all_follow" and verdict.counterexample.schedule.loop is not None
    assert "follows nobody" in verdict.witness
    assert "all_follow" in [judge.name for judge in play(verdict.counterexample).properties if judge.witness]


class Boolean(Juggler):
    own_properties = (eventually(lambda processes: any(process.leader for process in processes)),)


class Failing(Juggler):
    own_properties = (invariant(lambda processes: processes[7].id),)


class Namesake(Juggler):
    own_properties = (invariant(all_follow), eventually(all_follow))


@pytest.mark.parametrize("judge", [simulate, check_scenario])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Boolean", "The claim <lambda> returns False: return None where all is well"),
        ("Failing", "The claim <lambda> fails: IndexError"),
        ("Namesake", "is judged by two properties called all_follow"),
    ],
)
def test_a_claim_that_says_nothing_is_refused(name, said, judge):
    with pytest.raises(MisuseError) as refused:
        judge(scenario_of(name))
    assert said in str(refused.value)
