"""The options that describe a scenario, and how they are spelled."""

from __future__ import annotations

import re
import tomllib
from typing import Annotated, Any

import msgspec
import typer

from habemus.scenario import (
    AnyFault,
    Call,
    Crash,
    Cut,
    Drift,
    Heal,
    Partition,
    Pause,
    Recover,
    Resume,
    Scenario,
    ScenarioError,
    Skew,
    named_scenarios,
    read_scenario,
    readable,
)

N = Annotated[int | None, typer.Option("--n", help="How many processes.", show_default="8")]
TopologyKind = Annotated[
    str | None, typer.Option("--topology", help="ring, complete, star, line, grid, torus, hypercube, tree, random.")
]
Graph = Annotated[str | None, typer.Option("--graph", help="A GraphML file or edge list; its nodes are the ids.")]
Ids = Annotated[str | None, typer.Option("--ids", help="The ids in their places, as 3,1,2.")]
Order = Annotated[str | None, typer.Option("--order", help="best, worst, random or sorted.", show_default="random")]
Starters = Annotated[
    str | None, typer.Option("--starters", help="all, one, how many (3), or who (2,5).", show_default="all")
]
Seed = Annotated[int | None, typer.Option("--seed", help="Same seed, same run.", show_default="0")]
DelayText = Annotated[
    str | None,
    typer.Option(
        "--delay",
        help="unit, constant:T, uniform:A:B, exponential:MEAN, lognormal:MEDIAN:SIGMA, in ticks.",
        show_default="unit",
    ),
]
Loss = Annotated[float | None, typer.Option("--loss", help="Probability that a message is lost.")]
Duplication = Annotated[float | None, typer.Option("--duplication", help="Probability that a message comes twice.")]
Fifo = Annotated[bool | None, typer.Option("--fifo/--no-fifo", help="Whether links keep the order.")]
Detection = Annotated[
    int | None, typer.Option("--detection", help="Ticks until a crash is noticed; -1: never.", show_default="21")
]
Crashes = Annotated[list[str] | None, typer.Option("--crash", help="P@T: process P (or leader) crashes at T.")]
Recovers = Annotated[list[str] | None, typer.Option("--recover", help="P@T (or crashed@T): it is back.")]
Pauses = Annotated[list[str] | None, typer.Option("--pause", help="P@T (or leader@T): it stands still.")]
Resumes = Annotated[list[str] | None, typer.Option("--resume", help="P@T (or paused@T): it goes on.")]
Cuts = Annotated[list[str] | None, typer.Option("--cut", help="A-B@T: the link fails; A>B@T: in that direction only.")]
Heals = Annotated[list[str] | None, typer.Option("--heal", help="A-B@T, or all@T: it works again.")]
Partitions = Annotated[list[str] | None, typer.Option("--partition", help="1,2/3,4,5@T: nothing passes between them.")]
Skews = Annotated[list[str] | None, typer.Option("--skew", help="P:TICKS@T: its clock jumps ahead.")]
Drifts = Annotated[list[str] | None, typer.Option("--drift", help="P:RATE@T: its clock runs at that rate.")]
Calls = Annotated[list[str] | None, typer.Option("--call", help="P@T: it calls an election; P:COMMAND@T: a command.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", help="NAME=VALUE: a parameter of the algorithm; LAYER.NAME=VALUE: of a layer."),
]
Layers = Annotated[
    list[str] | None, typer.Option("--layer", help="An algorithm below it: a detector, then an election; lowest first.")
]
WorkloadKind = Annotated[
    str | None,
    typer.Option(
        "--workload",
        help="Who wants the lock: one-each, poisson, hot-spot, all-at-once, idle.",
        show_default="one-each",
    ),
]
Entries = Annotated[int | None, typer.Option("--entries", help="How often each one enters.", show_default="1 or 10")]
Think = Annotated[
    str | None, typer.Option("--think", help="How long before it asks, as --delay.", show_default="exponential:50")
]
Hold = Annotated[str | None, typer.Option("--hold", help="How long it stays inside.", show_default="constant:10")]
Hot = Annotated[int | None, typer.Option("--hot", help="The hot process of a hot-spot.")]
WaitingLimit = Annotated[
    int | None, typer.Option("--waiting-limit", help="How often others may enter while one waits.")
]
Until = Annotated[str | None, typer.Option("--until", help="Stop at a time, or when a property is decided.")]
Events = Annotated[int | None, typer.Option("--events", help="Stop after so many events.", show_default="50 million")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]

