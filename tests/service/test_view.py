"""What members see of their group: who is there, who leads, what happens; transfer, pause, history."""

import asyncio
import gc
import signal
import time
from pathlib import Path

import pytest

import habemus
import habemus.sync
from habemus.service import events
from habemus.service.engines import history
from habemus.service.view import LOCK, ROLE, EventKind

PATIENCE = 60
LEAD = """
with habemus.sync.join("orders", WHERE, id=sys.argv[2], metadata={"zone": "north"}) as group:
    with group.lead("scheduler") as lease:
        print(lease.token)
        sys.stdin.readline()
"""


def until(condition):
    deadline = time.monotonic() + PATIENCE
    while not (result := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.002)
    return result


async def until_async(condition):
    async with asyncio.timeout(PATIENCE):
        while not (result := condition()):
            await asyncio.sleep(0.002)
    return result


def test_the_view_shows_members_with_their_metadata_and_locks_with_holders_and_waiters(programs, where):
    leader = programs.start(LEAD, "a")
    token = int(leader.stdout.readline())
    programs.start(LEAD, "b")
    with habemus.sync.join("orders", where, id="c") as group, group.lock("sku/42", shared=True) as lease:
        view = until(lambda: (seen := group.view).find(LOCK, "sku/42").holders and len(seen.members) == 3 and seen)
        view = until(lambda: (seen := group.view).find(ROLE, "scheduler").waiters and seen)
        assert [member.id for member in view.members] == ["a", "b", "c"] and all(
            member.alive for member in view.members
        )
        assert view.members[0].metadata == {"zone": "north", "pid": str(leader.pid)}
        assert view.leaders == {"scheduler": "a"} and view.has_quorum and not view.paused
        role = view.find(ROLE, "scheduler")
        assert [holder.token for holder in role.holders] == [token]
        assert [waiter.member for waiter in role.waiters] == ["b"]
        lock = view.find(LOCK, "sku/42")
        assert [(holder.member, holder.token, holder.shared) for holder in lock.holders] == [("c", lease.token, True)]
        assert group.view.find(LOCK, "nothing").holders == ()


def test_an_event_for_every_change_in_order_and_a_death_is_one(programs, where):
    with habemus.sync.join("orders", where, id="c") as group:
        stream = group.events()
        before = group.view.version
        first = programs.start(LEAD, "a")
        token = int(first.stdout.readline())
        second = programs.start(LEAD, "b")
        until(lambda: group.view.find(ROLE, "scheduler").waiters)
        first.send_signal(signal.SIGKILL)
        next_token = int(second.stdout.readline())
        second.communicate("\n")
        seen = []
        for event in stream:
            seen.append(event)
            if event.kind == EventKind.LEFT and event.member == "b":
                break
        told = [(event.kind, event.member, event.role, event.token, event.reason) for event in seen]
        assert told == [
            ("joined", "a", "", 0, ""),
            ("elected", "a", "scheduler", token, ""),
            ("joined", "b", "", 0, ""),
            ("lost", "a", "scheduler", token, "dead"),
            ("left", "a", "", 0, "dead"),
            ("elected", "b", "scheduler", next_token, ""),
            ("lost", "b", "scheduler", next_token, "released"),
            ("left", "b", "", 0, "closed"),
        ]
        numbers = [event.number for event in seen]
        assert numbers == sorted(set(numbers)) and before < numbers[0] and numbers[-1] == group.view.version
        assert group.history()[-8:] == seen


def test_a_follower_hears_of_a_death_although_nobody_waits_for_anything(programs, where):
    with habemus.sync.join("orders", where) as group:
        leader = programs.start(LEAD, "a")
        leader.stdout.readline()
        stream = group.events()
        leader.kill()
        assert [next(stream).kind for _ in range(2)] == ["lost", "left"]


def test_a_slow_reader_is_told_how_much_it_missed_and_holds_up_nobody(where, monkeypatch):
    monkeypatch.setattr(events, "BACKLOG", 5)

    async def main():
        async with habemus.join("orders", where) as group:
            stream = group.events()
            for _ in range(10):
                async with group.lead("a"):
                    pass
            await until_async(lambda: len(stream.backlog) + stream.missed == 20)
            first = await anext(stream)
            assert first == habemus.Lagged(15)
            assert [(await anext(stream)).kind for _ in range(5)] == ["lost", "elected", "lost", "elected", "lost"]

    asyncio.run(main())


def test_events_end_with_the_group(where):
    async def main():
        async with habemus.join("orders", where) as group:
            reading = asyncio.create_task(read(group.events()))
            await asyncio.sleep(0.01)
        return await reading

    async def read(stream):
        return [event async for event in stream]

    assert asyncio.run(main()) == []


