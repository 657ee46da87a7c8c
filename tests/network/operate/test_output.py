"""Nobody who reads slowly, or not at all, holds a node up; and a log says much about many things, not about one."""

import asyncio
import errno
import fcntl
import json
import logging
import os
import pty
import select
import shlex
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest
from groups import until

from habemus.cli import main
from habemus.network.operate import logs
from habemus.network.operate.logs import RateLimit
from habemus.network.operate.output import Output

HABEMUS = [sys.executable, "-c", "import sys; from habemus.cli import main; sys.exit(main())"]


@pytest.fixture
def pipe():
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    yield reader, writer
    for each in (reader, writer):
        os.close(each)


def read_all(reader):
    """What is in the pipe now."""
    os.set_blocking(reader, False)
    try:
        return os.read(reader, 1 << 20)
    except BlockingIOError:
        return b""


def test_lines_wait_for_a_reader_that_has_stopped_and_the_oldest_are_dropped(pipe):
    reader, writer = pipe

    async def run():
        output = Output(writer, lambda lines: b"dropped %d\n" % lines, most=20_000)
        for number in range(1000):
            output.write(b"%09d\n" % number * 10)  # 100 bytes
        assert output.size <= 20_000
        heard = b""
        while output.waiting or output.rest:
            heard += read_all(reader)
            await asyncio.sleep(0.01)
        return heard + read_all(reader)

    lines = asyncio.run(run()).split()
    told = next(int(line) for line, before in zip(lines[1:], lines, strict=False) if before == b"dropped")
    assert told > 500 and lines[-1] == b"000000999"
    assert (len(lines) - 2) / 10 + told == 1000


@pytest.mark.parametrize("kind", ["pipe", "terminal", "socket"])
def test_a_reader_that_never_reads_blocks_nobody_and_its_descriptor_is_left_as_it_is(kind):
    makers = {"pipe": os.pipe, "terminal": pty.openpty, "socket": lambda: [s.detach() for s in socket.socketpair()]}
    reader, writer = makers[kind]()
    output = Output(writer, lambda lines: b"dropped %d\n" % lines, most=50_000)
    filler = Thread(target=lambda: [output.write(b"%099d\n" % number) for number in range(5000)], daemon=True)
    filler.start()
    filler.join(10)
    blocked = filler.is_alive()
    assert os.get_blocking(writer)  # others may share it
    if not blocked:
        output.close(0)
    for each in (reader, writer):
        os.close(each)
    assert not blocked and output.dropped > 1000


def test_lines_for_a_file_on_a_full_disk_wait_until_there_is_room(tmp_path, monkeypatch):
    real, full = os.write, [True]

    def write(descriptor, content):
        if full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(descriptor, content)

    async def run():
        with open(tmp_path / "log", "wb") as file:
            output = Output(file.fileno(), lambda lines: b"dropped %d\n" % lines)
            monkeypatch.setattr(os, "write", write)
            output.write(b"one\n")
            output.write(b"two\n")
            full.clear()
            await until(lambda: (tmp_path / "log").read_bytes() == b"one\ntwo\n")

    asyncio.run(run())


LIBRARY = """
import logging
from habemus.network.operate.logs import log_to_stderr
with log_to_stderr("jobs", 1, True):
    for address in range(100):
        logging.getLogger("asyncio").error(f"a task failed\\nfuture: <Task at {address}>")
"""


def test_what_a_library_logs_goes_the_same_way_and_is_limited_too():
    ran = subprocess.run([sys.executable, "-c", LIBRARY], capture_output=True, check=True)
    lines = [json.loads(line) for line in ran.stderr.splitlines()]
    assert len(lines) == logs.MOST_LINES
    assert {(line["group"], line["level"]) for line in lines} == {("jobs", "error")}


def test_a_line_that_does_not_fit_because_another_process_filled_the_pipe_waits(pipe):
    _, writer = pipe
    output = Output(writer, lambda lines: b"")
    output.poll = SimpleNamespace(poll=lambda milliseconds: True)  # there was room a moment ago
    os.write(writer, b"x" * 4096)
    output.write(b"a line\n")
    assert output.rest == b"a line\n"
    output.close(0)


