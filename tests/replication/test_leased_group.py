"""The leased group: one holder at a time, tokens that grow, and nobody waits for ever, whatever storms do."""

from random import Random

import pytest
from named_locks import named_storm, play
from soak import runs
from storms import duel, group_storm, restarts

from habemus.replication.leases import Give, Want
from habemus.scenario import (
    Call,
    Crash,
    Cut,
    Demand,
    Drift,
    Heal,
    Layer,
    Network,
    Pause,
    Recover,
    Resume,
    Scenario,
    TopologySpec,
)
from habemus.simulation import simulate
from habemus.simulation.run import build_simulation, run_to_end

RAFT = {"low": 40, "high": 60, "heartbeat": 20}
SLOW = {"low": 80, "high": 120}
CLAIMS = {"one_holder", "tokens_grow", "mutual_exclusion"}
SAFETY = {*CLAIMS, "one_leader_a_term", "log_matching", "leader_completeness", "state_machine_safety"}
WAITING = {"starvation_freedom", "deadlock_freedom", "bounded_waiting"}


def group(until, *, n=3, calls=(), faults=(), seed=1, raft="raft", below=None, **parameters):
    return Scenario(
        "leased-group",
        layers=[Layer(raft, {**RAFT, **(below or {})})],
        parameters={"ttl": 200, "renew": 50, "sweep": 20, "rho": 0.0, **parameters},
        topology=TopologySpec(ids=list(range(1, n + 1))),
        starters=[1],
        workload=list(calls),
        faults=list(faults),
        seed=seed,
        until=until,
    )


def acquire(at, who, hold=10):
    return Call(at, [who], "acquire", hold)


def violated(outcome):
    return {judge.name: judge.witness.text for judge in outcome.properties if judge.witness is not None}


def stays(outcome):
    return [(use.process, use.start, use.end) for use in outcome.lock.uses]


def ended(scenario):
    simulation = build_simulation(scenario, None)
    run_to_end(scenario, simulation, None)
    return {node.id: node.process for node in simulation.nodes}


# The four claims


@pytest.mark.parametrize("raft", ["raft", "raft-durable"])
def test_the_claims_hold_in_every_storm(raft):
    entries = 0
    for seed in range(runs(40, soak=100_000)):
        scenario = group_storm(seed, raft=raft)
        outcome = simulate(scenario)
        wrong = violated(outcome).keys() & (SAFETY if scenario.network.loss else SAFETY | WAITING)
        assert not wrong, (seed, violated(outcome))
        entries += outcome.lock.entries
    assert entries > 100


def test_the_claims_hold_in_every_duel():
    entries = 0
    for seed in range(runs(150, soak=500_000)):
        outcome = simulate(duel(seed))
        assert not (SAFETY | WAITING) & violated(outcome).keys(), (seed, violated(outcome))
        entries += outcome.lock.entries
    assert entries > 150


@pytest.mark.parametrize("raft", ["raft", "raft-durable"])
def test_the_claims_hold_for_locks_of_every_mode_and_none_stays_locked(raft):
    grants = 0
    for seed in range(runs(20, soak=200_000)):
        scenario = named_storm(seed, raft=raft)
        wrong, granted, finishers = play(scenario)
        assert not wrong and finishers == set(scenario.topology.ids), (seed, wrong)
        grants += granted
    assert grants > 100


def test_whatever_clocks_do_the_resource_lets_one_in_at_a_time():
    """Members stand still unnoticed and drift: two believe to hold the lock now and then, and tokens protect it."""
    believed = 0
    for seed in range(runs(60, soak=100_000)):
        scenario = duel(seed)
        draw = Random(seed)
        scenario.faults += [Drift(0, pid, draw.choice([0.3, 1.0, 3.0])) for pid in scenario.topology.ids]
        sleeper, begin = draw.choice(scenario.topology.ids), draw.randrange(100, 600)
        scenario.faults += [Pause(begin, sleeper), Resume(begin + draw.choice([150, 400]), sleeper)]
        wrong = violated(simulate(scenario)).keys()
        assert "mutual_exclusion" not in wrong, seed
        believed += "one_holder" in wrong
    assert believed


def test_everyone_gets_in_once_for_each_time_it_asks():
    scenario = group(4000, n=5)
    scenario.workload, scenario.demand = [], Demand("poisson", 6)
    outcome = simulate(scenario)
    assert outcome.lock.entries == 30 and outcome.world.lock.satisfied
    assert not (SAFETY | WAITING) & violated(outcome).keys()


# Sessions


