"""Capture, broken."""

from __future__ import annotations

from habemus.election.capture import Ack, CaptureElection
from habemus.museum.exhibit import Instance, exhibit
from habemus.process import Pid


@exhibit(
    "capture-grows-when-beaten",
    violates="termination",
    instance=Instance(n=4, ids=(4, 3, 2, 1)),
    happened="The printed listing (V. C. Barbosa 1996, A_Elect_Leader_C) leaves open for whom an ack counts.",
)
class GrowsWhenBeaten(CaptureElection):
    """An acknowledgement counts even for a candidate that has given up, which then outweighs who beat it."""

    def own(self, sender: Pid, message: Ack) -> None:
        self.owns += 1
        self.level = (self.owns + 1).bit_length() - 1
        self.capture_next()
