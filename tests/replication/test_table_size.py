"""No step of the lock table grows with the table: 10^5 locks, 10^3 sessions and queues of 10^3 are nothing special."""

import subprocess
import sys
from pathlib import Path

import habemus
from habemus.replication.entries import Acquire, Attach, Cancel, EndSession, Granted, OpenSession, Release, Transfer
from habemus.replication.table import LockTable


class Bench:
    """A table in which sessions hold many locks each, and all wait for one more."""

    def __init__(self, sessions: int, locks: int) -> None:
        self.table = LockTable()
        self.sessions = [self.apply(OpenSession(owner, 1, 10))[0].session for owner in range(sessions)]
        self.latest = dict.fromkeys(self.sessions, 0)
        for number in range(locks):
            assert isinstance(self.acquire(self.sessions[number % sessions], f"own/{number}"), Granted)
        for session in self.sessions:
            self.acquire(session, "popular")

    def apply(self, entry):
        return self.table.apply(entry, 1)

    def acquire(self, session, name, **options):
        self.latest[session] += 1
        request = self.latest[session]
        return self.apply(Acquire(session, request, name, answered=request - 1, **options))[0]

    def exercise(self) -> None:
        """Every kind of entry, as often as there are sessions."""
        for session in self.sessions:
            holder = self.table.holders("popular")[0]
            self.apply(Release(holder.session, holder.token))
            self.acquire(session, "popular", priority=session % 3)
            self.acquire(session, "popular", wait=False)
            self.apply(Cancel(session, self.latest[session] - 1))
            granted = self.acquire(session, f"short/{session}", slots=5)
            self.apply(Release(session, granted.token))
            held = tuple(self.table.sessions[session].held)
            self.apply(Attach(session, self.latest[session], held, (), self.latest[session]))
            self.acquire(session, "popular")
        for session in self.sessions[1:]:
            self.latest[session] += 1
            self.apply(Transfer(session, self.latest[session], "popular", to=session))
        for session in self.sessions:
            self.apply(EndSession(session))
        assert not self.table.locks and not self.table.sessions


def count_lines(sessions: int, locks: int) -> int:
    """How many lines of the table's code run, from the first session to the last."""
    lines = 0
    files = {"table.py", "lock.py", "session.py"}

    def trace_call(frame, event, argument):
        return trace_line if frame.f_code.co_filename.rpartition("/")[2] in files else None

    def trace_line(frame, event, argument):
        nonlocal lines
        lines += event == "line"
        return trace_line

    sys.settrace(trace_call)
    try:
        Bench(sessions, locks).exercise()
    finally:
        sys.settrace(None)
    return lines


def test_ten_times_the_sessions_and_locks_take_ten_times_the_steps():
    """Compiled code cannot be counted, so the sources are run."""
    small, large = [count_interpreted(sessions, 10 * sessions) for sessions in (40, 400)]
    assert small > 50 * 40 and 8 * small < large < 12 * small


def count_interpreted(sessions: int, locks: int) -> int:
    code = f"import test_table_size; print(test_table_size.count_lines({sessions}, {locks}))"
    path = [str(Path(__file__).parent), str(Path(habemus.__file__).parent.parent)]
    run = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {path!r}; {code}"],
        env={"HABEMUS_COMPILED": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(run.stdout)


def test_a_hundred_thousand_locks_a_thousand_sessions_and_queues_of_a_thousand():
    bench = Bench(sessions=1000, locks=100_000)
    assert len(bench.table.locks) == 100_001 and len(bench.table.waiters("popular")) == 999
    image = bench.table.freeze()
    assert LockTable.thaw(image).freeze() == image
    bench.exercise()


def test_a_queue_that_people_join_and_leave_while_nobody_releases_does_not_grow():
    bench = Bench(sessions=3, locks=0)
    impatient = bench.sessions[2]
    for _ in range(2000):
        bench.acquire(impatient, "popular")
        bench.apply(Cancel(impatient, bench.latest[impatient]))
    lock = bench.table.locks["popular"]
    assert len(lock.waiting) == 2 and len(lock.heap) < 20
    for session in 1000 * bench.sessions[1:]:
        bench.latest[session] += 1
        bench.apply(Transfer(session, bench.latest[session], "popular", to=session, answered=bench.latest[session] - 1))
    assert len(lock.heap) < 20 and len(bench.table.sessions[impatient].answers) < 3


def test_answers_are_forgotten_however_far_the_mark_jumps():
    bench = Bench(sessions=2, locks=0)
    second = bench.sessions[1]
    for request in range(2, 500):
        bench.apply(Acquire(second, request, "popular", wait=False, answered=1))
    bench.apply(Acquire(second, 10**18, "popular", answered=400))
    assert len(bench.table.sessions[second].answers) == 99
    bench.apply(Acquire(second, 10**18 + 1, "popular", answered=10**18))
    assert not bench.table.sessions[second].answers