def test_a_holder_that_goes_on_renewing_holds_for_as_long_as_it_likes():
    outcome = simulate(group(3000, calls=[acquire(100, 2, 2500), acquire(110, 3)]))
    assert stays(outcome) == [(2, 108, 2608), (3, 2612, 2622)]


def test_a_holder_that_is_cut_off_leaves_by_itself_before_the_next_one_enters():
    outcome = simulate(group(700, calls=[acquire(100, 2, 5000), acquire(110, 3)], faults=[Cut(180, [(1, 2), (2, 3)])]))
    (_, _, left), (who, entered, _) = stays(outcome)
    assert left == 350 and who == 3 and entered > left  # it renewed at 150, and a session is used for 200 ticks
    assert "one_holder" not in violated(outcome)


def test_a_holder_that_crashed_is_replaced_at_the_end_of_its_session_or_as_soon_as_it_is_back():
    calls = [acquire(100, 2, 5000), acquire(110, 3)]
    gone = simulate(group(900, calls=calls, faults=[Crash(180, 2)]))
    back = simulate(group(900, calls=[*calls, acquire(200, 2)], faults=[Crash(180, 2), Recover(185, 2)]))
    assert stays(gone)[1][1] > 350 and stays(back)[1][1] < 215


def test_a_change_of_leader_neither_ends_a_session_nor_keeps_others_waiting():
    outcome = simulate(group(900, calls=[acquire(100, 2, 400), acquire(110, 3)], faults=[Crash(180, 1)]))
    assert stays(outcome)[0] == (2, 108, 508) and stays(outcome)[1][1] < 530


def test_a_session_that_is_declared_dead_ends_at_once():
    scenario = group(900, calls=[acquire(100, 2, 5000), acquire(110, 3)], faults=[Crash(180, 2)])
    session = min(ended(group(170, calls=scenario.workload))[1].table.sessions)
    scenario.workload.append(Call(190, [1], "declare dead", data={"session": session}))
    assert stays(simulate(scenario))[1][1] < 200


def test_while_expiry_is_paused_nobody_is_replaced():
    calls = [acquire(100, 2, 5000), acquire(110, 3)]
    pause = Call(150, [1], "pause")
    paused = simulate(group(1500, calls=[*calls, pause], faults=[Crash(180, 2)]))
    resumed = simulate(group(1500, calls=[*calls, pause, Call(800, [1], "resume")], faults=[Crash(180, 2)]))
    assert len(stays(paused)) == 1 and stays(resumed)[1][1] > 1000  # counted from when expiry was resumed


# Forgetting


@pytest.mark.parametrize("told", [1, 2])
def test_a_pause_and_its_end_are_remembered_though_all_restart(told):
    """Who applied it last, and is back first, tells the others."""
    everybody = [Crash(200, pid) for pid in (1, 2, 3)] + [Recover(203, 3), Recover(204, 1), Recover(204, 2)]
    calls = [Call(150, [told], "pause"), acquire(700, 2, 5000), acquire(720, 3)]
    faults = [*everybody, Crash(800, 2)]
    paused = group(1800, calls=calls, faults=faults)
    assert len(stays(simulate(paused))) == 1 and ended(paused)[1].table.paused
    resumed = group(1800, calls=[*calls, Call(180, [told], "resume")], faults=faults)
    assert [who for who, _, _ in stays(simulate(resumed))] == [2, 3] and not ended(resumed)[1].table.paused


def test_what_is_seen_of_a_pause_is_on_the_disks_of_a_majority():
    """The leader is cut off before, while and after the others hear that the pause is committed."""
    looks = [Call(tick, [4], "look") for tick in range(151, 170)]
    times = {"voters": [1, 2, 3], "low": 100, "high": 101}
    seen = 0
    for cut in range(150, 160):
        calls = [Call(150, [1], "pause"), *looks]
        faults = [Cut(cut, [(1, 2), (1, 3)], one_way=True)]
        outcome = simulate(group(190, n=4, calls=calls, faults=faults, voters=[1, 2, 3], below=times), keep=9999)
        on_disk = set()
        for event in outcome.trace.events:
            if event.changed.get("pause"):
                on_disk.add(event.process)
            if event.clause == "see" and event.received[0].fields["table"]["paused"]:
                assert len(on_disk) > 1, (cut, event)
                seen += 1
    assert seen > 5


