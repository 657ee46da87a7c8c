"""Processes that never run: they are asked what they declare, which depends on their parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from habemus.process import Anatomy, Host, Message, Pid, Process


class Nobody(Host):
    """A host that runs nothing."""

    def __init__(self) -> None:
        self.id, self.n = 1, 1

    def send(self, to: Pid, message: Message) -> None:
        raise NotImplementedError

    def set_timer(self, layer: Process, name: str, delay: int) -> None:
        raise NotImplementedError

    def cancel_timer(self, layer: Process, name: str) -> None:
        raise NotImplementedError

    def choose(self, options: Sequence[Any]) -> Any:
        raise NotImplementedError

    def indicate(self, layer: Process, what: str, subject: Any) -> None:
        raise NotImplementedError

    def request(self, layer: Process, what: Message) -> None:
        raise NotImplementedError

    def neighbours(self) -> tuple[Pid, ...]:
        return ()

    def members(self) -> tuple[Pid, ...]:
        return (self.id,)

    def ring(self) -> tuple[Pid, Pid]:
        return self.id, self.id


def specimens(stack: list[Anatomy], parameters: list[dict[str, Any]]) -> list[Process]:
    """A process of each layer, with these parameters."""
    return [anatomy.create(Nobody(), given) for anatomy, given in zip(stack, parameters, strict=True)]
