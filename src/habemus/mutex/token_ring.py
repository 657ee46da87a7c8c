"""Token ring: whoever has the token may enter, and passes it on.

The processes sit on a logical ring, and one token travels round it for ever; the first member has it first. Whoever
wants in waits for it and keeps it while inside; all others send it on at once. If its holder crashes the token is gone
and nobody enters any more; with `regenerate` the first member alive makes another, by an election. It begins a new
epoch and asks all the living. Who consents is outside and honours the token of that epoch alone: any other that still
travels is destroyed at sight. With the consent of all there is no token left, and the candidate makes the new one.

Assumes   a logical ring, known to all, over a complete graph; reliable links, no crashes; no bound on delays, no order.
          With `regenerate` crash and recovery, and a perfect detector that tells everybody at the same time.
Gives     mutual exclusion, freedom from deadlock and starvation, bounded waiting: others enter at most n - 1 times
          meanwhile, while nobody crashes.
Costs     1 message an entry if all want in; n if one alone does, again and again; the token travels even if nobody
          wants it, so there is no bound. An undisputed election takes 2(k-1) messages, k alive.
Why safe  there is one token, and who sends it has left. A new one is made when all who are alive have come to its
          epoch, so that no older one is honoured anywhere. Epochs grow, survive crashes, and belong to one candidate.
          Who comes back begins in an epoch of its own, of which there is no token, and keeps silent until everybody
          knows that it is back: else it might be inside while one who takes it for dead makes a token without asking.
If wrong  a process that is taken for dead may be inside while a new token is made: two inside. Its old token is
          destroyed by the next one, and with `fencing` the resource, which has seen the new epoch, refuses it.

Options   `regenerate`; `silence`: no less than the detector takes to tell of a recovery; `fencing`: enter with the
          epoch as token.

G. Le Lann. Distributed systems: towards a formal approach. IFIP Congress 1977.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import (
    Durable,
    Message,
    Mutex,
    Parameter,
    Pid,
    upon,
    upon_command,
    upon_recover,
    upon_start,
    upon_suspect,
    upon_timeout,
    upon_trust,
)


@dataclass(frozen=True)
class Token(Message):
    """The right to enter, among those in its epoch."""

    epoch: int = 0


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
class TokenRing(Mutex):
    """Whoever has the token may enter, and passes it on."""

    name = "token-ring"
    topology = "complete"
    model = "asynchronous; with `regenerate` crash-recovery, perfect detector"
    detector = "simultaneous"
    horizon = 2000
    positive = ("silence",)

    regenerate: Parameter[bool] = False
    silence: Parameter[int] = 40
    fencing: Parameter[bool] = False

    token: int | None = None  # the epoch of the token in hand
    epoch: Durable[int] = 0  # the only token honoured is of this one
    suspected: set[Pid] = set()
    standing: bool = False
    consents: set[Pid] = set()
    silent: bool = False  # just back, and not everybody knows

    @property
    def waits_for(self) -> tuple[Pid, ...]:
        return self.others[-1:] if self.token is None else ()

    @property
    def place(self) -> int:
        """Where this process sits on the ring."""
        return self.members.index(self.id)

    @property
    def others(self) -> tuple[Pid, ...]:
        """The others that are alive, in the order in which the token comes to them from here."""
        ring = self.members[self.place + 1 :] + self.members[: self.place]
        return tuple([p for p in ring if p not in self.suspected])

    # The token

    @upon_start
    def begin_with_token(self) -> None:
        if self.place == 0:
            self.have_token()

    @upon(Token)
    def take_token(self, sender: Pid, message: Token) -> None:
        if message.epoch == self.epoch:  # else it is an old one, and ends here
            self.have_token()

    def have_token(self) -> None:
        self.token = self.epoch
        if self.waiting:
            self.go_inside()
        else:
            self.pass_on()

    def pass_on(self) -> None:
        others = self.others
        if others:  # alone one keeps the token
            self.token = None
            self.send(others[0], Token(self.epoch))

    @upon_command("acquire")
    def want_in(self) -> None:
        self.ask()
        if self.token is not None:
            self.go_inside()

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
        if self.regenerate:
            self.suspected.add(subject)
            self.heed_news(subject)

    @upon_trust
    def take_in(self, subject: Pid) -> None:
        if self.regenerate:
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
        self.epoch += 1 + (self.place - self.epoch - 1) % self.n

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
                self.have_token()

    @upon(Refusal)
    def stand_again(self, sender: Pid, message: Refusal) -> None:
        if self.standing and message.epoch > self.epoch:
            self.epoch = message.epoch
            self.stand()

    @upon_recover
    def come_back(self) -> None:
        if self.regenerate:
            self.begin_epoch()  # a token of its former life is not honoured
            self.silent = True
            self.set_timer("silence", self.silence)

    @upon_timeout("silence")
    def break_silence(self) -> None:
        self.silent = False
        if self.maker == self.id:  # nobody has asked for its consent
            self.stand()
        else:
            self.give_consent()
