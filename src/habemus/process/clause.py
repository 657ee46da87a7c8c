"""The clauses of an algorithm: one named method for each "upon ..." of the textbook.

A decorator wraps the method in a `Clause`, which remembers what triggers it. Called directly (`self.call_election()`),
a clause is still an ordinary method.

    clause                      runs when                                             is called with
    upon_start                  the process takes the first step by itself            (self)
    upon(Message)               a message of that type arrives                        (self, sender, message)
    upon_timeout("name")        the timer of that name runs out                       (self)
    upon_suspect, upon_trust    the detector begins, ceases to suspect a process      (self, subject)
    upon_level                  the detector's suspicion of a process has grown or gone   (self, (subject, level))
    upon_leader                 the election below names a leader, or none            (self, leader)
    upon_recover                the process is back, with its durable fields only     (self)
    upon_command("name")        the workload asks for it ("acquire", "release", ...)  (self)
    upon_command("name", Data)  the same, and the command carries data                (self, data)
    upon_indication(Data)       a layer below makes something known                   (self, data)
    upon_request(Data)          a layer above asks for something                      (self, data)
    upon_pulse                  a pulse of the synchronous network begins             (self, pulse, inbox)
    whenever(guard)             a step of this process has made guard(self) true      (self)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar, cast

from habemus.process.message import Message, Pid

P = TypeVar("P")
M = TypeVar("M", bound=Message)
Plain = TypeVar("Plain", bound=Callable[[Any], None])
Named = TypeVar("Named", bound=Callable[[Any, Any], None])
Pulsed = TypeVar("Pulsed", bound=Callable[[Any, int, Any], None])
Commanded = TypeVar("Commanded", bound=Callable[..., None])

Inbox: TypeAlias = Sequence[tuple[Pid, Message]]
"""What arrived with a pulse: (sender, message), ordered by sender."""


class Clause:
    """A method of an algorithm together with what triggers it."""

    def __init__(self, kind: str, key: object, function: Any, data: Any = None) -> None:
        self.kind = kind
        self.key = key
        self.function = function
        self.data = data  # the type of what a command carries, if it carries anything
        self.name = ""

    def __get__(self, instance: Any, owner: Any) -> Any:
        if instance is None:
            return self
        return self.function.__get__(instance, owner)

    @property
    def trigger(self) -> str:
        """The trigger as its author wrote it, for messages and for the catalogue."""
        if self.kind == "message":
            return f"upon({cast(type, self.key).__name__})"
        if self.kind in ("indication", "request"):
            return f"upon_{self.kind}({cast(type, self.key).__name__})"
        if self.kind in ("timeout", "command"):
            carried = f", {self.data.__name__}" if self.data is not None else ""
            return f'upon_{self.kind}("{self.key}"{carried})'
        return "whenever" if self.kind == "whenever" else f"upon_{self.kind}"


def upon_start(method: Plain) -> Plain:
    """Runs when the process takes the first step by itself.

    In an election that is the privilege of its starters; every process of any other kind starts at time 0.
    """
    return cast(Plain, Clause("start", None, method))


def upon(message: type[M]) -> Callable[[Callable[[P, Pid, M], None]], Callable[[P, Pid, M], None]]:
    """Runs when a message of this type arrives."""

    def clause(method: Callable[[P, Pid, M], None]) -> Callable[[P, Pid, M], None]:
        return cast(Callable[[P, Pid, M], None], Clause("message", message, method))

    return clause


def upon_timeout(timer: str) -> Callable[[Plain], Plain]:
    """Runs when the timer of this name runs out."""

    def clause(method: Plain) -> Plain:
        return cast(Plain, Clause("timeout", timer, method))

    return clause


def upon_command(command: str, data: type[Message] | None = None) -> Callable[[Commanded], Commanded]:
    """Runs when the workload gives this command. With `data`, a message type, the clause is called with one of these.

    Whoever gives the command without data means the defaults; if there are none, that is refused.
    """

    def clause(method: Commanded) -> Commanded:
        return cast(Commanded, Clause("command", command, method, data))

    return clause


def upon_indication(data: type[M]) -> Callable[[Callable[[P, M], None]], Callable[[P, M], None]]:
    """Runs when a layer below indicates something of this type."""

    def clause(method: Callable[[P, M], None]) -> Callable[[P, M], None]:
        return cast(Callable[[P, M], None], Clause("indication", data, method))

    return clause


def upon_request(data: type[M]) -> Callable[[Callable[[P, M], None]], Callable[[P, M], None]]:
    """Runs when a layer above requests something of this type."""

    def clause(method: Callable[[P, M], None]) -> Callable[[P, M], None]:
        return cast(Callable[[P, M], None], Clause("request", data, method))

    return clause


def upon_suspect(method: Named) -> Named:
    """Runs when the detector begins to suspect a process."""
    return cast(Named, Clause("suspect", None, method))


def upon_trust(method: Named) -> Named:
    """Runs when the detector no longer suspects a process."""
    return cast(Named, Clause("trust", None, method))


def upon_level(method: Named) -> Named:
    """Runs when the suspicion of a process passes a whole number, or is gone: (subject, its level in hundredths)."""
    return cast(Named, Clause("level", None, method))


def upon_leader(method: Named) -> Named:
    """Runs when the election in the layer below names a leader (or None: nobody)."""
    return cast(Named, Clause("leader", None, method))


def upon_recover(method: Plain) -> Plain:
    """Runs when the process is back after a crash, with its durable fields only."""
    return cast(Plain, Clause("recover", None, method))


def upon_pulse(method: Pulsed) -> Pulsed:
    """Runs at every pulse of the synchronous network, with what was sent to this process in the pulse before."""
    return cast(Pulsed, Clause("pulse", None, method))


def whenever(guard: Callable[[Any], bool]) -> Callable[[Plain], Plain]:
    """Runs after any step that leaves guard(self) true, again and again until it is false: the papers' "wait until"."""

    def clause(method: Plain) -> Plain:
        return cast(Plain, Clause("whenever", guard, method))

    return clause
