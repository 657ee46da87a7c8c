"""The connections of browsers to the lab, limited in number and in the time to ask and to take the answer."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from habemus.network.wire.listener import Guest

PATIENCE = 10.0  # seconds for a request to arrive, and for a piece of its answer to be taken
MOST_CONNECTIONS, PART = 256, 4  # and at most a quarter of the file descriptors


class PageConnection(H11Protocol):
    """A connection that waits, or whose request is being answered."""

    def __init__(self, guest: Guest, **rest: Any) -> None:
        super().__init__(**rest)
        self.guest = guest
        self.blocked: asyncio.TimerHandle | None = None  # while nobody reads: ends the connection when it expires

    def connection_lost(self, exc: Exception | None) -> None:
        self.guest.leave()
        self.unblock()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete and not self.cycle.more_body:
            self.guest.settle()

    def on_response_complete(self) -> None:
        super().on_response_complete()  # it may find the next request in what it has received already
        if self.cycle.response_complete and not self.transport.is_closing():
            self.guest.wait()

    def pause_writing(self) -> None:
        super().pause_writing()
        self.blocked = asyncio.get_running_loop().call_later(PATIENCE, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self.unblock()

    def unblock(self) -> None:
        if self.blocked is not None:
            self.blocked.cancel()
            self.blocked = None
