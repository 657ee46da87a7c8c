"""`habemus.show` puts the diagram into a notebook, and the player where a lab is running."""

import base64
import json
import xml.etree.ElementTree as ElementTree
import zlib
from html import unescape

import pytest
from labs import running_lab

import habemus
from habemus.lab import notebook
from habemus.scenario import ScenarioError, named_scenarios
from habemus.simulation import simulate


@pytest.fixture(autouse=True)
def nowhere(monkeypatch):
    """At the usual place there is no lab, whatever else runs on this machine."""
    monkeypatch.setattr(notebook, "USUAL_ADDRESS", "http://127.0.0.1:9")


@pytest.mark.parametrize("what", ["bully-seven-steps", "chang-roberts", habemus.Scenario("yoyo")])
def test_without_a_lab_the_diagram_is_shown(what):
    shown = habemus.show(what)
    assert ElementTree.fromstring(shown._repr_html_()).tag.endswith("svg")
    assert shown._repr_html_() == shown._repr_svg_() and shown.outcome.messages > 0


def test_where_a_lab_runs_the_player_opens_on_the_same_run():
    scenario = named_scenarios()["bully-seven-steps"]
    with running_lab() as lab:
        shown = habemus.show(scenario, lab=f"http://127.0.0.1:{lab.port}/?token={lab.token}")
    page = shown._repr_html_()
    address = unescape(page.partition('<iframe src="')[2].partition('"')[0])
    head, _, packed = address.partition("/#run=")
    assert head == f"http://127.0.0.1:{lab.port}" and lab.token not in page
    shared = json.loads(zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), -zlib.MAX_WBITS))
    assert shared["runs"][0]["scenario"]["algorithm"] == "bully"
    assert shared["digest"] == simulate(scenario, digest=True).digest


def test_something_else_at_that_address_is_not_taken_for_a_lab():
    assert habemus.show("bully", lab="http://127.0.0.1:9").lab is None
    with pytest.raises(ScenarioError, match="expected the address that `habemus lab` printed"):
        habemus.show("bully", lab="http://elsewhere.example")
