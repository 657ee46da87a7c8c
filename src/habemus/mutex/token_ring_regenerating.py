"""Regenerating token ring: a lost token is replaced, by consent of all who are alive.

If the holder of the token crashes the first member alive makes another, by an election. It begins a new epoch and asks
all the living. Who consents is outside and honours the token of that epoch alone: any other that still travels is
destroyed at sight. With the consent of all there is no token left, and the candidate makes the new one. The dead are
skipped.

Assumes   a logical ring, known to all, over a complete graph; reliable links, no bound on delays, no order. Crash and
          recovery, and a perfect detector that tells everybody at the same time.
Gives     mutual exclusion, freedom from deadlock and starvation; bounded waiting while nobody crashes.
Costs     while nobody crashes, what token-ring does. An undisputed election takes 2(k-1) messages, k alive.
Why safe  a new token is made when all who are alive have come to its epoch, so that no older one is honoured anywhere.
          Epochs grow, survive crashes, and belong to one candidate. Who comes back begins in an epoch of its own, of
          which there is no token, and keeps silent until everybody knows that it is back: else it might be inside while
          one who takes it for dead makes a token without asking.
If wrong  a process that is taken for dead may be inside while a new token is made: two inside. Its old token is
          destroyed by the next one, and with `fencing` the resource, which has seen the new epoch, refuses it.

Options   `silence`: no less than the detector takes to tell of a recovery; `fencing`: enter with the epoch as token.

G. Le Lann. Distributed systems: towards a formal approach. IFIP Congress 1977, which elects by circulation; this one
asks all at once.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.mutex.token_ring import Token, TokenRing
from habemus.process import (
    Durable,
    Message,
    Parameter,
    Pid,
    upon,
    upon_command,
    upon_recover,
    upon_suspect,
    upon_timeout,
    upon_trust,
)


@dataclass(frozen=True)
class Stand(Message):
    """May I make the token of this epoch?"""

    epoch: int


@dataclass(frozen=True)
class Consent(Message):
    """You may: I am outside, and honour no token of another epoch."""

    epoch: int


@dataclass(frozen=True)
class Refusal(Message):
    """You may not: I am in this later epoch."""

    epoch: int


@mypyc_attr(allow_interpreted_subclasses=True)
class TokenRingRegenerating(TokenRing):
    name = "token-ring-regenerating"
    model = "asynchronous, crash-recovery, perfect detector"
    detector = "simultaneous"
    positive = ("silence",)

    silence: Parameter[int] = 40
    fencing: Parameter[bool] = False

    epoch: Durable[int] = 0  # the only token honoured is of this one
    suspected: set[Pid] = set()
    standing: bool = False
    consents: set[Pid] = set()
    silent: bool = False  # just back, and not everybody knows

    @property
    def others(self) -> tuple[Pid, ...]:
        return tuple([process for process in super().others if process not in self.suspected])

    def take_token(self, sender: Pid, message: Token) -> None:
        if message.epoch == self.epoch:  # else it is an old one, and ends here
            self.have_token(self.epoch)

    def go_inside(self) -> None:
        self.enter(self.token if self.fencing else None)

    @upon_command("release")
    def go_outside(self) -> None:
        self.leave()
        if self.token == self.epoch:
            self.pass_on()
        else:
            self.give_consent()  # asked for while inside

    # Making another

    @upon_suspect
    def skip(self, subject: Pid) -> None:
        self.suspected.add(subject)
        self.heed_news(subject)

    @upon_trust
    def take_in(self, subject: Pid) -> None:
        self.suspected.discard(subject)
        self.heed_news(subject)

    def heed_news(self, subject: Pid) -> None:
        """The subject may have taken the token with it, and who is back, or was wrongly suspected, missed an epoch."""
        first = next(p for p in self.members if p not in self.suspected and p != subject)
        if not self.silent and (self.standing or self.id == first):
            self.stand()

    def stand(self) -> None:
        self.standing = True
        self.consents = set()
        self.begin_epoch()
        self.send(self.others, Stand(self.epoch))
        if not self.inside:
            self.give_consent()

    def begin_epoch(self) -> None:
        """Epochs are dealt out round the ring, so that no two candidates ever mean the same one."""
        self.epoch += 1 + (self.seat - self.epoch - 1) % self.n

    @property
    def maker(self) -> Pid:
        """Whose epoch this is."""
        return self.members[self.epoch % self.n]

    @upon(Stand)
    def weigh_candidate(self, sender: Pid, message: Stand) -> None:
        if message.epoch < self.epoch:
            self.send(sender, Refusal(self.epoch))
        elif message.epoch > self.epoch:
            self.epoch = message.epoch
            self.standing = False
            if not self.inside and not self.silent:
                self.give_consent()

    def give_consent(self) -> None:
        self.token = None
        if self.maker == self.id:
            self.count_consent(self.id, Consent(self.epoch))
        else:
            self.send(self.maker, Consent(self.epoch))

    @upon(Consent)
    def count_consent(self, sender: Pid, message: Consent) -> None:
        if self.standing and message.epoch == self.epoch:
            self.consents.add(sender)
            if self.consents.issuperset((self.id, *self.others)):
                self.standing = False
                self.have_token(self.epoch)

    @upon(Refusal)
    def stand_again(self, sender: Pid, message: Refusal) -> None:
        if self.standing and message.epoch > self.epoch:
            self.epoch = message.epoch
            self.stand()

    # Coming back

    @upon_recover
    def come_back(self) -> None:
        self.begin_epoch()  # a token from before the crash is not honoured
        self.silent = True
        self.set_timer("silence", self.silence)

    @upon_timeout("silence")
    def break_silence(self) -> None:
        self.silent = False
        if self.maker == self.id:  # nobody has asked for its consent
            self.stand()
        else:
            self.give_consent()
