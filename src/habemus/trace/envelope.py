"""A message as it is recorded: numbered, with the event that sent it."""

from __future__ import annotations

from typing import Any, Final

from librt.strings import BytesWriter
from mypy_extensions import i64, mypyc_attr

from habemus.process import Message, Pid
from habemus.process.anatomy import field_defaults, message_fields, to_plain
from habemus.trace.digest import hash_message, hash_text, hash_value, mix
from habemus.trace.format import SentMessage
from habemus.trace.spelling import spell, write_number


class MessageType:
    """What is the same for all messages of a type: its name, and the names and defaults of its fields."""

    def __init__(self, message: Any) -> None:
        self.name: str = message.__name__
        self.hash: i64 = hash_text(self.name)
        self.fields = [(name, default, hash_text(name)) for name, default in field_defaults(message)]


_types: Final[dict[Any, MessageType]] = {}


def type_of(message: Message) -> MessageType:
    known = _types.get(type(message))
    if known is None:
        known = _types[type(message)] = MessageType(type(message))
    return known


@mypyc_attr(acyclic=True)
class Contents:
    """What a message says. All copies that are sent of it share this."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self.type = type_of(message)
        self.size: i64 = 0  # how many values it carries
        state = self.type.hash
        for name, default, name_hash in self.type.fields:
            value = getattr(message, name)
            if value != default:  # as `message_fields` leaves them out
                state = mix(mix(state, name_hash), hash_value(value))
                self.size += 1 if isinstance(value, int | str) else count_values(to_plain(value))
        self.hash: i64 = state
        self._fields: dict[str, Any] | None = None
        self._spelled = b""

    @property
    def fields(self) -> dict[str, Any]:
        """The fields ready for JSON."""
        if self._fields is None:
            self._fields = message_fields(self.message)
        return self._fields

    @property
    def spelled(self) -> bytes:
        """Type and fields in JSON: the end of what is written about each copy."""
        if not self._spelled:
            self._spelled = b',"type":%b,"fields":%b}' % (spell(self.type.name), spell(self.fields))
        return self._spelled


def count_values(value: Any) -> int:
    """How many numbers and texts there are in a value."""
    if isinstance(value, dict):
        return sum([count_values(item) for item in value.values()])
    if isinstance(value, list):
        return sum([count_values(item) for item in value])
    return 1


@mypyc_attr(acyclic=True)  # there are many, and the garbage collector need not know of them
class Envelope:
    """A message under way, with the event that sent it and the length of the causal chain behind it."""

    def __init__(
        self,
        message: Message,
        number: int,
        sender: Pid,
        to: Pid,
        origin: int,
        depth: int,
        contents: Contents | None = None,
    ) -> None:
        self.message = message
        self.number: i64 = number
        self.sender: i64 = sender
        self.to: i64 = to
        self.origin: i64 = origin
        self.depth: i64 = depth
        self.contents = Contents(message) if contents is None else contents
        self.hash: i64 = hash_message(number, sender, to, self.contents.hash)
        self._sent_message: Any = None

    @property
    def sent_message(self) -> Any:
        """The message as the trace tells it."""
        if self._sent_message is None:
            contents = self.contents
            self._sent_message = SentMessage(self.number, self.sender, self.to, contents.type.name, contents.fields)
        return self._sent_message

    def write(self, text: BytesWriter) -> None:
        """Append `sent_message` in JSON."""
        text.write(b'{"message":')
        write_number(text, self.number)
        text.write(b',"sender":')
        write_number(text, self.sender)
        text.write(b',"to":')
        write_number(text, self.to)
        text.write(self.contents.spelled)
