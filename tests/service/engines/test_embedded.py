"""The embedded engine: a group of its own voters grants locks, with deadlines on the clock of the holder."""

import asyncio
import os
import threading
import time

import pytest
from embedded_groups import TTL, free_peers, leader_of, node_of, voters

import habemus
import habemus.sync
from habemus.service.engines.lookout import NOW


def wait_until(condition, seconds=60.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.01)


@pytest.fixture
def peers():
    return free_peers()


def test_the_addresses_are_taken_one_by_one_and_who_finds_none_is_a_client(peers, tmp_path):
    with voters(peers, tmp_path, voter=None) as members:
        assert not any(node_of(member).client for member in members)
        with habemus.sync.join("orders", peers, ttl=TTL, data=tmp_path) as client:
            assert node_of(client).client
            with client.lock("a") as lease:
                lease.ensure()
            with pytest.raises(habemus.GroupError, match="cannot be a voter on this host"):
                habemus.sync.join("orders", peers, ttl=TTL, data=tmp_path, voter=True).__enter__()


def test_one_holds_a_lock_at_a_time_and_tokens_grow_in_the_order_of_asking(peers, tmp_path):
    order, tokens, inside = [], [], []

    def work(number, member):
        with member.lock("a") as lease:
            assert not inside
            inside.append(number)
            order.append(number)
            tokens.append(lease.token)
            time.sleep(0.02)
            inside.clear()

    with voters(peers, tmp_path) as members, habemus.sync.join("orders", peers, ttl=TTL, voter=False) as client:
        everyone = [*members, client]
        with members[0].lock("a") as first:
            threads = []
            for number, member in enumerate(everyone):
                threads.append(threading.Thread(target=work, args=(number, member)))
                threads[-1].start()
                wait_until(lambda: len(members[1].view.find("lock", "a").waiters) == len(threads))
        for thread in threads:
            thread.join()
        assert order == [0, 1, 2, 3] and tokens == sorted(tokens) and first.token < tokens[0]


def test_modes_and_refusals(peers, tmp_path):
    with voters(peers, tmp_path) as (one, two, _):
        with one.lock("a", shared=True) as first, two.lock("a", shared=True) as second:
            assert first.token != second.token
            with pytest.raises(habemus.LockTaken):
                two.lock("a", wait=0).__enter__()
        with one.lock("b", slots=2) as first, two.lock("b", slots=2) as second:
            assert {first.slot, second.slot} == {0, 1}
            with pytest.raises(TimeoutError):
                one.lock("b", slots=2, wait=0.05).__enter__()
            with pytest.raises(habemus.GroupError, match="slots"):
                one.lock("b", slots=3).__enter__()
        wait_until(lambda: not one.view.locks)
        with two.lock("b", slots=3):
            pass


def test_code_that_blocks_the_loop_costs_no_lease(peers, tmp_path):
    async def run():
        joined = habemus.join("orders", peers, ttl=TTL, voter=False, grace=0.1)
        async with joined as group, group.lock("a") as lease:
            first = lease.deadline
            time.sleep(2 * TTL)
            lease.ensure()
            await lease.check()
            assert lease.deadline > first

    with voters(peers, tmp_path):
        asyncio.run(run())


def test_check_asks_a_majority_now(peers, tmp_path):
    with voters(peers, tmp_path) as members:
        lease = members[0].lock("a").__enter__()
        before = lease.deadline
        lease.check()
        assert lease.deadline > before
        for member in members[1:]:
            member.__exit__(None, None, None)
        lease.ensure()  # it is held until its deadline
        with pytest.raises(habemus.LeaseLost):
            lease.check()
        assert not lease.remaining()


