"""The modules of the page: imports lead to files, form no cycle, and point from a folder to those below it only."""

import re
from graphlib import TopologicalSorter
from pathlib import Path

import habemus.lab

STATIC = Path(habemus.lab.__file__).parent / "static"
IMPORT = re.compile(
    r"""^(?:import|export)\b[^;]*?\bfrom\s+"([^"]+)";|\bimport\("([^"]+)"\)|^import\s+"([^"]+)";""", re.MULTILINE
)
LINK = re.compile(r'(?:href|src)="/static/([^"]+)"')
LONGEST = 400  # lines of a file
LAYERS = [  # the lowest first; a folder imports from itself and from layers below its own
    {"model"},
    {"words", "drawing"},
    {"widgets", "stories"},
    {"store"},
    {"stage", "diagram", "timeline", "faults", "setup"},
    {"drawer", "modes"},
    {"share"},
    {"page"},
    {"."},
]


def modules():
    """Each module of the page with the paths that it imports, as the browser resolves them."""
    return {file: imports(file) for file in sorted(STATIC.rglob("*.js"))}


def imports(file):
    found = [next(filter(None, match)) for match in IMPORT.findall(file.read_text(encoding="utf-8"))]
    return [(file.parent / path).resolve() for path in found]


def layer(file):
    folder = file.relative_to(STATIC).parts[0] if file.parent != STATIC else "."
    return next(number for number, folders in enumerate(LAYERS) if folder in folders)


def test_every_import_and_link_leads_to_a_file():
    known = modules()
    assert sum(map(len, known.values())) > 150
    missing = [(file.name, path) for file, paths in known.items() for path in paths if not path.is_file()]
    assert missing == []
    links = LINK.findall((STATIC / "index.html").read_text(encoding="utf-8"))
    assert [link for link in links if not (STATIC / link).is_file()] == []
    assert {link for link in links if link.endswith(".css")} == {
        file.relative_to(STATIC).as_posix() for file in STATIC.rglob("*.css")
    }


def test_every_module_is_reached_from_the_first_one():
    known, ahead, reached = modules(), [STATIC / "app.js"], set()
    while ahead:
        file = ahead.pop()
        if file not in reached:
            reached.add(file)
            ahead += known[file]
    assert reached == set(known)


def test_imports_form_no_cycle():
    TopologicalSorter(modules()).prepare()  # raises CycleError


def test_a_folder_imports_only_from_those_below_it():
    wrong = [
        (file.relative_to(STATIC).as_posix(), path.relative_to(STATIC).as_posix())
        for file, paths in modules().items()
        for path in paths
        if file.parts[: len(STATIC.parts) + 1] != path.parts[: len(STATIC.parts) + 1] and layer(path) >= layer(file)
    ]
    assert wrong == []


def test_no_file_of_the_page_is_too_long_to_read():
    lengths = {file.name: len(file.read_text(encoding="utf-8").splitlines()) for file in STATIC.rglob("*.*")}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST} == {}
