"""What can go wrong when a service uses locks. Each error says in one sentence what happened and what would help."""

from __future__ import annotations

# Why a lease was lost.
EXPIRED = "expired"  # it was not renewed before its deadline
PAUSED = "paused"  # the process stood still until after its deadline
DEPOSED = "deposed"  # it was taken away, or given up for another member
CLOSED = "closed"  # its group was left
DELETED = "deleted"  # somebody deleted the file that stands for it
FORKED = "forked"  # this process is a copy of the one that has it
RELEASED = "released"  # it was not lost: its `with` has ended

LEFT = "this group was left while the lock was waited for"


class GroupError(Exception):
    """The base of all errors here; by itself: a group cannot be used as it was asked for."""


class LockTaken(GroupError):  # noqa: N818
    """The lock is not free, and the caller did not want to wait."""


class LeaseLost(GroupError):  # noqa: N818
    """A lease is over although its holder did not give it back; `reason` says why."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f'the lease of "{name}" is lost: {EXPLANATIONS.get(reason, reason)}')
        self.name = name
        self.reason = reason


class NoQuorum(GroupError):  # noqa: N818
    """No majority of the voters can be reached, so that nothing can be decided."""


class StaleToken(GroupError):  # noqa: N818
    """A write with an old token: since then a newer holder was here."""

    def __init__(self, resource: str, token: int, highest: int) -> None:
        super().__init__(f'token {token} is stale: "{resource}" has seen {highest}')
        self.resource = resource
        self.token = token
        self.highest = highest


class ForkedError(GroupError):
    """A child process uses what its parent has joined."""

    def __init__(self) -> None:
        super().__init__("this group was joined before os.fork, by the parent: call join in the child as well")


EXPLANATIONS = {
    EXPIRED: "it was not renewed before its deadline",
    PAUSED: "this process stood still until after its deadline",
    DEPOSED: "another member is to have it",
    CLOSED: "its group was left",
    DELETED: "somebody deleted its file",
    FORKED: "it belongs to the parent process",
    RELEASED: "it was given back when its `with` ended",
}
