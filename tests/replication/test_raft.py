"""Raft's log: what the paper claims of it, and what is added for voters that forget."""

from pathlib import Path

import pytest
from soak import runs
from storms import raft_storm

from habemus.process import Layers
from habemus.replication.log import SHOWN, LogEntry
from habemus.replication.messages import Value
from habemus.scenario import Call, Crash, Cut, Heal, Layer, Partition, Pause, Recover, Resume, Scenario, TopologySpec
from habemus.simulation import simulate
from habemus.simulation.run import build_simulation, run_to_end

SAFETY = {"one_leader_a_term", "log_matching", "leader_completeness", "state_machine_safety"}
ADDER = f"{Path(__file__).parent / 'adder.py'}:Adder"
QUICK = {"low": 30, "high": 60, "heartbeat": 10}


def violated(outcome):
    return {judge.name: judge.witness.text for judge in outcome.properties if judge.witness is not None}


def ended(scenario):
    """The nodes of a run, as they are at its end."""
    simulation = build_simulation(scenario, None)
    run_to_end(scenario, simulation, None)
    return {node.id: node for node in simulation.nodes}


def raft(until, *, n=3, faults=(), calls=(), seed=1, starters=(1,), algorithm="raft", delay=None, **parameters):
    network = {} if delay is None else {"network": delay}
    return Scenario(
        algorithm,
        parameters={**QUICK, **parameters},
        topology=TopologySpec(n=n, order="sorted"),
        starters=list(starters),
        workload=list(calls),
        faults=list(faults),
        seed=seed,
        until=until,
        **network,
    )


def adder(until, *, n=3, faults=(), calls=(), seed=1, keep=1000, raft="raft", **below):
    return Scenario(
        ADDER,
        layers=[Layer(raft, {**QUICK, **below})],
        parameters={"keep": keep},
        topology=TopologySpec(n=n, order="sorted"),
        starters=[1],
        workload=list(calls),
        faults=list(faults),
        seed=seed,
        until=until,
    )


def proposals(begin, count, who):
    return [Call(begin + 2 * number, [who], "propose") for number in range(count)]


def values(node: Layers):
    return [entry.value for entry in node.process.entries.entries if entry.value is not None]


# Figure 3


@pytest.mark.parametrize("algorithm", ["raft", "raft-durable"])
@pytest.mark.parametrize("part", range(4))
def test_safety_holds_in_every_storm(algorithm, part):
    committed = 0
    count = runs(50, soak=50_000)
    for seed in range(part * count, (part + 1) * count):
        outcome = simulate(raft_storm(seed, algorithm))
        assert not SAFETY & violated(outcome).keys(), (seed, violated(outcome))
        committed += len(outcome.world.logs.committed)
    assert committed > count


def test_what_is_proposed_is_committed_everywhere_in_one_order():
    calls = [Call(100 + 3 * k, [k % 3 + 1], "propose") for k in range(30)]
    nodes = ended(raft(400, calls=calls))
    logs = [node.process.entries.entries for node in nodes.values()]
    assert logs[0] == logs[1] == logs[2]
    assert [node.process.commit for node in nodes.values()] == [31, 31, 31]
    assert values(nodes[1]) == [Value()] * 30


def test_an_entry_of_an_older_term_is_not_committed_by_counting():
    """Figure 8: what 1 proposed alone is on two of three later, and committed only with an entry of the new term."""
    alone = [Call(82, [1], "propose"), Call(83, [1], "propose")]
    cut_off = [Cut(80, [(1, 2), (1, 3)])]
    nodes = ended(raft(300, faults=cut_off, calls=alone))
    assert nodes[1].process.commit == 1 and len(values(nodes[1])) == 2
    assert nodes[2].process.commit == 2 and values(nodes[2]) == []  # the others went on without it
    healed = raft(700, faults=[*cut_off, Heal(300)], calls=alone)
    assert not SAFETY & violated(simulate(healed)).keys()
    assert [values(node) for node in ended(healed).values()] == [[]] * 3


# What a trace shows


def test_a_trace_shows_the_end_of_a_long_log_and_all_of_a_short_one():
    outcome = simulate(raft(400, calls=proposals(100, 3 * SHOWN, 1)), keep=100_000)
    logs = [event.changed["entries"] for event in outcome.trace.events if "entries" in event.changed]
    short = [log for log in logs if isinstance(log, list)]
    long = [log for log in logs if isinstance(log, dict)]
    assert max(map(len, short)) == SHOWN
    assert {len(log["entries"]) for log in long} == {SHOWN}
    assert max(log["after"] for log in long) == 2 * SHOWN + 1  # the leader's first entry is one more


