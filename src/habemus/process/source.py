"""Where a class stands in its source file.

Compiled classes lose their annotations, docstrings and line numbers, but the `.py` ships beside the compiled module;
so all of these are read from there, compiled or not.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
from functools import cache
from pathlib import Path
from typing import Any


def source_file(cls: Any) -> str | None:
    """The `.py` that defines the class, if it has one."""
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None)
    if file is None:
        return None
    path = Path(str(file))
    return str(path if path.suffix == ".py" else path.with_name(path.name.split(".")[0] + ".py"))


@cache
def parse_file(file: str) -> ast.Module | None:
    """The syntax tree of a file; None where there is no such file (a notebook cell, an exec)."""
    text = "".join(linecache.getlines(file))
    return ast.parse(text) if text else None


def class_definition(cls: Any) -> ast.ClassDef | None:
    """The `class ...:` statement of a class."""
    file = source_file(cls)
    tree = parse_file(file) if file else None
    if tree is None:
        return None
    name = cls.__name__
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == name:
            return node
    return None


def line_of(cls: Any, member: str = "") -> int:
    """The line where the class, or one of its members, is defined; 0 if unknown."""
    definition = class_definition(cls)
    if definition is None:
        return 0
    for node in definition.body:
        if isinstance(node, ast.FunctionDef) and node.name == member:
            return node.lineno
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == member:
            return node.lineno
    return definition.lineno


def locate(cls: Any, member: str = "") -> str:
    """The class as an error message names it: `ChangRoberts (chang_roberts.py:41)`."""
    file, line = source_file(cls), line_of(cls, member)
    return f"{cls.__name__} ({Path(file).name}:{line})" if file and line else f"{cls.__name__}"


def own_annotations(cls: Any) -> dict[str, Any]:
    """The annotations in the body of this very class, evaluated where they can be.

    A compiled class has none at run time, or such as have forgotten what a tuple holds: its source says them.
    """
    annotations: dict[str, Any] = dict(vars(cls).get("__annotations__", {}))
    if "__mypyc_attrs__" in vars(cls):
        definition = class_definition(cls)
        for node in definition.body if definition else []:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                annotations[node.target.id] = ast.unparse(node.annotation)
    names = vars(sys.modules[cls.__module__]) if cls.__module__ in sys.modules else {}
    return {name: evaluate(hint, names) for name, hint in annotations.items()}


def evaluate(hint: Any, names: dict[str, Any]) -> Any:
    """An annotation as an object; one that cannot be evaluated here stays a string."""
    if not isinstance(hint, str):
        return hint
    try:
        return eval(hint, dict(names))
    except NameError:
        return hint


def essay_end(file: str) -> int:
    """The last line of the essay at the head of a file; -1 if it has none."""
    tree = parse_file(file)
    if tree is None or ast.get_docstring(tree) is None:
        return -1
    return tree.body[0].end_lineno or -1


def documentation(cls: Any) -> str:
    """The essay at the head of the file that defines the class, else the class's own docstring."""
    file = source_file(cls)
    tree = parse_file(file) if file else None
    essay = ast.get_docstring(tree) if tree else None
    return essay or inspect.getdoc(cls) or ""