def test_a_check_that_was_given_up_does_not_hold_up_the_next(peers, tmp_path, caplog):
    async def main():
        async with habemus.join("orders", peers, ttl=20, voter=False) as group, group.lock("a") as lease:
            for _ in range(50):
                check = asyncio.ensure_future(lease.check())
                await asyncio.sleep(0)  # it has asked
                check.cancel()
            await asyncio.wait_for(lease.check(), 60)

    with voters(peers, tmp_path, ttl=20):
        asyncio.run(main())
    assert "a listener failed" not in caplog.text


def test_a_short_ttl_has_a_short_grace(peers, tmp_path):
    async def main():
        async with habemus.join("orders", peers.split(",")[0], ttl=1, data=tmp_path) as group, group.lock("a"):
            await asyncio.sleep(0.2)

    asyncio.run(main())
    with pytest.raises(ValueError, match=r"grace is a number of seconds from 0 to 0\.5, not 0\.6"):
        habemus.join("orders", ttl=1, grace=0.6)


def test_without_a_majority_a_holder_is_told_and_nobody_is_granted_anything(peers, tmp_path):
    with voters(peers, tmp_path) as members:
        told = []
        with pytest.raises(habemus.LeaseLost) as lost, members[0].lock("a") as lease:
            lease.lost.call(told.append)
            for member in members[1:]:
                member.__exit__(None, None, None)
            wait_until(lambda: told)
            with pytest.raises(habemus.LeaseLost):
                lease.ensure()
        assert told == [lost.value.reason] == ["expired"]
        with pytest.raises(habemus.NoQuorum, match="1 of 3 voters"):
            members[0].lock("a", wait=0).__enter__()
        with pytest.raises(TimeoutError):
            members[0].lock("a", wait=0.1).__enter__()


def test_who_leaves_gives_everything_back_at_once(peers, tmp_path):
    with voters(peers, tmp_path, ttl=60) as members:
        client = habemus.sync.join("orders", peers, ttl=60, voter=False)
        client.__enter__()
        lease = client.lock("a").__enter__()
        lead = leader_of(members)
        held = lead.lock("b").__enter__()
        client.__exit__(None, None, None)
        lead.__exit__(None, None, None)
        other = next(member for member in members if member is not lead)
        with other.lock("a", wait=30), other.lock("b", wait=30):  # long before the ttl
            for gone in (lease, held):
                with pytest.raises(habemus.LeaseLost) as lost:
                    gone.ensure()
                assert lost.value.reason == "closed"


def test_a_voter_that_is_started_again_takes_its_place_and_the_locks_survive(peers, tmp_path):
    joined = habemus.sync.join("orders", peers, ttl=20, voter=False)
    with voters(peers, tmp_path, ttl=20) as members, joined as client, client.lock("a") as lease:
        leader_of(members).__exit__(None, None, None)
        with habemus.sync.join("orders", peers, ttl=20, data=tmp_path) as again:
            assert not node_of(again).client
            with pytest.raises(habemus.LockTaken):
                again.lock("a", wait=0).__enter__()
            lease.check()


def test_an_acquire_that_was_cancelled_leaves_nothing_behind(peers, tmp_path):
    async def run():
        async with habemus.join("orders", peers, ttl=20, voter=False) as group:
            async with group.lock("a"):
                tasks = [asyncio.create_task(group.lock("a").__aenter__()) for _ in range(20)]
                await asyncio.sleep(0.05)
                for task in tasks[:10]:
                    task.cancel()
            await asyncio.sleep(0)
            for task in tasks[10:]:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            done = [task for task in tasks if not task.cancelled()]
            for task in done:
                task.result().grant.release()
            async with group.lock("a", wait=30):
                pass

    with voters(peers, tmp_path, ttl=20):
        asyncio.run(run())


def test_a_child_of_fork_has_to_join_by_itself(peers, tmp_path):
    with voters(peers, tmp_path) as (one, *_), one.lock("a") as lease:
        pid = os.fork()
        if pid == 0:
            errors = 0
            for use in (lease.ensure, lambda: one.lock("b").__enter__()):
                try:
                    use()
                except habemus.ForkedError:
                    errors += 1
            os._exit(errors)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 2
        lease.check()


