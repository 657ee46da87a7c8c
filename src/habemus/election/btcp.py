"""BTCP: Bluetooth radios that meet by chance duel by votes, and the winner takes the loser's.

A radio can only meet another if one of the two inquires while the other scans; so each alternates between the two at
random. Two that meet form a link and compare their votes, at first one each (the larger address breaks ties). The loser
hands over its votes and all it knows of, and is silent from then on. Who has met nobody for a whole time-out believes
that nobody is left: it is the coordinator, and pages all that it and those it has beaten ever met.

Assumes   a complete graph (all in range), unique ids, reliable links, no crashes; synchrony: a message takes at most
          T_trans (`transmission`), and two radios that are left meet within `patience` alternations.
Gives     termination; uniqueness, agreement and stability with high probability: if the last two never scan and inquire
          at the same time within the time-out both are coordinators. Each alternation is a chance, so it falls
          exponentially with `patience`.
Costs     exactly n - 1 duels, and n - 1 pages at the end. On the air an inquiry is one broadcast; it counts here as one
          message for each who might hear it.
Why safe  every duel removes one, and its votes move to the winner: the votes of all that are left always add up to n.

Follows the first of the three phases, the coordinator election. Simplified: frequencies, the back-off before an answer
and the paging procedure are one exchange (Inquiry, Here, then Beat or Yield); the second and third phase, which assign
piconets, are left out, and with them the limit of 36 radios. Who is off comes on when it first hears an inquiry.

T. Salonidis, P. Bhagwat, L. Tassiulas, R. LaMaire. Distributed topology construction of Bluetooth personal area
networks. IEEE INFOCOM 2001.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import Election, Message, Parameter, Pid, upon, upon_start, upon_timeout

OFF, INQUIRING, SCANNING, ANSWERED, DUELLING, SILENT, COORDINATOR = (
    "off",
    "inquiring",
    "scanning",
    "answered",
    "duelling",
    "silent",
    "coordinator",
)


@dataclass(frozen=True)
class Inquiry(Message):
    """Is anyone scanning?"""


@dataclass(frozen=True)
class Here(Message):
    """I am, with so many votes (the FHS packet)."""

    votes: int


@dataclass(frozen=True)
class Engaged(Message):
    """Too late: I have met someone else meanwhile."""


@dataclass(frozen=True)
class Beat(Message):
    """I have more votes: hand over yours."""


@dataclass(frozen=True)
class Yield(Message):
    """You have more votes: these are mine, myself first."""

    members: tuple[Pid, ...]


@dataclass(frozen=True)
class Page(Message):
    """I am the coordinator."""


@mypyc_attr(allow_interpreted_subclasses=True)
class BTCP(Election):
    name = "btcp"
    topology = "complete"
    model = "synchronous"
    guarantees = ("termination",)  # and uniqueness, agreement and stability with high probability
    positive = ("transmission", "patience")
    synchronous = True
    on_network = ({"transmission": 50},)
    small_times = {"transmission": 1}
    small_parameters = {"patience": 1}

    transmission: Parameter[int] = 10
    patience: Parameter[int] = 30  # the time-out, in alternations

    state: str = OFF
    won: list[Pid] = []  # those it has beaten and those they had beaten: its votes, but for its own

    @property
    def delay_bound(self) -> int | None:
        return self.transmission

    @property
    def candidate(self) -> bool:
        return self.state in (INQUIRING, SCANNING, ANSWERED, DUELLING)

    @property
    def votes(self) -> int:
        return 1 + len(self.won)

    @upon_start
    def switch_on(self) -> None:
        if self.state == OFF:
            self.state = self.choose((INQUIRING, SCANNING))
            self.seek()

    def seek(self) -> None:
        """Start the time-out and alternate until somebody is met."""
        self.set_timer("alone", self.patience * 4 * self.transmission)
        self.alternate()

    @upon_timeout("alternate")
    def alternate(self) -> None:
        self.state = SCANNING if self.state == INQUIRING else INQUIRING
        if self.state == INQUIRING:
            self.send(self.neighbours, Inquiry())
        # At least a round trip, four transmissions on average; at random, lest two alternate in step for ever.
        self.set_timer("alternate", self.choose(range(2 * self.transmission, 6 * self.transmission + 1)))

    def meet(self, state: str) -> None:
        self.state = state
        self.cancel_timer("alternate")
        self.cancel_timer("alone")

    @upon(Inquiry)
    def answer_inquiry(self, sender: Pid, message: Inquiry) -> None:
        self.switch_on()
        if self.state == SCANNING:
            self.meet(ANSWERED)
            self.send(sender, Here(self.votes))

    @upon(Here)
    def compare_votes(self, sender: Pid, message: Here) -> None:
        if self.state != INQUIRING:
            self.send(sender, Engaged())
        elif (self.votes, self.id) > (message.votes, sender):
            self.meet(DUELLING)
            self.send(sender, Beat())
        else:
            self.hand_over(sender, Beat())

    @upon(Engaged)
    def seek_on(self, sender: Pid, message: Engaged) -> None:
        self.seek()

    @upon(Beat)
    def hand_over(self, sender: Pid, message: Beat) -> None:
        self.meet(SILENT)
        self.send(sender, Yield((self.id, *self.won)))

    @upon(Yield)
    def take_over(self, sender: Pid, message: Yield) -> None:
        self.won.extend(message.members)
        self.seek()

    @upon_timeout("alone")
    def coordinate(self) -> None:
        self.meet(COORDINATOR)
        self.elect(self.id)
        self.send(self.won, Page())

    @upon(Page)
    def follow(self, sender: Pid, message: Page) -> None:
        self.elect(sender)
