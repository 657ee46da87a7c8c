"""The options that describe a scenario, and how they are spelled."""

from __future__ import annotations

import re
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
    explain_error,
    find_named_scenario,
    read_scenario,
)
from habemus.scenario.faults import LATEST
from habemus.words.language import PORTUGUESE, language
from habemus.words.terms import find_alias

N = Annotated[int | None, typer.Option("--n", help="How many processes.", show_default="8")]
TopologyKind = Annotated[
    str | None, typer.Option("--topology", help="ring, complete, star, line, grid, torus, hypercube, tree, random.")
]
Graph = Annotated[str | None, typer.Option("--graph", help="A GraphML file or edge list; its nodes are the ids.")]
Ids = Annotated[str | None, typer.Option("--ids", help="The ids in order of seats, as 3,1,2.")]
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
Duplication = Annotated[float | None, typer.Option("--duplication", help="Probability that a message is duplicated.")]
Fifo = Annotated[bool | None, typer.Option("--fifo/--no-fifo", help="Whether links keep the order.")]
Detection = Annotated[
    int | None, typer.Option("--detection", help="Ticks until a crash is noticed; -1: never.", show_default="21")
]
Crashes = Annotated[list[str] | None, typer.Option("--crash", help="P@T: process P (or leader) crashes at T.")]
Recovers = Annotated[list[str] | None, typer.Option("--recover", help="P@T (or crashed@T): process P recovers.")]
Pauses = Annotated[list[str] | None, typer.Option("--pause", help="P@T (or leader@T): process P takes no steps.")]
Resumes = Annotated[list[str] | None, typer.Option("--resume", help="P@T (or paused@T): process P continues.")]
Cuts = Annotated[list[str] | None, typer.Option("--cut", help="A-B@T: the link fails; A>B@T: in that direction only.")]
Heals = Annotated[list[str] | None, typer.Option("--heal", help="A-B@T, or all@T: the link works again.")]
Partitions = Annotated[
    list[str] | None, typer.Option("--partition", help="1,2/3,4,5@T: all links between the groups fail.")
]
Skews = Annotated[list[str] | None, typer.Option("--skew", help="P:TICKS@T: the clock of P jumps ahead.")]
Drifts = Annotated[list[str] | None, typer.Option("--drift", help="P:RATE@T: the clock of P runs at this rate.")]
Calls = Annotated[
    list[str] | None,
    typer.Option("--call", help="P@T: process P calls an election; P:COMMAND@T: a command. T may be a distribution."),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", help="NAME=VALUE: a parameter of the algorithm; LAYER.NAME=VALUE: of a layer."),
]
Layers = Annotated[
    list[str] | None, typer.Option("--layer", help="An algorithm below: a detector, then an election; lowest first.")
]
WorkloadKind = Annotated[
    str | None,
    typer.Option(
        "--workload",
        help="Who wants the lock: one-each, poisson, hot-spot, all-at-once, idle.",
        show_default="one-each",
    ),
]
Entries = Annotated[
    int | None, typer.Option("--entries", help="How often each process enters.", show_default="1 or 10")
]
Think = Annotated[
    str | None,
    typer.Option("--think", help="How long before a process asks, as --delay.", show_default="exponential:50"),
]
Hold = Annotated[
    str | None, typer.Option("--hold", help="How long a process stays inside.", show_default="constant:10")
]
Hot = Annotated[int | None, typer.Option("--hot", help="The hot process of a hot-spot.")]
WaitingLimit = Annotated[
    str | None,
    typer.Option("--waiting-limit", help="How often others may enter while one waits; or declared, by the algorithm."),
]
WaitingTime = Annotated[int | None, typer.Option("--waiting-time", help="How many ticks one may wait.")]
Until = Annotated[str | None, typer.Option("--until", help="Stop at a time, or when a property is decided.")]
Events = Annotated[int | None, typer.Option("--events", help="Stop after this many events.", show_default="50 million")]
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


