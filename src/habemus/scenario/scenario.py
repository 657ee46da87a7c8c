"""A scenario is data: what to run, on what network, with which faults, asked to do what, and what should come of it.

The command line builds one, a file holds one (TOML or JSON), the page edits one, a counterexample is one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from habemus.scenario.checked import Checked, ScenarioError
from habemus.scenario.faults import AnyFault, Pid, Time

Probability = Annotated[float, Meta(ge=0, le=1)]


DEFAULT_N = 8
DEFAULT_BUDGET = 50_000_000
DEFAULT_DETECTION = 21
MOST_PROCESSES = 10_000_000


class TopologySpec(Checked, forbid_unknown_fields=True, omit_defaults=True):
    """The network's shape and who sits where. Give `ids`, or `n` and an `order`; or a graph as `edges` or `file`."""

    kind: str | None = None
    n: int | None = None
    ids: list[Pid] | None = None
    order: Literal["best", "worst", "random", "sorted"] = "random"
    edges: list[tuple[Pid, Pid]] | None = None
    file: str | None = None

    @classmethod
    def from_graph(cls, graph: Any, name: str = "the graph") -> TopologySpec:
        """The shape of a networkx graph whose nodes are numbers, which become the ids."""
        try:
            ids = sorted(int(node) for node in graph.nodes)
            edges = sorted({(min(int(a), int(b)), max(int(a), int(b))) for a, b in graph.edges})
        except ValueError:
            raise ScenarioError(f"topology: the nodes of {name} have to be numbers, which become the ids") from None
        return cls(ids=ids, edges=edges)


class LinkDelay(Checked, forbid_unknown_fields=True):
    """A link that is slower or faster than the others, in one direction."""

    sender: Pid
    to: Pid
    delay: str


class Network(Checked, forbid_unknown_fields=True, omit_defaults=True):
    """What links do to messages."""

    delay: str = "unit"
    loss: Probability = 0.0
    duplication: Probability = 0.0
    fifo: bool = True
    links: list[LinkDelay] = []


class Call(Checked, forbid_unknown_fields=True, omit_defaults=True):
    """Someone is asked to do something: `election`, or a command that the algorithm knows.

    `at` is a time, or a distribution such as uniform:30:60 from which each of them draws its own. Whoever acquires a
    lock releases it after `hold` ticks inside; without `hold`, as the demand of the scenario says. `data` are the
    fields of what the command carries, if it carries anything.
    """

    at: Time | str
    who: list[Pid]
    call: str = "election"
    hold: Annotated[int, Meta(ge=1)] | None = None
    data: dict[str, Any] | None = None


class Demand(Checked, forbid_unknown_fields=True, omit_defaults=True):
    """How the processes want the lock: each asks some times, after thinking, and holds it for a while.

    one-each     everybody asks once                                    poisson    everybody asks 10 times
    all-at-once  everybody asks in the first tick, and again at once    idle       nobody asks
    hot-spot     as poisson, but one of them (`hot`) hardly thinks and makes half of all entries

    With `who`, only these processes ask.
    """

    kind: Literal["one-each", "poisson", "hot-spot", "all-at-once", "idle"] = "one-each"
    entries: Annotated[int, Meta(ge=1, le=DEFAULT_BUDGET)] | None = None  # an entry is an event
    think: str = "exponential:50"
    hold: str = "constant:10"
    hot: Pid | None = None
    who: list[Pid] | None = None


class Layer(Checked, forbid_unknown_fields=True, omit_defaults=True):
    """An algorithm below the main one."""

    algorithm: str
    parameters: dict[str, Any] = {}


class Expect(Checked, forbid_unknown_fields=True, omit_defaults=True):
    """What should come of it. Properties not named as violated should hold."""

    leader: Pid | None = None
    messages: int | None = None
    violated: list[str] = []


class Schedule(Checked, forbid_unknown_fields=True, omit_defaults=True):
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


class Scenario(Checked, forbid_unknown_fields=True, omit_defaults=True):
    """What to run.

    `detection` is how long the perfect detector takes; None: a default, -1: there is no detector. `waiting_limit` is
    how often others may enter while one waits, for `bounded_waiting`; "declared": as often as the algorithm declares;
    None: any finite number of times. `waiting_time` is how many ticks one may wait.
    """

    algorithm: str
    title: str = ""
    shows: str = ""
    parameters: dict[str, Any] = {}
    layers: list[Layer] = []
    topology: TopologySpec = msgspec.field(default_factory=TopologySpec)
    network: Network = msgspec.field(default_factory=Network)
    detection: Annotated[int, Meta(ge=-1)] | None = None
    starters: Literal["all", "one"] | Annotated[int, Meta(ge=0)] | list[Pid] | None = None
    workload: list[Call] = []
    demand: Demand | None = None
    waiting_limit: Annotated[int, Meta(ge=0)] | Literal["declared"] | None = None
    waiting_time: Annotated[int, Meta(ge=0)] | None = None
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


def require_scenario(given: Any) -> None:
    """Refuse what is not a scenario."""
    if not isinstance(given, Scenario):
        raise ScenarioError(f"expected a scenario, as Scenario('bully') makes one, got {type(given).__name__}")


def without_none(value: Any) -> Any:
    """The data without fields that are None, which TOML cannot write."""
    if isinstance(value, dict):
        return {key: without_none(item) for key, item in value.items() if item is not None}
    return [without_none(item) for item in value] if isinstance(value, list) else value
