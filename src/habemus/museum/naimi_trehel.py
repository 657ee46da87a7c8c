"""Naimi & Trehel, broken."""

from __future__ import annotations

from habemus.museum.exhibit import Instance, exhibit
from habemus.mutex.naimi_trehel import NaimiTrehel, Request, Token
from habemus.process import Pid


@exhibit("naimi-trehel-forgets-the-next", violates="deadlock_freedom", instance=Instance(n=2, fifo=False))
class ForgetsTheNext(NaimiTrehel):
    """Who asks while another waits or is inside is not remembered, and the token goes no further."""

    def reverse_path(self, sender: Pid, message: Request) -> None:
        if self.last is not None:
            self.send(self.last, message)
        elif self.waiting or self.inside:
            pass
        else:
            self.send(message.origin, Token())
        self.last = message.origin


@exhibit(
    "naimi-trehel-remembers-the-next",
    violates="mutual_exclusion",
    instance=Instance(n=2, fifo=False, limits={"entries": 2}),
)
class RemembersTheNext(NaimiTrehel):
    """Who leaves sends a token to its next of an earlier time, too: there are two."""

    def go_outside(self) -> None:
        self.leave()
        if self.next is not None:
            self.send(self.next, Token())
