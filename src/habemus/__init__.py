"""Habemus: leader election and mutual exclusion.

Write a coordination algorithm once; watch it, break it, prove it, run it.

    >>> from habemus import Scenario, simulate
    >>> outcome = simulate(Scenario("chang-roberts"), keep=1000)
    >>> outcome.leader, outcome.messages, outcome.holds
    (8, 33, True)
    >>> outcome.trace          # in a notebook: the space-time diagram
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from habemus.compilation import choose_implementation
from habemus.version import VERSION

choose_implementation()

__version__ = VERSION

if TYPE_CHECKING:
    from habemus.lab.notebook import show
    from habemus.scenario import Scenario, read_scenario
    from habemus.simulation import Outcome, simulate

__all__ = ["Outcome", "Scenario", "__version__", "read_scenario", "show", "simulate"]


def __getattr__(name: str) -> Any:
    """Import the public names when they are first used, so that `import habemus` is instant."""
    if name in ("Scenario", "read_scenario"):
        from habemus import scenario

        return getattr(scenario, name)
    if name in ("Outcome", "simulate"):
        from habemus import simulation

        return getattr(simulation, name)
    if name == "show":
        from habemus.lab.notebook import show

        return show
    raise AttributeError(f"module 'habemus' has no attribute {name!r}")