PROPERTIES = (
    "termination",
    "uniqueness",
    "agreement",
    "stability",
    "mutual_exclusion",
    "deadlock_freedom",
    "starvation_freedom",
    "bounded_waiting",
)

PROCESS_FAULTS: tuple[tuple[str, Any, str], ...] = (
    ("crash", Crash, "leader"),
    ("recover", Recover, "crashed"),
    ("pause", Pause, "leader"),
    ("resume", Resume, "paused"),
)


def scenario_from(name: str) -> Scenario:
    """What the first argument means: a scenario file, a named scenario, or an algorithm."""
    if name.endswith((".toml", ".json")):
        return read_scenario(name)
    return named_scenarios().get(name) or Scenario(name)


def adjusted(scenario: Scenario, options: dict[str, Any]) -> Scenario:
    """The scenario with the options that were given in place of its own."""
    given = {name: value for name, value in options.items() if value is not None}
    for one, other in (("ids", "n"), ("ids", "order"), ("graph", "n"), ("graph", "topology"), ("graph", "order")):
        if one in given and other in given:
            raise ScenarioError(f"--{one} and --{other}: give one or the other, they both say who is where")
    plain = scenario.as_dict()
    place = plain.setdefault("topology", {})
    network = plain.setdefault("network", {})
    for option, field in (("n", "n"), ("topology", "kind"), ("order", "order"), ("graph", "file")):
        if option in given:
            place[field] = given[option]
    if "ids" in given:
        place["ids"] = [whole(word, "--ids") for word in given["ids"].split(",")]
        place.pop("n", None)
    elif {"n", "order"} & given.keys():
        place.pop("ids", None)
    for option in ("delay", "loss", "duplication", "fifo"):
        if option in given:
            network[option] = given[option]
    for option in ("seed", "detection", "events", "waiting_limit"):
        if option in given:
            plain[option] = given[option]
    set_demand(plain, given)
    if "starters" in given:
        plain["starters"] = starters(given["starters"])
    if "until" in given:
        set_until(plain, given["until"])
    plain["layers"] = plain.get("layers", []) + [{"algorithm": layer} for layer in given.get("layer", [])]
    for setting in given.get("settings", []):
        key, value = parameter(setting)
        parameters_meant(plain, key, setting)[key.rpartition(".")[2]] = value
    plain["faults"] = plain.get("faults", []) + [msgspec.to_builtins(fault) for fault in faults(given)]
    plain["workload"] = plain.get("workload", []) + [msgspec.to_builtins(call) for call in calls(given)]
    if any(call.call == "election" for call in calls(given)) and "starters" not in plain and not scenario.workload:
        plain["starters"] = "all"  # a call on the command line comes on top of the first election
    if given.keys() - {"until", "events"} and "expect" in plain:
        del plain["expect"]  # what was expected of the scenario as it stood is not expected of another
    try:
        return msgspec.convert(plain, Scenario)
    except msgspec.ValidationError as error:
        raise ScenarioError(readable(error)) from None


def set_demand(plain: dict[str, Any], given: dict[str, Any]) -> None:
    """The options that say who wants the lock, in place of the scenario's own."""
    options = {"workload": "kind", "entries": "entries", "think": "think", "hold": "hold", "hot": "hot"}
    chosen = {field: given[option] for option, field in options.items() if option in given}
    if chosen:
        demand = plain.setdefault("demand", {"kind": "idle"} if plain.get("workload") else {})
        if chosen.get("entries") is not None and "kind" not in chosen and demand.get("kind", "one-each") == "one-each":
            demand["kind"] = "poisson"  # several entries each are what that is
        demand.update(chosen)


def parameters_meant(plain: dict[str, Any], key: str, setting: str) -> dict[str, Any]:
    """The parameters that `--set` is about: the algorithm's, or those of the layer that is named before the dot."""
    name, dot, _ = key.rpartition(".")
    for place in [plain, *plain["layers"]] if dot else [plain]:
        if not dot or place["algorithm"] == name:
            parameters: dict[str, Any] = place.setdefault("parameters", {})
            return parameters
    known = ", ".join([plain["algorithm"], *(layer["algorithm"] for layer in plain["layers"])])
    raise ScenarioError(f"--set {setting}: there is no layer {name!r} here; there are: {known}")


