"""The server of the lab, and its routes.

    /  /static/...                              the page
    /api/catalogue  /api/source/NAME            what there is to run
    /api/scenarios[/NAME]  /api/thumbnails/NAME.svg     the named scenarios
    /api/run  /api/step  /api/export/FORMAT     one run: computed at once, chosen step by step, as a file
    /api/quorum  /api/timeout                   calculations
    /api/check  /api/sweep  /api/compare  /api/timeouts     many runs: progress, then the result, as server-sent events
    /api/live  /api/live/...                    a cluster of real processes (live.py)

Answers are JSON; a refusal is {"error": a sentence} with a 4xx or 5xx status.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from habemus.catalogue import UnknownAlgorithmError
from habemus.lab import entries
from habemus.lab.connections import MOST_CONNECTIONS, PART, PATIENCE, PageConnection
from habemus.lab.exporting import FORMATS
from habemus.lab.guard import Guard, check_token, respond_refusal
from habemus.lab.live import COMMANDS, Live
from habemus.lab.questions import Cut, Launch, check_limits, parse_question
from habemus.lab.workers import PROGRESS, Pool, RefusedError, WorkerLimits
from habemus.network.errors import NetworkError
from habemus.network.operate.cluster import Cluster
from habemus.network.operate.service import run_loop
from habemus.network.operate.signals import call_when_told_to_end
from habemus.network.wire.listener import Guest, Listener, share_descriptors
from habemus.scenario import ScenarioError, named_scenarios
from habemus.version import VERSION

STATIC = Path(__file__).parent / "static"
FORBIDDEN, NOT_FOUND, NOT_ALLOWED, UNPROCESSABLE = 403, 404, 405, 422
DISTURBANCES = ("kill", "pause", "resume", "restart", *COMMANDS)
GB = 1_000_000_000
USUAL_PORT = 8114
NOT_STORED = {"cache-control": "no-store"}
QUEUE = 64  # requests in the queue for a worker
QUICK, LONG = WorkerLimits(seconds=10, memory=GB), WorkerLimits(seconds=660, memory=4 * GB)
LONG_AT_ONCE, LONG_QUEUE = 2, 8


LONG_JOBS = ("check", "sweep", "compare", "timeouts")


class Lab:
    """The server: its token, its workers, and what it allows."""

    def __init__(self, code: bool = True, cluster: Cluster | None = None) -> None:
        self.code = code
        self.live = Live(cluster)
        self.token = secrets.token_urlsafe(24)
        self.quick = Pool(max(2, min(4, os.cpu_count() or 1)), QUEUE, QUICK)
        self.long = Pool(LONG_AT_ONCE, LONG_QUEUE, LONG)
        self.named = named_scenarios()
        self.thumbnails: dict[tuple[str, str], bytes] = {}
        self.listed: dict[str, Any] = {}  # the catalogue, described once
        self.app = Starlette(
            routes=[
                Route("/", self.page),
                Mount("/static", StaticFiles(directory=STATIC)),
                Route("/api/catalogue", self.catalogue),
                Route("/api/source/{name}", self.source),
                Route("/api/scenarios", self.scenarios),
                Route("/api/scenarios/{name}", self.scenario),
                Route("/api/thumbnails/{name}.svg", self.thumbnail),
                Route("/api/run", self.run, methods=["POST"]),
                Route("/api/step", self.step, methods=["POST"]),
                *(Route(f"/api/{job}", self.calculate(job), methods=["POST"]) for job in ("quorum", "timeout", "read")),
                Route("/api/export/{format}", self.export, methods=["POST"]),
                *(Route(f"/api/{job}", self.stream(job), methods=["POST"]) for job in LONG_JOBS),
                Route("/api/live", self.live_status),
                Route("/api/live/events", self.live_events),
                Route("/api/live/start", self.live_start, methods=["POST"]),
                Route("/api/live/stop", self.live_stop, methods=["POST"]),
                Route("/api/live/cut", self.live_cut, methods=["POST"]),
                Route("/api/live/heal", self.live_heal, methods=["POST"]),
                Route("/api/live/{what}/{id:int}", self.live_disturb, methods=["POST"]),
            ],
            exception_handlers={
                RefusedError: answer_refusal,
                NetworkError: answer_mistake,
                UnknownAlgorithmError: answer_mistake,
                ScenarioError: answer_mistake,
                NOT_FOUND: answer_not_found,
                NOT_ALLOWED: answer_not_allowed,
            },
        )
        self.config = uvicorn.Config(
            Guard(self.app),
            log_level="error",  # a malformed request is no news for the terminal
            access_log=False,
            server_header=False,
            proxy_headers=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=2,
        )
        self.server = uvicorn.Server(self.config)
        most = share_descriptors(MOST_CONNECTIONS, PART)
        self.listener = Listener("an HTTP connection", most, PATIENCE, self.make_connection, level=logging.INFO)

    async def start(self, port: int | None) -> str:
        """Start to serve; returns the address of the page, with the token."""
        listening = open_listener(port)
        await self.quick.warm_up()
        # Not `serve`: it installs signal handlers, and the caller has its own. Nor `startup`: it accepts without limit.
        self.config.load()
        self.server.lifespan = self.config.lifespan_class(self.config)
        self.server.servers = []
        self.listener.start([listening])
        return f"http://127.0.0.1:{listening.getsockname()[1]}/?token={self.token}"

    def make_connection(self, guest: Guest) -> PageConnection:
        return PageConnection(guest, config=self.config, server_state=self.server.server_state, app_state={})

    async def stop(self) -> None:
        """Stop serving; end the workers, and the cluster if a page started it."""
        self.listener.close()
        await asyncio.gather(self.quick.close(), self.long.close(), self.live.close())
        await self.server.shutdown()

    # The page ------------------------------------------------------------------------------------------------------

    async def page(self, request: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    async def catalogue(self, request: Request) -> Response:
        """Every algorithm, and what this lab allows."""
        if not self.listed:
            self.listed = msgspec.json.decode(await self.quick.ask("catalogue", b""))
        cluster = self.live.cluster is not None
        allowed = {"code": self.code, "live": self.code or cluster, "cluster": cluster, "sandbox": self.quick.isolated}
        return answer_json({"version": VERSION, **allowed, **self.listed})

    async def source(self, request: Request) -> Response:
        name = request.path_params["name"]
        if ":" in name:
            raise RefusedError(NOT_FOUND, f"there is no algorithm {name!r} in the catalogue")
        return respond_json(await self.quick.ask("source", name.encode()))

    async def scenarios(self, request: Request) -> Response:
        return answer_json(entries.list_scenarios(self.named))

    async def scenario(self, request: Request) -> Response:
        name = request.path_params["name"]
        scenario = self.named.get(name)
        if scenario is None:
            raise RefusedError(NOT_FOUND, f"there is no scenario {name!r}")
        return answer_json(scenario)

    async def thumbnail(self, request: Request) -> Response:
        name, theme = request.path_params["name"], request.query_params.get("theme", "auto")
        if name not in self.named or theme not in ("auto", "light", "dark"):
            raise RefusedError(NOT_FOUND, f"there is no scenario {name!r} with theme {theme!r}")
        if (name, theme) not in self.thumbnails:
            self.thumbnails[name, theme] = await self.quick.ask("thumbnail", f"{name}\n{theme}".encode())
        headers = {"cache-control": "max-age=3600"}
        return Response(self.thumbnails[name, theme], media_type="image/svg+xml", headers=headers)

    # Questions -----------------------------------------------------------------------------------------------------

    async def run(self, request: Request) -> Response:
        body = await request.body()
        return respond_json(await self.quick.ask("run", body, self.has_code(request, body)))

    async def step(self, request: Request) -> Response:
        body = await request.body()
        return respond_json(await self.quick.ask("step", body, self.has_code(request, body)))

    def calculate(self, job: str) -> Callable[[Request], Any]:
        """The handler of a request that is answered by a calculation."""

        async def respond(request: Request) -> Response:
            return respond_json(await self.quick.ask(job, await request.body()))

        return respond

    async def export(self, request: Request) -> Response:
        body = await request.body()
        format = request.path_params["format"]
        if format not in FORMATS:
            raise RefusedError(NOT_FOUND, f"there is no format {format!r}; there are: {', '.join(FORMATS)}")
        code = self.has_code(request, body)
        content = await self.quick.ask("export", f"{format}\n".encode() + body, code)
        name, kind, _ = FORMATS[format]
        return Response(content, media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'})

    def stream(self, job: str) -> Callable[[Request], Any]:
        """The handler of a request that takes long: it streams progress, then the result or an error."""

        async def respond(request: Request) -> Response:
            body = await request.body()
            self.has_code(request, body)

            async def events() -> AsyncIterator[bytes]:
                async with aclosing(self.long.run(job, body, retire=True)) as answers:
                    try:
                        async for kind, content in answers:
                            yield format_event("progress" if kind == PROGRESS else "result", content)
                    except RefusedError as error:
                        yield format_event("error", error.encode())

            return StreamingResponse(events(), media_type="text/event-stream", headers=NOT_STORED)

        return respond

    def has_code(self, request: Request, body: bytes) -> bool:
        """Whether a request contains the user's own code; refused unless that is allowed."""
        code = parse_question(body, Code).code
        if code is None:
            return False
        self.check_code()
        self.check_token(request)
        return True

    def check_code(self) -> None:
        if not self.code:
            raise RefusedError(FORBIDDEN, "the lab was started with --no-code: it simulates the catalogue only")

    def check_token(self, request: Request) -> None:
        check_token(request.headers.get("x-habemus-token"), self.token)

    # Live ----------------------------------------------------------------------------------------------------------

    async def live_status(self, request: Request) -> Response:
        """The state of the cluster, and what the page needs to draw it."""
        self.check_token(request)
        return answer_json({**self.live.describe_status(), "run": self.live.describe_run()})

    async def live_events(self, request: Request) -> Response:
        self.check_token(request)
        return StreamingResponse(self.live.stream(), media_type="text/event-stream", headers=NOT_STORED)

    async def live_start(self, request: Request) -> Response:
        self.check_code()
        self.check_token(request)
        asked = parse_question(await request.body(), Launch)
        if asked.scenario is None:
            await self.live.start_group(asked.n)
        else:
            await self.live.start(check_limits(asked.scenario), asked.n)
        return await self.live_status(request)

    async def live_stop(self, request: Request) -> Response:
        self.check_token(request)
        await self.live.stop()
        return answer_json(self.live.describe_status())

    async def live_disturb(self, request: Request) -> Response:
        self.check_token(request)
        what = request.path_params["what"]
        if what not in DISTURBANCES:
            raise RefusedError(NOT_FOUND, f"there is no action {what!r}; expected one of {', '.join(DISTURBANCES)}")
        await self.live.disturb(what, request.path_params["id"])
        return answer_json(self.live.describe_status())

    async def live_cut(self, request: Request) -> Response:
        self.check_token(request)
        asked = parse_question(await request.body(), Cut)
        self.live.cut(asked.links, asked.one_way)
        return answer_json(self.live.describe_status())

    async def live_heal(self, request: Request) -> Response:
        self.check_token(request)
        self.live.heal()
        return answer_json(self.live.describe_status())


