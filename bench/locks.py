"""How many locks a second? Habemus's own voters beside PostgreSQL's advisory locks, redis-py, kazoo and etcd.

    python bench/locks.py             writes docs/bench-locks.md; about five minutes
    python bench/locks.py --quick     a smoke test; writes nothing

Three voters on one machine, each a process of its own, frames sealed; every grant is stored by a majority before it is
told. The rivals' servers are one each, without replicas. All take turns, so a busy moment of the machine hits all; once
where the system places the processes, and once with all of them on one core. What a rival needs and is not installed is
left out.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from failover_servers import (
    die_with_parent,
    etcd_server,
    postgres_server,
    redis_server,
    server_program,
    zookeeper_server,
)

from habemus.compilation import is_compiled
from habemus.network.operate.cluster import free_ports

KINDS = {
    "pairs": "acquire and release, one client, pairs a second",
    "pipelined": "1,000 names at once, locks a second",
    "hand-offs": "fair hand-offs between 8 processes, a second",
}
PLACES = {"free": "Placed by the system", "pinned": "All on one core"}
CLIENT = Path(__file__).parent / "locks_clients.py"
CONTENDERS = 8
ESSAY = """\
# Locks a second

Written by `python bench/locks.py` ({build} code, {cores} cores, load {load:.1f} when it began). Three voters of
Habemus, each a process of its own, every frame sealed and every grant stored by a majority before it is told.
{rivals}: one server each, without replicas. Medians of {rounds} rounds in which all take
turns; in brackets the share of PostgreSQL's figure in the same rounds.
{tables}
Pairs and names go through `habemus.sync`, in a thread that runs the protocol itself while it waits; the main thread of
a program does not do that, and pays for two hand-overs between threads. A release goes along with the next acquire, or
a millisecond or two later. PostgreSQL's client is psycopg, its locks are `pg_advisory_lock`; they have no tokens and no
deadlines. 1,000 names are asked for without waiting for one another; PostgreSQL has its pipeline mode for that. etcd is
asked through its HTTP gateway, over one connection that stays open.

An acquire with the release before it takes: in the process of the leader, one message to a follower and its
acknowledgement; in another voter, a request and the leader's message with the entry, which that voter then knows to be
committed; in a client, a request, these two, and the grant. The third voter gets what comes within a millisecond in one
message. PostgreSQL needs a question and an answer for the lock, and the same for the unlock.

The aims are 2 times PostgreSQL's pairs in the process of the leader (1.5 on one core), 1.5 times in another voter
(1.2), 1.1 times in a client (0.9), 1.5 times its hand-offs, 150,000 names a second, and 10 times kazoo and etcd. A
share below its aim is an aim that is missed. On a machine that others load, the figures of one run differ from those of
the next by a factor of two.
"""
OUTPUT = Path(__file__).parent.parent / "docs" / "bench-locks.md"


class Worker:
    """A process that measures when it is told to."""

    def __init__(self, role: str, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(CLIENT), role, *arguments],
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
            ("ZooKeeper (kazoo)", "kazoo", "java", zookeeper_server),
            ("etcd", "etcd", "etcd", etcd_server),
        ):
            if server_program(program) is not None and is_installed(role):
                place = folder / role
                place.mkdir()
                port = stack.enter_context(server(place))
                rivals = stack.enter_context(started(CONTENDERS, role, str(port)))
                measures[name] = measures_of(rivals, role)
        yield measures


def is_installed(role: str) -> bool:
    """Whether the client is there, and for ZooKeeper its classes."""
    client = {"postgresql": "psycopg", "etcd": "http"}.get(role, role)
    there = role != "kazoo" or Path("/usr/share/java/zookeeper.jar").exists()
    return there and find_spec(client) is not None


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
    options = parser.parse_args()
    rounds, seconds = (1, 0.1) if options.quick else (5, 1.0)
    load = os.getloadavg()[0]
    cores = os.sched_getaffinity(0)
    figures = {"free": measure_all(rounds, seconds)}
    os.sched_setaffinity(0, {max(cores)})  # all that is started from here on inherits it
    figures["pinned"] = measure_all(rounds, seconds)
    tables = {place: make_table(each) for place, each in figures.items()}
    for place, table in tables.items():
        print(f"{PLACES[place]}\n\n{table}\n")
    if not options.quick:
        rivals = [name for name in figures["free"] if not name.startswith("Habemus")]
        essay = ESSAY.format(
            build="compiled" if is_compiled() else "interpreted",
            cores=len(cores),
            load=load,
            rivals=", ".join(rivals),
            rounds=rounds,
            tables="".join(f"\n## {PLACES[place]}\n\n{table}\n" for place, table in tables.items()),
        )
        OUTPUT.write_text(essay, encoding="utf-8")


Figures = dict[str, dict[str, list[float]]]  # who, what


def measure_all(rounds: int, seconds: float) -> Figures:
    figures: Figures = {}
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
    return figures


def make_table(figures: Figures) -> str:
    head = [f"| | {' | '.join(KINDS.values())} |", f"|---|{'|'.join('---:' for _ in KINDS)}|"]
    rows = [f"| {name} | {' | '.join(cell(figures, name, kind) for kind in KINDS)} |" for name in figures]
    return "\n".join([*head, *rows])


def cell(figures: Figures, name: str, kind: str) -> str:
    mine, rival = figures[name].get(kind), figures.get("PostgreSQL", {}).get(kind)
    if mine is None:
        return ""
    if rival is None or name == "PostgreSQL":
        return f"{median(mine):,.0f}"
    share = median([each / other for each, other in zip(mine, rival, strict=True)])
    return f"{median(mine):,.0f} ({share:.2f})"


if __name__ == "__main__":
    main()
