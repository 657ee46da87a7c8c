"""Lamport, broken."""

from __future__ import annotations

from habemus.museum.exhibit import Instance, exhibit
from habemus.mutex.lamport import Ack, Lamport, Request
from habemus.process import Pid


@exhibit(
    "lamport-without-fifo",
    violates="mutual_exclusion",
    instance=Instance(n=2, fifo=False),
    mended=Instance(n=2, fifo=True),
)
class Overtaken(Lamport):
    """An acknowledgement overtakes an earlier request on the same link, which is then missing in the queue."""


@exhibit("lamport-stopped-clock", violates="mutual_exclusion", instance=Instance(n=2))
class StoppedClock(Lamport):
    """The stamps of others do not set the clock, so who has acknowledged a request may ask with an earlier one."""

    def queue_request(self, sender: Pid, message: Request) -> None:
        self.queue[sender] = message.stamp
        self.send(sender, Ack())
