"""How soon a leader is replaced: at once where its connections close, by time where it hangs.

Time-outs are set so long that whoever waited for one would be far too late, however busy the machine is.
"""

import asyncio
import signal
import time

import pytest
from groups import until

from habemus.network.node.timing import add_fast_detector
from habemus.network.operate.cluster import Cluster
from habemus.scenario import Layer, Scenario

PATIENT = [
    Scenario(
        "bully",
        parameters={"transmission": 2500},
        layers=[Layer("heartbeat", {"period": 20_000, "timeout": 60_000, "look": 5000})],
    ),
    Scenario("raft-election-steady", parameters={"low": 3000, "high": 4000, "heartbeat": 1000}),
]
pytestmark = pytest.mark.timing
EACH = pytest.mark.parametrize("scenario", PATIENT, ids=lambda scenario: scenario.algorithm)
SOON = 2.4  # seconds; less than any time-out of these


def downtime(scenario, number, folder):
    """Do this to the leader of three: how long until the others agree on another, in seconds."""

    async def run():
        made = Cluster(scenario, 3, folder)
        try:
            await made.start()
            await until(lambda: made.leader is not None)
            leader = made.leader
            begun = time.monotonic()
            made.members[leader].signal(number)
            others = [member for member in made.members.values() if member.id != leader]
            await until(
                lambda: len(named := {m.status.get("leader") for m in others}) == 1 and not named & {None, leader}
            )
            return time.monotonic() - begun
        finally:
            for member in made.members.values():
                member.kill()
            await made.end()

    return asyncio.run(run())


def replaced_soon(scenario, number, folder):
    """A busy machine may spoil an attempt, but hardly three in a row."""
    folders = [folder / str(attempt) for attempt in range(3)]
    for each in folders:
        each.mkdir()
    return any(downtime(scenario, number, each) < SOON for each in folders)


@EACH
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_leader_that_dies_or_leaves_is_replaced_before_any_time_out(scenario, number, tmp_path):
    assert replaced_soon(scenario, number, tmp_path)


@pytest.mark.parametrize("scenario", [Scenario("bully"), PATIENT[1]], ids=lambda scenario: scenario.algorithm)
def test_the_fast_detector_replaces_a_hung_leader_before_any_other_time_out(scenario, tmp_path):
    assert replaced_soon(add_fast_detector(scenario), signal.SIGSTOP, tmp_path)
