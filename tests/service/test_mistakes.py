"""What developers of services get wrong: it does no harm, and they are told in one sentence."""

import asyncio
import logging
import os

import pytest
from service.engines.embedded_groups import TTL, free_peers

import habemus
import habemus.sync


@pytest.fixture(params=["file", "embedded"])
def place(request, where, tmp_path):
    """The parameters of `join` for each engine."""
    if request.param == "file":
        return {"where": where}
    return {"where": free_peers(1), "ttl": TTL, "data": tmp_path}


def test_a_lease_that_is_kept_after_its_with_is_not_held(place):
    told = []

    async def main():
        async with habemus.join("orders", **place) as group:
            async with group.lock("a") as lease:
                lease.lost.call(told.append)
                lease.ensure()
            assert not lease.is_held and lease.remaining() == 0 and "given back" in repr(lease)
            with pytest.raises(habemus.LeaseLost, match="it was given back") as caught:
                lease.ensure()
            assert caught.value.reason == "released"
            with pytest.raises(habemus.LeaseLost, match="it was given back"):
                await lease.check()
            assert not lease.lost and not told  # nothing was lost

    asyncio.run(main())
    with habemus.sync.join("orders", **place) as group:
        with group.lock("a") as lease:
            pass
        with pytest.raises(habemus.LeaseLost, match="it was given back"):
            lease.ensure()


def test_whatever_a_child_of_fork_does_with_the_group_it_is_told_to_join_by_itself(place):
    with habemus.sync.join("orders", **place) as group:
        uses = [
            lambda: group.id,
            lambda: group.view,
            group.events,
            group.history,
            group.pause,
            group.show_life,
            lambda: group.transfer("a", to="b"),
            lambda: group.lead("a").__enter__(),
        ]
        child = os.fork()
        if not child:
            refused = 0
            try:
                for use in uses:
                    try:
                        use()
                    except habemus.ForkedError:
                        refused += 1
            finally:
                os._exit(0 if refused == len(uses) else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert not group.view.paused


def test_two_members_in_one_process_have_names_of_their_own(place):
    with habemus.sync.join("orders", **place) as first, habemus.sync.join("orders", **place) as second:
        assert first.id != second.id


@pytest.mark.parametrize("option", [{"key_file": "key"}, {"tls": ("a", "b", "c")}, {"data": "x"}, {"voter": True}])
def test_who_forgets_the_addresses_of_a_group_on_several_hosts_is_told(option, where):
    for address in (None, where):
        with pytest.raises(habemus.GroupError, match="give the addresses of its voters"):
            habemus.join("orders", address, **option)


def test_one_guarantee_alone_can_be_required(where):
    habemus.join("orders", where, require=habemus.FENCED)
    with pytest.raises(habemus.GroupError, match="cannot promise quorum"):
        habemus.join("orders", where, require=habemus.QUORUM)


@pytest.mark.parametrize("option", [{"slots": True}, {"shared": "yes"}, {"shared": 1}])
def test_an_argument_of_another_type_is_refused(option, where):
    with pytest.raises((TypeError, ValueError), match=next(iter(option))):
        habemus.join("orders", where).lock("a", **option)


def test_a_singleton_without_a_name_is_refused_at_once(where):
    async def main():
        async with habemus.join("orders", where) as group:
            with pytest.raises(TypeError, match="role is a string"):

                @group.singleton
                async def cleanup(lease):
                    pass

    asyncio.run(main())


def test_a_singleton_that_fails_is_logged_at_once_even_if_nobody_waits_for_it(where, caplog):
    async def main():
        async with habemus.join("orders", where) as group:

            @group.singleton("cleanup")
            async def cleanup(lease):
                raise ZeroDivisionError("no orders")

            while not caplog.records:
                await asyncio.sleep(0.001)
            (record,) = caplog.records
            assert record.levelno == logging.ERROR and "'cleanup' failed" in record.message
            assert "no orders" in caplog.text

    with pytest.raises(ZeroDivisionError):
        asyncio.run(main())


def test_who_waits_for_voters_that_cannot_be_reached_is_told_why(caplog):
    trouble = "0 of 3 voters of 'orders' can be reached (Connection refused)"
    with (
        habemus.sync.join("orders", free_peers(), ttl=0.2, voter=False) as group,
        pytest.raises(TimeoutError) as caught,
        group.lock("a", wait=1),
    ):
        pass
    assert str(caught.value) == f'nobody could say within 1 s whether "a" is free: {trouble}'
    assert [record.message for record in caplog.records] == [f"nobody can be granted anything: {trouble}"]


def test_who_still_waits_for_a_lock_when_the_group_is_left_is_told(place):
    async def wait_for_lock(group):
        with pytest.raises(habemus.GroupError, match="this group was left while"):
            async with group.lock("a"):
                pass
        return "told"

    async def main():
        async with habemus.join("orders", **place) as other, other.lock("a"):
            async with habemus.join("orders", **place) as group:
                waiting = asyncio.ensure_future(wait_for_lock(group))
                while not other.view.find("lock", "a").waiters:
                    await asyncio.sleep(0.001)
            assert await asyncio.wait_for(waiting, 60) == "told"

    asyncio.run(main())
