"""The lock of a file: races of its steps, and processes that are killed at any of them."""

from itertools import combinations
from pathlib import Path
from random import Random
from typing import NamedTuple

from soak import runs

from habemus.service.engine import Wish
from habemus.service.engines import file_lock
from habemus.service.engines.file_lock import FileAttempt
from habemus.service.engines.files import prepare_directory
from habemus.service.engines.group_files import GroupFiles

# Races, step by step


class Steps:
    """An engine without its watcher: every attempt takes its steps when the test says so."""

    def __init__(self, directory: Path) -> None:
        prepare_directory(directory)
        self.files = GroupFiles(directory, "orders")

    def attempt(self) -> FileAttempt:
        return FileAttempt(self.files, Wish("a"), lambda result: None)


def two_hold_after_a_gate_was_deleted(directory: Path) -> bool:
    """A waiter opens the gate; all others leave, and the files go; the waiter goes on with the gate that it has."""
    steps = Steps(directory)
    first, second, third, fourth, waiter = [steps.attempt() for _ in range(5)]
    assert first.step() and not second.step() and second.at_gate
    assert not waiter.step() and waiter.gate >= 0 and not waiter.at_gate
    first.grant.release()
    assert second.step()
    second.grant.release()
    assert not list(directory.glob("*.gate"))
    assert third.step() and not waiter.step()
    third.grant.release()
    waiter.step()
    fourth.step()
    return waiter.grant is not None and fourth.grant is not None


def test_a_gate_that_was_deleted_lets_nobody_in(tmp_path):
    assert not two_hold_after_a_gate_was_deleted(tmp_path / "locks")


def test_without_a_look_at_the_inode_two_would_hold_the_lock(tmp_path, monkeypatch):
    monkeypatch.setattr(file_lock, "is_at", lambda descriptor, path: True)
    assert two_hold_after_a_gate_was_deleted(tmp_path / "locks")


# Many processes, some of which are killed

WORK = """
import random
from time import monotonic_ns
random.seed(int(sys.argv[2]))
with habemus.sync.join("orders", WHERE) as group:
    while True:
        name, options = random.choice([("a", {}), ("b", {}), ("a", {"shared": True}), ("b", {"shared": True}),
                                       ("pool", {"slots": 2}), ("pool", {"slots": 2})])
        try:
            with group.lock(name, wait=random.choice([None, 0, 0.01]), **options) as lease:
                entered = monotonic_ns()
                time.sleep(random.choice([0, 0, 0.001]))
                left = monotonic_ns()
            # Not inside: who is not listened to comes to a halt here.
            print(name, lease.slot, int("shared" in options), lease.token, entered, left)
        except (habemus.LockTaken, TimeoutError):
            pass
"""


class Visit(NamedTuple):
    """Somebody was inside, from when to when."""

    name: str
    slot: int
    shared: bool
    token: int
    entered: int
    left: int


def test_whoever_is_killed_whenever_two_are_never_inside_and_all_others_go_on(programs):
    random = Random(1)
    visits: list[Visit] = []

    def listen(worker, lines: int) -> None:
        for _ in range(lines):
            line = worker.stdout.readline()
            assert line, "a worker has ended"
            name, *rest = line.split()
            slot, shared, token, entered, left = map(int, rest)
            visits.append(Visit(name, slot, bool(shared), token, entered, left))

    workers = [programs.start(WORK, str(seed)) for seed in range(5)]
    for seed in range(5, runs(12, soak=500)):
        victim = random.randrange(len(workers))
        listen(workers[victim], random.randrange(1, 10))
        workers[victim].kill()
        workers[victim] = programs.start(WORK, str(seed))
    for worker in workers:
        listen(worker, 20)
    assert len(visits) > 100
    assert {(visit.name, visit.shared) for visit in visits} >= {("a", True), ("a", False), ("pool", False)}
    assert find_overlap(visits) is None
    for name in ("a", "b", "pool"):
        own = sorted([visit for visit in visits if visit.name == name], key=lambda visit: visit.token)
        assert len({visit.token for visit in own}) == len(own)
        writers = [visit.entered for visit in own if not visit.shared and name != "pool"]
        assert writers == sorted(writers)


def find_overlap(visits: list[Visit]) -> tuple[Visit, Visit] | None:
    """Two that were in one place at the same time, and not both for reading."""
    for one, other in combinations(visits, 2):
        same_place = (one.name, one.slot) == (other.name, other.slot) and not (one.shared and other.shared)
        if same_place and one.entered < other.left and other.entered < one.left:
            return one, other
    return None


def test_the_test_sees_an_overlap():
    reader, other, writer = [Visit("a", 0, shared, 1, 10, 20) for shared in (True, True, False)]
    assert find_overlap([reader, other]) is None and find_overlap([reader, writer]) == (reader, writer)
    assert find_overlap([writer, writer._replace(entered=20, left=30)]) is None
    assert find_overlap([writer, writer._replace(slot=1)]) is None
    assert find_overlap([writer, writer._replace(entered=19, left=30)])
