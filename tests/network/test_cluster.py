"""A cluster of real processes in the hands of a program: whatever is done to them is seen in one causal trace."""

import asyncio
import os
from contextlib import asynccontextmanager
from typing import Any
from unittest import mock

import msgspec
import pytest
from groups import until
from hypothesis import given
from hypothesis import strategies as st

from habemus.network import weaving
from habemus.network.cluster import Cluster
from habemus.network.recording import LIVES
from habemus.network.validation import validate
from habemus.network.weaving import Weaver
from habemus.scenario import Scenario
from habemus.simulation import simulate
from habemus.trace import Event, Trace

RAFT = Scenario("raft-election", parameters={"low": 300, "high": 600, "heartbeat": 100, "check_quorum": True})


@asynccontextmanager
async def traced(scenario, n, folder, **wishes):
    """A cluster that has started, and the events that have been seen of it."""
    made = Cluster(scenario, n, folder, traced=True, **wishes)
    events = []
    made.onlookers.append(events.append)
    try:
        await made.start()
        yield made, events
    finally:
        for id in made.members:
            made.kill(id)
        await made.end()


def whom(made, ids):
    return {made.members[id].status.get("leader") for id in ids}


def check_causes(events):
    """Numbers count, causes come first, and whoever receives a message has an event that sent it among its causes."""
    sent = {}
    for number, event in enumerate(events):
        assert event.event == number and all(parent < number for parent in event.parents)
        for carried in event.received:
            assert sent[carried.message] in event.parents
        for carried in event.sent:
            sent[carried.message] = number


def test_a_cut_leader_is_replaced_and_follows_when_the_network_heals(tmp_path):
    async def run():
        async with traced(RAFT, 3, tmp_path) as (made, events):
            await until(lambda: made.leader is not None)
            old = made.leader
            others = [id for id in made.members if id != old]
            made.cut([(old, other) for other in others])
            await until(lambda: len(whom(made, others)) == 1 and whom(made, others) <= set(others))
            await until(lambda: whom(made, [old]) == {None})  # check_quorum: it hears nobody
            made.heal()
            await until(lambda: made.leader is not None)
            check_causes(events)
            assert [event.kind for event in events if event.process is None] == ["cut", "heal"]
            assert validate(Trace(made.header, events)) > 10

    asyncio.run(run())


def test_one_way_the_second_does_not_hear_the_first_but_is_heard(tmp_path):
    async def run():
        async with traced(Scenario("bully"), 2, tmp_path) as (made, events):
            await until(lambda: made.leader == 2)
            made.cut([(1, 2)], one_way=True)
            # Beats go both ways equally often: one hears four in a row only if the other hears none.
            await until(lambda: [event.process for event in events if event.received][-4:] == [1, 1, 1, 1])
            made.cut([(2, 1)], one_way=True)
            seen = len(events)
            await until(lambda: all(made.members[id].status["suspected"] == [3 - id] for id in (1, 2)))
            assert not any(event.received and event.process == 2 for event in events[seen:])

    asyncio.run(run())


def test_a_cut_that_lasts_ends_the_connections_and_a_new_life_knows_of_it(tmp_path):
    async def run():
        async with traced(Scenario("bully"), 2, tmp_path) as (made, _):
            await until(lambda: made.leader == 2)
            made.cut([(1, 2)])
            await until(lambda: [made.members[id].status["connected"] for id in (1, 2)] == [[], []])
            await made.restart(1)
            await until(lambda: whom(made, [1]) == {1})
            assert made.members[1].status["connected"] == []
            made.heal()
            await until(lambda: made.leader == 2)

    asyncio.run(run())


