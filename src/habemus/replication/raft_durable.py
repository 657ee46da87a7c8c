"""Durable Raft: the log is on disk, and nobody forgets.

What Raft's authors assume: before a process acknowledges entries it has them on disk, so a restart loses nothing but
what was under way. Nobody is forgetful, a voter votes as soon as it is back, and even if all restart at once every
committed entry is still there. The price is a write to disk for every batch of entries.

Assumes   what raft does.
Gives     what raft does, while more than half of the weight is up and connected, however many have restarted.
Costs     what raft does, and at each process a write to disk for each message that brings entries.
Why safe  as in raft, with rules 2, 3 and 6 left out: a restarted voter still has what it acknowledged. It does not know
          what is committed, and is told by the next leader; the layer above begins with the snapshot.

D. Ongaro, J. Ousterhout. In search of an understandable consensus algorithm. USENIX ATC 2014.
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from habemus.process import Durable
from habemus.replication.log import Log
from habemus.replication.raft import Raft


@mypyc_attr(allow_interpreted_subclasses=True)
class RaftDurable(Raft):
    name = "raft-durable"
    forgets = False

    entries: Durable[Log] = Log()

    def come_back(self) -> None:
        super().come_back()
        self.tell_restored()
