"""A line of code knows its room from its import list: algorithms are pure, arrows point down and never in circles.

Every import counts: at the head of a file, inside a function, below TYPE_CHECKING, and the module names that a file
hands to `import_module`.
"""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import habemus

HOME = Path(habemus.__file__).parent
ALGORITHM_ROOMS = ("election", "mutex", "detection", "replication")
DRIVERS = ("simulation", "checking", "network")
PURE = {
    *("__future__", "abc", "collections.abc", "dataclasses", "enum", "functools", "hashlib", "heapq", "math"),
    *("mypy_extensions", "typing"),
}
FORBIDDEN_NAMES = {"open", "print", "input", "eval", "exec", "__import__", "globals", "id"}

# The house, from the cellar up: the rooms that a room may import besides itself.
ALGORITHMS = {"process", *ALGORITHM_ROOMS}
SUBJECTS = {"process", "catalogue", "extras", "properties", "scenario", "trace", "version"}
BELOW: dict[str, set[str]] = {
    "version": set(),
    "compilation": set(),
    "process": set(),
    "election": {"process"},
    "mutex": {"process", "replication"},
    "detection": {"process"},
    "replication": {"process", "election"},
    "museum": ALGORITHMS,
    "words": set(),
    "catalogue": {*ALGORITHMS, "words"},
    "properties": {"process"},
    "extras": set(),
    "scenario": {"process", "catalogue", "extras"},
    "trace": {"process", "properties", "scenario", "version"},
    "simulation": SUBJECTS,
    "checking": SUBJECTS,
    "network": SUBJECTS,
    "service": {"mutex", "network", "process", "replication", "scenario"},
    "sync": {"service"},
    "fencing": {"service"},
    "demo": {"fencing", "network", "process", "replication", "scenario", "service", "trace"},
    "sandbox": set(),
    "measuring": {*SUBJECTS, *ALGORITHMS, *DRIVERS},
    "grading": {*SUBJECTS, *DRIVERS, "sandbox"},
    "lab": {*SUBJECTS, *ALGORITHMS, *DRIVERS, "demo", "museum", "measuring", "sandbox", "service", "words"},
    "__main__": {"cli"},
    "cli": {
        *(*SUBJECTS, *ALGORITHMS, *DRIVERS),
        *("museum", "measuring", "grading", "lab", "compilation", "demo", "service", "words"),
    },
}
LONGEST_FILE = 400
RAFT_ELECTIONS = {"habemus.election.raft_election", "habemus.election.raft_election_steady"}


def files(*rooms: str) -> list[Path]:
    found = [path for room in rooms for path in sorted((HOME / room).rglob("*.py"))]
    return found + [HOME / f"{room}.py" for room in rooms if (HOME / f"{room}.py").exists()]


def module_name(path: Path) -> str:
    parts = path.relative_to(HOME.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(HOME.rglob("*.py"))}


def imports(path: Path) -> set[str]:
    """Every module that a file imports, wherever in it; `from package import module` means the module."""
    found: set[str] = set()
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, f"{path} imports by position; by name one sees the room"
            whole = {alias.name: f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in MODULES else node.module for name in whole.values()}
    if "importlib" in found:
        strings = {str(node.value).partition(":")[0] for node in nodes if isinstance(node, ast.Constant)}
        beginnings = {"", *(string for string in strings if string.startswith("habemus.") and string.endswith("."))}
        found |= {beginning + string for beginning in beginnings for string in strings} & (MODULES.keys() - {"habemus"})
    return found


def rooms_of(names: set[str]) -> set[str]:
    """The rooms of those modules; `habemus` itself, which is above all rooms, included."""
    return {(*name.split("."), "habemus")[1] for name in names if name.split(".")[0] == "habemus"}