@pytest.mark.parametrize("closed", [(1,), (2,), (0, 1, 2)])
def test_a_node_without_stdout_or_stderr_writes_its_reports_nowhere_else(closed, tmp_path):
    """The next file or socket would get the number of stdout, and then its reports."""
    command = ["node", "--id", "1", "--peers", "1=127.0.0.1:0", "--data", str(tmp_path / "data"), "--trace", "trace"]
    redirect = " ".join(f"{descriptor}>&-" for descriptor in closed)
    script = f"exec {shlex.join(HABEMUS)} {shlex.join(command)} --report-every 0.01 {redirect}"
    node = subprocess.Popen(["sh", "-c", script], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        opened = Path(f"/proc/{node.pid}/fd")

        def begun():
            return (tmp_path / "trace").exists() and b"leader" in (tmp_path / "trace").read_bytes()

        async def begin():
            await until(begun)

        asyncio.run(begin())
        assert all(os.readlink(opened / str(descriptor)) == os.devnull for descriptor in closed)
        node.send_signal(signal.SIGTERM)
        assert node.wait(30) == 0
        assert all(line.startswith(b"{") for line in (tmp_path / "trace").read_bytes().splitlines())
    finally:
        node.kill()
        node.wait()


def test_a_node_whose_reader_stops_goes_on_and_leaves_in_order(pipe, tmp_path):
    """In the middle of its reports: it still answers SIGTERM."""
    reader, writer = pipe
    command = ["node", "--algorithm", "bully", "--id", "1", "--peers", "1=127.0.0.1:0", "--data", str(tmp_path)]
    command += ["--report-every", "0.001", "--log", "json"]
    node = subprocess.Popen([*HABEMUS, *command], stdout=writer, stderr=subprocess.PIPE)
    try:

        async def fill():
            await until(lambda: not select.select([], [writer], [], 0)[1])  # the pipe is full

        asyncio.run(fill())
        node.send_signal(signal.SIGTERM)
        assert node.wait(30) == 0
        first = json.loads(read_all(reader).split(b"\n")[0])
        assert first["id"] == 1
    finally:
        node.kill()
        node.wait()
        node.stderr.close()


def test_a_node_that_fails_ends_though_nobody_reads_why(pipe, tmp_path):
    _, writer = pipe
    fill(writer)
    command = [*HABEMUS, "node", "--id", "3", "--peers", "1=127.0.0.1:0", "--data", str(tmp_path)]
    node = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=writer)
    try:
        assert node.wait(30) == 2
    finally:
        node.kill()
        node.wait()


def fill(writer):
    os.set_blocking(writer, False)
    with suppress(BlockingIOError):
        while True:
            os.write(writer, bytes(4096))
    os.set_blocking(writer, True)


@pytest.mark.parametrize("kind", ["named pipe", "pipe", "terminal"])
def test_a_trace_goes_to_no_reader_that_could_stop(kind, pipe, tmp_path, capsys):
    ends = []
    where = str(tmp_path / "trace")
    if kind == "named pipe":
        os.mkfifo(where)
    elif kind == "pipe":
        where = f"/proc/self/fd/{pipe[1]}"
    else:
        ends = pty.openpty()
        where = os.ttyname(ends[1])
    try:
        command = ["node", "--id", "1", "--peers", "1=127.0.0.1:0", "--data", str(tmp_path / "data"), "--trace", where]
        assert main(command) == 2
        assert f"--trace {where}: expected a file" in capsys.readouterr().err
    finally:
        for each in ends:
            os.close(each)


def test_a_log_has_few_lines_about_one_cause_and_says_how_many_were_left_out(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(logs.time, "monotonic", lambda: now[0])
    limit = RateLimit()

    def count(text, *arguments):
        records = [logging.LogRecord("", logging.INFO, "", 0, text, arguments, None) for _ in range(1000)]
        return [record.getMessage() for record in records if limit.filter(record)]

    for peer in (1, 2):  # each peer is a cause of its own, whatever the reason
        assert len(count("no connection to process %s: %s", peer, "refused")) == logs.MOST_LINES
    assert len(count("stalled for %s ms", 5)) == logs.MOST_LINES
    assert count("stalled for %s ms", 6) == []
    now[0] = logs.WITHIN + 1
    assert count("stalled for %s ms", 7)[0] == "stalled for 7 ms (1995 more lines like this one were left out)"


def test_a_node_that_has_ended_leaves_the_log_of_its_program_as_it_was():
    everything = logging.getLogger()
    before = (list(everything.handlers), logs.log.level)
    with logs.log_to_stderr("orders", 1, json=False):
        assert (list(everything.handlers), logs.log.level) != before
    assert (list(everything.handlers), logs.log.level) == before


def test_a_log_forgets_what_it_has_written_about_long_ago(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(logs.time, "monotonic", lambda: now[0])
    limit = RateLimit()
    for peer in range(5 * logs.MOST_CAUSES):
        now[0] += 1.0
        assert limit.filter(logging.LogRecord("", logging.INFO, "", 0, "no connection to process %s", (peer,), None))
    assert len(limit.seen) <= logs.MOST_CAUSES + 1
