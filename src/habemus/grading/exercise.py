"""The file of an exercise: the task in two languages, the starting code, and the parts that are graded.

Exercises are TOML files. Those that ship with Habemus are in `habemus/exercises`; a teacher's own is named by its path.
"""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from habemus.grading.formula import parse_formula
from habemus.process import Claim
from habemus.properties import election_properties, mutex_properties
from habemus.scenario import Scenario, ScenarioError, explain_error

NAMED = Path(__file__).parents[1] / "exercises"
PLACEHOLDER = "submission"
NAMING = ("process", "links", "groups", "hot", "who")  # fields of faults, workload and demand that name processes

Points = Annotated[int, Meta(ge=0, le=1000)]
Size = Annotated[int, Meta(ge=1, le=1000)]


class ExerciseError(ValueError):
    """An exercise is not one, or does not exist; the text says where and what was expected."""


class Texts(Struct, forbid_unknown_fields=True):
    """A text in each language."""

    en: str
    pt: str

    def in_language(self, language: str) -> str:
        return self.pt if language == "pt" else self.en


class Part(Struct, forbid_unknown_fields=True, kw_only=True):
    """Something that is graded. `scenario` holds fields of a scenario file: starters, demand, faults and so on.

    Processes that it names are called 1 to n there. In a run they have other ids, so that no answer can be known
    beforehand; with `rename = false` they keep these, for properties that name processes, too.
    """

    points: Points
    scenario: dict[str, Any] = {}
    rename: bool = True

    def build(
        self,
        algorithm: str,
        n: int,
        seed: int = 0,
        ids: list[int] | None = None,
        shuffle: bool = False,
        **defaults: Any,
    ) -> Scenario:
        """The scenario of one run of a submission; what the part says comes before the defaults and the ids.

        `shuffle`: the seat of a process does not tell its name in the scenario.
        """
        msgspec.convert({**self.scenario, "algorithm": algorithm}, Scenario)  # so that what follows finds its types
        topology = self.scenario.get("topology", {})
        named = ids if self.rename and not {"ids", "edges"} & topology.keys() else None
        plain = {**defaults, **(self.scenario if named is None else name_processes(self.scenario, named))}
        seats = sorted(named) if named is not None and shuffle else named
        return msgspec.convert(
            {**plain, "topology": {"ids": seats, **topology, "n": n}, "algorithm": algorithm, "seed": seed}, Scenario
        )

    @property
    def names_processes(self) -> bool:
        """Whether the scenario names processes."""
        demand = self.scenario.get("demand", {})
        listed = isinstance(self.scenario.get("starters"), list)
        return listed or bool({"faults", "workload"} & self.scenario.keys()) or bool({"hot", "who"} & demand.keys())


def name_processes(scenario: dict[str, Any], ids: list[int]) -> dict[str, Any]:
    """The fields of a scenario with the process that it calls k named by the k-th id."""

    def rename(value: Any) -> Any:
        if isinstance(value, list):
            return [rename(each) for each in value]
        return ids[value - 1] if type(value) is int and 1 <= value <= len(ids) else value

    def rename_in(value: Any) -> Any:
        if isinstance(value, list):
            return [rename_in(each) for each in value]
        return {key: rename(each) if key in NAMING else each for key, each in value.items()}

    renamed = dict(scenario)
    for key in scenario:
        if key in ("faults", "workload", "demand"):
            renamed[key] = rename_in(scenario[key])
        elif key == "starters" and isinstance(scenario[key], list):  # a number is how many
            renamed[key] = rename(scenario[key])
    return renamed


class Runs(Part, tag_field="judge", tag="runs"):
    """Random runs, `runs` of each size: the properties hold in all of them."""

    n: Annotated[list[Size], Meta(min_length=1)]
    properties: Annotated[list[str], Meta(min_length=1)]
    runs: Annotated[int, Meta(ge=1, le=10_000)] = 20


class Check(Part, tag_field="judge", tag="check"):
    """Every run of a small group, by the checker: the properties hold in all of them.

    `orders`: the ids of a ring in every order. `limits` are those of `habemus check`: crashes, losses, entries and so
    on. A search that is not done after `states` states earns nothing.
    """

    n: Annotated[list[Size], Meta(min_length=1)]
    properties: Annotated[list[str], Meta(min_length=1)]
    orders: bool = False
    timing: Literal["async", "ordered", "bounded"] = "async"
    limits: dict[str, int] = {}
    states: Annotated[int, Meta(ge=1)] = 20_000


class Cost(Part, tag_field="judge", tag="cost"):
    """Messages: at most `most` in every run; of a mutex, messages an entry."""

    n: Annotated[list[Size], Meta(min_length=1)]
    most: str
    runs: Annotated[int, Meta(ge=1, le=10_000)] = 5


class Arrangement(Part, tag_field="judge", tag="arrangement"):
    """The answer is a function of n that arranges the ids 1 to n: `algorithm` then sends at least `least` messages."""

    n: Annotated[list[Size], Meta(min_length=1)]
    algorithm: str
    least: str


AnyPart = Runs | Check | Cost | Arrangement


