"""`habemus.show`: a run in a notebook, as its space-time diagram, and with the player where a lab is running.

    >>> import habemus
    >>> habemus.show("bully-seven-steps")
    >>> habemus.show(habemus.Scenario("chang-roberts"), lab="http://127.0.0.1:8200")

The player is the page of the lab in a frame. Without an address, `show` looks for a lab at the usual port; if none is
running, the notebook shows the diagram alone.
"""

from __future__ import annotations

import base64
import zlib
from html import escape
from urllib.request import urlopen

import msgspec

from habemus.lab.running import list_violations
from habemus.scenario import Scenario, ScenarioError, named_scenarios
from habemus.simulation import simulate
from habemus.trace import Outcome

USUAL_ADDRESS = "http://127.0.0.1:8114"
ANSWER_SECONDS = 2.0  # a lab on a busy machine answers within this time; without a lab, connecting fails at once
FORMAT = 1  # version of the data in a link; static/share/share.js reads it
DRAWN_EVENTS = 500


class Shown:
    """A run in a notebook, with its `outcome`."""

    def __init__(self, outcome: Outcome, lab: str | None) -> None:
        self.outcome = outcome
        self.lab = lab

    def _repr_svg_(self) -> str:
        from habemus.trace.diagram import draw_space_time

        return draw_space_time(self.outcome.trace, witnesses=list_violations(self.outcome))

    def _repr_html_(self) -> str:
        """The player, and below it the diagram, which stays visible where no lab is running."""
        if self.lab is None:
            return self._repr_svg_()
        address = escape(make_link(self.lab, self.outcome.scenario, self.outcome.digest))
        frame = f'<iframe src="{address}" title="the lab" style="width: 100%; height: 720px; border: 0"></iframe>'
        return f"{frame}<div>{self._repr_svg_()}</div>"


def show(scenario: Scenario | str, lab: str | None = None) -> Shown:
    """Run a scenario, or the named scenario or algorithm of that name, and show it in a notebook."""
    if isinstance(scenario, str):
        scenario = named_scenarios().get(scenario) or Scenario(scenario)
    if scenario.schedule is not None:
        from habemus.checking.answer.replay import play

        outcome: Outcome = play(scenario)
    else:
        outcome = simulate(scenario, keep=DRAWN_EVENTS)
    own = ":" in scenario.algorithm  # code that the lab does not have
    return Shown(outcome, None if own else find_lab(lab))


def find_lab(lab: str | None) -> str | None:
    """Find a running lab at that address, or at the usual one; None if there is none."""
    address = (lab or USUAL_ADDRESS).partition("?")[0].rstrip("/")
    if not address.startswith(("http://127.0.0.1", "http://localhost", "http://[::1]")):
        raise ScenarioError(f"lab: expected the address that `habemus lab` printed, got {lab!r}")
    try:
        with urlopen(f"{address}/", timeout=ANSWER_SECONDS) as answer:
            server = str(answer.headers.get("server", ""))
    except OSError:
        return None
    return address if server.startswith("habemus/") else None


def make_link(lab: str, scenario: Scenario, digest: str | None) -> str:
    """Make the address of a run in a lab: the compressed scenario is in the fragment."""
    shared = {"format": FORMAT, "runs": [{"scenario": scenario, "title": scenario.title}], "digest": digest, "at": -1}
    compressor = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    content = compressor.compress(msgspec.json.encode(shared)) + compressor.flush()
    return f"{lab}/#run={base64.urlsafe_b64encode(content).decode().rstrip('=')}"
