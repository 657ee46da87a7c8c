"""Leasing coordinator: a grant ends by itself, so that nobody waits for the dead.

A holder that crashes never releases its grant. So a grant is good for `lease` ticks: then the holder leaves by itself,
and `transmission` later the coordinator lets the next one in.

Assumes   a complete graph, crash and recovery of the participants and, with `retry`, of the coordinator; messages may
          be lost, with `retry`. Synchrony: clocks run alike, a message takes no longer than `transmission`, and nobody
          stands still.
Gives     mutual exclusion, whoever crashes; freedom from deadlock and starvation, bounded waiting, while the
          coordinator is up or comes back.
Costs     what coordinator does.
Why safe  the coordinator counts the lease from the sending of the grant, and adds the way of the grant and the tick in
          which its holder leaves. A coordinator that is back waits as long before it lets anybody in: by then all that
          it granted before the crash is over.
If wrong  a slow holder cannot see that its lease has ended, and two are inside. No detector helps: only a perfect one
          could be trusted to say that a holder is dead, and a lease needs none. Fencing does.

Fencing   `fencing`: every grant has a token, each larger than the one before, and the resource turns away all tokens
          but the largest it has seen. So it serves one at a time whatever happens: slow holders, late messages.

C. G. Gray, D. R. Cheriton. Leases: an efficient fault-tolerant mechanism for distributed file cache consistency. SOSP
1989. Fencing: M. Burrows. The Chubby lock service for loosely-coupled distributed systems. OSDI 2006, "sequencers".
"""

from __future__ import annotations

from typing import ClassVar

from mypy_extensions import mypyc_attr

from habemus.mutex.coordinator import Entry, Grant, Request
from habemus.mutex.coordinator_retry import CoordinatorRetry
from habemus.process import WORST, Bound, Durable, Parameter, Pid, upon_command, upon_recover, upon_timeout


@mypyc_attr(allow_interpreted_subclasses=True)
class CoordinatorLease(CoordinatorRetry):
    name = "coordinator-lease"
    model = "synchronous, crash-recovery"
    bounds: ClassVar[tuple[Bound, ...]] = (Bound(WORST, "4", lambda n, m: 4),)
    positive = ("lease",)
    tolerates_loss = False  # unless it retries
    synchronous = True
    on_network = ({"transmission": 50},)
    small_times = {"lease": 1, "transmission": 1, "processing": 1}

    retry: Parameter[int] = 0
    lease: Parameter[int] = 100
    transmission: Parameter[int] = 10
    fencing: Parameter[bool] = False

    token: Durable[int] = 0  # the largest that we have seen

    @property
    def delay_bound(self) -> int | None:
        return self.transmission

    @property
    def validity(self) -> int:
        """How long after it was sent a grant may be in use; one tick more, for in its last tick the holder leaves."""
        return self.lease + self.transmission + 1

    @property
    def inherited_validity(self) -> int:
        """How long after a coordinator begins a grant from before that may be in use."""
        return self.validity

    # Participants

    def application(self) -> Request:
        return Request(self.ticket, self.token)

    def go_inside(self, grant: Grant) -> None:
        self.cancel_timer("answer")
        self.token = max(self.token, grant.token)
        self.set_timer("lease", self.lease)
        self.enter(grant.token if self.fencing else None)

    @upon_timeout("lease")
    def leave_in_time(self) -> None:
        self.go_outside()

    @upon_command("release")
    def go_outside(self) -> None:
        self.cancel_timer("lease")
        super().go_outside()

    # The coordinator

    def line_up(self, sender: Pid, message: Request) -> None:
        self.token = max(self.token, message.token)
        super().line_up(sender, message)

    def grant(self, entry: Entry) -> None:
        self.set_timer("expiry", self.validity)
        if self.fencing:
            self.token = self.next_token()
        super().grant(entry)

    def permit(self, ticket: int) -> Grant:
        return Grant(ticket, self.token)

    def next_token(self) -> int:
        """Larger than any seen, and than our own before a crash."""
        return self.token + 1

    @upon_timeout("expiry")
    def time_out(self) -> None:
        self.be_free()

    def be_free(self) -> None:
        self.cancel_timer("expiry")
        super().be_free()

    # Coming back

    @upon_recover
    def come_back(self) -> None:
        if self.chief == self.id:
            self.wait_for_old_grants()

    def wait_for_old_grants(self) -> None:
        """Nobody knows them all, but all are over when their time is up, our own from before a crash included."""
        self.closed = True
        self.set_timer("office", self.inherited_validity)

    @upon_timeout("office")
    def begin_to_grant(self) -> None:
        self.closed = False
