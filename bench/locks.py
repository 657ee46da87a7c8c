"""How many locks a second? Habemus's own voters beside PostgreSQL's advisory locks and redis-py.

    python bench/locks.py             writes docs/bench-locks.md; about two minutes
    python bench/locks.py --quick     a smoke test; writes nothing

Three voters on one machine, each a process of its own, frames sealed; every grant is stored by a majority before it is
told. PostgreSQL and Redis are one server each, without replicas. All take turns, so a busy moment of the machine hits
all. What a rival needs and is not installed is left out.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

from failover_servers import die_with_parent, postgres_server, redis_server, server_program

import habemus.sync
from habemus.compilation import is_compiled
from habemus.network.operate.cluster import free_ports
from habemus.service.engine import Grant, Wish

KINDS = {
    "pairs": "acquire and release, one client, pairs a second",
    "pipelined": "1,000 names at once, locks a second",
    "hand-offs": "fair hand-offs between 8 processes, a second",
}
NAMES = 1000
CONTENDERS = 8
ESSAY = """\
# Locks a second

Written by `python bench/locks.py` ({build} code, {cores} cores, load {load:.1f} when it began). Three voters of
Habemus, each a process of its own, every frame sealed and every grant stored by a majority before it is told.
PostgreSQL {beside} one server, without replicas. Medians of {rounds} rounds in which all take turns; in
brackets the share of PostgreSQL's figure in the same rounds.

| | {kinds} |
|---|{columns}|
{rows}

Pairs and names go through `habemus.sync`, so each acquire passes from the thread of the caller to that of the protocol
and back; a release goes along with the next acquire, or a millisecond later. PostgreSQL's client is psycopg, its locks
are `pg_advisory_lock`; they have no tokens and no deadlines. 1,000 names are asked for without waiting for one another;
PostgreSQL has its pipeline mode for that.

An acquire with the release before it takes, besides that hand-over between threads: in the process of the leader, one
message to a follower and its acknowledgement; in another voter, a request and the leader's message with the entry,
which that voter then knows to be committed; in a client, a request, these two, and the grant. The third voter gets what
comes within a millisecond in one message. PostgreSQL needs a question and an answer for the lock, and the same for the
unlock.