@pytest.mark.parametrize(
    ("where", "options", "says"),
    [
        ("localhost", {}, "expected HOST:PORT"),
        ("127.0.0.1:1,127.0.0.1:1", {}, "listed twice"),
        (",".join(f"127.0.0.1:{port}" for port in range(1, 12)), {}, "11 voters"),
        ("192.0.2.1:7001", {"voter": False}, "key"),
        ("127.0.0.1:7001", {"key_file": "/nowhere/key"}, "cannot be read"),
        ("redis://localhost", {}, "has no engine"),
    ],
)
def test_what_cannot_work_is_refused_in_one_sentence(where, options, says):
    with pytest.raises(habemus.GroupError, match=says) as refused:
        habemus.sync.join("orders", where, **options).__enter__()
    assert "\n" not in str(refused.value)


def test_a_member_with_another_ttl_is_told_so(peers, tmp_path):
    joined = habemus.sync.join("orders", peers, ttl=2 * TTL, voter=False)
    with voters(peers, tmp_path), joined as other, pytest.raises(habemus.GroupError, match="same parameters"):
        other.lock("a").__enter__()


def test_a_client_sees_the_group_and_what_happens_in_it(peers, tmp_path):
    with voters(peers, tmp_path) as members, habemus.sync.join("orders", peers, id="c", ttl=TTL, voter=False) as client:
        told = []
        stop = client.membership.engine.follow(told.append)
        wait_until(lambda: len(client.view.members) == 4)
        with members[0].lead("boss") as lease, members[1].lock("a", shared=True):
            wait_until(lambda: client.view.leaders == {"boss": "voter 1"})
            view = client.membership.engine.fetch_view().result(60)
            assert view.find("lock", "a").holders[0].shared
            assert view.coordinator in peers and {member.id for member in view.members if not member.voter} == {"c"}
            wait_until(lambda: ("elected", "voter 1", lease.token) in [(e.kind, e.member, e.token) for e in told])
        wait_until(lambda: told[-1].kind == "lost")
        stop()


def test_nothing_is_too_short_to_be_told_and_all_are_told_the_same(peers, tmp_path):
    with voters(peers, tmp_path) as members, habemus.sync.join("orders", peers, id="c", ttl=TTL, voter=False) as client:
        told = {group.id: [] for group in (client, members[0], members[1])}
        for group in (client, members[0], members[1]):
            engine = group.membership.engine
            engine.follow(told[group.id].append)
            wait_until(lambda engine=engine: engine.lookout.told != NOW)
        tokens = []
        for _ in range(20):
            with client.lead("boss") as lease:
                tokens.append(lease.token)
        expected = [("c", "boss", token, kind) for token in tokens for kind in ("elected", "lost")]
        for events in told.values():
            wait_until(lambda events=events: len([event for event in events if event.role]) == 40)
            roles = [event for event in events if event.role]
            assert [(event.member, event.role, event.token, str(event.kind)) for event in roles] == expected
            assert len({event.number for event in events}) == len(events) and events == sorted(
                events, key=lambda event: event.number
            )