def test_a_stream_that_nobody_reads_any_more_is_followed_no_longer(where):
    with habemus.sync.join("orders", where) as group:
        stream = group.events()
        assert len(group.membership.engine.followers) == 1
        del stream
        gc.collect()
        assert not group.membership.engine.followers


def test_a_transferred_role_passes_to_the_chosen_member_after_the_body_has_ended(where):
    async def lead(id, log):
        async with habemus.join("orders", where, id=id) as group:
            try:
                async with group.lead("scheduler") as lease:
                    log.append(id)
                    try:
                        await asyncio.sleep(PATIENCE)
                    finally:
                        lease.ensure()  # it is held while the body ends
                        await asyncio.sleep(0.01)
                        log.append(f"{id} ended")
            except habemus.LeaseLost as lost:
                log.append(lost.reason)

    async def main():
        log = []
        async with habemus.join("orders", where, id="operator") as group:
            tasks = [asyncio.create_task(lead("a", log))]
            await until_async(lambda: log)
            tasks += [asyncio.create_task(lead(id, log)) for id in ("b", "c", "d", "e")]
            await until_async(lambda: len(group.view.find(ROLE, "scheduler").waiters) == 4)
            await group.transfer("scheduler", to="d")
            await until_async(lambda: len(log) == 4)
            assert log == ["a", "a ended", "deposed", "d"] or log == ["a", "a ended", "d", "deposed"]
            assert group.view.leaders == {"scheduler": "d"}
            with pytest.raises(habemus.GroupError, match='"x" does not wait for the role "scheduler": b, c, e'):
                await group.transfer("scheduler", to="x")
            with pytest.raises(habemus.GroupError, match='"d" leads "scheduler" already'):
                await group.transfer("scheduler", to="d")
            with pytest.raises(habemus.GroupError, match='"x" does not wait for the role "nothing": nobody does'):
                await group.transfer("nothing", to="x")
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(main())


