"""The pool of workers, on the server's side.

A pool keeps a few workers warm. A job goes to a free worker, or waits in a queue of limited length; it may report
progress before its answer. A worker is killed with all that it started, and replaced, if it takes too long, if the
client has gone, or if it dies. A worker that ran a user's own code is never used again, because the code may have
changed anything in it.

To a worker the server writes a length, then the name of the job, a line feed, and the body. The worker writes one byte
for the kind of answer, its length, and the answer, which is JSON or a file and is sent to the page as it is.
"""

from __future__ import annotations

import asyncio
import os
import signal
import struct
import sys
from collections.abc import AsyncGenerator, Coroutine
from contextlib import suppress
from typing import Any

import msgspec

from habemus.lab.printing import Printout
from habemus.network.operate.temporary import TemporaryFolder
from habemus.sandbox import worker_environment

PROGRESS, RESULT, REFUSED, ENDED = b"P", b"R", b"E", b"M"  # ENDED: refused, and the worker cannot be used again
ISOLATED = b"isolated"  # what a worker says when it is ready, if it is (habemus/sandbox.py)
LENGTH = struct.Struct("!I")
LONGEST_WAIT = 30.0  # seconds
LONGEST_END = 5.0  # seconds for a supervisor to kill what its worker started
BUSY, STOPPED = 503, 422
KINDS = (PROGRESS, RESULT, REFUSED, ENDED)
MOST_BYTES = 500_000_000  # in an answer
PIPE_MISUSED = "it wrote to the pipe of the worker's answers, and was stopped"
CLOSED = "the lab has been closed"


class RefusedError(Exception):
    """A request is refused; the sentence says why.

    `line` is the line of the user's own code that is at fault, `printed` what that code had printed by then.
    """

    def __init__(self, status: int, sentence: str, line: int | None = None, printed: Printout | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.line = line
        self.printed = printed

    def encode(self) -> bytes:
        said = {"error": self.sentence, "line": self.line, "printed": self.printed}
        return msgspec.json.encode({name: value for name, value in said.items() if value is not None})


class SentRefusal(msgspec.Struct):
    """A refusal as a worker sends it."""

    status: int
    sentence: str
    line: int | None = None
    printed: Printout | None = None


class WorkerLimits(msgspec.Struct, frozen=True):
    """What a job may use: seconds of wall-clock and of CPU time, and bytes of memory."""

    seconds: int
    memory: int


class Worker:
    """One operating system process, and its working directory."""

    def __init__(self, process: asyncio.subprocess.Process, folder: TemporaryFolder) -> None:
        self.process = process
        self.folder = folder
        self.warm = False
        self.isolated = False

    @classmethod
    async def start(cls, limits: WorkerLimits) -> Worker:
        """Start a worker; it warms up in the background."""
        folder = TemporaryFolder()
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", "from habemus.lab.worker import main; main()"),
            *(str(os.getpid()), str(limits.seconds), str(limits.memory)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            cwd=folder.path,
            env=worker_environment(),
            start_new_session=True,  # so that whatever it starts can be killed with it
        )
        return cls(process, folder)

    async def warm_up(self) -> None:
        """Wait until it is ready."""
        if not self.warm:
            _, said = await self.answer()
            self.warm, self.isolated = True, said == ISOLATED

    async def ask(self, job: str, body: bytes) -> None:
        assert self.process.stdin is not None
        head = job.encode() + b"\n"
        self.process.stdin.write(LENGTH.pack(len(head) + len(body)) + head + body)
        await self.process.stdin.drain()

    async def answer(self) -> tuple[bytes, bytes]:
        """Read the next answer: its kind, and its content."""
        assert self.process.stdout is not None
        kind = await self.process.stdout.readexactly(1)
        (length,) = LENGTH.unpack(await self.process.stdout.readexactly(LENGTH.size))
        if kind not in KINDS or length > MOST_BYTES:
            raise RefusedError(STOPPED, PIPE_MISUSED)
        return kind, await self.process.stdout.readexactly(length)

    async def end(self) -> None:
        """Kill it and all that it started."""
        with suppress(ProcessLookupError):
            self.process.terminate()  # its supervisor, which kills the rest
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_END):
                await self.process.wait()
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        await self.process.wait()
        self.folder.remove()


