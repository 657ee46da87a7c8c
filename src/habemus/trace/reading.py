"""Messages and states back from the plain values that JSON knows."""

from __future__ import annotations

from typing import Annotated, Any, get_args, get_origin

import msgspec

from habemus.process import Anatomy, Message, State
from habemus.process.anatomy import carried_by, field_types, messages_of


class PlainReader:
    """Knows the types of message of a stack by name."""

    def __init__(self, stack: list[Anatomy]) -> None:
        kinds = [*carried_by(stack), *(kind for anatomy in stack for kind in messages_of(anatomy))]
        kinds += [c.data for anatomy in stack for c in anatomy.commands.values() if c.data is not None]
        self.kinds = {kind.__name__: kind for kind in kinds}

    def read_value(self, value: Any, hint: Any) -> Any:
        """The value of a field of this type; ValidationError if it is none."""
        if get_origin(hint) is Annotated:
            hint = get_args(hint)[0]
        if get_origin(hint) is tuple and mentions_message(hint):
            inner = get_args(hint)
            hints = [inner[0]] * len(value) if inner[1:] == (...,) else inner
            return tuple([self.read_value(item, each) for item, each in zip(value, hints, strict=True)])
        if isinstance(hint, type) and issubclass(hint, State):
            return hint.thaw(self.revive(value))
        if mentions_message(hint):
            return self.revive(value)
        return msgspec.convert(value, hint, strict=False)

    def read_message(self, kind: Any, fields: dict[str, Any]) -> Message:
        hints = dict(field_types(kind))
        message: Message = kind(**{name: self.read_value(value, hints[name]) for name, value in fields.items()})
        return message

    def revive(self, value: Any) -> Any:
        """A message that says its type; in place of a list, a tuple; else what it is."""
        if isinstance(value, dict):
            fields = dict(value)
            return self.read_message(self.kinds[fields.pop("type")], fields)
        return tuple([self.revive(item) for item in value]) if isinstance(value, list) else value


def mentions_message(hint: Any) -> bool:
    """Whether values of a type are messages, or contain some."""
    if isinstance(hint, type) and issubclass(hint, Message):
        return True
    return any(mentions_message(part) for part in get_args(hint))