def test_kill_pause_resume_and_restart_are_in_the_trace_with_the_steps_they_led_to(tmp_path):
    async def run():
        async with traced(Scenario("bully"), 3, tmp_path, stall=60_000) as (made, events):  # on however busy a machine
            await until(lambda: made.leader == 3)
            assert sorted(made.pids) == [1, 2, 3] and os.getpid() not in made.pids.values()
            made.kill(3)
            await until(lambda: whom(made, [1, 2]) == {2} and sorted(made.pids) == [1, 2])
            await made.restart(3)
            await until(lambda: made.leader == 3)
            made.pause(1)
            made.resume(1)
            await until(lambda: made.members[1].state == "running")
            faults = [(event.kind, event.process) for event in events if not event.clause]
            assert faults == [("crash", 3), ("recover", 3), ("pause", 1), ("resume", 1)]
            check_causes(events)
            assert validate(Trace(made.header, events)) > 10

    asyncio.run(run())


def test_a_lock_is_taken_and_given_back_by_command(tmp_path):
    async def run():
        async with traced(Scenario("ricart-agrawala"), 3, tmp_path) as (made, events):
            await until(lambda: all(member.status for member in made.members.values()))
            for member in (made.members[2], made.members[3]):
                made.command(member.id, "acquire")
                await until(lambda member=member: member.status["role"] == "inside")
                made.command(member.id, "release")
                await until(lambda member=member: member.status["role"] != "inside")
            assert validate(Trace(made.header, events)) >= 10

    asyncio.run(run())


def told_by_nodes(recorded: Trace) -> dict[int, list[Event]]:
    """The events of each process, numbered as its node numbers them."""
    lanes = {id: [event for event in recorded.events if event.process == id] for id in recorded.ids}
    numbers = {
        event.event: (life << LIVES) + position
        for life, lane in enumerate(lanes.values())
        for position, event in enumerate(lane)
    }
    return {
        id: [
            msgspec.structs.replace(event, event=numbers[event.event], parents=[numbers[p] for p in event.parents])
            for event in lane
        ]
        for id, lane in lanes.items()
    }


def weave(lanes: dict[int, list[Event]], random: Any) -> tuple[Weaver, list[Event]]:
    woven: list[Event] = []
    weaver = Weaver(0, woven.append)
    while any(lanes.values()):
        weaver.take(lanes[random.choice([id for id, lane in lanes.items() if lane])].pop(0))
    return weaver, woven


@given(st.randoms(use_true_random=False), st.integers(0, 20))
def test_however_the_reports_of_the_nodes_overtake_each_other_the_woven_trace_is_a_run(random, seed):
    recorded = simulate(Scenario("chang-roberts", seed=seed), keep=1000).trace
    weaver, woven = weave(told_by_nodes(recorded), random)
    assert len(woven) == len(recorded.events) and not weaver.waiting
    check_causes(woven)
    assert validate(Trace(recorded.header, woven)) == len(woven)


@given(st.randoms(use_true_random=False), st.integers(0, 20))
def test_what_is_woven_stays_in_order_and_within_its_memory_when_old_causes_are_forgotten(random, seed):
    recorded = simulate(Scenario("chang-roberts", seed=seed), keep=1000).trace
    with mock.patch.object(weaving, "REMEMBERED", 5):
        weaver, woven = weave(told_by_nodes(recorded), random)
        assert len(weaver.numbers) <= 5 and len(weaver.messages) <= 5
    assert [event.event for event in woven] == list(range(len(recorded.events))) and not weaver.waiting
    for event in woven:
        assert all(parent < event.event for parent in event.parents)


def test_a_leader_that_is_killed_has_crashed_before_anybody_misses_it(tmp_path):
    async def run():
        async with traced(Scenario("bully"), 4, tmp_path) as (made, events):
            await until(lambda: made.leader == 4)
            seen = len(events)
            made.kill(4)
            await until(lambda: whom(made, [1, 2, 3]) == {3})
            await until(lambda: any(event.clause == "miss_leader" for event in events[seen:]))
            crash = next(event for event in events if event.kind == "crash")
            missed = next(event for event in events[seen:] if event.clause == "miss_leader")
            assert crash.event < missed.event and crash.time <= missed.time and not made.later
            assert validate(Trace(made.header, events)) > 10

    asyncio.run(run())


def test_a_cluster_of_nobody_is_refused(tmp_path):
    with pytest.raises(ValueError, match="expected at least one process"):
        Cluster(RAFT, 0, tmp_path)
