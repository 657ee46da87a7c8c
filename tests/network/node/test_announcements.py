"""What a node makes known is true when it is said: of its term, of its end, and of the lock."""

import asyncio
from contextlib import suppress

import pytest
from groups import group, traced_group, until

from habemus.election.raft_election import RequestVote, Vote
from habemus.network.errors import NetworkError
from habemus.network.node import clock
from habemus.network.node.stack import TICK
from habemus.network.node.storage import Storage
from habemus.network.operate.status import status
from habemus.network.wire.frames import Follows
from habemus.network.wire.link import Link
from habemus.process import Durable, Election, Pid, upon_command, upon_start, upon_suspect
from habemus.scenario import Scenario

PATIENT = Scenario("raft-election", parameters={"low": 50_000, "high": 60_000, "heartbeat": 10_000})
STEADFAST = 60_000  # milliseconds; a stall that no busy machine causes


def test_a_leadership_that_ends_in_the_turn_in_which_it_began_is_reported_in_its_own_term(tmp_path):
    """A vote and the request of the next candidate arrive together."""

    async def run():
        async with group(PATIENT, 3, tmp_path, stall=STEADFAST) as nodes:
            node = nodes[0]
            heard, shown = [], []
            node.listeners.append(lambda change: heard.append((change.what, change.subject, change.term)))
            node.listeners.append(lambda change: shown.append((status(node)["leader"], status(node)["term"])))
            node.turn(node.stack.election.stand)  # it stands
            term = node.term
            batch = [(Vote(term), None), (RequestVote(term + 1), None)]
            node.turn(lambda: node.peers.deliver(2, batch))
            assert heard == [("leader", 1, term), ("leader", None, term + 1)]
            assert shown == [(None, term), (None, term + 1)]  # when it could be asked, it led no longer
            assert [(change.subject, change.term) for change in node.history] == [(1, term), (None, term + 1)]
            assert node.term == term + 1

    asyncio.run(run())


class Fragile(Election):
    """Leads, asks for the lock of nobody, and fails as it is told."""

    name = "fragile"
    topology = "complete"

    count: Durable[int] = 0

    @upon_start
    def take_office(self) -> None:
        self.elect(self.id)

    @upon_suspect
    def note(self, subject: Pid) -> None:
        """Nothing to do."""

    @upon_command("write")
    def write(self) -> None:
        self.count += 1

    @upon_command("break")
    def break_down(self) -> None:
        raise ZeroDivisionError("a bug of the algorithm")

    @upon_command("interrupt")
    def be_interrupted(self) -> None:
        raise KeyboardInterrupt


@pytest.mark.parametrize("command", ["write", "break", "interrupt"])
def test_whatever_ends_a_node_its_office_is_given_up_first_and_its_peers_are_told(command, tmp_path, monkeypatch):
    async def run():
        async with group(Scenario(f"{__name__}:Fragile"), 2, tmp_path, stall=STEADFAST) as (one, two):
            assert one.leads
            heard = []
            one.listeners.append(lambda change: heard.append((change.what, change.subject, one.leads)))
            monkeypatch.setattr(Storage, "write", fail_to_write)
            with suppress(KeyboardInterrupt):
                one.command(command)
            assert heard == [("leader", None, False)] and one.failure is not None
            assert not one.leads and one.command("start") is False
            await until(lambda: two.stack.suspected == [1])  # though nobody has called stop()
            await until(lambda: 1 not in two.peers.inbound)

    def fail_to_write(self, record):
        raise NetworkError("the disk is full")

    asyncio.run(run())


def test_a_trace_that_cannot_be_written_does_not_keep_a_node_from_ending(tmp_path):
    async def run():
        async with traced_group(Scenario("bully"), 1, tmp_path) as (node,):
            await until(lambda: node.leads)
            node.recording.write(b"the last words\n")
            node.recording.file.close()
            node.recording.file = open("/dev/full", "wb", buffering=0)  # noqa: SIM115 - closed below
            with pytest.raises(NetworkError, match="No space left"):
                await node.stop()
            node.recording.file.close()
            assert node.ended.done() and not node.leads
            Storage(tmp_path / "1").open()  # the directory is free

    asyncio.run(run())


def test_a_release_is_sent_only_after_everybody_here_knows_that_the_lock_is_gone(tmp_path, monkeypatch):
    order = []
    send = Link.send_reliable

    def note_send(self, message):
        order.append((self.node.owner.id, "sends"))
        send(self, message)

    async def run():
        async with group("ricart-agrawala", 2, tmp_path, stall=STEADFAST) as (one, two):
            for node in (one, two):
                node.listeners.append(lambda change, who=node.id: order.append((who, change.what)))
            assert one.command("acquire")
            await until(lambda: one.inside)
            assert two.command("acquire")
            await until(lambda: one.stack.mutex.deferred == {2})
            monkeypatch.setattr(Link, "send_reliable", note_send)
            order.clear()
            assert one.command("release")
            await until(lambda: two.inside)

    asyncio.run(run())
    assert order[:3] == [(1, "leave"), (1, "sends"), (2, "enter")]


def test_peers_are_told_that_a_process_leads_no_longer_after_everybody_here_knows_it(tmp_path, monkeypatch):
    order = []
    send = Link.send_control

    def note_send(self, body):
        order.append(body)
        send(self, body)

    async def run():
        async with group("bully", 2, tmp_path, stall=STEADFAST) as (one, two):
            await until(lambda: one.leader == two.leader == 2)
            monkeypatch.setattr(Link, "send_control", note_send)
            two.listeners.append(lambda change: order.append((change.what, change.subject)))
            two.withdraw()
            assert order == [("leader", None), Follows(None)]

    asyncio.run(run())


def test_what_a_slow_listener_held_up_for_too_long_is_not_sent(tmp_path, monkeypatch):
    async def run():
        async with group(PATIENT, 3, tmp_path, stall=STEADFAST) as nodes:
            node, real = nodes[0], clock.now
            node.turn(node.stack.election.stand)

            def be_slow(change):
                if change.subject == 1:
                    monkeypatch.setattr(clock, "now", lambda: real() + 2 * STEADFAST * TICK)

            node.listeners.append(be_slow)
            node.turn(lambda: node.peers.deliver(2, [(Vote(node.term), None)]))
            monkeypatch.setattr(clock, "now", real)
            assert node.counts["stalls"] == 1 and not node.leads
            assert node.peers.messages_sent["Heartbeat"] == 0

    asyncio.run(run())
