"""SWIM: everybody asks one other at a time, and the news travels with the questions.

In every `period` a process pings one other. No answer in time: it has some helpers ping on its behalf, who may have a
better way. Still none by the end of the period: it suspects the other, and says so in what it sends from then on, as do
all who hear of it. Whoever hears that it is suspected itself denies it; a suspicion that nobody denies for long enough
becomes certainty. So everybody is asked about once a period and learns what the others found out.

Assumes   a complete graph, crash and recovery; messages may be lost, doubled, overtaken. An answer takes at most
          T = 2 T_trans + T_process, less than a period; beyond that it still finds every crash, but may be mistaken.
Gives     completeness; accuracy within its bounds, and where mistakes are made they are denied and corrected.
Costs     2 messages a member and period, whatever n, and a few more for each that does not answer; at most `most` news
          in a message. A crash is noticed by someone after 2 periods on average, one until the next ping and one in
          which it is not answered; log n periods spread the word. At worst everybody finds out in 2n periods by itself.
Why safe  alive < suspected < dead < alive in the next incarnation: of two statements about a process the later one in
          this order prevails, so all who have heard the same say the same, in whatever order they heard it. Only the
          process itself raises its incarnation, so of a crashed one the last word is that it is dead.

Who to ask: all others in turn, then in a new order, so that nobody waits for more than 2n periods. The order is an
arithmetic progression through the members with a random start and stride; it costs two numbers, and not a list of n.

Options   `helpers`, the paper's k; `patience` times log n periods until a suspicion is certain, 0: at once; `spread`
          times log n is how often each news is sent. Unlike in the paper the dead are asked in their turn, and told
          that they are thought so: who comes back, or was cut off, denies it in its next incarnation and is taken in.

A. Das, I. Gupta, A. Motivala. SWIM: scalable weakly-consistent infection-style process group membership protocol.
DSN 2002.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

from mypy_extensions import mypyc_attr

from habemus.process import Detector, Message, Parameter, Pid, upon, upon_start, upon_timeout

News: TypeAlias = tuple[tuple[Pid, int], ...]
"""Who, and what of it: 3 times the incarnation, plus ALIVE, SUSPECTED or DEAD. The larger number prevails."""

ALIVE, SUSPECTED, DEAD = 0, 1, 2
STANDINGS = 3


@dataclass(frozen=True)
class Ping(Message):
    """Are you there? `asker` wants to know, in its period of this number."""

    asker: Pid
    number: int
    news: News = ()


@dataclass(frozen=True)
class PingRequest(Message):
    """Ping `subject` on my behalf."""

    subject: Pid
    number: int
    news: News = ()


@dataclass(frozen=True)
class Ack(Message):
    """The answer to the ping that `asker` is waiting for."""

    asker: Pid
    number: int
    news: News = ()


@mypyc_attr(allow_interpreted_subclasses=True)
class Swim(Detector):
    name = "swim"
    topology = "complete"
    model = "partially synchronous, crash-recovery, loss"
    guarantees = ("completeness", "accuracy")
    horizon = 5000
    positive = ("period", "transmission", "most")
    tolerates_loss = True
    on_network = ({"period": 1000}, {"transmission": 50})
    small_times = {"transmission": 1, "processing": 1}
    small_parameters = {"period": 8, "patience": 1, "spread": 1}
    small_bounds = {"number": 2}
    small_n = 2

    period: Parameter[int] = 100
    transmission: Parameter[int] = 10
    processing: Parameter[int] = 1
    helpers: Parameter[int] = 3
    patience: Parameter[int] = 3
    spread: Parameter[int] = 3
    most: Parameter[int] = 6

    number: int = 0  # of the period
    awaited: Pid | None = None  # who was asked in this period and has not answered
    start: int = 0  # the order: members at start, start + stride, start + 2 stride, ...
    stride: int = 1
    turn: int = 0
    known: dict[Pid, int] = {}  # the standing of each of whom there was news, ourselves included; of all others 0
    since: dict[Pid, int] = {}  # who is suspected -> in which period that began
    rumours: dict[Pid, int] = {}  # what is still to be spread -> how often it has been sent

    # Asking

    @upon_start
    def begin(self) -> None:
        if self.n > 1:
            self.shuffle()
            self.set_timer("period", self.choose(range(1, max(1, self.period) + 1)))

    def shuffle(self) -> None:
        self.turn = 0
        self.start = self.choose(range(self.n))
        self.stride = self.choose(range(1, self.n))
        while math.gcd(self.stride, self.n) > 1:  # else it would not come by everybody; n - 1 does
            self.stride += 1

    def member(self, turn: int) -> Pid:
        return self.members[(self.start + turn * self.stride) % self.n]

    @upon_timeout("period")
    def end_period(self) -> None:
        if self.awaited is not None:
            self.learn(self.awaited, self.incarnation(self.awaited) + SUSPECTED)
        for suspect in sorted(self.since):
            if self.number - self.since[suspect] >= self.patience * self.logarithm:
                self.learn(suspect, self.incarnation(suspect) + DEAD)
        self.number += 1
        self.awaited = self.next_in_turn()
        self.send(self.awaited, Ping(self.id, self.number, self.news_for(self.awaited)))
        self.set_timer("answer", 2 * self.transmission + self.processing)
        self.set_timer("period", self.period)

    def next_in_turn(self) -> Pid:
        if self.turn == self.n:
            self.shuffle()
        self.turn += 1
        member = self.member(self.turn - 1)
        return member if member != self.id else self.next_in_turn()

    @upon_timeout("answer")
    def ask_helpers(self) -> None:
        subject = self.awaited
        if subject is not None and self.standing(subject) == ALIVE:  # of others we would learn nothing new
            for helper in self.next_helpers(subject):
                self.send(helper, PingRequest(subject, self.number, self.news_for(helper)))

    def next_helpers(self, subject: Pid) -> list[Pid]:
        """Those who will be asked next: as random as any."""
        found: list[Pid] = []
        for turn in range(self.turn, self.turn + self.n):
            if len(found) >= self.helpers:
                break
            member = self.member(turn)
            if member not in (self.id, subject) and self.standing(member) != DEAD:
                found.append(member)
        return found

    # Answering

    @upon(Ping)
    def answer(self, sender: Pid, message: Ping) -> None:
        self.hear(message.news)
        self.send(sender, Ack(message.asker, message.number, self.news_for(sender)))

    @upon(PingRequest)
    def help(self, sender: Pid, message: PingRequest) -> None:
        self.hear(message.news)
        self.send(message.subject, Ping(sender, message.number, self.news_for(message.subject)))

    @upon(Ack)
    def note_answer(self, sender: Pid, message: Ack) -> None:
        self.hear(message.news)
        if message.asker != self.id:
            self.send(message.asker, Ack(message.asker, message.number, self.news_for(message.asker)))
        elif message.number == self.number:
            self.awaited = None
            self.cancel_timer("answer")

    # News

    @property
    def delay_bound(self) -> int | None:
        return self.transmission

    @property
    def logarithm(self) -> int:
        """log n, rounded up."""
        return self.n.bit_length()

    def standing(self, process: Pid) -> int:
        return self.known.get(process, 0) % STANDINGS

    def incarnation(self, process: Pid) -> int:
        """Its incarnation as part of the news of it."""
        return self.known.get(process, 0) - self.standing(process)

    def hear(self, news: News) -> None:
        for process, standing in news:
            self.learn(process, standing)

    def learn(self, process: Pid, standing: int) -> None:
        """Believe what is newer, pass it on, and deny it if it is about us and wrong."""
        if process == self.id and standing % STANDINGS != ALIVE:
            standing += STANDINGS - standing % STANDINGS
        before = self.standing(process)
        if standing <= self.known.get(process, 0):
            return
        self.known[process] = standing
        self.rumours[process] = 0
        self.since.pop(process, None)
        if standing % STANDINGS == SUSPECTED:
            self.since[process] = self.number
        if standing % STANDINGS == DEAD and before != DEAD:
            self.suspect(process)
        elif standing % STANDINGS != DEAD and before == DEAD:
            self.trust(process)

    def news_for(self, receiver: Pid) -> News:
        """What was sent least often so far; but what is said of the receiver, so that it can deny it, comes first."""
        told = [receiver] if self.standing(receiver) != ALIVE else []
        if self.rumours:
            untold = [process for process in sorted(self.rumours) if process not in told]
            others = sorted(untold, key=lambda process: (self.rumours[process], process))
            told += others[: max(0, self.most - len(told))]
            for process in told:
                self.count_telling(process)
        return tuple([(process, self.known[process]) for process in told])

    def count_telling(self, process: Pid) -> None:
        if process in self.rumours:
            self.rumours[process] += 1
            if self.rumours[process] >= self.spread * self.logarithm:
                del self.rumours[process]
