"""YoYo: ids fall down the graph, votes are pulled up again, and every pull leaves fewer sources.

Each link points from the smaller id to the larger, so the graph has sources, internal processes and sinks. Yo-: the
sources send their ids down; each process passes on the smallest that it receives. -Yo: a sink votes yes to those who
sent the smallest and no to all others; an internal process that got a no votes no to all. A no turns its link round, so
a source that got one is a source no more. Pruning ends it: links that tell nothing new are cut, and a source without
links is alone.

Assumes   any connected graph, unique ids, reliable FIFO links, no crashes. With `patience`, a link over which no id has
          come by then counts as dead: if that is true the parts elect a leader each, which is split-brain.
Gives     termination, uniqueness, agreement, stability; the smallest id of all leads, whoever starts.
Costs     at most 2m(⌊log(n-1)⌋ + 2) + n - 1 messages: 2m to orient the links, at most ⌊log(n-1)⌋ + 1 iterations of two
          for each link that is left, and n - 1 down the tree along which leaves were cut.
Why safe  a source dies if and only if some process hears of it and of a smaller one, so the smallest survives; between
          two survivors lies a dead one that both reach next time, so their distance halves. What is cut is either a
          second way from the same source, or a leaf, which has no more to tell; a cut link has no say in the vote.

The lecture notes let an internal process vote yes if any below it did. Santoro asks for all; with any it ends, too, but
sources may live longer.

N. Santoro. Design and Analysis of Distributed Algorithms. Wiley, 2007, section 3.8.3.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import WORST, Bound, Election, Message, Parameter, Pid, upon, upon_start, upon_timeout

ASLEEP, ORIENTING, DOWN, UP, OUT = "asleep", "orienting", "down", "up", "out"


@dataclass(frozen=True)
class Hello(Message):
    """The id of a neighbour, by which a link gets its direction."""

    id: Pid


@dataclass(frozen=True)
class Yo(Message):
    """Yo-: the smallest id that came this far down."""

    id: Pid


@dataclass(frozen=True)
class Vote(Message):
    """-Yo: yes, that is the smallest here and below; or no, and then the link turns round."""

    yes: bool


@dataclass(frozen=True)
class Cut(Message):
    """-Yo: this link can go. If it was the last one the sender is a leaf and leaves with it."""

    leaf: bool


@dataclass(frozen=True)
class Elected(Message):
    """The outcome, on its way down the tree of leaves."""

    leader: Pid


@mypyc_attr(allow_interpreted_subclasses=True)
class YoYo(Election):
    name = "yoyo"
    topology = "any"
    links_to = "below"
    links_from = "above"
    bounds = (Bound(WORST, "2m(⌊log(n-1)⌋ + 2) + n - 1", lambda n, m: 2 * m * ((n - 1).bit_length() + 1) + n - 1),)

    patience: Parameter[int] = 0

    stage: str = ASLEEP
    iteration: int = 0  # how often this process has been a source
    above: set[Pid] = set()  # where links come from
    below: set[Pid] = set()  # where links lead
    ids: dict[Pid, Pid] = {}  # what came down each link of this iteration, or already of the next
    awaited: int = 0  # votes that have not come up yet
    refused: set[Pid] = set()  # who voted no
    branches: list[Pid] = []  # the leaves that left through this process

    @property
    def candidate(self) -> bool:
        return self.iteration > 0 and not self.above and self.stage != OUT

    def in_order(self, links: set[Pid]) -> list[Pid]:
        return [q for q in self.neighbours if q in links]

    # Preprocessing

    @upon_start
    def wake(self) -> None:
        if self.stage == ASLEEP:
            self.stage = ORIENTING
            self.send(self.neighbours, Hello(self.id))
            if self.patience:
                self.set_timer("hello", self.patience)
            if not self.neighbours:
                self.begin()

    @upon(Hello)
    def orient_link(self, sender: Pid, message: Hello) -> None:
        self.wake()  # whoever is reached takes part
        if self.stage == ORIENTING:
            (self.above if message.id < self.id else self.below).add(sender)
            if len(self.above) + len(self.below) == len(self.neighbours):
                self.begin()

    @upon_timeout("hello")
    def give_up_silent_links(self) -> None:
        if self.stage == ORIENTING:
            self.begin()

    def begin(self) -> None:
        self.stage = DOWN
        self.send_down()

    # Yo-

    @upon(Yo)
    def collect_id(self, sender: Pid, message: Yo) -> None:
        self.ids[sender] = message.id  # while votes are out, a link that has just turned round may bring the next id
        self.send_down()

    def send_down(self) -> None:
        if self.stage != DOWN or len(self.ids) < len(self.above):
            return
        if not self.above:
            self.iteration += 1
        self.stage = UP
        self.awaited = len(self.below)
        self.send(self.in_order(self.below), Yo(self.smallest()))
        self.vote_up()

    def smallest(self) -> Pid:
        return min([self.ids[q] for q in self.above], default=self.id)

    # -Yo

    @upon(Vote)
    def collect_vote(self, sender: Pid, message: Vote) -> None:
        if not message.yes:
            self.refused.add(sender)
        self.awaited -= 1
        self.vote_up()

    @upon(Cut)
    def lose_link(self, sender: Pid, message: Cut) -> None:
        self.below.discard(sender)
        if message.leaf:
            self.branches.append(sender)
        self.awaited -= 1
        self.vote_up()

    def vote_up(self) -> None:
        if self.awaited:
            return
        if not self.above and not self.below:
            self.win()
            return
        smallest = self.smallest()
        self.cut_repetitions()
        if len(self.above) == 1 and not self.below:
            self.leave()
            return
        turned = []
        for q in self.in_order(self.above):
            yes = self.ids.pop(q) == smallest and not self.hears_no()
            self.send(q, Vote(yes))
            if not yes:
                turned.append(q)
        self.above.difference_update(turned)
        self.above.update(self.refused)
        self.below.difference_update(self.refused)
        self.below.update(turned)
        self.refused.clear()
        self.begin()

    def hears_no(self) -> bool:
        """Somebody below knows of a smaller id than we passed on."""
        return len(self.refused) > 0

    def cut_repetitions(self) -> None:
        """The same id over several links came from the same source: one of them is enough."""
        seen: set[Pid] = set()
        for q in self.in_order(self.above):
            if self.ids[q] in seen:
                del self.ids[q]
                self.above.discard(q)
                self.send(q, Cut(False))
            else:
                seen.add(self.ids[q])

    def leave(self) -> None:
        """A sink with one link agrees to whatever comes; it can go."""
        self.stage = OUT
        self.send(sorted(self.above), Cut(True))
        self.above.clear()
        self.ids.clear()

    # Announcement

    def win(self) -> None:
        self.stage = OUT
        self.learn_result(self.id, Elected(self.id))

    @upon(Elected)
    def learn_result(self, sender: Pid, message: Elected) -> None:
        self.elect(message.leader)
        self.send(self.branches, message)
