"""SqlFence: a holder that was paused comes back, and its database refuses it. In sqlite3, psycopg and SQLAlchemy."""

import asyncio
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import psycopg
import pytest
import sqlalchemy
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.orm import Session

import habemus.sync
from habemus.fencing import Marks, SqlFence, StaleToken
from habemus.service.errors import GroupError

FENCE = SqlFence()

PAUSED = """
import sqlite3, sys, habemus.sync
from habemus.fencing import SqlFence, StaleToken
where, database = sys.argv[1:]
connection = sqlite3.connect(database)
with habemus.sync.join("orders", where) as group:
    try:
        with group.lock("orders") as lease:
            with connection:
                SqlFence().claim(connection, "orders", lease.token)
                connection.execute("UPDATE orders SET fenced = 'first', bare = 'first'")
            print(lease.token, flush=True)
            sys.stdin.readline()                     # here it is stopped; what follows runs before it knows of its loss
            connection.execute("UPDATE orders SET bare = 'stale'")
            connection.commit()
            try:
                with connection:
                    connection.execute("UPDATE orders SET fenced = 'stale'")
                    SqlFence().claim(connection, "orders", lease.token)
            except StaleToken as error:
                print(error, flush=True)
    except habemus.LeaseLost as error:
        print(error.reason, flush=True)
"""


