"""What goes over a connection comes out as it went in, or is refused."""

from contextlib import suppress
from dataclasses import dataclass, make_dataclass
from typing import get_args, get_origin

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.catalogue import algorithm_names, find_algorithm
from habemus.network.errors import NetworkError, WireError
from habemus.network.wire.codec import Codec, contains_message, is_message_type
from habemus.network.wire.frames import LENGTH, FrameReader, MessageFrame, decode, make_frame
from habemus.process import Message, Process, dissect, upon
from habemus.process.anatomy import carried_by, field_types, messages_of


def codec_of(name):
    anatomy = dissect(find_algorithm(name))
    return Codec(messages_of(anatomy), carried_by([anatomy]))


CODECS = {name: codec_of(name) for name in algorithm_names()}
SIXTY_FOUR_BITS = st.integers(-(2**63), 2**64 - 1)


@st.composite
def messages(draw):
    """A message of some algorithm, with any contents that fit."""
    name = draw(st.sampled_from([name for name, codec in CODECS.items() if codec.types]))
    codec = CODECS[name]
    return name, draw(instances(draw(st.sampled_from(codec.types[: codec.received])), codec))


def instances(kind, codec):
    return st.builds(kind, *[values_of(hint, codec) for _, hint in field_types(kind)])


def values_of(hint, codec):
    if hint is int:
        return SIXTY_FOUR_BITS
    if not contains_message(hint):
        return st.from_type(hint).filter(fits)
    if is_message_type(hint):
        kinds = [kind for kind in codec.types if issubclass(kind, hint) and (kind is hint or not recurses(kind))]
        return st.one_of([instances(kind, codec) for kind in kinds])
    if get_origin(hint) is tuple:
        return st.lists(values_of(get_args(hint)[0], codec), max_size=2).map(tuple)
    return st.none() | values_of(next(part for part in get_args(hint) if contains_message(part)), codec)


def recurses(kind):
    """Whether any message may be within a message of this kind, one of the same kind as well."""
    parts = [part for _, hint in field_types(kind) for part in (hint, *get_args(hint)) if is_message_type(part)]
    return any(part is Message or recurses(part) for part in parts)


def fits(value):
    try:
        msgspec.msgpack.encode(value)
    except (OverflowError, UnicodeEncodeError):
        return False
    return True


@given(messages())
def test_every_message_of_the_catalogue_survives_the_journey(drawn):
    name, message = drawn
    frame = decode(CODECS[name].encode(message, 7, (1, 2, 3)))
    assert isinstance(frame, MessageFrame)
    assert (frame.number, frame.origin) == (7, (1, 2, 3))
    arrived = CODECS[name].decode(frame)
    assert arrived == message and type(arrived) is type(message)


@given(st.lists(st.binary(max_size=200), max_size=20), st.data())
def test_a_stream_cut_anywhere_yields_the_same_frames(bodies, data):
    stream = b"".join(map(make_frame, bodies))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=10)))
    reader = FrameReader()
    found = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        found += reader.feed(stream[start:end])
    assert found == bodies
    assert reader.position == len(reader.data)


@given(st.binary(max_size=300))
def test_garbage_is_refused_and_nothing_worse(garbage):
    try:
        body = decode(garbage)
    except WireError:
        return
    if isinstance(body, MessageFrame):
        for codec in CODECS.values():
            with suppress(WireError):
                assert isinstance(codec.decode(body), Message)


@given(st.integers((1 << 12) + 1, (1 << 32) - 1))
def test_a_stranger_cannot_announce_a_large_frame(length):
    with pytest.raises(WireError, match="the limit is 4,096"):
        list(FrameReader().feed(LENGTH.pack(length)))


def test_a_message_of_another_shape_is_refused():
    codec = CODECS["raft-election"]
    kind = next(number for number, each in enumerate(codec.types) if each.__name__ == "Vote")
    for fields in ([], ["one"], [1, 2], [None], {"term": 1}):
        with pytest.raises(WireError, match="malformed Vote"):
            codec.decode(MessageFrame(0, kind, msgspec.Raw(msgspec.msgpack.encode(fields))))


def test_a_type_that_does_not_exist_is_refused():
    for kind in (-1, 99):
        with pytest.raises(WireError, match="unknown message type"):
            CODECS["bully"].decode(MessageFrame(0, kind, msgspec.Raw(b"\x90")))


def test_an_algorithm_whose_messages_have_changed_has_another_fingerprint():
    fingerprints = [Codec(messages_of(dissect(taking(hint)))).fingerprint for hint in (int, str, int | None, int)]
    assert fingerprints[0] == fingerprints[3]
    assert len(set(fingerprints)) == 3


def taking(hint):
    """A class of processes that take a message with one field of this type."""
    kind = make_dataclass("Ballot", [("value", hint)], bases=(Message,), frozen=True)
    return type("Takes", (Process,), {"take": upon(kind)(lambda self, sender, message: None)})


@dataclass(frozen=True)
class Opaque(Message):
    what: complex


class SendsOpaque(Process):
    @upon(Opaque)
    def take(self, sender, message):
        """Nothing."""


def test_a_message_that_cannot_be_sent_is_named_before_anything_runs():
    with pytest.raises(NetworkError, match="Opaque cannot be sent"):
        Codec(messages_of(dissect(SendsOpaque)))
