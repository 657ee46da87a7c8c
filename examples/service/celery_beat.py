"""Celery beat on one host at a time: start this in place of `celery beat` wherever workers run.

python examples/service/celery_beat.py

Without any code: habemus run --role beat -- celery -A tasks beat
"""

import os
import signal
import tempfile
from pathlib import Path

from celery import Celery

import habemus.sync

WHERE = os.environ.get("ORDERS_GROUP")  # nothing: the processes of this host

app = Celery("orders", broker="memory://")
app.conf.beat_schedule = {"reminders": {"task": "orders.remind", "schedule": 0.1}}


def main() -> None:
    group = habemus.sync.join("orders", WHERE, loss_signal=signal.SIGTERM)  # beat ends in order on TERM
    with group, group.lead("beat") as lease, tempfile.TemporaryDirectory() as folder:
        lease.wanted.call(lambda member: os.kill(os.getpid(), signal.SIGTERM))
        print(f"beat {os.getpid()} {lease.token}", flush=True)
        app.Beat(loglevel="INFO", schedule=str(Path(folder) / "schedule")).run()


if __name__ == "__main__":
    main()
