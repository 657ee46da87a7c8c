"""Clauses are methods with a trigger: they can be called, overridden, guarded, layered, commanded and pulsed."""

from dataclasses import dataclass

import pytest

from habemus.process import (
    Detector,
    Election,
    Message,
    Mutex,
    Process,
    dissect,
    upon,
    upon_command,
    upon_leader,
    upon_pulse,
    upon_start,
    upon_suspect,
    upon_timeout,
    upon_trust,
    whenever,
)
from habemus.scenario import Call, Crash, Layer, Network, Pause, Resume, Scenario, TopologySpec
from habemus.simulation import simulate


def own(name: str) -> str:
    return f"{__name__}:{name}"


def events_of(scenario, clause: str):
    return [event for event in simulate(scenario, keep=10_000).trace.events if event.clause == clause]


@dataclass(frozen=True)
class Hello(Message):
    text: str = "hello"


class Greeter(Election):
    topology = "complete"
    log: tuple[str, ...] = ()

    @upon_start
    def greet(self):
        self.send(self.neighbours, Hello())

    @upon(Hello)
    def hear(self, sender, message):
        self.log = (*self.log, f"{message.text} from {sender}")


class Shouter(Greeter):
    def hear(self, sender, message):  # plain: takes over the trigger of the clause it overrides
        self.log = (*self.log, message.text.upper())


class Echoing(Greeter):
    def hear(self, sender, message):
        Greeter.hear.function(self, sender, message)
        self.greet_back(sender)

    def greet_back(self, sender):
        self.log = (*self.log, f"and to you, {sender}")


class Twice(Greeter):
    @upon_start
    def greet(self):
        super().greet()  # a clause called directly is an ordinary method
        super().greet()


def heard(name: str) -> list:
    scenario = Scenario(own(name), topology=TopologySpec(ids=[1, 2]), starters=[1])
    return [event.changed["log"] for event in events_of(scenario, "hear")]


def test_a_message_runs_the_clause_for_its_type_with_sender_and_message():
    assert heard("Greeter") == [["hello from 1"]]


def test_a_plain_override_takes_over_the_trigger_of_the_clause():
    assert heard("Shouter") == [["HELLO"]]
    assert dissect(Shouter).messages[Hello].name == "hear"
    assert heard("Greeter") == [["hello from 1"]]  # and its base keeps its own


def test_an_override_can_call_what_it_overrides():
    assert heard("Echoing") == [["hello from 1", "and to you, 1"]]


def test_a_clause_can_be_called_as_a_method():
    assert heard("Twice") == [["hello from 1"], ["hello from 1", "hello from 1"]]


class Quorum(Election):
    """Elects when it has heard from all others: the papers' "wait until"."""

    topology = "complete"
    heard: set[int] = set()
    steps: int = 0

    @upon_start
    def begin(self):
        self.send(self.neighbours, Hello())

    @upon(Hello)
    def hear(self, sender, message):
        self.heard.add(sender)

    @whenever(lambda self: len(self.heard) == self.n - 1 and self.leader is None)
    def decide(self):
        self.steps += 1
        self.elect(max(self.heard | {self.id}))


@pytest.mark.parametrize("keep", [0, 1000])
def test_whenever_runs_as_soon_as_its_guard_is_true_and_only_then(keep):
    outcome = simulate(Scenario(own("Quorum"), topology=TopologySpec(n=5), starters="all"), keep=keep)
    assert outcome.leader == 5 and outcome.holds
    if keep:
        decisions = [event for event in outcome.trace.events if event.clause == "decide"]
        assert [event.changed["steps"] for event in decisions] == [1] * 5
        assert {event.kind for event in decisions} == {"whenever"}


# Layers ---------------------------------------------------------------------------------------------------------------


class Clairvoyant(Detector):
    """A toy detector: at 40 it suspects the highest id, at 90 it trusts it again."""

    alarm: int = 0

    @upon_start
    def watch(self):
        self.set_timer("alarm", 40)
        self.set_timer("all clear", 90)

    @upon_timeout("alarm")
    def cry_wolf(self):
        if self.id != 5:
            self.suspect(5)

    @upon_timeout("all clear")
    def calm_down(self):
        if self.id != 5:
            self.trust(5)


class Listener(Election):
    """A toy election above a detector: the largest id not suspected leads."""

    topology = "complete"
    suspected: set[int] = set()

    @upon_start
    def begin(self):
        self.elect(self.best())

    def best(self) -> int:
        return max({self.id, *self.neighbours} - self.suspected)

    @upon_suspect
    def doubt(self, subject):
        self.suspected.add(subject)
        self.elect(self.best())

    @upon_trust
    def believe(self, subject):
        self.suspected.discard(subject)
        self.elect(self.best())


@pytest.mark.parametrize("keep", [0, 1000])
def test_what_a_detector_below_indicates_is_a_clause_of_the_election_above(keep):
    scenario = Scenario(
        own("Listener"),
        layers=[Layer(own("Clairvoyant"))],
        topology=TopologySpec(n=5),
        starters="all",
        faults=[Crash(30, 5)],
    )
    outcome = simulate(scenario, keep=keep)
    assert outcome.time == 90
    if keep:
        doubts = [event for event in outcome.trace.events if event.clause == "doubt"]
        assert [(event.time, event.process, event.subject, event.layer) for event in doubts] == [
            (40, process, 5, "Listener") for process in sorted(outcome.ids, key=outcome.ids.index) if process != 5
        ]
        assert {event.changed["leader"] for event in doubts} == {4}


