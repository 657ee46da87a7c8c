"""Each line of the bully that waits is needed: without it, a run violates what is claimed."""

from bully_runs import first_violation, top_is_dead, verdicts

from habemus.election.bully import IDLE, Bully
from habemus.process import upon_recover, upon_timeout
from habemus.scenario import Crash, Network, Recover, Scenario, TopologySpec
from habemus.simulation import simulate


class NoSeatWait(Bully):
    """Takes office the moment it announces itself, while a weaker leader has not heard of it."""

    def announce(self):
        Bully.announce(self)
        self.take_office()


class BackAtOnce(Bully):
    """Comes back with an election at once, while elections that took it for dead are still to be announced."""

    @upon_recover
    def come_back(self):
        self.stage = IDLE
        self.call_election()


class Impatient(Bully):
    """Waits for an answer only as long as one message takes."""

    @property
    def patience(self):
        return self.transmission


class SettlesAtOnce(Bully):
    """Takes every late call for a new one."""

    def settle(self, time):
        self.stage = IDLE

    @upon_timeout("settling")
    def be_settled(self):
        pass


def handovers(algorithm: str):
    """5 fails and comes back, in many ways, always within the assumption."""
    for seed in range(150):
        back = 100 + seed % 60
        faults = [Crash(70, 5), Recover(back, 5), Crash(back + 90, 5), Recover(back + 90 + seed % 37, 5)]
        yield simulate(
            Scenario(
                f"{__name__}:{algorithm}" if algorithm != "bully" else algorithm,
                topology=TopologySpec(n=5),
                network=Network(delay="uniform:1:10"),
                starters="all",
                faults=faults,
                seed=seed,
                until=5000,
            )
        )


def test_handovers_of_the_real_one_are_safe():
    assert [verdicts(outcome).keys() - {"stability"} for outcome in handovers("bully")] == [set()] * 150


def test_without_the_wait_for_the_seat_two_lead_at_the_handover():
    _, witness = first_violation("uniqueness", handovers("NoSeatWait"))
    assert witness.processes == [4, 5]


def test_coming_back_at_once_lets_a_stale_announcement_win():
    _, witness = first_violation("agreement", handovers("BackAtOnce"))
    assert "while" in witness.text


def test_too_short_a_patience_lets_a_weaker_one_announce_itself_over_a_stronger_one():
    def runs(algorithm: str):
        return (top_is_dead(5, 1, "uniform:1:10", seed, algorithm) for seed in range(100))

    _, witness = first_violation("agreement", runs(f"{__name__}:Impatient"))
    assert "name" in witness.text
    assert not any(map(verdicts, runs("bully")))


def test_without_settling_late_calls_break_the_bound():
    scenario = Scenario(f"{__name__}:SettlesAtOnce", topology=TopologySpec(n=5), starters="all", until=5000)
    assert simulate(scenario).messages > 24
