"""Chang-Roberts without the announcement, which makes sense on links that overtake, too.

With it, on such links, the news may arrive before old candidates do, and these call for one election after the other.
Without it whoever meets a stronger id has lost and only passes on what comes, and whoever's id comes home has won: the
algorithm of the TLA+ specification in tlaplus/Examples (S. Merz, 2016), where the smaller id is the stronger.
"""

from __future__ import annotations

from habemus.election.chang_roberts import Candidate, ChangRoberts
from habemus.process import Pid


class QuietRing(ChangRoberts):
    """The strongest candidate survives the circle, and keeps it to itself."""

    name = "quiet-ring"
    guarantees = ("termination", "uniqueness")

    def weigh_candidate(self, sender: Pid, message: Candidate) -> None:
        if not self.participant:
            self.send(self.successor, message)
        elif message.id > self.id:
            self.participant = False
            self.send(self.successor, message)
        elif message.id == self.id:
            self.elect(self.id)
