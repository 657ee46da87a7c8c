"""Who may ask: pages that this server gave out, on this machine.

Any page in the browser, from anywhere, can send requests to a port of this machine. So a request has to name this
machine as its host (a name that someone else's name server points here is refused), and if it says from which page it
comes, that has to be one of ours. What runs code or touches processes needs the token besides, which only who started
the lab knows.
"""

from __future__ import annotations

from secrets import compare_digest

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from habemus.lab.workers import RefusedError
from habemus.version import VERSION

HOSTS = ("127.0.0.1", "localhost", "[::1]")
MOST_BYTES = 1_000_000
FORBIDDEN, TOO_LARGE = 403, 413

SERVER = f"habemus/{VERSION}"

POLICY = {
    "content-security-policy": (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; object-src 'none'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'self' http://127.0.0.1:* http://localhost:*"
    ),
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "server": SERVER,
}


class Guard:
    """Lets through to the application what may come, and marks what goes out."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        received = 0

        async def receive_so_much() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > MOST_BYTES:
                raise RefusedError(TOO_LARGE, too_large(received))
            return message

        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(POLICY)
                headers.setdefault("cache-control", "no-cache")  # ask again: the next lab may have another page
            await send(message)

        try:
            check(Headers(scope=scope))
        except RefusedError as error:
            await refusal(error)(scope, receive, send_marked)
        else:
            await self.app(scope, receive_so_much, send_marked)


def check(headers: Headers) -> None:
    """Refuse a request that comes from elsewhere, or is too large."""
    host, origin = headers.get("host", ""), headers.get("origin")
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    if name not in HOSTS:
        raise RefusedError(FORBIDDEN, f"this lab is at 127.0.0.1 or localhost; {host!r} is not its name")
    if origin is not None and origin != f"http://{host}":
        raise RefusedError(FORBIDDEN, f"this lab answers its own page only, not one from {origin}")
    length = headers.get("content-length", "0")
    if length.isdigit() and int(length) > MOST_BYTES:
        raise RefusedError(TOO_LARGE, too_large(int(length)))


def too_large(length: int) -> str:
    """What to say of a request that is too large."""
    return f"the request has {length:,} bytes or more; the lab takes up to {MOST_BYTES:,}"


def check_token(given: str | None, token: str) -> None:
    """Refuse who does not know the token."""
    if given is None or not compare_digest(given.encode(), token.encode()):
        raise RefusedError(FORBIDDEN, "this needs the token of the address that `habemus lab` printed; open that one")


def refusal(error: RefusedError) -> Response:
    """A refusal as the page gets it."""
    return Response(error.encoded(), error.status, media_type="application/json")
