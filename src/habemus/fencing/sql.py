"""Fencing in SQL: a table of the highest tokens, compared and raised within the user's own transaction.

One statement compares and raises, and holds the row until the transaction ends. So two holders cannot both pass, and
what a stale one wrote before in the same transaction is rolled back by its StaleToken. The statement is the same for
SQLite (3.24 and newer) and PostgreSQL.

    fence = SqlFence()
    with connection:                                # sqlite3; psycopg: with connection.transaction()
        fence.claim(connection, "orders", lease.token)
        connection.execute("UPDATE orders ...")
"""

from __future__ import annotations

import re
from typing import Any

from habemus.service.errors import GroupError, StaleToken

CREATE = """CREATE TABLE IF NOT EXISTS {table} (
    resource TEXT NOT NULL, slot INTEGER NOT NULL, written BIGINT NOT NULL, seen BIGINT NOT NULL,
    PRIMARY KEY (resource, slot))"""
CLAIM_EXCLUSIVE = """INSERT INTO {table} (resource, slot, written, seen) VALUES (:resource, :slot, :token, 0)
    ON CONFLICT (resource, slot) DO UPDATE SET written = excluded.written
    WHERE excluded.written >= {table}.written AND excluded.written >= {table}.seen"""
CLAIM_SHARED = """INSERT INTO {table} (resource, slot, written, seen) VALUES (:resource, :slot, 0, :token)
    ON CONFLICT (resource, slot) DO UPDATE
    SET seen = CASE WHEN excluded.seen > {table}.seen THEN excluded.seen ELSE {table}.seen END
    WHERE excluded.seen >= {table}.written"""
LOOK = "SELECT written, seen FROM {table} WHERE resource = :resource AND slot = :slot"


class SqlFence:
    """Guards resources by a table in the database where they are. Connections: sqlite3, psycopg 3, SQLAlchemy 2."""

    def __init__(self, table: str = "habemus_fence") -> None:
        if not re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)?", table):
            raise ValueError(f"{table!r} is no name of a table: use letters, digits and _")
        self.table = table

    def create_table(self, connection: Any) -> None:
        """Create the table, unless it is there."""
        execute(connection, CREATE.format(table=self.table), {})

    def claim(self, connection: Any, resource: str, token: int, *, shared: bool = False, slot: int = 0) -> None:
        """Note the token in the current transaction; StaleToken if a newer one was here."""
        refuse_autocommit(connection)
        values = {"resource": resource, "slot": slot, "token": token}
        claim = CLAIM_SHARED if shared else CLAIM_EXCLUSIVE
        if execute(connection, claim.format(table=self.table), values).rowcount == 0:
            look = LOOK.format(table=self.table)
            written, seen = execute(connection, look, {"resource": resource, "slot": slot}).fetchone()
            raise StaleToken(resource, token, written if shared else max(written, seen))

    async def claim_async(
        self, connection: Any, resource: str, token: int, *, shared: bool = False, slot: int = 0
    ) -> None:
        """The same for the asynchronous connections and sessions of psycopg and SQLAlchemy."""
        if library_of(connection) == "sqlalchemy":
            await connection.run_sync(self.claim, resource, token, shared=shared, slot=slot)
            return
        refuse_autocommit(connection)
        values = {"resource": resource, "slot": slot, "token": token}
        claim = CLAIM_SHARED if shared else CLAIM_EXCLUSIVE
        cursor = await connection.execute(for_psycopg(claim.format(table=self.table)), values)
        if cursor.rowcount == 0:
            look = for_psycopg(LOOK.format(table=self.table))
            cursor = await connection.execute(look, {"resource": resource, "slot": slot})
            written, seen = await cursor.fetchone()
            raise StaleToken(resource, token, written if shared else max(written, seen))


def library_of(connection: Any) -> str:
    """Whose connection it is; none of these libraries is imported for that."""
    library = next((cls.__module__.partition(".")[0] for cls in type(connection).__mro__ if is_known(cls)), "")
    if not library:
        kind = f"{type(connection).__module__}.{type(connection).__qualname__}"
        raise TypeError(f"{kind} is no connection that SqlFence knows: use one of sqlite3, psycopg or SQLAlchemy")
    return library


def is_known(cls: type) -> bool:
    return cls.__module__.partition(".")[0] in ("sqlite3", "psycopg", "sqlalchemy")


def execute(connection: Any, statement: str, values: dict[str, Any]) -> Any:
    library = library_of(connection)
    if library == "sqlalchemy":
        from sqlalchemy import text

        return connection.execute(text(statement), values)
    return connection.execute(for_psycopg(statement) if library == "psycopg" else statement, values)


def for_psycopg(statement: str) -> str:
    return re.sub(r":(\w+)", r"%(\1)s", statement)


def refuse_autocommit(connection: Any) -> None:
    """A claim that is committed at once protects nothing that is written after it."""
    library = library_of(connection)
    if library == "sqlalchemy":
        bound = connection if hasattr(connection, "dialect") else connection.connection()  # a session has one
        driver = bound.connection.driver_connection
        if any(is_known(cls) for cls in type(driver).__mro__):
            refuse_autocommit(driver)
        return
    if library == "sqlite3":
        alone = connection.isolation_level is None and not connection.in_transaction
        alone = alone or getattr(connection, "autocommit", False) is True
    else:
        alone = connection.autocommit and connection.info.transaction_status.name == "IDLE"
    if alone:
        raise GroupError("a token is claimed in the transaction of the writes that it protects: begin one first")
