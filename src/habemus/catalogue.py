"""Finds algorithms by name.

A name is `chang-roberts` (the file chang_roberts.py in one of the rooms), the name of an entry point in the group
`habemus.algorithms`, or `module:Class` or `file.py:Class` for an algorithm of one's own.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import sys
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from habemus.process import MisuseError, Process, dissect

ROOMS = ("election", "mutex", "detection")


class UnknownAlgorithmError(LookupError):
    """No algorithm has this name; the text says which is nearest."""


def algorithm_names() -> list[str]:
    """The names in the catalogue, sorted."""
    return sorted({*built_in_modules(), *(point.name for point in contributed())})


def find_algorithm(name: str) -> type[Process]:
    """The class of that name, checked."""
    cls = locate(name)
    try:
        dissect(cls)
    except MisuseError as error:
        raise UnknownAlgorithmError(str(error)) from None
    return cls


def locate(name: str) -> type[Process]:
    """The class of that name."""
    if ":" in name:
        return load_own(name)
    module = built_in_modules().get(name)
    if module is not None:
        return class_named(name, importlib.import_module(module))
    for point in contributed():
        if point.name == name:
            loaded: type[Process] = point.load()
            return loaded
    known = algorithm_names()
    near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}."
    raise UnknownAlgorithmError(f"there is no algorithm {name!r}; {hint}")


def family(topology: str) -> list[str]:
    """The elections on a topology that come to a sound end by themselves, whoever starts."""
    return [
        name
        for name in built_in_modules()
        if (cls := find_algorithm(name)).topology == topology and {"termination", "uniqueness"} <= set(cls.guarantees)
    ]


def built_in_modules() -> dict[str, str]:
    """Name -> module of every algorithm that ships with Habemus."""
    modules = {}
    for room in ROOMS:
        folder = Path(__file__).parent / room
        for module in iter_modules([str(folder)]):
            modules[module.name.replace("_", "-")] = f"habemus.{room}.{module.name}"
    return modules


def contributed() -> list[Any]:
    """The entry points of third parties."""
    return sorted(entry_points(group="habemus.algorithms"), key=lambda point: str(point.name))


def class_named(name: str, module: Any) -> type[Process]:
    """The algorithm that a module of a room defines."""
    for member in vars(module).values():
        if isinstance(member, type) and issubclass(member, Process) and member.name == name:
            return member
    raise UnknownAlgorithmError(f"{module.__name__} defines no process class with name = {name!r}")


def load_own(name: str) -> type[Process]:
    """The class that `module:Class` or `file.py:Class` means."""
    where, _, class_name = name.rpartition(":")
    try:
        module = load_file(where) if where.endswith(".py") else load_module(where)
    except ImportError as error:
        raise UnknownAlgorithmError(f"{where} cannot be imported: {error}") from None
    except (Exception, SystemExit) as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise UnknownAlgorithmError(f"{where} failed when it was imported: {said}") from None
    cls = getattr(module, class_name, None)
    if not (isinstance(cls, type) and issubclass(cls, Process)):
        found = [n for n, m in vars(module).items() if isinstance(m, type) and issubclass(m, Process) and m.name]
        hint = f"; it has: {', '.join(sorted(found))}" if found else ""
        raise UnknownAlgorithmError(f"{where} has no process class {class_name!r}{hint}")
    return cls


def load_module(name: str) -> Any:
    """A module, looked for in the current folder, too."""
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    return importlib.import_module(name)


def load_file(path: str) -> Any:
    """A module from a file."""
    file = Path(path)
    if not file.is_file():
        raise ImportError(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None  # the name ends in .py, for which there is a loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return module
