"""Fields of a compiled class that an interpreted subclass declares anew.

A compiled class keeps its fields in slots of its own. A class attribute of the same name in an interpreted subclass
hides the slot: compiled clauses would use the slot, everybody else the attribute. So the attribute is taken off the
subclass when it is first used, and its value is what the field of each new process begins with.
"""

from __future__ import annotations

from types import GetSetDescriptorType
from typing import Any

_taken_off: dict[Any, dict[str, Any]] = {}


def take_off_overrides(lineage: list[Any]) -> dict[str, Any]:
    """The fields of compiled classes that the interpreted ones among these declare anew, with their values."""
    slots: set[str] = set()
    values: dict[str, Any] = {}
    for cls in lineage:
        members = vars(cls)
        if "__mypyc_attrs__" in members:
            slots |= {name for name, member in members.items() if isinstance(member, GetSetDescriptorType)}
            continue
        own = _taken_off.setdefault(cls, {})
        for name in sorted(slots & members.keys()):
            if not isinstance(members[name], property):  # one that hides a compiled property is a property all the same
                own[name] = members[name]
                delattr(cls, name)
        values.update(own)
    return values


def has_taken_off(cls: Any, name: str) -> bool:
    """Whether the class declared a field anew."""
    return name in _taken_off.get(cls, {})
