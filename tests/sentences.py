"""Every sentence that the server of the lab can send, read from the source.

A sentence is what an error is raised with that reaches the page, why a search has stopped, or what a run is warned of.
A name in it that stands for a text of its function or module is followed, with each of its alternatives; whatever else
is filled in becomes a blank: `topology.n: blank0 processes, but blank1 ids are given`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

import habemus

SOURCE = Path(habemus.__file__).parent
ROOMS = [
    "lab/*.py",
    "scenario/**/*.py",
    "catalogue.py",
    "process/**/*.py",
    "simulation/**/*.py",
    "checking/**/*.py",
    "trace/outcome.py",
]
NODE = ["cluster", "codec", "endpoint", "http", "link", "memory", "node", "recording", "sequencer", "storage"]
ERRORS = {
    "RefusedError",
    "ScenarioError",
    "UnknownAlgorithmError",
    "MisuseError",
    "NonDeterminismError",
    "ClauseError",
    "NotUnderWayError",
    "NetworkError",
    "StorageError",
    "InUseError",
    "be_refused",  # ends a node with this sentence
}
EXPLAINED = ("delays.py", "topology.py")  # their ValueErrors are passed on in a ScenarioError
TOLD_BY = ("broken_assumption", "explain_size")  # functions that return a sentence
ELSEWHERE = {  # functions that say nothing to the page
    "reading.read_scenario",
    "scenario.from_graph",
    "placing.read_graph",
    "instances.all_graphs",
    "random_walk.walk_at_random",
    "full_search.watch",
    "notebook.find_lab",
    "server.open_listener",
}
BLANK = re.compile("⟨[^⟩]*⟩")

Texts = dict[str, list[ast.expr]]


def sentences() -> list[tuple[str, str]]:
    """What the server says, and where; the blanks are numbered."""
    files = [file for room in ROOMS for file in sorted(SOURCE.glob(room))]
    files += [file for name in NODE for file in sorted((SOURCE / "network").rglob(f"{name}.py"))]
    return sentences_of(files, ERRORS)


def sentences_of(files: Iterable[Path], sayers: set[str]) -> list[tuple[str, str]]:
    """What is said by calling one of these, and where."""
    found = []
    for file in files:
        module = ast.parse(file.read_text(encoding="utf-8"))
        names = assigned(module.body)
        errors = sayers | ({"ValueError"} if file.name in EXPLAINED else set())
        for function in functions(module):
            if f"{file.stem}.{function.name}" in ELSEWHERE:
                continue
            inner = {**names, **assigned([*ast.walk(function)])}
            for expression in said_in(function, errors):
                for text in alternatives(expression, inner):
                    if not passed_on(text):
                        found.append((f"{file.relative_to(SOURCE)}:{expression.lineno}", numbered(text)))
    return found


def functions(module: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions of a module, methods included; one within another belongs to it."""
    ahead: list[ast.stmt] = list(module.body)
    while ahead:
        node = ahead.pop(0)
        if isinstance(node, ast.ClassDef):
            ahead += node.body
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def said_in(function: ast.AST, errors: set[str]) -> Iterator[ast.expr]:
    """What a function says."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and name_of(node.func) in errors:
            yield node.args[1 if name_of(node.func) == "RefusedError" else 0]
        elif isinstance(node, ast.Assign):
            yield from (value for name, value in assignments(node) if name == "stopped")
        elif isinstance(node, ast.Return) and node.value and getattr(function, "name", "") in TOLD_BY:
            yield node.value


def name_of(node: ast.expr) -> str:
    """The last part of a dotted name."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def assignments(node: ast.Assign) -> Iterator[tuple[str, ast.expr]]:
    """What is assigned to what."""
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield from zip(map(name_of, target.elts), node.value.elts, strict=True)
        else:
            yield name_of(target), node.value


def assigned(nodes: Iterable[ast.AST]) -> Texts:
    """The names that are given texts, with all the texts that each is given; an argument may be anything besides."""
    found: Texts = {}
    arguments = {node.arg: ast.Name(node.arg) for node in nodes if isinstance(node, ast.arg)}
    for node in nodes:
        for name, value in assignments(node) if isinstance(node, ast.Assign) else []:
            if is_text(value):
                found.setdefault(name, [arguments[name]] if name in arguments else []).append(value)
    return found


def is_text(node: ast.expr) -> bool:
    """Whether an expression is a text that can be read from the source."""
    if isinstance(node, ast.IfExp):
        return is_text(node.body) and is_text(node.orelse)
    if isinstance(node, ast.BoolOp):
        return any(is_text(value) for value in node.values)
    if is_optional(node):
        return True
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def is_optional(node: ast.expr) -> bool:
    """Whether an expression is a text that is there or not: `"".join([f"..." for ...])`."""
    is_join = isinstance(node, ast.Call) and name_of(node.func) == "join"
    return is_join and isinstance(node.args[0], ast.ListComp) and is_text(node.args[0].elt)


def alternatives(node: ast.expr, names: Texts) -> list[str]:
    """All that an expression can say."""
    if is_optional(node):
        return ["", *alternatives(node.args[0].elt, names)]
    if isinstance(node, ast.Constant):
        return [str(node.value)]
    if isinstance(node, ast.JoinedStr):
        return ["".join(parts) for parts in product(*(alternatives(part, names) for part in node.values))]
    if isinstance(node, ast.FormattedValue):
        return alternatives(node.value, names) if node.conversion == -1 and not node.format_spec else [blank(node)]
    if isinstance(node, ast.IfExp):
        return alternatives(node.body, names) + alternatives(node.orelse, names)
    if isinstance(node, ast.BoolOp):
        return [text for value in node.values for text in alternatives(value, names)]
    if isinstance(node, ast.Name) and node.id in names:
        return [text for value in names[node.id] for text in alternatives(value, {})]
    if isinstance(node, ast.Call) and name_of(node.func) == "join" and isinstance(node.args[0], ast.GeneratorExp):
        return joined(node, node.args[0].elt, names)
    return [blank(node)]


def joined(node: ast.Call, each: ast.expr, names: Texts) -> list[str]:
    """What two things say that are joined by a word."""
    assert isinstance(node.func, ast.Attribute)
    if not isinstance(each, ast.JoinedStr):
        return [blank(node)]
    (between,), (said,) = alternatives(node.func.value, names), alternatives(each, names)
    return [said + between + BLANK.sub(lambda found: f"⟨another {found[0][1:]}", said)]


def blank(node: ast.AST) -> str:
    """Something that is filled in; the same expression is the same thing."""
    return f"⟨{ast.unparse(node)}⟩"


def passed_on(text: str) -> bool:
    """Whether a sentence is somebody else's, with at most a field in front of it; or none at all."""
    field, _, said = BLANK.sub("", text).rpartition(": ")
    return " " not in field and not re.search("[a-z]", said)


def numbered(text: str) -> str:
    """The text with a word for each blank."""
    order = list(dict.fromkeys(BLANK.findall(text)))
    return BLANK.sub(lambda found: f"blank{order.index(found[0])}", text)
