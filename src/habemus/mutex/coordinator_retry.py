"""Retrying coordinator: what was not answered is said again.

A request whose grant does not come, or a release that is not acknowledged, is sent again after `retry`, and again. The
coordinator knows by the ticket that it has seen it: who is inside already is granted once more, who queues keeps its
place.

Assumes   a complete graph; messages may be lost, doubled, overtaken, but not all of them: what is said for ever arrives
          once. No crashes; no bound on delays.
Gives     mutual exclusion, freedom from deadlock and starvation, bounded waiting: first come, first served.
Costs     what coordinator does, and what is said again.
Why safe  nothing is granted that was not granted before: the ticket tells a copy from a new request.

Only those at the ends can know what has to be said again: J. H. Saltzer, D. P. Reed, D. D. Clark. End-to-end arguments
in system design. ACM TOCS 2(4), 1984.
"""

from __future__ import annotations

from typing import ClassVar

from mypy_extensions import mypyc_attr

from habemus.mutex.coordinator import Coordinator, Grant, Released, Request
from habemus.process import Bound, Parameter, Pid, upon_timeout


@mypyc_attr(allow_interpreted_subclasses=True)
class CoordinatorRetry(Coordinator):
    name = "coordinator-retry"
    model = "asynchronous, loss"
    bounds: ClassVar[tuple[Bound, ...]] = ()
    tolerates_loss: ClassVar[bool] = True

    retry: Parameter[int] = 50

    @property
    def patience(self) -> int:
        """When to say again what was not answered; 0: never."""
        return self.retry

    def expect_answer(self) -> None:
        if self.patience:
            self.set_timer("answer", self.patience)

    def request(self) -> None:
        super().request()
        if self.chief is not None and self.chief != self.id:
            self.expect_answer()

    @upon_timeout("answer")
    def say_again(self) -> None:
        if self.waiting:
            self.request()
        elif self.grantor is not None:
            self.give_back(self.grantor)

    def line_up(self, sender: Pid, message: Request) -> None:
        if (sender, message.ticket) == self.holder:
            self.grant(self.holder)  # it seems that the grant was lost
        else:
            super().line_up(sender, message)

    def go_inside(self, grant: Grant) -> None:
        self.cancel_timer("answer")
        super().go_inside(grant)

    def give_back(self, grantor: Pid) -> None:
        super().give_back(grantor)
        if self.grantor is not None and grantor == self.chief:  # else it is acknowledged, or need not be any more
            self.expect_answer()

    def be_released(self, sender: Pid, message: Released) -> None:
        super().be_released(sender, message)
        if message.ticket == self.ticket:
            self.cancel_timer("answer")