def test_a_reservation_for_a_member_that_died_holds_up_nobody(programs, where):
    leader = programs.start(LEAD, "a")
    leader.stdout.readline()
    chosen, other = programs.start(LEAD, "b"), programs.start(LEAD, "c")
    with habemus.sync.join("orders", where) as group:
        until(lambda: len(group.view.find(ROLE, "scheduler").waiters) == 2)
        chosen.send_signal(signal.SIGSTOP)  # it is there, but cannot take over
        until(lambda: Path(f"/proc/{chosen.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T")
        group.transfer("scheduler", to="b")
        leader.communicate("\n")
        time.sleep(0.05)
        assert group.view.leaders == {}
        chosen.kill()
        assert other.stdout.readline()


def test_a_singleton_that_was_transferred_waits_for_its_turn_again(where):
    async def main():
        runs = []

        async def member(id):
            async with habemus.join("orders", where, id=id) as group:

                @group.singleton("cleanup")
                async def cleanup(lease):
                    runs.append(id)
                    await asyncio.sleep(PATIENCE)

                await cleanup

        async with habemus.join("orders", where) as group:
            tasks = [asyncio.create_task(member(id)) for id in ("a", "b")]
            for turn in range(1, 4):
                await until_async(lambda turn=turn: len(runs) == turn)
                other = await until_async(
                    lambda: [waiter.member for waiter in group.view.find(ROLE, "cleanup").waiters]
                )
                await group.transfer("cleanup", to=other[0])
            await until_async(lambda: len(runs) == 4)
            assert runs[0] != runs[1] and runs[0::2] == [runs[0]] * 2 and runs[1::2] == [runs[1]] * 2
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(main())


def test_nobody_new_leads_during_a_pause_and_the_leader_goes_on(programs, where):
    with habemus.sync.join("orders", where) as group:
        leader, waiting = programs.start(LEAD, "a"), None
        leader.stdout.readline()
        group.pause()
        assert group.view.paused and group.view.leaders == {"scheduler": "a"}
        waiting = programs.start(LEAD, "b")
        until(lambda: group.view.find(ROLE, "scheduler").waiters)
        leader.kill()
        until(lambda: not group.view.leaders)
        time.sleep(0.05)
        assert not group.view.leaders
        with group.lock("sku/42", wait=0):
            pass
        group.resume()
        assert waiting.stdout.readline() and not group.view.paused
        kinds = [event.kind for event in group.history()]
        assert kinds.index("paused") < kinds.index("resumed") < len(kinds) - 1


def test_an_id_is_used_by_one_member_at_a_time(where):
    with habemus.sync.join("orders", where, id="a"):
        with pytest.raises(habemus.GroupError, match='"a" is the id of another member'):
            habemus.sync.join("orders", where, id="a").__enter__()
        with habemus.sync.join("orders", where) as one, habemus.sync.join("orders", where) as two:
            assert len({one.id, two.id, "a"}) == 3 and two.id == f"{one.id}.2"
    with habemus.sync.join("orders", where, id="a") as again:
        assert again.id == "a"


def test_a_group_is_joined_before_it_is_used_and_once(where):
    group = habemus.sync.join("orders", where)
    for use in (lambda: group.view, lambda: group.lock("a").__enter__(), group.events, group.history, group.pause):
        with pytest.raises(habemus.GroupError, match="is not joined yet"):
            use()
    with group:
        pass
    with pytest.raises(habemus.GroupError, match="call join again"):
        group.__enter__()
    with pytest.raises(habemus.GroupError, match="was left"):
        _ = group.view


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"name": 42}, "name is a string, not 42"),
        ({"name": "a\nb"}, "name has 1 to 500 printable characters"),
        ({"id": ""}, "id has 1 to 100 printable characters"),
        ({"ttl": 0}, "ttl is a number of seconds from 0.1 to 86400, not 0"),
        ({"ttl": "10"}, "ttl is a number of seconds, not '10'"),
        ({"ttl": float("nan")}, "ttl is a number of seconds from 0.1"),
        ({"grace": 11}, "grace is a number of seconds from 0 to 5, not 11"),
        ({"priority": 1.5}, "priority is an integer, not 1.5"),
        ({"alive_within": -1}, "alive_within is a number of seconds from 0.1"),
        ({"metadata": "zone"}, "metadata is a mapping of strings to strings"),
        ({"metadata": {"zone": 1}}, "metadata is a mapping of strings to strings"),
        ({"metadata": {"zone": 1001 * "x"}}, "metadata has at most 1000 characters"),
        ({"tls": ("a", "b")}, "tls is three paths"),
        ({"http": 80}, "http is a string, not 80"),
        ({"data": 1}, "data is a path, not 1"),
        ({"require": ["fast"]}, "'fast' is no guarantee: there are habemus.FENCED, habemus.QUORUM"),
    ],
    ids=lambda given: next(iter(given)) if isinstance(given, dict) else "",
)
def test_options_that_make_no_sense_are_refused_in_one_sentence(options, sentence, where):
    with pytest.raises((TypeError, ValueError, habemus.GroupError)) as refused:
        habemus.join(**{"name": "orders", "where": where, **options})
    assert sentence in str(refused.value) and "\n" not in str(refused.value)


def test_an_application_that_hangs_loses_what_it_holds_if_it_asked_for_that(where):
    async def main():
        async with habemus.join("orders", where, alive_within=0.4) as group:
            with pytest.raises(habemus.LeaseLost) as lost:
                async with group.lock("a") as lease:
                    await asyncio.sleep(1)
                    lease.ensure()  # the loop turns: that is enough
                    deadline = time.monotonic() + PATIENCE
                    while not lease.lost and time.monotonic() < deadline:
                        time.sleep(0.01)  # and now it does not
                    with habemus.sync.join("orders", where) as other, other.lock("a", wait=PATIENCE):
                        pass
                    await asyncio.sleep(PATIENCE)
            assert lost.value.reason == "expired"

    asyncio.run(main())


def test_old_events_are_forgotten_and_numbers_go_on(where, monkeypatch):
    monkeypatch.setattr(history, "FULL", 2000)
    directory = Path(where.removeprefix("file://"))
    with habemus.sync.join("orders", where) as group:
        for _ in range(100):
            with group.lead("a"):
                pass
        files = list(directory.glob("history-*"))
        kept = group.history()
        assert len(files) == 2 and sum(file.stat().st_size for file in files) < 5000
        assert kept[-1].kind == "lost" and kept[-1].number == group.view.version
        assert [event.number for event in kept] == sorted({event.number for event in kept})


def test_a_damaged_record_is_passed_over(where):
    directory = Path(where.removeprefix("file://"))
    with habemus.sync.join("orders", where) as group:
        (directory / "members" / "x").write_text("nonsense")
        with next(directory.glob("history-*")).open("a") as file:
            file.write("nonsense\n")
        with group.lead("a"):
            assert len(group.view.members) == 1 and group.view.leaders == {"a": group.id}
        assert not (directory / "members" / "x").exists()
        assert [event.kind for event in group.history()] == ["joined", "elected", "lost"]
