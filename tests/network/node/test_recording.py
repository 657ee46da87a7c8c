"""The traces of the nodes make one causal trace, which all the pictures can be drawn from."""

import asyncio
import errno
import io
import itertools
import json
from contextlib import ExitStack

import pytest
from groups import addresses, agreed, until

from habemus.checking.answer.validation import validate
from habemus.cli import main
from habemus.network.errors import NetworkError
from habemus.network.node.node import Node
from habemus.network.node.recording import Recording
from habemus.scenario import Scenario
from habemus.trace import read_trace
from habemus.trace.diagram import draw_space_time
from habemus.trace.merging import merge
from habemus.trace.mermaid import write_mermaid
from habemus.trace.shiviz import write_shiviz


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


class SmallDisk(io.FileIO):
    """A file on a disk that takes so many bytes and no more."""

    room = 1000

    def write(self, content):
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = super().write(content[: self.room])
        self.room -= written
        return written


def test_a_full_disk_leaves_no_half_line_in_a_trace(tmp_path):
    file = tmp_path / "1.jsonl"
    with SmallDisk(file, "ab") as disk:
        recording = Recording(disk)
        with pytest.raises(NetworkError, match="No space left on device"):
            for number in itertools.count():
                recording.write(b'{"number":%d,"text":"%s"}\n' % (number, b"x" * number))
                recording.flush()
    content = file.read_bytes()
    assert content.endswith(b"}\n") and 0 < content.count(b"\n") == len([json.loads(line) for line in content.split()])


def test_the_pictures_can_be_drawn_from_it(tmp_path):
    files, _leader = recorded(Scenario("bully"), 3, tmp_path)
    merged = merge([read_trace(file) for file in files])
    assert (
        "<svg" in draw_space_time(merged) and "sequenceDiagram" in write_mermaid(merged) and "{" in write_shiviz(merged)
    )


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
