"""The processes of bench/locks.py: each takes locks of one kind when it is told to.

Each reads "KIND SECONDS" from its standard input, and answers with a figure.
"""

from __future__ import annotations

import base64
import http.client
import json
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future

import habemus.sync
from habemus.service.engine import Grant, Wish

NAMES = 1000


def serve_commands(measure: dict[str, Callable[[float], float]]) -> None:
    """Answer in a thread: the main thread would not run the protocol of Habemus (service/engines/loop_thread.py)."""

    def serve() -> None:
        print("ready", flush=True)
        for line in sys.stdin:
            kind, seconds = line.split()
            print(measure[kind](float(seconds)), flush=True)

    thread = threading.Thread(target=serve)
    thread.start()
    thread.join()


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


def run_kazoo(port: str) -> None:
    from kazoo.client import KazooClient

    client = KazooClient(f"127.0.0.1:{port}")
    client.start(30)

    def take(name: str) -> int:
        with client.Lock(f"/{name}"):
            return 1

    serve_commands(
        {
            "pairs": lambda seconds: rate(lambda: take("own"), seconds),
            "hand-offs": lambda seconds: rate(lambda: take("shared"), seconds),
        }
    )


def run_etcd(port: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", int(port))

    def post(path: str, body: dict[str, object]) -> dict[str, str]:
        connection.request("POST", f"/v3/{path}", json.dumps(body))
        answer: dict[str, str] = json.load(connection.getresponse())
        return answer

    lease = post("lease/grant", {"TTL": 600})["ID"]

    def take(name: str) -> int:
        key = post("lock/lock", {"name": base64.b64encode(name.encode()).decode(), "lease": lease})["key"]
        post("lock/unlock", {"key": key})
        return 1

    serve_commands(
        {
            "pairs": lambda seconds: rate(lambda: take("own"), seconds),
            "hand-offs": lambda seconds: rate(lambda: take("shared"), seconds),
        }
    )


ROLES = {
    "habemus": run_habemus,
    "postgresql": run_postgresql,
    "redis": run_redis,
    "kazoo": run_kazoo,
    "etcd": run_etcd,
}


if __name__ == "__main__":
    ROLES[sys.argv[1]](*sys.argv[2:])