def test_a_stopped_process_comes_back_after_its_lock_has_passed_on_and_is_refused(tmp_path):
    """Its lock is taken from it by hand: the file engine never gives up a hung holder by itself."""
    where, database = f"file://{tmp_path}/locks", tmp_path / "orders.db"
    connection = sqlite3.connect(database)
    FENCE.create_table(connection)
    connection.execute("CREATE TABLE orders (fenced TEXT, bare TEXT)")
    connection.execute("INSERT INTO orders VALUES ('', '')")
    connection.commit()
    holder = subprocess.Popen(
        [sys.executable, "-c", PAUSED, where, str(database)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        stale = int(holder.stdout.readline())
        holder.send_signal(signal.SIGSTOP)
        next(Path(tmp_path, "locks").glob("*.0")).unlink()
        with habemus.sync.join("orders", where) as group, group.lock("orders", wait=0) as lease:
            with connection:
                FENCE.claim(connection, "orders", lease.token)
                connection.execute("UPDATE orders SET fenced = 'second', bare = 'second'")
            holder.stdin.write("\n")
            holder.stdin.flush()
            holder.send_signal(signal.SIGCONT)
            said = holder.communicate(timeout=60)[0].splitlines()
        assert said == [f'token {stale} is stale: "orders" has seen {lease.token}', "deleted"]
        assert connection.execute("SELECT fenced, bare FROM orders").fetchone() == ("second", "stale")
    finally:
        holder.kill()
        holder.communicate()


def paused_holder(claim) -> None:
    """Two holders: the first is paused, the second claims, the first comes back."""
    claim(token=7)
    claim(token=7)
    claim(token=9)
    with pytest.raises(StaleToken, match='token 7 is stale: "orders" has seen 9') as stale:
        claim(token=7)
    assert (stale.value.token, stale.value.highest) == (7, 9)
    with pytest.raises(StaleToken, match="has seen 9"):
        claim(token=8, shared=True)
    claim(token=12, shared=True)
    claim(token=11, shared=True)
    with pytest.raises(StaleToken, match=r"token 11 is stale.*has seen 12"):
        claim(token=11)
    claim(token=2, slot=1)
    claim(token=1 << 62)


def test_sqlite3(tmp_path):
    connection = sqlite3.connect(tmp_path / "data.db")
    FENCE.create_table(connection)

    def claim(**options):
        with connection:
            FENCE.claim(connection, "orders", **options)

    paused_holder(claim)


def test_psycopg(postgresql):
    with psycopg.connect(postgresql) as connection:
        fence = SqlFence("fence_psycopg")
        fence.create_table(connection)
        connection.commit()

        def claim(**options):
            with connection.transaction():
                fence.claim(connection, "orders", **options)

        paused_holder(claim)


def test_psycopg_asynchronous(postgresql):
    async def main():
        async with await psycopg.AsyncConnection.connect(postgresql) as connection:
            fence = SqlFence("fence_async")
            with psycopg.connect(postgresql) as other:
                fence.create_table(other)
            async with connection.transaction():
                await fence.claim_async(connection, "orders", 9)
            with pytest.raises(StaleToken, match="has seen 9"):
                async with connection.transaction():
                    await fence.claim_async(connection, "orders", 7)

    asyncio.run(main())


def address(postgresql: str) -> str:
    port = dict(part.split("=") for part in postgresql.split())["port"]
    return f"postgresql+psycopg://postgres@127.0.0.1:{port}/postgres"


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_sqlalchemy(kind, tmp_path, postgresql):
    url = f"sqlite:///{tmp_path}/data.db" if kind == "sqlite" else address(postgresql)
    engine = sqlalchemy.create_engine(url)
    fence = SqlFence("fence_sqlalchemy")
    with engine.begin() as connection:
        fence.create_table(connection)

    def claim(**options):
        with engine.begin() as connection:
            fence.claim(connection, "orders", **options)

    paused_holder(claim)
    with Session(engine) as session, session.begin(), pytest.raises(StaleToken):
        fence.claim(session, "orders", 3)
    engine.dispose()


def test_sqlalchemy_asynchronous(postgresql):
    from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

    async def main():
        engine = create_async_engine(address(postgresql))
        fence = SqlFence("fence_async_session")
        async with engine.begin() as connection:
            await connection.run_sync(fence.create_table)
            await fence.claim_async(connection, "orders", 9)
        async with AsyncSession(engine) as session, session.begin():
            with pytest.raises(StaleToken, match="has seen 9"):
                await fence.claim_async(session, "orders", 7)
        await engine.dispose()

    asyncio.run(main())


def test_a_claim_waits_for_the_transaction_of_another_and_then_compares(postgresql):
    """PostgreSQL: the newer holder has claimed but not committed; the older one has to wait, and is refused."""
    fence = SqlFence("fence_waiting")
    with psycopg.connect(postgresql) as newer, psycopg.connect(postgresql) as older:
        fence.create_table(newer)
        newer.commit()
        fence.claim(newer, "orders", 9)
        results = []

        def claim_late():
            try:
                fence.claim(older, "orders", 7)
                results.append("passed")
            except StaleToken as stale:
                results.append(str(stale))

        thread = threading.Thread(target=claim_late)
        thread.start()
        with psycopg.connect(postgresql, autocommit=True) as watcher:
            waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            while watcher.execute(waiting).fetchone() == (0,):
                pass
        assert results == []
        newer.commit()
        thread.join()
        assert results == ['token 7 is stale: "orders" has seen 9']
        older.rollback()


def test_a_stale_claim_takes_the_writes_of_its_transaction_with_it(tmp_path):
    connection = sqlite3.connect(tmp_path / "data.db")
    FENCE.create_table(connection)
    connection.execute("CREATE TABLE orders (state TEXT)")
    with connection:
        FENCE.claim(connection, "orders", 9)
    with pytest.raises(StaleToken), connection:
        connection.execute("INSERT INTO orders VALUES ('stale')")
        FENCE.claim(connection, "orders", 7)
    assert connection.execute("SELECT count(*) FROM orders").fetchone() == (0,)


def test_a_claim_outside_of_a_transaction_is_refused(tmp_path, postgresql):
    bare = sqlite3.connect(tmp_path / "data.db", isolation_level=None)
    FENCE.create_table(bare)
    with pytest.raises(GroupError, match="begin one first"):
        FENCE.claim(bare, "orders", 1)
    bare.execute("BEGIN")
    FENCE.claim(bare, "orders", 1)
    bare.execute("COMMIT")
    with psycopg.connect(postgresql, autocommit=True) as connection:
        FENCE.create_table(connection)
        with pytest.raises(GroupError, match="begin one first"):
            FENCE.claim(connection, "orders", 1)
        with connection.transaction():
            FENCE.claim(connection, "orders", 1)
    engine = sqlalchemy.create_engine(f"sqlite:///{tmp_path}/data.db", isolation_level="AUTOCOMMIT")
    with engine.connect() as connection, pytest.raises(GroupError, match="begin one first"):
        FENCE.claim(connection, "orders", 1)
    engine.dispose()


@pytest.mark.parametrize("table", ["", "a b", "x; DROP TABLE orders", "a.b.c", "1a"])
def test_the_name_of_the_table_cannot_carry_other_sql(table):
    with pytest.raises(ValueError, match="is no name of a table"):
        SqlFence(table)


def test_a_connection_of_another_library_is_refused():
    with pytest.raises(TypeError, match=r"builtins.dict is no connection that SqlFence knows"):
        FENCE.claim({}, "orders", 1)


@given(st.lists(st.tuples(st.integers(1, 9), st.booleans(), st.integers(0, 1)), max_size=12))
def test_the_statement_says_the_same_as_the_rule(claims):
    connection = sqlite3.connect(":memory:")
    FENCE.create_table(connection)
    marks: dict[int, Marks] = {}
    for token, shared, slot in claims:
        try:
            marks[slot] = marks.get(slot, Marks()).claim("x", token, shared)
            expected = None
        except StaleToken as stale:
            expected = stale.highest
        try:
            FENCE.claim(connection, "x", token, shared=shared, slot=slot)
            assert expected is None
        except StaleToken as stale:
            assert stale.highest == expected
