"""A cluster of real processes is started, followed and disturbed from the page, and ended with the lab."""

import asyncio
import json
import time
from http.client import HTTPConnection

import pytest
from labs import Visitor, is_alive, running_lab

from habemus.lab import live
from habemus.lab.live import Live
from habemus.lab.server import Lab
from habemus.network.operate.cluster import Cluster
from habemus.scenario import Scenario
from habemus.trace import Event
from habemus.trace.format import SentMessage


class Stream:
    """What the lab tells of its cluster, as it happens."""

    def __init__(self, lab):
        self.connection = HTTPConnection("127.0.0.1", lab.port, timeout=30)
        self.connection.request("GET", "/api/live/events", headers={"X-Habemus-Token": lab.token})
        self.answer = self.connection.getresponse()
        self.events = []
        self.status = None

    def until(self, claim, seconds=30):
        """Follow it until something is so."""
        deadline = time.monotonic() + seconds
        while self.status is None or not claim(self.status):
            assert time.monotonic() < deadline, self.status
            name = self.answer.readline().decode().strip()
            if name.startswith("event:"):
                content = json.loads(self.answer.readline().decode().removeprefix("data: "))
                if name == "event: status":
                    self.status = content
                else:
                    self.events.append(content)
        return self.status

    def close(self):
        self.answer.close()
        self.connection.close()


@pytest.fixture
def lab():
    with running_lab() as lab:
        yield lab


def test_the_leader_is_killed_by_button_and_another_is_seen_to_follow(lab):
    assert lab.trusted("/api/live", method="GET").json["nodes"] == []
    begun = lab.trusted("/api/live/start", {"scenario": {"algorithm": "bully"}, "n": 3}).json
    pids = {node["id"]: node["pid"] for node in begun["nodes"]}
    assert list(pids) == [1, 2, 3] and all(map(is_alive, pids.values()))
    assert begun["run"]["ids"] == [1, 2, 3] and begun["run"]["initial"]["1"] and begun["mine"]
    stream = Stream(lab)
    stream.until(lambda status: status["leader"] == 3)
    killed = lab.trusted("/api/live/kill/3")
    assert killed.status == 200
    status = stream.until(lambda status: status["leader"] == 2)
    assert [node["state"] for node in status["nodes"]] == ["running", "running", "dead"]
    assert not is_alive(pids[3])
    numbers = [event["event"] for event in stream.events]
    assert numbers == list(range(len(numbers)))
    assert all(max(event.get("parents", []), default=-1) < event["event"] for event in stream.events)
    stream.until(lambda status: [event["process"] for event in stream.events if event.get("role") == "leader"][-1] == 2)
    (crash,) = [event for event in stream.events if event["kind"] == "crash"]
    assert crash["process"] == 3 and stream.events[-1]["time"] >= crash["time"]

    lab.trusted("/api/live/restart/3")
    stream.until(lambda status: status["leader"] == 3)
    lab.trusted("/api/live/pause/1")
    stream.until(lambda status: status["nodes"][0]["state"] == "paused")
    lab.trusted("/api/live/resume/1")
    stream.until(lambda status: status["nodes"][0]["state"] == "running")
    assert lab.trusted("/api/live/cut", {"links": [[1, 2]]}).json["cuts"] == [[1, 2], [2, 1]]
    assert lab.trusted("/api/live/heal").json["cuts"] == []
    assert lab.trusted("/api/live/election/1").status == 200
    kinds = {event["kind"] for event in Stream(lab).events} | {event["kind"] for event in stream.events}
    assert {"start", "message", "crash", "pause", "resume"} <= kinds
    stream.close()

    late = Stream(lab)
    late.until(lambda status: True)
    assert late.events[0]["event"] == 0 and len(late.events) >= len(stream.events)
    late.close()
    everybody = [node["pid"] for node in lab.trusted("/api/live", method="GET").json["nodes"]]
    assert lab.trusted("/api/live/stop").json["nodes"] == []
    assert not any(map(is_alive, everybody))


def test_what_cannot_be_done_is_refused_with_a_sentence(lab):
    assert "no cluster is running" in lab.trusted("/api/live/kill/1").error
    assert "no cluster is running" in lab.trusted("/api/live/heal").error
    for asked, sentence in (
        ({"scenario": {"algorithm": "nonsense"}}, "there is no algorithm"),
        ({"scenario": {"algorithm": "os:path"}}, "neither in the catalogue"),
        ({"scenario": {"algorithm": "bully"}, "n": 1000}, "1 to 30 processes"),
        ({"n": 10}, "1 to 9 voters"),
        ({"scenario": {"algorithm": "bully"}, "colour": "red"}, "colour"),
    ):
        answer = lab.trusted("/api/live/start", asked)
        assert 400 <= answer.status < 500 and sentence in answer.error
    lab.trusted("/api/live/start", {"scenario": {"algorithm": "ricart-agrawala"}, "n": 2})
    assert "is running; stop it first" in lab.trusted("/api/live/start", {"scenario": {"algorithm": "bully"}}).error
    assert "there is no process 9" in lab.trusted("/api/live/kill/9").error
    assert "there is no action 'dance'" in lab.trusted("/api/live/dance/1").error
    assert "there is no link 1-1" in lab.trusted("/api/live/cut", {"links": [[1, 1]]}).error
    stream = Stream(lab)
    stream.until(lambda status: any(node["role"] == "inside" for node in status["nodes"]))
    stream.close()


