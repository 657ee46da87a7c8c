"""A lab in a process of its own, and how to talk to it."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

COMMAND = [sys.executable, "-c", "import sys; from habemus.cli import main; sys.exit(main())"]


class Answer:
    """What the lab said."""

    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json["error"]

    @property
    def events(self):
        """Server-sent events, as (name, content)."""
        blocks = [block.split("\n") for block in self.body.decode().split("\n\n") if block]
        return [(head.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for head, data in blocks]


class Visitor:
    """Somebody who knows the address of a lab."""

    def __init__(self, address):
        parts = urlsplit(address)
        self.port = parts.port
        self.token = parse_qs(parts.query)["token"][0]

    def ask(self, method, path, body=None, headers=None, timeout=60):
        """Ask for something; a body that is not bytes becomes JSON."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        content = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        try:
            connection.request(method, path, content, headers or {})
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def post(self, path, body=None, **more):
        return self.ask("POST", path, {} if body is None else body, **more)

    def trusted(self, path, body=None, method="POST", **more):
        """The same with the token."""
        return self.ask(method, path, body, {"X-Habemus-Token": self.token}, **more)


class RunningLab(Visitor):
    """A lab that was started with `habemus lab`."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            [*COMMAND, "lab", "--no-open", "--port", "0", *options], stdout=subprocess.PIPE, text=True
        )
        self.line = self.process.stdout.readline()
        super().__init__(self.line.split()[-1])

    def children(self):
        """The processes that it has started, and theirs."""
        return descendants(self.process.pid)

    def end(self):
        """Ctrl-C; the exit status."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(20)


@contextmanager
def running_lab(*options):
    lab = RunningLab(*options)
    try:
        yield lab
    finally:
        if lab.process.poll() is None:
            lab.end()
        lab.process.stdout.close()


def descendants(pid):
    """The ids of all processes below one, as /proc has them."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] != "Z":
                parents[int(entry.name)] = int(fields[1])
    found, ahead = [], [pid]
    while ahead:
        parent = ahead.pop()
        below = [child for child, above in parents.items() if above == parent]
        found += below
        ahead += below
    return found


def is_alive(pid):
    """Whether there is such a process that is not just waiting to be buried."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def eventually(claim, seconds=10.0):
    """Whether something comes true in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if claim():
            return True
        time.sleep(0.05)
    return False
