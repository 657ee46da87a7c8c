"""One process of a recorded trace, run again: it stops at the first step that differs from the record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from itertools import islice
from typing import Any

from habemus.checking.model.actions import REPORTS
from habemus.checking.model.local_states import LocalState
from habemus.checking.model.probe import MOST_BRANCHES, Probe
from habemus.process import Clause, Message, Pid, Process
from habemus.process.anatomy import message_fields, to_plain
from habemus.trace import Envelope, Event


class Deviation(Exception):  # noqa: N818
    """With these coins, the process does something else than was recorded."""

    def __init__(self, event: Event, why: str) -> None:
        self.event = event
        self.why = why


class RetracedProcess(Probe):
    """A probe that knows what was recorded of its process.

    It stops at the first difference, so coins that would be tossed after it need not be tried.
    """

    def follow(self, lane: list[Event]) -> None:
        """These are the recorded steps of this process."""
        self.lane = lane
        self.retraced = 0  # how many of them
        self.roles = [""] * len(self.machine.stack)
        self.local = self.birth(0, -1, True)

    def retrace(self, happen: Callable[[], None]) -> list[Event]:
        """Let something happen in the state the process is in: the steps it led to. Deviation says which differs."""
        closest: Deviation | None = None
        for script in islice(self.scripts(), MOST_BRANCHES):
            try:
                return self.attempt(script, happen)
            except Deviation as deviation:
                if closest is None or deviation.event.event > closest.event.event:
                    closest = deviation
        assert closest is not None
        raise closest

    def attempt(self, script: list[int], happen: Callable[[], None]) -> list[Event]:
        """The same, with given results of the coins."""
        self.be(self.local)
        self.script, self.arities = script, []
        self.position = self.retraced
        self.shown = list(self.roles)
        happen()
        steps = self.lane[self.retraced : self.position]
        self.retraced, self.roles = self.position, self.shown
        self.local = LocalState(self.seat, True, True, 0, -1, self.armed(), self.snapshot())
        return steps

    def scripts(self) -> Iterator[list[int]]:
        """The results that the coins may have: each the first option, then others for coins with few options.

        Those with many, such as random time-outs, rarely show in what a clause does.
        """
        waiting: list[tuple[int, int, list[int], int]] = [(1, 0, [], 0)]
        pushed = 0
        while waiting:
            ways, _, before, options = heappop(waiting)
            for script in [[*before, option] for option in range(1, options)] if options else [before]:
                known = len(script)
                yield script
                for coin in range(known, self.tossed):
                    pushed += 1
                    more = self.arities[coin]
                    heappush(waiting, (ways * more, pushed, self.script[:coin], more))

    def crash(self) -> None:
        """All but the durable fields is lost."""
        self.roles = [""] * len(self.machine.stack)
        self.local = LocalState(self.seat, False, True, 0, -1, (), self.rebirth(self.local))

    # What the process does is compared as it does it

    def run_clause(
        self, layer: int, clause: Clause, arguments: tuple[Any, ...], subject: Any, received: list[Envelope]
    ) -> None:
        if self.position == len(self.lane):
            raise Deviation(self.lane[-1], f"{clause.name} should follow")
        event, anatomy, process = self.lane[self.position], self.machine.stack[layer], self.layer(layer)
        name = self.machine.names[layer]
        about = to_plain(subject)
        if (event.clause, event.kind, event.layer, event.subject) != (clause.name, clause.kind, name, about):
            raise Deviation(event, f"{clause.name} should run here" + (f", about {about}" if about else ""))
        self.expected = event
        before = anatomy.snapshot(process)
        sent = len(self.sent)
        self.first = sent
        super().run_clause(layer, clause, arguments, subject, received)
        if len(self.sent) - sent < len(event.sent):
            extra = event.sent[len(self.sent) - sent]
            raise Deviation(event, f"it would not send {extra.label} to {extra.to}")
        changed = anatomy.diff(before, anatomy.snapshot(process))
        if changed != event.changed:
            raise Deviation(event, f"its fields would change to {changed}, not to {event.changed}")
        role = process.role if process.role != self.shown[layer] else None
        if role != event.role:
            raise Deviation(event, f"its role would be {process.role or 'none'}")
        self.shown[layer] = process.role
        self.position += 1

    def send(self, to: Pid, message: Message) -> None:
        index = len(self.sent) - self.first
        if self.machine.stack[-1].cls.admits_clients and not self.machine.graph.linked(self.seat, to):
            self.sent.append((to, message))  # to a client, which is none of the processes
        else:
            super().send(to, message)
        sent = self.expected.sent[index] if index < len(self.expected.sent) else None
        would = (self.id, to, type(message).__name__, message_fields(message))
        if sent is None or (sent.sender, sent.to, sent.type, sent.fields) != would:
            raise Deviation(self.expected, f"it would send {type(message).__name__}({message_fields(message)}) to {to}")

    def announce(self, process: Process, what: str, subject: Any) -> bool:
        """Reports of a detector are recorded as events of their own in the layers above; the rest is passed up."""
        return super().announce(process, what, subject) and what not in REPORTS