async def answer_refusal(request: Request, error: Any) -> Response:
    return respond_refusal(error)


async def answer_mistake(request: Request, error: Exception) -> Response:
    """Answer a mistake in a request that was found in the server, not in a worker."""
    return respond_refusal(RefusedError(UNPROCESSABLE, str(error.args[0])))


async def answer_not_found(request: Request, error: Exception) -> Response:
    return respond_refusal(RefusedError(NOT_FOUND, f"there is nothing at {request.url.path}"))


async def answer_not_allowed(request: Request, error: Exception) -> Response:
    return respond_refusal(RefusedError(NOT_ALLOWED, f"{request.url.path} does not accept {request.method}"))


class Code(msgspec.Struct):
    """The part of a request that says whether it contains code."""

    code: str | None = None


def format_event(name: str, content: bytes) -> bytes:
    """Format a server-sent event."""
    return b"event: %b\ndata: %b\n\n" % (name.encode(), content)


def answer_json(content: Any) -> Response:
    return respond_json(msgspec.json.encode(content))


def respond_json(content: bytes) -> Response:
    """Respond with content that is JSON already."""
    return Response(content, media_type="application/json", headers=NOT_STORED)


def open_listener(port: int | None) -> socket.socket:
    """Listen on the loopback address: at that port, or at the usual one, or if it is taken at any free one."""
    try:
        return socket.create_server(("127.0.0.1", USUAL_PORT if port is None else port))
    except OSError as error:
        if port is None:
            return socket.create_server(("127.0.0.1", 0))
        raise NetworkError(f"--port {port}: cannot listen there: {os.strerror(error.errno or 0)}") from None


def serve(port: int | None, code: bool, ready: Callable[[str], None]) -> int:
    """Serve the lab on this machine until a signal ends it; `ready` is called with the address."""

    async def until_signal() -> int:
        over = asyncio.Event()
        call_when_told_to_end(over.set)
        lab = Lab(code)
        ready(await lab.start(port))
        try:
            await over.wait()
        finally:
            await lab.stop()
        return 0

    return run_loop(until_signal())
