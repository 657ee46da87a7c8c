"""A small HTTP server: one answer a connection, whole or as a stream.

It is what a node needs for its endpoints, and no more, so that a service which runs a node installs no web framework.
Idle, slow and needless connections cannot use up what the node itself needs: their number is limited (listener.py), and
so is the time to send a request and to take the answer.

Pages that only tell are for everybody who can connect, but not for every page in a browser: the Host header has to name
this server, which stops DNS rebinding. What acts (POST) needs the bearer token.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import logging
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import aclosing, suppress
from http import HTTPStatus
from urllib.parse import parse_qsl, unquote

import msgspec

from habemus.network.wire.listener import Guest, Listener, share_descriptors

LONGEST_HEAD = 16 * 1024  # bytes of a request
LONGEST_BODY = 16 * 1024  # nobody needs one
PATIENCE = 10.0  # seconds for a request to arrive, and for each piece of its answer to be taken
MOST_CONNECTIONS, PART = 128, 8  # and at most an eighth of the file descriptors
SCHEME = "bearer "

Query = Mapping[str, str]


class Response:
    """What is sent back: a body, or a stream of pieces."""

    def __init__(
        self,
        body: bytes | AsyncGenerator[bytes, None],
        status: int = HTTPStatus.OK,
        media_type: str = "application/json",
        headers: Iterable[str] = (),
    ) -> None:
        self.body = body
        self.status = status
        self.media_type = media_type
        self.headers = headers

    @property
    def head(self) -> bytes:
        """The status line and the headers."""
        lines = [
            f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}",
            f"content-type: {self.media_type}",
            "cache-control: no-store",
            "x-content-type-options: nosniff",
            "connection: close",
            *self.headers,
        ]
        if isinstance(self.body, bytes):
            lines.append(f"content-length: {len(self.body)}")
        return "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n"


Route = Callable[[Query], Awaitable[Response]]


class Request:
    """The head of a request; raises ValueError if it is malformed."""

    def __init__(self, head: bytes) -> None:
        first, *rest = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
        words = first.split(" ")
        if len(words) != 3 or words[2] not in ("HTTP/1.0", "HTTP/1.1") or not words[1].startswith("/"):
            raise ValueError("expected METHOD /PATH HTTP/1.1 in the first line")
        self.method, target, self.version = words
        self.path, _, query = target.partition("?")
        self.query: Query = dict(parse_qsl(query, max_num_fields=20))
        self.headers: dict[str, str] = {}
        for line in rest:
            name, colon, value = line.partition(":")
            name = name.lower()
            if not colon or not name or name != name.strip():
                raise ValueError("expected NAME: VALUE in each header line")
            if name in self.headers and name in ("host", "content-length", "authorization"):
                raise ValueError(f"the header {name} is there twice")
            self.headers[name] = value.strip()

    @property
    def length(self) -> int:
        """Bytes in the body."""
        if "transfer-encoding" in self.headers:
            raise ValueError("a body needs a Content-Length")
        length = self.headers.get("content-length", "0")
        if not (length.isascii() and length.isdecimal()) or len(length) > 9 or int(length) > LONGEST_BODY:
            raise ValueError(f"Content-Length: expected a number up to {LONGEST_BODY}")
        return int(length)


class WebServer:
    """Answers requests for the paths of its routes: GET and HEAD for what tells, POST for what acts."""

    def __init__(
        self,
        routes: Mapping[str, Route],
        actions: Mapping[str, Route],
        names: Collection[str] = (),
        token: bytes | None = None,
    ) -> None:
        """`names`: of this server, beside its addresses. `token`: None if nobody may act."""
        self.routes = routes
        self.actions = actions
        self.names = {name.lower() for name in names}
        self.token = token
        self.connections: set[asyncio.Task[None]] = set()
        self.streams = 0
        most = share_descriptors(MOST_CONNECTIONS, PART)
        # A browser may well open a connection that it does not use: no reason to warn.
        self.listener = Listener("an HTTP connection", most, PATIENCE, self.make_protocol, level=logging.INFO)

    @property
    def most_streams(self) -> int:
        """Streams may last, so they leave room for the rest."""
        return max(1, self.listener.most // 2)

    def start(self, listening: Iterable[socket.socket]) -> None:
        self.listener.start(listening)

    async def stop(self) -> None:
        """Accept no more connections and end those that are open."""
        self.listener.close()
        await asyncio.gather(*self.listener.beginning, return_exceptions=True)
        for connection in self.connections:
            connection.cancel()
        await asyncio.gather(*self.connections, return_exceptions=True)

    def make_protocol(self, guest: Guest) -> asyncio.Protocol:
        reader = asyncio.StreamReader(limit=LONGEST_HEAD)

        def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            # A task of our own: one that StreamReaderProtocol makes would be logged when it is cancelled.
            task = asyncio.get_running_loop().create_task(self.serve(guest, reader, writer))
            self.connections.add(task)
            task.add_done_callback(self.connections.discard)

        return asyncio.StreamReaderProtocol(reader, serve)

    async def serve(self, guest: Guest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request, then close the connection."""
        try:
            # The client has gone or is too slow, or `stop` was called.
            with suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
                await self.reply(guest, reader, writer)
                writer.close()
                async with asyncio.timeout(PATIENCE):
                    await writer.wait_closed()
        finally:
            writer.transport.abort()  # a client that does not read would keep it open for ever
            guest.leave()

    async def reply(self, guest: Guest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read a request and write its answer."""
        method = "GET"
        try:
            request = Request(await reader.readuntil(b"\r\n\r\n"))
            await reader.readexactly(request.length)
        except asyncio.LimitOverrunError:
            answer = problem(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, f"the limit is {LONGEST_HEAD:,} bytes")
        except ValueError as error:
            answer = problem(HTTPStatus.BAD_REQUEST, str(error))
        else:
            method = request.method
            answer = await self.answer(request)
        if not isinstance(answer.body, bytes) and self.streams >= self.most_streams:
            answer = problem(HTTPStatus.SERVICE_UNAVAILABLE, f"{self.streams} others read a stream already")
        guest.settle()
        if writer.transport.is_closing():
            return  # the client has gone; uvloop would raise RuntimeError
        writer.write(answer.head)
        body = answer.body if method != "HEAD" else b""
        if isinstance(body, bytes):
            writer.write(body)
            async with asyncio.timeout(PATIENCE):
                await writer.drain()
        else:
            self.streams += 1  # with no await since the look at it: many may ask at the same moment
            try:
                await send_stream(body, reader, writer)
            finally:
                self.streams -= 1

    async def answer(self, request: Request) -> Response:
        """The answer to a request."""
        refusal = self.check_host(request)
        if refusal is not None:
            return refusal
        table = self.actions if request.method == "POST" else self.routes
        route, query = find_route(table, request)
        if route is None or request.method not in ("GET", "HEAD", "POST"):
            known = [find_route(each, request)[0] is not None for each in (self.routes, self.actions)]
            allowed = ["GET", "HEAD"] * known[0] + ["POST"] * known[1]
            if not allowed:
                return problem(HTTPStatus.NOT_FOUND, "there is nothing at this path")
            words = ", ".join(allowed)
            return problem(HTTPStatus.METHOD_NOT_ALLOWED, f"expected {words}", [f"allow: {words}"])
        refusal = self.check_token(request) if table is self.actions else None
        return refusal or await route(query)

    def check_host(self, request: Request) -> Response | None:
        """Refuse a request for another server's name: a page of that name could read the answer."""
        host = request.headers.get("host")
        if host is None:
            if request.version == "HTTP/1.0":  # as load balancers send it; a browser always names a host
                return None
            return problem(HTTPStatus.BAD_REQUEST, "the header Host is missing")
        if names_address(host) or without_port(host) in self.names:
            return None
        return problem(HTTPStatus.FORBIDDEN, "the header Host names another server; --http-host gives this one a name")

    def check_token(self, request: Request) -> Response | None:
        """Refuse a request to act without the token."""
        if self.token is None:
            return problem(HTTPStatus.FORBIDDEN, "nobody may act here: start it with --http-token-file FILE")
        given = request.headers.get("authorization", "")
        right = given[: len(SCHEME)].lower() == SCHEME and hmac.compare_digest(
            given[len(SCHEME) :].strip().encode("latin-1"), self.token
        )
        if right:
            return None
        said = "this needs the header Authorization: Bearer TOKEN with the token of this node"
        return problem(HTTPStatus.UNAUTHORIZED, said, ["www-authenticate: Bearer"])


def find_route(table: Mapping[str, Route], request: Request) -> tuple[Route | None, Query]:
    """The route of a path. One that ends in a slash gets the rest of the path, its `name`, with the query."""
    if not request.path.endswith("/"):
        route = table.get(request.path)
        if route is not None:
            return route, request.query
    first, slash, name = request.path.removeprefix("/").partition("/")
    return table.get(f"/{first}/") if slash and name else None, {**request.query, "name": unquote(name)}


def without_port(host: str) -> str:
    """The host of a Host header, as names are compared."""
    name, colon, port = host.lower().rpartition(":")
    return (name if colon and port.isdecimal() else host.lower()).removesuffix(".")


def names_address(host: str) -> bool:
    """Whether a Host header names an IP address or localhost, which no other server can have as its own name."""
    name = without_port(host)
    if name == "localhost":
        return True
    try:
        ipaddress.ip_address(name[1:-1] if name.startswith("[") and name.endswith("]") else name)
    except ValueError:
        return False
    return True


async def send_stream(
    pieces: AsyncGenerator[bytes, None], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Send pieces as they come, until there are no more, or the client closes the connection or does not read."""

    async def send() -> None:
        async with aclosing(pieces):
            async for piece in pieces:
                writer.write(piece)
                async with asyncio.timeout(PATIENCE):
                    await writer.drain()

    async def wait_for_close() -> None:
        while await reader.read(1024):
            pass

    sending, closed = asyncio.ensure_future(send()), asyncio.ensure_future(wait_for_close())
    try:
        await asyncio.wait((sending, closed), return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (sending, closed):
            task.cancel()
        await asyncio.gather(sending, closed, return_exceptions=True)


def problem(status: HTTPStatus, sentence: str, headers: Iterable[str] = ()) -> Response:
    return Response(msgspec.json.encode({"error": sentence}), status, headers=headers)
