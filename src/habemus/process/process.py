"""A process: state, clauses, and five ways out.

An algorithm subclasses `Election`, `Mutex`, `Detector` or plain `Process`. Its state is its annotated fields, each with
a default; its behaviour is its clauses. A clause may change fields and act: send, set or cancel a timer, choose,
announce. Time, network, disk and randomness belong to the `Host`, which is whoever drives the process: a simulator, a
checker or a real node. So a clause is a pure function of (state, event), and all three can run the same class.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, ClassVar, Final, TypeVar

from mypy_extensions import mypyc_attr

from habemus.process.bound import Bound
from habemus.process.message import Message, Pid

T = TypeVar("T")

Durable = Annotated[T, "durable"]
"""A field that survives a crash: `term: Durable[int] = 0`. All others are lost."""

Parameter = Annotated[T, "parameter"]
"""A field that the scenario sets and the algorithm only reads: `patience: Parameter[int] = 10`."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Host:
    """What a process stands on. One host a process; the layers of a stack share theirs."""

    id: Pid
    n: int

    @abstractmethod
    def send(self, to: Pid, message: Message) -> None:
        """Hand a message to the network."""

    def port(self, to: Pid) -> Port:
        """The way to a process, for those who send there again and again."""
        return HostPort(self, to)

    @abstractmethod
    def set_timer(self, layer: Process, name: str, delay: int) -> None:
        """Arm the layer's timer of that name, in place of an earlier one."""

    @abstractmethod
    def cancel_timer(self, layer: Process, name: str) -> None:
        """Disarm it; nothing happens if it is not armed."""

    @abstractmethod
    def choose(self, options: Sequence[Any]) -> Any:
        """One of the options: by a seeded coin, or each in its own branch."""

    @abstractmethod
    def indicate(self, layer: Process, what: str, subject: Pid | None) -> None:
        """Make known what a layer found out, to the layers above it and to those who watch."""

    @abstractmethod
    def neighbours(self) -> tuple[Pid, ...]:
        """Those this process shares a link with, in the order of its ports."""

    @abstractmethod
    def members(self) -> tuple[Pid, ...]:
        """All processes, in the order of their places: clockwise on a ring."""

    @abstractmethod
    def ring(self) -> tuple[Pid, Pid]:
        """The process before this one on the ring and the one after it."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Port:
    """The way to one process. A driver whose links are objects makes them its ports, and need not look them up."""

    __slots__ = ("to",)

    def __init__(self, to: Pid) -> None:
        self.to = to

    def carry(self, message: Message) -> None:
        """Send a message this way."""
        raise ValueError("this port leads nowhere")


class HostPort(Port):
    """A port that leaves it to the host to find the way."""

    __slots__ = ("host",)

    def __init__(self, host: Host, to: Pid) -> None:
        super().__init__(to)
        self.host = host

    def carry(self, message: Message) -> None:
        self.host.send(self.to, message)


NOWHERE: Final = Port(-(1 << 40))


@mypyc_attr(allow_interpreted_subclasses=True)
class Process:
    """The base of every algorithm; see the head of this file."""

    kind: ClassVar[str] = "process"
    name: ClassVar[str] = ""
    topology: ClassVar[str] = "any"
    model: ClassVar[str] = "asynchronous"
    guarantees: ClassVar[tuple[str, ...]] = ()
    bounds: ClassVar[tuple[Bound, ...]] = ()
    positive: ClassVar[tuple[str, ...]] = ()  # the parameters that may not be 0; none that is a number may be less
    detector: ClassVar[str] = "perfect"  # what it hears of crashes; or "simultaneous": all hear at once; or "eventual"
    horizon: ClassVar[int] = 0  # how long to simulate an algorithm that never comes to rest, if nobody says

    __slots__ = ("_port", "host", "id", "n", "predecessor", "successor")

    _port: Port  # to whom it last sent: on a ring that is always the same, so that no link is looked up
    id: Pid
    successor: Pid
    predecessor: Pid
    host: Host
    n: int

    def __init__(self, host: Host) -> None:
        self._port = NOWHERE
        self.host = host
        self.id = host.id
        self.n = host.n
        if self.topology == "ring":
            self.predecessor, self.successor = host.ring()

    @property
    def neighbours(self) -> tuple[Pid, ...]:
        """Those this process shares a link with, in the order of its ports."""
        return self.host.neighbours()

    @property
    def members(self) -> tuple[Pid, ...]:
        """All processes, in the order of their places: clockwise on a ring."""
        return self.host.members()

    @property
    def role(self) -> str:
        """What onlookers see: "leader", "candidate", "inside", "waiting" or nothing special."""
        return ""

    @property
    def delay_bound(self) -> int | None:
        """The longest a message may take, if the algorithm relies on that: T_trans, its parameter `transmission`."""
        return getattr(self, "transmission", None)

    def send(self, to: Pid | Iterable[Pid], message: Message) -> None:
        """Send a message to one process, or to several in the given order."""
        if isinstance(to, int):
            port = self._port
            if port.to != to:
                port = self._port = self.host.port(to)
            port.carry(message)
        else:
            for receiver in to:
                self.host.send(receiver, message)

    def set_timer(self, name: str, delay: int) -> None:
        """Have `upon_timeout(name)` run after `delay` ticks of this process's clock, unless cancelled or set again."""
        self.host.set_timer(self, name, delay)

    def cancel_timer(self, name: str) -> None:
        """Forget the timer of that name."""
        self.host.cancel_timer(self, name)

    def choose(self, options: Sequence[T]) -> T:
        """Toss a coin: any one of the options."""
        choice: T = self.host.choose(options)
        return choice


