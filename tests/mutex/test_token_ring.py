"""The token ring's claims: four properties, 1 to n messages an entry; with regeneration, also through crashes."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workloads import DELAYS, demands, locks, violated

from habemus.mutex.token_ring import TokenRing
from habemus.mutex.token_ring_regenerating import Consent, TokenRingRegenerating
from habemus.scenario import (
    Call,
    Crash,
    Demand,
    Heal,
    Layer,
    LinkDelay,
    Network,
    Partition,
    Pause,
    Recover,
    Resume,
    Scenario,
    TopologySpec,
    named_scenarios,
)
from habemus.simulation import simulate

SOON = DELAYS[:3]  # a token that is late for longer than the horizon looks as if it were lost


@given(locks("token-ring", delays=SOON))
def test_the_four_properties_hold_and_others_enter_at_most_once_each_while_one_waits(scenario):
    outcome = simulate(scenario)
    assert violated(outcome) == {} and all(p.holds for p in outcome.properties)
    assert outcome.lock.entries >= outcome.n
    assert outcome.lock.bypassed_most <= outcome.n - 1


# Costs: the token's hops, read from the trace.


def entries(outcome) -> list[int]:
    """Who entered, in order."""
    return [event.process for event in outcome.trace.events if event.role == "inside"]


def hops_of_requests(outcome) -> list[int]:
    """How often the token was sent between asking and entering, a request each."""
    hops, asked, costs = 0, {}, []
    for event in outcome.trace.events:
        if event.role == "waiting":
            asked[event.process] = hops
        elif event.role == "inside":
            costs.append(hops - asked.pop(event.process, hops))  # alone one enters at once
        hops += len(event.sent)
    return costs


def hops_between_entries(outcome) -> list[int]:
    """How often the token was sent from one entry to the next."""
    at = [number for number, event in enumerate(outcome.trace.events) if event.role == "inside"]
    events = outcome.trace.events
    return [sum(len(event.sent) for event in events[a:b]) for a, b in pairwise(at)]


@given(locks("token-ring", delays=SOON))
def test_the_token_comes_within_n_messages(scenario):
    outcome = simulate(scenario, keep=10**6)
    assert max(hops_of_requests(outcome)) <= outcome.n


@pytest.mark.parametrize("n", [2, 3, 5, 16, 50])
def test_if_all_want_in_an_entry_costs_one_message(n):
    outcome = simulate(Scenario("token-ring", topology=TopologySpec(n=n), demand=Demand("all-at-once", 4)), keep=10**5)
    assert len(entries(outcome)) == 4 * n
    assert set(hops_between_entries(outcome)) == {1}


@pytest.mark.parametrize("n", [2, 3, 5, 16, 50])
def test_if_one_alone_wants_in_an_entry_costs_n_messages(n):
    calls = [Call(1, [n], "acquire")] * 5  # again as soon as it has left
    outcome = simulate(Scenario("token-ring", topology=TopologySpec(n=n), workload=calls), keep=10**5)
    assert entries(outcome) == [n] * 5
    assert hops_between_entries(outcome) == [n] * 4


def test_if_nobody_wants_in_the_token_travels_all_the_same():
    for until in (100, 1000):
        outcome = simulate(Scenario("token-ring", demand=Demand("idle"), until=until))
        assert outcome.lock.entries == 0 and outcome.messages == until + 1


# The seed's runs.


def test_1_and_3_enter_in_the_order_of_the_diagram_with_8_messages():
    outcome = simulate(named_scenarios()["token-ring-three"], keep=100)
    assert entries(outcome) == [3, 1, 3] and outcome.messages == 8
    hops = [(carried.sender, carried.to) for event in outcome.trace.events for carried in event.sent]
    assert hops == [(1, 2), (2, 3), (3, 4), (4, 1)] * 2


def test_one_alone_waits_for_the_whole_round():
    outcome = simulate(named_scenarios()["token-ring-one"], keep=100)
    assert entries(outcome) == [3, 3] and hops_between_entries(outcome) == [4]


def test_a_token_that_dies_with_its_holder_is_a_deadlock_that_names_the_dead():
    said = violated(simulate(named_scenarios()["token-ring-lost"]))
    assert said["deadlock_freedom"] == (
        "1 and 3 wait and nobody is inside, nor will be; 2, for whom they wait, has crashed"
    )


def test_a_token_that_dies_on_its_way_is_lost_even_if_its_receiver_is_back():
    calls, faults = [Call(5, [3], "acquire")], [Crash(1, 2), Recover(10, 2)]
    said = violated(
        simulate(Scenario("token-ring", topology=TopologySpec(ids=[1, 2, 3]), workload=calls, faults=faults))
    )
    assert said["deadlock_freedom"] == "3 waits and nobody is inside: 3 for 2 for 1 for 3 wait in a circle"


# Regeneration.


def test_a_lost_token_is_regenerated_with_a_higher_epoch_and_an_old_one_destroyed_at_sight():
    outcome = simulate(named_scenarios()["token-ring-regenerated"], keep=1000)
    assert entries(outcome) == [2, 1, 3, 2] and outcome.holds
    tokens = [carried.label for event in outcome.trace.events for carried in event.sent if "Token" in carried.label]
    assert list(dict.fromkeys(tokens)) == ["Token", "Token(4)", "Token(8)"]
    ended = [e for e in outcome.trace.events if e.clause == "take_token" and not e.sent and e.role != "inside"]
    assert [event.received[0].label for event in ended] == ["Token(4)"]


@pytest.mark.parametrize("n", [3, 4, 9, 16])
def test_an_undisputed_election_takes_two_messages_for_each_of_the_others_alive(n):
    crash = [Crash(50, n)]
    run = Scenario("token-ring-regenerating", topology=TopologySpec(n=n), faults=crash, until=200)
    counts = simulate(run).messages_by_type
    assert counts["Stand"] == counts["Consent"] == n - 2 and "Refusal" not in counts


@st.composite
def faulty_rings(draw):
    """Some processes crash, once or again and again, for good or not, for long or not long enough to be noticed."""
    n = draw(st.integers(1, 8))
    faults = []
    for pid in draw(st.lists(st.integers(1, n), max_size=8)):
        at = draw(st.integers(1, 600))
        faults.append(Crash(at, pid))
        away = draw(st.sampled_from([1, 5, 20, 21, 22, 40, 100, 300, None]))
        if away is not None:
            faults.append(Recover(at + away, pid))
    for pid in draw(st.lists(st.integers(1, n), max_size=2)):
        at = draw(st.integers(1, 600))
        faults += [Pause(at, pid), Resume(at + draw(st.integers(1, 200)), pid)]
    return Scenario(
        "token-ring-regenerating",
        topology=TopologySpec(n=n),
        network=Network(draw(st.sampled_from(SOON)), fifo=draw(st.booleans())),
        demand=draw(demands()),
        faults=sorted(faults, key=lambda fault: fault.at),
        seed=draw(st.integers(0, 2**32)),
    )


@given(faulty_rings())
def test_with_regeneration_the_properties_hold_whoever_crashes_and_comes_back(scenario):
    outcome = simulate(scenario)
    assert violated(outcome) == {}
    assert all(p.holds for p in outcome.properties)


def test_an_election_waits_for_who_is_inside_to_leave():
    """4 dies while 2 is inside. 2 consents when it leaves, and only then there is a new token, for 1 that waits."""
    outcome = simulate(election_while_inside("token-ring-regenerating"), keep=1000)
    assert outcome.holds and entries(outcome) == [2, 1]
    (consent,) = [e for e in outcome.trace.events if e.process == 2 and any("Consent" in c.label for c in e.sent)]
    assert consent.clause == "go_outside" and consent.time == 101


def election_while_inside(algorithm: str) -> Scenario:
    calls = [Call(0, [2], "acquire", 100), Call(5, [1], "acquire", 20)]
    return Scenario(
        algorithm,
        topology=TopologySpec(ids=[1, 2, 3, 4]),
        workload=calls,
        faults=[Crash(10, 4)],
        until=200,
    )


def late_token(algorithm: str) -> Scenario:
    """The first token is on a slow link from 2 to 3 while 4 dies, and 1 makes another and is inside with it."""
    calls = [Call(5, [1], "acquire", 100), Call(5, [3], "acquire", 20)]
    return Scenario(
        algorithm,
        topology=TopologySpec(ids=[1, 2, 3, 4]),
        network=Network(links=[LinkDelay(2, 3, "constant:70")]),
        workload=calls,
        faults=[Crash(10, 4)],
        until=250,
    )


def token_of_a_former_life(algorithm: str) -> Scenario:
    """3 dies and is back before a token reaches it that was on its way all the time; 1 is inside with another."""
    calls = [Call(5, [1], "acquire", 200), Call(85, [3], "acquire", 20)]
    return Scenario(
        algorithm,
        topology=TopologySpec(ids=[1, 2, 3, 4]),
        network=Network(links=[LinkDelay(2, 3, "constant:100")]),
        workload=calls,
        faults=[Crash(5, 3), Recover(80, 3)],
        until=400,
    )


def hasty_return(algorithm: str) -> Scenario:
    """4 is back and wants in; before all know of it the return of 3 makes 1 stand, who takes 4 for dead."""
    calls = [Call(101, [4], "acquire", 50), Call(105, [1], "acquire", 20)]
    return Scenario(
        algorithm,
        topology=TopologySpec(ids=[1, 2, 3, 4]),
        workload=calls,
        faults=[Crash(10, 3), Crash(10, 4), Recover(87, 3), Recover(100, 4)],
        until=400,
    )


# Broken twins.


class KeepsACopy(TokenRing):
    """Sends the token and has it still."""

    def pass_on(self):
        super().pass_on()
        self.token = 0


class ConsentsInside(TokenRingRegenerating):
    """Consents to a new token at once, even while it is inside with the old one."""

    def weigh_candidate(self, sender, message):
        self.epoch = message.epoch
        self.send(sender, Consent(message.epoch))


class HonoursEveryToken(TokenRingRegenerating):
    """Does not look at the epoch."""

    def take_token(self, sender, message):
        self.have_token(self.epoch)


class KeepsItsEpoch(TokenRingRegenerating):
    """Comes back to the epoch of its former life."""

    def come_back(self):
        self.silent = True
        self.set_timer("silence", self.silence)


class IsNotSilent(TokenRingRegenerating):
    """Takes part as soon as it is back."""

    def come_back(self):
        self.begin_epoch()
        self.break_silence()


class WaitsForNobody(TokenRingRegenerating):
    """Makes a new token without asking."""

    def stand(self):
        self.begin_epoch()
        self.have_token(self.epoch)


def two_inside(scenario: Scenario) -> bool:
    return "had not left" in violated(simulate(scenario)).get("mutual_exclusion", "")


TWINS = [
    ("ConsentsInside", election_while_inside),
    ("WaitsForNobody", election_while_inside),
    ("HonoursEveryToken", late_token),
    ("KeepsItsEpoch", token_of_a_former_life),
    ("IsNotSilent", hasty_return),
]


@pytest.mark.parametrize(("twin", "scenario"), TWINS)
def test_every_rule_of_regeneration_is_needed(twin, scenario):
    assert two_inside(scenario(f"{__name__}:{twin}"))
    outcome = simulate(scenario("token-ring-regenerating"))
    assert violated(outcome) == {} and all(p.holds for p in outcome.properties)
    assert outcome.lock.entries == 2


@given(locks(f"{__name__}:KeepsACopy", most=1), st.integers(2, 16))
def test_a_copy_of_the_token_lets_two_in(scenario, n):
    scenario.topology = TopologySpec(n=n)
    scenario.demand = Demand("all-at-once", hold="constant:1000")
    assert two_inside(scenario)


# What a wrong suspicion does.


def slow_holder(**parameters) -> Scenario:
    """2 stands still while it is inside, for so long that the others take it for dead and make a new token."""
    return Scenario(
        "token-ring-regenerating",
        parameters=parameters,
        layers=[Layer("heartbeat")],
        topology=TopologySpec(ids=[1, 2, 3, 4]),
        workload=[Call(0, [2], "acquire", 30), Call(5, [3], "acquire", 100), Call(250, [4, 2], "acquire", 10)],
        faults=[Pause(10, 2), Resume(90, 2)],
        until=600,
    )


def test_a_holder_that_is_wrongly_suspected_lets_two_in():
    assert "3 entered at time" in violated(simulate(slow_holder()))["mutual_exclusion"]


def test_with_fencing_the_resource_refuses_the_old_token_and_in_the_end_there_is_one_again():
    outcome = simulate(slow_holder(fencing=True), keep=10**5)
    assert violated(outcome) == {}
    assert [(use.process, use.token) for use in outcome.lock.refusals] == [(2, 0)]
    assert sorted(entries(outcome)[-2:]) == [2, 4]
    late = [event for event in outcome.trace.events if event.time > 500 and event.clause == "take_token"]
    assert len({event.received[0].label for event in late}) == 1  # one epoch, and never two on the way at once
    assert len({event.time for event in late}) == len(late)


def test_two_halves_have_a_token_each_of_different_epochs_so_fencing_tells_them_apart():
    scenario = Scenario(
        "token-ring-regenerating",
        parameters={"fencing": True},
        layers=[Layer("heartbeat")],
        topology=TopologySpec(ids=[1, 2, 3, 4]),
        workload=[Call(60, [1, 3], "acquire", 60), Call(400, [1, 2, 3, 4], "acquire", 10)],
        faults=[Partition(20, [[1, 2], [3, 4]]), Heal(200)],
        until=1000,
    )
    outcome = simulate(scenario)
    assert violated(outcome) == {} and outcome.lock.entries == 6
    tokens = [use.token for use in outcome.lock.uses]
    assert tokens[0] != tokens[1] and len(set(tokens[2:])) == 1 and tokens[2] > max(tokens[:2])
