"""Compiles the kernel with mypyc where a C compiler is at hand.

HABEMUS_COMPILED=1 insists on it, HABEMUS_COMPILED=0 does without; unset, it compiles if it can.
"""

import os
import shutil
import sysconfig
from pathlib import Path

from setuptools import Extension, setup

SOURCE = Path("src/habemus")
ROOMS = ("process", "properties", "election", "mutex", "detection", "replication", "checking/model", "checking/search")
INTERPRETED = (
    "__init__",
    "full_search",
    "outside",
    "reach",
    "purity",
    "field_order",
)  # these wait for another process, or read source files
MODULES = (
    *("trace/digest", "trace/spelling", "trace/envelope", "trace/lines", "trace/open_event", "trace/recorder"),
    *("scenario/delays", "scenario/topology"),
    *("simulation/timeline", "simulation/node", "simulation/observers", "simulation/customers"),
    *(
        "simulation/simulation",
        "simulation/faults",
        "simulation/network",
        "simulation/mail",
        "simulation/tally",
        "simulation/collector",
    ),
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

    rooms = [path for room in ROOMS for path in sorted((SOURCE / room).glob("*.py")) if path.stem not in INTERPRETED]
    paths = [*rooms, *(SOURCE / f"{module}.py" for module in MODULES)]
    options = ["--ignore-missing-imports", "--config-file="]
    compiled = mypycify([*options, *map(str, paths)], opt_level="3", debug_level="0", group_name="habemus")
    search = SOURCE / "checking/search"
    sources = [str(search / "packed.c")]
    headers = [str(search / name) for name in ("words.h", "states.h", "steps.h", "cycles.h")]
    packed = Extension("habemus.checking.search.packed", sources, depends=headers, extra_compile_args=["-O3"])
    for extension in (compiled := [*compiled, packed]):
        extension.optional = wish != "1"
    return compiled


os.environ.setdefault("MYPYPATH", "src")
setup(ext_modules=extensions())
