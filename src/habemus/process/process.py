"""A process: state, clauses, and five ways out.

An algorithm subclasses `Election`, `Mutex`, `Detector` or plain `Process`. Its state is its annotated fields, each with
a default; its behaviour is its clauses. A clause may change fields and act: send, set or cancel a timer, choose,
announce. Time, network, disk and randomness belong to the `Host`, which is whoever drives the process: a simulator, a
checker or a real node. So a clause is a pure function of (state, event), and all three can run the same class.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final, TypeVar

from mypy_extensions import mypyc_attr

from habemus.process.bound import Bound, Count, WaitingBound
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

    def send_unhurried(self, to: Pid, message: Message) -> None:
        """The same, but it may wait for a moment, and then travel with others."""
        self.send(to, message)

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
    def indicate(self, layer: Process, what: str, subject: Any) -> None:
        """Make known what a layer found out, to the layers above it and to those who watch."""

    @abstractmethod
    def request(self, layer: Process, what: Message) -> None:
        """Hand what a layer asks for to the nearest layer below it that has a clause for it."""

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
    default_election: ClassVar[str] = ""  # it heeds whom an election below it names; this one, if the scenario has none
    tolerates_loss: ClassVar[bool] = False  # messages may get lost; to all others links have to be reliable
    synchronous: ClassVar[bool] = False  # it is sound only while no message takes longer than `delay_bound`
    own_properties: ClassVar[tuple[Any, ...]] = ()  # claims: what holds of all processes together; see `claim`
    silent_pulses: ClassVar[int] = (
        0  # it is at rest after so many pulses in which it neither sends nor changes; see `Machine`
    )
    has_heartbeats: ClassVar[bool] = False  # it notices by itself who is silent, and needs no detector for that
    keeps_log: ClassVar[bool] = False  # it replicates a log, and announces what is stored and committed
    carries: ClassVar[tuple[type[Message], ...]] = ()  # messages that it sends within messages
    on_network: ClassVar[tuple[Mapping[str, Any], ...]] = ()  # parameters in ms; who sets one of a group sets them all
    deadlines: ClassVar[tuple[str, ...]] = ()  # timers before which nothing else counts: a stall does it no other harm
    admits_clients: ClassVar[bool] = False  # processes that are no members may use it
    chosen_between: ClassVar[tuple[str, ...]] = ()  # two parameters; it chooses a time between, lest all act at once
    network_variant: ClassVar[str] = ""  # the variant of it that runs on a real network, unless it is its own
    counts: ClassVar[tuple[Count, ...]] = ()  # what theorems bound, to be watched in a run
    plotted_field: ClassVar[str] = ""  # a field of values, in hundredths, by process: plotted over time
    remark: ClassVar[str] = ""  # what a reader of its figures has to know
    links_to: ClassVar[str] = ""  # the field with the neighbours to which its links lead, where links have a direction
    links_from: ClassVar[str] = ""  # and with those from which they come: a source has none of these, a sink no others
    shown_field: ClassVar[str] = ""  # the field that observers read beside the process, such as its level
    small_times: ClassVar[Mapping[str, int]] = {}  # for the checker: a bound is a bound, and fewer ticks, fewer states
    small_parameters: ClassVar[Mapping[str, Any]] = {}  # others with which the checker gets to the end
    small_bounds: ClassVar[Mapping[str, int]] = {}  # how far it follows fields that grow without end
    small_limits: ClassVar[Mapping[str, int]] = {}  # other limits of the checker, such as alarms, if nobody says
    small_n: ClassVar[int] = 0  # of how many processes, if not of as many as is usual on the topology

    __slots__ = ("_layer", "_port", "host", "id", "n", "predecessor", "successor")

    _layer: int  # which layer of its node it is, from 0 at the bottom
    _port: Port  # to whom it last sent: on a ring that is always the same, so that no link is looked up
    id: Pid
    successor: Pid
    predecessor: Pid
    host: Host
    n: int

    def __init__(self, host: Host) -> None:
        self._layer = 0
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
        """What observers see: "leader", "candidate", "inside", "waiting" or nothing special."""
        return ""

    @property
    def delay_bound(self) -> int | None:
        """The longest a message may take, if the algorithm relies on that: T_trans."""
        return None

    @property
    def detection_time(self) -> int | None:
        """How long after a crash it relies on being told, if it relies on that."""
        return None

    @property
    def gives_up_after(self) -> int | None:
        """How long after a peer's last sign of life is due it may give that peer up, if it does."""
        return None

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

    def send_unhurried(self, to: Pid, message: Message) -> None:
        """Send a message that nobody waits for: a real node may keep it back for a tick, to wake its receiver less."""
        self.host.send_unhurried(to, message)

    def set_timer(self, name: str, delay: int) -> None:
        """Have `upon_timeout(name)` run after `delay` ticks of this process's clock, unless cancelled or set again."""
        self.host.set_timer(self, name, delay)

    def cancel_timer(self, name: str) -> None:
        """Forget the timer of that name."""
        self.host.cancel_timer(self, name)

    def indicate(self, what: Message) -> None:
        """Tell the layers above; each with a clause for it is called, in this step."""
        self.host.indicate(self, type(what).__name__, what)

    def pass_down(self, what: Message) -> None:
        """Request something of the layers below: the nearest that has a clause for it is called, in this step."""
        self.host.request(self, what)

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
        """Whether this process stands for election right now; for observers."""
        return False

    @property
    def role(self) -> str:
        if self.leader == self.id:
            return "leader"
        return "candidate" if self.candidate else ""

    def weight_of(self, process: Pid) -> int:
        """How much a process counts for, before its id; the same for all unless the algorithm says otherwise."""
        return 0

    def rank_of(self, process: Pid) -> tuple[int, Pid]:
        """What elections compare: weight, then id."""
        return self.weight_of(process), process

    @property
    def rank(self) -> tuple[int, Pid]:
        return self.rank_of(self.id)

    @property
    def current_term(self) -> int | None:
        """The term in which this process leads or follows; None if there are no terms."""
        return getattr(self, self.term_field) if self.term_field else None

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
    waiting_bound: ClassVar[WaitingBound | None] = None  # on the entries of others while one waits

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
    small_limits: ClassVar[Mapping[str, int]] = {"crashes": 1}

    def suspect(self, subject: Pid) -> None:
        """Tell the layers above that `subject` seems to have crashed."""
        self.host.indicate(self, "suspect", subject)

    def rate(self, subject: Pid, level: int) -> None:
        """Tell the layers above how strong the suspicion of `subject` is, in hundredths."""
        self.host.indicate(self, "level", (subject, level))

    def trust(self, subject: Pid) -> None:
        """Tell the layers above that `subject` is alive after all."""
        self.host.indicate(self, "trust", subject)
