"""APScheduler on the leader only: start this on as many hosts as you like.

python examples/service/scheduler_on_leader.py
"""

import asyncio
import os

from apscheduler.schedulers.asyncio import AsyncIOScheduler

import habemus

WHERE = os.environ.get("ORDERS_GROUP")  # nothing: the processes of this host


async def report(token: int) -> None:
    print(f"report {os.getpid()} {token}", flush=True)


async def schedule(lease: habemus.Lease) -> None:
    """Run the jobs until the role is lost; then wait for the next turn."""
    scheduler = AsyncIOScheduler()
    scheduler.add_job(report, "interval", seconds=0.1, args=[lease.token])
    scheduler.start()
    try:
        await asyncio.Event().wait()
    finally:
        scheduler.shutdown(wait=False)


async def main() -> None:
    async with habemus.join("orders", WHERE) as group:
        print(f"member {os.getpid()}", flush=True)
        await group.singleton("scheduler")(schedule)


if __name__ == "__main__":
    asyncio.run(main())
