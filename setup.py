"""Compiles the kernel with mypyc where a C compiler is at hand.

HABEMUS_COMPILED=1 insists on it, HABEMUS_COMPILED=0 does without; unset, it compiles if it can.
"""

import os
import shutil
import sysconfig
from pathlib import Path

from setuptools import setup

SOURCE = Path("src/habemus")
ROOMS = ("process", "properties", "election", "mutex", "detection")
MODULES = (
    *("trace/recorder", "simulation/delays", "simulation/topology", "simulation/node", "simulation/steps"),
    *("simulation/simulation", "simulation/faults", "simulation/mail"),
    *("checking/limits", "checking/probe", "checking/inboxes", "checking/onlookers", "checking/steps"),
    *("checking/twins", "checking/moves", "checking/faults", "checking/semantics", "checking/reduction"),
    *("checking/search", "checking/liveness"),
)


def compiler_at_hand() -> bool:
    """Whether there is a C compiler to call."""
    command = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    return any(shutil.which(name) for name in (command.split()[0], "cc"))


def extensions() -> list:
    """The kernel as C extensions, or none."""
    wish = os.environ.get("HABEMUS_COMPILED", "")
    if wish == "0" or (wish != "1" and not compiler_at_hand()):
        return []
    from mypyc.build import mypycify

    rooms = [path for room in ROOMS for path in sorted((SOURCE / room).glob("*.py")) if path.name != "__init__.py"]
    paths = [*rooms, *(SOURCE / f"{module}.py" for module in MODULES)]
    options = ["--ignore-missing-imports", "--config-file="]
    compiled = mypycify([*options, *map(str, paths)], opt_level="3", debug_level="0", group_name="habemus")
    for extension in compiled:
        extension.optional = wish != "1"
    return compiled


os.environ.setdefault("MYPYPATH", "src")
setup(ext_modules=extensions())
