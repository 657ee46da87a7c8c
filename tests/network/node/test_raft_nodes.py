"""Raft on a real network: who is cut off leads no longer, who is cut off from one disturbs nobody, and the dead are
replaced at once."""

import asyncio

from groups import agreed, group, until

from habemus.network.node.timing import complete_scenario
from habemus.scenario import Layer, Scenario

QUICK = Scenario("raft-election", parameters={"low": 300, "high": 600, "heartbeat": 60})
PATIENT = Scenario("raft-election", parameters={"low": 50_000, "high": 60_000, "heartbeat": 20_000})
STEADFAST = 60_000  # milliseconds; a stall that no busy machine causes


def cut(nodes, groups):
    """Nobody hears those in other groups."""
    side = {id: each for each in groups for id in each}
    for node in nodes:
        node.peers.block([other.id for other in nodes if side[other.id] is not side[node.id]])


def test_raft_runs_on_a_network_with_pre_vote_and_check_quorum():
    for scenario in (Scenario("raft-election"), Scenario("coordinator-elected", layers=[Layer("raft-election")])):
        complete = complete_scenario(scenario, [1, 2, 3])
        named = [complete.algorithm, *(layer.algorithm for layer in complete.layers)]
        assert "raft-election-steady" in named and "raft-election" not in named
        assert "prevote" not in complete.parameters  # it is on


def test_a_leader_in_the_minority_does_not_say_for_long_that_it_leads(tmp_path):
    async def run():
        async with group(QUICK, 5, tmp_path, stall=STEADFAST) as nodes:
            await until(lambda: agreed(nodes))
            old = next(node for node in nodes if node.leads)
            few = {old.id, old.id % 5 + 1}
            many = [node for node in nodes if node.id not in few]
            cut(nodes, [few, {node.id for node in many}])
            await until(lambda: agreed(many) and many[0].leader != old.id)
            await until(lambda: not any(node.leads for node in nodes if node.id in few))
            for _ in range(20):
                await asyncio.sleep(0.05)
                assert [node.id for node in nodes if node.leads] == [many[0].leader]
            cut(nodes, [set(range(1, 6))])
            await until(lambda: agreed(nodes))

    asyncio.run(run())


def test_one_cut_pair_costs_no_terms(tmp_path):
    async def run():
        async with group(QUICK, 3, tmp_path, stall=STEADFAST) as nodes:
            await until(lambda: agreed(nodes))
            leader = next(node for node in nodes if node.leads)
            follower = next(node for node in nodes if not node.leads)
            term = leader.term
            leader.peers.block([follower.id])
            follower.peers.block([leader.id])
            await until(lambda: follower.leader is None)
            await asyncio.sleep(2)
            assert leader.leads and [node.term for node in nodes] == [term] * 3

    asyncio.run(run())


def test_a_voter_that_hears_of_the_death_after_the_candidate_gives_its_pre_vote_when_it_hears(tmp_path):
    async def run():
        async with group(PATIENT, 3, tmp_path, stall=STEADFAST) as nodes:
            nodes[0].turn(nodes[0].stack.election.stand)
            await until(lambda: agreed(nodes))
            _, candidate, voter = nodes
            candidate.turn(lambda: candidate.stack.link_lost(1))
            await until(lambda: voter.stack.election.prospect == (2, 2))
            assert candidate.role == "candidate" and voter.leader == 1
            voter.turn(lambda: voter.stack.link_lost(1))
            await until(lambda: agreed(nodes) and candidate.leads)  # long before any time-out

    asyncio.run(run())
