"""Values in JSON, as msgspec writes them; what is written again and again is looked up."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from librt.strings import BytesWriter
from mypy_extensions import i64

KNOWN_TEXTS: Final = 10_000
THOUSAND: Final = 1000
MILLION: Final = 1_000_000

_encoder: Final = msgspec.json.Encoder()
_spelled: Final[dict[str, bytes]] = {}
NUMBERS: Final = [b"%d" % number for number in range(THOUSAND)]
DIGITS: Final = [b"%03d" % number for number in range(THOUSAND)]


def spell(value: Any) -> bytes:
    """A value in JSON."""
    if isinstance(value, str):
        return spell_text(value)
    if value is None:
        return b"null"
    if isinstance(value, bool):
        return b"true" if value else b"false"
    return b"%d" % value if type(value) is int else bytes(_encoder.encode(value))


def spell_text(text: str) -> bytes:
    known = _spelled.get(text)
    if known is None:
        known = bytes(_encoder.encode(text))
        if len(_spelled) >= KNOWN_TEXTS:
            _spelled.clear()
        _spelled[text] = known
    return known


def write_number(text: BytesWriter, number: i64) -> None:
    """Append a number in JSON, three digits at a time: no object is made for it."""
    if number < 0:
        text.append(ord("-"))
        number = -number
    if number >= MILLION:
        write_number(text, number // MILLION)
        number %= MILLION
        text.write(DIGITS[number // THOUSAND])
        text.write(DIGITS[number % THOUSAND])
    elif number >= THOUSAND:
        text.write(NUMBERS[number // THOUSAND])
        text.write(DIGITS[number % THOUSAND])
    else:
        text.write(NUMBERS[number])
