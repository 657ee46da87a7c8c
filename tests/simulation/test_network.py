"""What links do to messages: keep the order or not, lose, duplicate; and what is counted."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.process import Message, Parameter, Process, upon, upon_start, upon_timeout
from habemus.scenario import Cut, Heal, Network, Partition, Scenario, TopologySpec
from habemus.simulation import simulate


@dataclass(frozen=True)
class Item(Message):
    number: int


class Stream(Process):
    """1 sends numbers to its neighbours, all at once; everybody writes down what arrives."""

    topology = "complete"
    length: Parameter[int] = 40
    seen: list[int] = []

    @upon_start
    def pour(self):
        if self.id == 1:
            for number in range(self.length):
                self.send(self.neighbours, Item(number))

    @upon(Item)
    def take(self, sender, message):
        self.seen.append(message.number)


def stream(n: int = 2, length: int = 40, seed: int = 0, faults=(), **network) -> Scenario:
    return Scenario(
        f"{__name__}:Stream",
        parameters={"length": length},
        topology=TopologySpec(ids=list(range(1, n + 1))),
        network=Network(**network),
        faults=list(faults),
        seed=seed,
    )


def arrived(scenario: Scenario, process: int = 2) -> list[int]:
    """The numbers in the order in which they reached a process."""
    events = simulate(scenario, keep=100_000).trace.events
    return [e.received[0].fields["number"] for e in events if e.clause == "take" and e.process == process]


delays = st.sampled_from(["unit", "uniform:1:50", "exponential:20", "lognormal:9:2"])


@given(delays, st.integers(0, 2**32))
def test_fifo_links_keep_the_order_and_lose_nothing(delay, seed):
    assert arrived(stream(delay=delay, seed=seed)) == list(range(40))


def test_other_links_can_break_the_order_and_still_lose_nothing():
    numbers = arrived(stream(delay="uniform:1:50", fifo=False))
    assert numbers != sorted(numbers) and sorted(numbers) == list(range(40))


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 1.0])
def test_links_lose_as_many_as_they_are_told(rate):
    assert len(arrived(stream(length=1000, loss=rate))) == pytest.approx(1000 * (1 - rate), abs=60)


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 1.0])
def test_links_duplicate_as_many_as_they_are_told(rate):
    assert len(arrived(stream(length=1000, duplication=rate))) == pytest.approx(1000 * (1 + rate), abs=60)


@given(st.floats(0, 1), st.floats(0, 1), st.booleans(), delays, st.integers(0, 1000))
def test_what_is_lost_was_sent_and_a_duplicate_was_not(loss, duplication, fifo, delay, seed):
    scenario = stream(n=3, loss=loss, duplication=duplication, fifo=fifo, delay=delay, seed=seed)
    assert simulate(scenario).messages == 80
    outcome = simulate(scenario, keep=10_000)
    assert outcome.messages == 80 == sum(len(event.sent) for event in outcome.trace.events)


def test_a_lost_message_is_written_down_with_the_reason():
    events = simulate(stream(length=3, loss=1.0), keep=100).trace.events
    lost = [event for event in events if event.kind == "lost"]
    assert [event.received[0].fields["number"] for event in lost] == [0, 1, 2]
    assert {event.subject for event in lost} == {"the network lost it"}
    assert {tuple(event.parents) for event in lost} == {(events[0].event,)}


# Cuts -----------------------------------------------------------------------------------------------------------------


class Talker(Process):
    """Everybody sends the time to everybody, every tenth tick, ten times."""

    topology = "complete"
    beats: Parameter[int] = 10
    beat: int = 0

    @upon_start
    def begin(self):
        self.set_timer("beat", 10)

    @upon_timeout("beat")
    def speak(self):
        self.beat += 1
        self.send(self.neighbours, Item(self.beat * 10))
        if self.beat < self.beats:
            self.set_timer("beat", 10)

    @upon(Item)
    def take(self, sender, message):
        pass


def conversations(faults, n: int = 3, fifo: bool = True) -> dict[tuple[int, int], list[int]]:
    """For each pair, when the messages that arrived were sent."""
    scenario = Scenario(
        f"{__name__}:Talker",
        topology=TopologySpec(ids=list(range(1, n + 1))),
        network=Network(delay="uniform:4:4", fifo=fifo),
        faults=faults,
    )
    plain = simulate(scenario)
    recorded = simulate(scenario, keep=10_000)
    assert plain.messages == recorded.messages == 10 * n * (n - 1)
    heard = {(a, b): [] for a in range(1, n + 1) for b in range(1, n + 1) if a != b}
    for event in recorded.trace.events:
        if event.clause == "take":
            heard[event.received[0].sender, event.process].append(event.received[0].fields["number"])
    return heard


ALL = list(range(10, 101, 10))


def test_a_link_cut_one_way_loses_what_is_sent_or_under_way_that_way_only():
    heard = conversations([Cut(at=42, links=[(1, 2)], one_way=True)])
    assert heard.pop((1, 2)) == [10, 20, 30]  # 40 was under way
    assert set(map(tuple, heard.values())) == {tuple(ALL)}


def test_a_link_cut_both_ways_loses_both_ways():
    heard = conversations([Cut(at=45, links=[(1, 2)])])
    assert heard.pop((1, 2)) == heard.pop((2, 1)) == [10, 20, 30, 40]
    assert set(map(tuple, heard.values())) == {tuple(ALL)}


def test_a_healed_link_works_again():
    heard = conversations([Cut(at=25, links=[(1, 2), (2, 3)]), Heal(at=65, links=[(2, 1)])])
    assert heard[1, 2] == heard[2, 1] == [10, 20, 70, 80, 90, 100]
    assert heard[2, 3] == heard[3, 2] == [10, 20]
    assert heard[1, 3] == ALL


def test_healing_without_names_heals_all():
    heard = conversations([Cut(at=25, links=[(1, 2), (2, 3)]), Heal(at=65)])
    assert heard[1, 2] == heard[3, 2] == [10, 20, 70, 80, 90, 100]


def test_a_partition_cuts_between_groups_and_not_within():
    heard = conversations([Partition(at=25, groups=[[1, 2], [3]])], n=5)
    together = {(1, 2), (2, 1), (4, 5), (5, 4)}  # those in no group form one of their own
    assert {pair for pair, numbers in heard.items() if numbers == ALL} == together
    assert all(numbers == [10, 20] for pair, numbers in heard.items() if pair not in together)


def test_cuts_behave_the_same_on_links_that_are_not_plain():
    faults = [Cut(at=42, links=[(1, 2)], one_way=True), Heal(at=65)]
    assert conversations(faults) == conversations(faults, fifo=False)
