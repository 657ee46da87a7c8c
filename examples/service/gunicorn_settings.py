"""Settings for gunicorn: each worker joins by itself, after the fork, since it could not use its parent's group."""

import threading
from typing import Any


def post_worker_init(worker: Any) -> None:
    from gunicorn_app import clean_up

    threading.Thread(target=clean_up, daemon=True).start()