def find_scenario(name: str) -> Scenario:
    """The first argument is a scenario file, a named scenario or an algorithm."""
    if name.endswith((".toml", ".json")):
        return read_scenario(name)
    named = find_named_scenario(name)
    if named is not None and language() == PORTUGUESE:
        from habemus.cli.portuguese import translate_scenario

        return translate_scenario(named, name)
    return named or Scenario(find_alias(name) or name)


def apply_options(scenario: Scenario, options: dict[str, Any]) -> Scenario:
    """The scenario with the given options in place of its own settings."""
    given = {name: value for name, value in options.items() if value is not None}
    for one, other in (("ids", "n"), ("ids", "order"), ("graph", "n"), ("graph", "topology"), ("graph", "order")):
        if one in given and other in given:
            raise ScenarioError(f"--{one} and --{other}: give only one of them")
    plain = scenario.as_dict()
    spec = plain.setdefault("topology", {})
    network = plain.setdefault("network", {})
    for option, field in (("n", "n"), ("topology", "kind"), ("order", "order"), ("graph", "file")):
        if option in given:
            spec[field] = given[option]
    if "ids" in given:
        spec["ids"] = [parse_integer(word, "--ids") for word in given["ids"].split(",")]
        spec.pop("n", None)
    elif {"n", "order"} & given.keys():
        spec.pop("ids", None)
    for option in ("delay", "loss", "duplication", "fifo"):
        if option in given:
            network[option] = given[option]
    for option in ("seed", "detection", "events", "waiting_time"):
        if option in given:
            plain[option] = given[option]
    if "waiting_limit" in given:
        limit = given["waiting_limit"]
        plain["waiting_limit"] = limit if limit == "declared" else parse_integer(limit, "--waiting-limit")
    set_demand(plain, given)
    if "starters" in given:
        plain["starters"] = parse_starters(given["starters"])
    if "until" in given:
        set_until(plain, given["until"])
    plain["layers"] = plain.get("layers", []) + [{"algorithm": layer} for layer in given.get("layer", [])]
    for setting in given.get("settings", []):
        key, value = parse_parameter(setting)
        find_parameters(plain, key, setting)[key.rpartition(".")[2]] = value
    plain["faults"] = plain.get("faults", []) + [msgspec.to_builtins(fault) for fault in parse_faults(given)]
    plain["workload"] = plain.get("workload", []) + [msgspec.to_builtins(call) for call in parse_calls(given)]
    if (
        any(call.call == "election" for call in parse_calls(given))
        and "starters" not in plain
        and not scenario.workload
    ):
        plain["starters"] = "all"  # a call on the command line comes on top of the first election
    if given.keys() - {"until", "events"} and "expect" in plain:
        del plain["expect"]  # what was expected of the scenario as it stood is not expected of another
    try:
        return msgspec.convert(plain, Scenario)
    except msgspec.ValidationError as error:
        raise ScenarioError(explain_error(error)) from None


def set_demand(plain: dict[str, Any], given: dict[str, Any]) -> None:
    """Apply the options that say who wants the lock."""
    options = {"workload": "kind", "entries": "entries", "think": "think", "hold": "hold", "hot": "hot"}
    chosen = {field: given[option] for option, field in options.items() if option in given}
    if chosen:
        demand = plain.setdefault("demand", {"kind": "idle"} if plain.get("workload") else {})
        if chosen.get("entries") is not None and "kind" not in chosen and demand.get("kind", "one-each") == "one-each":
            demand["kind"] = "poisson"  # several entries each are what that is
        demand.update(chosen)


def find_parameters(plain: dict[str, Any], key: str, setting: str) -> dict[str, Any]:
    """The parameters that `--set` changes: of the algorithm, or of the layer named before the dot."""
    name, dot, _ = key.rpartition(".")
    for layer in [plain, *plain["layers"]] if dot else [plain]:
        if not dot or layer["algorithm"] == name:
            parameters: dict[str, Any] = layer.setdefault("parameters", {})
            return parameters
    known = ", ".join([plain["algorithm"], *(layer["algorithm"] for layer in plain["layers"])])
    raise ScenarioError(f"--set {setting}: there is no layer {name!r} here; there are: {known}")


