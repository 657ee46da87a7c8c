"""A node keeps its promises: the order of things in a turn, links that lose nothing, and time that jumps."""

import asyncio
import os
import time
from dataclasses import dataclass

import pytest
import uvloop
from groups import addresses, agreed, group, traced_group, until, validated
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from habemus.network import clock
from habemus.network.endpoint import Endpoint
from habemus.network.errors import NetworkError
from habemus.network.link import Link
from habemus.network.node import Node
from habemus.network.storage import Storage
from habemus.network.timing import settled
from habemus.process import (
    Durable,
    Election,
    Message,
    Parameter,
    Pid,
    upon,
    upon_command,
    upon_recover,
    upon_start,
    upon_timeout,
)
from habemus.scenario import Layer, Place, Scenario

HARDLY_EVER = Layer("heartbeat", {"period": 100_000, "timeout": 300_000, "look": 100_000})
RAFT = Scenario("raft-election", parameters={"low": 300, "high": 600, "heartbeat": 100})
OWN = f"{__name__}:"
STEADFAST = 60_000  # milliseconds; a stall that no busy machine causes


@dataclass(frozen=True)
class Number(Message):
    value: int


class Counting(Election):
    """Sends numbers one after the other to all others, who write them down."""

    name = "counting"
    topology = "complete"

    next: int = 0
    heard: dict[Pid, list[int]] = {}

    @upon_command("count")
    def count(self) -> None:
        self.next += 1
        self.send(self.neighbours, Number(self.next))

    @upon(Number)
    def note(self, sender: Pid, message: Number) -> None:
        self.heard.setdefault(sender, []).append(message.value)


class CountingOnBadLinks(Counting):
    """The same, by one who does not mind if some are lost."""

    name = "counting-on-bad-links"
    model = "asynchronous, loss"


class Promising(Election):
    """Promises ever larger numbers."""

    name = "promising"
    topology = "complete"

    promised: Durable[int] = 0

    @upon_command("promise")
    def promise(self) -> None:
        self.promised += 1
        self.send(self.neighbours, Number(self.promised))

    @upon(Number)
    def hear(self, sender: Pid, message: Number) -> None:
        """Nothing to do."""

    @upon_start
    def lead(self) -> None:
        self.elect(max(self.members))

    @upon_recover
    def come_back(self) -> None:
        self.elect(None)


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=12))
def test_reliable_links_lose_double_and_reorder_nothing_when_connections_break(tmp_path_factory, cuts):
    async def count():
        folder = tmp_path_factory.mktemp("counting")
        async with group(OWN + "Counting", 3, folder) as nodes:
            for place, ours in cuts:
                for node in nodes:
                    for _ in range(5):
                        node.command("count")
                victim = nodes[place]
                link = victim.links[nodes[place - 1].id]
                if ours and link.connection is not None:
                    link.connection.cut("for the test")
                elif victim.inbound:
                    next(iter(victim.inbound.values())).cut("for the test")
                await asyncio.sleep(0.003)
            expected = list(range(1, 5 * len(cuts) + 1))
            complete = {node.id: {other.id: expected for other in nodes if other is not node} for node in nodes}
            await until(lambda: {node.id: node.stack.layers[-1].heard for node in nodes} == complete)
            await until(lambda: not any(link.unacknowledged for node in nodes for link in node.links.values()))

    asyncio.run(count())


def test_messages_of_an_algorithm_that_tolerates_loss_are_sent_once(tmp_path):
    async def count():
        async with group(OWN + "CountingOnBadLinks", 2, tmp_path) as (one, two):
            one.command("count")
            await until(lambda: two.stack.layers[-1].heard == {1: [1]})
            one.links[2].connection.cut("for the test")
            one.command("count")
            await until(lambda: one.links[2].up)
            one.command("count")
            await until(lambda: two.stack.layers[-1].heard == {1: [1, 3]})
            assert one.links[2].dropped == 1 and not one.links[2].unacknowledged

    asyncio.run(count())


@pytest.mark.parametrize(("algorithm", "waits"), [("Counting", True), ("Promising", False)])
def test_what_was_sent_before_one_came_waits_for_it_unless_it_counts_as_crashed(algorithm, waits, tmp_path):
    async def come_late():
        where = addresses(2)
        nodes = [Node(Scenario(OWN + algorithm), id, where, tmp_path / str(id), quiet=0.05) for id in where]
        try:
            await nodes[0].start()
            nodes[0].command("count" if waits else "promise")
            await nodes[1].start()
            await until(lambda: nodes[0].links[2].up and not nodes[0].links[2].unacknowledged)
            nodes[0].command("count" if waits else "promise")
            await until(lambda: not nodes[0].links[2].unacknowledged)
            assert nodes[1].heard["Number"] == (2 if waits else 1)
        finally:
            for node in nodes:
                await node.stop()

    asyncio.run(come_late())


