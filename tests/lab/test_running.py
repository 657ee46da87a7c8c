"""A run is told whole: from where it began, what changed, and where each property stood on the way."""

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.catalogue import algorithm_names
from habemus.lab.questions import MOST_EVENTS
from habemus.lab.running import count_bits, simulate_watched
from habemus.process.anatomy import to_plain
from habemus.scenario import Scenario, TopologySpec, named_scenarios
from habemus.simulation import simulate
from habemus.simulation.run import build_simulation
from habemus.trace import Recorder


def run_of(scenario, keep=10_000):
    watched, outcome = simulate_watched(scenario, keep)
    return msgspec.json.decode(msgspec.json.encode(watched.describe(outcome)))


def final_state(scenario):
    """What the simulator itself says of the last state of each process and layer."""
    recorder = Recorder(0)
    simulation = build_simulation(scenario, recorder)
    simulation.run(-1 if scenario.until is None else scenario.until, 10**6)
    return {
        str(node.id): {
            anatomy.cls.__name__: to_plain(anatomy.state(node.layer(layer)))
            for layer, anatomy in enumerate(simulation.stack)
        }
        for node in simulation.nodes
    }


@pytest.mark.parametrize("name", ["chang-roberts", "bully", "yoyo", "ricart-agrawala", "maekawa"])
def test_the_first_state_and_the_changes_lead_to_the_last_state(name):
    scenario = Scenario(name, topology=TopologySpec(n=6), until=500)
    run = run_of(scenario)
    states = run["initial"]
    for event in run["events"]:
        if event.get("clause"):
            states[str(event["process"])][event.get("layer") or run["layers"][-1]].update(event.get("changed", {}))
    assert states == msgspec.json.decode(msgspec.json.encode(final_state(scenario)))


def test_layers_are_called_in_all_places_as_they_are_in_events():
    scenario = named_scenarios()["coordinator-killed"]
    run = run_of(scenario)
    assert len(run["layers"]) > 1
    assert {event["layer"] for event in run["events"] if event.get("clause")} <= set(run["layers"])
    assert set(run["durable"]) == set(run["layers"]) == set(run["initial"][str(run["ids"][0])])
    assert {timer[2] for timer in run["timers"]} <= set(run["layers"])


@pytest.mark.parametrize("name", sorted(named_scenarios()))
def test_a_strip_begins_before_the_first_event_and_ends_with_the_verdict(name):
    ends = {True: "holds", False: "violated", None: "pending"}
    run = run_of(named_scenarios()[name])
    for judged in run["properties"]:
        strip = judged["strip"]
        events, states = zip(*strip, strict=True)
        assert events[0] == -1 and list(events) == sorted(set(events)) and events[-1] < max(run["total"], 1)
        assert all(one != other for one, other in pairwise(states))
        open_end = states[-1] == "open" and judged["verdict"] is None and run["ended"] == "time"
        assert open_end or states[-1] == ends[judged["verdict"]] or run["ended"] in ("property", "budget")
        if judged["witness"] and judged["witness"]["events"]:
            since = next(event for event, state in strip if state == "violated")
            assert since >= max(judged["witness"]["events"]) or judged["name"].endswith("freedom")


def test_a_property_of_the_whole_run_is_pending_until_what_it_waits_for_has_come():
    run = run_of(Scenario("chang-roberts"))
    strips = {judged["name"]: judged["strip"] for judged in run["properties"]}
    elected = next(event["event"] for event in run["events"] if event.get("role") == "leader")
    assert strips["termination"] == [[-1, "pending"], [elected, "holds"]]
    assert strips["uniqueness"] == [[-1, "holds"]]


def test_each_property_says_whether_the_algorithm_promises_it():
    promised = {known["name"]: known["promised"] for known in run_of(Scenario("invitation"))["properties"]}
    assert promised == {"termination": True, "uniqueness": False, "agreement": True, "stability": False}


def test_nobody_starves_is_pending_while_somebody_waits():
    run = run_of(Scenario("lamport", topology=TopologySpec(n=3)))
    asked = [event["event"] for event in run["events"] if event.get("role") == "waiting"]
    inside = [event["event"] for event in run["events"] if event.get("role") == "inside"]
    waiting = 0
    expected = [[-1, "holds"]]
    for event in sorted([*asked, *inside]):
        waiting += 1 if event in asked else -1
        state = "pending" if waiting else "holds"
        if state != expected[-1][1]:
            expected.append([event, state])
    strips = {judged["name"]: judged["strip"] for judged in run["properties"]}
    assert strips["starvation_freedom"] == expected and len(expected) > 2


def test_to_watch_a_run_does_not_change_it():
    for name in algorithm_names():
        scenario = Scenario(name, topology=TopologySpec(n=5), until=300)
        _, outcome = simulate_watched(scenario, 0)
        plainly = simulate(scenario, digest=True)
        assert outcome.digest == plainly.digest, name
        assert [judge.holds for judge in outcome.properties] == [judge.holds for judge in plainly.properties], name


def test_a_run_that_takes_too_long_is_cut_off_where_it_stands():
    endless = Scenario("phi-accrual", topology=TopologySpec(n=20), until=10**12, events=MOST_EVENTS)
    _, outcome = simulate_watched(endless, 1000)
    assert outcome.ended == "budget" and outcome.scenario.events < MOST_EVENTS
    assert simulate(outcome.scenario, digest=True).digest == outcome.digest


@given(st.integers(min_value=0), st.integers(min_value=0))
def test_bits_are_those_of_the_numbers_that_are_sent(a, b):
    assert count_bits({"a": a, "b": [b, b]}) == max(1, len(f"{a:b}")) + 2 * max(1, len(f"{b:b}"))


def test_bits_of_a_run_are_the_sum_over_its_messages():
    run = run_of(Scenario("chang-roberts", topology=TopologySpec(ids=[1, 2, 3])))
    ids = [value for event in run["events"] for letter in event.get("sent", []) for value in letter["fields"].values()]
    assert run["bits"] == sum(len(f"{value:b}") for value in ids) > 0


def test_a_large_complete_graph_is_told_by_its_kind():
    run = run_of(Scenario("capture", topology=TopologySpec(n=300), until=1), keep=10)
    assert run["topology"] == "complete" and run["edges"] == [] and len(run["ids"]) == 300
    assert len(run_of(Scenario("bully", topology=TopologySpec(n=20)))["edges"]) == 190
