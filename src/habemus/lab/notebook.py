"""`habemus.show`: a run in a notebook, as its space-time diagram, and with the player where a lab is running.

    >>> import habemus
    >>> habemus.show("bully-seven-steps")
    >>> habemus.show(habemus.Scenario("chang-roberts"), lab="http://127.0.0.1:8200")

The player is the page of the lab in a frame. Without an address, a lab is looked for at the usual port; a notebook
without one shows the diagram alone.
"""

from __future__ import annotations

import base64
import zlib
from html import escape
from urllib.request import urlopen

import msgspec

from habemus.scenario import Scenario, ScenarioError, named_scenarios
from habemus.simulation import Outcome, simulate

USUAL = "http://127.0.0.1:8114"
PATIENCE = 2.0  # seconds in which a lab on a busy machine answers; where there is none, that is known at once
FORMAT = 1  # of what a link carries, as static/share.js reads it
DRAWN_EVENTS = 500


class Shown:
    """A run in a notebook; `outcome` is what came of it."""

    def __init__(self, outcome: Outcome, lab: str | None) -> None:
        self.outcome = outcome
        self.lab = lab

    def _repr_svg_(self) -> str:
        """The diagram."""
        from habemus.trace.diagram import space_time_svg

        witnesses = [judge.witness for judge in self.outcome.properties if judge.witness is not None]
        return space_time_svg(self.outcome.trace, witnesses=witnesses)

    def _repr_html_(self) -> str:
        """The player, and below it the diagram, which stays when the notebook is opened elsewhere."""
        if self.lab is None:
            return self._repr_svg_()
        address = escape(link(self.lab, self.outcome.scenario, self.outcome.digest))
        frame = f'<iframe src="{address}" title="the lab" style="width: 100%; height: 720px; border: 0"></iframe>'
        return f"{frame}<div>{self._repr_svg_()}</div>"


def show(scenario: Scenario | str, lab: str | None = None) -> Shown:
    """Run a scenario, or the named scenario or algorithm of that name, and show it in a notebook."""
    if isinstance(scenario, str):
        scenario = named_scenarios().get(scenario) or Scenario(scenario)
    if scenario.schedule is not None:
        from habemus.checking.replay import play

        outcome: Outcome = play(scenario)
    else:
        outcome = simulate(scenario, keep=DRAWN_EVENTS)
    own = ":" in scenario.algorithm  # code that the lab does not have
    return Shown(outcome, None if own else found(lab))


def found(lab: str | None) -> str | None:
    """The address of a lab that is running there, or at the usual place; None if there is none."""
    address = (lab or USUAL).partition("?")[0].rstrip("/")
    if not address.startswith(("http://127.0.0.1", "http://localhost", "http://[::1]")):
        raise ScenarioError(f"lab: expected the address that `habemus lab` printed, got {lab!r}")
    try:
        with urlopen(f"{address}/", timeout=PATIENCE) as answer:
            server = str(answer.headers.get("server", ""))
    except OSError:
        return None
    return address if server.startswith("habemus/") else None


def link(lab: str, scenario: Scenario, digest: str | None) -> str:
    """The address of a run in a lab: the scenario is in the fragment, compressed."""
    shared = {"format": FORMAT, "runs": [{"scenario": scenario, "title": scenario.title}], "digest": digest, "at": -1}
    squeezed = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    content = squeezed.compress(msgspec.json.encode(shared)) + squeezed.flush()
    return f"{lab}/#run={base64.urlsafe_b64encode(content).decode().rstrip('=')}"