def arrows() -> dict[str, set[str]]:
    """Who imports whom, among all modules of Habemus."""
    return {name: {other for other in imports(path) if other in MODULES} for name, path in MODULES.items()}


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """The modules of one import cycle, or none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def label(path: Path) -> str:
    return str(path.relative_to(HOME))


def test_there_is_something_to_look_at():
    assert len(files("election")) >= 3 and len(files("process")) >= 6 and files("scenario")
    assert sum(map(len, arrows().values())) > len(MODULES) > 100


@pytest.mark.parametrize("path", files(*ALGORITHM_ROOMS), ids=label)
def test_an_algorithm_imports_the_vocabulary_and_nothing_that_has_time_chance_or_io(path):
    assert imports(path) <= PURE | {"habemus.process"} | family_of(path)


def family_of(path: Path) -> set[str]:
    """The textbook form of a variant, and its other variants: those that it may build upon.

    The parts of the replicated state build upon each other.
    """
    if path.parent.name == "replication":
        return {module_name(other) for other in files("replication")} | RAFT_ELECTIONS
    if path.stem.startswith("leased_group"):
        return {module_name(other) for other in files("replication", "mutex") if other.stem != path.stem}
    stems = [other.stem for other in files(path.parent.name)]
    textbook = min([stem for stem in stems if f"{path.stem}_".startswith(f"{stem}_")], key=len)
    if textbook == path.stem:
        return set()
    return {f"habemus.{path.parent.name}.{stem}" for stem in stems if f"{stem}_".startswith(f"{textbook}_")}


@pytest.mark.parametrize("path", files("museum"), ids=label)
def test_a_broken_variant_imports_its_original_besides(path):
    outside = {name for name in imports(path) if not name.startswith("habemus.")}
    assert outside <= PURE and rooms_of(imports(path)) <= {"museum", "process", *ALGORITHM_ROOMS}


@pytest.mark.parametrize("path", files(*ALGORITHM_ROOMS, "museum"), ids=label)
def test_an_algorithm_calls_nothing_that_reaches_outside(path):
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not calls & FORBIDDEN_NAMES


@pytest.mark.parametrize("room", BELOW)
def test_arrows_point_down_only(room):
    assert files(room)
    upwards = {label(path): wrong for path in files(room) if (wrong := rooms_of(imports(path)) - BELOW[room] - {room})}
    assert not upwards


def test_no_driver_knows_another():
    assert not [(room, other) for room in DRIVERS for other in DRIVERS if other in BELOW[room]]


def test_every_room_is_on_the_plan():
    assert rooms_of(set(MODULES)) == {*BELOW, "habemus"}


def test_the_plan_has_no_circle():
    assert not cycle(BELOW)


def test_no_module_imports_itself_through_others():
    assert not cycle(arrows())


def test_no_file_is_longer_than_a_reader_can_hold():
    sources = [path for path in HOME.rglob("*") if path.suffix in (".py", ".js", ".css", ".html")]
    lengths = {label(path): len(path.read_text(encoding="utf-8").splitlines()) for path in sources}
    assert len(lengths) > len(MODULES)
    assert not {name: length for name, length in lengths.items() if length > LONGEST_FILE}


def test_the_test_sees_a_clock(tmp_path):
    """The tester is tested: a twin of an algorithm that looks at the clock is caught."""
    twin = tmp_path / "clocked.py"
    twin.write_text((HOME / "election" / "bully.py").read_text(encoding="utf-8") + "\nfrom time import monotonic\n")
    assert not imports(twin) <= PURE | {"habemus.process"}


@pytest.mark.parametrize(
    "line",
    [
        "import habemus.lab.server",
        "from habemus.lab import server",
        "def serve() -> None:\n    from habemus.lab.server import serve",
        "if TYPE_CHECKING:\n    from habemus.lab.server import Lab",
        "LAZY = {'serve': 'habemus.lab.server:serve'}\nimport importlib",
        "LAZY = {'serve': 'server:serve'}\nimport importlib\nimportlib.import_module(f'habemus.lab.{LAZY[0]}')",
    ],
)
def test_the_test_sees_an_import_wherever_it_stands(line, tmp_path):
    file = tmp_path / "driver.py"
    file.write_text(line)
    assert "habemus.lab.server" in imports(file) and "lab" in rooms_of(imports(file))


def test_the_test_sees_a_circle():
    assert set(cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})) == {"a", "b", "c"}
