"""The base of field values that are objects of a class of their own: mutable, and yet part of a process's state.

Fields are mostly numbers, tuples, sets and dicts, and the drivers know how to copy, hash and write these. A value that
needs methods of its own (a lock table) subclasses `State` and says three things about itself.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from mypy_extensions import mypyc_attr


@mypyc_attr(allow_interpreted_subclasses=True)
class State:
    """A mutable value of a field. Two values are equal if their frozen forms are."""

    @abstractmethod
    def freeze(self) -> Any:
        """A hashable value that says all; equal states give equal values, whatever led to them."""

    @classmethod
    def thaw(cls, frozen: Any) -> Any:
        """A new object in the state that `freeze` saw. It shares nothing mutable with the old one."""
        raise NotImplementedError(f"{cls.__name__} does not say how it is thawed")

    @abstractmethod
    def to_plain(self) -> Any:
        """The state as JSON knows it, for people and pages."""

    def __deepcopy__(self, memo: Any) -> Any:
        return type(self).thaw(self.freeze())

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, State) and bool(self.freeze() == other.freeze())

    def __hash__(self) -> int:
        raise TypeError(f"{type(self).__name__} can change and has no hash: hash what `freeze` gives")
