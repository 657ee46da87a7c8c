"""The options of all commands that use a group, and the group that they name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from habemus.service.blocking import Group

GroupName = Annotated[str, typer.Option("--group", help="The group; names of different groups have nothing in common.")]
Where = Annotated[
    str | None,
    typer.Option(
        "--where",
        help="HOST:PORT,HOST:PORT,... of its voters, or file:///DIRECTORY on this host.",
        show_default="a directory of this user on this host",
    ),
]
KeyFile = Annotated[str | None, typer.Option("--key-file", help="The file of the key that all members share.")]
Tls = Annotated[str | None, typer.Option("--tls", help="CERTIFICATE,KEY,AUTHORITY: three files.")]
Ttl = Annotated[float, typer.Option("--ttl", help="Seconds that a lease lasts; all members have the same.")]
Json = Annotated[bool, typer.Option("--json", help="As JSON, for programs.")]


def observe(
    group: str, where: str | None, key_file: str | None, tls: str | None, ttl: float, observer: bool = True
) -> Group:
    """A group to look at, without becoming a member unless one has to be."""
    from habemus.service.blocking import Group
    from habemus.service.membership import make_membership
    from habemus.service.options import JoinOptions

    with as_usage_errors():
        options = JoinOptions(
            group, where, key_file=key_file, tls=parse_tls(tls), ttl=ttl, voter=False, observer=observer
        )
        return Group(make_membership(options))


def parse_tls(text: str | None) -> tuple[str, str, str] | None:
    if text is None:
        return None
    paths = text.split(",")
    if len(paths) != 3:
        raise typer.BadParameter(f"--tls {text}: expected CERTIFICATE,KEY,AUTHORITY")
    return paths[0], paths[1], paths[2]


@contextmanager
def as_usage_errors() -> Iterator[None]:
    """What the service does not accept as a value is a mistake in an option."""
    try:
        yield
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
