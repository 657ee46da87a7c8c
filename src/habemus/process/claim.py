"""Claims: what an author says of all processes together, as small predicates.

    invariant     holds in every state
    never         what may not be seen in any state
    eventually    comes about by the end of every run, and in runs without end

A predicate is given the processes that are up, in the order of their seats, and returns None if all is well; else a
sentence that says what is wrong, or what is still missing. It only reads. Claims stand in the file of the algorithm, or
in the `own_properties` of its class:

    @invariant
    def only_the_largest_leads(processes):
        for process in processes:
            if process.leader not in (None, max(process.members)):
                return f"{process.id} takes {process.leader} for the leader"
        return None
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

from habemus.process.misuse import MisuseError

Predicate = Callable[[Sequence[Any]], str | None]

INVARIANT: Final = "invariant"
NEVER: Final = "never"
EVENTUALLY: Final = "eventually"


class Claim:
    """A predicate with its name, and when it has to hold."""

    def __init__(self, kind: str, predicate: Any) -> None:
        self.kind = kind
        self.predicate = predicate
        self.name: str = predicate.__name__

    def __call__(self, processes: Sequence[Any]) -> str | None:
        try:
            found: object = self.predicate(processes)
        except Exception as error:
            raise MisuseError(f"The claim {self.name} fails: {type(error).__name__}: {error}.") from error
        if found is None or isinstance(found, str):
            return found
        raise MisuseError(
            f"The claim {self.name} returns {found!r}: return None where all is well, "
            f"else a sentence that says what is wrong."
        )


def invariant(predicate: Predicate) -> Claim:
    """Holds in every state."""
    return Claim(INVARIANT, predicate)


def never(predicate: Predicate) -> Claim:
    """Is seen in no state: the predicate returns a sentence where it is."""
    return Claim(NEVER, predicate)


def eventually(predicate: Predicate) -> Claim:
    """Comes about by the end of every run: the predicate returns what is missing as long as it has not."""
    return Claim(EVENTUALLY, predicate)


def claims_of(cls: Any) -> list[Claim]:
    """The claims of a class: its own, and those in its file."""
    module = sys.modules.get(cls.__module__)
    in_file = [value for value in vars(module).values() if isinstance(value, Claim)] if module is not None else []
    return [*cls.own_properties, *[claim for claim in in_file if claim not in cls.own_properties]]
