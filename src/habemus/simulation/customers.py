"""Whoever gives the commands of a mutex, as the simulation knows them."""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from habemus.process import Pid


@mypyc_attr(allow_interpreted_subclasses=True)
class Customers:
    """Told when a process enters, leaves or is back, and which process was busy when it was asked."""

    def entered(self, id: Pid) -> None:
        """The process is inside."""

    def left(self, id: Pid) -> None:
        """The process is outside again."""

    def recovered(self, id: Pid) -> None:
        """The process is back, and neither waits nor is inside."""

    def engaged(self, id: Pid) -> None:
        """The process was asked to acquire the lock while it waited or was inside."""

    def satisfied(self) -> bool:
        """Whether nobody waits, is inside, or will ask again."""
        return True
