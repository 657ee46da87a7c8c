"""What a page may ask for, checked: a scenario within the limits of the lab, and perhaps code of one's own.

A scenario from a page is data from outside. It may name the algorithms of the catalogue, or a class in the code that
comes with it; not a file or a module of this machine.
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
from habemus.scenario import Scenario, readable

MALFORMED, UNPROCESSABLE = 400, 422
MOST_PROCESSES, MOST_EVENTS, KEPT_EVENTS, MOST_STEPS = 1_000, 200_000, 20_000, 5_000
OWN = "own.py"

Asked = TypeVar("Asked")


class Run(Struct, forbid_unknown_fields=True):
    """A run, with so many of its events."""

    scenario: Scenario
    code: str | None = None
    keep: Annotated[int, Meta(ge=0, le=MOST_EVENTS)] = KEPT_EVENTS


Count = Annotated[int, Meta(ge=0, le=100)]


class Given(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What the runs that are stepped through or explored may contain, as far as the page says; see checking/limits."""

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
    entries: Annotated[int, Meta(ge=1, le=100)] | None = None
    starts: Literal["first", "step", "late"] | None = None
    anybody: bool | None = None
    bounds: dict[str, int] | None = None


class Step(Struct, forbid_unknown_fields=True):
    """A run that is chosen step by step, and the steps taken so far.

    With a `seed` it goes on by chance: by one step, or until the property of that name, or any ("property"), changes.
    """

    scenario: Scenario
    steps: Annotated[list[str], Meta(max_length=MOST_STEPS)] = []
    limits: Given = msgspec.field(default_factory=Given)
    until: str | None = None
    seed: int | None = None
    code: str | None = None


class Check(Struct, forbid_unknown_fields=True):
    """All runs of an instance."""

    scenario: Scenario
    limits: Given = msgspec.field(default_factory=Given)
    properties: list[str] = []
    code: str | None = None


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


class Launch(Struct, forbid_unknown_fields=True):
    """A cluster of real processes."""

    scenario: Scenario
    n: int = 5


class Cut(Struct, forbid_unknown_fields=True):
    """Links between real processes that are to fail, both ways or from the first to the second only."""

    links: list[tuple[int, int]]
    one_way: bool = False


def question(body: bytes, kind: type[Asked]) -> Asked:
    """What the body of a request asks for; RefusedError says what is wrong with it."""
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        raise RefusedError(MALFORMED, readable(error)) from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise RefusedError(MALFORMED, f"the request is not JSON: {error}") from None


def within_limits(scenario: Scenario, code: str | None = None) -> Scenario:
    """The scenario, if the lab may run it; a run is cut off after the most events that the lab computes."""
    place = scenario.topology
    if place.file is not None:
        raise RefusedError(UNPROCESSABLE, "topology.file: the lab reads no files; give the graph as edges")
    n = max(place.n or 0, len(place.ids or []), len({pid for edge in place.edges or [] for pid in edge}))
    if n > MOST_PROCESSES:
        raise RefusedError(UNPROCESSABLE, f"topology: the lab shows up to {MOST_PROCESSES:,} processes, not {n:,}")
    for name in (scenario.algorithm, *(layer.algorithm for layer in scenario.layers)):
        if ":" in name and not (code is not None and name.startswith(f"{OWN}:")):
            raise RefusedError(
                UNPROCESSABLE, f"algorithm: {name!r} is neither in the catalogue nor in the code of this page"
            )
    return msgspec.structs.replace(scenario, events=min(scenario.events, MOST_EVENTS))


def put_in_place(code: str | None) -> None:
    """Write a page's own code to the folder of this worker; RefusedError says in which line it cannot be read.

    From now on what this worker prints is kept.
    """
    if code is None:
        return
    try:
        compile(code, OWN, "exec")
    except (SyntaxError, ValueError) as error:
        line = error.lineno if isinstance(error, SyntaxError) else None
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        raise RefusedError(UNPROCESSABLE, f"the code cannot be read: {said}", line) from None
    Path(OWN).write_text(code, encoding="utf-8")
    keep_prints()


def refused(error: Exception) -> RefusedError:
    """A user's mistake, found while the question was answered, with the line of the code that is at fault."""
    if any(isinstance(cause, MemoryError) for cause in chain(error)):
        raise MemoryError
    sentence = " ".join(str(error.args[0] if error.args else error).split())
    named = re.search(rf"\b{re.escape(OWN)}:(\d+)", sentence)
    return RefusedError(UNPROCESSABLE, sentence, own_line(error) or (int(named[1]) if named else None))


def own_line(error: BaseException) -> int | None:
    """The line of a page's own code that an error comes from."""
    for cause in chain(error):
        lines = [frame.lineno for frame in traceback.extract_tb(cause.__traceback__) if frame.filename.endswith(OWN)]
        if lines:
            return lines[-1]
    return None


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what it came of."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
