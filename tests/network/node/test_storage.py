"""What a process promised survives whatever happens to it, or it does not start."""

import os
import random
import resource
import subprocess
import sys
import time
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from habemus.network.errors import NetworkError
from habemus.network.node.storage import PeerIncarnation, Record, Storage, restore_fields, save_fields
from habemus.process import Durable, Election, dissect

OLD = Record("jobs", 2, ["raft-election"], 3, {1: PeerIncarnation("bb", 4, "aa")}, [{"term": 7, "vote": 1}])
NEW = Record("jobs", 2, ["raft-election"], 3, {1: PeerIncarnation("bb", 4, "aa")}, [{"term": 8, "vote": None}])


@pytest.fixture
def storage(tmp_path):
    storage = Storage(tmp_path)
    assert storage.open() is None
    storage.write(OLD)
    yield storage
    storage.close()


def test_what_was_written_is_read_again(storage):
    assert storage.read() == OLD
    storage.write(NEW)
    assert storage.read() == NEW


def test_a_second_process_is_kept_off_the_directory(storage):
    with pytest.raises(NetworkError, match="in use by another process"):
        Storage(storage.directory).open()


def test_the_directory_is_free_again_when_its_owner_was_killed(tmp_path):
    code = "import os, sys; from habemus.network.node.storage import Storage\n"
    code += "Storage(sys.argv[1]).open(); os.kill(os.getpid(), 9)"
    killed = subprocess.run([sys.executable, "-c", code, str(tmp_path)])
    assert killed.returncode == -9
    storage = Storage(tmp_path)
    storage.open()
    storage.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_file_is_refused_with_what_to_do(storage, data):
    storage.write(OLD)
    content = bytearray(storage.file.read_bytes())
    if data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] ^= data.draw(st.integers(1, 255))
    else:
        del content[data.draw(st.integers(0, len(content) - 1)) :]
    storage.file.write_bytes(content)
    with pytest.raises(NetworkError, match=r"give another --data and an id|of format"):
        storage.read()


def test_no_byte_of_the_file_can_change_or_go_unnoticed(storage):
    whole = storage.file.read_bytes()
    for place in range(len(whole)):
        changed = [whole[:place] + bytes([whole[place] ^ 1 << bit]) + whole[place + 1 :] for bit in range(8)]
        for damaged in [*changed, whole[:place]]:
            storage.file.write_bytes(damaged)
            with pytest.raises(NetworkError):
                storage.read()


@pytest.mark.parametrize("step", ["open", "write", "fsync", "rename"])
def test_a_crash_at_any_step_of_writing_leaves_the_old_record_or_the_new_one(storage, step, monkeypatch):
    class Crash(BaseException):
        pass

    real = getattr(os, step)

    def crash_before(*arguments):
        raise Crash

    def crash_after(*arguments):
        real(*arguments)
        raise Crash

    for fault in (crash_before, crash_after):
        with monkeypatch.context() as patch:
            patch.setattr(os, step, fault)
            with pytest.raises(Crash):
                storage.write(NEW)
        assert storage.read() in (OLD, NEW)
        if step != "rename" or fault is crash_before:
            assert storage.read() == OLD


def test_a_full_disk_stops_the_process_and_says_why(storage, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(NetworkError, match="No space left on device; the process stops"):
        storage.write(NEW)


def test_a_process_without_descriptors_can_still_keep_its_promise(storage):
    taken = []
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 200), hard))
    try:
        for record in (NEW, OLD, NEW):  # again and again
            with suppress(OSError):
                while True:
                    taken.append(os.dup(storage.folder))
            storage.write(record)
        os.close(taken.pop())
        found = storage.read()
    finally:
        for each in taken:
            os.close(each)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert found == NEW


class Remembers(Election):
    votes: Durable[dict[int, tuple[int, ...]]] = {}
    seen: Durable[set[int]] = set()
    latest: Durable[tuple[int, int] | None] = None


@given(
    st.dictionaries(st.integers(0, 9), st.tuples(st.integers()) | st.just(())),
    st.sets(st.integers(0, 99)),
    st.none() | st.tuples(st.integers(0, 9), st.integers(0, 9)),
)
def test_fields_come_back_with_their_types(votes, seen, latest):
    fields = [{"votes": votes, "seen": seen, "latest": latest}]
    assert restore_fields(save_fields(fields), [dissect(Remembers)]) == fields


def test_fields_that_do_not_fit_are_refused():
    with pytest.raises(NetworkError, match="does not fit this version"):
        restore_fields([{"votes": "many"}], [dissect(Remembers)])


WRITER = """
import sys
import time
from habemus.network.node.storage import Record, Storage
storage = Storage(sys.argv[1])
storage.open()
for term in range(1, 100_000):
    storage.write(Record("jobs", 2, ["raft-election"], 1, {}, [{"term": term, "vote": term % 3, "more": "x" * 5000}]))
    sys.stdout.write(f"{term}\\n")  # this is the message that depends on it
    sys.stdout.flush()
"""


def test_one_that_is_killed_while_it_writes_has_all_that_it_spoke_of(tmp_path):
    chance = random.Random(1)
    for trial in range(6):
        directory = tmp_path / str(trial)
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(directory)], stdout=subprocess.PIPE)
        try:
            writer.stdout.readline()
            time.sleep(chance.uniform(0, 0.05))
        finally:
            writer.kill()
            spoken = writer.stdout.read().split()
            writer.wait()
            writer.stdout.close()
        storage = Storage(directory)
        found = storage.open().fields[0]
        storage.close()
        last = int(spoken[-1]) if spoken else 1
        assert found["term"] in (last, last + 1)
        assert found["vote"] == found["term"] % 3
