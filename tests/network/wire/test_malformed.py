"""Whatever bytes reach a node's port, it stays up, its memory stays flat and its group does not notice."""

import asyncio
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
from soak import runs

from habemus.network.errors import WireError
from habemus.network.node.node import Node
from habemus.network.wire.endpoint import NOT_TOLD
from habemus.network.wire.frames import (
    LENGTH,
    VERSION,
    Acknowledgement,
    Challenge,
    Farewell,
    Follows,
    FrameReader,
    Hello,
    Knock,
    MessageFrame,
    Proof,
    Refusal,
    Registration,
    Welcome,
    decode,
    encode,
    make_frame,
)
from habemus.network.wire.handshake import Identity, accept_challenge, new_hello, new_knock
from habemus.scenario import Scenario

KEY = b"the key of the test"
SETTINGS = {"low": 5000, "high": 6000, "heartbeat": 500}  # nobody is replaced just because the machine is busy
HABEMUS = [sys.executable, "-c", "import sys; from habemus.cli import main; sys.exit(main())"]
STREAMS = runs(100, soak=2_500)  # of each kind
FLAT = 4 << 20  # bytes that a few hundred or thousand connections may cost for good


class Live:
    """Two processes of a group of three; the third member is the test."""

    def __init__(self, folder):
        self.folder = folder
        ports = free_ports(5)
        self.port, self.pages = ports[0], ports[3:]
        peers = ",".join(f"{id}=127.0.0.1:{ports[id - 1]}" for id in (1, 2, 3))
        (folder / "key").write_bytes(KEY)
        (folder / "key").chmod(0o600)
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
            return Node(scenario, 3, {id: ("127.0.0.1", id) for id in (1, 2, 3)}, self.folder / "3").peers.identity

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

    def join(self, *bodies: bytes, hello: bytes | None = None) -> list[bytes]:
        """Prove to have the key, say who one is (member 3), then something under the right seal; what was answered."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            frames = FrameReader()
            knock = new_knock(self.identity.group)
            connection.sendall(make_frame(knock))
            challenge = self.next_frame(connection, frames)
            shared = accept_challenge(decode(challenge), KEY, knock)
            outgoing, incoming = shared.seals()
            said = [make_frame(encode(Proof(shared.proof(b"habemus dialler"))))]
            introduction = encode(new_hello(self.identity, 1)) if hello is None else hello
            said += [make_frame(outgoing.attach(body)) for body in (introduction, *bodies)]
            connection.sendall(b"".join(said))
            self.recorded = [make_frame(knock), *said]
            first = incoming.verify(self.next_frame(connection, frames))
            assert hello is not None or isinstance(decode(first), Welcome)
            connection.shutdown(socket.SHUT_WR)
            rest = b""
            try:
                while data := connection.recv(65536):
                    rest += data
            except ConnectionError:
                pass
            return [first, *(incoming.verify(frame) for frame in frames.feed(rest))]

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
    st.tuples(st.integers(-1, 12), st.lists(values, max_size=12)).map(lambda t: msgspec.msgpack.encode([t[0], *t[1]])),
    st.builds(
        Hello, small, small, st.text(max_size=20), small, short,
        st.just(("raft-election",)), st.just(("low=5000",)), short,
        st.just((1, 2, 3)),
    ).map(encode),
    st.builds(Knock, small, st.text(max_size=20), short).map(encode),
    st.builds(Challenge, short, short).map(encode),
    st.builds(Proof, short).map(encode),
    st.builds(Welcome, small, short).map(encode),
    st.builds(Refusal, st.text(max_size=50), st.booleans()).map(encode),
    st.builds(Acknowledgement, small).map(encode),
    st.just(encode(Farewell())),
)  # fmt: skip


@settings(max_examples=STREAMS)
@given(pieces=st.lists(st.binary(max_size=400), min_size=1, max_size=4))
def test_garbage_ends_a_connection_and_nothing_else(live, pieces):
    live.talk(*pieces)
    assert live.unharmed()


@settings(max_examples=STREAMS)
@given(frames=st.lists(bodies, min_size=1, max_size=5), cut=st.integers(0, 50), lie=st.none() | small)
def test_well_formed_frames_of_strangers_get_nobody_in(live, frames, cut, lie):
    stream = b"".join(map(make_frame, frames))
    if lie is not None:
        stream = LENGTH.pack(lie) + stream
    heard = live.talk(stream[: len(stream) - cut] if cut < len(stream) else stream)
    told = [decode(frame) for frame in FrameReader().feed(heard)]
    assert set(told) <= {Refusal(NOT_TOLD)}
    assert live.unharmed()


@settings(max_examples=STREAMS)
@given(changes=st.dictionaries(st.integers(0, 8), values, min_size=1, max_size=3))
def test_a_member_whose_hello_is_not_quite_right_is_told_why(live, changes):
    hello = msgspec.msgpack.decode(encode(new_hello(live.identity, 1)))
    for place, value in changes.items():
        hello[place + 1] = value
    (first, *rest) = map(decode, live.join(hello=msgspec.msgpack.encode(hello)))
    assert isinstance(first, Refusal | Welcome) and not rest
    if isinstance(first, Welcome):
        assert changes.keys() <= {2, 3, 4}  # what is left out of a hello's meaning can be anything
    else:
        assert first.reason.isprintable() and len(first.reason) <= 500  # whatever it said, it spoils no log
    assert live.unharmed()


@pytest.mark.parametrize(
    "said",
    [
        [Knock(1, "habemus", b"n" * 16)],
        [Knock(VERSION, "other", b"n" * 16)],
        [Knock(VERSION, "habemus", b"n")],
        [Knock(VERSION, "habemus", b"n" * 16), Proof(b"p" * 32)],
        [Knock(VERSION, "habemus", b"n" * 16), Knock(VERSION, "habemus", b"n" * 16)],
        [Hello(3, 1, "", 1, b"", ("bully",), (), b"", (7, 8))],
        [Registration(9, "127.0.0.1", 1)],
        [Farewell()],
    ],
)
def test_whoever_cannot_prove_membership_is_told_nothing(live, said):
    heard = live.talk(*(make_frame(encode(each)) for each in said))
    *before, last = [decode(frame) for frame in FrameReader().feed(heard)]
    assert last == Refusal(NOT_TOLD)
    assert all(isinstance(each, Challenge) for each in before)
    assert not any(word in heard for word in (b"raft", b"low", b"member", b"group", b"version", b"process 1"))


def malformed(body):
    """Whether a body is nothing that a member may say once it is in."""
    try:
        found = decode(body)
    except WireError:
        return True
    return not isinstance(found, MessageFrame | Farewell | Follows)


messages = st.builds(
    lambda number, kind, fields: encode(MessageFrame(number, kind, msgspec.Raw(msgspec.msgpack.encode(fields)))),
    st.just(0),
    st.integers(-3, 50).filter(lambda kind: not 0 <= kind < 7) | st.integers(0, 5),
    st.lists(st.text(max_size=4) | st.none() | st.floats(), min_size=1, max_size=4),
)


@settings(max_examples=STREAMS)
@given(body=bodies.filter(malformed) | messages)
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
    told = [decode(frame) for frame in FrameReader().feed(heard)]
    assert isinstance(told[0], Challenge) and told[-1] == Refusal(NOT_TOLD)


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
