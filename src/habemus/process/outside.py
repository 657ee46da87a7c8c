"""What lies outside a process: the modules and built-in functions that a clause may not use."""

from __future__ import annotations

from types import ModuleType
from typing import Any

OUTSIDE = frozenset(
    [
        "_io",
        "_random",
        "_socket",
        "_thread",
        "asyncio",
        "builtins",
        "ctypes",
        "datetime",
        "gc",
        "http",
        "importlib",
        "inspect",
        "io",
        "multiprocessing",
        "nt",
        "numpy.random",
        "os",
        "pathlib",
        "posix",
        "random",
        "secrets",
        "select",
        "shutil",
        "socket",
        "sqlite3",
        "subprocess",
        "sys",
        "tempfile",
        "threading",
        "time",
        "urllib",
        "uuid",
    ]
)
HIDDEN_WAYS = {  # built-in functions that reach outside, or around the declared fields
    "open": "files",
    "input": "the keyboard",
    "id": "addresses in memory",
    "globals": "the globals of the module",
    "setattr": "fields by computed names",
    "delattr": "fields by computed names",
    "hash": "hashes, which differ from run to run",
    **dict.fromkeys(["__import__", "__builtins__"], "other modules"),
    **dict.fromkeys(["eval", "exec", "compile"], "code that is not in its source"),
}


def home_of(value: Any) -> str:
    """The module that a global comes from: of a function or class its own, of anything else that of its type."""
    if isinstance(value, type) or callable(value):
        owner = getattr(value, "__self__", None)
        if owner is not None and not isinstance(owner, ModuleType):
            return str(type(owner).__module__)
        return str(getattr(value, "__module__", None) or "")
    return str(type(value).__module__)
