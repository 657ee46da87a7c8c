"""A real PostgreSQL, as the benchmarks start it."""

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """How to connect to it."""
    sys.path.insert(0, str(BENCH))
    try:
        from failover_servers import postgres_server
    finally:
        sys.path.remove(str(BENCH))
    with tempfile.TemporaryDirectory() as folder, postgres_server(Path(folder)) as port:
        address = f"host=127.0.0.1 port={port} user=postgres dbname=postgres"
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:  # it listens before it lets anybody in
            with suppress(psycopg.OperationalError):
                psycopg.connect(address).close()
                break
        yield address
