"""Workers answer, report, are stopped in time and replaced; whoever comes when too many wait is refused."""

import asyncio
import json
from contextlib import aclosing

import pytest
from busy import slowdown
from labs import is_alive

from habemus.lab.workers import PROGRESS, Pool, RefusedError, WorkerLimits

RUN = json.dumps({"scenario": {"algorithm": "chang-roberts"}}).encode()
SHORT = WorkerLimits(seconds=1, memory=1_000_000_000)
SWEEP = json.dumps({"algorithms": ["chang-roberts"], "n": [200, 300, 400, 500], "seeds": 200}).encode()


def code(text):
    return json.dumps({"scenario": {"algorithm": "own.py:Mine"}, "code": text}).encode()


def with_pool(story, size=1, queue=8, limits=SHORT):
    """Play a story with a pool, and see that it leaves nobody behind."""

    async def play():
        pool = Pool(size, queue, limits)
        seen = set()
        start_worker = pool.start_worker

        async def counted():
            worker = await start_worker()
            seen.add(worker.process.pid)
            return worker

        pool.start_worker = counted
        try:
            await pool.warm_up()
            return await story(pool)
        finally:
            await pool.close()
            assert seen and not any(map(is_alive, seen))

    return asyncio.run(play())


def test_a_worker_is_used_again_and_again():
    async def story(pool):
        pids = {worker.process.pid for worker in pool.workers}
        for _ in range(5):
            assert json.loads(await pool.ask("run", RUN))["leader"] == 8
        assert {worker.process.pid for worker in pool.workers} == pids

    with_pool(story, limits=WorkerLimits(5, 1_000_000_000))


def test_a_worker_that_ran_code_of_a_page_is_not_used_again():
    async def story(pool):
        (before,) = pool.workers
        with pytest.raises(RefusedError, match="has no process class"):
            await pool.ask("run", code("x = 1"), retire=True)
        await asyncio.gather(*pool.background)
        (after,) = pool.workers
        assert after is not before and not is_alive(before.process.pid)

    with_pool(story)


@pytest.mark.timing
@pytest.mark.parametrize(
    "endless",
    [
        "while True: pass",
        "import time; time.sleep(1000)",
        "import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass",
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pause()",
        "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
    ],
)
def test_a_job_without_end_is_stopped_in_time_and_the_next_one_done(endless):
    async def story(pool):
        begun = asyncio.get_running_loop().time()
        with pytest.raises(RefusedError, match="it took more than 1 seconds, and was stopped"):
            await pool.ask("run", code(endless), retire=True)
        assert asyncio.get_running_loop().time() - begun < 1 + 3 * slowdown()
        assert b"ChangRoberts" in await pool.ask("source", b"chang-roberts")

    with_pool(story)


@pytest.mark.parametrize(
    "loud",
    [
        "print('loud')",
        "import sys; print('loud', file=sys.stderr)",
        "import sys; sys.stdout.buffer.write(b'loud')",
        "import os; os.write(1, b'loud'); os.write(2, b'loud')",
        "import subprocess; subprocess.run('echo loud; echo loud >&2', shell=True)",
        "import sys; print('loud', file=sys.__stdout__, flush=True); print('loud', file=sys.__stderr__)",
    ],
)
def test_nothing_that_code_prints_reaches_the_terminal_of_the_server(loud, capfd):
    async def story(pool):
        with pytest.raises(RefusedError, match="has no process class"):
            await pool.ask("run", code(loud), retire=True)

    with_pool(story, limits=WorkerLimits(10, 1_000_000_000))
    assert "loud" not in "".join(capfd.readouterr())


def test_a_job_that_dies_is_explained():
    async def story(pool):
        with pytest.raises(RefusedError, match="not have been enough memory"):
            await pool.ask("run", code("import os; os.kill(os.getpid(), 9)"), retire=True)

    with_pool(story)


def test_a_job_that_closes_the_pipe_is_stopped():
    async def story(pool):
        (worker,) = pool.workers
        with pytest.raises(RefusedError, match="it wrote to the pipe of the worker"):
            await pool.ask("run", code("import os, time; os.closerange(3, 99); time.sleep(1000)"), retire=True)
        await asyncio.gather(*pool.background)
        assert not is_alive(worker.process.pid)

    with_pool(story, limits=WorkerLimits(20, 1_000_000_000))


def test_who_waits_when_the_pool_is_closed_is_told():
    async def story(pool):
        jobs = [asyncio.ensure_future(pool.ask("sweep", SWEEP)) for _ in range(3)]
        await asyncio.sleep(0.2)
        await pool.close()
        for outcome in await asyncio.gather(*jobs, return_exceptions=True):
            assert isinstance(outcome, RefusedError) and "closed" in outcome.sentence

    with_pool(story, limits=WorkerLimits(20, 1_000_000_000))


def test_progress_comes_before_the_answer_and_who_stops_listening_ends_the_job():
    async def story(pool):
        (worker,) = pool.workers
        async with aclosing(pool.run("sweep", SWEEP)) as answers:
            async for kind, content in answers:
                assert kind == PROGRESS and json.loads(content)["of"] == 800
                break
        await asyncio.gather(*pool.background)
        assert not is_alive(worker.process.pid) and len(pool.idle) == len(pool.workers) == 1

    with_pool(story, limits=WorkerLimits(30, 1_000_000_000))


def test_whoever_comes_when_too_many_wait_is_refused():
    async def story(pool):
        jobs = [asyncio.ensure_future(pool.ask("run", RUN)) for _ in range(6)]
        await asyncio.sleep(0)
        with pytest.raises(RefusedError, match="the lab is busy: 5 requests are waiting") as refusal:
            await pool.ask("run", RUN)
        assert refusal.value.status == 503
        assert all(json.loads(answer)["leader"] == 8 for answer in await asyncio.gather(*jobs))

    with_pool(story, queue=5, limits=WorkerLimits(10, 1_000_000_000))


def test_there_are_never_more_workers_than_allowed():
    async def story(pool):
        async def count(most=0):
            while True:
                most = max(most, len(pool.workers))
                assert most <= 2
                await asyncio.sleep(0.01)

        counting = asyncio.ensure_future(count())
        await asyncio.gather(
            *(pool.ask("run", code("x = 1"), retire=True) for _ in range(6)),
            *(pool.ask("run", RUN) for _ in range(6)),
            return_exceptions=True,
        )
        assert not counting.done()
        counting.cancel()

    with_pool(story, size=2, queue=20, limits=WorkerLimits(10, 1_000_000_000))
