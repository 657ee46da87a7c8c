"""Workers that must not ship an order twice: locks between processes, and a database that refuses stale tokens.

python examples/one_at_a_time.py
"""

import asyncio
import sqlite3
import tempfile

import habemus
from habemus.fencing import SqlFence

FENCE = SqlFence()


async def work(group: habemus.Group, database: sqlite3.Connection, worker: int) -> None:
    """Ship whatever is left; in real life each worker is a process of its own, which joins the group by its name."""
    for order in (1, 2, 3, 4, 5, 6):
        async with group.lock(f"order/{order}") as lease:
            await asyncio.sleep(0.01)  # packing; meanwhile the others wait
            with database:
                FENCE.claim(database, f"order/{order}", lease.token)
                (shipped,) = database.execute("SELECT token FROM orders WHERE id = ?", [order]).fetchone()
                if shipped:
                    continue
                database.execute("UPDATE orders SET token = ? WHERE id = ?", [lease.token, order])
            print(f"worker {worker} ships order {order}")


async def main() -> None:
    database = sqlite3.connect(":memory:")
    FENCE.create_table(database)
    database.execute("CREATE TABLE orders (id INTEGER, token INTEGER DEFAULT 0)")
    database.executemany("INSERT INTO orders (id) VALUES (?)", [(order,) for order in range(1, 7)])
    with tempfile.TemporaryDirectory() as folder:
        async with habemus.join("orders", f"file://{folder}/locks") as group:
            await asyncio.gather(*[work(group, database, worker) for worker in (1, 2, 3)])
    (token,) = database.execute("SELECT token FROM orders WHERE id = 1").fetchone()
    try:
        FENCE.claim(database, "order/1", token - 1)
    except habemus.StaleToken as stale:
        print(f"order 1 was shipped by token {token}; token {stale.token} is refused")


if __name__ == "__main__":
    asyncio.run(main())
