"""The leased group on a real network: many locks and sessions over one port, clients that are no members, and holders
that were stopped."""

import asyncio
from contextlib import asynccontextmanager

import pytest
from groups import addresses, traced_group, until

from habemus.checking.answer.validation import validate
from habemus.network.errors import NetworkError
from habemus.network.node import clock, peers
from habemus.network.node.change import ChangeKind
from habemus.network.node.client import Client
from habemus.network.node.node import Node
from habemus.replication.leases import Dead, Denied, Give, Held, LeaseLost, Want
from habemus.scenario import Layer, Scenario
from habemus.trace import read_trace
from habemus.trace.merging import merge

IDS = [1, 2, 3]
KEY = b"0123456789abcdef"
LONG = 60_000  # milliseconds; no busy machine stands still for so long


def leased(ttl=LONG, **more):
    raft = Layer("raft", {"voters": IDS, "low": 300, "high": 600, "heartbeat": 60})
    times = {"ttl": ttl, "renew": ttl // 4, "sweep": ttl // 20}
    return Scenario("leased-group", parameters={**times, "voters": IDS, **more}, layers=[raft])


class Program:
    """Uses the locks of a node, and remembers what it was told."""

    def __init__(self, node):
        self.node = node
        self.told = []
        node.listeners.append(self.hear)

    def hear(self, change):
        if change.what == ChangeKind.INDICATION:
            self.told.append(change.subject)

    def want(self, ticket, name, **mode):
        assert self.node.command("acquire", Want(ticket, name, **mode))

    def give(self, ticket):
        assert self.node.command("release", Give(ticket))

    def of(self, kind):
        return {said.ticket: said for said in self.told if isinstance(said, kind)}

    @property
    def held(self):
        return self.of(Held)


@asynccontextmanager
async def voters(folder, scenario=None, where=None):
    where = where or addresses(3)
    nodes = [Node(scenario or leased(), id, where, folder / str(id), key=KEY) for id in IDS]
    try:
        await asyncio.gather(*(node.start() for node in nodes))
        yield nodes
    finally:
        for node in nodes:
            await node.stop()


@asynccontextmanager
async def group_with_clients(folder, count=1, **options):
    where = addresses(3)
    async with voters(folder, leased(**options), where) as nodes:
        clients = [Client(leased(**options), where, key=KEY) for _ in range(count)]
        try:
            for client in clients:
                await client.start()
            yield [Program(node) for node in nodes], [Program(client) for client in clients]
        finally:
            for client in clients:
                await client.leave()


def test_many_locks_of_many_sessions_go_over_one_port_each_with_its_own_token(tmp_path):
    async def run():
        async with group_with_clients(tmp_path, 3) as (members, clients):
            programs = [*members, *clients]
            for place, program in enumerate(programs):
                for number in range(1, 21):
                    program.want(number, f"{place}/{number}")
                program.want(21, "read by all", shared=True)
                program.want(22, "for two", slots=2)
            await until(lambda: all(len(program.held) >= 21 for program in programs))
            await until(lambda: sum(22 in program.held for program in programs) == 2)
            tokens = [held.token for program in programs for held in program.held.values()]
            assert len(set(tokens)) == len(tokens) == 6 * 21 + 2
            table = members[0].node.stack.process.table
            await until(lambda: len(table.sessions) == 6)

    asyncio.run(run())


def test_a_lock_goes_from_client_to_member_to_client_in_the_order_in_which_they_asked(tmp_path):
    async def run():
        async with group_with_clients(tmp_path, 2) as (members, clients):
            order = [clients[0], members[2], clients[1], members[0]]
            tables = [member.node.stack.process.table for member in members]
            for number, program in enumerate(order):
                program.want(1, "a")
                await until(lambda seen=number: any(len(t.waiters("a")) == seen and t.holders("a") for t in tables))
            for program in order:
                await until(lambda program=program: 1 in program.held)
                program.give(1)
            tokens = [program.held[1].token for program in order]
            assert tokens == sorted(tokens) and len(set(tokens)) == 4

    asyncio.run(run())


def test_what_voters_recorded_validates_though_clients_record_nothing(tmp_path):
    async def run():
        async with traced_group(leased(), 3, tmp_path) as nodes:
            client = Client(leased(), nodes[0].addresses)
            await client.start()
            program = Program(client)
            program.want(1, "a")
            await until(lambda: program.held)
            program.give(1)
            await until(lambda: not any(node.stack.process.table.locks for node in nodes))
            await client.leave()
        return client.id

    client = asyncio.run(run())
    traces = [read_trace(tmp_path / f"{id}.jsonl") for id in IDS]
    assert validate(merge(traces)) > 20
    heard = [carried for trace in traces for event in trace.events for carried in event.received]
    assert {carried.type for carried in heard if carried.sender == client} >= {"KeepAlive", "Submit"}


def test_a_program_is_told_of_refusals_and_of_the_end_of_its_session(tmp_path):
    async def run():
        async with group_with_clients(tmp_path) as (members, (client,)):
            client.want(1, "a")
            await until(lambda: client.held)
            members[0].want(1, "a", wait=False)
            await until(lambda: members[0].of(Denied))
            assert members[0].of(Denied)[1].reason == "taken"
            session = client.node.stack.process.session
            assert members[1].node.command("declare dead", Dead(session))
            await until(lambda: client.of(LeaseLost))
            assert client.of(LeaseLost)[1].token == client.held[1].token

    asyncio.run(run())


def test_a_client_follows_the_leader_and_repeats_what_was_not_answered_once(tmp_path):
    async def run():
        async with group_with_clients(tmp_path) as (members, (client,)):
            client.want(1, "a")
            await until(lambda: client.held)
            leader = next(member for member in members if member.node.leads)
            await leader.node.stop()
            client.want(2, "b")
            client.give(1)
            await until(lambda: 2 in client.held)
            rest = [member.node for member in members if member is not leader]
            await until(lambda: any(node.leads and not node.stack.process.table.holders("a") for node in rest))
            (leads,) = [node for node in rest if node.leads]
            assert [held.request for held in leads.stack.process.table.holders("b")] == [2]
            assert len(client.told) == 2 and not client.of(LeaseLost)

    asyncio.run(run())


def test_a_client_that_is_cut_off_asks_again_and_gets_one_grant(tmp_path):
    async def run():
        async with group_with_clients(tmp_path) as (members, (client,)):
            client.want(1, "a")
            await until(lambda: client.held)
            client.node.peers.block(IDS)
            client.want(2, "b")
            table = members[0].node.stack.process.table
            await until(lambda: table.holders("b"))  # the answer does not arrive
            client.node.peers.block([])
            await until(lambda: 2 in client.held)
            assert len(client.told) == 2

    asyncio.run(run())


def test_a_stop_shorter_than_the_lease_costs_nothing_and_a_longer_one_is_noticed_first(tmp_path, monkeypatch):
    async def run():
        async with voters(tmp_path) as nodes:
            await until(lambda: any(node.leads for node in nodes))
            member = Program(next(node for node in nodes if not node.leads))
            member.node.command("acquire")
            await until(lambda: member.node.inside)
            real = clock.now
            monkeypatch.setattr(clock, "now", lambda: real() + LONG // 2 * 1_000_000)
            assert member.node.inside
            await until(lambda: member.node.stack.process.attempt > 1 and not member.node.stack.process.pending)
            assert member.node.inside and not member.of(LeaseLost)
            monkeypatch.setattr(clock, "now", lambda: real() + 2 * LONG * 1_000_000)
            assert not member.node.inside  # nothing has arrived, and no timer has been waited for
            assert member.of(LeaseLost)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (leased(ttl=1000), "all members need the same parameters"),
        (leased(voters=[1, 2]), "members"),
    ],
)
def test_a_client_that_runs_something_else_is_told_so(tmp_path, other, says):
    async def run():
        where = addresses(3)
        async with voters(tmp_path, where=where):
            known = {id: where[id] for id in other.parameters["voters"]}
            client = Client(other, known, key=KEY)
            await client.open()
            with pytest.raises(NetworkError, match=says):
                await asyncio.wait_for(client.wait_ended(), 60)
            await client.stop()

    asyncio.run(run())


def test_clients_leave_descriptors_for_the_members(tmp_path, monkeypatch):
    monkeypatch.setattr(peers, "MOST_CLIENTS", 1)

    async def run():
        where = addresses(3)
        async with voters(tmp_path, where=where) as nodes:
            first, second = Client(leased(), where, key=KEY), Client(leased(), where, key=KEY)
            await first.start()
            await until(lambda: len(first.peers.connected) == 3)
            await second.open()
            await until(lambda: any("not now: 1 clients" in link.logged_reason for link in second.peers.links.values()))
            assert not second.peers.connected
            nodes[0].peers.links[2].connection.abort("the test")  # a member is not a client
            await until(lambda: nodes[0].peers.links[2].up)
            await first.leave()
            await until(lambda: second.peers.connected)
            await second.stop()

    asyncio.run(run())


def test_an_election_has_no_clients(tmp_path):
    async def run():
        where = addresses(1)
        async with Node(Scenario("raft-election"), 1, where, tmp_path, wait=0.05):
            client = Client(Scenario("raft-election"), where)
            await client.open()
            with pytest.raises(NetworkError, match="has no clients"):
                await asyncio.wait_for(client.wait_ended(), 60)
            await client.stop()

    asyncio.run(run())
