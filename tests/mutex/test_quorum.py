"""The quorum's claims: never two inside, through restarts too if grants last; with back-off everybody gets in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workloads import locks, violated

from habemus.mutex.quorum import Quorum
from habemus.process import MisuseError
from habemus.scenario import Call, Crash, Demand, LinkDelay, Network, Recover, Scenario, TopologySpec, named_scenarios
from habemus.simulation import simulate

SOON = ("unit", "uniform:1:20", "exponential:8")


@st.composite
def quorums(draw, restart="durable", crashes=False, lossy=False, **parameters):
    """Any quorum of any coordinators; `crashes`: of anybody, and all are back in the end."""
    scenario = draw(locks("quorum", most=8 if crashes else 16, delays=SOON, **parameters))
    n = scenario.topology.n
    coordinators = draw(st.lists(st.integers(1, n), unique=True)) if draw(st.booleans()) else []
    voters = len(coordinators) or n
    m = draw(st.sampled_from([0, *range(voters // 2 + 1, voters + 1)]))
    scenario.parameters |= {"coordinators": coordinators, "m": m, "restart": restart}
    if lossy:
        scenario.network.loss = draw(st.sampled_from([0.0, 0.05, 0.3]))
        scenario.network.duplication = draw(st.sampled_from([0.0, 0.3]))
    for pid in draw(st.lists(st.integers(1, n), max_size=8)) if crashes else []:
        at = draw(st.integers(1, 500))
        scenario.faults += [Crash(at, pid), Recover(at + draw(st.sampled_from([1, 5, 20, 100, 300])), pid)]
    scenario.faults.sort(key=lambda fault: fault.at)
    return scenario


def exclusion_kept(scenario: Scenario) -> bool:
    return "mutual_exclusion" not in violated(simulate(scenario))


# While nobody crashes.


@given(quorums())
def test_never_two_inside_whatever_the_order_of_messages(scenario):
    assert exclusion_kept(scenario)


@given(quorums(patience=40))
def test_with_back_off_everybody_gets_in(scenario):
    outcome = simulate(scenario)
    assert violated(outcome) == {} and outcome.ended == "quiescence"
    assert outcome.lock.entries >= outcome.n


@given(quorums(lease=400, patience=40))
def test_with_a_lease_everybody_gets_in_and_nobody_stays_for_longer_than_that(scenario):
    outcome = simulate(scenario)
    assert violated(outcome) == {} and outcome.ended == "quiescence"
    assert all(use.end - use.start <= 400 for use in outcome.lock.uses)


# Costs. With c coordinators besides oneself: c requests, c releases, and from m - 1 to c grants.


@given(quorums())
def test_an_entry_costs_from_2c_plus_m_minus_1_to_3c_messages(scenario):
    outcome = simulate(scenario)
    coordinators = outcome.parameters["coordinators"] or outcome.ids
    m = outcome.parameters["m"] or len(coordinators) // 2 + 1
    besides = [len([c for c in coordinators if c != use.process]) for use in outcome.lock.uses]
    requests, grants, releases = (outcome.messages_by_type.get(kind, 0) for kind in ("Request", "Grant", "Release"))
    assert sum(besides) == releases <= requests
    assert (m - 1) * len(besides) <= grants <= requests
    if not violated(outcome):  # else some asked in vain
        assert sum(2 * c + m - 1 for c in besides) <= outcome.messages <= sum(3 * c for c in besides)


@pytest.mark.parametrize("n", [1, 2, 5, 16])
def test_if_nobody_else_wants_in_an_entry_costs_3c_messages_and_one_round_trip(n):
    calls = [Call(100 * number, [number], "acquire", 10) for number in range(1, n + 1)]
    outcome = simulate(Scenario("quorum", topology=TopologySpec(n=n), workload=calls))
    assert outcome.messages == 3 * (n - 1) * n
    assert outcome.lock.waits == [2 if n > 1 else 0] * n


def test_coordinators_may_be_down_as_long_as_a_quorum_is_up():
    calls, faults = [Call(10, [1], "acquire", 10)], [Crash(1, pid) for pid in (3, 4, 5)]
    three_down = Scenario("quorum", topology=TopologySpec(ids=[1, 2, 3, 4, 5]), workload=calls, faults=faults)
    said = violated(simulate(three_down))["deadlock_freedom"]
    assert said == "1 waits and nobody is inside, nor will be; 3, 4 and 5, for whom they wait, have crashed"
    three_down.faults.pop()
    assert simulate(three_down).lock.entries == 1


# The deadlock of one grant each.


def test_one_grant_each_is_a_deadlock_that_names_the_circle():
    said = violated(simulate(named_scenarios()["quorum-deadlock"]))
    assert said["deadlock_freedom"] == "1, 2 and 3 wait and nobody is inside: 1 for 2 for 1 wait in a circle"


def test_the_circle_goes_through_coordinators_that_do_not_want_in_themselves():
    """4 has the grant of 1 and lacks that of 2, which 5 has, who lacks that of 1."""
    near = [LinkDelay(4, 2, "constant:5"), LinkDelay(5, 1, "constant:5")]
    scenario = Scenario(
        "quorum",
        parameters={"coordinators": [1, 2]},
        topology=TopologySpec(ids=[1, 2, 4, 5]),
        network=Network(links=near),
        workload=[Call(1, [4, 5], "acquire")],
    )
    said = violated(simulate(scenario))["deadlock_freedom"]
    assert said == "4 and 5 wait and nobody is inside: 4 for 2 for 5 for 1 for 4 wait in a circle"


def test_back_off_breaks_the_deadlock():
    scenario = named_scenarios()["quorum-back-off"]
    for scenario.seed in range(100):
        outcome = simulate(scenario)
        assert not outcome.violated and outcome.lock.entries == 3


@pytest.mark.parametrize("n", [2, 5, 16])
def test_back_off_gets_everybody_in_even_if_all_ask_again_and_again(n):
    demand = Demand("all-at-once", 5)
    run = Scenario("quorum", parameters={"patience": 20}, topology=TopologySpec(n=n), demand=demand)
    assert "deadlock_freedom" in violated(simulate(Scenario("quorum", topology=TopologySpec(n=n), demand=demand)))
    for run.seed in range(5):
        outcome = simulate(run)
        assert not outcome.violated and outcome.lock.entries == 5 * n


# Restarts.


def test_amnesia_of_the_one_coordinator_in_both_quorums_lets_two_in():
    outcome = simulate(named_scenarios()["quorum-amnesia"], keep=1000)
    assert violated(outcome) == {"mutual_exclusion": "9 entered at time 32 while 8, inside since 3, had not left"}
    inside = {event.process: event.changed["grants"] for event in outcome.trace.events if event.role == "inside"}
    assert inside == {8: [1, 2, 3, 4], 9: [4, 5, 6, 7]}


@pytest.mark.parametrize(("name", "left", "entered"), [("quorum-durable", 63, 65), ("quorum-wait-out", 51, 53)])
def test_the_same_run_with_grants_that_last_lets_the_second_in_when_the_first_has_left(name, left, entered):
    outcome = simulate(named_scenarios()[name])
    assert violated(outcome) == {}
    assert [(use.process, use.start) for use in outcome.lock.uses] == [(8, 3), (9, entered)]
    assert outcome.lock.uses[0].end == left


def test_who_waits_out_its_leases_grants_nothing_until_they_are_over():
    outcome = simulate(named_scenarios()["quorum-wait-out"], keep=1000)
    grants = [e.time for e in outcome.trace.events if e.process == 4 and any("Grant" in c.label for c in e.sent)]
    assert grants == [2, 20 + 50]


@given(quorums("durable", crashes=True, lossy=True, patience=40))
def test_durable_grants_keep_two_from_being_inside_whatever_restarts_or_is_lost(scenario):
    assert exclusion_kept(scenario)


@given(quorums("wait-out", crashes=True, lossy=True, patience=40, lease=150))
def test_waiting_out_the_leases_keeps_two_from_being_inside_whatever_restarts_or_is_lost(scenario):
    assert exclusion_kept(scenario)


@pytest.mark.parametrize("restart", ["durable", "wait-out"])
@given(data=st.data())
def test_once_all_are_back_everybody_gets_in(restart, data):
    lease = {"lease": 150} if restart == "wait-out" else {}
    outcome = simulate(data.draw(quorums(restart, crashes=True, patience=40, **lease)))
    assert violated(outcome) == {} and outcome.ended == "quiescence"


def test_a_release_that_a_durable_coordinator_missed_is_inquired_after():
    """2 is down when 1 leaves; back, it asks, learns that it is over, and grants to 3, with another inquiry."""
    scenario = Scenario(
        "quorum",
        parameters={"coordinators": [2]},
        topology=TopologySpec(ids=[1, 2, 3]),
        workload=[Call(1, [1], "acquire", 10), Call(60, [3], "acquire", 10)],
        faults=[Crash(10, 2), Recover(30, 2)],
    )
    outcome = simulate(scenario)
    assert outcome.lock.entries == 2 and outcome.messages_by_type["Inquiry"] == 2


@pytest.mark.parametrize("slow", range(60, 300, 20))
def test_a_request_that_comes_after_its_release_and_a_restart_blocks_nobody(slow):
    """1 gives up on its slow request, enters with the next and leaves; 3, which forgets, then gets the first one."""
    scenario = Scenario(
        "quorum",
        parameters={"coordinators": [3], "patience": 20},
        topology=TopologySpec(ids=[1, 2, 3]),
        network=Network(fifo=False, links=[LinkDelay(1, 3, f"uniform:1:{slow}")]),
        workload=[Call(1, [1], "acquire", 5), Call(800, [2], "acquire", 5)],
        faults=[Crash(slow // 2, 3), Recover(slow // 2 + 10, 3)],
        seed=slow,
    )
    outcome = simulate(scenario)
    assert violated(outcome) == {} and [use.process for use in outcome.lock.uses] == [1, 2]


def test_what_a_participant_asked_for_before_it_crashed_is_released_when_it_is_back():
    calls = [Call(1, [1], "acquire", 100), Call(20, [2], "acquire", 10)]
    faults = [Crash(10, 1), Recover(40, 1)]
    outcome = simulate(Scenario("quorum", topology=TopologySpec(ids=[1, 2, 3]), workload=calls, faults=faults))
    assert not outcome.violated and [(use.process, use.start) for use in outcome.lock.uses] == [(1, 3), (2, 42)]


def test_a_participant_that_is_gone_for_good_takes_its_grants_with_it_unless_there_is_a_lease():
    def run(**parameters):
        calls, faults = [Call(1, [1], "acquire", 100), Call(20, [2], "acquire", 10)], [Crash(10, 1)]
        place = TopologySpec(ids=[1, 2, 3])
        scenario = Scenario("quorum", parameters=parameters, topology=place, workload=calls, faults=faults)
        return simulate(scenario)

    assert "deadlock_freedom" in violated(run(m=2, patience=30))
    outcome = run(m=2, patience=30, lease=60)
    assert not outcome.violated and outcome.lock.uses[-1].start > 2 + 60  # not before the grants of 1 have expired


# Broken twins.


class HalfIsEnough(Quorum):
    """Enters with half of the grants."""

    @property
    def enough(self):
        return max(1, len(self.asked) // 2)


class GrantsTwice(Quorum):
    """Grants without looking whether it has granted already."""

    def grant_next(self):
        self.granted = None
        Quorum.grant_next(self)


class ReleasesAnything(Quorum):
    """Takes a release for that of whatever the sender has been granted."""

    def end_claims(self, sender, last):
        Quorum.end_claims(self, sender, 10**9)


class CountsAnything(Quorum):
    """Takes a grant for that of the present request."""

    def count_grant(self, sender, message):
        Quorum.count_grant.function(self, sender, type(message)(self.number))


class IsImpatient(Quorum):
    """Does not wait until all it may have granted has expired."""

    def come_back(self):
        Quorum.come_back.function(self)
        self.set_timer("wait-out", self.lease // 3)


class OverstaysItsLease(Quorum):
    """Stays inside for as long as it likes."""

    def lose_lease(self):
        if not self.inside:
            Quorum.lose_lease.function(self)


def all_at_once(n: int) -> list[Scenario]:
    return [Scenario("quorum", topology=TopologySpec(n=n), demand=Demand("all-at-once"))]


def overtaken_releases() -> list[Scenario]:
    """2 gives up and asks again; the release of its first request arrives when its second has been granted."""
    calls = [Call(1, [3], "acquire", 20), Call(4, [2], "acquire", 80), Call(40, [3], "acquire", 20)]
    network = Network(links=[LinkDelay(2, 1, "uniform:1:80")], fifo=False)
    place, parameters = TopologySpec(ids=[1, 2, 3]), {"coordinators": [1], "patience": 10}
    return [Scenario("quorum", "", "", parameters, [], place, network, workload=calls, seed=seed) for seed in range(50)]


def late_grant() -> list[Scenario]:
    """2 gives up before its grant arrives, and asks again; meanwhile 3 is inside."""
    calls = [Call(1, [2], "acquire", 20), Call(12, [3], "acquire", 50)]
    network = Network(links=[LinkDelay(1, 2, "constant:30")])
    place, parameters = TopologySpec(ids=[1, 2, 3]), {"coordinators": [1], "patience": 10}
    return [Scenario("quorum", "", "", parameters, [], place, network, workload=calls)]


TWINS = [
    ("HalfIsEnough", all_at_once(2)),
    ("GrantsTwice", all_at_once(5)),
    ("ReleasesAnything", overtaken_releases()),
    ("CountsAnything", late_grant()),
    ("IsImpatient", [named_scenarios()["quorum-wait-out"]]),
    ("OverstaysItsLease", [named_scenarios()["quorum-wait-out"]]),
]


@pytest.mark.parametrize(("twin", "runs"), TWINS)
def test_every_rule_is_needed(twin, runs):
    assert all(exclusion_kept(run) for run in runs)
    for run in runs:
        run.algorithm = f"{__name__}:{twin}"
    assert not all(exclusion_kept(run) for run in runs)


# Mistakes.


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({"m": 3}, "parameters.m: expected 4 to 6 of 6 coordinators, got 3"),
        ({"m": 7}, "parameters.m: expected 4 to 6 of 6 coordinators, got 7"),
        ({"m": 1, "coordinators": [1, 2, 3]}, "parameters.m: expected 2 to 3 of 3 coordinators, got 1"),
        ({"coordinators": [1, 9]}, "parameters.coordinators: there is no process 9"),
    ],
)
def test_what_is_no_majority_is_refused_in_one_sentence(parameters, complaint):
    with pytest.raises(MisuseError, match=complaint):
        simulate(Scenario("quorum", parameters=parameters, topology=TopologySpec(n=6)))
