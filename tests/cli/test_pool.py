"""Ctrl-C ends a command that shares its work among processes, in one line and with all of them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

BEGIN = "import sys; from habemus.cli import main; sys.exit(main())"


def workers_of(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


@pytest.mark.parametrize(
    "arguments",
    [
        ["sweep", "chang-roberts", "--n", "256,512", "--seeds", "2000", "--jobs", "2"],
        ["compare", "bully", "raft-election", "--seeds", "2000", "--jobs", "2"],
        ["detector-figure", "--seeds", "40", "--jobs", "2", "--plot"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_ctrl_c_ends_the_command_and_its_processes_in_one_line(arguments, tmp_path):
    drawn = [str(tmp_path / "F.svg")] if arguments[-1] == "--plot" else []
    running = subprocess.Popen(
        [sys.executable, "-c", BEGIN, *arguments, *drawn],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while running.poll() is None and len(workers_of(running.pid)) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.5)  # for the workers to be at work
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (130, "", "habemus: stopped\n")
    with pytest.raises(ProcessLookupError):
        os.killpg(running.pid, 0)
