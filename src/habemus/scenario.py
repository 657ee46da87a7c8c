"""A scenario is data: what to run, on what network, with which faults, asked to do what, and what should come of it.

The command line builds one, a file holds one (TOML or JSON), the page edits one, a counterexample is one. Reading one
checks it whole; a mistake is reported with file, field and what was expected.
"""

from __future__ import annotations

import math
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

Pid = Annotated[int, Meta(ge=0)]
Time = Annotated[int, Meta(ge=0, le=10**15)]
Probability = Annotated[float, Meta(ge=0, le=1)]

DEFAULT_N = 8
DEFAULT_BUDGET = 50_000_000
DEFAULT_DETECTION = 21
MOST_PROCESSES = 10_000_000

CHOICES = {
    "demand.kind": "one-each, poisson, hot-spot, all-at-once or idle",
    "do": "crash, recover, pause, resume, cut, partition, heal, skew, drift, slow, drop, deliver, duplicate or delay",
    "order": "best, worst, random or sorted",
    "process": "an id or leader",
    "starters": "all, one, a number of starters or a list of ids",
}


class ScenarioError(ValueError):
    """A scenario is not one; the text says where and what was expected."""


class Place(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The network's shape and who sits where. Give `ids`, or `n` and an `order`; or a graph as `edges` or `file`."""

    kind: str | None = None
    n: int | None = None
    ids: list[Pid] | None = None
    order: Literal["best", "worst", "random", "sorted"] = "random"
    edges: list[tuple[Pid, Pid]] | None = None
    file: str | None = None

    @classmethod
    def from_graph(cls, graph: Any, name: str = "the graph") -> Place:
        """The shape of a networkx graph whose nodes are numbers, which become the ids."""
        try:
            ids = sorted(int(node) for node in graph.nodes)
            edges = sorted({(min(int(a), int(b)), max(int(a), int(b))) for a, b in graph.edges})
        except ValueError:
            raise ScenarioError(f"topology: the nodes of {name} have to be numbers, which become the ids") from None
        return cls(ids=ids, edges=edges)


class LinkDelay(Struct, forbid_unknown_fields=True):
    """A link that is slower or faster than the others, in one direction."""

    sender: Pid
    to: Pid
    delay: str


class Network(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What links do to messages."""

    delay: str = "unit"
    loss: Probability = 0.0
    duplication: Probability = 0.0
    fifo: bool = True
    links: list[LinkDelay] = []


class Fault(Struct, tag_field="do", tag=str.lower, forbid_unknown_fields=True):
    """Something goes wrong, or right again."""

    at: Time


class Crash(Fault):
    """The process stops: this one, or whoever leads at that time."""

    process: Pid | Literal["leader"]


class Recover(Fault):
    """The process, or everyone who is down, is back with its durable fields only."""

    process: Pid | Literal["crashed"]


class Pause(Fault):
    """The process, or whoever leads at that time, does nothing, but forgets nothing."""

    process: Pid | Literal["leader"]


class Resume(Fault):
    """The paused process, or everyone paused, goes on."""

    process: Pid | Literal["paused"]


class Cut(Fault, omit_defaults=True):
    """These links lose everything, both ways or from the first to the second only."""

    links: list[tuple[Pid, Pid]]
    one_way: bool = False


class Partition(Fault):
    """Every link between different groups is cut."""

    groups: list[list[Pid]]


class Heal(Fault, omit_defaults=True):
    """These links work again; without any named, all do."""

    links: list[tuple[Pid, Pid]] = []


class Skew(Fault):
    """The process's clock jumps ahead by so many ticks."""

    process: Pid
    by: int


class Drift(Fault):
    """From now on the process's clock runs at this rate."""

    process: Pid
    rate: Annotated[float, Meta(gt=0)]


class Slow(Fault, omit_defaults=True):
    """What is sent over these links from now on takes this long, both ways or from the first to the second only."""

    links: list[tuple[Pid, Pid]]
    delay: str
    one_way: bool = False


class MessageFault(Fault):
    """Something happens to one message that is under way then: the one of this number in the trace."""

    message: Annotated[int, Meta(ge=0)]


class Drop(MessageFault):
    """The message is lost."""


class Deliver(MessageFault):
    """The message arrives at once; on a FIFO link, those before it too."""


class Duplicate(MessageFault):
    """The message arrives twice."""


class Postpone(MessageFault, tag="delay"):
    """The message arrives that much later; on a FIFO link, those behind it wait for it."""

    by: Annotated[int, Meta(ge=1, le=10**15)]


AnyFault = (
    Crash
    | Recover
    | Pause
    | Resume
    | Cut
    | Partition
    | Heal
    | Skew
    | Drift
    | Slow
    | Drop
    | Deliver
    | Duplicate
    | Postpone
)


class Call(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Someone is asked to do something: `election`, or a command that the algorithm knows.

    Whoever acquires a lock releases it after `hold` ticks inside; without `hold`, as the demand of the scenario says.
    """

    at: Time
    who: list[Pid]
    call: str = "election"
    hold: Annotated[int, Meta(ge=1)] | None = None


class Demand(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """How the processes want the lock: each asks some times, after thinking, and holds it for a while.

    one-each     everybody asks once                                    poisson    everybody asks 10 times
    all-at-once  everybody asks in the first tick, and again at once    idle       nobody asks
    hot-spot     as poisson, but one of them (`hot`) hardly thinks and makes half of all entries
    """

    kind: Literal["one-each", "poisson", "hot-spot", "all-at-once", "idle"] = "one-each"
    entries: Annotated[int, Meta(ge=1)] | None = None
    think: str = "exponential:50"
    hold: str = "constant:10"
    hot: Pid | None = None


class Layer(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """An algorithm below the main one."""

    algorithm: str
    parameters: dict[str, Any] = {}


class Expect(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What should come of it. Properties not named as violated should hold."""

    leader: Pid | None = None
    messages: int | None = None
    violated: list[str] = []


class Schedule(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One run, step by step, in place of delays and times: a counterexample. `loop` is the step from which it repeats.

    The rest are the limits of the checker that found it, within which its steps have their meaning.
    """

    steps: list[str]
    loop: int | None = None
    timing: Literal["async", "ordered", "bounded"] = "async"
    delay: int = 1
    detection: int = -1
    detector: Literal["perfect", "simultaneous", "eventual"] = "perfect"
    alarms: int = -1
    crashes: int = 0
    recoveries: int = 0
    losses: int = 0
    doubles: int = 0
    reorders: int = 0
    mistakes: int = 0
    entries: int = 1
    starts: Literal["first", "step", "late"] = "first"


class Scenario(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What to run.

    `detection` is how long the perfect detector takes; None: a default, -1: there is no detector. `waiting_limit` is
    how often others may enter while one waits, for `bounded_waiting`; None: any finite number of times.
    """

    algorithm: str
    title: str = ""
    shows: str = ""
    parameters: dict[str, Any] = {}
    layers: list[Layer] = []
    topology: Place = msgspec.field(default_factory=Place)
    network: Network = msgspec.field(default_factory=Network)
    detection: Annotated[int, Meta(ge=-1)] | None = None
    starters: Literal["all", "one"] | Annotated[int, Meta(ge=0)] | list[Pid] | None = None
    workload: list[Call] = []
    demand: Demand | None = None
    waiting_limit: Annotated[int, Meta(ge=0)] | None = None
    faults: list[AnyFault] = []
    seed: int = 0
    until: Time | None = None
    goal: str | None = None
    events: Annotated[int, Meta(ge=1)] = DEFAULT_BUDGET
    expect: Expect | None = None
    schedule: Schedule | None = None

    def as_dict(self) -> dict[str, Any]:
        """The scenario as plain data, defaults left out."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain

    def write(self, path: str | Path) -> None:
        """Write the scenario as TOML, or as JSON if the name ends in .json."""
        data = without_none(self.as_dict())
        if str(path).endswith(".json"):
            text = msgspec.json.format(msgspec.json.encode(data)) + b"\n"
        else:
            text = msgspec.toml.encode(data)
        Path(path).write_bytes(text)


def without_none(value: Any) -> Any:
    """The data without fields that are None, which TOML cannot write."""
    if isinstance(value, dict):
        return {key: without_none(item) for key, item in value.items() if item is not None}
    return [without_none(item) for item in value] if isinstance(value, list) else value


def read_scenario(path: str | Path) -> Scenario:
    """Read a scenario file; ScenarioError says what is wrong with it."""
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise ScenarioError(f"{path} cannot be read: {error.strerror}") from None
    return parse_scenario(text, str(path))


def parse_scenario(text: bytes, name: str) -> Scenario:
    """A scenario from the text of its file; `name` is the file's, and tells TOML from JSON."""
    decode = msgspec.json.decode if name.endswith(".json") else msgspec.toml.decode
    try:
        scenario = decode(text, type=Scenario)
    except msgspec.ValidationError as error:
        raise ScenarioError(f"{name}: {readable(error)}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError) as error:
        kind = "JSON" if name.endswith(".json") else "TOML"
        raise ScenarioError(f"{name} is not {kind}: {error}") from None
    return scenario


def readable(error: msgspec.ValidationError) -> str:
    """A validation error with the field first: `faults[0].process: expected int, got str`."""
    text, _, path = str(error).partition(" - at `$")
    field = path.rstrip("`").lstrip(".")
    sentence = (text[0].lower() + text[1:]).replace("`", "")
    choices = CHOICES.get(field) or CHOICES.get(field.rpartition(".")[2])
    if choices and sentence.startswith("invalid"):
        sentence += f"; expected {choices}"
    return f"{field}: {sentence}" if field else sentence


def check_fault_targets(scenario: Scenario, ids: list[int]) -> None:
    """Refuse faults and calls that name a process that does not exist."""
    known = set(ids)
    named: list[tuple[str, int]] = []
    for number, fault in enumerate(scenario.faults):
        if isinstance(fault, Crash | Recover | Pause | Resume | Skew | Drift):
            if isinstance(fault.process, int):
                named.append((f"faults[{number}].process", fault.process))
        elif isinstance(fault, Partition):
            named += [(f"faults[{number}].groups", pid) for group in fault.groups for pid in group]
        elif isinstance(fault, Cut | Heal | Slow):
            named += [(f"faults[{number}].links", pid) for link in fault.links for pid in link]
    for number, call in enumerate(scenario.workload):
        named += [(f"workload[{number}].who", pid) for pid in call.who]
    if isinstance(scenario.starters, list):
        named += [("starters", pid) for pid in scenario.starters]
    named += [("network.links", pid) for link in scenario.network.links for pid in (link.sender, link.to)]
    if scenario.demand is not None and scenario.demand.hot is not None:
        named.append(("demand.hot", scenario.demand.hot))
    if scenario.expect is not None and scenario.expect.leader is not None:
        named.append(("expect.leader", scenario.expect.leader))
    for field, pid in named:
        if pid not in known:
            raise ScenarioError(f"{field}: there is no process {pid}; the ids are {shown(ids)}")
    for number, fault in enumerate(scenario.faults):
        where = f"faults[{number}]"
        if isinstance(fault, Drift) and not (math.isfinite(fault.rate) and 1e-6 <= fault.rate <= 1e6):
            raise ScenarioError(f"{where}.rate: expected a rate from 0.000001 to 1,000,000, got {fault.rate}")
        if isinstance(fault, Skew) and abs(fault.by) > 10**15:
            raise ScenarioError(f"{where}.by: expected at most 10^15 ticks, got {fault.by}")
        if isinstance(fault, Cut | Heal | Slow) and any(a == b for a, b in fault.links):
            raise ScenarioError(f"{where}.links: a link joins two processes")
        if isinstance(fault, Partition):
            grouped = [pid for group in fault.groups for pid in group]
            if len(set(grouped)) < len(grouped):
                raise ScenarioError(f"{where}.groups: a process can be in one group only")


def shown(ids: list[int]) -> str:
    """A list of ids short enough for a sentence."""
    ordered = sorted(ids)
    if ordered == list(range(ordered[0], ordered[0] + len(ordered))) and len(ordered) > 2:
        return f"{ordered[0]} to {ordered[-1]}"
    return ", ".join(map(str, ordered[:12])) + (" ..." if len(ordered) > 12 else "")


def named_scenarios() -> dict[str, Scenario]:
    """The scenarios that ship with Habemus, by name."""
    folder = files("habemus") / "scenarios"
    found = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".toml"))
    return {name.removesuffix(".toml"): parse_scenario((folder / name).read_bytes(), name) for name in found}


def named_scenario_text(name: str) -> str:
    """The file of a named scenario, as it is."""
    return (files("habemus") / "scenarios" / f"{name}.toml").read_text(encoding="utf-8")
