"""Gossip election: in a large group a hash picks a few, these few settle it, and rumour does the rest.

A call for an election spreads by gossip: who hears it first passes it on to `fanout` members at random. Filter: a hash
of the election and its own id tells each member whether it is one of about K (`relays`). Relay: those few exchange
claims, `repeats` times, and the lowest hash among those who speak wins. The result spreads by gossip; who has heard of
the election but not of its result asks somebody. If nobody has won, whoever called calls again, with new hashes.

Assumes   a complete graph, unique ids, members known; links may lose messages and members may have crashed, each with
          a known probability; synchrony: a message takes at most T_trans (`transmission`).
Gives     all four with high probability, whatever the size of the group: correctness is traded for scale.
Costs     2·fanout messages a member, a few for those who ask, and K² for each repeat in all: constant a member.
Why safe  or rather, when not: with loss p and g repeats the k-th best relay takes office, too, if it hears none of the
          k-1 better, so two lead for a while with probability 1 - Π(1 - p^(g(k-1))) over k >= 2, about p^g. Nobody is a
          relay with probability (1 - K/n)^n, about e^-K; that costs another attempt. With f = fanout·(1-p), a rumour
          misses a fraction s = e^(-f(1-s)) of the members, and both miss x = s·e^(-f(1-x)), who never know.

After the paper's phases: an election identified by a name, filter by hash to an expected constant number of relays,
agreement among these, dissemination by an unreliable multicast, for which gossip stands in, and further rounds if that
failed. Written without its full text at hand: constants, the asking and the three formulas above are ours.

I. Gupta, R. van Renesse, K. P. Birman. A probabilistically correct leader election protocol for large groups. DISC
2000, LNCS 1914.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import MEAN, Bound, Election, Message, Parameter, Pid, upon, upon_start, upon_timeout

BITS = 48
ASKS = 3


def ticket(election: str, attempt: int, member: Pid) -> int:
    """The number, of 48 bits, that an attempt of an election gives to a member."""
    return int.from_bytes(hashlib.sha256(f"{election}/{attempt}/{member}".encode()).digest()[: BITS // 8], "big")


@dataclass(frozen=True)
class Call(Message):
    """An election is on: gossip."""

    attempt: int


@dataclass(frozen=True)
class Claim(Message):
    """From relay to relay: I am here."""

    attempt: int


@dataclass(frozen=True)
class Result(Message):
    """The outcome: gossip, or the answer to who asked."""

    attempt: int
    leader: Pid


@dataclass(frozen=True)
class Ask(Message):
    """Who has won?"""


@mypyc_attr(allow_interpreted_subclasses=True)
class GossipElection(Election):
    name = "gossip-election"
    remark = (
        "The phases are the paper's; the constants, the asking and the formulas for what goes wrong are ours, written "
        "without its full text."
    )
    topology = "complete"
    model = "synchronous"
    guarantees = ()  # all four with high probability
    bounds = (Bound(MEAN, "2·7n + 2·16² (one starter)", lambda n, m: 14 * n + 2 * min(n, 16) * (min(n, 16) - 1)),)
    positive = ("relays", "fanout", "repeats", "transmission")
    synchronous = True
    on_network = ({"transmission": 50},)
    small_times = {"transmission": 1}
    small_parameters = {"fanout": 1, "repeats": 1, "relays": 3}

    election: Parameter[str] = "habemus"
    relays: Parameter[int] = 16
    fanout: Parameter[int] = 7
    repeats: Parameter[int] = 2
    transmission: Parameter[int] = 10

    attempt: int = 0
    caller: bool = False
    peers: tuple[Pid, ...] = ()  # the other relays, if this is one
    claims: int = 0  # how often it has claimed
    strongest: bool = False  # no better relay has been heard
    asked: int = 0
    outcome: tuple[int, int] = (0, 0)  # attempt and ticket of the leader it knows

    @property
    def delay_bound(self) -> int | None:
        return self.transmission

    @property
    def candidate(self) -> bool:
        return self.strongest and self.leader is None

    def ticket_of(self, member: Pid) -> int:
        return ticket(self.election, self.attempt, member)

    def is_relay(self, member: Pid) -> bool:
        return self.ticket_of(member) * self.n < self.relays << BITS

    def tell(self, message: Message) -> None:
        """Send a message to some other member."""
        seat = self.choose(range(self.n))
        member = self.members[seat]
        if member == self.id:
            member = self.members[(seat + 1) % self.n]
        if member != self.id:
            self.send(member, message)

    def gossip(self, message: Message) -> None:
        for _ in range(self.fanout):
            self.tell(message)

    @upon_start
    def call_election(self) -> None:
        self.caller = True
        if self.leader is None and self.attempt == 0:
            self.take_part(1)

    @upon(Call)
    def hear_call(self, sender: Pid, message: Call) -> None:
        if self.leader is None:
            self.take_part(message.attempt)
        elif message.attempt > self.outcome[0]:  # that one does not know that it is over
            self.send(sender, Result(self.outcome[0], self.leader))

    def take_part(self, attempt: int) -> None:
        if attempt <= self.attempt:
            return
        self.attempt = attempt
        self.asked = 0
        self.strongest = False
        self.gossip(Call(attempt))
        rumour = 2 * self.n.bit_length() + 4  # hops, for the call and the result; plenty
        self.set_timer("result", (rumour + self.repeats + 1) * self.transmission)
        if self.is_relay(self.id):
            self.peers = tuple([q for q in self.members if q != self.id and self.is_relay(q)])
            self.strongest = True
            self.claims = 0
            self.claim()

    @upon_timeout("claim")
    def claim(self) -> None:
        self.send(self.peers, Claim(self.attempt))
        self.claims += 1
        if self.claims < self.repeats:
            self.set_timer("claim", self.transmission)
        else:  # one transmission until the last claim has woken the others, one for their claims
            self.set_timer("decide", 2 * self.transmission)

    @upon(Claim)
    def weigh_claim(self, sender: Pid, message: Claim) -> None:
        if self.leader is None:
            self.take_part(message.attempt)
        if message.attempt == self.attempt and self.ticket_of(sender) < self.ticket_of(self.id):
            self.strongest = False

    @upon_timeout("decide")
    def decide(self) -> None:
        if self.strongest and self.leader is None:
            self.accept_result(self.id, Result(self.attempt, self.id))

    @upon(Result)
    def accept_result(self, sender: Pid, message: Result) -> None:
        outcome = (message.attempt, ticket(self.election, message.attempt, message.leader))
        if self.leader is None or outcome < self.outcome:  # of two leaders all turn to the better one in the end
            self.outcome = outcome
            self.cancel_timer("result")
            self.elect(message.leader)
            self.gossip(message)

    @upon_timeout("result")
    def miss_result(self) -> None:
        if self.asked < ASKS:
            self.asked += 1
            self.tell(Ask())
            self.set_timer("result", 2 * self.transmission)
        elif self.caller:
            self.take_part(self.attempt + 1)

    @upon(Ask)
    def tell_result(self, sender: Pid, message: Ask) -> None:
        if self.leader is not None:
            self.send(sender, Result(self.outcome[0], self.leader))
