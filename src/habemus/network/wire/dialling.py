"""Reaches another process: looks its name up, and connects to the first of its addresses that answers.

The resolver of the system takes as long as the name server does, and cannot be interrupted. So it is asked in a thread
that nobody has to wait for: neither the event loop nor, if the answer is not wanted any more, the end of the process.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import Any, TypeVar

from habemus.network.wire.addresses import Address, is_numeric

CONNECT_TIMEOUT = 3.0  # seconds, for each address
NUMERIC = socket.NI_NUMERICHOST | socket.NI_NUMERICSERV

Answer = TypeVar("Answer")
Dialled = TypeVar("Dialled", bound=asyncio.Protocol)


async def ask_in_thread(question: Callable[..., Answer], *arguments: Any, **options: Any) -> Answer:
    """Call a function that may take long. Who is cancelled in the meantime leaves the thread to itself."""
    answer: Future[Answer] = Future()
    answer.set_running_or_notify_cancel()  # from here on it cannot be cancelled, only ignored

    def ask() -> None:
        try:
            answer.set_result(question(*arguments, **options))
        except Exception as error:
            answer.set_exception(error)

    Thread(target=ask, daemon=True).start()
    return await asyncio.wrap_future(answer)


async def look_up(address: Address, flags: int = 0) -> list[Any]:
    """What `socket.getaddrinfo` says of an address; raises OSError."""
    try:
        return await ask_in_thread(socket.getaddrinfo, *address, type=socket.SOCK_STREAM, flags=flags)
    except UnicodeError:
        raise OSError("no host can have this name") from None


async def connect(make_protocol: Callable[[], Dialled], address: Address, tls: ssl.SSLContext | None) -> Dialled:
    """Connect to the first of a host's addresses that answers; raises OSError."""
    host, port = address
    hosts = [host]
    if not is_numeric(host):
        hosts = [socket.getnameinfo(where, NUMERIC)[0] for *_, where in await look_up(address)]
    failure = OSError("the name has no address")
    for each in dict.fromkeys(hosts):
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT):
                loop = asyncio.get_running_loop()
                name = host if tls is not None else None
                _, protocol = await loop.create_connection(make_protocol, each, port, ssl=tls, server_hostname=name)
            return protocol
        except TimeoutError:
            failure = TimeoutError("no answer")
        except OSError as error:
            failure = error
    raise failure
