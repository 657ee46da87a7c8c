"""What goes over a connection comes out as it went in, or is refused."""

from contextlib import suppress
from dataclasses import dataclass, make_dataclass

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.catalogue import algorithm_names, find_algorithm
from habemus.network.errors import NetworkError, WireError
from habemus.network.wire import LENGTH, Codec, Frames, Parcel, decoded, framed
from habemus.process import Message, Process, dissect, upon
from habemus.process.anatomy import field_types

CODECS = {name: Codec([dissect(find_algorithm(name))]) for name in algorithm_names()}
SIXTY_FOUR_BITS = st.integers(-(2**63), 2**64 - 1)


@st.composite
def messages(draw):
    """A message of some algorithm, with any contents that fit."""
    name = draw(st.sampled_from([name for name, codec in CODECS.items() if codec.types]))
    kind = draw(st.sampled_from(CODECS[name].types))
    values = [draw(values_of(hint)) for _, hint in field_types(kind)]
    return name, kind(*values)


def values_of(hint):
    return SIXTY_FOUR_BITS if hint is int else st.from_type(hint).filter(fits)


def fits(value):
    try:
        msgspec.msgpack.encode(value)
    except (OverflowError, UnicodeEncodeError):
        return False
    return True


@given(messages())
def test_every_message_of_the_catalogue_survives_the_journey(drawn):
    name, message = drawn
    parcel = decoded(CODECS[name].parcel(message, 7, (1, 2, 3)))
    assert isinstance(parcel, Parcel)
    assert (parcel.number, parcel.origin) == (7, (1, 2, 3))
    arrived = CODECS[name].message(parcel)
    assert arrived == message and type(arrived) is type(message)


@given(st.lists(st.binary(max_size=200), max_size=20), st.data())
def test_a_stream_cut_anywhere_yields_the_same_frames(bodies, data):
    stream = b"".join(map(framed, bodies))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=10)))
    frames = Frames()
    found = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        found += frames.feed(stream[start:end])
    assert found == bodies
    assert frames.position == len(frames.data)


@given(st.binary(max_size=300))
def test_garbage_is_refused_and_nothing_worse(garbage):
    try:
        body = decoded(garbage)
    except WireError:
        return
    if isinstance(body, Parcel):
        for codec in CODECS.values():
            with suppress(WireError):
                assert isinstance(codec.message(body), Message)


@given(st.integers(1 << 14, (1 << 32) - 1).filter(lambda length: length > 1 << 14))
def test_a_stranger_cannot_announce_a_large_frame(length):
    with pytest.raises(WireError, match="at most 16,384"):
        list(Frames().feed(LENGTH.pack(length)))


def test_a_message_of_another_shape_is_refused():
    codec = CODECS["raft-election"]
    kind = next(number for number, each in enumerate(codec.types) if each.__name__ == "Vote")
    for fields in ([], ["one"], [1, 2], [None], {"term": 1}):
        with pytest.raises(WireError, match="a Vote that is none"):
            codec.message(Parcel(0, kind, msgspec.Raw(msgspec.msgpack.encode(fields))))


def test_a_type_that_does_not_exist_is_refused():
    for kind in (-1, 99):
        with pytest.raises(WireError, match="of type"):
            CODECS["bully"].message(Parcel(0, kind, msgspec.Raw(b"\x90")))


def test_an_algorithm_whose_messages_have_changed_has_another_fingerprint():
    fingerprints = [Codec([dissect(taking(hint))]).fingerprint for hint in (int, str, int | None, int)]
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
        Codec([dissect(SendsOpaque)])
