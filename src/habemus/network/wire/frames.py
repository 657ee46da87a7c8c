"""The frames that go over a connection.

A frame is its length in four bytes and a body. The body is one of the structures below in MessagePack, told apart by
its first element. After the handshake (handshake.py) a seal may follow the body. A connection carries messages from
the process that dialled to the one that accepted, and acknowledgements the other way; to a client, which nobody can
dial, messages go the other way, too.

What arrives is decoded into exactly these structures. Anything else is a malformed frame: nothing that arrives can
name a class or run code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from struct import Struct as Layout

import msgspec
from msgspec import Raw, Struct

from habemus.network.errors import WireError
from habemus.process import Pid

VERSION = 6
LARGEST_FRAME = 1 << 26  # a snapshot of a large lock table travels in one
LARGEST_HANDSHAKE_FRAME = 1 << 12  # an unauthenticated peer may not send more

LENGTH = Layout(">I")
HEAD = LENGTH.size
MESSAGE = 5

Origin = tuple[int, int, int]
"""Of a recorded message: its number, the event that sent it, and its causal depth."""


class Knock(Struct, array_like=True, tag=0, frozen=True):
    """The dialler's first frame. It says no more than the acceptor needs for its challenge."""

    version: int
    group: str
    nonce: bytes


class Hello(Struct, array_like=True, tag=11, frozen=True):
    """After the proofs, under seal: who the dialler is, whom it wants to reach, and what it runs."""

    sender: Pid
    to: Pid
    lineage: str
    incarnation: int
    instance: bytes
    stack: tuple[str, ...]
    parameters: tuple[str, ...]
    fingerprint: bytes
    members: tuple[Pid, ...]
    founded: bool = False  # they have met
    ancestors: tuple[str, ...] = ()  # instances of earlier incarnations, and its own
    client: bool = False  # it is none of the members, and uses their group
    promises: int = 0  # that it had made when it started


class Challenge(Struct, array_like=True, tag=1, frozen=True):
    """The acceptor's answer: its proof of membership, and what the dialler has to prove."""

    nonce: bytes
    proof: bytes


class Proof(Struct, array_like=True, tag=2, frozen=True):
    """The dialler's proof of membership."""

    proof: bytes


class Welcome(Struct, array_like=True, tag=3, frozen=True):
    """The connection is open. All reliable messages up to number `received` have arrived: continue after it."""

    received: int
    instance: bytes


class Refusal(Struct, array_like=True, tag=4, frozen=True):
    """The connection is refused; `final`: trying again will not help. A stranger is not told the reason."""

    reason: str
    final: bool = False
    members: tuple[Pid, ...] = ()  # of the acceptor, if the dialler has others
    founded: bool = False  # they have met
    namesake: bool = False  # another process with the dialler's id is connected


class MessageFrame(Struct, array_like=True, tag=MESSAGE, frozen=True):
    """A message of an algorithm. Reliable ones are numbered from 1, others have number 0."""

    number: int
    kind: int
    fields: Raw
    origin: Origin | None = None  # where a trace is recorded


class Acknowledgement(Struct, array_like=True, tag=6, frozen=True):
    """All reliable messages up to this number have been processed, and what they changed is on disk."""

    number: int


class Farewell(Struct, array_like=True, tag=7, frozen=True):
    """The sender leaves the group on purpose."""


class Registration(Struct, array_like=True, tag=8, frozen=True):
    """To a registry, instead of a hello: the sender is, or wants to become, a member and can be reached here."""

    id: Pid
    host: str
    port: int
    members: tuple[tuple[Pid, str, int], ...] = ()  # if the sender has got the list already


class MemberList(Struct, array_like=True, tag=9, frozen=True):
    """The registry's answer when all members have registered."""

    members: tuple[tuple[Pid, str, int], ...]


class Follows(Struct, array_like=True, tag=10, frozen=True):
    """The sender now follows this leader."""

    leader: Pid | None


class Promised(Struct, array_like=True, tag=12, frozen=True):
    """The sender has made so many promises: they are on its disk."""

    promises: int


Body = (
    Knock
    | Hello
    | Challenge
    | Proof
    | Welcome
    | Refusal
    | MessageFrame
    | Acknowledgement
    | Farewell
    | Registration
    | MemberList
    | Follows
    | Promised
)

MALFORMED = (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError)

_decoder: msgspec.msgpack.Decoder[Body] = msgspec.msgpack.Decoder(Body)

encode = msgspec.msgpack.Encoder().encode


def decode(body: bytes) -> Body:
    try:
        return _decoder.decode(body)
    except MALFORMED as error:
        raise WireError(f"malformed frame: {error}") from None


def make_frame(body: bytes) -> bytes:
    return LENGTH.pack(len(body)) + body


class FrameReader:
    """Cuts a stream of bytes into frames; buffers at most one unfinished frame."""

    def __init__(self) -> None:
        self.limit = LARGEST_HANDSHAKE_FRAME
        self.data = b""
        self.position = 0  # up to which the data has been cut

    def feed(self, data: bytes) -> Iterable[bytes]:
        """The bodies that this data completes. The limit may change between two of them."""
        if self.position == len(self.data) and len(data) >= HEAD:
            (length,) = LENGTH.unpack_from(data)
            if length == len(data) - HEAD and length <= self.limit:  # one frame and no more, as nearly always
                return (data[HEAD:],)
        return self.cut(data)

    def cut(self, data: bytes) -> Iterator[bytes]:
        self.data = data = self.data[self.position :] + data if self.position < len(self.data) else data
        self.position = start = 0
        while len(data) >= (body := start + HEAD):
            (length,) = LENGTH.unpack_from(data, start)
            if length > self.limit:
                raise WireError(f"oversized frame: {length:,} bytes, the limit is {self.limit:,}")
            start = body + length
            if len(data) < start:
                return
            self.position = start
            yield data[body:start]
