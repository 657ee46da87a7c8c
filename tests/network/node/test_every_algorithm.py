"""Every algorithm of the catalogue runs on real sockets, as it is."""

import asyncio

import pytest
from groups import agreed, traced_group, until, validated

from habemus.catalogue import algorithm_names, find_algorithm
from habemus.process import Election, Mutex
from habemus.scenario import Layer, Scenario

ENTRIES = 3
ELECTIONS = [name for name in algorithm_names() if issubclass(find_algorithm(name), Election)]
MUTEXES = [name for name in algorithm_names() if issubclass(find_algorithm(name), Mutex)]
ALONE = ["chang-roberts-listing", "franklin-listing"]  # as listed, the winner tells nobody
STARTERS = {"anonymous-ring": [2]}  # without ids and coins it is safe with one starter only
PARAMETERS = {
    "quorum": {"patience": 30},
    "quorum-abort": {"patience": 30, "pause": 30, "back_off": "random"},
    "btcp": {"transmission": 20},
    "coordinator-lease": {"transmission": 60, "lease": 60_000},
}  # to end its deadlock; in time; and so that a pause of the machine does not end a lease
SLOW_MACHINE = {"transmission": 60}


def scenario_for(name):
    usual = SLOW_MACHINE if hasattr(find_algorithm(name), "transmission") else {}
    return Scenario(name, parameters=PARAMETERS.get(name, usual), starters=STARTERS.get(name))


@pytest.mark.parametrize("n", [3, 5])
@pytest.mark.parametrize("name", [name for name in ELECTIONS if name not in ALONE])
def test_all_processes_name_one_of_them(name, n, tmp_path):
    async def elect():
        async with traced_group(scenario_for(name), n, tmp_path) as nodes:
            await until(lambda: agreed(nodes))
            assert nodes[0].leader in range(1, n + 1)
            assert [node.id for node in nodes if node.leads] == [nodes[0].leader]

    asyncio.run(elect())
    assert validated(tmp_path, n)


@pytest.mark.parametrize("name", ALONE)
def test_the_largest_declares_itself_where_nobody_is_told(name, tmp_path):
    async def elect():
        async with traced_group(scenario_for(name), 3, tmp_path) as nodes:
            await until(lambda: nodes[2].leads)
            assert [node.leader for node in nodes] == [None, None, 3]

    asyncio.run(elect())
    assert validated(tmp_path, 3)


@pytest.mark.parametrize("n", [3, 5])
@pytest.mark.parametrize("name", MUTEXES)
def test_everyone_gets_in_and_no_two_at_once(name, n, tmp_path):
    async def take_turns():
        inside, most, entries = set(), [0], []
        async with traced_group(scenario_for(name), n, tmp_path) as nodes:

            def watch(node):
                def hear(change):
                    if change.what == "enter":
                        inside.add(node.id)
                        entries.append(node.id)
                        most[0] = max(most[0], len(inside))
                    elif change.what == "leave":
                        inside.discard(node.id)

                return hear

            async def customer(node):
                for entry in range(1, ENTRIES + 1):
                    assert node.command("acquire")
                    await until(lambda: node.stack.mutex.inside)
                    await asyncio.sleep(0.002)
                    assert node.command("release")
                    assert entries.count(node.id) == entry

            for node in nodes:
                node.listeners.append(watch(node))
            await asyncio.gather(*(customer(node) for node in nodes))
        assert most == [1]
        assert sorted(entries) == sorted(ENTRIES * list(range(1, n + 1)))

    asyncio.run(take_turns())
    assert validated(tmp_path, n)


def test_layers_work_together_as_in_simulation(tmp_path):
    """A detector below an election below a mutex; the coordinator is whom the election names."""
    scenario = Scenario(
        "coordinator-elected",
        parameters={"lease": 100, "transmission": 30},
        layers=[Layer("raft-election-steady")],
    )

    async def run():
        async with traced_group(scenario, 3, tmp_path) as nodes:
            await until(lambda: agreed(nodes))
            for node in nodes:
                assert node.command("acquire")
                await until(lambda node=node: node.stack.mutex.inside)
                node.command("release")

    asyncio.run(run())
    assert validated(tmp_path, 3)