@mypyc_attr(allow_interpreted_subclasses=True)
class Election(Process):
    """Chooses one process. Judged by termination, uniqueness, agreement and stability."""

    kind: ClassVar[str] = "election"
    guarantees: ClassVar[tuple[str, ...]] = ("termination", "uniqueness", "agreement", "stability")
    term_field: ClassVar[str] = ""  # the field that says in which term a leader leads, if there are terms

    leader: Pid | None = None

    @property
    def candidate(self) -> bool:
        """Whether this process stands for election right now; for onlookers."""
        return False

    @property
    def role(self) -> str:
        if self.leader == self.id:
            return "leader"
        return "candidate" if self.candidate else ""

    def elect(self, leader: Pid | None) -> None:
        """From here on this process takes `leader` to be the leader; None: it knows of none."""
        if leader != self.leader:
            self.leader = leader
            self.host.indicate(self, "leader", leader)


@mypyc_attr(allow_interpreted_subclasses=True)
class Mutex(Process):
    """Lets one process in at a time. Judged by mutual exclusion, freedom from deadlock and starvation, bounded waiting.

    Whoever drives it gives two commands: "acquire" while the process neither waits nor is inside, "release" while it is
    inside. The algorithm says in return when the process begins to wait, is inside, and is outside again.
    """

    kind: ClassVar[str] = "mutex"
    guarantees: ClassVar[tuple[str, ...]] = (
        "mutual_exclusion",
        "deadlock_freedom",
        "starvation_freedom",
        "bounded_waiting",
    )

    waiting: bool = False
    inside: bool = False

    @property
    def role(self) -> str:
        if self.inside:
            return "inside"
        return "waiting" if self.waiting else ""

    @property
    def waits_for(self) -> tuple[Pid, ...]:
        """Those without whom this process cannot go on: whose permission it lacks, or to whom it gave its own."""
        return ()

    def ask(self) -> None:
        """Wait to enter from here on."""
        self.waiting = True
        self.host.indicate(self, "ask", None)

    def enter(self, token: int | None = None) -> None:
        """Be inside the critical section from here on; a resource that is shown a token refuses all smaller ones."""
        self.waiting = False
        self.inside = True
        self.host.indicate(self, "enter", token)

    def leave(self) -> None:
        """Be outside again."""
        self.inside = False
        self.host.indicate(self, "leave", None)


@mypyc_attr(allow_interpreted_subclasses=True)
class Detector(Process):
    """Guesses who has crashed, for the layers above it."""

    kind: ClassVar[str] = "detector"

    def suspect(self, subject: Pid) -> None:
        """Tell the layers above that `subject` seems to have crashed."""
        self.host.indicate(self, "suspect", subject)

    def trust(self, subject: Pid) -> None:
        """Tell the layers above that `subject` is alive after all."""
        self.host.indicate(self, "trust", subject)
