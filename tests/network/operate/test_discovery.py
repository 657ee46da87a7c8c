"""Processes find each other: by a name, through one of them, or on the local network."""

import asyncio
import shutil
import socket
from contextlib import asynccontextmanager

import pytest
from groups import free_ports, until
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from habemus.network.errors import NetworkError, WireError
from habemus.network.operate import discovery, service
from habemus.network.operate.discovery import MemberSearch, read_members, write_members
from habemus.network.operate.options import NodeOptions
from habemus.network.operate.registry import Registry
from habemus.network.operate.service import Service
from habemus.network.wire.addresses import derive_id
from habemus.network.wire.endpoint import Endpoint
from habemus.network.wire.frames import Registration
from habemus.scenario import Scenario

KEY = b"k" * 16


def ask(**ways):
    return NodeOptions(scenario=Scenario("bully"), **ways)


def search(id, port, expect=None, wait=0.3, key=KEY, group="jobs"):
    own = ("127.0.0.1", port)
    return MemberSearch(group, id, own, key, expect, wait, Endpoint(*own))


async def find_all(searches, options):
    try:
        return await asyncio.wait_for(asyncio.gather(*(each.find_members(options) for each in searches)), 60)
    finally:
        for each in searches:
            each.endpoint.close()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_registry_tells_everybody_the_same_however_its_address_is_written(host):
    async def run():
        ports = free_ports(4)
        searches = [search(id, port, 4, wait=1.0) for id, port in enumerate(ports, start=1)]
        found = await find_all(searches, ask(registry=f"{host}:{ports[2]}"))
        assert found == 4 * [{id: ("127.0.0.1", port) for id, port in enumerate(ports, start=1)}]

    asyncio.run(run())


def test_a_registry_waits_for_the_wanted_number_however_long_it_takes():
    async def run():
        ports = free_ports(3)
        options = ask(registry=f"127.0.0.1:{ports[0]}")
        searches = [search(id, port, 3, wait=0.05) for id, port in enumerate(ports, start=1)]
        early = [asyncio.ensure_future(each.find_members(options)) for each in searches[:2]]
        await asyncio.sleep(0.5)
        assert not any(each.done() for each in early)
        found = [await searches[2].find_members(options), *[await each for each in early]]
        assert all(list(members) == [1, 2, 3] for members in found)
        for each in searches:
            each.endpoint.close()

    asyncio.run(run())


def test_a_registry_takes_nobody_without_the_key_and_nobody_late():
    async def run():
        ports = free_ports(4)
        options = ask(registry=f"127.0.0.1:{ports[0]}")
        first, second = search(1, ports[0], 2), search(2, ports[1], 2)
        stranger = asyncio.ensure_future(search(3, ports[2], 2, key=b"x" * 16).find_members(options))
        early = asyncio.ensure_future(first.find_members(options))
        await asyncio.sleep(0.5)
        assert not early.done()
        assert list(await second.find_members(options)) == list(await early) == [1, 2]
        with pytest.raises(NetworkError, match="the group is complete: 1 at"):
            await search(4, ports[3], 2).find_members(options)
        assert list(await second.find_members(options)) == [1, 2]  # one that asks again is told again
        stranger.cancel()
        first.endpoint.close()

    asyncio.run(run())


def test_two_cannot_have_the_same_id():
    async def run():
        ports = free_ports(3)
        options = ask(registry=f"127.0.0.1:{ports[0]}")
        registry = search(1, ports[0], 3)
        running = asyncio.ensure_future(registry.find_members(options))
        await until(lambda: "jobs" in registry.endpoint.registries)
        waiting = asyncio.ensure_future(search(2, ports[1], 3).find_members(options))
        await until(lambda: 2 in registry.endpoint.registries["jobs"].members)
        with pytest.raises(NetworkError, match=f"process 2 is registered at 127.0.0.1:{ports[1]} already"):
            await search(2, ports[2], 3).find_members(options)
        running.cancel()
        waiting.cancel()
        registry.endpoint.close()

    asyncio.run(run())


@asynccontextmanager
async def services(folder, ports, registry, key):
    """Processes 1 ... n, as `habemus node --registry` runs them; a function that starts one, and their nodes."""
    running = {}

    async def start(id):
        options = ask(registry=f"127.0.0.1:{registry}", listen=f"127.0.0.1:{ports[id - 1]}", expect=len(ports))
        options.id, options.key_file, options.data = id, key, str(folder / str(id))
        options.scenario = Scenario("chang-roberts")
        service = Service(options)
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
def test_a_registry_that_comes_back_sends_the_same_list_again(remembers, tmp_path):
    """From its own memory, or from what the others tell it again."""

    async def run():
        ports = free_ports(3)
        (tmp_path / "key").write_bytes(KEY)
        (tmp_path / "key").chmod(0o600)
        async with services(tmp_path, ports, ports[0], str(tmp_path / "key")) as (start, stop):
            group = [await start(id) for id in (1, 2, 3)]
            await until(lambda: all(hasattr(service, "node") and service.node.leader == 3 for service in group))
            await stop(1)
            if not remembers:
                shutil.rmtree(tmp_path / "1")
            again = await start(1)
            await until(lambda: hasattr(again, "node") and all(link.up for link in again.node.peers.links.values()))
            late = search(3, ports[2], 3, group="habemus")  # one that has lost what it knew asks again, and is told
            assert list(await late.register(("127.0.0.1", ports[0]))) == [1, 2, 3]

    asyncio.run(run())


