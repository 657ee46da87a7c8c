"""The messages of a stack as bytes, and back.

A message travels as the number of its type and the tuple of its fields; so does a message within a message. Both ends
number the types of their stack in the same way; they compare fingerprints in the handshake. The fields are decoded into
exactly the types that the message declares. Whatever does not fit is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from operator import attrgetter
from types import UnionType
from typing import Any, Union, get_args, get_origin

import msgspec

from habemus.network.errors import NetworkError, WireError
from habemus.network.wire.frames import MALFORMED, MESSAGE, MessageFrame, Origin, encode
from habemus.process import Message
from habemus.process.anatomy import field_types

Converter = Callable[[Any], Any]


class Codec:
    """Encodes and decodes the given types of message, and those that they may carry."""

    def __init__(self, types: list[Any], carried: list[Any] | None = None) -> None:
        self.received = len(types)  # those that may arrive on their own
        self.types = [*types, *(kind for kind in carried or [] if kind not in types)]
        self.numbers = {message: number for number, message in enumerate(self.types)}
        declared = [dict(field_types(message)) for message in self.types]
        self.hints = [list(fields.values()) for fields in declared]
        self.getters = [make_getter(list(fields)) for fields in declared]
        nested = [[(at, hint) for at, hint in enumerate(hints) if contains_message(hint)] for hints in self.hints]
        self.packers = [[(at, self.make_packer(hint) or keep) for at, hint in fields] for fields in nested]
        self.unpackers = [[(at, self.make_unpacker(hint) or keep) for at, hint in fields] for fields in nested]
        self.decoders = [
            make_decoder(message, [wire_type(hint) for hint in hints])
            for message, hints in zip(self.types, self.hints, strict=True)
        ]
        shape = [
            (message.__name__, [(name, str(hint)) for name, hint in fields.items()])
            for message, fields in zip(self.types, declared, strict=True)
        ]
        self.fingerprint = hashlib.sha256(repr(shape).encode()).digest()[:8]

    def encode(self, message: Message, number: int, origin: Origin | None) -> bytes:
        kind, fields = self.pack(message)
        return encode((MESSAGE, number, kind, fields, origin))  # the same bytes as a MessageFrame, made in one pass

    def pack(self, message: Message) -> tuple[int, Any]:
        """The number of its type and its fields, in which messages are packed likewise."""
        kind = self.numbers[type(message)]
        fields = self.getters[kind](message)
        packers = self.packers[kind]
        if packers:
            fields = list(fields)
            for at, pack in packers:
                fields[at] = pack(fields[at])
        return kind, fields

    def decode(self, frame: MessageFrame) -> Message:
        if not 0 <= frame.kind < self.received:
            raise WireError(f"unknown message type {frame.kind}; there are {self.received}")
        return self.build(frame.kind, frame.fields)

    def build(self, kind: int, fields: msgspec.Raw) -> Message:
        try:
            values = self.decoders[kind].decode(fields)
        except MALFORMED as error:
            raise WireError(f"malformed {self.types[kind].__name__}: {error}") from None
        unpackers = self.unpackers[kind]
        if unpackers:
            values = list(values)
            for at, unpack in unpackers:
                values[at] = unpack(values[at])
        message: Message = self.types[kind](*values)
        return message

    def make_packer(self, hint: Any) -> Converter | None:
        """What packs the messages in a field of this type; None if it contains none."""
        if not contains_message(hint):
            return None
        inner = get_args(hint)
        if is_message_type(hint):
            return self.pack
        if get_origin(hint) is tuple:
            if inner[1:] == (...,):
                pack_item = self.make_packer(inner[0])
                assert pack_item is not None
                return lambda value: [pack_item(item) for item in value]
            packers = [self.make_packer(part) or keep for part in inner]
            return lambda value: [pack(item) for pack, item in zip(packers, value, strict=True)]
        pack_some = self.make_packer(next(part for part in inner if contains_message(part)))
        assert pack_some is not None
        return lambda value: None if value is None else pack_some(value)

    def make_unpacker(self, hint: Any) -> Converter | None:
        """What undoes that."""
        if not contains_message(hint):
            return None
        inner = get_args(hint)
        if is_message_type(hint):
            kinds = frozenset(kind for kind, each in enumerate(self.types) if issubclass(each, hint))

            def unpack_message(value: Any) -> Message:
                kind, fields = value
                if kind not in kinds:
                    raise WireError(f"expected {hint.__name__} within a message, got type {kind}")
                return self.build(kind, fields)

            return unpack_message
        if get_origin(hint) is tuple:
            if inner[1:] == (...,):
                unpack_item = self.make_unpacker(inner[0])
                assert unpack_item is not None
                return lambda value: tuple([unpack_item(item) for item in value])
            unpackers = [self.make_unpacker(part) or keep for part in inner]
            return lambda value: tuple([unpack(item) for unpack, item in zip(unpackers, value, strict=True)])
        unpack_some = self.make_unpacker(next(part for part in inner if contains_message(part)))
        assert unpack_some is not None
        return lambda value: None if value is None else unpack_some(value)


def make_getter(names: list[str]) -> Converter:
    """What gives the fields of a message as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda message: tuple([getattr(message, name) for name in names])


def keep(value: Any) -> Any:
    return value


def is_message_type(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Message)


def contains_message(hint: Any) -> bool:
    """Whether values of a type are messages, or contain some."""
    return is_message_type(hint) or any(contains_message(part) for part in get_args(hint))


def wire_type(hint: Any) -> Any:
    """The type of a field on the wire: in place of a message, the number of its type and its fields."""
    if is_message_type(hint):
        return tuple[int, msgspec.Raw]
    if not contains_message(hint):
        return hint
    inner: Any = tuple(part if part is ... else wire_type(part) for part in get_args(hint))
    return Union.__getitem__(inner) if get_origin(hint) in (Union, UnionType) else tuple.__class_getitem__(inner)


def make_decoder(message: Any, types: list[Any]) -> msgspec.msgpack.Decoder[Any]:
    fields: Any = tuple[tuple(types)] if types else tuple[()]  # type: ignore[misc]
    try:
        unsupported = "CustomType" in repr(msgspec.inspect.type_info(fields))
    except TypeError:
        unsupported = True
    if unsupported:
        raise NetworkError(
            f"{message.__name__} cannot be sent: its fields have to be numbers, strings, tuples and the like"
        )
    return msgspec.msgpack.Decoder(fields)
