"""An event in the making, for those who keep it: whoever wants a digest or a file alone never builds one."""

from __future__ import annotations

from typing import Any

from habemus.process import Pid
from habemus.trace.envelope import Envelope
from habemus.trace.format import Event


class OpenEvent:
    """What is known so far of the event that is being recorded."""

    def __init__(
        self,
        number: int,
        time: int,
        kind: str,
        process: Pid | None,
        clause: str,
        layer: str,
        subject: object,
        received: list[Envelope],
        parents: list[int],
    ) -> None:
        self.number = number
        self.time = time
        self.kind = kind
        self.process = process
        self.clause = clause
        self.layer = layer
        self.subject = subject
        self.received = received
        self.parents = parents
        self.sent: list[Envelope] = []
        self.changed: dict[str, Any] | None = None
        self.role: str | None = None

    def change(self, field: str, value: Any) -> None:
        if self.changed is None:
            self.changed = {}
        self.changed[field] = value

    def as_event(self) -> Any:
        return Event(
            self.number,
            self.time,
            self.kind,
            self.process,
            self.clause,
            self.layer,
            self.subject,
            [envelope.sent_message for envelope in self.received],
            [envelope.sent_message for envelope in self.sent],
            self.changed or {},
            self.role,
            self.parents,
        )
