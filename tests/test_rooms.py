"""A line of code knows its room from its import list: algorithms are pure, and arrows never point up."""

import ast
from pathlib import Path

import pytest

import habemus

HOME = Path(habemus.__file__).parent
ALGORITHM_ROOMS = ("election", "mutex", "detection")
PURE = {
    *("__future__", "abc", "collections.abc", "dataclasses", "enum", "functools", "hashlib", "math"),
    *("mypy_extensions", "typing"),
}

# Who may import whom, below habemus. A room may always import itself.
BELOW: dict[str, set[str]] = {
    "process": set(),
    "election": {"process"},
    "mutex": {"process"},
    "detection": {"process"},
    "museum": {"process", "election", "mutex", "detection"},
    "properties": {"process"},
    "version": set(),
    "compilation": set(),
    "scenario": {"process"},
    "trace": {"process", "properties", "scenario", "version"},
    "catalogue": {"process"},
    "simulation": {"process", "properties", "scenario", "trace", "catalogue", "version"},
}
UPPER = {"cli", "measuring", "lab", "network", "checking"}
FORBIDDEN_NAMES = {"open", "print", "input", "eval", "exec", "__import__", "globals", "id"}


def modules(*rooms: str) -> list[Path]:
    found = [path for room in rooms for path in sorted((HOME / room).glob("*.py"))]
    return found + [HOME / f"{room}.py" for room in rooms if (HOME / f"{room}.py").exists()]


def imports(path: Path) -> set[str]:
    """Every module that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports by position; by name one sees the room"
            found.add(node.module)
            if node.module == "habemus":
                found |= {f"habemus.{alias.name}" for alias in node.names}
    return found


def rooms_of(names: set[str]) -> set[str]:
    return {name.split(".")[1] for name in names if name.startswith("habemus.")}


def label(path: Path) -> str:
    return str(path.relative_to(HOME))


def test_there_is_something_to_look_at():
    assert len(modules("election")) >= 3 and len(modules("process")) >= 6 and modules("scenario")


@pytest.mark.parametrize("path", modules(*ALGORITHM_ROOMS), ids=label)
def test_an_algorithm_imports_the_vocabulary_and_nothing_that_has_time_chance_or_io(path):
    assert imports(path) <= PURE | {"habemus.process"}


@pytest.mark.parametrize("path", modules("museum"), ids=label)
def test_a_broken_variant_imports_its_original_besides(path):
    outside = {name for name in imports(path) if not name.startswith("habemus.")}
    assert outside <= PURE and rooms_of(imports(path)) <= {"museum", "process", *ALGORITHM_ROOMS}


@pytest.mark.parametrize("path", modules(*ALGORITHM_ROOMS, "museum"), ids=label)
def test_an_algorithm_calls_nothing_that_reaches_outside(path):
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not calls & FORBIDDEN_NAMES


@pytest.mark.parametrize("path", modules("process"), ids=label)
def test_the_vocabulary_imports_nothing_of_habemus_but_itself(path):
    assert rooms_of(imports(path)) <= {"process"}


@pytest.mark.parametrize("room", [room for room in BELOW if modules(room)])
def test_arrows_never_point_up(room):
    for path in modules(room):
        assert rooms_of(imports(path)) <= BELOW[room] | {room}, label(path)


def test_no_room_below_knows_the_rooms_above():
    for room in BELOW:
        for path in modules(room):
            assert not rooms_of(imports(path)) & UPPER, label(path)


def test_every_room_is_on_the_plan():
    rooms = {path.stem for path in HOME.iterdir() if (path.suffix == ".py" and path.stem != "__init__")}
    rooms |= {path.name for path in HOME.iterdir() if (path / "__init__.py").exists()}
    assert rooms <= set(BELOW) | UPPER


def test_the_plan_has_no_circle():
    reached = {}

    def reach(room: str) -> set[str]:
        if room not in reached:
            reached[room] = set()
            reached[room] = BELOW[room] | {far for near in BELOW[room] for far in reach(near)}
        return reached[room]

    assert not [room for room in BELOW if room in reach(room)]


def test_the_test_sees_a_clock(tmp_path):
    """The tester is tested: a twin of an algorithm that looks at the clock is caught."""
    twin = tmp_path / "clocked.py"
    twin.write_text((HOME / "election" / "bully.py").read_text(encoding="utf-8") + "\nfrom time import monotonic\n")
    assert not imports(twin) <= PURE | {"habemus.process"}
