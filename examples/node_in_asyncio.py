"""A leader for an asyncio program: three nodes elect one, it leaves, the others elect another.

Here all three run in one program on loopback. In a real service each host runs one `Node` with the same members, a
shared key, and a directory that survives restarts.
"""

import asyncio
import socket
from tempfile import TemporaryDirectory

from habemus import Node, Scenario


def free_addresses(n: int) -> dict[int, tuple[str, int]]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    addresses = {id: each.getsockname() for id, each in enumerate(sockets, start=1)}
    for each in sockets:
        each.close()
    return addresses


async def agree(nodes: list[Node]) -> int:
    """Wait until all nodes follow the same leader."""
    while True:
        leader, *others = {node.leader for node in nodes}
        if leader is not None and not others:
            return leader
        await asyncio.sleep(0.01)


async def main() -> None:
    members = free_addresses(3)
    with TemporaryDirectory() as folder:
        nodes = [Node(Scenario("bully"), id, members, f"{folder}/{id}") for id in members]
        await asyncio.gather(*(node.start() for node in nodes))
        print(f"process {await agree(nodes)} leads")

        leader = next(node for node in nodes if node.leads)
        await leader.leave()
        others = [node for node in nodes if node is not leader]
        print(f"process {leader.id} has left, process {await agree(others)} leads")
        await asyncio.gather(*(node.leave() for node in others))


if __name__ == "__main__":
    asyncio.run(main())
