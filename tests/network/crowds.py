"""Crowds of connections that nobody invited, for the tests."""

import asyncio
import resource
from contextlib import asynccontextmanager, suppress

PAUSE = 1.0  # seconds until somebody who was shown out comes again


def allow_descriptors(count):
    """Let this process open so many descriptors."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(count, hard)), hard))


class Crowd:
    """Connections from one host."""

    def __init__(self):
        self.come = 0  # so far, those included that came again


@asynccontextmanager
async def crowd(address, count, said=b"", source=None):
    """So many connections that say something, then wait; whoever is shown out comes again."""
    allow_descriptors(2 * count + 500)
    visiting = Crowd()
    bound = (source, 0) if source is not None else None

    async def visit():
        while True:
            with suppress(OSError):
                reader, writer = await asyncio.open_connection(*address, local_addr=bound)
                visiting.come += 1
                try:
                    writer.write(said)
                    while await reader.read(1000):
                        pass
                finally:
                    writer.transport.abort()
            await asyncio.sleep(PAUSE)

    visitors = [asyncio.ensure_future(visit()) for _ in range(count)]
    while visiting.come < count:
        await asyncio.sleep(0.05)
    yield visiting
    for each in visitors:
        each.cancel()
    await asyncio.gather(*visitors, return_exceptions=True)
