"""Many real processes on one machine elect, and elect again; ten here, a hundred in `make soak`."""

import asyncio

import pytest
from groups import until
from soak import runs

from habemus.network.operate.cluster import Cluster
from habemus.scenario import Scenario

CROWD = runs(10, soak=100)
PATIENCE = 30 + 3 * CROWD  # seconds; most of them to start so many interpreters


@pytest.mark.parametrize("algorithm", ["bully", "raft-election-steady"])
def test_a_crowd_elects_and_replaces_its_leader(algorithm, tmp_path):
    async def run():
        crowd = Cluster(Scenario(algorithm), CROWD, tmp_path)
        try:
            await crowd.start()
            await until(lambda: all(m.status for m in crowd.members.values()) and crowd.leader is not None, PATIENCE)
            first = crowd.leader
            assert algorithm != "bully" or first == CROWD
            crowd.kill(first)
            await until(lambda: crowd.leader not in (None, first), PATIENCE)
        finally:
            for id in crowd.members:
                crowd.kill(id)
            await crowd.end()

    asyncio.run(run())
