"""What the functions of a class can reach besides their process, compared with what it was when the class was read.

The source shows most of what a clause does outside its fields, see `purity`. What it does not show (the attribute of a
helper's class, a variable of an enclosing function, a default argument, or any of these under another name) is found
when it has happened. Functions, classes and objects are followed as far as they are the author's own: not into Python
or into installed packages.
"""

from __future__ import annotations

import os
import re
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from habemus.process.clause import Clause
from habemus.process.misuse import MisuseError

CONSTANTS = (int, float, complex, str, bytes, type(None), range)
MOST = 10_000  # things to compare: what lies beyond is not looked at
IMMUTABLE = {"bool", "bytes", "float", "frozenset", "int", "Pid", "str", "tuple"}
MUTABLE = {"Any", "None", "bytearray", "deque", "dict", "list", "object", "set"}  # in an annotation
PYTHON = str(Path(os.__file__).parent)
OWN_PACKAGE = __name__.split(".")[0]

Contents = tuple[Any, ...]


class Watched:
    """Something that clauses can reach and that is no field, with what it was."""

    def __init__(self, name: str, read: Callable[[], Contents]) -> None:
        self.name = name
        self.read = read
        self.before = read()

    @property
    def changed(self) -> bool:
        now = self.read()
        return len(now) != len(self.before) or not all(map(is_same, now, self.before))


def is_same(now: Any, before: Any) -> bool:
    return now is before or (type(now) is type(before) and isinstance(now, CONSTANTS) and bool(now == before))


def is_own(module: Any) -> bool:
    """Whether a module is the author's: neither Python's, nor an installed package, nor ours."""
    name = getattr(module, "__name__", "")
    file = getattr(module, "__file__", None)
    if name.split(".")[0] == OWN_PACKAGE or name in sys.builtin_module_names:
        return False
    if file is None:
        return name == "__main__"  # a notebook
    return "site-packages" not in file and "dist-packages" not in file and not file.startswith(PYTHON)


