"""The benchmarks keep up with what they measure: all they import from Habemus is there."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

BENCH = Path(__file__).parent.parent / "bench"


def imported_names(path: Path) -> list[tuple[str, str]]:
    """Module and name of each import from Habemus, wherever it stands in a file."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    found = [node for node in nodes if isinstance(node, ast.ImportFrom) and str(node.module).startswith("habemus")]
    return [(str(node.module), alias.name) for node in found for alias in node.names]


@pytest.mark.parametrize("path", sorted(BENCH.rglob("*.py")), ids=lambda path: path.name)
def test_a_benchmark_imports_what_is_there(path):
    for module, name in imported_names(path):
        assert hasattr(import_module(module), name), f"{module} has no {name}"


def test_there_is_something_to_look_at():
    assert sum(len(imported_names(path)) for path in BENCH.rglob("*.py")) > 20
