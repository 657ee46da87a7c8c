"""Libraries that only some commands need, and how to install them.

The core can simulate, check and run nodes. The page, plots, graph files and discovery by Zeroconf need more.
"""

from __future__ import annotations

from importlib import import_module

EXTRA = {  # library -> the extra that brings it
    "matplotlib": "lab",
    "networkx": "lab",
    "numpy": "lab",
    "starlette": "lab",
    "uvicorn": "lab",
    "zeroconf": "discovery",
}


class MissingExtraError(ImportError):
    """A library is not installed; the text says what needs it and how to install it."""


def is_installed(library: str) -> bool:
    try:
        import_module(library)
    except ImportError:
        return False
    return True


def require(what: str, *libraries: str) -> None:
    """Refuse to do something that needs libraries which are not installed."""
    missing = [name for name in libraries if not is_installed(name)]
    if missing:
        raise MissingExtraError(f"{what} needs {' and '.join(missing)}: pip install 'habemus[{EXTRA[missing[0]]}]'.")
