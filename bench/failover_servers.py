"""The servers that the rivals of `bench/failover.py` need: started on free ports of this machine, and ended again.

Each is a context manager that gives the port. All they write goes to a temporary folder. They die with whoever started
them, whatever becomes of that.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from habemus.network.operate.cluster import free_ports

PR_SET_PDEATHSIG = 1
START = 60.0  # seconds until a server has to answer


def server_program(name: str) -> str | None:
    """Where a server is; PostgreSQL's is not on the path in Debian."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return shutil.which(name, path=os.pathsep.join([*map(str, places), *os.environ["PATH"].split(os.pathsep)]))


def die_with_parent() -> None:
    """For the child, before it becomes the server."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


@contextmanager
def served(command: list[str], port: int, folder: Path, user: str | None = None) -> Iterator[int]:
    """A server as long as it is needed."""
    with open(folder / "log", "wb") as log:
        server = subprocess.Popen(
            command, cwd=folder, stdout=log, stderr=log, preexec_fn=die_with_parent, user=user, start_new_session=True
        )
        try:
            wait_for_port(server, port, folder / "log")
            yield port
        finally:
            server.send_signal(signal.SIGINT)  # for PostgreSQL: do not wait for clients
            try:
                server.wait(5)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def wait_for_port(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Wait until it answers."""
    deadline = time.monotonic() + START
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if server.poll() is not None or time.monotonic() > deadline:
                said = log.read_text(errors="replace").strip().splitlines()[-3:]
                raise RuntimeError(f"{server.args[0]} did not start: {' / '.join(said)}") from None  # type: ignore[index]
            time.sleep(0.05)


@contextmanager
def no_server(folder: Path) -> Iterator[int]:
    """For those who need none."""
    yield 0


@contextmanager
def postgres_server(folder: Path) -> Iterator[int]:
    """PostgreSQL as it comes; it refuses to run as root."""
    (port,) = free_ports(1)
    user = "postgres" if os.geteuid() == 0 else None
    data = folder / "data"
    data.mkdir()
    if user is not None:
        for place in (folder, data):
            shutil.chown(place, user)
    make = [str(server_program("initdb")), "-D", str(data), "-A", "trust", "-U", "postgres", "--no-sync"]
    subprocess.run(make, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, user=user, cwd=folder)
    program = str(server_program("postgres"))
    with served([program, "-D", str(data), "-p", str(port), "-k", str(folder)], port, folder, user):
        yield port


@contextmanager
def redis_server(folder: Path) -> Iterator[int]:
    """Redis without persistence."""
    (port,) = free_ports(1)
    with served(
        [str(server_program("redis-server")), "--port", str(port), "--save", "", "--bind", "127.0.0.1"], port, folder
    ):
        yield port


@contextmanager
def zookeeper_server(folder: Path) -> Iterator[int]:
    """One ZooKeeper with short ticks: a session lasts for two of them at least."""
    (port,) = free_ports(1)
    settings = folder / "zoo.cfg"
    settings.write_text(
        f"tickTime=100\ndataDir={folder}\nclientPort={port}\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\n"
    )
    classes = "/etc/zookeeper/conf:/usr/share/java/zookeeper.jar"
    main = "org.apache.zookeeper.server.ZooKeeperServerMain"
    with served([str(server_program("java")), "-Xmx256m", "-cp", classes, main, str(settings)], port, folder):
        yield port


@contextmanager
def etcd_server(folder: Path) -> Iterator[int]:
    """One etcd with the shortest times that let it grant leases of a second."""
    port, peer = free_ports(2)
    ours, others = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{peer}"
    command = [
        *(str(server_program("etcd")), "--data-dir", str(folder / "data"), "--logger", "zap"),
        *("--listen-client-urls", ours, "--advertise-client-urls", ours),
        *(
            "--listen-peer-urls",
            others,
            "--initial-advertise-peer-urls",
            others,
            "--initial-cluster",
            f"default={others}",
        ),
        *("--heartbeat-interval", "10", "--election-timeout", "100"),
    ]
    with served(command, port, folder):
        time.sleep(1)  # until it has elected itself
        yield port
