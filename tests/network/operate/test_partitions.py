"""Real partitions: each process in a network namespace of its own, and cables that the test pulls.

The namespaces hang on a bridge, in a namespace of its own, too; a partition moves some of them to a second bridge. It
takes the right to make namespaces, which root has.
"""

import json
import os
import random
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from soak import runs

from habemus.trace import read_trace
from habemus.trace.merging import merge
from habemus.trace.story import read_story

HABEMUS = [sys.executable, "-c", "import sys; from habemus.cli import main; sys.exit(main())"]
RUNS = runs(2, soak=50)  # the leader is in the minority, then in the majority
BEATS = ["--layer", "heartbeat", "--set", "heartbeat.period=200", "--set", "heartbeat.timeout=1500"]
TERMS = ["--set", "low=400", "--set", "high=800", "--set", "heartbeat=100"]


def ip(*words, namespace=None):
    where = ["-n", namespace] if namespace else []
    subprocess.run(["ip", *where, *words], check=True, capture_output=True)


class Lab:
    """Processes 1 ... n, their namespaces and the hub between them."""

    def __init__(self, n, folder, options):
        self.n, self.folder = n, folder
        self.name = f"habemus-{os.getpid()}"
        self.hub = f"{self.name}-hub"
        self.processes = {}
        (folder / "key").write_text("the key of this laboratory")
        (folder / "key").chmod(0o600)
        self.options = [*options, "--peers", ",".join(f"{id}={self.host(id)}:7000" for id in self.ids)]

    @property
    def ids(self):
        return range(1, self.n + 1)

    def host(self, id):
        return f"10.77.0.{id}"

    def namespace(self, id):
        return f"{self.name}-{id}"

    def build(self):
        ip("netns", "add", self.hub)
        for bridge in ("one", "two"):
            ip("link", "add", bridge, "type", "bridge", namespace=self.hub)
            ip("link", "set", bridge, "up", namespace=self.hub)
        for id in self.ids:
            ip("netns", "add", self.namespace(id))
            cable = ["link", "add", f"to{id}", "type", "veth", "peer", "name", "eth0", "netns", self.namespace(id)]
            ip(*cable, namespace=self.hub)
            ip("link", "set", f"to{id}", "master", "one", "up", namespace=self.hub)
            ip("addr", "add", f"{self.host(id)}/24", "dev", "eth0", namespace=self.namespace(id))
            for device in ("lo", "eth0"):
                ip("link", "set", device, "up", namespace=self.namespace(id))

    def start(self):
        for id in self.ids:
            command = ["ip", "netns", "exec", self.namespace(id), *HABEMUS, "node", "--id", str(id), *self.options]
            command += ["--data", str(self.folder / str(id)), "--key-file", str(self.folder / "key"), "--log", "json"]
            command += ["--trace", str(self.folder / f"{id}.jsonl"), "--report-every", "0.2", "--wait", "3"]
            with open(self.folder / f"{id}.out", "wb") as out, open(self.folder / f"{id}.err", "wb") as err:
                self.processes[id] = subprocess.Popen(command, stdout=out, stderr=err)

    def reports(self, id):
        lines = (self.folder / f"{id}.out").read_bytes().split(b"\n")[:-1]
        return [json.loads(line) for line in lines]

    def leader_of(self, id):
        said = self.reports(id)
        return said[-1]["leader"] if said else None

    def agree(self, ids):
        leaders = {self.leader_of(id) for id in ids}
        return len(leaders) == 1 and None not in leaders

    def partition(self, some):
        for id in some:
            ip("link", "set", f"to{id}", "master", "two", namespace=self.hub)

    def heal(self):
        for id in self.ids:
            ip("link", "set", f"to{id}", "master", "one", namespace=self.hub)

    def mute(self, id, towards):
        """What `id` sends to these is lost; what they send still arrives."""
        for other in towards:
            ip("route", "add", "blackhole", f"{self.host(other)}/32", namespace=self.namespace(id))

    def unmute(self, id, towards):
        for other in towards:
            ip("route", "del", "blackhole", f"{self.host(other)}/32", namespace=self.namespace(id))

    def end(self):
        for process in self.processes.values():
            process.kill()
            process.wait()
        for name in [self.namespace(id) for id in self.ids] + [self.hub]:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)


@contextmanager
def lab(n, folder, *options):
    made = Lab(n, folder, options)
    try:
        made.build()
        made.start()
        wait_for(lambda: made.agree(made.ids))
        yield made
    finally:
        made.end()


def wait_for(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.05)


def leaders_by_term(made):
    led = {}
    for id in made.ids:
        for said in made.reports(id):
            if said["leader"] == id:
                led.setdefault(said["term"], set()).add(id)
    return led


@pytest.mark.parametrize("run", range(RUNS))
def test_raft_has_one_leader_a_term_and_elects_none_in_the_minority(run, tmp_path):
    chance = random.Random(run)
    with lab(5, tmp_path, "--algorithm", "raft-election-steady", *TERMS) as made:
        first = made.leader_of(1)
        minority = [first, first % 5 + 1] if run % 2 == 0 else [id for id in made.ids if id != first][:2]
        majority = [id for id in made.ids if id not in minority]
        time.sleep(chance.uniform(0, 0.5))
        made.partition(minority)
        wait_for(lambda: made.agree(majority) and made.leader_of(majority[0]) in majority)
        wait_for(lambda: all(made.leader_of(id) is None for id in minority))
        known = {id: len(made.reports(id)) for id in minority}
        time.sleep(chance.uniform(0.5, 1.5))
        assert not any(said["leader"] for id in minority for said in made.reports(id)[known[id] :])
        made.heal()
        wait_for(lambda: made.agree(made.ids))
        assert all(len(who) == 1 for who in leaders_by_term(made).values())


def test_a_leader_that_is_heard_but_hears_nobody_steps_down(tmp_path):
    with lab(3, tmp_path, "--algorithm", "raft-election-steady", *TERMS) as made:
        first = made.leader_of(1)
        others = [id for id in made.ids if id != first]
        for other in others:
            made.mute(other, [first])
        wait_for(lambda: any(said["leader"] is None for said in made.reports(first)[-3:]))
        for other in others:
            made.unmute(other, [first])
        wait_for(lambda: made.agree(made.ids))
        assert all(len(who) == 1 for who in leaders_by_term(made).values())


def test_bully_splits_its_brain_and_the_trace_says_so(tmp_path):
    with lab(5, tmp_path, "--algorithm", "bully", *BEATS) as made:
        wait_for(lambda: made.agree(made.ids) and made.leader_of(1) == 5)
        made.partition([4, 5])
        wait_for(lambda: [made.leader_of(id) for id in made.ids] == [3, 3, 3, 5, 5])
        time.sleep(0.5)
        merged = merge([read_trace(tmp_path / f"{id}.jsonl") for id in made.ids])
        assert sorted(read_story(merged).leaders) == [3, 5]
