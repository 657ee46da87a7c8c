"""Finds algorithms by name.

A name is `chang-roberts` (the file chang_roberts.py in one of the rooms) or what people call it in another language
(`valentão`), the name of an entry point in the group `habemus.algorithms`, or `module:Class` or `file.py:Class` for an
algorithm of one's own.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import sys
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, NoReturn

from habemus.process import MisuseError, Process, dissect
from habemus.words.terms import find_alias, find_by_term, message_names

ROOMS = ("election", "mutex", "detection", "replication")
# The modules of these rooms that are no algorithms
PARTS = (
    *("entries", "follower", "leases", "lock", "log", "member", "messages", "notes", "operator", "requests"),
    *("session", "table"),
)


class UnknownAlgorithmError(LookupError):
    """No algorithm has this name; the text says which is nearest."""


def algorithm_names() -> list[str]:
    return sorted({*list_modules(), *(point.name for point in find_contributions())})


def find_algorithm(name: str) -> type[Process]:
    """The class of that name; one that breaks a rule of the vocabulary is refused."""
    cls = find_class(name)
    try:
        dissect(cls)
    except MisuseError as error:
        raise UnknownAlgorithmError(str(error)) from None
    return cls


def find_class(name: str) -> type[Process]:
    if ":" in name:
        return load_own(name)
    if name.endswith(".py"):
        refuse_file(name)
    module = list_modules().get(name)
    if module is not None:
        return find_class_in(name, importlib.import_module(module))
    for point in find_contributions():
        if point.name == name:
            loaded: type[Process] = point.load()
            return loaded
    alias = find_alias(name)
    if alias is not None:
        return find_class(alias)
    meant = [known for known in find_by_term(name) if known in list_modules()]
    if meant:
        raise UnknownAlgorithmError(f"{name!r} is a term, not an algorithm; it is about: {', '.join(meant)}")
    known = algorithm_names()
    near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}."
    raise UnknownAlgorithmError(f"there is no algorithm {name!r}; {hint}")


def find_parent(cls: Any) -> type[Process] | None:
    """The algorithm that this one is a variant of: the nearest class above it that has a name of its own."""
    named = [base for base in cls.__mro__ if issubclass(base, Process) and base.name not in ("", cls.name)]
    return named[0] if named else None


def find_textbook_form(cls: type[Process]) -> type[Process]:
    """The algorithm that this one is a variant of, of a variant, and so on; itself if it is none."""
    parent = find_parent(cls)
    return cls if parent is None else find_textbook_form(parent)


def find_variant(cls: type[Process], feature: str) -> str | None:
    """The simplest variant of an algorithm that is called so, or has a parameter of this name."""
    variants = [find_algorithm(name) for name in list_modules() if name.startswith(f"{cls.name}-")]
    variants.sort(key=lambda variant: len(variant.__mro__))
    features = [variant.name.removeprefix(f"{cls.name}-") for variant in variants]
    called = difflib.get_close_matches(feature, features, n=1, cutoff=0.8)
    having = [variant.name for variant in variants if feature in dissect(variant).parameters]
    return next(iter([*(f"{cls.name}-{name}" for name in called), *having]), None)


def name_messages(cls: type[Process]) -> dict[str, str]:
    """What lecture notes call the messages of an algorithm, by their types."""
    return message_names([base.name for base in cls.__mro__ if issubclass(base, Process) and base.name])


def list_family(topology: str) -> list[str]:
    """The elections on a topology that never have two leaders at once."""
    return [
        name
        for name in list_modules()
        if (cls := find_algorithm(name)).topology == topology and "uniqueness" in cls.guarantees
    ]


def list_modules() -> dict[str, str]:
    """Name -> module of every algorithm that ships with Habemus."""
    modules = {}
    for room in ROOMS:
        folder = Path(__file__).parent / room
        for module in iter_modules([str(folder)]):
            if module.name not in PARTS:
                modules[module.name.replace("_", "-")] = f"habemus.{room}.{module.name}"
    return modules


def find_contributions() -> list[Any]:
    """The entry points of third parties."""
    from importlib.metadata import entry_points  # takes as long to import as a small run takes

    return sorted(entry_points(group="habemus.algorithms"), key=lambda point: str(point.name))


def find_class_in(name: str, module: Any) -> type[Process]:
    for member in vars(module).values():
        if isinstance(member, type) and issubclass(member, Process) and member.name == name:
            return member
    raise UnknownAlgorithmError(f"{module.__name__} defines no process class with name = {name!r}")


def load_own(name: str) -> type[Process]:
    """The class that `module:Class` or `file.py:Class` means."""
    where, _, class_name = name.rpartition(":")
    module = import_own(where)
    cls = getattr(module, class_name, None)
    if not (isinstance(cls, type) and issubclass(cls, Process)):
        found = [n for n, m in vars(module).items() if isinstance(m, type) and issubclass(m, Process) and m.name]
        hint = f"; it has: {', '.join(sorted(found))}" if found else ""
        raise UnknownAlgorithmError(f"{where} has no process class {class_name!r}{hint}")
    return cls


def import_own(where: str) -> Any:
    try:
        return load_file(where) if where.endswith(".py") else load_module(where)
    except ImportError as error:
        raise UnknownAlgorithmError(f"{where} cannot be imported: {error}") from None
    except (Exception, SystemExit) as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise UnknownAlgorithmError(f"{where} failed when it was imported: {said}") from None


def refuse_file(file: str) -> NoReturn:
    """Say which classes of a file can be named."""
    module = import_own(file)
    own = [member for member in vars(module).values() if getattr(member, "__module__", "") == module.__name__]
    found = [f"{file}:{cls.__name__}" for cls in own if isinstance(cls, type) and issubclass(cls, Process)]
    if not found:
        raise UnknownAlgorithmError(f"{file} has no process class: expected one, as in docs/writing-an-algorithm.md")
    raise UnknownAlgorithmError(f"{file} is a file: say which class of it, as in {' or '.join(found)}")


def load_module(name: str) -> Any:
    """A module, looked for in the current folder, too."""
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    return importlib.import_module(name)


def load_file(path: str) -> Any:
    file = Path(path)
    if not file.is_file():
        raise ImportError(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None  # the name ends in .py, for which there is a loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return module
