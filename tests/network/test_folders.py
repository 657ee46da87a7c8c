"""The folders of the network import downwards only: operate, node, wire; and no two of its modules need each other."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import habemus.network

HOME = Path(habemus.network.__file__).parent
FOLDERS = ["wire", "node", "operate"]  # from the bottom up


def module_name(path):
    return ".".join(["habemus", "network", *path.relative_to(HOME).with_suffix("").parts]).removesuffix(".__init__")


MODULES = {module_name(path): path for path in sorted(HOME.rglob("*.py"))}


def imported_modules(path):
    """Every module of habemus that a file imports: lazily or for type checkers, too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in MODULES else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_every_module_is_in_the_folder_that_the_plan_names():
    found = {name.split(".")[2] for name in MODULES if name.count(".") > 1}
    assert found == {"errors", *FOLDERS}
    plan = habemus.network.__doc__
    for name, path in MODULES.items():
        if path.name != "__init__.py":
            assert path.name in plan or name.endswith("errors"), f"{path.name} is not on the plan"


def test_a_folder_imports_only_those_below_it():
    for name, path in MODULES.items():
        folder = name.split(".")[2] if name.count(".") > 2 else None
        if folder in FOLDERS:
            above = FOLDERS[FOLDERS.index(folder) + 1 :]
            wrong = [each for each in imported_modules(path) if each.startswith("habemus.network.")]
            assert not [each for each in wrong if each.split(".")[2] in above], name


def test_no_two_modules_need_each_other():
    graph = {name: {each for each in imported_modules(path) if each in MODULES} for name, path in MODULES.items()}
    assert sum(map(len, graph.values())) > 100
    list(TopologicalSorter(graph).static_order())  # raises CycleError, which names the modules


def test_the_network_imports_no_other_driver():
    for name, path in MODULES.items():
        for each in imported_modules(path):
            assert not each.startswith(("habemus.simulation", "habemus.checking", "habemus.lab", "habemus.cli")), name


def test_no_file_is_longer_than_400_lines():
    lengths = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in MODULES.items()}
    assert max(lengths.values()) <= 400, lengths
