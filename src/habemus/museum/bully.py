"""Bully, broken."""

from __future__ import annotations

from habemus.election.bully import ANNOUNCED, Answer, Bully, Coordinator, ElectionCall
from habemus.election.bully_stable import BullyStable
from habemus.museum.exhibit import Instance, exhibit
from habemus.process import Pid

CRASH_AND_RECOVERY = {"crashes": 1, "recoveries": 1}


@exhibit(
    "bully-in-an-asynchronous-system",
    violates="uniqueness",
    instance=Instance(n=2, timing="async"),
    mended=Instance(n=2, timing="bounded"),
)
class NoBound(Bully):
    """Where messages may take any time, a time-out takes a slow process for a dead one, and two lead."""


@exhibit(
    "bully-believes-a-mistake",
    violates="uniqueness",
    instance=Instance(n=2, starters=(1,), timing="bounded", limits={"mistakes": 1, "detector": "eventual"}),
    mended=Instance(n=2, starters=(1,), timing="bounded", limits={"crashes": 1}),
)
class BelievesAMistake(Bully):
    """A leader that is well is reported dead; its follower takes over at once, and two lead."""


@exhibit(
    "bully-hears-of-the-dead-too-early",
    violates="termination",
    instance=Instance(n=2, starters=(1,), timing="bounded", limits={"crashes": 1, "detector": "eventual"}),
    mended=Instance(n=2, starters=(1,), timing="bounded", limits={"crashes": 1}),
)
class HearsTooEarly(Bully):
    """Told of a crash before the last message of the dead is here, one follows the dead, and is not told again."""


@exhibit(
    "bully-too-short-a-time",
    violates="uniqueness",
    instance=Instance(n=2, parameters={"transmission": 2}, timing="bounded", limits=CRASH_AND_RECOVERY),
    happened="HopsFS ran with a leader check that was shorter than the time-out of its database, and had two leaders.",
    source="https://github.com/hopshadoop/hops/issues/99",
)
class Impatient(Bully):
    """T allows for the time an answer takes to make, but not for the two messages there and back."""

    @property
    def patience(self) -> int:
        """An answer that is not here by now will not come."""
        return self.processing


@exhibit(
    "bully-takes-office-at-once",
    violates="uniqueness",
    instance=Instance(n=2, timing="bounded", limits=CRASH_AND_RECOVERY),
)
class TakesOfficeAtOnce(Bully):
    """The winner is in office when it announces itself, while a weaker leader has not heard of it."""

    def announce(self) -> None:
        self.stage = ANNOUNCED
        self.send(self.audience(), Coordinator())
        self.take_office()


@exhibit(
    "bully-back-at-once",
    violates="agreement",
    instance=Instance(n=3, starters=(2,), timing="bounded", limits=CRASH_AND_RECOVERY),
)
class BackAtOnce(Bully):
    """One that comes back calls an election at once, while another that took it for dead is about to be announced."""

    def come_back(self) -> None:
        self.ask_stronger()


@exhibit(
    "bully-waits-for-ever",
    violates="termination",
    instance=Instance(n=3, timing="bounded", limits={"crashes": 2}),
)
class WaitsForEver(BullyStable):
    """A stronger one that has answered is relied upon, even if it dies before it can announce itself."""

    def call_again(self) -> None:
        pass


@exhibit(
    "bully-answers-and-sits-down",
    violates="termination",
    instance=Instance(n=2, starters=(1,), timing="bounded"),
)
class AnswersOnly(Bully):
    """A stronger one tells the caller to leave it to itself, and then does not call an election."""

    def answer_call(self, sender: Pid, message: ElectionCall) -> None:
        if self.irremovable:
            self.send(sender, Coordinator())
        else:
            self.send(sender, Answer())