class Pool:
    """Workers with the same limits."""

    def __init__(self, size: int, queue: int, limits: WorkerLimits) -> None:
        self.size = size
        self.queue = queue  # how many may wait for one
        self.limits = limits
        self.waiting = 0
        self.turns = asyncio.Semaphore(size)
        self.idle: list[Worker] = []
        self.workers: set[Worker] = set()
        self.starting = asyncio.Lock()
        self.background: set[asyncio.Task[None]] = set()
        self.closed = False
        self.isolated = False  # whether its workers are, once one of them is ready

    async def warm_up(self) -> None:
        """Start workers until the pool has its size."""
        async with self.starting:
            while len(self.workers) < self.size and not self.closed:
                self.idle.append(await self.start_worker())

    async def start_worker(self) -> Worker:
        worker = await Worker.start(self.limits)
        self.workers.add(worker)
        return worker

    async def close(self) -> None:
        """End all workers."""
        self.closed = True
        await asyncio.gather(*self.background)
        async with self.starting:
            await asyncio.gather(*(worker.end() for worker in self.workers))
        self.workers.clear()

    async def ask(self, job: str, body: bytes, retire: bool = False) -> bytes:
        """The answer to a job; raises RefusedError."""
        said = [content async for _, content in self.run(job, body, retire)]
        return said[-1]

    async def run(self, job: str, body: bytes, retire: bool = False) -> AsyncGenerator[tuple[bytes, bytes], None]:
        """Progress reports, then the answer; raises RefusedError. `retire`: do not use the worker again.

        A caller that closes the generator before the answer ends the job.
        """
        await self.wait_for_turn()
        worker: Worker | None = None
        usable = False
        try:
            async with self.starting:
                worker = self.idle.pop() if self.idle else await self.start_worker()
            async with asyncio.timeout(LONGEST_WAIT):
                await worker.warm_up()
            self.isolated = worker.isolated
            deadline = asyncio.get_running_loop().time() + self.limits.seconds + 1
            async with asyncio.timeout_at(deadline):
                await worker.ask(job, body)
            kind = PROGRESS
            while kind == PROGRESS:
                async with asyncio.timeout_at(deadline):
                    kind, content = await worker.answer()
                if kind == PROGRESS:
                    yield kind, content
            if kind != RESULT:
                refusal = msgspec.json.decode(content, type=SentRefusal)
                usable = kind == REFUSED and not retire
                raise RefusedError(refusal.status, refusal.sentence, refusal.line, refusal.printed)
            usable = not retire
        except TimeoutError:
            raise self.time_limit_error() from None
        except msgspec.MsgspecError:
            raise RefusedError(STOPPED, PIPE_MISUSED) from None
        except (asyncio.IncompleteReadError, ConnectionError):
            assert worker is not None  # only a worker that was started breaks off
            raise await self.explain_death(worker) from None
        finally:
            if worker is not None and usable and not self.closed:
                self.idle.append(worker)
            elif worker is not None:
                self.workers.discard(worker)
                self.run_in_background(self.replace(worker))
            self.turns.release()
        yield kind, content

    async def wait_for_turn(self) -> None:
        """Wait until a worker is free; refused if the queue is full."""
        if self.waiting >= self.queue:
            raise RefusedError(BUSY, f"the lab is busy: {self.waiting} requests are waiting; try again in a moment")
        self.waiting += 1
        try:
            async with asyncio.timeout(LONGEST_WAIT):
                await self.turns.acquire()
        except TimeoutError:
            raise RefusedError(
                BUSY, f"the lab is busy: no worker was free within {LONGEST_WAIT:.0f} seconds; try again"
            ) from None
        finally:
            self.waiting -= 1
        if self.closed:
            self.turns.release()
            raise RefusedError(BUSY, CLOSED)

    def time_limit_error(self) -> RefusedError:
        return RefusedError(STOPPED, f"it took more than {self.limits.seconds} seconds, and was stopped")

    async def explain_death(self, worker: Worker) -> RefusedError:
        if self.closed:
            return RefusedError(BUSY, CLOSED)
        try:
            async with asyncio.timeout(1):
                cause = -await worker.process.wait()
        except TimeoutError:  # the worker is alive, but the pipe is closed
            return RefusedError(STOPPED, PIPE_MISUSED)
        if cause == signal.SIGXCPU:
            return self.time_limit_error()
        if cause == signal.SIGKILL:
            return RefusedError(STOPPED, "it was killed; there may not have been enough memory")
        if cause > 0:
            return RefusedError(STOPPED, f"it was ended by {signal.Signals(cause).name}")
        return RefusedError(STOPPED, "it ended the process that ran it")

    def run_in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self.background.add(task)
        task.add_done_callback(self.background.discard)

    async def replace(self, worker: Worker) -> None:
        await worker.end()
        await self.warm_up()
