"""The addresses that the page knows.

    /  /static/...                              the page
    /api/catalogue  /api/source/NAME            what there is to run
    /api/scenarios[/NAME]  /api/thumbnails/NAME.svg     the named scenarios
    /api/run  /api/step  /api/export/FORMAT     one run: computed at once, chosen step by step, as a file
    /api/check  /api/sweep  /api/compare        many runs: progress, then the result, as server-sent events
    /api/live  /api/live/...                    a cluster of real processes (live.py)

Answers are JSON; a refusal is {"error": a sentence} with a status that says whose fault it is.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
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
from habemus.lab.exporting import FORMATS
from habemus.lab.guard import Guard, check_token, refusal
from habemus.lab.live import COMMANDS, Live
from habemus.lab.questions import Cut, Launch, question, within_limits
from habemus.lab.workers import PROGRESS, Limits, Pool, RefusedError
from habemus.network.cluster import Cluster
from habemus.network.errors import NetworkError
from habemus.network.service import run_loop
from habemus.scenario import ScenarioError, named_scenarios
from habemus.version import VERSION

STATIC = Path(__file__).parent / "static"
FORBIDDEN, NOT_FOUND, NOT_ALLOWED, UNPROCESSABLE = 403, 404, 405, 422
DISTURBANCES = ("kill", "pause", "resume", "restart", *COMMANDS)
GB = 1_000_000_000
USUAL_PORT = 8114
NOT_STORED = {"cache-control": "no-store"}
WAITING = 64  # requests in the queue for a worker
QUICK, LONG = Limits(seconds=10, memory=GB), Limits(seconds=660, memory=4 * GB)
LONG_AT_ONCE, LONG_WAITING = 2, 8


class Lab:
    """What the server knows: its token, its workers, and what it allows."""

    def __init__(self, code: bool = True, cluster: Cluster | None = None) -> None:
        self.code = code
        self.live = Live(cluster)
        self.token = secrets.token_urlsafe(24)
        self.quick = Pool(max(2, min(4, os.cpu_count() or 1)), WAITING, QUICK)
        self.long = Pool(LONG_AT_ONCE, LONG_WAITING, LONG)
        self.named = named_scenarios()
        self.thumbnails: dict[tuple[str, str], bytes] = {}
        self.listed: dict[str, Any] = {}  # the catalogue, which is made once
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
                Route("/api/export/{format}", self.export, methods=["POST"]),
                *(Route(f"/api/{job}", self.stream(job), methods=["POST"]) for job in ("check", "sweep", "compare")),
                Route("/api/live", self.live_status),
                Route("/api/live/events", self.live_events),
                Route("/api/live/start", self.live_start, methods=["POST"]),
                Route("/api/live/stop", self.live_stop, methods=["POST"]),
                Route("/api/live/cut", self.live_cut, methods=["POST"]),
                Route("/api/live/heal", self.live_heal, methods=["POST"]),
                Route("/api/live/{what}/{id:int}", self.live_disturb, methods=["POST"]),
            ],
            exception_handlers={
                RefusedError: refused,
                NetworkError: failed,
                UnknownAlgorithmError: failed,
                ScenarioError: failed,
                NOT_FOUND: not_found,
                NOT_ALLOWED: not_allowed,
            },
        )
        self.config = uvicorn.Config(
            Guard(self.app),
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=2,
        )
        self.server = uvicorn.Server(self.config)
        self.listener: socket.socket | None = None

    async def start(self, port: int | None) -> str:
        """Begin to serve; the address of the page, token included."""
        self.listener = listening(port)
        await self.quick.warm_up()
        # Not `serve`: it captures signals, which are the business of whoever started the lab.
        self.config.load()
        self.server.lifespan = self.config.lifespan_class(self.config)
        await self.server.startup([self.listener])
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}/?token={self.token}"

    async def stop(self) -> None:
        """Take no more requests; end the workers, and a cluster that a page started."""
        assert self.listener is not None
        await asyncio.gather(self.quick.close(), self.long.close(), self.live.close())
        await self.server.shutdown([self.listener])

    # The page ------------------------------------------------------------------------------------------------------

    async def page(self, request: Request) -> Response:
        """The page itself."""
        return FileResponse(STATIC / "index.html")

    async def catalogue(self, request: Request) -> Response:
        """Every algorithm, and what this lab allows."""
        if not self.listed:
            self.listed = msgspec.json.decode(await self.quick.result("catalogue", b""))
        cluster = self.live.cluster is not None
        allowed = {"code": self.code, "live": self.code or cluster, "cluster": cluster}
        return answer({"version": VERSION, **allowed, **self.listed})

    async def source(self, request: Request) -> Response:
        """The file of an algorithm."""
        name = request.path_params["name"]
        if ":" in name:
            raise RefusedError(NOT_FOUND, f"there is no algorithm {name!r} in the catalogue")
        return json(await self.quick.result("source", name.encode()))

    async def scenarios(self, request: Request) -> Response:
        """The named scenarios."""
        return answer(entries.scenario_list(self.named))

    async def scenario(self, request: Request) -> Response:
        """One of them."""
        name = request.path_params["name"]
        scenario = self.named.get(name)
        if scenario is None:
            raise RefusedError(NOT_FOUND, f"there is no scenario {name!r}")
        return answer(scenario)

    async def thumbnail(self, request: Request) -> Response:
        """A small picture of one of them."""
        name, theme = request.path_params["name"], request.query_params.get("theme", "auto")
        if name not in self.named or theme not in ("auto", "light", "dark"):
            raise RefusedError(NOT_FOUND, f"there is no scenario {name!r} with theme {theme!r}")
        if (name, theme) not in self.thumbnails:
            self.thumbnails[name, theme] = await self.quick.result("thumbnail", f"{name}\n{theme}".encode())
        headers = {"cache-control": "max-age=3600"}
        return Response(self.thumbnails[name, theme], media_type="image/svg+xml", headers=headers)

    # Questions -----------------------------------------------------------------------------------------------------

    async def run(self, request: Request) -> Response:
        """One run."""
        body = await request.body()
        return json(await self.quick.result("run", body, self.brings_code(request, body)))

    async def step(self, request: Request) -> Response:
        """A run that is chosen step by step."""
        body = await request.body()
        return json(await self.quick.result("step", body, self.brings_code(request, body)))

    async def export(self, request: Request) -> Response:
        """A run as a file."""
        body = await request.body()
        format = request.path_params["format"]
        if format not in FORMATS:
            raise RefusedError(NOT_FOUND, f"there is no format {format!r}; there are: {', '.join(FORMATS)}")
        code = self.brings_code(request, body)
        content = await self.quick.result("export", f"{format}\n".encode() + body, code)
        name, kind, _ = FORMATS[format]
        return Response(content, media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'})

    def stream(self, job: str) -> Callable[[Request], Any]:
        """The answer to a question that takes long: progress, then the result, or an error."""

        async def respond(request: Request) -> Response:
            body = await request.body()
            self.brings_code(request, body)

            async def events() -> AsyncIterator[bytes]:
                async with aclosing(self.long.run(job, body, retire=True)) as answers:
                    try:
                        async for kind, content in answers:
                            yield event("progress" if kind == PROGRESS else "result", content)
                    except RefusedError as error:
                        yield event("error", error.encoded())

            return StreamingResponse(events(), media_type="text/event-stream", headers=NOT_STORED)

        return respond

    def brings_code(self, request: Request, body: bytes) -> bool:
        """Whether a request brings code of its own; refused unless it may."""
        code = question(body, Code).code
        if code is None:
            return False
        self.check_code()
        self.check_token(request)
        return True

    def check_code(self) -> None:
        """Refuse where nothing is to be run but the catalogue, simulated."""
        if not self.code:
            raise RefusedError(FORBIDDEN, "this lab was started with --no-code: it simulates the catalogue only")

    def check_token(self, request: Request) -> None:
        """Refuse who does not know the token."""
        check_token(request.headers.get("x-habemus-token"), self.token)

    # Live ----------------------------------------------------------------------------------------------------------

    async def live_status(self, request: Request) -> Response:
        """How the processes of the cluster are, and what the page needs to draw them."""
        self.check_token(request)
        return answer({**self.live.status(), "run": self.live.run()})

    async def live_events(self, request: Request) -> Response:
        """Their steps as they happen."""
        self.check_token(request)
        return StreamingResponse(self.live.stream(), media_type="text/event-stream", headers=NOT_STORED)

    async def live_start(self, request: Request) -> Response:
        """Start a cluster."""
        self.check_code()
        self.check_token(request)
        asked = question(await request.body(), Launch)
        await self.live.start(within_limits(asked.scenario), asked.n)
        return await self.live_status(request)

    async def live_stop(self, request: Request) -> Response:
        """End the cluster that a page started."""
        self.check_token(request)
        await self.live.stop()
        return answer(self.live.status())

    async def live_disturb(self, request: Request) -> Response:
        """Do something to a process."""
        self.check_token(request)
        what = request.path_params["what"]
        if what not in DISTURBANCES:
            raise RefusedError(NOT_FOUND, f"{what!r} cannot be done to a process; expected {', '.join(DISTURBANCES)}")
        await self.live.disturb(what, request.path_params["id"])
        return answer(self.live.status())

    async def live_cut(self, request: Request) -> Response:
        """Cut links."""
        self.check_token(request)
        asked = question(await request.body(), Cut)
        self.live.cut(asked.links, asked.one_way)
        return answer(self.live.status())

    async def live_heal(self, request: Request) -> Response:
        """Have all links work again."""
        self.check_token(request)
        self.live.heal()
        return answer(self.live.status())


async def refused(request: Request, error: Any) -> Response:
    """A question that is not answered."""
    return refusal(error)


async def failed(request: Request, error: Exception) -> Response:
    """A mistake in a question that was noticed here, not in a worker."""
    return refusal(RefusedError(UNPROCESSABLE, str(error.args[0])))


async def not_found(request: Request, error: Exception) -> Response:
    """An address that there is not."""
    return refusal(RefusedError(NOT_FOUND, f"there is nothing at {request.url.path}"))


async def not_allowed(request: Request, error: Exception) -> Response:
    """A request that should have been another."""
    return refusal(RefusedError(NOT_ALLOWED, f"{request.url.path} does not take {request.method}"))


class Code(msgspec.Struct):
    """Of a question, whether it brings code."""

    code: str | None = None


def event(name: str, content: bytes) -> bytes:
    """One server-sent event."""
    return b"event: %b\ndata: %b\n\n" % (name.encode(), content)


def answer(content: Any) -> Response:
    """Something as JSON."""
    return json(msgspec.json.encode(content))


def json(content: bytes) -> Response:
    """JSON as it is."""
    return Response(content, media_type="application/json", headers=NOT_STORED)


def listening(port: int | None) -> socket.socket:
    """A socket of this machine alone, at a port, or at the usual one or any that is free."""
    try:
        return socket.create_server(("127.0.0.1", USUAL_PORT if port is None else port))
    except OSError as error:
        if port is None:
            return socket.create_server(("127.0.0.1", 0))
        raise NetworkError(f"--port {port}: cannot listen there: {os.strerror(error.errno or 0)}") from None


def serve(port: int | None, code: bool, ready: Callable[[str], None]) -> int:
    """Serve the lab on this machine until a signal ends it; `ready` is told the address."""

    async def until_signal() -> int:
        over = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, over.set)
        lab = Lab(code)
        ready(await lab.start(port))
        try:
            await over.wait()
        finally:
            await lab.stop()
        return 0

    return run_loop(until_signal())
