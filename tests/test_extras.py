"""The core alone: what it can do without the extras, and how it asks for the one that is missing."""

import http.client
import socket
import subprocess
import sys
import time

import pytest

BLOCKED = """
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"matplotlib", "networkx", "numpy", "starlette", "uvicorn", "zeroconf"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Blocker())
from habemus.cli import main
sys.exit(main())
"""


def run_core(*arguments):
    return subprocess.run([sys.executable, "-c", BLOCKED, *arguments], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["algorithms"],
        ["simulate", "bully", "--digest", "--json"],
        ["check", "chang-roberts", "--n", "3", "--jobs", "1"],
        ["quorum", "--n", "5", "--p", "0.1"],
        ["up", "-n", "1", "--for", "1"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_the_core_runs_without_the_extras(arguments):
    done = run_core(*arguments)
    assert done.returncode == 0, done.stderr


def test_a_node_answers_over_http_without_the_extras(tmp_path):
    wire, web = free_port(), free_port()
    options = ["--id", "1", "--peers", f"1=127.0.0.1:{wire}", "--http", f"127.0.0.1:{web}", "--data", str(tmp_path)]
    node = subprocess.Popen([sys.executable, "-c", BLOCKED, "node", *options], stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 60
        while not leads(web):
            assert node.poll() is None and time.monotonic() < deadline
            time.sleep(0.1)
    finally:
        node.terminate()
        node.communicate(timeout=60)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


def leads(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", "/leader")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["lab"], "habemus lab needs starlette and uvicorn: pip install 'habemus[lab]'."),
        (["sweep", "bully", "--n", "3", "--plot", "x.svg"], "--plot needs matplotlib: pip install 'habemus[lab]'."),
        (
            ["simulate", "echo-extinction", "--graph", "x.graphml"],
            "topology.file needs networkx: pip install 'habemus[lab]'.",
        ),
        (["check", "yoyo", "--n", "3", "--all-graphs"], "--all-graphs needs networkx: pip install 'habemus[lab]'."),
        (
            ["node", "--id", "1", "--listen", "127.0.0.1:17991", "--expect", "2", "--zeroconf"],
            "--zeroconf needs zeroconf: pip install 'habemus[discovery]'.",
        ),
    ],
    ids=lambda given: given[0] if isinstance(given, list) else "",
)
def test_a_missing_extra_is_asked_for_in_one_sentence(arguments, sentence):
    done = run_core(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"habemus: {sentence}\n")
