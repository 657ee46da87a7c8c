"""Processes find each other: by a name, through one of them, or on the local network."""

import asyncio
import shutil
from contextlib import asynccontextmanager

import pytest
from groups import free_ports, until

from habemus.network.addresses import id_of
from habemus.network.discovery import Search, found_before, remember_members
from habemus.network.endpoint import Endpoint
from habemus.network.errors import NetworkError
from habemus.network.service import Service, Wishes
from habemus.scenario import Scenario

KEY = b"k" * 16


def wishes(**ways):
    return Wishes(scenario=Scenario("bully"), **ways)


def search(id, port, expect=None, quiet=0.3, key=KEY, group="jobs"):
    own = ("127.0.0.1", port)
    return Search(group, id, own, key, expect, quiet, Endpoint(*own))


async def find_all(searches, wish):
    try:
        return await asyncio.wait_for(asyncio.gather(*(each.members(wish) for each in searches)), 60)
    finally:
        for each in searches:
            each.endpoint.close()


@pytest.mark.parametrize(("host", "expect"), [("127.0.0.1", None), ("127.0.0.1", 4), ("localhost", 4)])
def test_a_registry_tells_everybody_the_same_however_its_address_is_written(host, expect):
    async def run():
        ports = free_ports(4)
        searches = [search(id, port, expect, quiet=1.0) for id, port in enumerate(ports, start=1)]
        found = await find_all(searches, wishes(registry=f"{host}:{ports[2]}"))
        assert found == 4 * [{id: ("127.0.0.1", port) for id, port in enumerate(ports, start=1)}]

    asyncio.run(run())


def test_a_registry_waits_for_the_wanted_number_however_long_it_takes():
    async def run():
        ports = free_ports(3)
        wish = wishes(registry=f"127.0.0.1:{ports[0]}")
        searches = [search(id, port, 3, quiet=0.05) for id, port in enumerate(ports, start=1)]
        early = [asyncio.ensure_future(each.members(wish)) for each in searches[:2]]
        await asyncio.sleep(0.5)
        assert not any(each.done() for each in early)
        found = [await searches[2].members(wish), *[await each for each in early]]
        assert all(list(members) == [1, 2, 3] for members in found)
        for each in searches:
            each.endpoint.close()

    asyncio.run(run())


def test_a_registry_takes_nobody_without_the_key_and_nobody_late():
    async def run():
        ports = free_ports(4)
        wish = wishes(registry=f"127.0.0.1:{ports[0]}")
        first, second = search(1, ports[0], 2), search(2, ports[1], 2)
        stranger = asyncio.ensure_future(search(3, ports[2], 2, key=b"x" * 16).members(wish))
        early = asyncio.ensure_future(first.members(wish))
        await asyncio.sleep(0.5)
        assert not early.done()
        assert list(await second.members(wish)) == list(await early) == [1, 2]
        with pytest.raises(NetworkError, match="the group is complete: 1 at"):
            await search(4, ports[3], 2).members(wish)
        assert list(await second.members(wish)) == [1, 2]  # one that asks again is told again
        stranger.cancel()
        first.endpoint.close()

    asyncio.run(run())


def test_two_cannot_have_the_same_id():
    async def run():
        ports = free_ports(3)
        wish = wishes(registry=f"127.0.0.1:{ports[0]}")
        registry = search(1, ports[0], 3)
        running = asyncio.ensure_future(registry.members(wish))
        await until(lambda: "jobs" in registry.endpoint.registries)
        waiting = asyncio.ensure_future(search(2, ports[1], 3).members(wish))
        await until(lambda: 2 in registry.endpoint.registries["jobs"].members)
        with pytest.raises(NetworkError, match=f"process 2 is at 127.0.0.1:{ports[1]} already"):
            await search(2, ports[2], 3).members(wish)
        running.cancel()
        waiting.cancel()
        registry.endpoint.close()

    asyncio.run(run())


