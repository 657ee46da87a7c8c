"""A cluster of real processes in the hands of a program: whatever is done to them is seen in one causal trace."""

import asyncio
import os
from contextlib import asynccontextmanager

import pytest
from groups import until

from habemus.checking.answer.validation import validate
from habemus.network.operate.cluster import Cluster, read_lines
from habemus.scenario import Scenario
from habemus.trace import Trace

RAFT = Scenario("raft-election-steady", parameters={"low": 300, "high": 600, "heartbeat": 100})


@asynccontextmanager
async def traced(scenario, n, folder, **options):
    """A cluster that has started, and the events that have been seen of it."""
    made = Cluster(scenario, n, folder, traced=True, **options)
    events = []
    made.step_listeners.append(events.append)
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
                await until(lambda member=member: member.status.get("role") == "inside")
                made.command(member.id, "release")
                await until(lambda member=member: member.status["role"] != "inside")
            assert validate(Trace(made.header, events)) >= 10

    asyncio.run(run())


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
            assert crash.event < missed.event and crash.time <= missed.time and not made.delayed
            assert validate(Trace(made.header, events)) > 10

    asyncio.run(run())


def test_a_leased_group_goes_on_while_its_processes_are_killed_and_its_trace_validates(tmp_path):
    raft = {"algorithm": "raft", "parameters": RAFT.parameters}
    leased = Scenario("leased-group", parameters={"ttl": 20_000, "renew": 4000, "sweep": 1000}, layers=[raft])

    async def run():
        async with traced(leased, 3, tmp_path, stall=60_000) as (made, events):  # on however busy a machine
            entered = []
            made.listeners.append(lambda member, event: entered.append(member.id) if event == "enter" else None)

            async def let_in(id):
                before = len(entered)
                made.command(id, "acquire")
                await until(lambda: entered[before:] == [id])

            async def replace(id):
                """Restart it, and wait until it counts again: two voters of three that forget make the group wait."""
                seen = len(events)
                await made.restart(id)
                await until(lambda: any(e.process == id and e.changed.get("forgetful") is False for e in events[seen:]))

            await until(lambda: made.leader is not None)
            leader = made.leader
            holder = next(id for id in made.members if id != leader)
            await let_in(holder)
            await replace(leader)
            made.command(holder, "release")
            await let_in(leader)  # the order may come before its node has met the others
            await replace(leader)  # it held the lock when it was killed, and asks again
            await let_in(leader)
            check_causes(events)
            assert validate(Trace(made.header, events)) > 50

    asyncio.run(run())


def test_a_cluster_of_nobody_is_refused(tmp_path):
    with pytest.raises(ValueError, match="expected at least one process"):
        Cluster(RAFT, 0, tmp_path)


def test_a_line_that_is_too_long_is_left_out_and_the_next_ones_are_read():
    async def run():
        stream = asyncio.StreamReader(limit=100)
        stream.feed_data(b"first\n" + b"x" * 250 + b"\nlast\n")
        stream.feed_eof()
        return [line async for line in read_lines(stream)]

    lines = asyncio.run(run())
    assert lines[0] == b"first\n" and lines[-1] == b"last\n" and len(b"".join(lines)) < 250
