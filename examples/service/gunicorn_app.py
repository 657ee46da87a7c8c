"""gunicorn with several workers, of which one does what must be done once.

gunicorn --chdir examples/service --config examples/service/gunicorn_settings.py --workers 3 gunicorn_app:application
"""

import json
import os
import threading
from collections.abc import Callable, Iterable
from typing import Any

import habemus.sync

WHERE = os.environ.get("ORDERS_GROUP")  # nothing: the processes of this host
leads = threading.Event()


def clean_up() -> None:
    """In a thread of each worker; those that do not lead wait."""
    with habemus.sync.join("orders", WHERE) as group, group.lead("cleanup") as lease:
        leads.set()
        while not lease.lost and not lease.wanted:
            threading.Event().wait(1)  # the work; the role is given back when the worker ends, however it ends
        leads.clear()


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps({"worker": os.getpid(), "cleans up": leads.is_set()}).encode()]
