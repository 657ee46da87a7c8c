"""The file engine between real processes: the kernel keeps the locks."""

import errno
import fcntl
import os
import shutil
import signal
import stat
import time
from pathlib import Path

import pytest

import habemus
import habemus.sync
from habemus.service.engines.file_lock import FileGrant
from habemus.service.engines.files import default_directory, stem_of
from habemus.service.engines.inotify import DirectoryNews
from habemus.service.telemetry import Tenure

HOLD = """
with habemus.sync.join("orders", WHERE) as group:
    with group.lock("a") as lease:
        print(lease.token)
        sys.stdin.readline()
"""
COUNT = """
counter, rounds = sys.argv[2], int(sys.argv[3])
with habemus.sync.join("orders", WHERE) as group:
    for _ in range(rounds):
        with group.lock("counter") as lease:
            value = int(open(counter).read() or 0)
            time.sleep(0)
            open(counter, "w").write(str(value + 1))
            print(lease.token)
"""


def directory(where: str) -> Path:
    return Path(where.removeprefix("file://"))


def test_no_update_of_many_processes_is_lost(programs, tmp_path):
    counter = tmp_path / "counter"
    counter.touch()
    workers = [programs.start(COUNT, str(counter), "50") for _ in range(4)]
    tokens = [int(token) for worker in workers for token in worker.communicate()[0].split()]
    assert counter.read_text() == "200" and len(set(tokens)) == 200


@pytest.mark.parametrize("with_news", [True, False])
def test_a_holder_that_is_killed_gives_its_lock_back_at_once(programs, where, with_news, monkeypatch):
    if not with_news:
        monkeypatch.setattr(DirectoryNews, "__init__", lambda self: setattr(self, "descriptor", -1))
    holder = programs.start(HOLD)
    token = int(holder.stdout.readline())
    with habemus.sync.join("orders", where) as group:
        with pytest.raises(habemus.LockTaken), group.lock("a", wait=0):
            pass
        holder.kill()
        with group.lock("a", wait=30) as lease:
            assert lease.token > token


def test_who_waits_does_not_spin(programs, where):
    holder = programs.start(HOLD)
    holder.stdout.readline()
    with habemus.sync.join("orders", where) as group:
        worked = time.process_time()
        with pytest.raises(TimeoutError), group.lock("a", wait=1):
            pass
        assert time.process_time() - worked < 0.1


def test_a_stopped_holder_keeps_its_lock(programs, where):
    holder = programs.start(HOLD)
    holder.stdout.readline()
    holder.send_signal(signal.SIGSTOP)
    with habemus.sync.join("orders", where) as group:
        with pytest.raises(TimeoutError), group.lock("a", wait=0.2):
            pass
        holder.send_signal(signal.SIGCONT)
        holder.stdin.write("\n")
        holder.stdin.flush()
        with group.lock("a", wait=30):
            pass


INTERRUPTED = """
with habemus.sync.join("orders", WHERE) as group:
    print("ready")
    try:
        with group.lock("a"):
            print("inside")
    except KeyboardInterrupt:
        print("interrupted")
    sys.stdin.readline()
"""


def test_a_wait_that_is_interrupted_leaves_nothing_behind(programs, where):
    with habemus.sync.join("orders", where) as group:
        with group.lock("a"):
            waiting = programs.start(INTERRUPTED)
            waiting.stdout.readline()
            gate = directory(where) / f"{stem_of('lock/a')}.gate"
            while can_lock(gate):  # until it is at the gate
                time.sleep(0.001)
            waiting.send_signal(signal.SIGINT)
            assert waiting.stdout.readline() == "interrupted\n"
        with group.lock("a", wait=0):
            pass


def can_lock(path: Path) -> bool:
    with path.open("rb") as file_:
        try:
            fcntl.flock(file_, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


FORK = """
group = habemus.sync.join("orders", WHERE).__enter__()
holding = group.lock("a")
lease = holding.__enter__()
child = os.fork()
if not child:
    errors = []
    for use in (lease.ensure, lambda: group.lock("b").__enter__(), lease.check):
        try:
            use()
        except habemus.ForkedError as error:
            errors.append(str(error))
    print(os.getpid(), len(errors), errors[0])
    group.__exit__(None, None, None)
    with habemus.sync.join("orders", WHERE) as own, own.lock("b"):
        print("joined")
    sys.stdin.readline()
    os._exit(0)
lease.ensure()
time.sleep(1000)
"""


def test_a_child_is_told_to_join_by_itself_and_does_not_keep_its_parents_locks(programs, where):
    parent = programs.start(FORK)
    child, count, sentence = parent.stdout.readline().split(maxsplit=2)
    assert int(count) == 3 and "joined before os.fork" in sentence
    assert parent.stdout.readline() == "joined\n"
    with habemus.sync.join("orders", where) as group:
        with pytest.raises(habemus.LockTaken), group.lock("a", wait=0):
            pass
        os.kill(parent.pid, signal.SIGKILL)
        with group.lock("a", wait=30):  # although the child lives
            os.kill(int(child), 0)


def test_a_group_that_was_left_takes_no_files_from_a_child(where):
    """The numbers of its files may belong to others by then."""
    with habemus.sync.join("orders", where) as group, group.lock("a"):
        pass
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(10)]
    child = os.fork()
    if not child:
        os._exit(sum(1 for descriptor in opened if not is_open(descriptor)))
    assert os.waitpid(child, 0)[1] == 0 and group.name == "orders"
    for descriptor in opened:
        os.close(descriptor)


