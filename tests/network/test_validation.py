"""A recorded run is a run of its algorithm; a forged one is not, and the event is named."""

import asyncio
import copy

import msgspec
import pytest
from groups import agreed, traced_group, until

from habemus.network.errors import NetworkError
from habemus.network.merging import merge
from habemus.network.validation import validate
from habemus.scenario import Scenario
from habemus.simulation import simulate
from habemus.trace import Trace, read_trace


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    folder = tmp_path_factory.mktemp("real")

    async def elect():
        async with traced_group(Scenario("raft-election", parameters={"low": 200, "high": 400}), 3, folder) as nodes:
            await until(lambda: agreed(nodes))

    asyncio.run(elect())
    return merge([read_trace(folder / f"{id}.jsonl") for id in (1, 2, 3)])


def forged(trace, choose, change):
    """The trace with the first event that is chosen changed."""
    events = copy.deepcopy(trace.events)
    place = next(place for place, event in enumerate(events) if choose(event))
    events[place : place + 1] = change(events[place])
    return Trace(trace.header, events)


def test_every_step_of_a_real_run_is_a_step_of_the_algorithm(real):
    assert validate(real) >= 6


FORGERIES = {
    "a vote that was not cast": (
        lambda event: any(sent.type == "Vote" for sent in event.sent),
        lambda event: [msgspec.structs.replace(event, sent=[])],
    ),
    "a term that was not entered": (
        lambda event: "term" in event.changed,
        lambda event: [msgspec.structs.replace(event, changed={**event.changed, "term": event.changed["term"] + 1})],
    ),
    "a vote counted twice": (lambda event: event.clause == "count_vote", lambda event: [event, event]),
    "a timer that was not armed": (lambda event: event.kind == "timeout", lambda event: [event, event]),
    "a clause that there is not": (
        lambda event: event.kind == "message",
        lambda event: [msgspec.structs.replace(event, clause="seize_power")],
    ),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_what_no_run_has_is_named(real, forgery):
    with pytest.raises(NetworkError, match=r"event \d+ \(.* at process \d.* is not a step of raft-election"):
        validate(forged(real, *FORGERIES[forgery]))


@pytest.mark.parametrize("algorithm", ["chang-roberts", "itai-rodeh", "ricart-agrawala", "capture-sync", "yoyo"])
def test_simulated_runs_are_runs_too(algorithm):
    """The same validation takes the traces of another driver: three ways, one semantics."""
    assert validate(simulate(Scenario(algorithm, seed=3), keep=100_000).trace) > 8
