"""`habemus up --group`: a service group in the terminal."""

import io
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Timer

import pytest
from calls import run
from rich.console import Console

from habemus.cli.group_table import GroupView
from habemus.demo.group import DemoGroup

PATIENCE = 60.0


def test_it_tells_who_gets_which_lock_and_ctrl_c_leaves_no_process_behind():
    command = [sys.executable, "-m", "habemus", "up", "--group", "orders", "-n", "1", "--no-open", "--port", "0"]
    up = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    overdue = Timer(PATIENCE, up.kill)
    overdue.start()
    try:
        assert up.stdout.readline().startswith("The page is at http://127.0.0.1:")
        told = ""
        while not ("leads in term" in told and re.search(r'process [2-5] leads "scheduler", token \d+·\d+', told)):
            line = up.stdout.readline()
            assert line, told
            told += line
        children = Path(f"/proc/{up.pid}/task/{up.pid}/children").read_text().split()
        assert len(children) >= 5
    finally:
        up.send_signal(signal.SIGINT)
        status = up.wait(PATIENCE)
        overdue.cancel()
        up.stdout.close()
    assert status == 0
    deadline = time.monotonic() + PATIENCE
    while any(os.path.exists(f"/proc/{child}") for child in children):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_the_table_shows_holders_tokens_the_time_left_and_who_waits(tmp_path):
    group = DemoGroup("orders", directory=tmp_path)
    view = GroupView(group)
    assert "no quorum" in shown(view)
    holders = [{"member": "5", "token": str((3 << 40) + 4), "shared": False}]
    stock = {"kind": "lock", "name": "stock", "slots": 1, "holders": holders}
    waiters = [{"member": "7", "shared": False}, {"member": "4", "shared": False}]
    leading = group.members[2]
    leading.state = "running"
    leading.status = {"term": 3, "view": {"locks": [{**stock, "waiters": waiters}]}}
    deadline = time.time() - group.before_boot + 3.0
    group.members[5].status = {
        "leases": [{"kind": "lock", "name": "stock", "token": str((3 << 40) + 4), "deadline": deadline}]
    }
    said = shown(view)
    assert "2 coordinates" in said
    assert re.search(r"stock +exclusive +5 +3·4 +━+─+ (3\.0|2\.\d) s +7, 4", said)
    assert re.search(r"5 +worker +dead +\S* stock", said) and "0 refused" in said


def shown(view):
    console = Console(file=io.StringIO(), width=120)
    console.print(view.table())
    return console.file.getvalue()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--algorithm", "bully"], "a group has its own algorithm"),
        (["-n", "10"], "expected 1 to 9 voters"),
        (["--for", "0"], "expected seconds"),
    ],
)
def test_what_a_group_cannot_be_is_said_in_one_sentence(capsys, options, sentence):
    status, out, err = run(capsys, "up", "--group", "orders", "--no-open", *options)
    assert (status, out, err.count("\n")) == (2, "", 1) and sentence in err
