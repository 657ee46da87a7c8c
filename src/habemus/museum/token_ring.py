"""Token ring, broken."""

from __future__ import annotations

from habemus.museum.exhibit import Instance, exhibit
from habemus.mutex.token_ring import Token, TokenRing
from habemus.process import Pid

REGENERATION = Instance(n=3, parameters={"regenerate": True}, limits={"crashes": 1})


@exhibit("token-ring-keeps-a-copy", violates="mutual_exclusion", instance=Instance(n=2))
class KeepsACopy(TokenRing):
    """The token is sent on and still there."""

    def pass_on(self) -> None:
        others = self.others
        if others:  # alone one keeps the token
            self.send(others[0], Token(self.epoch))


@exhibit(
    "token-ring-loses-the-token",
    violates="deadlock_freedom",
    instance=Instance(n=2, limits={"crashes": 1}),
    mended=Instance(n=2, parameters={"regenerate": True}, limits={"crashes": 1}),
)
class LosesTheToken(TokenRing):
    """The token dies with who had it, and nobody makes another."""


@exhibit(
    "token-ring-told-one-by-one",
    violates="deadlock_freedom",
    instance=Instance(n=3, parameters={"regenerate": True}, limits={"crashes": 1, "detector": "perfect"}),
    mended=REGENERATION,
)
class ToldOneByOne(TokenRing):
    """One who has not heard of a crash yet sends the new token to the dead, where the old one ended."""


@exhibit("token-ring-honours-every-token", violates="mutual_exclusion", instance=REGENERATION)
class HonoursEveryToken(TokenRing):
    """The epoch of a token is not looked at, so one that was thought lost is as good as the new one."""

    def take_token(self, sender: Pid, message: Token) -> None:
        self.have_token()


@exhibit("token-ring-makes-one-unasked", violates="mutual_exclusion", instance=REGENERATION)
class MakesOneUnasked(TokenRing):
    """When somebody has died another token is made at once, without asking who is inside with the old one."""

    def stand(self) -> None:
        self.begin_epoch()
        self.have_token()
