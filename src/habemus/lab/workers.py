"""The processes that do the work, seen from the server.

A pool keeps a few workers warm. A job goes to one that is free, or waits in a queue of limited length; it may report
progress before its answer. A worker that takes too long, is abandoned by whoever asked, or dies is killed with all
that it started, and replaced. One that ran code of a page's own is never used again: the code may have left anything
behind.

On the pipe to a worker: the length of what follows, the name of the job, a line feed, its body. Back: one letter for
the kind of answer, its length, and the answer, which is JSON or a file and goes to the page as it is.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import struct
import sys
import tempfile
from collections.abc import AsyncGenerator, Coroutine
from contextlib import suppress
from typing import Any

import msgspec

from habemus.lab.printing import Printout

PROGRESS, RESULT, REFUSED, ENDED = b"P", b"R", b"E", b"M"  # ENDED: refused, and the worker is of no more use
LENGTH = struct.Struct("!I")
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # a stack for each would count as its memory
PATIENCE = 30.0  # seconds that a job waits for a worker
BUSY, STOPPED = 503, 422
KINDS = (PROGRESS, RESULT, REFUSED, ENDED)
MOST_BYTES = 500_000_000  # in an answer
NONSENSE = "it used the pipe that answers go through, and was stopped"
CLOSED = "the lab was closed meanwhile"


class RefusedError(Exception):
    """A request cannot be answered; the text says why.

    `line` is the line of a page's own code that is at fault, `printed` what that code had printed by then.
    """

    def __init__(self, status: int, sentence: str, line: int | None = None, printed: Printout | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.line = line
        self.printed = printed

    def encoded(self) -> bytes:
        """As the page gets it."""
        said = {"error": self.sentence, "line": self.line, "printed": self.printed}
        return msgspec.json.encode({name: value for name, value in said.items() if value is not None})


class Refusal(msgspec.Struct):
    """A refusal on its way from a worker."""

    status: int
    sentence: str
    line: int | None = None
    printed: Printout | None = None


class Limits(msgspec.Struct, frozen=True):
    """What a job may take: seconds on the clock and of the processor, and bytes of memory."""

    seconds: int
    memory: int


class Worker:
    """One process and the folder it works in."""

    def __init__(self, process: asyncio.subprocess.Process, folder: str) -> None:
        self.process = process
        self.folder = folder
        self.warm = False

    @classmethod
    async def start(cls, limits: Limits) -> Worker:
        """A new worker, which warms up while nobody waits for it."""
        folder = tempfile.mkdtemp(prefix="habemus-lab-")
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", "from habemus.lab.worker import main; main()"),
            *(str(os.getpid()), str(limits.seconds), str(limits.memory)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            cwd=folder,
            env={**os.environ, **ENVIRONMENT, "PYTHONPATH": os.pathsep.join(absolute_path())},
            start_new_session=True,  # so that whatever it starts can be killed with it
        )
        return cls(process, folder)

    async def warm_up(self) -> None:
        """Wait until it is ready, which it says once."""
        if not self.warm:
            await self.answer()
            self.warm = True

    async def ask(self, job: str, body: bytes) -> None:
        """Give it a job."""
        assert self.process.stdin is not None
        head = job.encode() + b"\n"
        self.process.stdin.write(LENGTH.pack(len(head) + len(body)) + head + body)
        await self.process.stdin.drain()

    async def answer(self) -> tuple[bytes, bytes]:
        """The next thing it says: what kind, and what."""
        assert self.process.stdout is not None
        kind = await self.process.stdout.readexactly(1)
        (length,) = LENGTH.unpack(await self.process.stdout.readexactly(LENGTH.size))
        if kind not in KINDS or length > MOST_BYTES:
            raise RefusedError(STOPPED, NONSENSE)
        return kind, await self.process.stdout.readexactly(length)

    async def end(self) -> None:
        """Kill it and all that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        await self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def absolute_path() -> list[str]:
    """Where modules are found, said so that a worker finds them from the folder that it works in."""
    return [os.path.abspath(folder) for folder in sys.path if folder]