class Exercise(Struct, forbid_unknown_fields=True, kw_only=True):
    """An exercise. `answer` is the class (or function) that a submission defines, `start` the code to begin with.

    `forbidden` are attributes that a submission may not use, such as members. `properties` is Python code with claims
    of the exercise's own, which its parts name. `leaves_by_itself`: a process may leave the critical section without
    being told to, as when a lease ends.
    """

    name: str = ""
    title: Texts
    task: Texts
    kind: Literal["election", "mutex", "function"] = "election"
    topology: Literal["ring", "complete", "tree", "any"] = "any"
    answer: str
    start: str
    forbidden: list[str] = []
    properties: str = ""
    leaves_by_itself: bool = False
    seconds: Annotated[int, Meta(ge=1, le=3600)] = 60
    parts: Annotated[list[AnyPart], Meta(min_length=1)]

    @property
    def points(self) -> int:
        return sum([part.points for part in self.parts])

    def load_claims(self) -> list[Claim]:
        """The exercise's own properties."""
        names: dict[str, Any] = {}
        code = f"from habemus.process import eventually, invariant, never\n{self.properties}"
        exec(compile(code, f"<{self.name}>", "exec"), names)  # of the teacher, not of a submission
        return [value for value in names.values() if isinstance(value, Claim)]


def exercise_names() -> list[str]:
    """The exercises that ship with Habemus."""
    return sorted([path.stem for path in NAMED.glob("*.toml")])


def find_exercise(name: str) -> Exercise:
    """The exercise of that name, or in that file."""
    if name.endswith(".toml"):
        return read_exercise(Path(name))
    known = exercise_names()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
        hint = (
            f"did you mean {near[0]}?" if near else "`habemus exercise` lists them; a file of your own ends in .toml."
        )
        raise ExerciseError(f"there is no exercise {name!r}; {hint}")
    return read_exercise(NAMED / f"{name}.toml")


def read_exercise(path: Path) -> Exercise:
    """Read the file of an exercise; ExerciseError says what is wrong with it."""
    try:
        exercise = msgspec.toml.decode(path.read_bytes(), type=Exercise)
    except OSError as error:
        raise ExerciseError(f"{path} cannot be read: {error.strerror}") from None
    except msgspec.ValidationError as error:
        raise ExerciseError(f"{path.name}: {explain_error(error)}") from None
    except (msgspec.DecodeError, ValueError) as error:
        raise ExerciseError(f"{path.name} is not TOML: {error}") from None
    exercise = msgspec.structs.replace(exercise, name=exercise.name or path.stem)
    try:
        check_exercise(exercise)
    except ValueError as error:
        raise ExerciseError(f"{path.name}: {error}") from None
    return exercise


def check_exercise(exercise: Exercise) -> None:
    """Refuse what could not be graded; ValueError says where."""
    if not re.fullmatch(r"[\w-]+", exercise.name):
        raise ValueError(f"name: expected letters, digits and hyphens, got {exercise.name!r}")
    if exercise.points < 1:
        raise ValueError("parts: expected points, but no part has any")
    try:
        claims = [claim.name for claim in exercise.load_claims()]
    except (Exception, SystemExit) as error:
        raise ValueError(f"properties: this is not Python that can be run: {error}") from None
    judges = mutex_properties() if exercise.kind == "mutex" else election_properties()
    known = [*[judge.name for judge in judges], *claims]
    for number, part in enumerate(exercise.parts):
        try:
            check_part(exercise, part, known)
        except msgspec.ValidationError as error:
            raise ValueError(f"parts[{number}].scenario.{explain_error(error)}") from None
        except (ValueError, ScenarioError) as error:
            raise ValueError(f"parts[{number}].{error}") from None


def check_part(exercise: Exercise, part: AnyPart, known: list[str]) -> None:
    part.build(PLACEHOLDER, part.n[0])
    if isinstance(part, Arrangement) != (exercise.kind == "function"):
        raise ValueError('judge: an arrangement, and nothing else, goes with kind = "function"')
    if isinstance(part, Runs | Check):
        for name in part.properties:
            if name not in known:
                raise ValueError(f"properties: there is no {name!r}; expected {', '.join(known)}")
    if isinstance(part, Check):
        check_limits(part.limits)
    try:
        if isinstance(part, Cost):
            parse_formula(part.most)
        elif isinstance(part, Arrangement):
            parse_formula(part.least)
    except ValueError as error:
        raise ValueError(f"{'most' if isinstance(part, Cost) else 'least'}: {error}") from None


def check_limits(limits: dict[str, int]) -> None:
    """Refuse a limit that the checker does not have."""
    for name, most in limits.items():
        if name not in COUNTED_LIMITS:
            raise ValueError(f"limits: there is no {name!r}; expected {', '.join(COUNTED_LIMITS)}")
        least = {"delay": 1, "detection": -1}.get(name, 0)
        if most < least:
            raise ValueError(f"limits.{name}: expected int >= {least}")


COUNTED_LIMITS = (
    "alarms",
    "crashes",
    "delay",
    "detection",
    "doubles",
    "entries",
    "losses",
    "mistakes",
    "recoveries",
    "reorders",
)
