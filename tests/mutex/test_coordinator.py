"""The coordinator's claims: four properties and 3 or 4 messages an entry; what leases, retries and tokens each add."""

from hypothesis import given
from hypothesis import strategies as st
from workloads import demands, locks, violated

from habemus.mutex.coordinator import Coordinator
from habemus.scenario import (
    Call,
    Crash,
    Network,
    Pause,
    Recover,
    Resume,
    Scenario,
    TopologySpec,
    named_scenarios,
)
from habemus.simulation import simulate

SCENARIOS = named_scenarios()


def with_parameters(scenario: Scenario, **parameters) -> Scenario:
    scenario.parameters = {**scenario.parameters, **parameters}
    return scenario


# As in the textbooks --------------------------------------------------------------------------------------------------


@given(locks("coordinator"), st.booleans(), st.sampled_from([0, 0, 3]))
def test_the_four_properties_hold_whatever_the_order_of_messages(scenario, acknowledged, processing):
    outcome = simulate(with_parameters(scenario, acknowledged=acknowledged, processing=processing))
    assert violated(outcome) == {}
    assert outcome.ended == "quiescence" and outcome.lock.entries >= outcome.n


@given(locks("coordinator"), st.data())
def test_an_entry_costs_exactly_3_messages_or_4_acknowledged_and_the_coordinators_own_none(scenario, data):
    acknowledged = data.draw(st.booleans())
    coordinator = data.draw(st.none() | st.integers(1, scenario.topology.n))
    outcome = simulate(with_parameters(scenario, acknowledged=acknowledged, coordinator=coordinator))
    paid = sum(use.process != (coordinator or 1) for use in outcome.lock.uses)
    kinds = ["Request", "Grant", "Release", "Released"] if acknowledged else ["Request", "Grant", "Release"]
    assert outcome.messages_by_type == (dict.fromkeys(kinds, paid) if paid else {})
    assert outcome.lock.messages_per_entry <= Coordinator.bounds[0].messages(outcome.n, outcome.topology.m) == 4


@given(locks("coordinator", delays=("unit",)))
def test_first_come_first_served(scenario):
    """With equal delays only the coordinator, whose own request need not travel, can come in before one who asked."""
    outcome = simulate(scenario)
    assert max(outcome.lock.overtaken) <= 1
    assert outcome.lock.bypassed_most <= outcome.n


def arrows(scenario: Scenario) -> list[tuple[int, str, int]]:
    """All messages in the order of sending: from, what, to."""
    trace = simulate(scenario, keep=1000).trace
    return [(carried.sender, carried.type, carried.to) for event in trace.events for carried in event.sent]


def test_a_coordinator_and_three_participants_exchange_exactly_the_messages_of_the_diagram():
    assert arrows(SCENARIOS["coordinator-three"]) == [
        (1, "Request", 0),
        (0, "Grant", 1),
        (2, "Request", 0),
        (1, "Release", 0),
        (0, "Released", 1),
        (3, "Request", 0),
        (0, "Grant", 2),
        (2, "Release", 0),
        (0, "Released", 2),
        (0, "Grant", 3),
        (3, "Release", 0),
        (0, "Released", 3),
    ]


def test_the_queue_of_the_diagram_is_seen_at_the_coordinator():
    events = simulate(SCENARIOS["coordinator-three"], keep=1000).trace.events
    queues = [[who for who, _ in event.changed["queue"]] for event in events if "queue" in event.changed]
    assert queues == [[1], [], [2], [2, 3], [3], []]


# With leases, retries and tokens --------------------------------------------------------------------------------------


@st.composite
def faulty(draw, coordinator_too: bool = False, most: int = 8):
    """Leases in a timely network, and processes that crash and come back; all do in the end."""
    n = draw(st.integers(1, most))
    longest = draw(st.integers(1, 8))
    faults = []
    for process in range(1 if coordinator_too else 2, n + 1):
        moments = draw(st.lists(st.integers(1, 300), max_size=4, unique=True))
        for number, at in enumerate(sorted(moments)):
            faults.append(Recover(at, process) if number % 2 else Crash(at, process))
        if len(moments) % 2:
            faults.append(Recover(301, process))
    parameters = {
        "transmission": longest,
        "lease": draw(st.integers(1, 40)),
        "fencing": draw(st.booleans()),
        "acknowledged": draw(st.booleans()),
        "retry": draw(st.sampled_from([7, 40] if coordinator_too else [0, 7, 40])),
    }
    return Scenario(
        "coordinator-lease",
        parameters=parameters,
        topology=TopologySpec(n=n),
        network=Network(delay=f"uniform:1:{longest}", fifo=draw(st.booleans())),
        demand=draw(demands()),
        faults=faults,
        seed=draw(st.integers(0, 2**32)),
        until=100_000,
    )


@given(faulty())
def test_with_a_lease_holders_and_waiting_processes_may_crash_and_come_back(scenario):
    outcome = simulate(scenario)
    assert outcome.ended == "quiescence" and violated(outcome) == {}
    assert outcome.lock.refusals == []


