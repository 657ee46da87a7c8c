"""The digest: the name of a run. Equal runs have equal digests; two traces that differ in any fact have different ones.

Each fact of an event is mixed into a number of 62 bits, together with what kind of fact it is; the digest is the
SHA-256 of these numbers. Mixing takes a multiplication where a cryptographic hash of the event's line would take the
better part of the run. So a digest tells runs apart; it does not guard against somebody who forges one.

The recorder feeds a `Digest` while the run goes on, a `Trace` afterwards: from the same facts, in the same order.
"""

from __future__ import annotations

import hashlib
from array import array
from math import isfinite
from sys import byteorder
from typing import Any, Final

from mypy_extensions import i64

from habemus.process import Pid
from habemus.process.anatomy import to_plain

MASK: Final = (1 << 62) - 1  # i64 wraps when compiled and grows when interpreted; the lower bits are the same
MULTIPLIER: Final = 0x2127599BF4325C37

# What kind of fact a number is: so that a message sent is not mistaken for one received.
TEXT: Final = 0x0A3C59E4B1D27F86
NUMBER: Final = 0x17E0B6A95C348D2F
LIST: Final = 0x1C9D3F02E76A5B48
DICT: Final = 0x21F4687BD0953CAE
NONE: Final = 0x05B8E1249F7D36C3
FALSE: Final = 0x0EA7C46D138B92F5
TRUE: Final = 0x134F9D80A65E2B7C
NO_PROCESS: Final = 0x28D15A7C3E0F9B64
RECEIVED: Final = 0x0396F2C8DB41E75A
PARENT: Final = 0x1F5B0D7346AC89E2
SENT: Final = 0x24E8A31F9C6057BD
CHANGED: Final = 0x0C7132EF58D4B690
ROLE: Final = 0x1962D4A70FB83CE5

CHUNK: Final = 8192  # events whose numbers are hashed together
KNOWN_TEXTS: Final = 100_000

_texts: Final[dict[str, int]] = {}


def mix(state: i64, fact: i64) -> i64:
    """Stir a fact into a state: one to one for either, so no single fact is lost."""
    product: i64 = ((state ^ fact) * MULTIPLIER) & MASK
    return product ^ (product >> 31)


def hash_text(text: str) -> i64:
    """The number of a text, the same in every process."""
    known = _texts.get(text)
    if known is None:
        start = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8]
        known = int.from_bytes(start, "little") & MASK
        if len(_texts) >= KNOWN_TEXTS:
            _texts.clear()
        _texts[text] = known
    return known


def hash_value(value: Any) -> i64:
    """The number of a value that JSON knows; of any other value, that of how it is written in JSON."""
    if value is None:
        return NONE
    if isinstance(value, bool):
        return TRUE if value else FALSE
    if isinstance(value, int):
        return mix(NUMBER, value) if -MASK <= value <= MASK else mix(NUMBER, hash_text(str(value)))
    if isinstance(value, str):
        return mix(TEXT, hash_text(value))
    if isinstance(value, float):
        return mix(NUMBER, hash_text(repr(value))) if isfinite(value) else NONE  # JSON writes these as null
    if type(value) is list or type(value) is tuple:  # not their kin: a frozen dict is a tuple, too
        state: i64 = LIST
        for item in value:
            state = mix(state, hash_value(item))
        return state
    if type(value) is dict:
        return hash_fields(DICT, value)
    return hash_value(to_plain(value))


def hash_fields(state: i64, fields: dict[str, Any]) -> i64:
    """Names and values, in their order."""
    for name, value in fields.items():
        state = mix(mix(state, hash_text(name)), hash_value(value))
    return state


def hash_message(number: i64, sender: i64, to: i64, contents: i64) -> i64:
    """The number of a message on its way; `contents` is `hash_fields` of its type and fields."""
    return mix(mix(mix(mix(SENT, number), sender), to), contents)


class Digest:
    """Takes in the facts of one event after the other."""

    def __init__(self) -> None:
        self.sha = hashlib.sha256()
        self.hashes: list[int] = []
        self.state: i64 = 0
        self.kind = self.clause = self.layer = ""
        self.clause_hash: i64 = self.hash_clause("", "", "")

    def hash_clause(self, kind: str, clause: str, layer: str) -> i64:
        return mix(mix(mix(TEXT, hash_text(kind)), hash_text(clause)), hash_text(layer))

    def begin(
        self, number: i64, time: i64, kind: str, process: Pid | None, clause: str, layer: str, subject: object
    ) -> None:
        """What identifies an event, and what set it off."""
        if kind is not self.kind or clause is not self.clause or layer is not self.layer:
            self.kind, self.clause, self.layer = kind, clause, layer
            self.clause_hash = self.hash_clause(kind, clause, layer)
        state = mix(mix(self.clause_hash, number), time)
        state = mix(state, NO_PROCESS if process is None else process)
        self.state = state if subject is None else mix(state, hash_value(subject))

    def receive(self, message: i64) -> None:
        self.state = mix(self.state ^ RECEIVED, message)

    def follow(self, parent: i64) -> None:
        self.state = mix(self.state ^ PARENT, parent)

    def send(self, message: i64) -> None:
        self.state = mix(self.state ^ SENT, message)

    def change(self, field: str, value: Any) -> None:
        self.state = mix(mix(self.state ^ CHANGED, hash_text(field)), hash_value(value))

    def turn(self, role: str) -> None:
        self.state = mix(self.state ^ ROLE, hash_text(role))

    def end(self) -> None:
        """The event is complete."""
        self.hashes.append(self.state)
        if len(self.hashes) >= CHUNK:
            self.flush()

    def flush(self) -> None:
        numbers = array("q", self.hashes)
        if byteorder == "big":
            numbers.byteswap()
        self.sha.update(numbers)
        self.hashes = []

    def hexdigest(self) -> str:
        """The digest of the events so far."""
        self.flush()
        return str(self.sha.hexdigest())
