"""Groups of their own voters, for the tests: in threads of this process, each with its directory."""

import socket
from contextlib import ExitStack, contextmanager

import habemus.sync

TTL = 1.5  # seconds


def free_peers(count=3):
    """Addresses that nobody uses."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    peers = ",".join(f"127.0.0.1:{each.getsockname()[1]}" for each in sockets)
    for each in sockets:
        each.close()
    return peers


@contextmanager
def voters(peers, folder, **options):
    """All voters of a group; they want nothing."""
    with ExitStack() as stack:
        options = {"ttl": TTL, "data": folder, "voter": True, **options}
        yield [
            stack.enter_context(habemus.sync.join("orders", peers, id=f"voter {number}", **options))
            for number in range(1, len(peers.split(",")) + 1)
        ]


def node_of(group):
    return group.membership.engine.node


def leader_of(groups):
    """The group object whose voter leads; None if there is none yet."""
    return next((group for group in groups if node_of(group).stack.process.leads), None)
