"""The traces of the nodes make one causal trace, which all the pictures can be drawn from."""

import asyncio
import itertools
from contextlib import ExitStack

import pytest
from groups import addresses, agreed, until
from hypothesis import given
from hypothesis import strategies as st

from habemus.cli import main
from habemus.network.errors import NetworkError
from habemus.network.merging import merge
from habemus.network.node import Node
from habemus.network.recording import Recording
from habemus.network.validation import validate
from habemus.scenario import Scenario
from habemus.trace import Event, Header, Trace, read_trace
from habemus.trace.diagram import space_time_svg
from habemus.trace.mermaid import mermaid
from habemus.trace.shiviz import shiviz


def recorded(scenario, n, folder, lives=1):
    """The traces of a real run that ends when all agree; in each further life all processes begin again."""
    files = [folder / f"{id}.jsonl" for id in range(1, n + 1)]
    where = addresses(n)

    async def live():
        with ExitStack() as open_files:
            nodes = [
                Node(
                    scenario,
                    id,
                    where,
                    folder / str(id),
                    recording=Recording(open_files.enter_context(open(file, "ab"))),
                )
                for id, file in zip(where, files, strict=True)
            ]
            await asyncio.gather(*(node.start() for node in nodes))
            await until(lambda: agreed(nodes))
            leader = nodes[0].leader
            for node in nodes:
                await node.stop()
            return leader

    leaders = [asyncio.run(live()) for _ in range(lives)]
    return files, leaders[-1]


@pytest.mark.parametrize("algorithm", ["chang-roberts", "bully", "raft-election", "capture", "broadcast-sync", "yoyo"])
def test_causes_come_first_and_every_message_has_a_sender(algorithm, tmp_path):
    files, leader = recorded(Scenario(algorithm), 3, tmp_path)
    merged = merge([read_trace(file) for file in files])
    assert [event.event for event in merged.events] == list(range(len(merged.events)))
    sent = {}
    times = {}
    for event in merged.events:
        assert all(parent < event.event for parent in event.parents)
        assert all(times[parent] <= event.time for parent in event.parents)
        times[event.event] = event.time
        for each in event.received:
            assert (each.sender, each.to, each.type, each.fields) == sent[each.message]
            assert each.to == event.process
        for each in event.sent:
            assert each.message not in sent
            sent[each.message] = (each.sender, each.to, each.type, each.fields)
    assert merged.events[0].time == 0
    named = {event.process for event in merged.events if event.changed.get("leader") == leader}
    assert named == set(merged.ids)  # before they ended, one after the other
    assert validate(merged) > 0


def test_the_pictures_can_be_drawn_from_it(tmp_path):
    files, _leader = recorded(Scenario("bully"), 3, tmp_path)
    merged = merge([read_trace(file) for file in files])
    assert "<svg" in space_time_svg(merged) and "sequenceDiagram" in mermaid(merged) and "{" in shiviz(merged)


def test_a_crash_is_put_before_the_life_that_follows_it(tmp_path):
    files, _ = recorded(Scenario("raft-election"), 3, tmp_path, lives=2)
    merged = merge([read_trace(file) for file in files])
    for process in (1, 2, 3):
        events = [event for event in merged.events if event.process == process]
        assert [event.kind for event in events if not event.clause] == ["crash", "recover"]
        assert all(after.kind == "recover" for before, after in itertools.pairwise(events) if before.kind == "crash")
    assert validate(merged) > 0


def test_the_command_writes_trace_and_picture(tmp_path, capsys):
    files, _ = recorded(Scenario("chang-roberts"), 3, tmp_path)
    output, picture = tmp_path / "all.jsonl", tmp_path / "all.svg"
    assert main(["trace", "merge", *map(str, files), "-o", str(output), "--diagram", str(picture)]) == 0
    assert "events of 3 processes" in capsys.readouterr().out
    assert read_trace(output).events and picture.read_text(encoding="utf-8").startswith("<svg")


def test_traces_of_different_runs_are_refused(tmp_path, capsys):
    one, _ = recorded(Scenario("chang-roberts"), 3, tmp_path)
    (tmp_path / "other").mkdir()
    other, _ = recorded(Scenario("lcr"), 3, tmp_path / "other")
    assert main(["trace", "merge", str(one[0]), str(other[0])]) == 2
    assert "different runs" in capsys.readouterr().err
    assert main(["trace", "merge", str(one[0]), str(one[0])]) == 2
    assert "given twice" in capsys.readouterr().err


@given(st.data())
def test_clocks_that_disagree_do_not_change_what_caused_what(data):
    """Two processes that pass a message to and fro, with clocks that say anything."""
    clock = st.integers(0, 10**6)
    count = data.draw(st.integers(1, 12))
    traces = [[], []]
    for number in range(count):
        parents = [number - 1] if number else []
        traces[number % 2].append(Event(number, data.draw(clock), "message", number % 2 + 1, parents=parents))
    header = Header("0", 1, "any", [1, 2], [(1, 2)])
    merged = merge([Trace(header, traces[0]), Trace(header, traces[1])])
    assert [event.process for event in merged.events] == [number % 2 + 1 for number in range(count)]
    assert sorted(event.time for event in merged.events) == [event.time for event in merged.events]


def test_a_circle_of_causes_is_no_run():
    header = Header("0", 1, "any", [1], [])
    with pytest.raises(NetworkError, match="their own causes"):
        merge([Trace(header, [Event(0, 0, "message", 1, parents=[1]), Event(1, 0, "message", 1, parents=[0])])])