def test_the_history_outlives_leaders_and_restarts(peers, tmp_path):
    def roles(group):
        return [(str(event.kind), event.member, event.reason) for event in group.history() if event.role]

    expected = [("elected", "voter 1", ""), ("lost", "voter 1", "released")]
    with voters(peers, tmp_path) as members, habemus.sync.join("orders", peers, ttl=TTL, voter=False) as client:
        with members[0].lead("boss"):
            pass
        wait_until(lambda: roles(client) == roles(members[1]) == expected)
        holding = client.lead("boss")
        holding.__enter__()
        client.membership.engine.close()  # it leaves without giving it back
        expected += [("elected", client.membership.engine.id, ""), ("lost", client.membership.engine.id, "closed")]
        wait_until(lambda: len(roles(members[0])) == 4)
        leader_of(members).__exit__(None, None, None)
        rest = [member for member in members if not member.membership.engine.closed]
        wait_until(lambda: leader_of(rest))
        assert roles(rest[0]) == roles(rest[1]) == expected
        rest[0].pause()
        rest[0].resume()
    with voters(peers, tmp_path) as members:
        wait_until(lambda: leader_of(members))
        assert roles(members[0]) == expected
        kinds = [str(event.kind) for event in members[0].history()]
        assert kinds.index("paused") < kinds.index("resumed")
        for member in members:  # also the one that was away
            own = member.membership.engine.lookout.chronicle
            wait_until(lambda own=own: "resumed" in [event.kind for event in own.since(0)])


def test_a_role_is_transferred_to_a_member_that_waits_for_it(peers, tmp_path):
    with voters(peers, tmp_path) as members:
        engine = members[2].membership.engine
        led = []

        def lead(number):
            with members[number].lead("boss"):
                led.append(number)

        with members[0].lead("boss") as lease:
            with pytest.raises(habemus.GroupError, match="does not wait"):
                engine.transfer("boss", "voter 2").result(60)
            threads = [threading.Thread(target=lead, args=(number,)) for number in (1, 2)]
            for place, thread in enumerate(threads):
                thread.start()
                wait_until(lambda place=place: len(members[0].view.find("role", "boss").waiters) == place + 1)
            engine.transfer("boss", "voter 3").result(60)
            wait_until(lambda: lease.wanted)
            assert lease.grant.wanted == "voter 3"
            lease.ensure()
        for thread in threads:
            thread.join()
        assert led == [2, 1]


def test_while_the_group_is_paused_nobody_is_replaced(peers, tmp_path):
    with voters(peers, tmp_path) as members:
        client = habemus.sync.join("orders", peers, ttl=TTL, voter=False)
        client.__enter__()
        lease = client.lock("a").__enter__()
        members[0].membership.engine.pause(True).result(60)
        wait_until(lambda: members[1].view.paused)
        node = node_of(client)
        client.membership.engine.thread.run_coroutine(node.stop()).result(60)  # it falls silent
        with pytest.raises(TimeoutError):
            members[0].lock("a", wait=2 * TTL).__enter__()
        with pytest.raises(habemus.LeaseLost):  # deadlines go on
            lease.ensure()
        members[0].membership.engine.pause(False).result(60)
        with members[0].lock("a", wait=60):
            pass
        client.__exit__(None, None, None)


def test_with_alive_within_a_blocked_loop_loses_what_it_holds_and_a_living_one_does_not(peers, tmp_path):
    async def run(other):
        async with habemus.join("orders", peers, ttl=60, alive_within=0.5, voter=False) as group:
            with pytest.raises(habemus.LeaseLost):
                async with group.lock("a") as lease:
                    await asyncio.sleep(1)
                    lease.ensure()
                    wait_until(lambda: not lease.remaining())  # it blocks the loop
                    with pytest.raises(habemus.LeaseLost):
                        lease.ensure()
                    with other.lock("a", wait=30):
                        pass

    with voters(peers, tmp_path, ttl=60) as members:
        asyncio.run(run(members[0]))


def test_a_voter_that_leads_has_another_one_stand_before_it_leaves(peers, tmp_path):
    with voters(peers, tmp_path) as members:
        wait_until(lambda: all(node_of(member).stack.process.leader for member in members))
        leader = leader_of(members)
        others = [member for member in members if member is not leader]
        raft = node_of(leader).stack.layers[0]
        term = raft.term
        leader.__exit__(None, None, None)
        if raft.term == term:  # else it has even heard that another one stands
            assert raft.heir in [node_of(member).id for member in others]
            assert raft.match[raft.heir] == raft.commit == raft.entries.last
        wait_until(lambda: leader_of(others))
