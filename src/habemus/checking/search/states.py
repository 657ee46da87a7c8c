"""The global states that a search has found, each with the one it was found from.

`StateStore` and `CompactStore` are the reference; `packed.c` keeps the same in a flat table, and explores, where the
kernel is compiled.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from hashlib import blake2b
from sys import getsizeof

from habemus.checking.model.transitions import State


class StateStore:
    """States are numbered in the order of discovery, the first is 0."""

    def __init__(self) -> None:
        self.states: list[State] = []
        self.numbers: dict[State, int] = {}
        self.parents = array("q")
        self.depths = array("i")
        self.deepest = 0

    def __len__(self) -> int:
        return len(self.states)

    def __getitem__(self, number: int) -> State:
        return self.states[number]

    def __iter__(self) -> Iterator[State]:
        return iter(self.states)

    def find(self, state: State) -> int:
        """The number of a state; -1 if it was not found yet."""
        return self.numbers.get(state, -1)

    def add(self, state: State, parent: int) -> int:
        """Number a new state; -1 is the parent of the first."""
        number = len(self.states)
        depth = self.depths[parent] + 1 if parent >= 0 else 0
        self.numbers[state] = number
        self.states.append(state)
        self.parents.append(parent)
        self.depths.append(depth)
        if depth > self.deepest:
            self.deepest = depth
        return number

    def parent(self, number: int) -> int:
        return self.parents[number]

    def depth(self, number: int) -> int:
        """How many steps lead to a state."""
        return self.depths[number]

    def bytes_in_use(self) -> int:
        """What the states take, with all that is kept of each."""
        kept = (self.states, self.numbers, self.parents, self.depths)
        return sum([getsizeof(part) for part in kept]) + len(self.states) * getsizeof(self.states[0])


class CompactStore(StateStore):
    """Of each state a hash of 64 bits is kept. The state itself is forgotten once it is expanded, breadth first."""

    def __init__(self) -> None:
        super().__init__()
        self.hashes: set[int] = set()
        self.waiting: dict[int, State] = {}  # by number: those that are not expanded yet, or pinned
        self.pinned: set[int] = set()

    def __len__(self) -> int:
        return len(self.parents)

    def __getitem__(self, number: int) -> State:
        return self.waiting[number]

    def find(self, state: State) -> int:
        """-1 if a state was not found yet; if it was, nobody knows its number any more, and 0 is said."""
        return 0 if hash_state(state) in self.hashes else -1

    def add(self, state: State, parent: int) -> int:
        number = len(self.parents)
        self.hashes.add(hash_state(state))
        self.waiting[number] = state
        self.parents.append(parent)
        self.depths.append(self.depths[parent] + 1 if parent >= 0 else 0)
        self.deepest = max(self.deepest, self.depths[number])
        return number

    def forget(self, number: int) -> None:
        """The state before this one is not needed any more."""
        if number - 1 not in self.pinned:
            self.waiting.pop(number - 1, None)

    def pin(self, number: int) -> None:
        """Do not forget the state of this number."""
        self.pinned.add(number)

    def bytes_in_use(self) -> int:
        kept = (self.hashes, self.parents, self.depths)
        return sum([getsizeof(part) for part in kept]) + 32 * len(self.hashes)


def hash_state(state: State) -> int:
    return int.from_bytes(blake2b(array("I", state).tobytes(), digest_size=8).digest(), "big")


def missing_probability(states: int) -> float:
    """How likely it is, at most, that two of so many states have the same hash of 64 bits, and one was missed."""
    return min(1.0, states * (states - 1) / 2**65)
