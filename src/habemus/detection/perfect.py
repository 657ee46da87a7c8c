"""Perfect: an oracle says who has crashed, after a set time and without a mistake.

The simulator knows, and tells everybody who is up: of a crash after `detection` ticks, of a recovery likewise. This
detector passes the word on to the layers above. It is what textbooks mean by a reliable failure detector, and what the
others are measured against; on a real network there is none.

Assumes   simulation.
Gives     completeness and accuracy: the class P of Chandra and Toueg.
Costs     no messages.
Why safe  it is told nothing but the truth, and only as long as it is still true.

T. D. Chandra, S. Toueg. Unreliable failure detectors for reliable distributed systems. JACM 43(2), 1996.
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from habemus.process import Detector, Parameter, Pid, upon_suspect, upon_trust


@mypyc_attr(allow_interpreted_subclasses=True)
class Perfect(Detector):
    name = "perfect"
    model = "simulation"
    guarantees = ("completeness", "accuracy")
    small_times = {"detection": 3}

    detection: Parameter[int] = 21

    suspected: set[Pid] = set()

    @property
    def detection_time(self) -> int | None:
        return self.detection

    @upon_suspect
    def learn_of_crash(self, subject: Pid) -> None:
        self.suspected.add(subject)
        self.suspect(subject)

    @upon_trust
    def learn_of_recovery(self, subject: Pid) -> None:
        self.suspected.discard(subject)
        self.trust(subject)
