"""A thread that waits for news of a group's directory, or until it is time to do something, or until somebody rings."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from habemus.service.engines.inotify import DirectoryNews

Step = Callable[[set[Path]], None]


class Watcher:
    """Calls `step` with the files that there is news of, at the latest after `delay()` seconds; None: not without."""

    def __init__(self, directory: Path, step: Step, delay: Callable[[], float | None]) -> None:
        self.step = step
        self.delay = delay
        self.ending = False
        self.doorbell = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK) if hasattr(os, "pipe2") else os.pipe()
        self.news = DirectoryNews()
        self.news.watch(directory)
        self.thread = threading.Thread(target=self.run, name="habemus file engine", daemon=True)
        self.thread.start()

    @property
    def hears(self) -> bool:
        """Whether the system tells of changes; otherwise one has to look again and again."""
        return self.news.descriptor >= 0

    def ring(self) -> None:
        with suppress(OSError):  # it is full and rings already, or nobody is there any more
            os.write(self.doorbell[1], b"!")

    def run(self) -> None:
        poll = select.poll()
        poll.register(self.doorbell[0], select.POLLIN)
        if self.hears:
            poll.register(self.news.descriptor, select.POLLIN)
        while not self.ending:
            delay = self.delay()
            ready = [descriptor for descriptor, _ in poll.poll(None if delay is None else 1000 * delay)]
            if self.doorbell[0] in ready:
                os.read(self.doorbell[0], 4096)
            changed = self.news.read() if self.news.descriptor in ready else set()
            if not self.ending:
                self.step(changed)
        self.close_descriptors()

    def end(self) -> None:
        self.ending = True
        self.ring()
        if self.thread is not threading.current_thread():
            self.thread.join()

    def close_descriptors(self) -> None:
        """At the end; or in a child after os.fork, which has copies of them."""
        self.news.close()
        doorbell, self.doorbell = self.doorbell, (-1, -1)
        for descriptor in doorbell:
            with suppress(OSError):
                os.close(descriptor)
