"""What a process may still send to another, read off the steps that are known of it (see `reduction`)."""

from __future__ import annotations

Bag = tuple[int, int, int]
"""Actions with how often each: sets of bits of those in it at least once, at least twice, and any number of times."""

NONE: Bag = (0, 0, 0)


def add_to_bag(bag: Bag, actions: list[int]) -> Bag:
    """The bag with more actions in it; three of a kind count as any number."""
    once, twice, often = bag
    for action in actions:
        bit = 1 << action
        often |= twice & bit
        twice |= once & bit
        once |= bit
    return once, twice, often


def remove_from_bag(bag: Bag, action: int) -> Bag:
    """The bag with one such action less."""
    once, twice, often = bag
    bit = 1 << action
    if often & bit:
        return bag
    return (once, twice & ~bit, often) if twice & bit else (once & ~bit, twice, often)


class Outlook:
    """What a process may send to `seat`, local state by local state, while all it receives from there is `heard`.

    What is heard is a set of message kinds, not of single messages: there are fewer, and more heard is never unsound.
    """

    def __init__(self, seat: int, heard: int) -> None:
        self.seat = seat
        self.heard = heard
        self.bags: dict[int, Bag] = {}

    def widen(self, graph: StepGraph, local: int, kind: int, after: int, sent: list[int]) -> None:
        """The process may take a step: from the states that lead to it, it may send what lies beyond."""
        mine = graph.addressed[self.seat]
        unheard = graph.kinds_by[self.seat] & ~self.heard
        if unheard >> kind & 1:
            return
        bags = self.bags
        agenda = [(local, after, sent)]
        while agenda:
            here, after, sent = agenda.pop()
            once, twice, often = bags.get(after, NONE)
            relevant = [message for message in sent if mine >> message & 1] if sent else sent
            if relevant:
                once, twice, often = add_to_bag((once, twice, often), relevant)
            known = bags.get(here, NONE)
            more = (known[0] | once, known[1] | twice, known[2] | often)
            if more != known:
                bags[here] = more
                for earlier, step, said in graph.before.get(here, ()):
                    if not unheard >> step & 1:
                        agenda.append((earlier, here, said))


class StepGraph:
    """The steps of one process that are known: between which local states, by which kind of action, sending what."""

    def __init__(self, addressed: list[int], kinds_by: list[int]) -> None:
        self.addressed = addressed
        self.kinds_by = kinds_by
        self.before: dict[int, list[tuple[int, int, list[int]]]] = {}
        self.outlooks: dict[tuple[int, int], Outlook] = {}

    def add(self, local: int, kind: int, after: int, sent: list[int]) -> None:
        self.before.setdefault(after, []).append((local, kind, sent))
        for outlook in self.outlooks.values():
            outlook.widen(self, local, kind, after, sent)

    def outlook(self, seat: int, heard: int) -> Outlook:
        known = self.outlooks.get((seat, heard))
        if known is None:
            known = self.outlooks[(seat, heard)] = Outlook(seat, heard)
            for after, steps in self.before.items():
                for local, kind, sent in steps:
                    known.widen(self, local, kind, after, sent)
        return known
