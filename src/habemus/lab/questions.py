"""The requests of the page, parsed and validated: a scenario within the limits of the lab, and perhaps the user's own
code.

A scenario from a page is untrusted. It may name algorithms of the catalogue, or a class in the code that comes with it,
but no file or module of this machine.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from habemus.lab.printing import keep_prints
from habemus.lab.workers import RefusedError
from habemus.sandbox import allow_no_more_seconds
from habemus.scenario import Scenario, explain_error

MALFORMED, UNPROCESSABLE = 400, 422
MOST_PROCESSES, MOST_EVENTS, KEPT_EVENTS, MOST_STEPS = 1_000, 200_000, 50_000, 5_000
OWN = "own.py"
MUSEUM = re.compile(r"habemus\.museum\.\w+:\w+")  # exhibits are ours, as the catalogue is

Asked = TypeVar("Asked")


class Run(Struct, forbid_unknown_fields=True):
    """A run, of which the first `keep` events are wanted."""

    scenario: Scenario
    code: str | None = None
    keep: Annotated[int, Meta(ge=0, le=MOST_EVENTS)] = KEPT_EVENTS


Count = Annotated[int, Meta(ge=0, le=100)]


class Given(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The limits of stepping or checking that the page sets; see habemus.checking for their meaning."""

    timing: Literal["async", "ordered", "bounded"] | None = None
    delay: Annotated[int, Meta(ge=1, le=100)] | None = None
    detection: Annotated[int, Meta(ge=-1, le=1000)] | None = None
    detector: Literal["perfect", "simultaneous", "eventual"] | None = None
    alarms: Annotated[int, Meta(ge=-1, le=100)] | None = None
    crashes: Count | None = None
    recoveries: Count | None = None
    losses: Count | None = None
    doubles: Count | None = None
    reorders: Count | None = None
    mistakes: Count | None = None
    entries: Annotated[int, Meta(ge=-1, le=100)] | None = None  # -1: again and again
    starts: Literal["first", "step", "late"] | None = None
    anybody: bool | None = None
    bounds: dict[str, int] | None = None


class Step(Struct, forbid_unknown_fields=True):
    """A run that is chosen step by step, and the steps taken so far.

    With a `seed` it continues at random: for one step, or `until` the named property (or any: "property") changes.
    """

    scenario: Scenario
    steps: Annotated[list[str], Meta(max_length=MOST_STEPS)] = []
    limits: Given = msgspec.field(default_factory=Given)
    until: str | None = None
    seed: int | None = None
    code: str | None = None


class Check(Struct, forbid_unknown_fields=True):
    """All runs of an instance; or of all instances of its size."""

    scenario: Scenario
    limits: Given = msgspec.field(default_factory=Given)
    properties: list[str] = []
    code: str | None = None
    all_orders: bool = False
    all_graphs: bool = False


class Opened(Struct, forbid_unknown_fields=True):
    """A file that the user opens: a scenario, or a trace."""

    name: str
    text: str


class TraceHead(Struct):
    """What is read of the first line of a trace."""

    scenario: msgspec.Raw


class Sweep(Struct, forbid_unknown_fields=True):
    """The cost of some algorithms at some sizes."""

    algorithms: Annotated[list[str], Meta(min_length=1, max_length=12)]
    n: Annotated[list[Annotated[int, Meta(ge=1, le=MOST_PROCESSES)]], Meta(min_length=1, max_length=20)]
    seeds: Annotated[int, Meta(ge=1, le=1000)] = 20


class Compare(Struct, forbid_unknown_fields=True):
    """Some algorithms under the same faults."""

    algorithms: Annotated[list[str], Meta(min_length=1, max_length=12)]
    scenario: Scenario
    seeds: Annotated[int, Meta(ge=1, le=1000)] = 20


class QuorumRisk(Struct, forbid_unknown_fields=True):
    """How safe m of n coordinators are, each of which forgets with probability p."""

    n: Annotated[int, Meta(ge=1, le=1000)]
    p: str
    m: int | None = None


class TimeoutCosts(Struct, forbid_unknown_fields=True):
    """What a time-out costs for round trips of this distribution."""

    delay: str
    wait_cost: float
    mistake_cost: float


class ElectionTimeouts(Struct, forbid_unknown_fields=True):
    """False elections and downtime of bully for several time-outs."""

    delay: str
    seeds: Annotated[int, Meta(ge=1, le=200)] = 5
    n: Annotated[int, Meta(ge=2, le=20)] = 5


class Launch(Struct, forbid_unknown_fields=True):
    """A cluster of real processes; without a scenario, a service group with so many voters."""

    scenario: Scenario | None = None
    n: int = 5


class Cut(Struct, forbid_unknown_fields=True):
    """Links between real processes to cut, both ways or from the first to the second only."""

    links: list[tuple[int, int]]
    one_way: bool = False


def parse_question(body: bytes, kind: type[Asked]) -> Asked:
    """Parse the body of a request; raises RefusedError."""
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        raise RefusedError(MALFORMED, explain_error(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RefusedError(MALFORMED, f"the request is not JSON: {error}") from None


def check_limits(scenario: Scenario, code: str | None = None) -> Scenario:
    """Refuse a scenario that the lab may not run; the result has its number of events limited."""
    topology = scenario.topology
    if topology.file is not None:
        raise RefusedError(UNPROCESSABLE, "topology.file: the lab reads no files; give the graph as topology.edges")
    n = max(topology.n or 0, len(topology.ids or []), len({pid for edge in topology.edges or [] for pid in edge}))
    if n > MOST_PROCESSES:
        raise RefusedError(UNPROCESSABLE, f"topology: the lab shows up to {MOST_PROCESSES:,} processes, not {n:,}")
    for name in (scenario.algorithm, *(layer.algorithm for layer in scenario.layers)):
        own = code is not None and name.startswith(f"{OWN}:")
        if ":" in name and not own and not MUSEUM.fullmatch(name):
            raise RefusedError(
                UNPROCESSABLE, f"algorithm: {name!r} is neither in the catalogue nor in the code of this page"
            )
    return msgspec.structs.replace(scenario, events=min(scenario.events, MOST_EVENTS))


def install_code(code: str | None) -> None:
    """Write the user's own code to the folder of this worker, and keep what it prints; raises RefusedError."""
    if code is None:
        return
    try:
        compile(code, OWN, "exec")
    except (SyntaxError, ValueError) as error:
        line = error.lineno if isinstance(error, SyntaxError) else None
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        raise RefusedError(UNPROCESSABLE, f"the code does not compile: {said}", line) from None
    Path(OWN).write_text(code, encoding="utf-8")
    keep_prints()
    allow_no_more_seconds()


def to_refusal(error: Exception) -> RefusedError:
    """Turn an error that is the user's mistake into a refusal, with the line of the user's code if it is there."""
    if any(isinstance(cause, MemoryError) for cause in walk_causes(error)):
        raise MemoryError
    sentence = " ".join(str(error.args[0] if error.args else error).split())
    named = re.search(rf"\b{re.escape(OWN)}:(\d+)", sentence)
    return RefusedError(UNPROCESSABLE, sentence, find_own_line(error) or (int(named[1]) if named else None))


def find_own_line(error: BaseException) -> int | None:
    """Find the line of the user's own code that an error comes from."""
    for cause in walk_causes(error):
        lines = [frame.lineno for frame in traceback.extract_tb(cause.__traceback__) if frame.filename.endswith(OWN)]
        if lines:
            return lines[-1]
    return None


def walk_causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and its causes."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