@asynccontextmanager
async def services(folder, ports, registry, key):
    """Processes 1 ... n, as `habemus node --registry` runs them; a function that starts one, and their nodes."""
    running = {}

    async def start(id):
        wish = wishes(registry=f"127.0.0.1:{registry}", listen=f"127.0.0.1:{ports[id - 1]}", expect=len(ports))
        wish.id, wish.key_file, wish.data = id, key, str(folder / str(id))
        wish.scenario = Scenario("chang-roberts")
        service = Service(wish)
        running[id] = service, asyncio.ensure_future(service.run_node(None))
        return service

    async def stop(id):
        service, task = running.pop(id)
        service.stopping.set()
        await task

    try:
        yield start, stop
    finally:
        for id in list(running):
            await stop(id)


@pytest.mark.parametrize("remembers", [True, False])
def test_a_registry_that_comes_back_tells_the_roll_again(remembers, tmp_path):
    """From its own memory, or from what the others tell it again."""

    async def run():
        ports = free_ports(3)
        (tmp_path / "key").write_bytes(KEY)
        async with services(tmp_path, ports, ports[0], str(tmp_path / "key")) as (start, stop):
            group = [await start(id) for id in (1, 2, 3)]
            await until(lambda: all(hasattr(service, "node") and service.node.leader == 3 for service in group))
            await stop(1)
            if not remembers:
                shutil.rmtree(tmp_path / "1")
            again = await start(1)
            await until(lambda: hasattr(again, "node") and all(link.up for link in again.node.links.values()))
            late = search(3, ports[2], 3, group="habemus")  # one that has lost what it knew asks again, and is told
            assert list(await late.enlist(("127.0.0.1", ports[0]))) == [1, 2, 3]

    asyncio.run(run())


def names_grow(monkeypatch, *answers):
    """A name server that knows more with every question."""
    replies = iter(answers)
    last = [answers[-1]]

    async def getaddrinfo(self, name, port, **options):
        found = next(replies, last[0])
        if not found:
            raise OSError(-2, "Name or service not known")
        return [(0, 0, 0, "", (host, port)) for host in found]

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", getaddrinfo)


def test_a_name_is_asked_until_nothing_new_comes(monkeypatch):
    hosts = [f"127.0.0.{last}" for last in (1, 2, 3)]
    names_grow(monkeypatch, [], hosts[:1], hosts[:2], hosts)
    own = ("127.0.0.1", 7001)
    found = asyncio.run(
        Search("jobs", id_of(own), own, KEY, None, 0.2, None).members(wishes(peers="dns:jobs.local:7001"))
    )
    assert list(found.values()) == [(host, 7001) for host in hosts]
    assert list(found) == [id_of((host, 7001)) for host in hosts]


def test_more_than_were_expected_are_a_mistake(monkeypatch):
    names_grow(monkeypatch, ["127.0.0.1", "127.0.0.2", "127.0.0.3"])
    own = ("127.0.0.1", 7001)
    with pytest.raises(NetworkError, match="--expect 2: there are 3 members"):
        asyncio.run(Search("jobs", id_of(own), own, KEY, 2, 0.2, None).members(wishes(peers="dns:jobs.local:7001")))


def test_who_is_not_among_those_found_is_told(monkeypatch):
    names_grow(monkeypatch, ["127.0.0.2"])
    own = ("127.0.0.1", 7001)
    with pytest.raises(NetworkError, match="not among those found"):
        asyncio.run(Search("jobs", id_of(own), own, KEY, None, 0.1, None).members(wishes(peers="dns:jobs.local:7001")))


def test_processes_find_each_other_on_the_local_network():
    async def run():
        searches = [search(id, port, 3, quiet=1.5) for id, port in enumerate(free_ports(3), start=1)]
        other = search(9, free_ports(1)[0], 1, quiet=0.5, group="mail")
        found = await find_all([*searches], wishes(zeroconf=True))
        assert all(list(members) == [1, 2, 3] for members in found)
        assert list(await other.members(wishes(zeroconf=True))) == [9]

    asyncio.run(run())


def test_what_was_found_is_kept_for_the_next_life(tmp_path):
    assert found_before(tmp_path / "new") is None
    members = {1: ("127.0.0.1", 7001), 7: ("::1", 7002)}
    remember_members(tmp_path / "new", members)
    assert found_before(tmp_path / "new") == members
    (tmp_path / "new" / "members.json").write_text("[]")
    with pytest.raises(NetworkError, match="remove it"):
        found_before(tmp_path / "new")
