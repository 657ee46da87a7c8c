"""Nobody gets in who cannot prove to be a member, and nobody listens to the world who does not ask for proof."""

import asyncio
from pathlib import Path

import pytest
from groups import addresses, agreed, group, until

from habemus.network.errors import NetworkError
from habemus.network.node.node import Node
from habemus.network.wire.endpoint import Endpoint
from habemus.network.wire.security import Certificates, read_certificates, require_protection
from habemus.scenario import Scenario

PEMS = Path(__file__).parent / "certificates"
RAFT = Scenario("raft-election", parameters={"low": 300, "high": 600, "heartbeat": 100})


def certificates(name):
    return Certificates(str(PEMS / f"{name}.pem"), str(PEMS / f"{name}.key"), str(PEMS / "ca.pem"))


def tls_node(id, where, folder, name):
    tls = certificates(name)
    return Node(RAFT, id, where, folder, endpoint=Endpoint(*where[id], tls.accepting), dialling_tls=tls.dialling)


def test_members_with_certificates_of_one_authority_elect_and_others_do_not_get_in(tmp_path):
    async def elect():
        where = addresses(3)
        members = [tls_node(id, where, tmp_path / str(id), "member") for id in (1, 2)]
        stranger = tls_node(3, where, tmp_path / "3", "stranger")
        bare = Node(RAFT, 3, where, tmp_path / "bare", endpoint=Endpoint("127.0.0.1", 0))
        everyone = [*members, stranger, bare]
        try:
            await asyncio.gather(*(node.start() for node in everyone))
            await until(lambda: agreed(members))
            assert all(not link.up for link in [*stranger.peers.links.values(), *bare.peers.links.values()])
            assert all(node.peers.inbound.keys() <= {1, 2} for node in members)
        finally:
            for node in everyone:
                await node.stop()

    asyncio.run(elect())


def test_a_key_works_on_top_of_tls(tmp_path):
    async def elect():
        tls = certificates("member")
        where = addresses(2)
        nodes = [
            Node(
                *(RAFT, id, where, tmp_path / str(id)),
                key=b"k" * 16,
                endpoint=Endpoint(*where[id], tls.accepting),
                dialling_tls=tls.dialling,
            )
            for id in where
        ]
        await asyncio.gather(*(node.start() for node in nodes))
        await until(lambda: agreed(nodes))
        for node in nodes:
            await node.stop()

    asyncio.run(elect())


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "2001:db8::7", "no.such.host.invalid"])
def test_off_loopback_there_is_no_start_without_key_or_certificates(host):
    with pytest.raises(NetworkError, match="have to authenticate"):
        require_protection([("127.0.0.1", 7001), (host, 7002)], None, False)
    require_protection([(host, 7002)], b"k" * 16, False)
    require_protection([(host, 7002)], None, True)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_on_one_machine_nothing_is_required(host):
    require_protection([(host, 7001)], None, False)


def test_certificates_that_cannot_be_used_are_named():
    with pytest.raises(NetworkError, match="--tls-cert nowhere"):
        read_certificates("nowhere", "nowhere", "nowhere")
    assert read_certificates(None, None, None) is None


def test_nodes_meet_over_ipv6_and_listen_elsewhere_than_they_are_reached(tmp_path):
    async def elect():
        ports = [port for _, port in addresses(2).values()]
        where = {1: ("::1", ports[0]), 2: ("localhost", ports[1])}
        nodes = [
            Node(RAFT, 1, where, tmp_path / "1", endpoint=Endpoint("::1", ports[0])),
            Node(RAFT, 2, where, tmp_path / "2", endpoint=Endpoint("127.0.0.1", ports[1])),
        ]
        await asyncio.gather(*(node.start() for node in nodes))
        await until(lambda: agreed(nodes))
        for node in nodes:
            await node.stop()

    asyncio.run(elect())


def test_members_who_run_something_else_are_refused_and_logged(tmp_path, caplog):
    async def meet():
        where = addresses(2)
        async with group(RAFT, 1, tmp_path / "one", {1: where[1], 2: where[2]}, wait=0.1) as nodes:
            assert len(nodes) == 2  # the second one is replaced by a node that runs another algorithm
            await nodes[1].stop()
            other = Node(Scenario("bully"), 2, where, tmp_path / "other", wait=0.3)
            await other.start()
            assert not other.peers.links[1].up
            await other.stop()

    with caplog.at_level("INFO", "habemus.network"):
        asyncio.run(meet())
    assert "the peer runs bully over heartbeat, not raft-election" in caplog.text


def test_a_node_of_a_program_does_not_start_unprotected_either(tmp_path):
    async def start():
        where = {1: ("127.0.0.1", 0), 2: ("192.0.2.1", 7001)}
        for endpoint, dialling in (
            (None, None),
            (None, certificates("member").dialling),
        ):  # nobody proves anything to us
            node = Node(RAFT, 1, where, tmp_path, endpoint=endpoint, dialling_tls=dialling)
            with pytest.raises(NetworkError, match=r"192\.0\.2\.1:7001 can be reached from other machines"):
                await node.start()
            await node.stop()

    asyncio.run(start())
