"""Sortition: a lottery in which every unit of stake is a lot, and anyone can check the draw.

In each round every process hashes (seed, round, id, unit) for each unit of its stake; the lowest is its ticket. It
sends that to its neighbours, and everyone passes on what beats the best so far. When the slot is over the owner of the
lowest ticket leads, for another slot. A lower one that comes later still means that there was a fork: all turn to it.

Assumes   any connected graph, unique ids, `seed` and `stake` known to all, reliable links; synchrony: a message takes
          at most T_trans (`transmission`), and `slot` (0: 2n·T_trans) is enough to wake everyone and be answered.
Gives     termination, uniqueness, agreement; stability within a round: the next of `rounds` draws anew. Nobody can
          invent a ticket. If slots are too short there are forks, which are two leaders, but agreement in the end.
Costs     at most 2m·n messages a round, as a ticket crosses a link at most once each way; on a complete graph of which
          all start at once about n² a round, as all but the best die at once.
Why fair  the lots are alike, so a process leads with probability stake / total stake, round after round.

Simplified: blockchains draw by a verifiable random function of a secret key, so that nobody knows the winner before it
speaks. A plain hash can be checked as well, but anyone can compute it beforehand.

Y. Gilad, R. Hemo, S. Micali, G. Vlachos, N. Zeldovich. Algorand: scaling Byzantine agreements for cryptocurrencies.
SOSP 2017. I. Bentov, C. Lee, A. Mizrahi, M. Rosenfeld. Proof of activity. SIGMETRICS PER 42(3), 2014.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import WORST, Bound, Election, Message, Parameter, Pid, upon, upon_start, upon_timeout


def lot(seed: str, round: int, owner: Pid, unit: int) -> int:
    """What a unit of stake draws in a round: 32 bits."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{round}/{owner}/{unit}".encode()).digest()[:4], "big")


NOTHING = 1 << 32


@dataclass(frozen=True)
class Ticket(Message):
    """The best lot of its owner in a round, and the unit of stake that drew it: all that is needed to check it."""

    round: int
    draw: int
    owner: Pid
    unit: int


@dataclass(frozen=True)
class Begin(Message):
    """The lottery is open, says one who has no lot in it."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Sortition(Election):
    name = "sortition"
    topology = "any"
    model = "synchronous"
    guarantees = ("termination", "uniqueness", "agreement")  # and stability in a single round
    bounds = (Bound(WORST, "2m·n a round", lambda n, m: 2 * m * n),)
    positive = ("rounds", "transmission")
    synchronous = True
    on_network = ({"transmission": 50},)
    small_times = {"transmission": 1}
    small_n = 3

    seed: Parameter[str] = "habemus"
    stake: Parameter[dict[Pid, int]] = {}  # who is not named has one unit
    rounds: Parameter[int] = 1
    transmission: Parameter[int] = 10
    slot: Parameter[int] = 0

    chain: list[Ticket] = []  # the best ticket of each round so far
    settled: int = 0  # rounds whose slot is over

    @property
    def delay_bound(self) -> int | None:
        return self.transmission

    @property
    def candidate(self) -> bool:
        return self.settled < len(self.chain) and self.chain[-1].owner == self.id

    def wait(self, timer: str) -> None:
        self.set_timer(timer, self.slot or 2 * self.n * self.transmission)

    def stake_of(self, process: Pid) -> int:
        return self.stake.get(process, 1)

    def beats(self, ticket: Ticket, other: Ticket) -> bool:
        return (ticket.draw, ticket.owner) < (other.draw, other.owner)

    @upon_start
    def enter_lottery(self) -> None:
        if not self.chain:
            self.open_round(None)

    def open_round(self, rival: Ticket | None) -> None:
        self.settle()
        self.elect(None)
        mine = self.draw_ticket(len(self.chain) + 1)
        self.chain.append(mine)
        self.wait("slot")
        if mine.draw == NOTHING and rival is None:
            self.send(self.neighbours, Begin())
        elif mine.draw != NOTHING and (rival is None or rival.round > mine.round or self.beats(mine, rival)):
            self.send(self.neighbours, mine)

    @upon(Begin)
    def join_lottery(self, sender: Pid, message: Begin) -> None:
        self.enter_lottery()

    def draw_ticket(self, round: int) -> Ticket:
        lots = [(lot(self.seed, round, self.id, unit), unit) for unit in range(self.stake_of(self.id))]
        draw, unit = min(lots, default=(NOTHING, 0))
        return Ticket(round, draw, self.id, unit)

    def is_genuine(self, ticket: Ticket) -> bool:
        lots = self.stake_of(ticket.owner) if ticket.owner in self.members else 0
        return (
            0 < ticket.round <= self.rounds
            and 0 <= ticket.unit < lots
            and ticket.draw == lot(self.seed, ticket.round, ticket.owner, ticket.unit)
        )

    @upon(Ticket)
    def weigh_ticket(self, sender: Pid, message: Ticket) -> None:
        stale = message.round <= len(self.chain) and not self.beats(message, self.chain[message.round - 1])
        if stale or not self.is_genuine(message):
            return
        while len(self.chain) < message.round:  # whoever is reached takes part; a later round: this one is over
            self.open_round(message)
        if self.beats(message, self.chain[message.round - 1]):
            self.chain[message.round - 1] = message
            self.send([q for q in self.neighbours if q != sender], message)
            if self.settled == message.round == len(self.chain):
                self.elect(message.owner)  # a fork, and this is the end of it

    @upon_timeout("slot")
    def settle(self) -> None:
        if self.settled < len(self.chain):
            self.settled = len(self.chain)
            if self.chain[-1].draw != NOTHING:
                self.elect(self.chain[-1].owner)
            if self.settled < self.rounds:
                self.wait("term")

    @upon_timeout("term")
    def end_term(self) -> None:
        if self.settled == len(self.chain):
            self.open_round(None)