def parse_starters(text: str) -> str | int | list[int]:
    """Parse `all`, `one`, a number of starters, or ids with commas."""
    if text in ("all", "one"):
        return text
    if text.isdecimal():
        return int(text)
    return [parse_integer(word, "--starters") for word in text.strip(",").split(",")]


def set_until(plain: dict[str, Any], text: str) -> None:
    """Apply `--until`, which is a time or a property."""
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


def parse_parameter(text: str) -> tuple[str, Any]:
    """Parse `transmission=20`, `fencing=true` or `weight={1=5}`: values as in TOML, bare words as text."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise ScenarioError(f"--set {text}: expected NAME=VALUE, as in --set transmission=20")
    import tomllib

    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name.strip(), value.strip()


def parse_faults(given: dict[str, Any]) -> list[AnyFault]:
    found: list[AnyFault] = []
    for option, kind, word in PROCESS_FAULTS:
        for text in given.get(option, []):
            process, at = split_time(text, f"--{option}", f"P@T, as in 5@30 or {word}@30")
            found.append(kind(at, word if process == word else parse_integer(process, f"--{option}")))
    for text in given.get("cut", []):
        link, at = split_time(text, "--cut", "A-B@T, as in 1-2@30")
        found.append(Cut(at, [parse_pair(link, "--cut")], one_way=">" in link))
    for text in given.get("heal", []):
        link, at = split_time(text, "--heal", "A-B@T or all@T")
        found.append(Heal(at, [] if link == "all" else [parse_pair(link, "--heal")]))
    for text in given.get("partition", []):
        groups, at = split_time(text, "--partition", "GROUP/GROUP@T, as in 1,2/3,4,5@30")
        sides = [[parse_integer(pid, "--partition") for pid in group.split(",")] for group in groups.split("/")]
        found.append(Partition(at, sides))
    for text in given.get("skew", []):
        what, at = split_time(text, "--skew", "P:TICKS@T, as in 2:15@30")
        process, ticks = split_colon(what, "--skew", "P:TICKS@T")
        found.append(Skew(at, parse_integer(process, "--skew"), parse_integer(ticks, "--skew")))
    for text in given.get("drift", []):
        what, at = split_time(text, "--drift", "P:RATE@T, as in 2:1.1@0")
        process, rate = split_colon(what, "--drift", "P:RATE@T")
        try:
            found.append(Drift(at, parse_integer(process, "--drift"), float(rate)))
        except ValueError:
            raise ScenarioError(f"--drift {text}: expected a rate such as 1.1, got {rate!r}") from None
    return found


def parse_calls(given: dict[str, Any]) -> list[Call]:
    found = []
    for text in given.get("call", []):
        what, at = split_call_time(text)
        process, _, command = what.partition(":")
        found.append(Call(at, [parse_integer(process, "--call")], command or "election"))
    return found


def split_call_time(text: str) -> tuple[str, int | str]:
    """Split `what@time`, where the time may be a distribution."""
    what, _, time = text.rpartition("@")
    if what and ":" in time:
        return what, time
    return split_time(text, "--call", "P@T, as in 2@30 or 2@uniform:30:60")


def split_time(text: str, option: str, expected: str) -> tuple[str, int]:
    """Split `what@time`."""
    what, at, time = text.rpartition("@")
    if not at or not time.isdecimal() or not what:
        raise ScenarioError(f"{option} {text}: expected {expected}")
    if int(time) > LATEST:
        raise ScenarioError(f"{option} {text}: expected a time of at most {LATEST}")
    return what, int(time)


def split_colon(text: str, option: str, expected: str) -> tuple[str, str]:
    """Split `process:value`."""
    process, colon, value = text.partition(":")
    if not colon:
        raise ScenarioError(f"{option} {text}: expected {expected}")
    return process, value


def parse_pair(text: str, option: str) -> tuple[int, int]:
    """Parse `1-2` or `1>2`."""
    ends = re.split("[->]", text)
    if len(ends) != 2:
        raise ScenarioError(f"{option} {text}: expected two processes, as in 1-2")
    return parse_integer(ends[0], option), parse_integer(ends[1], option)


def parse_integer(text: str, option: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ScenarioError(f"{option}: expected a whole number, got {text.strip()!r}") from None
