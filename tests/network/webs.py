"""A node with its HTTP port, and what is said to it byte by byte."""

import asyncio
import json
from contextlib import asynccontextmanager, suppress

from groups import agreed, group, until

from habemus.network.operate.http import HttpServer


async def say(address, request, seconds=30):
    """Send bytes as they are; all that is answered until the connection is closed."""
    reader, writer = await asyncio.open_connection(*address)
    try:
        writer.write(request)
        heard = b""
        with suppress(ConnectionError):
            while data := await asyncio.wait_for(reader.read(65536), seconds):
                heard += data
        return heard
    finally:
        writer.transport.abort()


def get(path, host="127.0.0.1", method="GET", headers=""):
    return f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n".encode("latin-1")


def status_of(answer):
    return int(answer.split(b" ", 2)[1]) if answer else 0


def body_of(answer):
    return json.loads(answer.partition(b"\r\n\r\n")[2])


@asynccontextmanager
async def web(folder, algorithm="raft-election", n=1, **options):
    """A node with its HTTP port."""
    async with group(algorithm, n, folder, wait=0.1) as nodes:
        server = HttpServer(nodes[0], ("127.0.0.1", 0), **options)
        await server.start()
        try:
            await until(lambda: agreed(nodes) or nodes[0].stack.election is None)
            yield server
        finally:
            await server.stop()


def played(folder, story, **options):
    async def play():
        async with web(folder, **options) as server:
            return await asyncio.wait_for(story(server), 60)

    return asyncio.run(play())