def test_all_restart_and_the_group_begins_anew_after_every_lease_is_over():
    faults = [*(Crash(200, pid) for pid in (1, 2, 3)), *(Recover(203, pid) for pid in (1, 2, 3))]
    outcome = simulate(
        group(
            1200,
            n=4,
            voters=[1, 2, 3],
            below={"voters": [1, 2, 3]},
            calls=[acquire(100, 4, 5000), acquire(300, 2)],
            faults=faults,
        )
    )
    (holder, _, left), (_, entered, _) = stays(outcome)
    assert holder == 4 and left <= 400 < 203 + 202 <= entered
    assert not CLAIMS & violated(outcome).keys()


def test_rolling_restarts_lose_nothing():
    faults = [
        fault for k, pid in enumerate((2, 3, 1)) for fault in (Crash(200 + 150 * k, pid), Recover(205 + 150 * k, pid))
    ]
    calls = [acquire(100, 4, 2000), acquire(120, 5)]
    outcome = simulate(group(3000, n=5, voters=[1, 2, 3], below={"voters": [1, 2, 3]}, calls=calls, faults=faults))
    assert stays(outcome)[0][0] == 4 and stays(outcome)[0][2] - stays(outcome)[0][1] == 2000  # renewed through it all
    assert outcome.lock.entries == 2 and not (SAFETY | WAITING) & violated(outcome).keys()


def test_on_disk_nothing_is_lost_though_all_restart_at_once():
    faults = [*(Crash(200, pid) for pid in (1, 2, 3)), *(Recover(203, pid) for pid in (1, 2, 3))]
    scenario = group(
        3000,
        n=5,
        raft="raft-durable",
        voters=[1, 2, 3],
        below={"voters": [1, 2, 3]},
        calls=[acquire(100, 4, 2000), acquire(120, 5)],
        faults=faults,
    )
    outcome = simulate(scenario)
    assert stays(outcome)[0][2] - stays(outcome)[0][1] == 2000 and outcome.lock.entries == 2


def test_after_the_last_restart_all_who_ask_get_in_as_soon_as_what_was_forgotten_is_over():
    """However close the restarts: two voters of three may have forgotten, and then the third must not lead alone."""
    for seed in range(runs(60, soak=100_000)):
        processes = ended(restarts(seed))
        held = {pid: [granted.name for granted in process.grants.values()] for pid, process in processes.items()}
        assert all(f"of {pid}" in names for pid, names in held.items()), (seed, held)


def test_who_asked_while_nobody_led_does_not_lose_its_session_as_soon_as_it_is_open():
    everybody = [Crash(200, pid) for pid in (1, 2, 3)] + [Recover(203, pid) for pid in (1, 2, 3)]
    for seed in range(6):
        scenario = group(900, calls=[acquire(210, 2, 5000)], faults=everybody, seed=seed, below=SLOW)
        scenario.network = Network("constant:12")
        assert [left for _, _, left in stays(simulate(scenario))] == [-1], seed


# Where clocks are worse than promised, the token protects


def test_a_clock_that_drifts_more_than_rho_makes_two_holders_and_the_resource_refuses_one():
    calls, cut = [acquire(100, 2, 5000), acquire(110, 3, 300)], Cut(180, [(1, 2), (2, 3)])
    outcome = simulate(group(900, calls=calls, faults=[Drift(0, 2, 0.5), cut]))
    assert {"one_holder"} <= violated(outcome).keys() and "mutual_exclusion" not in violated(outcome)
    assert [use.process for use in outcome.lock.refusals] == [2]
    within = simulate(group(1200, calls=calls, faults=[Drift(0, 2, 0.5), cut], rho=0.5))
    assert not CLAIMS & violated(within).keys()


def test_a_holder_that_stood_still_unnoticed_is_refused():
    faults = [Pause(180, 2), Resume(560, 2)]
    outcome = simulate(group(620, calls=[acquire(100, 2, 5000), acquire(110, 3, 300)], faults=faults))
    assert {"one_holder"} <= violated(outcome).keys() and "mutual_exclusion" not in violated(outcome)
    assert [use.process for use in outcome.lock.refusals] == [2]


# Who is no voter, and locks by name


def test_who_is_no_voter_finds_the_leader_and_follows_it():
    voters = {"voters": [1, 2, 3], "below": {"voters": [1, 2, 3]}}
    calls = [acquire(100, 4), acquire(300, 4), acquire(500, 4)]
    outcome = simulate(group(1200, n=4, calls=calls, faults=[Crash(200, 1)], **voters))
    assert outcome.lock.entries == 3 and outcome.world.lock.satisfied


def test_two_voters_that_lost_sight_of_the_leader_do_not_send_each_other_in_circles():
    outcome = simulate(duel(2024))  # 2 asked 3, which it took for the leader, and 3 asked 2
    assert outcome.lock.entries == 2 and not WAITING & violated(outcome).keys()


