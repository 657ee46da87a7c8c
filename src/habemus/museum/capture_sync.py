"""Capture in lock-step, broken."""

from __future__ import annotations

from habemus.election.capture_sync import Ack, CaptureSync
from habemus.museum.exhibit import Instance, exhibit
from habemus.process import Pid


@exhibit(
    "capture-sync-yields-to-the-first",
    violates="termination",
    instance=Instance(n=4, ids=(4, 1, 2, 3)),
)
class YieldsToTheFirst(CaptureSync):
    """Of several captors in one pulse a process yields to the first, so the largest fails, and all give up."""

    def yield_to_largest(self, captors: list[Pid]) -> None:
        if captors and captors[0] > self.owner:
            self.standing = False
            self.owner = captors[0]
            self.send(self.owner, Ack())