def test_one_that_never_reads_is_given_up_and_memory_stays_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("habemus.network.link.MOST_UNACKNOWLEDGED", 500)

    async def flood():
        async with group(OWN + "Counting", 2, tmp_path) as (one, two):
            for acceptor in two.inbound.values():
                acceptor.transport.pause_reading()
            for _ in range(2000):
                one.command("count")
                assert len(one.links[2].unacknowledged) <= 500
            assert one.links[2].abandoned == two.instance
            assert one.stack.suspected == [2]
            await asyncio.sleep(0.3)
            assert not one.links[2].up  # it is the same instance still

    asyncio.run(flood())


def test_a_promise_is_on_disk_before_anybody_hears_of_it(tmp_path, monkeypatch):
    order = []
    write, send = Storage.write, Link.send_reliable

    def note_write(self, record):
        write(self, record)
        order.append(("disk", record.fields[-1].get("promised")))

    def note_send(self, parcel):
        order.append(("network", self.node.stack.layers[-1].promised))
        send(self, parcel)

    async def promise():
        async with group(OWN + "Promising", 2, tmp_path) as (one, _):
            monkeypatch.setattr(Storage, "write", note_write)
            monkeypatch.setattr(Link, "send_reliable", note_send)
            for _ in range(3):
                one.command("promise")

    asyncio.run(promise())
    assert order == [(where, number) for number in (1, 2, 3) for where in ("disk", "network")]


def test_a_disk_that_fails_stops_the_process_before_it_says_anything(tmp_path, monkeypatch):
    async def promise():
        async with group(OWN + "Promising", 2, tmp_path) as (one, two):
            heard = two.heard["Number"]

            def full(*arguments):
                raise OSError(28, "No space left on device")

            with monkeypatch.context() as patch:
                patch.setattr(os, "fsync", full)
                one.command("promise")
            with pytest.raises(NetworkError, match="No space left"):
                await one.ended
            await asyncio.sleep(0.05)
            assert two.heard["Number"] == heard

    asyncio.run(promise())


def test_terms_and_votes_are_kept_over_a_restart(tmp_path):
    where = addresses(3)

    async def elect():
        async with group(RAFT, 3, tmp_path, where) as nodes:
            await until(lambda: agreed(nodes))
            return [node.term for node in nodes]

    async def elect_again(before):
        async with group(RAFT, 3, tmp_path, where) as nodes:
            assert all(node.incarnation == 2 for node in nodes)
            assert all(node.term >= term for node, term in zip(nodes, before, strict=True))
            await until(lambda: agreed(nodes))
            assert min(node.term for node in nodes) > min(before)

    before = asyncio.run(elect())
    asyncio.run(elect_again(before))


def test_one_that_has_lost_its_memory_is_refused_however_often_it_comes(tmp_path):
    async def forget():
        where = addresses(3)
        async with group(RAFT, 3, tmp_path, where) as nodes:
            await until(lambda: agreed(nodes))
            forgetful = nodes[0]
            await forgetful.stop()
            for life in (1, 2, 3):
                amnesiac = Node(RAFT, forgetful.id, where, tmp_path / "another")
                await amnesiac.start()
                assert amnesiac.incarnation == life
                try:
                    with pytest.raises(NetworkError, match="process 1 has lost its state"):
                        await asyncio.wait_for(amnesiac.ended, 60)
                finally:
                    await amnesiac.stop()
            assert not nodes[1].ended.done() and not nodes[2].ended.done()

    asyncio.run(forget())


def test_the_same_directory_serves_one_process_at_a_time(tmp_path):
    async def start_twice():
        async with group(RAFT, 2, tmp_path, addresses(2)) as _:
            second = Node(RAFT, 1, addresses(2), tmp_path / "1")
            with pytest.raises(NetworkError, match="in use by another process"):
                await second.start()
            await second.stop()

    asyncio.run(start_twice())


def test_a_directory_of_another_process_is_refused(tmp_path):
    async def start():
        async with group(RAFT, 2, tmp_path):
            pass
        wrong = Node(RAFT, 2, addresses(2), tmp_path / "1")
        with pytest.raises(NetworkError, match="belongs to process 1 of the group 'habemus'"):
            await wrong.start()
        await wrong.stop()

    asyncio.run(start())


