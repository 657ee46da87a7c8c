"""Which requests are allowed: those of the lab's own page, on this machine.

Any page in the browser can send requests to a port of this machine. So the Host header of a request must name this
machine (this stops DNS rebinding), and its Origin header, if there is one, must be the lab's own. A request that runs
code or controls processes also needs the token, which is known only to whoever started the lab.
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
    """Passes allowed requests on to the application, and sets the security headers of its responses."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        received = 0

        async def receive_limited() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > MOST_BYTES:
                raise RefusedError(TOO_LARGE, explain_size(received))
            return message

        async def send_with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(POLICY)
                headers.setdefault("cache-control", "no-cache")  # the next version of the lab may serve other files
            await send(message)

        try:
            check_request(Headers(scope=scope))
        except RefusedError as error:
            await respond_refusal(error)(scope, receive, send_with_policy)
        else:
            await self.app(scope, receive_limited, send_with_policy)


def check_request(headers: Headers) -> None:
    """Refuse a request that comes from another page or host, or is too large."""
    host, origin = headers.get("host", ""), headers.get("origin")
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    if name not in HOSTS:
        raise RefusedError(FORBIDDEN, f"the lab answers at 127.0.0.1 and localhost only, not at {host!r}")
    if origin is not None and origin != f"http://{host}":
        raise RefusedError(FORBIDDEN, f"the lab answers its own page only, not a page from {origin}")
    length = headers.get("content-length", "0")
    if length.isdecimal() and int(length) > MOST_BYTES:
        raise RefusedError(TOO_LARGE, explain_size(int(length)))


def explain_size(length: int) -> str:
    return f"the request has {length:,} bytes or more; the lab accepts up to {MOST_BYTES:,}"


def check_token(given: str | None, token: str) -> None:
    if given is None or not compare_digest(given.encode(), token.encode()):
        raise RefusedError(FORBIDDEN, "the token is missing or wrong; open the address that `habemus lab` printed")


def respond_refusal(error: RefusedError) -> Response:
    return Response(error.encode(), error.status, media_type="application/json")
