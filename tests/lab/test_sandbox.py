"""Code of one's own can do little to the machine, and nothing of it outlives the lab."""

import json
import os
import signal
import socket
import sys
import threading
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path

import pytest
from labs import eventually, is_alive, running_lab

from habemus import sandbox


@pytest.fixture(scope="module", params=["isolated", "as you"])
def lab(request, tmp_path_factory):
    """A lab as it is here, and one on a system without user namespaces."""
    environment = dict(os.environ)
    if request.param == "as you":
        folder = tmp_path_factory.mktemp("no-namespaces")
        patch = "import habemus.sandbox\n\ndef isolate():\n    raise OSError\n\nhabemus.sandbox.isolate = isolate"
        (folder / "sitecustomize.py").write_text(patch)
        os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), environment.get("PYTHONPATH", "")])
    try:
        with running_lab() as lab:
            lab.isolated = request.param == "isolated" and namespaces_work(tmp_path_factory.mktemp("folder"))
            yield lab
    finally:
        os.environ.clear()
        os.environ.update(environment)


def namespaces_work(folder):
    """Whether this system lets us make namespaces; inside some containers it does not."""
    here = Path.cwd()
    os.chdir(folder)
    try:
        return sandbox.try_in_child(sandbox.isolate)
    finally:
        os.chdir(here)


def run(lab, *lines):
    """What code prints when it runs in the lab."""
    attempt = "\n".join(lines)
    asked = {"scenario": {"algorithm": "own.py:Mine"}, "code": attempt}
    return lab.trusted("/api/run", asked).json.get("printed", {}).get("text", "")


def attempt(lab, expression):
    """What comes of an expression: its value, or the error."""
    return run(lab, "import os, sys, socket, subprocess", "try:", f"    print({expression})",
               "except BaseException as error:", "    print(type(error).__name__)").strip()  # fmt: skip


def test_the_page_is_told_whether_there_is_a_sandbox(lab):
    assert lab.get("/api/catalogue").json["sandbox"] == lab.isolated


def test_in_the_sandbox_there_is_no_network_and_no_socket_that_leads_out(lab, tmp_path):
    listening = socket.create_server(("127.0.0.1", 0))
    local = socket.socket(socket.AF_UNIX)
    local.bind(str(tmp_path / "door"))
    local.listen()
    refused = "PermissionError" if lab.isolated else "None"
    assert attempt(lab, f"socket.create_connection({listening.getsockname()}).close()") == refused
    assert attempt(lab, f"socket.socket(socket.AF_UNIX).connect({str(tmp_path / 'door')!r})") == refused
    listening.close()
    local.close()
    if lab.isolated:
        devices = attempt(lab, "[line.partition(':')[0].strip() for line in open('/proc/self/net/dev')][2:]")
        assert devices == "['lo']"


def test_in_the_sandbox_the_disk_is_read_only_but_for_a_small_folder(lab, tmp_path):
    (tmp_path / "mine").write_text("mine")
    assert attempt(lab, f"open({str(tmp_path / 'mine')!r}).read()") == "mine"
    wrote = attempt(lab, f"open({str(tmp_path / 'theirs')!r}, 'w').write('x')")
    assert wrote == ("OSError" if lab.isolated else "1")
    assert (tmp_path / "theirs").exists() == (not lab.isolated)
    assert attempt(lab, "open('here', 'w').write('x')") == "1"
    assert attempt(lab, "open('here', 'wb').write(bytes(70 << 20))") == "OSError"


def test_in_the_sandbox_privileges_cannot_be_had_back(lab):
    if lab.isolated:
        undo = "__import__('habemus.sandbox').sandbox"
        assert attempt(lab, f"{undo}.set_attributes('/', 0x8000, 0, 1)") == "PermissionError"
        assert attempt(lab, f"{undo}.isolate()") in ("PermissionError", "OSError")
        assert attempt(lab, "sorted(os.listdir('/dev'))") == str(sorted(sandbox.DEVICES))
        assert attempt(lab, "sorted(int(name) for name in os.listdir('/proc') if name.isdigit())") == "[1, 2]"
        assert attempt(lab, "open('/proc/1/environ').read()") == "PermissionError"
    assert attempt(lab, "open('/proc/%d/environ' % os.getppid()).read()[:0] or 'read'") in (
        ["PermissionError"] if lab.isolated else ["read"]
    )


@pytest.mark.parametrize("what", ["AS", "CPU", "NOFILE", "FSIZE", "CORE"])
def test_a_limit_is_hard(lab, what):
    told = run(lab, "import resource", f"print(resource.getrlimit(resource.RLIMIT_{what}))")
    soft, hard = json.loads(told.strip().replace("(", "[").replace(")", "]"))
    most = {"NOFILE": sandbox.MOST_FILES, "FSIZE": sandbox.FOLDER_SIZE, "CORE": 0}.get(what, 10**10)
    assert 0 <= soft <= hard <= most and hard - soft <= 5


def find(name):
    """The processes of that name."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if entry.read_bytes().startswith(name.encode() + b"\0"):
                found.append(int(entry.parent.name))
    return found


def start_sleeper(name):
    """Code that starts a process in a session of its own, whose parent is gone."""
    child = f"import os\nif os.fork() == 0:\n    os.setsid()\n    os.execvp('sleep', [{name!r}, '1000'])"
    return f"import subprocess, sys; subprocess.run([{sys.executable!r}, '-c', {child!r}])"


def test_what_code_started_in_a_session_of_its_own_ends_with_it(lab):
    name = f"astray-{os.getpid()}"
    worker = threading.Thread(target=run, args=(lab, start_sleeper(name), "import time; time.sleep(2)"))
    worker.start()
    assert eventually(lambda: find(name))
    worker.join()
    assert eventually(lambda: not find(name))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_what_code_started_dies_with_the_lab(lab, number):
    name = f"orphan-{number}"
    with running_lab() as other:
        asking = threading.Thread(target=attempt_in_vain, args=(other, start_sleeper(name)))
        asking.start()
        assert eventually(lambda: find(name))
        sleepers = find(name)
        other.process.send_signal(number)
        other.process.wait(20)
        asking.join()
    assert eventually(lambda: not any(map(is_alive, sleepers)))


def attempt_in_vain(lab, line):
    with suppress(OSError, ValueError, HTTPException):
        run(lab, line, "import time; time.sleep(1000)")