def test_a_leader_that_was_stopped_leads_no_longer_before_any_clause_runs(tmp_path, monkeypatch):
    async def stop():
        async with group(RAFT, 3, tmp_path, stall=STEADFAST) as nodes:
            await until(lambda: agreed(nodes))
            leader = next(node for node in nodes if node.leads)
            seen = []
            leader.listeners.append(lambda change: seen.append((change.what, change.subject)))
            real = clock.now
            monkeypatch.setattr(clock, "now", lambda: real() + (STEADFAST + 1) * 1_000_000)
            leader.agenda.clear()
            assert leader.leads
            leader.turn(lambda: seen.append("the next clause"))
            assert seen[0] == ("leader", None)
            assert seen[1] == "the next clause"
            assert leader.stack.election.leader is None and not leader.leads
            assert leader.counts["stalls"] == 1

    asyncio.run(stop())


@pytest.mark.parametrize("algorithm", ["bully", "ring-coordinator", "raft-election"])
def test_who_was_stopped_takes_part_again_and_the_trace_is_a_run(algorithm, tmp_path):
    async def stop():
        async with traced_group(Scenario(algorithm), 3, tmp_path) as nodes:
            await until(lambda: agreed(nodes))
            for node in nodes:
                node.awake -= 10_000_000_000
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
            assert two.heard["Number"] == 0
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


def test_a_closed_connection_is_a_suspicion_at_once_and_a_new_one_ends_it(tmp_path):
    async def close():
        async with group("bully", 3, tmp_path) as nodes:
            await until(lambda: agreed(nodes))
            nodes[0].links[3].connection.cut("for the test")
            assert nodes[0].stack.suspected == [3]
            await until(lambda: nodes[0].stack.suspected == [])

    asyncio.run(close())


def test_a_leader_that_leaves_says_so_and_the_others_elect_at_once(tmp_path):
    async def leave():
        async with group(Scenario("bully", layers=[HARDLY_EVER]), 3, tmp_path) as nodes:
            await until(lambda: agreed(nodes) and nodes[0].leader == 3)
            await nodes[2].leave()
            assert nodes[2].leader is None and nodes[2].role == "leaving"
            await until(lambda: [node.leader for node in nodes[:2]] == [2, 2])

    asyncio.run(leave())


def test_groups_share_a_port_and_do_not_hear_each_other(tmp_path):
    async def share():
        where = addresses(2)
        async with group(Scenario("bully"), 2, tmp_path / "jobs", where, group="jobs") as jobs:
            mail = [
                Node(RAFT, node.id, where, tmp_path / "mail" / str(node.id), group="mail", endpoint=node.endpoint)
                for node in jobs
            ]
            await asyncio.gather(*(node.start() for node in mail))
            await until(lambda: agreed(jobs) and agreed(mail))
            assert not any(name in node.heard for node in mail for name in ("ElectionCall", "Coordinator"))
            for node in mail:
                await node.leave()
            assert agreed(jobs)

    asyncio.run(share())


def test_groups_that_start_together_open_their_port_once(tmp_path):
    async def start():
        where = addresses(2)
        nodes = []
        for id, address in where.items():
            port = Endpoint(*address)
            for name in ("jobs", "mail"):
                nodes.append(Node(RAFT, id, where, tmp_path / name / str(id), group=name, endpoint=port))
        await asyncio.gather(*(node.start() for node in nodes))
        await until(lambda: agreed(nodes[0::2]) and agreed(nodes[1::2]))
        await asyncio.gather(*(node.leave() for node in nodes))
        assert not any(node.endpoint.server.is_serving() for node in nodes)

    asyncio.run(start())


def test_a_member_with_another_key_gets_no_word_in(tmp_path):
    async def knock():
        where = addresses(3)
        honest = {id: where[id] for id in (1, 2, 3)}
        async with group(RAFT, 3, tmp_path, honest, key=b"k" * 16) as nodes:
            await until(lambda: agreed(nodes))
            await nodes[0].stop()
            stranger = Node(RAFT, 1, where, tmp_path / "stranger", key=b"x" * 16)
            await stranger.start()
            assert not any(link.up for link in stranger.links.values())
            assert nodes[1].inbound.keys() == {3} and nodes[2].inbound.keys() == {2}
            await stranger.stop()

    asyncio.run(knock())


