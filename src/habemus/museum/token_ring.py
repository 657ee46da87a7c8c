"""Token ring, broken."""

from __future__ import annotations

from habemus.museum.exhibit import Instance, exhibit
from habemus.mutex.token_ring import Token, TokenRing
from habemus.mutex.token_ring_regenerating import TokenRingRegenerating
from habemus.process import Pid

ONE_CRASH = Instance(n=3, limits={"crashes": 1})


@exhibit("token-ring-keeps-a-copy", violates="mutual_exclusion", instance=Instance(n=2))
class KeepsACopy(TokenRing):
    """The token is sent on and still there."""

    def pass_on(self) -> None:
        token, others = self.token, self.others
        if token is not None and others:  # alone one keeps it
            self.send(others[0], Token(token))


@exhibit(
    "token-ring-loses-the-token",
    violates="deadlock_freedom",
    instance=Instance(n=2, limits={"crashes": 1}),
    mended=Instance(n=2),
)
class LosesTheToken(TokenRing):
    """The token dies with who had it, and nobody makes another."""


@exhibit(
    "token-ring-told-one-by-one",
    violates="deadlock_freedom",
    instance=Instance(n=3, limits={"crashes": 1, "detector": "perfect"}),
    mended=ONE_CRASH,
)
class ToldOneByOne(TokenRingRegenerating):
    """One who has not heard of a crash yet sends the new token to the dead, where the old one ended."""


@exhibit("token-ring-honours-every-token", violates="mutual_exclusion", instance=ONE_CRASH)
class HonoursEveryToken(TokenRingRegenerating):
    """The epoch of a token is not looked at, so one that was thought lost is as good as the new one."""

    def take_token(self, sender: Pid, message: Token) -> None:
        self.have_token(self.epoch)


@exhibit("token-ring-makes-one-unasked", violates="mutual_exclusion", instance=ONE_CRASH)
class MakesOneUnasked(TokenRingRegenerating):
    """When somebody has died another token is made at once, without asking who is inside with the old one."""

    def stand(self) -> None:
        self.begin_epoch()
        self.have_token(self.epoch)