def test_a_cluster_that_somebody_else_started_is_shown_and_not_ended(tmp_path):
    async def story():
        cluster = Cluster(Scenario("bully"), 2, tmp_path, traced=True)
        server = Lab(cluster=cluster)
        page = Visitor(await server.start(0))
        await cluster.start()
        try:
            await asyncio.to_thread(watch, page)
            assert len(cluster.pids) == 2
        finally:
            await server.stop()
            assert len(cluster.pids) == 2
            await cluster.end()

    def watch(page):
        assert page.get("/api/catalogue").json["cluster"]
        stream = Stream(page)
        stream.until(lambda status: status["leader"] == 2 and not status["mine"])
        stream.close()
        answer = page.trusted("/api/live/stop")
        assert answer.status == 409 and "was started by `habemus up`" in answer.error

    asyncio.run(story())


def test_a_page_that_comes_late_gets_what_has_happened_in_pieces():
    async def story():
        cluster = Live()
        for number in range(3000):
            cluster.on_event(Event(number, time=number, kind="timeout", process=1, clause="c" * 100))
        stream = cluster.stream()
        pieces = [await anext(stream)]
        while b"event: status" not in pieces[-1]:
            pieces.append(await anext(stream))
        await stream.aclose()
        return pieces

    pieces = asyncio.run(story())
    assert max(map(len, pieces)) < 2 * live.PIECE, "each has its own time to be taken"
    assert b"".join(pieces).count(b"event: event") == 3000


def test_what_is_kept_and_what_waits_for_a_slow_page_are_bounded_in_bytes(monkeypatch):
    monkeypatch.setattr(live, "KEPT_BYTES", 100_000)
    monkeypatch.setattr(live, "SENT_BYTES", 20_000)

    def report(cluster, numbers):
        for number in numbers:
            cluster.on_event(Event(number, time=number, kind="timeout", process=1, changed={"entries": "e" * 5000}))

    async def story():
        cluster = Live()
        report(cluster, range(40))
        assert 15 <= len(cluster.events) < 40 and cluster.size == sum(map(len, cluster.events)) <= 100_000
        stream = cluster.stream()
        first = await anext(stream)
        assert len(first) < 25_000 and b"event: status" not in first, "the rest stays where it is kept"
        report(cluster, range(40, 80))
        told = [await anext(stream)]
        while b"event: status" not in told[-1]:
            told.append(await anext(stream))
        await stream.aclose()
        assert max(map(len, told)) < 25_000
        return [json.loads(line[6:]) for line in b"".join(told).splitlines() if line.startswith(b"data: ")]

    before, *events, status = asyncio.run(story())
    assert [event["event"] for event in events] == list(range(before["events"], 80)) and before["events"] > 40
    assert status["nodes"] == []


def test_events_that_are_no_longer_kept_are_counted_for_whoever_comes_later(monkeypatch):
    monkeypatch.setattr(live, "KEPT_EVENTS", 3)

    def event(number):
        kind = "Alive" if number % 2 else "Vote"
        return Event(
            number, time=number, kind="timeout", process=1, sent=[SentMessage(number, 1, 2, kind, {"term": 4})]
        )

    async def story():
        cluster = Live()
        for number in range(5):
            cluster.on_event(event(number))
        stream = cluster.stream()
        late = told(await anext(stream))
        for number in range(5, 7):
            cluster.on_event(event(number))
        follows = told(await anext(stream))
        for number in range(7, 12):
            cluster.on_event(event(number))
        slow = told(await anext(stream))
        await stream.aclose()
        return late, follows, slow

    def told(block):
        lines = [line.split(": ", 1)[1] for line in block.decode().splitlines() if line]
        pairs = [(name, json.loads(content)) for name, content in zip(lines[::2], lines[1::2], strict=True)]
        return [(name, said["event"] if name == "event" else said) for name, said in pairs if name != "status"]

    late, follows, slow = asyncio.run(story())
    before = {"events": 2, "messages_by_type": {"Vote": 1, "Alive": 1}, "bits": 6}
    assert late == [("before", before), ("event", 2), ("event", 3), ("event", 4)]
    assert follows == [("event", 5), ("event", 6)]
    before = {"events": 9, "messages_by_type": {"Vote": 5, "Alive": 4}, "bits": 27}
    assert slow == [("before", before), ("event", 9), ("event", 10), ("event", 11)]
