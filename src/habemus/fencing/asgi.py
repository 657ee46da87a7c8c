"""An ASGI middleware that refuses requests of holders whose lease is over.

A client sends the token of its lease in the header `Fencing-Token`. A request that only reads (GET, HEAD, OPTIONS)
claims as a shared holder, any other as an exclusive one.

    status    means
    400       the header is no positive number
    409       the token is stale; the body says which one was seen
    428       the header is missing, and `required` is set
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from inspect import isawaitable
from typing import Any, Protocol

from habemus.fencing.marks import MemoryFence
from habemus.service.errors import StaleToken

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

HEADER = b"fencing-token"
READS = ("GET", "HEAD", "OPTIONS")


class Claim(Protocol):
    """Notes a token or raises StaleToken; may be a coroutine function."""

    def __call__(self, resource: str, token: int, *, shared: bool = False) -> Awaitable[None] | None: ...


class FencingMiddleware:
    """Guards an application.

    `resource` names what a request is about, given its scope; one lock for the whole application if it is not given.
    `claim` keeps the tokens: in memory, unless it is given, which is enough for one process.
    """

    def __init__(
        self,
        app: Application,
        *,
        resource: Callable[[Scope], str] = lambda scope: "application",
        claim: Claim | None = None,
        required: bool = False,
    ) -> None:
        self.app = app
        self.resource = resource
        self.claim: Claim = MemoryFence().claim if claim is None else claim
        self.required = required

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        values = [value for name, value in scope["headers"] if name.lower() == HEADER]
        if not values and not self.required:
            await self.app(scope, receive, send)
        elif not values:
            await refuse(send, 428, {"error": "the header Fencing-Token is missing"})
        elif len(values) > 1 or not values[0].isdigit() or len(values[0]) > 19:
            await refuse(send, 400, {"error": "Fencing-Token has to be one positive number"})
        else:
            try:
                claimed = self.claim(self.resource(scope), int(values[0]), shared=scope["method"] in READS)
                if isawaitable(claimed):
                    await claimed
            except StaleToken as stale:
                numbers = {"token": str(stale.token), "highest": str(stale.highest)}
                await refuse(send, 409, {"error": str(stale), **numbers})
            else:
                await self.app(scope, receive, send)


async def refuse(send: Send, status: int, answer: dict[str, str]) -> None:
    body = json.dumps(answer).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