class Reach:
    """Follows all that the functions of a class can reach; `watched` is what may be changed there."""

    def __init__(self, cls: Any, fields: set[str]) -> None:
        self.cls = cls
        self.fields = fields
        self.watched: list[Watched] = []
        self.met: dict[int, Any] = {}

    def watch(self, name: str, read: Callable[[], Contents]) -> None:
        """Compare what `read` finds from now on, and follow each part of it."""
        watched = Watched(name, read)
        self.watched.append(watched)
        for part in watched.before:
            self.follow(name, part)

    def follow(self, name: str, value: Any) -> None:
        """Watch a value, if it can change, and all that is in it."""
        if isinstance(value, CONSTANTS) or id(value) in self.met or len(self.met) >= MOST:
            return
        self.met[id(value)] = value
        if isinstance(value, Iterator):
            raise MisuseError(
                f"{self.cls.__name__} uses {name}, which all processes share and which remembers: keep it in a field."
            )
        if isinstance(value, Clause):
            self.follow(name, value.function)
        elif isinstance(value, type):
            self.follow_class(name, value)
        elif isinstance(value, FunctionType):
            self.follow_function(name, value)
        elif isinstance(value, dict):
            self.watch(name, lambda: (*value, *value.values()))
        elif isinstance(value, list | tuple | deque | bytearray):
            self.watch(name, lambda: tuple(value))
        elif isinstance(value, set | frozenset):
            self.watch(name, lambda: tuple(sorted(value, key=id)))
        elif isinstance(value, CellType):
            self.watch(name, lambda: read_cell(value))
        else:
            self.refuse_cache(value)
            for part in parts_of(value):
                self.follow(name, part)
            self.follow_object(name, value)

    def refuse_cache(self, value: Any) -> None:
        """Refuse a function that gives out the same result again, if that could be changed meanwhile."""
        function = getattr(value, "__wrapped__", None)
        if function is None or not hasattr(value, "cache_info") or not is_own(sys.modules.get(function.__module__)):
            return
        result = function.__annotations__.get("return")
        words = set(re.findall(r"\w+", result if isinstance(result, str) else repr(result)))
        if not words & IMMUTABLE or words & MUTABLE:
            raise MisuseError(
                f"{self.cls.__name__} uses {function.__name__}(), which keeps its results for all processes: leave its "
                f"cache out, or annotate that it returns numbers, strings, tuples or frozensets."
            )

    def follow_object(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType) or not is_own(sys.modules.get(type(value).__module__)):
            if isinstance(getattr(value, "__dict__", None), dict) and not isinstance(value, ModuleType):
                self.follow(name, vars(value))
            return
        slots = [slot for base in type(value).__mro__ for slot in vars(base).get("__slots__", ())]
        self.watch(name, lambda: tuple([getattr(value, slot, None) for slot in slots]))
        self.follow(name, getattr(value, "__dict__", None))
        self.follow(name, type(value))

    def follow_class(self, name: str, cls: Any) -> None:
        if not is_own(sys.modules.get(cls.__module__)):
            return
        fields = self.fields if issubclass(self.cls, cls) else set()

        def attributes() -> dict[str, Any]:
            return {key: value for key, value in vars(cls).items() if not is_internal(key) and key not in fields}

        for key in attributes():
            self.watch_name(f"the class attribute {key}", vars(cls), key)
        for key in sorted(fields & vars(cls).keys()):
            self.follow(f"the default of {key}", vars(cls)[key])
        self.watch(f"the class {cls.__name__}", lambda: (*attributes(), *attributes().values()))  # new ones, too

    def follow_function(self, name: str, function: FunctionType) -> None:
        names = function.__globals__
        if not is_own(sys.modules.get(function.__module__)):
            return
        self.follow(f"an attribute of {function.__name__}", vars(function))
        for free, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            if free != "__class__":
                self.follow(f"the variable {free}", cell)
        self.follow(f"a default argument of {function.__name__}", function.__defaults__)
        self.follow(f"a default argument of {function.__name__}", function.__kwdefaults__)
        used = set(names_in(function.__code__))
        for module in [names, *[vars(names[key]) for key in used if isinstance(names.get(key), ModuleType)]]:
            if module is names or is_own(sys.modules.get(module["__name__"])):
                self.follow_names(module, used)

    def follow_names(self, names: dict[str, Any], used: set[str]) -> None:
        """Watch which values the globals of a module have, as far as a function uses them."""
        for key in sorted(used & names.keys()):
            self.watch_name(f"the global {key}", names, key)

    def watch_name(self, name: str, names: Mapping[str, Any], key: str) -> None:
        """Watch which value a name has, and the value."""
        self.watch(name, lambda: (names.get(key),))


def parts_of(value: Any) -> list[Any]:
    """What a callable or a descriptor is made of."""
    if isinstance(value, classmethod | staticmethod | MethodType):
        return [value.__func__, getattr(value, "__self__", None)]
    if isinstance(value, property):
        return [value.fget, value.fset]
    if isinstance(value, partial):
        return [value.func, value.args, value.keywords]
    return [getattr(value, "__wrapped__", None)]  # a function with a cache


def names_in(code: CodeType) -> Iterator[str]:
    """The names that a function looks up, nested functions included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)


def read_cell(cell: CellType) -> Contents:
    try:
        return (cell.cell_contents,)
    except ValueError:  # it has no value yet
        return ()


def is_internal(name: str) -> bool:
    """Whether an attribute is Python's own: some are made when they are first asked for."""
    return (name.startswith("__") and name.endswith("__")) or name == "_abc_impl"


def watch_surroundings(cls: Any, lineage: list[Any], fields: set[str]) -> list[Watched]:
    """All that the author's own classes in a lineage can reach and change besides their fields."""
    reach = Reach(cls, fields)
    for base in lineage:
        reach.follow(base.__name__, base)
    return reach.watched
