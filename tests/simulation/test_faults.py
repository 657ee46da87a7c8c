"""Faults in time: crashes drop, pauses hold, clocks skew and drift, and the perfect detector is perfect."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.process import Message, Parameter, Process, upon, upon_start, upon_suspect, upon_timeout, upon_trust
from habemus.scenario import Crash, Drift, Network, Pause, Recover, Resume, Scenario, Skew, TopologySpec
from habemus.simulation import simulate


@dataclass(frozen=True)
class Tick(Message):
    number: int


class Metronome(Process):
    """Sends the number of each of its ten beats to all others; hears the detector."""

    topology = "complete"
    period: Parameter[int] = 10
    beat: int = 0

    @upon_start
    def begin(self):
        self.set_timer("beat", self.period)

    @upon_timeout("beat")
    def strike(self):
        self.beat += 1
        self.send(self.neighbours, Tick(self.beat))
        if self.beat < 10:
            self.set_timer("beat", self.period)

    @upon(Tick)
    def hear(self, sender, message):
        pass

    @upon_suspect
    def doubt(self, subject):
        pass

    @upon_trust
    def believe(self, subject):
        pass


def metronomes(faults, n: int = 2, delay: str = "unit", detection: int | None = -1) -> Scenario:
    return Scenario(
        f"{__name__}:Metronome",
        topology=TopologySpec(ids=list(range(1, n + 1))),
        network=Network(delay=delay),
        faults=faults,
        detection=detection,
    )


def happened(scenario: Scenario, clause: str, process: int) -> list[int]:
    """When a clause ran at a process."""
    events = simulate(scenario, keep=100_000).trace.events
    return [event.time for event in events if event.clause == clause and event.process == process]


def test_a_crashed_process_hears_nothing_does_nothing_and_its_timers_are_gone():
    scenario = metronomes([Crash(45, 2)])
    assert happened(scenario, "hear", 2) == [11, 21, 31, 41]
    assert happened(scenario, "strike", 2) == [10, 20, 30, 40]
    assert happened(scenario, "hear", 1) == [11, 21, 31, 41]
    assert simulate(scenario).messages == 10 + 4


def test_what_a_process_sent_before_it_crashed_still_arrives():
    scenario = metronomes([Crash(41, 2)], delay="uniform:5:5")
    assert happened(scenario, "hear", 1) == [15, 25, 35, 45]


def test_what_was_under_way_to_a_process_that_crashed_and_is_back_arrives_in_its_new_life():
    scenario = metronomes([Crash(41, 2), Recover(43, 2)], delay="uniform:5:5")
    assert happened(scenario, "hear", 2)[:5] == [15, 25, 35, 45, 55]


def test_a_recovered_process_starts_again_if_it_has_no_clause_for_it():
    scenario = metronomes([Crash(45, 2), Recover(60, 2)])
    assert happened(scenario, "strike", 2)[4:7] == [70, 80, 90]


def test_crashing_the_dead_recovering_the_living_and_resuming_the_waking_change_nothing():
    calm = simulate(metronomes([]), digest=True)
    busy = simulate(metronomes([Recover(5, 1), Resume(6, 2)]), digest=True)
    assert calm.digest == busy.digest
    assert happened(metronomes([Crash(45, 2), Crash(50, 2)]), "strike", 2) == [10, 20, 30, 40]


def test_a_pause_holds_messages_and_timers_and_resume_lets_them_through_in_order():
    scenario = metronomes([Pause(15, 2), Resume(47, 2)])
    assert happened(scenario, "hear", 2)[:5] == [11, 47, 47, 47, 51]
    assert happened(scenario, "strike", 2)[:3] == [10, 47, 57]
    events = simulate(scenario, keep=10_000).trace.events
    numbers = [e.received[0].fields["number"] for e in events if e.clause == "hear" and e.process == 2]
    assert numbers == list(range(1, 11))


def test_messages_that_a_paused_process_never_took_were_sent_all_the_same():
    for faults in ([Pause(15, 2)], [Pause(15, 2), Crash(60, 2)], [Pause(15, 2), Resume(60, 2)]):
        for keep in (0, 10_000):
            outcome = simulate(metronomes(faults), keep=keep)
            assert outcome.messages == (20 if isinstance(faults[-1], Resume) else 11)


@given(st.lists(st.tuples(st.integers(0, 120), st.sampled_from(["crash", "recover", "pause", "resume"]))))
def test_whatever_happens_to_a_process_the_counts_are_what_was_sent(story):
    kinds = {"crash": Crash, "recover": Recover, "pause": Pause, "resume": Resume}
    scenario = metronomes([kinds[kind](at, 2) for at, kind in story], delay="uniform:1:9")
    plain, recorded = simulate(scenario), simulate(scenario, keep=10_000)
    sent = sum(len(event.sent) for event in recorded.trace.events)
    assert plain.messages == recorded.messages == sent
    assert (plain.time, plain.events) == (recorded.time, recorded.events)


def test_a_clock_that_jumps_ahead_makes_the_armed_timer_run_out_sooner():
    assert happened(metronomes([Skew(12, 2, 5)]), "strike", 2)[:3] == [10, 15, 25]
    assert happened(metronomes([Skew(12, 2, -5)]), "strike", 2)[:3] == [10, 25, 35]
    assert happened(metronomes([Skew(12, 2, 500)]), "strike", 2)[:3] == [10, 13, 23]
    assert happened(metronomes([Skew(12, 2, 5)]), "strike", 1)[:3] == [10, 20, 30]


def test_a_clock_that_drifts_runs_at_its_rate_from_then_on():
    assert happened(metronomes([Drift(15, 2, 2.0)]), "strike", 2)[:4] == [10, 20, 25, 30]
    assert happened(metronomes([Drift(15, 2, 0.5)]), "strike", 2)[:4] == [10, 20, 40, 60]
    assert happened(metronomes([Drift(15, 2, 0.5)]), "strike", 1)[:4] == [10, 20, 30, 40]


@pytest.mark.parametrize("detection", [1, 7, 30])
def test_the_perfect_detector_tells_everyone_else_after_exactly_its_delay(detection):
    scenario = metronomes([Crash(45, 2), Recover(200, 2)], n=3, detection=detection)
    assert happened(scenario, "doubt", 1) == happened(scenario, "doubt", 3) == [45 + detection]
    assert happened(scenario, "believe", 1) == happened(scenario, "believe", 3) == [200 + detection]
    assert happened(scenario, "doubt", 2) == []


def test_the_perfect_detector_says_nothing_that_is_no_longer_true():
    scenario = metronomes([Crash(45, 2), Recover(50, 2), Crash(52, 2)], n=3, detection=20)
    assert happened(scenario, "doubt", 1) == [72]
    assert happened(scenario, "believe", 1) == []


def test_the_perfect_detector_tells_one_who_is_back_who_is_down():
    scenario = metronomes([Crash(10, 3), Crash(12, 2), Recover(40, 2)], n=3, detection=20)
    assert happened(scenario, "doubt", 2) == [60]


def test_without_a_detector_nobody_is_told():
    assert happened(metronomes([Crash(45, 2)], detection=-1), "doubt", 1) == []


class Deadline(Process):
    """Sets a timer to the very tick in which a message arrives."""

    topology = "complete"
    order: tuple[str, ...] = ()

    @upon_start
    def begin(self):
        self.set_timer("deadline", 10)
        self.send(self.neighbours, Tick(1))

    @upon(Tick)
    def hear(self, sender, message):
        self.order = (*self.order, "message")

    @upon_timeout("deadline")
    def run_out(self):
        self.order = (*self.order, "timer")


@pytest.mark.parametrize("delay", ["uniform:10:10", "uniform:11:11"])
def test_what_is_due_by_a_deadline_arrives_before_its_timer_runs_out(delay):
    scenario = Scenario(f"{__name__}:Deadline", topology=TopologySpec(ids=[1, 2]), network=Network(delay=delay))
    last = [event for event in simulate(scenario, keep=100).trace.events if event.process == 1][-1]
    assert last.changed["order"] == (["message", "timer"] if delay == "uniform:10:10" else ["timer", "message"])


def test_faults_come_before_messages_within_a_tick():
    scenario = metronomes([Crash(11, 2)])
    assert happened(scenario, "hear", 2) == []
