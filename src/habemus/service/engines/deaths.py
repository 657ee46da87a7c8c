"""The word of the kernel that a process of this host has died.

A member says in its description which process it is: the boot of its machine, the namespace in which process ids are
counted, its id, and when it was started; and the last two of its guardian, if it has one: it is dead when both are. A
voter for which the first two are the same can hold a descriptor of that very process (pidfd), and is told by the kernel
when it ends. That is proof, unlike a closed connection, and takes milliseconds, not a ttl. A process that does not run,
but has not ended, is not dead.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Container
from contextlib import suppress
from pathlib import Path

STARTED = 19  # the place of the start time in /proc/PID/stat, counted after the name
MOST = 256  # each costs a file descriptor; the sessions of others end with their ttl


def identify_process(guardian: int = 0) -> str:
    """Which process of which host this is, with its guardian; empty where the kernel cannot tell."""
    if not hasattr(os, "pidfd_open"):
        return ""
    try:
        own = f"{identify_host()} {os.getpid()} {read_start(os.getpid())}"
        return f"{own} {guardian} {read_start(guardian)}" if guardian else own
    except OSError:
        return ""


def identify_host() -> str:
    """Where process ids mean the same."""
    return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()} {os.readlink('/proc/self/ns/pid')}"


def read_start(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[STARTED]


class DeathWatch:
    """Watches processes, each for a session."""

    def __init__(self, on_death: Callable[[int], object]) -> None:
        self.on_death = on_death
        self.watched: dict[int, int] = {}  # session -> descriptor

    def watch(self, session: int, process: str) -> None:
        """Call `on_death` with the session when the process ends, if it is of this host; now, if it has ended."""
        if session in self.watched or not process or len(self.watched) >= MOST:
            return
        with suppress(OSError, ValueError):
            boot, namespace, pid, started, *guardian = process.split(" ")
            if f"{boot} {namespace}" != identify_host():
                return
            then = f"{boot} {namespace} {' '.join(guardian)}" if guardian else ""
            try:
                descriptor = os.pidfd_open(int(pid))
            except ProcessLookupError:
                self.report(session, then)
                return
            self.watched[session] = descriptor  # of the process that has the id now; is it the one that was meant?
            if self.has_ended(int(pid), started):
                self.report(session, then)
            else:
                asyncio.get_running_loop().add_reader(descriptor, self.report, session, then)

    def has_ended(self, pid: int, started: str) -> bool:
        try:
            return read_start(pid) != started
        except (FileNotFoundError, ProcessLookupError):
            return True

    def report(self, session: int, then: str) -> None:
        """A process has ended; `then` is who has to end as well before the member is dead."""
        self.forget(session)
        if then:
            self.watch(session, then)
        else:
            self.on_death(session)

    def forget(self, session: int) -> None:
        descriptor = self.watched.pop(session, None)
        if descriptor is not None:
            asyncio.get_running_loop().remove_reader(descriptor)
            os.close(descriptor)

    def forget_all_but(self, sessions: Container[int]) -> None:
        for session in [session for session in self.watched if session not in sessions]:
            self.forget(session)