def test_a_log_that_has_not_changed_is_not_frozen_again():
    node = ended(raft(300, calls=proposals(100, 10, 1)))[1].process
    before = node.entries.freeze()
    assert node.entries.freeze() is before
    node.propose_value(Value(7))
    assert node.entries.freeze()[0] == (*before[0], LogEntry(node.term, Value(7)))


# Batching, pipelining, snapshots


def test_what_is_proposed_together_travels_together_and_nobody_waits_for_acknowledgements():
    calls = [Call(100, [1], "propose") for _ in range(20)] + [Call(101, [1], "propose") for _ in range(20)]
    nodes = ended(raft(106, calls=calls, delay=None))
    assert nodes[1].process.commit == 41
    assert {node.process.entries.last for node in nodes.values()} == {41}


def test_who_was_away_gets_the_missing_entries():
    faults = [Cut(50, [(1, 3), (2, 3)]), Heal(250)]
    nodes = ended(raft(500, faults=faults, calls=[Call(100 + k, [1], "propose") for k in range(9)]))
    assert {node.process.commit for node in nodes.values()} == {nodes[1].process.entries.last}
    assert values(nodes[3]) == [Value()] * 9


def test_who_is_far_behind_gets_a_snapshot_and_then_the_rest():
    faults = [Cut(50, [(1, 3), (2, 3)]), Heal(400)]
    nodes = ended(adder(700, keep=5, faults=faults, calls=[Call(100 + 5 * k, [1], "add") for k in range(23)]))
    assert [node.process.total for node in nodes.values()] == [23, 23, 23]
    assert nodes[3].process.restored == 1 and nodes[3].layers[0].entries.base > 0


def test_who_is_cut_off_while_its_log_is_repaired_is_repaired_later():
    """3 has a tail of its own, of the same term as what it shares with the leader, who commits nothing without it."""

    def repaired(cut):
        tail = [Cut(60, [(other, 1) for other in (2, 3, 4, 5)], one_way=True), Partition(90, [[1, 3], [2, 4, 5]])]
        alone = [Cut(130, [(2, 4), (4, 5), (2, 5)]), Crash(240, 1), Crash(250, 5)]  # 4 has just been elected
        again = [Crash(398, 4), Recover(399, 4), Heal(402, [(2, 3), (3, 4), (2, 4)])]
        late = [Cut(cut, [(2, 3), (4, 3)], one_way=True), Heal(cut + 100, [(2, 3), (4, 3)])]
        calls = [*proposals(62, 7, 1), *proposals(92, 6, 1), *proposals(200, 3, 4)]
        times = {"low": 30, "high": 45, "heartbeat": 5, "eager": False, "check_quorum": False}
        faults = [*tail, *alone, *again, *late]
        scenario = raft(700, n=5, faults=faults, calls=calls, algorithm="raft-durable", batch=1, **times)
        return [ended(scenario)[id].process for id in (2, 3, 4)]

    for cut in range(444, 447):
        processes = repaired(cut)
        assert [process.term for process in processes] == [3, 3, 3]
        assert len({process.entries.last for process in processes} | {process.commit for process in processes}) == 1


@pytest.mark.parametrize("raft", ["raft", "raft-durable"])
def test_who_restarts_is_brought_up_to_date(raft):
    faults = [Crash(200, 2), Recover(220, 2)]
    calls = [Call(100 + 5 * k, [1], "add") for k in range(23)]
    nodes = ended(adder(500, keep=7, faults=faults, calls=calls, raft=raft))
    assert [node.process.total for node in nodes.values()] == [23, 23, 23]
    assert not nodes[2].layers[0].forgetful


# Forgetting


def test_a_voter_that_forgot_does_not_vote_until_it_is_cleared():
    """1 and 2 have the entry; 2 restarts while 1 is cut off, and 3, which never had it, is not elected."""
    faults = [Cut(50, [(1, 3), (2, 3)]), Partition(200, [[1], [2, 3]]), Crash(205, 2), Recover(206, 2)]
    lonely = raft(900, faults=[*faults, Heal(207, [(2, 3)])], calls=[Call(100, [1], "propose")])
    outcome = simulate(lonely)
    assert not SAFETY & violated(outcome).keys() and outcome.world.in_office == {}
    lonely.faults.append(Heal(900))
    lonely.until = 1500
    nodes = ended(lonely)
    assert [values(node) for node in nodes.values()] == [[Value()]] * 3
    assert not nodes[2].process.forgetful and nodes[2].process.restarts == 1