def starters(text: str) -> str | int | list[int]:
    """`all`, `one`, a number of starters, or ids with commas."""
    if text in ("all", "one"):
        return text
    if text.isdigit():
        return int(text)
    return [whole(word, "--starters") for word in text.strip(",").split(",")]


def set_until(plain: dict[str, Any], text: str) -> None:
    """`--until` names a time or a property."""
    if re.fullmatch(r"-?\d+", text):
        plain["until"] = int(text)
        plain.pop("goal", None)
    elif text == "quiescence":
        plain.pop("until", None)
        plain.pop("goal", None)
    elif text in PROPERTIES:
        plain["goal"] = text
    else:
        raise ScenarioError(f"--until {text}: expected a time, quiescence, or one of {', '.join(PROPERTIES)}")


def parameter(text: str) -> tuple[str, Any]:
    """`transmission=20`, `stable=true`, `weight={1=5}`: values as in TOML, bare words as text."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise ScenarioError(f"--set {text}: expected NAME=VALUE, as in --set transmission=20")
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name.strip(), value.strip()


def faults(given: dict[str, Any]) -> list[AnyFault]:
    """All faults on the command line."""
    found: list[AnyFault] = []
    for option, kind, word in PROCESS_FAULTS:
        for text in given.get(option, []):
            process, at = split_time(text, f"--{option}", f"P@T, as in 5@30 or {word}@30")
            found.append(kind(at, word if process == word else whole(process, f"--{option}")))
    for text in given.get("cut", []):
        link, at = split_time(text, "--cut", "A-B@T, as in 1-2@30")
        found.append(Cut(at, [pair(link, "--cut")], one_way=">" in link))
    for text in given.get("heal", []):
        link, at = split_time(text, "--heal", "A-B@T or all@T")
        found.append(Heal(at, [] if link == "all" else [pair(link, "--heal")]))
    for text in given.get("partition", []):
        groups, at = split_time(text, "--partition", "GROUP/GROUP@T, as in 1,2/3,4,5@30")
        sides = [[whole(pid, "--partition") for pid in group.split(",")] for group in groups.split("/")]
        found.append(Partition(at, sides))
    for text in given.get("skew", []):
        what, at = split_time(text, "--skew", "P:TICKS@T, as in 2:15@30")
        process, ticks = split_colon(what, "--skew", "P:TICKS@T")
        found.append(Skew(at, whole(process, "--skew"), whole(ticks, "--skew")))
    for text in given.get("drift", []):
        what, at = split_time(text, "--drift", "P:RATE@T, as in 2:1.1@0")
        process, rate = split_colon(what, "--drift", "P:RATE@T")
        try:
            found.append(Drift(at, whole(process, "--drift"), float(rate)))
        except ValueError:
            raise ScenarioError(f"--drift {text}: expected a rate such as 1.1, got {rate!r}") from None
    return found


def calls(given: dict[str, Any]) -> list[Call]:
    """All calls on the command line."""
    found = []
    for text in given.get("call", []):
        what, at = split_time(text, "--call", "P@T, as in 2@30")
        process, _, command = what.partition(":")
        found.append(Call(at, [whole(process, "--call")], command or "election"))
    return found


def split_time(text: str, option: str, expected: str) -> tuple[str, int]:
    """`what@time` in its two parts."""
    what, at, time = text.rpartition("@")
    if not at or not time.isdigit() or not what:
        raise ScenarioError(f"{option} {text}: expected {expected}")
    return what, int(time)


def split_colon(text: str, option: str, expected: str) -> tuple[str, str]:
    """`process:value` in its two parts."""
    process, colon, value = text.partition(":")
    if not colon:
        raise ScenarioError(f"{option} {text}: expected {expected}")
    return process, value


def pair(text: str, option: str) -> tuple[int, int]:
    """`1-2` or `1>2`."""
    ends = re.split("[->]", text)
    if len(ends) != 2:
        raise ScenarioError(f"{option} {text}: expected two processes, as in 1-2")
    return whole(ends[0], option), whole(ends[1], option)


def whole(text: str, option: str) -> int:
    """A whole number."""
    try:
        return int(text)
    except ValueError:
        raise ScenarioError(f"{option}: expected a whole number, got {text.strip()!r}") from None