def test_a_member_with_other_parameters_is_refused_and_told_which(tmp_path, caplog):
    async def meet():
        where = addresses(2)
        scenarios = [Scenario("bully", parameters={"transmission": time}) for time in (50, 20)]
        nodes = [
            Node(scenario, id, where, tmp_path / str(id), quiet=0.3)
            for id, scenario in zip(where, scenarios, strict=True)
        ]
        try:
            with caplog.at_level("INFO", logger="habemus.network"):
                await asyncio.gather(*(node.start() for node in nodes))
            assert not any(node.inbound or node.links[3 - node.id].up for node in nodes)
        finally:
            for node in nodes:
                await node.stop()

    asyncio.run(meet())
    told = "it runs with transmission=20, not with transmission=50: all need the same"
    assert any(record.getMessage().startswith("refused a connection from 127.0.0.1:") for record in caplog.records)
    assert told in caplog.text


class Deadline(Election):
    """Asks, and decides when the time is up whether an answer came in time."""

    name = "deadline"
    topology = "complete"

    patience: Parameter[int] = 40

    order: list[str] = []

    @upon_command("ask")
    def ask(self) -> None:
        self.send(self.neighbours, Number(1))
        self.set_timer("answer", self.patience)

    @upon(Number)
    def answer(self, sender: Pid, message: Number) -> None:
        if message.value == 1:
            self.send(sender, Number(2))
        else:
            self.order.append("answer")

    @upon_timeout("answer")
    def time_is_up(self) -> None:
        self.order.append("timeout")


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def test_what_has_reached_the_machine_by_a_deadline_comes_before_its_timer(loop, tmp_path):
    """Both are late, because the process did not get to run; but the answer was there first."""

    async def ask():
        async with group(Scenario(OWN + "Deadline", parameters={"patience": 400}), 2, tmp_path) as (one, two):
            send = two.dispatch

            def send_and_hold_everything_up():
                send()
                time.sleep(0.5)

            two.dispatch = send_and_hold_everything_up
            one.command("ask")
            await until(lambda: len(one.stack.layers[-1].order) == 2)
            assert one.stack.layers[-1].order == ["answer", "timeout"]

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(ask())


def test_a_timer_never_runs_out_early(tmp_path):
    async def wait():
        async with group(OWN + "Deadline", 2, tmp_path, stall=STEADFAST) as (one, two):
            await two.stop()
            for _ in range(10):
                begun = clock.now()
                one.command("ask")
                count = len(one.stack.layers[-1].order)
                await until(lambda count=count: len(one.stack.layers[-1].order) > count)
                assert clock.now() - begun >= 40_000_000

    asyncio.run(wait())


def test_a_timer_is_restarted_or_cancelled_by_name(tmp_path):
    async def wait():
        patient = Scenario(OWN + "Deadline", parameters={"patience": 1000})
        async with group(patient, 2, tmp_path, stall=STEADFAST) as (one, two):
            await two.stop()
            for _ in range(3):
                one.command("ask")
                await asyncio.sleep(0.5)  # set again before it runs out
            assert one.stack.layers[-1].order == []
            one.stack.cancel_timer(one.stack.layers[-1], "answer")
            await asyncio.sleep(0.8)
            assert one.stack.layers[-1].order == []

    asyncio.run(wait())


def test_times_are_patient_unless_they_are_given():
    ids = [1, 2, 3]
    bully = settled(Scenario("bully"), ids)
    assert [layer.algorithm for layer in bully.layers] == ["heartbeat"]
    assert bully.parameters == {"transmission": 50} and bully.layers[0].parameters["timeout"] == 2000
    hasty = settled(Scenario("raft-election", parameters={"low": 50, "high": 90}), ids).parameters
    assert (hasty["low"], hasty["high"]) == (50, 90)
    assert "heartbeat" not in hasty  # a patient one would come too late for these
    assert settled(Scenario("bully", layers=[Layer("swim")]), ids).layers[0].algorithm == "swim"
    crowd = settled(Scenario("bully"), list(range(1, 101)))
    assert [layer.algorithm for layer in crowd.layers] == ["swim"]  # 9,900 heartbeats every half second are too many


def test_a_graph_that_does_not_join_the_members_is_refused(tmp_path):
    async def start():
        with pytest.raises(NetworkError, match="the graph joins"):
            Node(Scenario("yoyo", topology=Place(edges=[(1, 2), (2, 7)])), 1, addresses(3), tmp_path)

    asyncio.run(start())