def test_a_leader_goes_on_while_it_repairs_all_others():
    faults = [*(Crash(200, pid) for pid in (2, 3)), *(Recover(202, pid) for pid in (2, 3))]
    nodes = ended(raft(400, faults=faults, calls=[Call(100, [1], "propose"), Call(300, [1], "propose")]))
    assert nodes[1].process.term == 1 and nodes[1].process.leader == 1
    assert [values(node) for node in nodes.values()] == [[Value(), Value()]] * 3


def test_if_all_forget_nobody_leads_unless_the_log_is_on_disk():
    faults = [*(Crash(200, pid) for pid in (1, 2, 3)), *(Recover(202, pid) for pid in (1, 2, 3))]
    forgotten = simulate(raft(1500, faults=faults, calls=[Call(100, [1], "propose")]))
    assert not forgotten.world.in_office
    kept = ended(raft(1500, faults=faults, calls=[Call(100, [1], "propose")], algorithm="raft-durable"))
    assert all(Value() in values(node) for node in kept.values())
    assert sum(node.process.leader == node.id for node in kept.values()) == 1


def test_who_restarts_before_any_term_has_nothing_to_forget():
    faults = [*(Crash(1, pid) for pid in (1, 2, 3)), *(Recover(2, pid) for pid in (1, 2, 3))]
    outcome = simulate(raft(300, faults=faults))
    assert len(outcome.world.in_office) == 1


# Rounds


def test_a_leader_confirms_that_it_leads_after_a_round():
    nodes = ended(adder(300, calls=[Call(100, [1], "ask"), Call(101, [1], "ask"), Call(101, [1], "ask")]))
    assert nodes[1].process.confirmed == 3


def test_a_leader_that_is_cut_off_confirms_nothing_though_it_still_leads():
    nodes = ended(adder(125, faults=[Cut(100, [(1, 2), (1, 3)])], calls=[Call(100, [1], "ask")], check_quorum=False))
    assert nodes[1].process.leader == 1 and nodes[1].process.confirmed == 0


def test_an_acknowledgement_of_an_earlier_round_does_not_confirm():
    """Answers to heartbeats from before the question arrive after it."""
    faults = [Pause(95, 2), Pause(95, 3), Cut(99, [(1, 2), (1, 3)], True), Resume(101, 2), Resume(101, 3)]
    nodes = ended(adder(125, faults=faults, calls=[Call(100, [1], "ask")], check_quorum=False))
    assert nodes[1].process.confirmed == 0


# Members


def test_leadership_is_handed_over_without_a_time_out():
    calls = [Call(80, [1], "propose"), Call(81, [1], "transfer", data={"to": 3}), Call(82, [1], "propose")]
    nodes = ended(raft(90, calls=calls))
    assert nodes[3].process.leader == 3 and nodes[3].process.term == 2
    assert values(nodes[3]) == [Value()]  # while it hands over, a leader takes nothing on


def test_a_transfer_to_who_is_away_is_given_up():
    calls = [Call(85, [1], "transfer", data={"to": 3}), Call(90, [1], "propose"), Call(200, [1], "propose")]
    nodes = ended(raft(300, faults=[Crash(80, 3)], calls=calls))
    assert nodes[1].process.leader == 1 and values(nodes[1]) == [Value()]


def test_learners_store_but_do_not_count():
    nodes = ended(
        raft(300, n=5, learners=[4, 5], faults=[Crash(80, 2), Crash(80, 3)], calls=[Call(100, [1], "propose")])
    )
    assert nodes[4].process.entries.last == nodes[5].process.entries.last == 2
    assert nodes[1].process.commit == 1  # two learners and one of three voters are no majority
    nodes = ended(raft(300, n=5, learners=[4, 5], faults=[Crash(80, 3)], calls=[Call(100, [1], "propose")]))
    assert values(nodes[5]) == [Value()] and nodes[5].process.commit == 2


def test_a_majority_is_one_of_weight():
    heavy = {"weight": {1: 3, 2: 1, 3: 1}}
    nodes = ended(raft(300, faults=[Crash(80, 2), Crash(80, 3)], calls=[Call(100, [1], "propose")], **heavy))
    assert nodes[1].process.commit == 2
    light = {"weight": {1: 1, 2: 3, 3: 1}}
    nodes = ended(raft(300, faults=[Crash(80, 2)], calls=[Call(100, [1], "propose")], **light))
    assert nodes[1].process.commit == 1


def test_others_hear_nothing_of_the_log():
    nodes = ended(raft(300, n=4, voters=[1, 2, 3], calls=[Call(100, [4], "propose")]))
    assert nodes[4].process.entries.last == 0 and nodes[4].timers in (None, {})
