"""Suzuki & Kasami, broken."""

from __future__ import annotations

from habemus.museum.exhibit import Instance, exhibit
from habemus.mutex.suzuki_kasami import Request, SuzukiKasami
from habemus.process import Pid


@exhibit(
    "suzuki-kasami-stale-request",
    violates="deadlock_freedom",
    instance=Instance(n=3, fifo=False, limits={"entries": 2}),
)
class StaleRequest(SuzukiKasami):
    """A request that a later one has overtaken arrives, and the later one, not served yet, is forgotten."""

    def hear_request(self, sender: Pid, message: Request) -> None:
        self.numbers[sender] = message.number
        if self.token is not None and not self.inside:
            self.pass_token(self.token.served)


@exhibit("suzuki-kasami-looks-not-around", violates="deadlock_freedom", instance=Instance(n=2, fifo=False))
class LooksNotAround(SuzukiKasami):
    """Who leaves keeps the token, and does not look who has asked meanwhile."""

    def go_outside(self) -> None:
        self.leave()
