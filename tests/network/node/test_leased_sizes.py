"""The leased group on a real network, with many locks and long queues: a step costs the same as with few."""

import asyncio
import time

import pytest
from groups import until
from test_leased_nodes import Program, group_with_clients

from habemus.replication.leases import Exchange, Give, Held, Want

FEW, MANY = (400, 40), (4000, 400)  # locks that are held, and requests that wait for one of them


class Owner(Program):
    """Gives back at once what it was told to pass on."""

    def __init__(self, node, passing):
        super().__init__(node)
        self.count = 0
        self.passing = passing

    def hear(self, change):
        if isinstance(change.subject, Held):
            self.count += 1
            if change.subject.ticket in self.passing:
                self.give(change.subject.ticket)

    def give(self, ticket):
        self.node.command("release", Give(ticket))


async def cost_of(folder, locks, queue):
    """Processor time of all voters for each lock, and for each hand-over in the queue."""
    async with group_with_clients(folder, 0) as (members, _):
        await until(lambda: any(member.node.leads for member in members))
        owner = Owner(members[0].node, range(locks + 1, locks + queue + 1))
        begin = time.process_time()
        wanted = [Want(number, f"name {number}") for number in range(1, locks + 1)]
        assert owner.node.command("exchange", Exchange((), tuple(wanted)))
        await until(lambda: owner.count == locks)
        middle = time.process_time()
        assert owner.node.command("exchange", Exchange((), tuple([Want(each, "queue") for each in owner.passing])))
        await until(lambda: owner.count == locks + queue)
        end = time.process_time()
        table = owner.node.stack.process.table
        assert len(table.locks) >= locks
        return (middle - begin) / locks, (end - middle) / queue


@pytest.mark.timing
def test_a_lock_and_a_hand_over_cost_as_much_beside_ten_times_as_many(tmp_path):
    few = asyncio.run(cost_of(tmp_path / "few", *FEW))
    many = asyncio.run(cost_of(tmp_path / "many", *MANY))
    assert many[0] < 3 * few[0] and many[1] < 3 * few[1], (few, many)
