"""A process that was stopped: it finds out before any clause runs, and recovers as after a crash."""

import asyncio

import pytest
from groups import agreed, group, traced_group, until, validated
from small_algorithms import OWN, RAFT, STEADFAST

from habemus.network.node import clock
from habemus.scenario import Scenario


def test_a_leader_that_was_stopped_leads_no_longer_before_any_clause_runs(tmp_path, monkeypatch):
    async def stop():
        async with group(RAFT, 3, tmp_path, stall=STEADFAST) as nodes:
            await until(lambda: agreed(nodes))
            leader = next(node for node in nodes if node.leads)
            seen = []
            leader.listeners.append(lambda change: seen.append((change.what, change.subject)))
            real = clock.now
            monkeypatch.setattr(clock, "now", lambda: real() + (STEADFAST + 1) * 1_000_000)
            assert leader.known_leader == leader.id
            leader.turn(lambda: seen.append("the next clause"))
            assert seen[0] == ("leader", None)
            assert seen[1] == "the next clause"
            assert leader.stack.election.leader is None and not leader.leads
            assert leader.counts["stalls"] == 1

    asyncio.run(stop())


@pytest.mark.parametrize("algorithm", ["bully", "ring-coordinator", "raft-election-steady"])
def test_who_was_stopped_takes_part_again_and_the_trace_is_a_run(algorithm, tmp_path):
    async def stop():
        async with traced_group(Scenario(algorithm), 3, tmp_path) as nodes:
            await until(lambda: agreed(nodes))
            for node in nodes:
                node.last_look -= 10_000_000_000
                node.look()
                assert node.leader is None and node.counts["stalls"] >= 1
                await until(lambda: agreed(nodes))

    asyncio.run(stop())
    validated(tmp_path, 3)


def test_what_a_turn_wanted_to_say_before_a_stop_is_not_said_after_it(tmp_path, monkeypatch):
    async def stop():
        async with group(OWN + "Promising", 2, tmp_path, stall=STEADFAST) as (one, two):
            await until(lambda: one.begun and two.begun)
            real = clock.now
            jump = (STEADFAST + 1) * 1_000_000
            jumps = iter([0, 0, jump])

            def stopped_in_the_middle():
                return real() + next(jumps, jump)

            monkeypatch.setattr(clock, "now", stopped_in_the_middle)
            next(jumps)
            one.command("promise")
            monkeypatch.setattr(clock, "now", real)
            await asyncio.sleep(0.1)
            assert one.counts["stalls"] == 1
            assert two.peers.messages_received["Number"] == 0
            assert one.memory.record.fields == [{"promised": 1}]  # but what was promised stays promised

    asyncio.run(stop())


def test_a_short_delay_is_no_stop(tmp_path, monkeypatch):
    async def wait():
        async with group(RAFT, 3, tmp_path, stall=5000) as nodes:
            await until(lambda: agreed(nodes))
            real = clock.now
            monkeypatch.setattr(clock, "now", lambda: real() + 2_000_000_000)
            nodes[0].look()
            assert nodes[0].counts["stalls"] == 0

    asyncio.run(wait())
