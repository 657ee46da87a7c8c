"""Whatever bytes reach a node's port, it stays up, its memory stays flat and its group does not notice."""

import asyncio
import os
import resource
import socket
import subprocess
import sys
import time
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from urllib.request import urlopen

import msgspec
import pytest
from groups import free_ports
from hypothesis import given, settings
from hypothesis import strategies as st

from habemus.network.errors import WireError
from habemus.network.handshake import Identity, accept_challenge, new_hello
from habemus.network.node import Node
from habemus.network.wire import (
    LENGTH,
    Challenge,
    Farewell,
    Follows,
    Frames,
    Hello,
    Parcel,
    Proof,
    Receipt,
    Refusal,
    Welcome,
    decoded,
    encoded,
    framed,
)
from habemus.scenario import Scenario

KEY = b"the key of the test"
SETTINGS = {"low": 5000, "high": 6000, "heartbeat": 500}  # nobody is replaced just because the machine is busy
HABEMUS = [sys.executable, "-c", "import sys; from habemus.cli import main; sys.exit(main())"]
STREAMS = int(os.environ.get("HABEMUS_STREAMS", "250"))  # of each kind; 2,500 make ten thousand
FLAT = 4 << 20  # bytes that a few hundred or thousand connections may cost for good


class Live:
    """Two processes of a group of three; the third member is the test."""

    def __init__(self, folder):
        self.folder = folder
        ports = free_ports(5)
        self.port, self.pages = ports[0], ports[3:]
        peers = ",".join(f"{id}=127.0.0.1:{ports[id - 1]}" for id in (1, 2, 3))
        (folder / "key").write_bytes(KEY)
        common = [
            "node",
            "--algorithm",
            "raft-election",
            "--peers",
            peers,
            "--key-file",
            str(folder / "key"),
            "--wait",
            "0.3",
        ]
        common += [word for setting in SETTINGS.items() for word in ("--set", "{}={}".format(*setting))]
        self.processes = [
            subprocess.Popen(
                [*HABEMUS, *common, "--id", str(id), "--http", f"127.0.0.1:{page}", "--data", str(folder / str(id))],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            for id, page in zip((1, 2), self.pages, strict=True)
        ]
        deadline = time.monotonic() + 60
        while not self.unharmed():
            assert time.monotonic() < deadline, "they do not come up"
            time.sleep(0.05)

    def stop(self):
        for process in self.processes:
            process.kill()
            process.wait()

    def page(self, node, path):
        with urlopen(f"http://127.0.0.1:{self.pages[node - 1]}{path}", timeout=30) as answer:
            return answer.read()

    @property
    def refusals(self):
        lines = self.page(1, "/metrics").decode().splitlines()
        return float(next(line for line in lines if line.startswith("habemus_refused_connections_total")).split()[1])

    @property
    def histories(self):
        return [self.page(node, "/history") for node in (1, 2)]

    @property
    def resident(self):
        return int(Path(f"/proc/{self.processes[0].pid}/statm").read_text().split()[1]) * resource.getpagesize()

    def unharmed(self):
        """Both are up and agree on a leader."""
        try:
            leaders = {msgspec.json.decode(self.page(node, "/status"))["leader"] for node in (1, 2)}
        except OSError:
            return False
        return len(leaders) == 1 and None not in leaders

    @cached_property
    def identity(self) -> Identity:
        async def member():
            scenario = Scenario("raft-election", parameters=SETTINGS)
            return Node(scenario, 3, {id: ("127.0.0.1", id) for id in (1, 2, 3)}, self.folder / "3").identity

        return asyncio.run(member())._replace(lineage="", incarnation=1, instance=b"the test")

    def talk(self, *pieces: bytes) -> bytes:
        """Say something to node 1, and hear it out until it hangs up."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            heard = b""
            try:
                for piece in pieces:
                    connection.sendall(piece)
                connection.shutdown(socket.SHUT_WR)
                while data := connection.recv(65536):
                    heard += data
            except OSError:
                pass  # it hung up in the middle of our words
            return heard

    def join(self, *bodies: bytes) -> list[bytes]:
        """Prove to be member 3, then say something under the right seal; what was answered then."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            frames = Frames()
            hello = encoded(new_hello(self.identity, 1))
            connection.sendall(framed(hello))
            challenge = self.next_frame(connection, frames)
            shared = accept_challenge(decoded(challenge), KEY, hello)
            outgoing, incoming = shared.seals()
            said = [framed(encoded(Proof(shared.proof(b"habemus dialler"))))]
            said += [framed(outgoing.close(body)) for body in bodies]
            connection.sendall(b"".join(said))
            self.recorded = [framed(hello), *said]
            assert isinstance(decoded(incoming.open(self.next_frame(connection, frames))), Welcome)
            connection.shutdown(socket.SHUT_WR)
            rest = b""
            try:
                while data := connection.recv(65536):
                    rest += data
            except ConnectionError:
                pass
            return [incoming.open(frame) for frame in frames.feed(rest)]

    @staticmethod
    def next_frame(connection, frames):
        while True:
            for frame in frames.feed(connection.recv(65536)):
                return frame


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    live = Live(tmp_path_factory.mktemp("live"))
    try:
        for _ in range(20):
            live.talk(b"warm up")
        histories, resident = live.histories, live.resident
        yield live
        assert live.unharmed()
        assert live.histories == histories, "the group has noticed"
        assert live.resident - resident < FLAT
    finally:
        live.stop()


numbers = st.integers(-(2**63), 2**64 - 1)
values = st.recursive(
    st.none() | st.booleans() | numbers | st.floats() | st.binary(max_size=30) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=15,
)
small = st.integers(0, 2**32 - 1)
short = st.binary(max_size=40)
bodies = st.one_of(
    st.binary(max_size=200),
    values.map(msgspec.msgpack.encode),
    st.tuples(st.integers(-1, 11), st.lists(values, max_size=12)).map(lambda t: msgspec.msgpack.encode([t[0], *t[1]])),
    st.builds(
        Hello, small, st.text(max_size=20), small, small, st.text(max_size=20), small, short, short,
        st.just(("raft-election",)), st.just(("low=5000",)), short,
        st.just((1, 2, 3)),
    ).map(encoded),
    st.builds(Challenge, small, short, short, short).map(encoded),
    st.builds(Proof, short).map(encoded),
    st.builds(Welcome, small).map(encoded),
    st.builds(Refusal, st.text(max_size=50), st.booleans()).map(encoded),
    st.builds(Receipt, small).map(encoded),
    st.just(encoded(Farewell())),
)  # fmt: skip


@settings(max_examples=STREAMS)
@given(pieces=st.lists(st.binary(max_size=400), min_size=1, max_size=4))
def test_garbage_ends_a_connection_and_nothing_else(live, pieces):
    live.talk(*pieces)
    assert live.unharmed()


@settings(max_examples=STREAMS)
@given(frames=st.lists(bodies, min_size=1, max_size=5), cut=st.integers(0, 50), lie=st.none() | small)
def test_well_formed_frames_of_strangers_get_nobody_in(live, frames, cut, lie):
    stream = b"".join(map(framed, frames))
    if lie is not None:
        stream = LENGTH.pack(lie) + stream
    heard = live.talk(stream[: len(stream) - cut] if cut < len(stream) else stream)
    told = [decoded(frame) for frame in Frames().feed(heard)]
    assert all(isinstance(each, Refusal) for each in told)
    assert live.unharmed()


@settings(max_examples=STREAMS)
@given(changes=st.dictionaries(st.integers(0, 11), values, min_size=1, max_size=3))
def test_a_hello_that_is_not_quite_right_is_told_why(live, changes):
    hello = msgspec.msgpack.decode(encoded(new_hello(live.identity, 1)))
    for place, value in changes.items():
        hello[place + 1] = value
    told = [decoded(frame) for frame in Frames().feed(live.talk(framed(msgspec.msgpack.encode(hello))))]
    assert len(told) == 1
    assert isinstance(told[0], Refusal | Challenge)  # what is left out of a hello's meaning can be anything
    if isinstance(told[0], Challenge):
        assert changes.keys() <= {4, 5, 6}
    else:
        assert told[0].reason.isprintable() and len(told[0].reason) <= 500  # whatever it said, it spoils no log
    assert live.unharmed()


def malformed(body):
    """Whether a body is nothing that a member may say once it is in."""
    try:
        found = decoded(body)
    except WireError:
        return True
    return not isinstance(found, Parcel | Farewell | Follows)


parcels = st.builds(
    lambda number, kind, fields: encoded(Parcel(number, kind, msgspec.Raw(msgspec.msgpack.encode(fields)))),
    st.just(0),
    st.integers(-3, 50).filter(lambda kind: not 0 <= kind < 7) | st.integers(0, 5),
    st.lists(st.text(max_size=4) | st.none() | st.floats(), min_size=1, max_size=4),
)


@settings(max_examples=STREAMS)
@given(body=bodies.filter(malformed) | parcels)
def test_a_member_that_talks_nonsense_loses_its_connection_and_nothing_else(live, body):
    refused = live.refusals
    live.join(body)
    assert live.refusals == refused + 1
    assert live.unharmed()


def test_a_recorded_conversation_cannot_be_repeated(live):
    live.join()
    refused = live.refusals
    heard = live.talk(*live.recorded)
    assert live.refusals == refused + 1
    told = [decoded(frame) for frame in Frames().feed(heard)]
    assert isinstance(told[0], Challenge) and isinstance(told[-1], Refusal)
    assert "does not have our key" in told[-1].reason


def test_those_who_say_nothing_are_shown_out_and_too_many_are_not_let_in(live):
    crowd = [socket.create_connection(("127.0.0.1", live.port), timeout=30) for _ in range(300)]
    try:
        for each in crowd:
            with suppress(ConnectionError):
                assert each.recv(1) == b""
    finally:
        for each in crowd:
            each.close()
    assert live.unharmed()
