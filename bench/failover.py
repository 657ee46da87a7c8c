"""How long is nobody in charge? From the signal to the leader until all survivors name the next one.

    python bench/failover.py             writes docs/bench-failover.md and .svg; twenty minutes at most
    python bench/failover.py --quick     two trials each, a smoke test; writes nothing unless --output says where
    python bench/failover.py --only bully,postgres

Three and five candidates, each a process of its own on this machine. The leader is killed (SIGKILL), asked to end
(SIGTERM), or stopped (SIGSTOP): it hangs. Every candidate, of whatever system, prints whom it names and when, by the
same clock (failover_candidate.py); what counts is the time at which the last survivor named whom all of them name in
the end. A change of leader that nobody caused is a false failover; Habemus is watched for them also while endless loops
keep all cores busy.

The rivals need their clients (pip install psycopg[binary] redis kazoo pysyncobj) and servers, which are started here
and ended again (Debian: apt-get install postgresql redis-server zookeeper etcd-server). What is missing is reported as
missing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from failover_report import show, write_page
from failover_servers import (
    etcd_server,
    no_server,
    postgres_server,
    redis_server,
    server_program,
    zookeeper_server,
)
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from habemus.compilation import is_compiled
from habemus.network.operate.cluster import free_ports

HERE = Path(__file__).parent
SIZES = (3, 5)
SIGNALS = {"SIGKILL": signal.SIGKILL, "SIGTERM": signal.SIGTERM, "SIGSTOP": signal.SIGSTOP}
TRIALS = 12
REST = 0.6  # seconds in which nothing may happen before a trial
START = 30.0  # seconds until candidates have to agree
MOST_MISTAKES = 20
LONGEST = 5.0  # seconds after which a trial is given up
BUSY = 30.0


@dataclass
class Result:
    """What came of the trials with one signal and size."""

    milliseconds: list[float] = field(default_factory=list)
    trouble: str = ""  # why there are no more of them
    false_failovers: int = 0


@dataclass
class System:
    """Somebody who elects leaders."""

    name: str
    program: str
    note: str
    settings: Callable[
        [int, int, str], dict[str, Any]
    ]  # of the port of its server, the number of candidates, the signal
    server: Callable[[Path], AbstractContextManager[int]] = no_server
    needs: tuple[str, ...] = ()  # programs
    client: str = ""  # a package
    ours: bool = False
    missing: str = ""
    results: dict[tuple[str, int], Result] = field(default_factory=dict)
    busy: int | None = None  # false failovers on a busy machine


def habemus_settings(algorithm: str) -> Callable[[int, int, str], dict[str, Any]]:
    """A hung leader is found in haste only; a dead one at the default timing, too."""

    def settings(port: int, n: int, what: str) -> dict[str, Any]:
        ports = free_ports(n)
        peers = ",".join(f"{id}=127.0.0.1:{ports[id - 1]}" for id in range(1, n + 1))
        return {"algorithm": algorithm, "peers": peers, "haste": what == "SIGSTOP"}

    return settings


def lead_settings(port: int, n: int, what: str) -> dict[str, Any]:
    peers = ",".join(f"127.0.0.1:{each}" for each in free_ports(n))
    return {"peers": peers, "ttl": 0.6 if what == "SIGSTOP" else 10}


def pysyncobj_settings(port: int, n: int, what: str) -> dict[str, Any]:
    addresses = {str(id): f"127.0.0.1:{each}" for id, each in enumerate(free_ports(n), 1)}
    return {"addresses": addresses, "timeouts": [0.15, 0.3], "beat": 0.04}


def systems() -> list[System]:
    """All of them, ours first."""
    ours = "default timing; in haste for SIGSTOP, and then it runs before others where the system lets it"
    everybody = [
        System("Habemus, bully", "habemus", ours, habemus_settings("bully"), ours=True),
        System("Habemus, raft-election-steady", "habemus", ours, habemus_settings("raft-election-steady"), ours=True),
        System(
            "Habemus, group.lead",
            "lead",
            "every candidate is a voter; ttl 10 s, and 0.6 s for SIGSTOP; the kernel tells the voters who has died",
            lead_settings,
            ours=True,
        ),
        System(
            "PostgreSQL advisory lock",
            "postgres",
            "a lock of the session, and NOTIFY; it is freed when the connection closes, and only then",
            lambda port, n, what: {"port": port},
            postgres_server,
            ("postgres", "initdb"),
            "psycopg",
        ),
        System(
            "redis-py Lock",
            "redis",
            "time to live 300 ms, renewed every 100 ms, tried every 20 ms",
            lambda port, n, what: {"port": port, "timeout": 0.3, "renewal": 0.1, "poll": 0.02},
            redis_server,
            ("redis-server",),
            "redis",
        ),
        System(
            "kazoo Election, ZooKeeper",
            "kazoo",
            "session of 500 ms, ticks of 100 ms",
            lambda port, n, what: {"port": port, "timeout": 0.5},
            zookeeper_server,
            ("java",),
            "kazoo",
        ),
        System(
            "etcd election",
            "etcd",
            "lease of 1 s, the shortest there is, renewed every 300 ms",
            lambda port, n, what: {"port": port, "lease": 1, "renewal": 0.3},
            etcd_server,
            ("etcd",),
        ),
        System(
            "PySyncObj",
            "pysyncobj",
            "time-outs of 150 to 300 ms, beats every 40 ms; keeps nothing on disk",
            pysyncobj_settings,
            client="pysyncobj",
        ),
    ]
    for system in everybody:
        absent = [name for name in system.needs if server_program(name) is None]
        if system.program == "kazoo" and not Path("/usr/share/java/zookeeper.jar").exists():
            absent.append("zookeeper")
        if system.client and find_spec(system.client) is None:
            absent.append(f"the Python package {system.client}")
        system.missing = ", ".join(absent)
    return everybody


class UnsettledError(Exception):
    """The candidates do not agree on a leader, or not for long: why, and how often they changed it."""


class Candidate:
    """A candidate and what it has said."""

    def __init__(self, program: str, id: int, settings: dict[str, Any]) -> None:
        self.id = id
        self.said: list[tuple[int, int | None]] = []  # when, and whom it names from then on
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as the candidate)
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "failover_candidate.py"), program, str(id), json.dumps(settings)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
        )
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self) -> None:
        """Keep what it says."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if not line.endswith("\n"):  # it was killed while it spoke
                return
            moment, whom = line.split()
            self.said.append((int(moment), None if whom == "-" else int(whom)))

    @property
    def leader(self) -> int | None:
        """Whom it names."""
        return self.said[-1][1] if self.said else None

    @property
    def complaint(self) -> str:
        """Why it ended by itself, if it did."""
        if self.process.poll() is None:
            return ""
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace").strip().rpartition("\n")[2] or "it ended without a word"

    def end(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.wait()
        self.errors.close()


class Group:
    """The candidates of one system."""

    def __init__(self, system: System, n: int, settings: dict[str, Any]) -> None:
        self.system = system
        self.settings = settings
        self.candidates = {id: Candidate(system.program, id, settings) for id in range(1, n + 1)}

    def others(self, id: int) -> list[Candidate]:
        """All but one."""
        return [candidate for candidate in self.candidates.values() if candidate.id != id]

    @property
    def leader(self) -> int | None:
        """Whom all name."""
        return agreed(list(self.candidates.values()))

    def settle(self) -> tuple[int, int]:
        """Wait until all name one leader and nothing happens for a while: who it is, and how many lost office."""
        mistakes = 0
        while mistakes < MOST_MISTAKES:
            leader = wait_for(lambda: self.leader or any(c.complaint for c in self.candidates.values()), START)
            ended = [c.complaint for c in self.candidates.values() if c.complaint]
            if ended:
                raise UnsettledError(f"a candidate ended: {ended[0]}", mistakes)
            if leader is None:
                raise UnsettledError(f"no leader in {START:g} s", mistakes)
            count = self.changes()
            time.sleep(REST + random.uniform(0, 0.1))  # in no fixed phase with anybody's timers
            if self.changes() == count:
                return leader, mistakes
            mistakes += self.leader != leader
        raise UnsettledError("the leader changes all the time", mistakes)

    def changes(self) -> int:
        """How often anybody named another leader."""
        return sum(len(candidate.said) for candidate in self.candidates.values())

    def restart(self, id: int) -> None:
        """A new one in place of one that was killed."""
        self.candidates[id].end()
        self.candidates[id] = Candidate(self.system.program, id, self.settings)

    def end(self) -> None:
        """Kill them all."""
        for candidate in self.candidates.values():
            candidate.end()


def agreed(candidates: list[Candidate]) -> int | None:
    """Whom all of these name."""
    named = {candidate.leader for candidate in candidates}
    return named.pop() if len(named) == 1 else None


def wait_for(condition: Callable[[], Any], seconds: float) -> Any:
    """What the condition gives once it is true; None if that takes too long."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.002)
    return None


def trial(group: Group, number: signal.Signals, result: Result) -> None:
    """Do it to the leader, and see how long the others take."""
    try:
        leader, mistakes = group.settle()
    except UnsettledError as unsettled:
        result.trouble, mistakes = unsettled.args
        result.false_failovers += mistakes
        return
    result.false_failovers += mistakes
    victim, survivors = group.candidates[leader], group.others(leader)
    begun = time.monotonic_ns()
    os.kill(victim.process.pid, number)
    successor = wait_for(lambda: agreed(survivors) not in (None, leader) and agreed(survivors), LONGEST)
    if successor is None:
        result.trouble = f"not within {LONGEST:g} s"
    else:
        result.milliseconds.append((max(candidate.said[-1][0] for candidate in survivors) - begun) / 1e6)
    if number == signal.SIGSTOP:
        os.kill(victim.process.pid, signal.SIGCONT)
    else:
        group.restart(leader)


@contextmanager
def group_of(system: System, n: int, what: str, port: int, folder: Path) -> Iterator[Group]:
    """Its candidates, for as long as they are needed."""
    state = Path(tempfile.mkdtemp(dir=folder))
    group = Group(system, n, {**system.settings(port, n, what), "folder": str(state)})
    try:
        yield group
    finally:
        group.end()
        shutil.rmtree(state, ignore_errors=True)


def measure(system: System, trials: int, folder: Path, tell: Callable[[str], None]) -> None:
    """All trials of one system."""
    for n in SIZES:
        for what, number in SIGNALS.items():
            place = Path(tempfile.mkdtemp(dir=folder))
            result = system.results[(what, n)] = Result()
            with system.server(place) as port, group_of(system, n, what, port, place) as group:
                for _ in range(trials):
                    tell(f"{system.name}, {n} candidates, {what}")
                    trial(group, number, result)
                    if result.trouble:
                        break  # another trial would not do better


def measure_busy(system: System, seconds: float, folder: Path) -> None:
    """How often is a leader replaced that is well, while others use all cores?"""
    with group_of(system, max(SIZES), "SIGSTOP", 0, folder) as group:
        try:
            leader, _ = group.settle()
        except UnsettledError as unsettled:
            system.busy = unsettled.args[1] + 1
            return
        count = group.changes()
        loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
        try:
            time.sleep(seconds)
            said = [entry for candidate in group.candidates.values() for entry in candidate.said]
        finally:
            for loop in loops:
                loop.kill()
                loop.wait()
    named = [whom for _, whom in sorted(said)[count:] if whom is not None]
    system.busy = sum(after != before for before, after in zip([leader, *named], named, strict=False))


def main() -> None:
    """Measure, show, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two trials each: a smoke test")
    parser.add_argument("--only", default="", help="names, or parts of names, of the systems to measure")
    parser.add_argument("--output", type=Path, help="folder for bench-failover.md and .svg (docs, unless --quick)")
    arguments = parser.parse_args()
    console = Console(soft_wrap=True)
    output = arguments.output or (None if arguments.quick or arguments.only else HERE.parent / "docs")
    trials = 2 if arguments.quick else TRIALS
    wanted = [word.strip().lower() for word in arguments.only.split(",") if word.strip()]
    everybody = [s for s in systems() if not wanted or any(word in s.name.lower() for word in wanted)]
    for system in everybody:
        if system.missing:
            console.print(
                f"{system.name} is left out: {system.missing} is not installed here (see the head of this script)."
            )
    random.seed("failover")
    present = [system for system in everybody if not system.missing]
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with (
        tempfile.TemporaryDirectory(prefix="failover-") as name,
        Progress(*columns, console=Console(stderr=True), transient=True) as progress,
    ):
        folder = Path(name)
        folder.chmod(0o755)  # PostgreSQL runs as another user
        task = progress.add_task("", total=len(present) * trials * len(SIZES) * len(SIGNALS))
        for system in present:
            measure(system, trials, folder, lambda text: progress.update(task, description=text, advance=1))
        for system in [system for system in present if system.ours]:
            progress.update(task, description=f"{system.name} on a busy machine")
            measure_busy(system, BUSY / 6 if arguments.quick else BUSY, folder)
    show(everybody, console)
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        write_page(everybody, trials, is_compiled(), output)
        console.print(f"\nWritten: {output / 'bench-failover.md'} and .svg", style="dim")


if __name__ == "__main__":
    main()