def test_a_witness_votes_but_hosts_no_application():
    processes = ended(group(400, witnesses=[3], calls=[acquire(100, 3), acquire(100, 2, 500)], faults=[Crash(200, 1)]))
    assert not processes[3].waiting and not processes[3].active
    assert processes[2].inside and len(processes[3].table.sessions) == 1


def test_one_session_holds_many_locks_by_name_and_mode():
    wants = [
        Want(1, "sku/42"),
        Want(2, "sku/43"),
        Want(3, "catalogue", shared=True),
        Want(4, "printer", slots=2),
        Want(5, "printer", slots=2),
        Want(6, "printer", slots=2),
    ]
    fields = [{"ticket": w.ticket, "name": w.name, "shared": w.shared, "slots": w.slots} for w in wants]
    calls = [Call(100 + k, [2], "acquire", data=data) for k, data in enumerate(fields)]
    member = ended(group(200, calls=calls))[2]
    assert sorted(member.grants) == [1, 2, 3, 4, 5] and sorted(member.wants) == [1, 2, 3, 4, 5, 6]
    assert not member.inside and not member.waiting
    calls += [Call(150, [2], "release", data={"ticket": 4}), Call(151, [2], "release", data={"ticket": 1})]
    member = ended(group(200, calls=calls))[2]
    assert sorted(member.grants) == [2, 3, 5, 6] and member.unwanted == {}
    assert Give() == Give(0) and Want().name == "lock"


def test_a_want_that_is_withdrawn_is_cancelled_whether_it_was_granted_or_not():
    data = {"ticket": 1, "name": "a"}
    calls = [Call(100, [2], "acquire", data=data), Call(101, [3], "acquire", data=data)]
    withdrawn = [*calls, Call(120, [3], "release", data={"ticket": 1}), Call(130, [2], "release", data={"ticket": 1})]
    processes = ended(group(300, calls=withdrawn))
    assert all(not process.grants and not process.wants and not process.unwanted for process in processes.values())
    assert processes[1].table.locks == {}


def test_who_does_not_want_to_wait_is_refused():
    calls = [Call(100, [2], "acquire", data={"ticket": 1, "name": "a"})]
    calls += [Call(120, [3], "acquire", data={"ticket": 1, "name": "a", "wait": False})]
    assert ended(group(300, calls=calls))[3].wants == {}


def test_who_closes_leaves_nothing_behind():
    calls = [acquire(100, 2, 5000), acquire(110, 3, 30), Call(150, [2], "close")]
    outcome = simulate(group(400, calls=calls))
    assert stays(outcome)[0][2] == 150 and stays(outcome)[1][1] < 160
    assert len(ended(group(400, calls=calls))[1].table.sessions) == 1


def test_a_table_survives_in_snapshots():
    calls = [Call(100 + 4 * k, [k % 3 + 1], "acquire", data={"ticket": k + 1, "name": f"n{k}"}) for k in range(30)]
    processes = ended(group(900, calls=calls, faults=[Cut(150, [(1, 3), (2, 3)]), Heal(240)], keep=5))
    tables = [process.table for process in processes.values()]
    assert tables[0] == tables[1] == tables[2] and processes[3].compacted > 0
    assert [len(process.grants) for process in processes.values()] == [10, 10, 10]


# Repetition


def test_who_asks_more_often_than_answers_take_to_come_keeps_its_session():
    checks = [Call(tick, [2], "check") for tick in range(150, 1500, 2)]
    often = group(1500, calls=[acquire(100, 2, 3000), *checks])
    often.network = Network("constant:3")
    assert [(who, left) for who, _, left in stays(simulate(often))] == [(2, -1)]


def test_a_session_is_renewed_though_answers_take_longer_than_renewals():
    slow = group(1500, calls=[acquire(100, 2, 3000)], below={"low": 400, "high": 600, "heartbeat": 50})
    slow.network = Network("constant:15")
    assert [(who, left) for who, _, left in stays(simulate(slow))] == [(2, -1)]


def test_a_request_that_waits_for_long_does_not_make_the_table_keep_all_later_answers():
    taken = {"ticket": 1, "name": "taken"}
    calls = [Call(100, [3], "acquire", data=taken), Call(120, [2], "acquire", data=taken)]
    for ticket in range(2, 50):
        calls.append(Call(130 + 10 * ticket, [2], "acquire", data={"ticket": ticket, "name": "free"}))
        calls.append(Call(138 + 10 * ticket, [2], "release", data={"ticket": ticket}))
    table = ended(group(700, calls=calls))[1].table
    assert [len(session.answers) for session in table.sessions.values()] == [0, 1]