def is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def test_files_are_for_their_owner_alone_and_go_when_nobody_needs_them(where):
    with habemus.sync.join("orders", where) as group:
        for number in range(50):
            with group.lock(f"sku/{number}"), group.lock("readers", shared=True), group.lock("pool", slots=3):
                found = [directory(where), *directory(where).rglob("*")]
                assert len(found) >= 10
                assert {stat.S_IMODE(path.stat().st_mode) for path in found if path.is_dir()} == {0o700}
                assert {stat.S_IMODE(path.stat().st_mode) for path in found if path.is_file()} == {0o600}
    assert {path.name for path in directory(where).rglob("*")} == {"floor", "history-0", "members"}


def test_tokens_grow_when_files_are_deleted_and_clocks_set_back(where, monkeypatch):
    tokens = []
    with habemus.sync.join("orders", where) as group:
        for microseconds in (5_000_000, 4_000_000, 3, 6_000_000, 2):
            monkeypatch.setattr(time, "time_ns", lambda now=microseconds: 1000 * now)
            for name in ("a", "b", "a"):
                with group.lock(name) as lease:
                    tokens.append((name, lease.token))
                    assert len(list(directory(where).glob("lock%2Fa*"))) == 2 * (name == "a")
    for name in ("a", "b"):
        own = [token for other, token in tokens if other == name]
        assert own == sorted(set(own))


def test_tokens_grow_when_all_files_are_lost(where):
    tokens = []
    for _ in range(3):
        with habemus.sync.join("orders", where) as group, group.lock("a") as lease:
            tokens.append(lease.token)
        shutil.rmtree(directory(where))
    assert tokens == sorted(set(tokens))


def test_a_full_disk_refuses_new_locks_and_keeps_nobody_from_giving_back(where, monkeypatch):
    def refuse(*arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with habemus.sync.join("orders", where) as group:
        with group.lock("a") as first, group.lead("b") as second:
            for function in ("write", "pwrite"):
                monkeypatch.setattr(os, function, refuse)
            with pytest.raises(habemus.GroupError, match=r'"c" cannot be locked in .*: No space left'):
                group.lock("c").__enter__()
        monkeypatch.undo()
        with group.lock("a", wait=60) as third, group.lead("b") as fourth:
            assert first.token < third.token and second.token < fourth.token
        assert [event.kind for event in group.history()] == ["joined", "elected", "elected", "lost"]


def test_a_damaged_file_is_an_error_not_a_token(where):
    with habemus.sync.join("orders", where) as group:
        (directory(where) / f"{stem_of('lock/a')}.gate").write_text("nonsense")
        with pytest.raises(habemus.GroupError, match="is damaged: delete it while nobody uses"), group.lock("a"):
            pass
        (directory(where) / "floor").write_text("00000000000000000002 00000000000000000001")
        with pytest.raises(habemus.GroupError, match="is damaged: delete the directory"), group.lock("b"):
            pass


@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_a_directory_into_which_others_can_write_is_refused(where, mode):
    directory(where).mkdir()
    directory(where).chmod(mode)
    with pytest.raises(habemus.GroupError, match="cannot be trusted"), habemus.sync.join("orders", where):
        pass


def test_a_directory_that_others_can_replace_is_refused(tmp_path):
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    with (
        pytest.raises(habemus.GroupError, match="others could replace"),
        habemus.sync.join("x", f"file://{tmp_path}/open/x"),
    ):
        pass


def test_every_name_has_files_of_its_own():
    names = [".", "..", "a", "a.0", "a/b", "a%2Fb", "A", "ä", "a.gate", " ", "x" * 400, "y" * 400]
    stems = [stem_of(name) for name in names]
    assert len(set(stems)) == len(names)
    assert all("/" not in stem and not stem.startswith(".") and len(stem) <= 200 for stem in stems)


def test_all_processes_of_a_user_look_in_the_same_place_whatever_their_environment(monkeypatch):
    before = default_directory("orders")
    for variable in ("TMPDIR", "XDG_RUNTIME_DIR", "HOME"):
        monkeypatch.setenv(variable, "/elsewhere")
    assert default_directory("orders") == before and str(os.getuid()) in str(before)
    assert default_directory("other") != before


def test_a_loss_can_be_a_signal_to_the_main_thread(where):
    received = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: received.append(number))
    try:
        with (
            habemus.sync.join("orders", where, loss_signal=signal.SIGUSR1) as group,
            pytest.raises(habemus.LeaseLost),
            group.lock("a") as lease,
        ):
            next(directory(where).glob("*.0")).unlink()
            while not received:
                time.sleep(0.001)
            lease.ensure()
    finally:
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize(("owner", "step"), [(Tenure, "hold"), (FileGrant, "look")])
def test_a_signal_handler_that_raises_while_a_lock_is_taken_or_given_back_leaves_it_free(
    where, monkeypatch, owner, step
):
    def interrupt(*_):
        raise KeyboardInterrupt

    with habemus.sync.join("orders", where) as group:
        with monkeypatch.context() as patched:
            patched.setattr(owner, step, interrupt)
            with pytest.raises(KeyboardInterrupt), group.lock("a", wait=0):
                pass
        with group.lock("a", wait=0):
            pass