The aims are 2 times PostgreSQL's pairs in the process of the leader, 1.5 times in another voter, 1.1 times in a
client, 1.5 times its hand-offs, and 150,000 names a second. A share below its aim is an aim that is missed. On a
machine that others load, the figures of one run differ from those of the next by a factor of two.
"""
OUTPUT = Path(__file__).parent.parent / "docs" / "bench-locks.md"


# What the processes do. Each reads "KIND SECONDS" and answers with a figure.


def serve_commands(measure: dict[str, Callable[[float], float]]) -> None:
    print("ready", flush=True)
    for line in sys.stdin:
        kind, seconds = line.split()
        print(measure[kind](float(seconds)), flush=True)


def rate(step: Callable[[], int], seconds: float) -> float:
    """How often a second."""
    done, begin = 0, time.perf_counter()
    while (passed := time.perf_counter() - begin) < seconds:
        done += step()
    return done / passed


def run_habemus(peers: str, folder: str, voter: str) -> None:
    options = {"key_file": f"{folder}/key", "data": folder, "voter": voter == "voter"}
    with habemus.sync.join("bench", peers, **options) as group:  # type: ignore[arg-type]
        engine = group.membership.engine

        def take(name: str) -> int:
            with group.lock(name):
                return 1

        def take_many() -> int:
            grants = [Future[Grant]() for _ in range(NAMES)]
            for number, grant in enumerate(grants):
                engine.acquire(Wish(f"name {number}"), grant.set_result)  # type: ignore[arg-type]
            for grant in grants:
                grant.result().release()
            return NAMES

        take("warm up")
        serve_commands(
            {
                "leads": lambda _: float(engine.node.stack.process.leads),  # type: ignore[attr-defined]
                "pairs": lambda seconds: rate(lambda: take("own " + voter), seconds),
                "pipelined": lambda seconds: rate(take_many, seconds),
                "hand-offs": lambda seconds: rate(lambda: take("shared"), seconds),
            }
        )


def run_postgresql(port: str) -> None:
    import psycopg

    with psycopg.connect(f"host=127.0.0.1 port={port} user=postgres dbname=postgres", autocommit=True) as connection:

        def take(number: int) -> int:
            connection.execute("SELECT pg_advisory_lock(%s)", [number])
            connection.execute("SELECT pg_advisory_unlock(%s)", [number])
            return 1

        def take_many() -> int:
            for action in ("lock", "unlock"):
                with connection.pipeline():
                    for number in range(NAMES):
                        connection.execute(f"SELECT pg_advisory_{action}(%s)", [1000 + number])
            return NAMES

        serve_commands(
            {
                "pairs": lambda seconds: rate(lambda: take(1), seconds),
                "pipelined": lambda seconds: rate(take_many, seconds),
                "hand-offs": lambda seconds: rate(lambda: take(2), seconds),
            }
        )


def run_redis(port: str) -> None:
    import redis

    client = redis.Redis(port=int(port))

    def take(name: str) -> int:
        with client.lock(name, timeout=10):
            return 1

    serve_commands(
        {
            "pairs": lambda seconds: rate(lambda: take("own"), seconds),
            "hand-offs": lambda seconds: rate(lambda: take("shared"), seconds),
        }
    )


ROLES = {"habemus": run_habemus, "postgresql": run_postgresql, "redis": run_redis}


# Who asks them.


class Worker:
    """A process that measures when it is told to."""

    def __init__(self, role: str, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--work", role, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=die_with_parent,
        )

    def wait_ready(self) -> Worker:
        assert self.process.stdout is not None
        if self.process.stdout.readline() != "ready\n":
            raise RuntimeError(f"{self.process.args} did not start")
        return self

    def tell(self, kind: str, seconds: float) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{kind} {seconds}\n")
        self.process.stdin.flush()

    def hear(self) -> float:
        assert self.process.stdout is not None
        return float(self.process.stdout.readline())

    def ask(self, kind: str, seconds: float) -> float:
        self.tell(kind, seconds)
        return self.hear()

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


def measure_together(workers: list[Worker], kind: str, seconds: float) -> float:
    for worker in workers:
        worker.tell(kind, seconds)
    return sum(worker.hear() for worker in workers)


@contextmanager
def started(count: int, role: str, *arguments: str) -> Iterator[list[Worker]]:
    workers = [Worker(role, *arguments) for _ in range(count)]
    try:
        yield [worker.wait_ready() for worker in workers]
    finally:
        for worker in workers:
            worker.end()


Measures = dict[str, dict[str, Callable[[float], float]]]  # who, what


@contextmanager
def contestants(folder: Path) -> Iterator[Measures]:
    """All who take part, each with what can be measured of it."""
    with ExitStack() as stack:
        key = folder / "key"
        key.touch(mode=0o600)
        key.write_text("0123456789abcdef0123456789abcdef")
        peers = ",".join(f"127.0.0.1:{port}" for port in free_ports(3))
        voters = stack.enter_context(started(3, "habemus", peers, str(folder), "voter"))
        clients = stack.enter_context(started(CONTENDERS, "habemus", peers, str(folder), "client"))

        def leading(leads: bool) -> Worker:
            return next(voter for voter in voters if bool(voter.ask("leads", 0)) == leads)

        measures: Measures = {
            "Habemus, in the process of the leader": {
                "pairs": lambda seconds: leading(True).ask("pairs", seconds),
                "pipelined": lambda seconds: leading(True).ask("pipelined", seconds),
            },
            "Habemus, in another voter": {"pairs": lambda seconds: leading(False).ask("pairs", seconds)},
            "Habemus, in a client": {
                "pairs": lambda seconds: clients[0].ask("pairs", seconds),
                "pipelined": lambda seconds: clients[0].ask("pipelined", seconds),
                "hand-offs": lambda seconds: measure_together(clients, "hand-offs", seconds),
            },
        }
        for name, role, program, server in (
            ("PostgreSQL", "postgresql", "postgres", postgres_server),
            ("Redis", "redis", "redis-server", redis_server),
        ):
            if server_program(program) is not None:
                place = folder / role
                place.mkdir()
                port = stack.enter_context(server(place))
                rivals = stack.enter_context(started(CONTENDERS, role, str(port)))
                measures[name] = measures_of(rivals, role)
        yield measures


def measures_of(rivals: list[Worker], role: str) -> dict[str, Callable[[float], float]]:
    found: dict[str, Callable[[float], float]] = {
        "pairs": lambda seconds: rivals[0].ask("pairs", seconds),
        "hand-offs": lambda seconds: measure_together(rivals, "hand-offs", seconds),
    }
    if role == "postgresql":
        found["pipelined"] = lambda seconds: rivals[0].ask("pipelined", seconds)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--work", nargs="+")
    options = parser.parse_args()
    if options.work:
        ROLES[options.work[0]](*options.work[1:])
        return
    rounds, seconds = (1, 0.1) if options.quick else (7, 1.0)
    load = os.getloadavg()[0]
    figures: dict[str, dict[str, list[float]]] = {}
    folder = Path(tempfile.mkdtemp(prefix="habemus-locks-"))
    folder.chmod(0o755)  # PostgreSQL runs as another user
    try:
        with contestants(folder) as measures:
            for _ in range(rounds):
                for kind in KINDS:
                    for name, measured in measures.items():
                        if kind in measured:
                            figures.setdefault(name, {}).setdefault(kind, []).append(measured[kind](seconds))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    rows = "\n".join(f"| {name} | {' | '.join(cell(figures, name, kind) for kind in KINDS)} |" for name in figures)
    print(rows)
    if not options.quick:
        OUTPUT.write_text(
            ESSAY.format(
                build="compiled" if is_compiled() else "interpreted",
                cores=os.cpu_count(),
                load=load,
                beside="and Redis are each" if "Redis" in figures else "is",
                rounds=rounds,
                kinds=" | ".join(KINDS.values()),
                columns="|".join("---:" for _ in KINDS),
                rows=rows,
            ),
            encoding="utf-8",
        )


def cell(figures: dict[str, dict[str, list[float]]], name: str, kind: str) -> str:
    mine, rival = figures[name].get(kind), figures.get("PostgreSQL", {}).get(kind)
    if mine is None:
        return ""
    if rival is None or name == "PostgreSQL":
        return f"{median(mine):,.0f}"
    share = median([each / other for each, other in zip(mine, rival, strict=True)])
    return f"{median(mine):,.0f} ({share:.2f})"


if __name__ == "__main__":
    main()