@given(faulty(coordinator_too=True))
def test_with_a_lease_and_retries_the_coordinator_may_crash_and_come_back_too(scenario):
    outcome = simulate(scenario)
    assert outcome.ended == "quiescence" and violated(outcome) == {}
    assert outcome.lock.refusals == []


@st.composite
def lossy(draw, algorithm: str = "coordinator-retry"):
    """Links that lose, double and disorder messages."""
    network = Network(
        delay=draw(st.sampled_from(["unit", "uniform:1:20", "exponential:8"])),
        loss=draw(st.sampled_from([0.0, 0.1, 0.4])),
        duplication=draw(st.sampled_from([0.0, 0.3])),
        fifo=draw(st.booleans()),
    )
    return Scenario(
        algorithm,
        parameters={"retry": draw(st.sampled_from([3, 30]))},
        topology=TopologySpec(n=draw(st.integers(1, 6))),
        network=network,
        demand=draw(demands()),
        seed=draw(st.integers(0, 2**32)),
        until=100_000,
    )


@given(lossy())
def test_with_retries_links_may_lose_and_double_messages(scenario):
    outcome = simulate(scenario)
    assert outcome.ended == "quiescence" and violated(outcome) == {}


@st.composite
def slow(draw, algorithm: str = "coordinator-lease"):
    """Leases where nothing is timely: any delays, and processes that stand still, crash and come back."""
    n = draw(st.integers(2, 6))
    faults = []
    for process in range(1, n + 1):
        moments = sorted(draw(st.lists(st.integers(1, 400), max_size=4, unique=True)))
        kinds = draw(st.sampled_from([(Crash, Recover), (Pause, Resume)]))
        faults += [kinds[number % 2](at, process) for number, at in enumerate(moments)]
    return Scenario(
        algorithm,
        parameters={"lease": draw(st.integers(1, 20)), "transmission": 1, "fencing": True, "retry": 15},
        topology=TopologySpec(n=n),
        network=Network(delay=draw(st.sampled_from(["exponential:8", "lognormal:5:1.5"])), fifo=draw(st.booleans())),
        demand=draw(demands()),
        faults=faults,
        seed=draw(st.integers(0, 2**32)),
        until=3000,
    )


@given(slow())
def test_with_fencing_the_resource_serves_one_at_a_time_even_where_no_lease_is_safe(scenario):
    outcome = simulate(scenario)
    assert "mutual_exclusion" not in violated(outcome)
    served = [use.token for use in outcome.lock.uses if use.refused < 0]
    assert served == sorted(set(served))  # each token once, and never a smaller one after a larger


def test_a_holder_that_stays_too_long_leaves_by_itself_before_the_next_is_let_in():
    calls = [Call(1, [2], "acquire", 500), Call(2, [3], "acquire", 5)]
    scenario = Scenario(
        "coordinator-lease", parameters={"lease": 20, "transmission": 3}, topology=TopologySpec(n=3), workload=calls
    )
    first, second = simulate(scenario).lock.uses
    assert (first.process, first.start, first.end) == (2, 3, 23)
    assert second.process == 3 and second.start == first.end + 2  # its release, and the grant


# What goes wrong ------------------------------------------------------------------------------------------------------


def test_a_dead_holder_without_a_lease_leaves_everybody_waiting():
    said = violated(simulate(SCENARIOS["coordinator-dead-holder-no-lease"]))
    assert said["deadlock_freedom"] == "3 waits and nobody is inside, nor will be; 2, for whom they wait, has crashed"


def test_a_dead_holder_with_a_lease_is_followed_after_the_time_out():
    outcome = simulate(SCENARIOS["coordinator-dead-holder"])
    dead, next_one = outcome.lock.uses[-2:]
    assert (dead.process, dead.end) == (2, 18) and next_one.process == 3
    assert next_one.start == dead.start + 20 + 1 + 4 + 1  # the lease, the transmission bound, processing, the grant


def test_a_slow_holder_with_a_lease_means_two_inside():
    outcome = simulate(SCENARIOS["coordinator-slow-holder"])
    assert violated(outcome) == {"mutual_exclusion": "3 entered at time 41 while 2, inside since 15, had not left"}
    slow_one, next_one = outcome.lock.uses[-2:]
    assert slow_one.start < next_one.start < slow_one.end < next_one.end


def test_a_slow_holder_with_fencing_is_refused():
    outcome = simulate(SCENARIOS["coordinator-fencing"])
    assert violated(outcome) == {}
    assert [(use.process, use.token, use.refused) for use in outcome.lock.refusals] == [(2, 2, 45)]
    two_believe = outcome.lock.uses[-2:]
    assert [(use.process, use.token) for use in two_believe] == [(2, 2), (3, 3)]
    assert two_believe[1].start < two_believe[0].end


def test_crashed_and_slow_look_the_same_to_the_coordinator_until_it_decides():
    def seen_by_coordinator(name: str) -> list[tuple]:
        events = simulate(SCENARIOS[name], keep=1000).trace.events
        mine = [(e.time, e.clause, e.received, e.sent) for e in events if e.process == 0]
        return mine[: [clause for _, clause, _, _ in mine].index("time_out") + 3]

    assert seen_by_coordinator("coordinator-dead-holder") == seen_by_coordinator("coordinator-slow-holder")