def names_grow(monkeypatch, *answers):
    """A name server that knows more with every question."""
    replies = iter(answers)
    last = [answers[-1]]

    def getaddrinfo(name, port, **options):
        found = next(replies, last[0])
        if not found:
            raise OSError(-2, "Name or service not known")
        return [(0, 0, 0, "", (host, port)) for host in found]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


def test_a_name_is_asked_until_all_are_there(monkeypatch):
    hosts = [f"127.0.0.{last}" for last in (1, 2, 3)]
    names_grow(monkeypatch, [], hosts[:1], hosts[:2], hosts)
    own = ("127.0.0.1", 7001)
    found = asyncio.run(
        MemberSearch("jobs", derive_id(own), own, KEY, 3, 0.2, None).find_members(ask(peers="dns:jobs.local:7001"))
    )
    assert list(found.values()) == [(host, 7001) for host in hosts]
    assert list(found) == [derive_id((host, 7001)) for host in hosts]


def test_more_than_were_expected_are_a_mistake(monkeypatch):
    names_grow(monkeypatch, ["127.0.0.1", "127.0.0.2", "127.0.0.3"])
    own = ("127.0.0.1", 7001)
    with pytest.raises(NetworkError, match="--expect 2: there are 3 members"):
        asyncio.run(
            MemberSearch("jobs", derive_id(own), own, KEY, 2, 0.2, None).find_members(ask(peers="dns:jobs.local:7001"))
        )


def test_who_is_not_among_those_found_is_told(monkeypatch):
    names_grow(monkeypatch, ["127.0.0.2"])
    own = ("127.0.0.1", 7001)
    with pytest.raises(NetworkError, match="not among the members found"):
        asyncio.run(
            MemberSearch("jobs", derive_id(own), own, KEY, 1, 0.1, None).find_members(ask(peers="dns:jobs.local:7001"))
        )


def test_a_name_server_that_does_not_answer_yet_is_waited_for(tmp_path, monkeypatch):
    real = socket.getaddrinfo
    failures = iter(range(3))

    def fail_at_first(host, *arguments, **options):
        if host == "db1.example" and next(failures, None) is not None:
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        return real("127.0.0.1" if host == "db1.example" else host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", fail_at_first)
    monkeypatch.setattr(service, "RESOLVE_AGAIN", 0.02)

    async def run():
        options = ask(id=1, peers=f"1=db1.example:{free_ports(1)[0]}", data=str(tmp_path))
        node = Service(options)
        running = asyncio.ensure_future(node.run_node(None))
        await until(lambda: running.done() or (hasattr(node, "node") and node.node.leads))
        node.stopping.set()
        assert await running == 0

    asyncio.run(run())
    assert next(failures, None) is None


@pytest.mark.parametrize("lie", [(2, "a..b", 7001), (2, "127.0.0.1", 70_000), (-1, "127.0.0.1", 7001)])
def test_a_registry_believes_no_address_that_cannot_be(lie):
    async def run():
        registry = Registry(KEY, 1, ("127.0.0.1", 7000), 2, None)
        told = [Registration(*lie), Registration(3, "127.0.0.1", 7003, (lie, (1, "127.0.0.1", 7000)))]
        for registration in told:
            with pytest.raises(WireError, match="cannot be at"):
                registry.register(registration, None)
        assert list(registry.members) == [1]

    asyncio.run(run())


NONSENSE = [
    {b"group": b"jobs", b"address": b"\xff\xfe"},
    {b"group": b"jobs", b"address": b"a..b:99999"},
    {b"group": b"jobs"},
    {b"group": b"jobs", b"id": b"1", b"address": b"127.0.0.9:9"},
    {b"group": b"jobs", b"id": b"4", b"address": b"127.0.0.1:1"},
]


@asynccontextmanager
async def announced(*properties):
    """Whoever is on the network may announce anything as a member."""
    network = AsyncZeroconf(interfaces=["127.0.0.1"])
    try:
        names = [(discovery.SERVICE, f"stranger-{number}.{discovery.SERVICE}") for number in range(len(properties))]
        infos = [
            AsyncServiceInfo(*name, parsed_addresses=["127.0.0.1"], port=9, properties=said)
            for name, said in zip(names, properties, strict=True)
        ]
        await asyncio.gather(*(network.async_register_service(info) for info in infos))
        yield
    finally:
        await network.async_close()


def test_processes_find_each_other_on_the_local_network_and_nobody_without_the_key():
    async def run():
        searches = [search(id, port, 3, wait=1.5) for id, port in enumerate(free_ports(3), start=1)]
        other = search(9, free_ports(1)[0], 1, wait=0.5, group="mail")
        failures = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: failures.append(context))
        stolen = {b"group": b"jobs", b"id": b"5", b"address": b"127.0.0.1:%d" % searches[0].own[1]}
        deaf = socket.create_server(("127.0.0.1", 0))
        silent = {b"group": b"jobs", b"id": b"6", b"address": b"127.0.0.1:%d" % deaf.getsockname()[1]}
        with deaf:
            async with announced(*NONSENSE, stolen, silent):
                found = await find_all(searches, ask(zeroconf=True))
        assert all(members == {each.id: each.own for each in searches} for members in found)
        assert not failures
        assert await find_all([other], ask(zeroconf=True)) == [{9: other.own}]

    asyncio.run(run())


def test_what_was_found_is_kept_for_the_next_life(tmp_path):
    assert read_members(tmp_path / "new") is None
    members = {1: ("127.0.0.1", 7001), 7: ("::1", 7002)}
    write_members(tmp_path / "new", members)
    assert read_members(tmp_path / "new") == members
    (tmp_path / "new" / "members.json").write_text("[]")
    with pytest.raises(NetworkError, match="remove it"):
        read_members(tmp_path / "new")