def test_a_detector_of_its_own_takes_the_place_of_the_perfect_one():
    scenario = Scenario("bully", layers=[Layer(own("Clairvoyant"))], topology=TopologySpec(n=5), faults=[Crash(30, 5)])
    outcome = simulate(scenario, keep=10_000)
    missed = [event for event in outcome.trace.events if event.clause == "miss_leader"]
    assert {event.time for event in missed} == {40}
    assert outcome.leader == 4 and outcome.holds


class Privilege(Mutex):
    """A toy mutex above an election: only the leader is inside."""

    topology = "complete"
    orders: int = 0

    @upon_leader
    def obey(self, leader):
        if self.inside:
            self.leave()
        if leader == self.id:
            self.enter()

    @upon_command("order")
    def order(self):
        self.orders += 1


@pytest.mark.parametrize("keep", [0, 1000])
def test_a_layer_above_an_election_hears_of_the_leader(keep):
    scenario = Scenario(own("Privilege"), layers=[Layer("bully")], topology=TopologySpec(n=4), starters="all")
    outcome = simulate(scenario, keep=keep)
    assert outcome.leader == 4 and outcome.holds
    if keep:
        inside = [e for e in outcome.trace.events if e.clause == "obey" and e.changed.get("inside")]
        assert [(event.process, event.subject, event.role) for event in inside] == [(4, 4, "inside")]


def test_the_role_of_one_layer_is_not_undone_by_a_step_of_another():
    scenario = Scenario(own("Listener"), layers=[Layer(own("Clairvoyant"))], topology=TopologySpec(n=4), starters="all")
    roles = [(e.process, e.role) for e in simulate(scenario, keep=1000).trace.events if e.role is not None]
    assert roles == [(4, "leader")]


# Commands -------------------------------------------------------------------------------------------------------------


def test_a_command_of_the_workload_runs_its_clause_at_its_time_in_the_layer_that_knows_it():
    scenario = Scenario(
        own("Privilege"), layers=[Layer("bully")], topology=TopologySpec(n=3), workload=[Call(7, [2, 3], "order")]
    )
    orders = events_of(scenario, "order")
    assert [(e.time, e.process, e.kind, e.subject, e.layer) for e in orders] == [
        (7, 2, "command", "order", "Privilege"),
        (7, 3, "command", "order", "Privilege"),
    ]


def test_a_command_to_a_paused_process_waits_and_one_to_a_crashed_process_is_lost():
    scenario = Scenario(
        own("Privilege"),
        layers=[Layer("bully")],
        topology=TopologySpec(n=3),
        workload=[Call(7, [2, 3], "order")],
        faults=[Crash(5, 3), Pause(5, 2), Resume(30, 2)],
    )
    assert [(event.time, event.process) for event in events_of(scenario, "order")] == [(30, 2)]


# Pulses ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MyId(Message):
    id: int


class Broadcast(Election):
    """A toy of seed 004's synchronous broadcast: all send in pulse 0, all decide in pulse 1."""

    topology = "complete"
    model = "synchronous"
    inbox: tuple[int, ...] = ()

    @upon_pulse
    def take_part(self, pulse, inbox):
        if pulse == 0:
            self.send(self.neighbours, MyId(self.id))
        elif pulse == 1:
            self.inbox = tuple(sender for sender, _ in inbox)
            self.elect(max([self.id, *(message.id for _, message in inbox)]))


@pytest.mark.parametrize("n", [1, 2, 3, 8, 17])
def test_a_synchronous_broadcast_costs_n_times_n_minus_1_messages_in_one_round(n):
    outcome = simulate(Scenario(own("Broadcast"), topology=TopologySpec(n=n)), keep=10_000)
    assert outcome.messages == n * (n - 1)
    assert outcome.rounds == min(1, n - 1)
    assert outcome.leader == n and outcome.holds and outcome.ended == "quiescence"
    assert simulate(Scenario(own("Broadcast"), topology=TopologySpec(n=n))).messages == n * (n - 1)


def test_the_inbox_of_a_pulse_is_ordered_by_sender():
    events = events_of(Scenario(own("Broadcast"), topology=TopologySpec(n=9), seed=3), "take_part")
    inboxes = [(event.process, event.changed["inbox"]) for event in events if event.time == 1]
    assert dict(inboxes) == {p: [q for q in range(1, 10) if q != p] for p in range(1, 10)}


def test_pulses_know_no_delays():
    slow = Network(delay="uniform:5:50")
    outcome = simulate(Scenario(own("Broadcast"), topology=TopologySpec(n=5), network=slow))
    assert outcome.holds and outcome.leader == 5


def test_a_crashed_process_misses_pulses_and_the_messages_to_it_are_counted():
    outcome = simulate(Scenario(own("Broadcast"), topology=TopologySpec(n=5), faults=[Crash(1, 5)]))
    assert outcome.messages == 20
    assert outcome.leader is None and not outcome.holds  # its id was in all inboxes: all named the dead one


# Choices --------------------------------------------------------------------------------------------------------------


class Gambler(Process):
    topology = "complete"
    throws: tuple[int, ...] = ()

    @upon_start
    def throw(self):
        self.throws = tuple(self.choose(range(6)) for _ in range(20))


def throws(seed: int) -> dict:
    scenario = Scenario(own("Gambler"), topology=TopologySpec(ids=[1, 2, 3]), seed=seed)
    return {event.process: event.changed["throws"] for event in events_of(scenario, "throw")}


def test_choose_is_seeded_and_takes_every_option():
    assert throws(1) == throws(1)
    assert throws(1) != throws(2)
    assert throws(1)[1] != throws(1)[2]
    assert {face for seed in range(5) for faces in throws(seed).values() for face in faces} == set(range(6))
