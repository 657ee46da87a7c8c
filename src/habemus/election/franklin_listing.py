"""Franklin as the lecture notes list it: who gives up says so with its id, negative.

An active process sends its id both ways and waits for one number from each side. If its id beats both it goes on with
the next round. If it is beaten it is passive from then on, sends minus its id both ways, and passes everything else
through. A negative number beats nobody: whoever receives it takes it for the answer of a neighbour that has given up.
One that receives its own id declares itself leader.

Assumes   a bidirectional ring, unique ids above 0, reliable FIFO links, no crashes.
Gives     termination, uniqueness, stability. It ends when somebody declares itself leader; the others are not told.
Costs     at most 4n^2 + 3n messages, about 3n^2 on average. Franklin's own form takes O(n log n).
Why safe  a number that comes home has passed everybody, and only passive processes pass it on.
Why dear  what a process sends when it gives up is received by somebody, who answers with a number of its own. So the
          2n numbers of the first round stay on the ring to the end. The largest has silenced all others after n/2
          rounds, and takes in a number from each side a round; what it sends then comes home behind all the others, n
          rounds later, and each of these numbers goes n hops. Franklin's passive processes send nothing, they only
          relay: a round reaches the next active process, and half of the numbers are gone with each round.

The lecture notes on coordination, "Algoritmo de Franklin", after W. R. Franklin. CACM 25(5), 1982.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import WORST, Bound, Election, Message, Pid, upon, upon_start

LEFT, RIGHT = "left", "right"


@dataclass(frozen=True)
class Number(Message):
    """The id of an active process, or minus the id of one that has given up, going left or right round the ring."""

    value: int
    heading: str


@mypyc_attr(allow_interpreted_subclasses=True)
class FranklinListing(Election):
    name = "franklin-listing"
    topology = "ring"
    guarantees = ("termination", "uniqueness", "stability")
    bounds = (Bound(WORST, "4n² + 3n", lambda n, m: 4 * n * n + 3 * n),)

    active: bool = True
    round: int = 0
    from_left: list[int] = []  # links are FIFO, so what comes before its round waits in order
    from_right: list[int] = []

    @property
    def candidate(self) -> bool:
        return self.round > 0 and self.active and self.leader is None

    @upon_start
    def stand(self) -> None:
        if self.round == 0:
            self.begin_round()

    def begin_round(self) -> None:
        self.round += 1
        self.send_both_ways(self.id)

    def send_both_ways(self, value: int) -> None:
        self.send(self.predecessor, Number(value, LEFT))
        self.send(self.successor, Number(value, RIGHT))

    @upon(Number)
    def take_in(self, sender: Pid, message: Number) -> None:
        if not self.active:
            self.send(self.predecessor if message.heading == LEFT else self.successor, message)
            return
        self.stand()  # whoever is reached takes part
        (self.from_right if message.heading == LEFT else self.from_left).append(message.value)
        while self.active and self.leader is None and self.from_left and self.from_right:
            self.compare(self.from_left.pop(0), self.from_right.pop(0))

    def compare(self, left: int, right: int) -> None:
        strongest = max(left, right)
        if strongest < self.id:
            self.begin_round()
        elif strongest > self.id:
            self.active = False
            self.send_both_ways(-self.id)
            self.pass_through()
        else:
            self.elect(self.id)

    def pass_through(self) -> None:
        """What waited for a round that we take no part in goes its way."""
        for value in self.from_left:
            self.send(self.successor, Number(value, RIGHT))
        for value in self.from_right:
            self.send(self.predecessor, Number(value, LEFT))
        self.from_left.clear()
        self.from_right.clear()