class Pool:
    """Some workers that are alike."""

    def __init__(self, size: int, queue: int, limits: Limits) -> None:
        self.size = size
        self.queue = queue  # how many may wait for one
        self.limits = limits
        self.waiting = 0
        self.turns = asyncio.Semaphore(size)
        self.idle: list[Worker] = []
        self.workers: set[Worker] = set()
        self.starting = asyncio.Lock()
        self.chores: set[asyncio.Task[None]] = set()
        self.closed = False

    async def warm_up(self) -> None:
        """Start as many workers as may be used at once."""
        async with self.starting:
            while len(self.workers) < self.size and not self.closed:
                self.idle.append(await self.started())

    async def started(self) -> Worker:
        """A new worker of this pool."""
        worker = await Worker.start(self.limits)
        self.workers.add(worker)
        return worker

    async def close(self) -> None:
        """End all of them."""
        self.closed = True
        await asyncio.gather(*self.chores)
        async with self.starting:
            await asyncio.gather(*(worker.end() for worker in self.workers))
        self.workers.clear()

    async def result(self, job: str, body: bytes, retire: bool = False) -> bytes:
        """The answer to a job; RefusedError says why there is none."""
        said = [content async for _, content in self.run(job, body, retire)]
        return said[-1]

    async def run(self, job: str, body: bytes, retire: bool = False) -> AsyncGenerator[tuple[bytes, bytes], None]:
        """Progress and at last the answer; RefusedError says why there is none. `retire`: never use the worker again.

        Whoever stops listening before the answer ends the job.
        """
        await self.turn()
        worker: Worker | None = None
        usable = False
        try:
            async with self.starting:
                worker = self.idle.pop() if self.idle else await self.started()
            async with asyncio.timeout(PATIENCE):
                await worker.warm_up()
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
                refusal = msgspec.json.decode(content, type=Refusal)
                usable = kind == REFUSED and not retire
                raise RefusedError(refusal.status, refusal.sentence, refusal.line, refusal.printed)
            usable = not retire
        except TimeoutError:
            raise self.too_long() from None
        except msgspec.MsgspecError:
            raise RefusedError(STOPPED, NONSENSE) from None
        except (asyncio.IncompleteReadError, ConnectionError):
            assert worker is not None  # it was there to break off
            raise await self.obituary(worker) from None
        finally:
            if worker is not None and usable and not self.closed:
                self.idle.append(worker)
            elif worker is not None:
                self.workers.discard(worker)
                self.do(self.replace(worker))
            self.turns.release()
        yield kind, content

    async def turn(self) -> None:
        """Wait for one's turn, unless too many do."""
        if self.waiting >= self.queue:
            raise RefusedError(BUSY, f"the lab is busy: {self.waiting} others are waiting; try again in a moment")
        self.waiting += 1
        try:
            async with asyncio.timeout(PATIENCE):
                await self.turns.acquire()
        except TimeoutError:
            raise RefusedError(BUSY, f"the lab is busy: no turn within {PATIENCE:.0f} seconds; try again") from None
        finally:
            self.waiting -= 1
        if self.closed:
            self.turns.release()
            raise RefusedError(BUSY, CLOSED)

    def too_long(self) -> RefusedError:
        """What to say when time is up."""
        return RefusedError(STOPPED, f"it took more than {self.limits.seconds} seconds, and was stopped")

    async def obituary(self, worker: Worker) -> RefusedError:
        """What to say of a worker that died."""
        if self.closed:
            return RefusedError(BUSY, CLOSED)
        try:
            async with asyncio.timeout(1):
                cause = -await worker.process.wait()
        except TimeoutError:  # it lives, but the pipe does not
            return RefusedError(STOPPED, NONSENSE)
        if cause == signal.SIGXCPU:
            return self.too_long()
        if cause == signal.SIGKILL:
            return RefusedError(STOPPED, "it was killed; there may not have been enough memory")
        if cause > 0:
            return RefusedError(STOPPED, f"it died of {signal.Signals(cause).name}")
        return RefusedError(STOPPED, "it ended the process that ran it")

    def do(self, chore: Coroutine[Any, Any, None]) -> None:
        """Do something that nobody waits for."""
        task = asyncio.ensure_future(chore)
        self.chores.add(task)
        task.add_done_callback(self.chores.discard)

    async def replace(self, worker: Worker) -> None:
        """End a worker and start another."""
        await worker.end()
        await self.warm_up()
