"""What goes over a connection.

A frame is its length in four bytes and a body. The body is one of the structures below in MessagePack, told apart by
its first element; once the two ends know each other (handshake.py) a seal may follow it. A connection carries parcels
from the process that dialled to the one that accepted, and receipts the other way.

A message travels as the number of its type and the tuple of its fields. Both ends number the types of their stack in
the same way, which they make sure of when they meet. The fields are decoded into exactly the types that the message
declares: what does not fit is refused, and nothing that arrives can name a class or run code.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from struct import Struct as Layout
from typing import Any

import msgspec
from msgspec import Raw, Struct

from habemus.network.errors import NetworkError, WireError
from habemus.network.synchroniser import EndOfPulse
from habemus.process import Anatomy, Message, Pid
from habemus.process.anatomy import field_types, is_frozen

VERSION = 3
LARGEST_FRAME = 1 << 20
LARGEST_GREETING = 1 << 14  # until the other end is known

LENGTH = Layout(">I")
HEAD = LENGTH.size
PARCEL = 5


class Hello(Struct, array_like=True, tag=0, frozen=True):
    """Whoever dials begins with who it is, whom it means to reach and what it runs."""

    version: int
    group: str
    sender: Pid
    to: Pid
    lineage: str
    incarnation: int
    instance: bytes
    nonce: bytes
    stack: tuple[str, ...]
    parameters: tuple[str, ...]
    fingerprint: bytes
    members: tuple[Pid, ...]


class Challenge(Struct, array_like=True, tag=1, frozen=True):
    """The one who accepts says who it is, and proves that it belongs to the group."""

    incarnation: int
    instance: bytes
    nonce: bytes
    proof: bytes


class Proof(Struct, array_like=True, tag=2, frozen=True):
    """The one who dials proves it, too."""

    proof: bytes


class Welcome(Struct, array_like=True, tag=3, frozen=True):
    """Go on after this number: all reliable parcels of yours up to it have arrived."""

    received: int


class Refusal(Struct, array_like=True, tag=4, frozen=True):
    """You cannot stay, and why; `final`: there is no point in trying again."""

    reason: str
    final: bool = False


class Parcel(Struct, array_like=True, tag=PARCEL, frozen=True):
    """A message. Reliable ones are numbered from 1; `origin` is the event that sent it, where a trace is recorded."""

    number: int
    kind: int
    fields: Raw
    origin: tuple[int, int, int] | None = None


class Receipt(Struct, array_like=True, tag=6, frozen=True):
    """All reliable parcels up to this number have arrived, and what they led to is on disk."""

    number: int


class Farewell(Struct, array_like=True, tag=7, frozen=True):
    """I leave, and on purpose."""


class Follows(Struct, array_like=True, tag=10, frozen=True):
    """This is whom I follow."""

    leader: Pid | None


class Enlist(Struct, array_like=True, tag=8, frozen=True):
    """To a registry, in place of a hello: I want to be a member, and this is where I am."""

    version: int
    group: str
    id: Pid
    host: str
    port: int
    nonce: bytes


class Roll(Struct, array_like=True, tag=9, frozen=True):
    """The registry's answer, when all are there: these are the members."""

    members: tuple[tuple[Pid, str, int], ...]


Body = Hello | Challenge | Proof | Welcome | Refusal | Parcel | Receipt | Farewell | Follows | Enlist | Roll

_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[Body] = msgspec.msgpack.Decoder(Body)

encoded = _encoder.encode


def decoded(body: bytes) -> Body:
    """The structure that a body holds."""
    try:
        return _decoder.decode(body)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError) as error:
        raise WireError(f"a frame that is none: {error}") from None


def framed(body: bytes) -> bytes:
    """A body with its length before it."""
    return LENGTH.pack(len(body)) + body


class Frames:
    """Cuts a stream of bytes into frames; keeps no more than one unfinished frame."""

    def __init__(self) -> None:
        self.limit = LARGEST_GREETING
        self.data = b""
        self.position = 0  # up to which it has been cut

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The bodies that are complete with this data, each cut off only when the one before has been dealt with."""
        self.data = data = self.data[self.position :] + data if self.position < len(self.data) else data
        self.position = start = 0
        while len(data) >= (body := start + HEAD):
            (length,) = LENGTH.unpack_from(data, start)
            if length > self.limit:
                raise WireError(f"a frame of {length:,} bytes; at most {self.limit:,} are taken here")
            start = body + length
            if len(data) < start:
                return
            self.position = start
            yield data[body:start]


class Codec:
    """The messages of a stack as bytes, and back."""

    def __init__(self, stack: list[Anatomy]) -> None:
        self.types = [message for anatomy in stack for message in messages_of(anatomy)] + [EndOfPulse]
        self.numbers = {message: number for number, message in enumerate(self.types)}
        declared = [dict(field_types(message)) for message in self.types]
        self.fields = [list(types) for types in declared]
        hints = [list(types.values()) for types in declared]
        self.decoders = [decoder_for(message, types) for message, types in zip(self.types, hints, strict=True)]
        shape = [(m.__name__, list(zip(names, map(str, types), strict=True))) for m, names, types in self.rows(hints)]
        self.fingerprint = hashlib.sha256(repr(shape).encode()).digest()[:8]

    def rows(self, hints: list[list[Any]]) -> Iterator[tuple[Any, list[str], list[Any]]]:
        """Each type with its fields and theirs."""
        return zip(self.types, self.fields, hints, strict=True)

    def parcel(self, message: Message, number: int, origin: tuple[int, int, int] | None) -> bytes:
        """A message ready to be sent."""
        kind = self.numbers[type(message)]
        fields = [getattr(message, name) for name in self.fields[kind]]
        return _encoder.encode((PARCEL, number, kind, fields, origin))  # as a Parcel would be, in one go

    def message(self, parcel: Parcel) -> Message:
        """The message in a parcel."""
        if not 0 <= parcel.kind < len(self.types):
            raise WireError(f"a message of type {parcel.kind}; there are {len(self.types)} here")
        try:
            values = self.decoders[parcel.kind].decode(parcel.fields)
        except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError) as error:
            raise WireError(f"a {self.types[parcel.kind].__name__} that is none: {error}") from None
        message: Message = self.types[parcel.kind](*values)
        return message


def messages_of(anatomy: Anatomy) -> list[Any]:
    """The types of message that a layer may receive. A pulse does not say which: all that its module defines."""
    found = list(anatomy.messages)
    if "pulse" in anatomy.events:
        module = vars(sys.modules[anatomy.cls.__module__])
        local = [m for m in module.values() if isinstance(m, type) and issubclass(m, Message) and is_frozen(m)]
        found += [message for message in local if message not in found]
    return found


def decoder_for(message: Any, types: list[Any]) -> msgspec.msgpack.Decoder[Any]:
    """What turns bytes into the fields of a message, and refuses all that does not fit them."""
    fields: Any = tuple[tuple(types)] if types else tuple[()]  # type: ignore[misc]
    try:
        foreign = "CustomType" in repr(msgspec.inspect.type_info(fields))
    except TypeError:
        foreign = True
    if foreign:
        raise NetworkError(
            f"{message.__name__} cannot be sent: its fields have to be numbers, text, tuples and the like"
        )
    return msgspec.msgpack.Decoder(fields)
