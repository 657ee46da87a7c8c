"""What operators ask of a group: status, members, watch, history, transfer, pause, resume."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from habemus.cli.exit_status import NO_QUORUM, NOT_IN_TIME
from habemus.cli.group_options import GroupName, Json, KeyFile, Tls, Ttl, Where, observe

if TYPE_CHECKING:
    from habemus.service.blocking import Group
    from habemus.service.view import Event, Lagged, LockState, View

OF_MEMBERS = ("joined", "left")
LOOK_AGAIN = 0.05  # seconds

Role = Annotated[str, typer.Argument(help="The role.")]


def status_command(
    group: GroupName = "habemus",
    where: Where = None,
    key_file: KeyFile = None,
    tls: Tls = None,
    ttl: Ttl = 10.0,
    json: Json = False,
) -> int:
    """Show who leads, who holds which lock, who waits, with tokens and times: habemus status --group orders

    Exit status: 0; 1 if the group has no quorum; 2 if it cannot be asked.
    """
    from habemus.cli.output import print_json
    from habemus.service.view import view_fields

    view = look(observe(group, where, key_file, tls, ttl))
    if json:
        print_json(view_fields(view))
    else:
        print_view(view)
    return 0 if view.has_quorum else NO_QUORUM


def members_command(
    group: GroupName = "habemus",
    where: Where = None,
    key_file: KeyFile = None,
    tls: Tls = None,
    ttl: Ttl = 10.0,
    json: Json = False,
) -> int:
    """List who has joined, and what each says about itself: habemus members --group orders

    Exit status: as for status.
    """
    from habemus.cli.output import print_json
    from habemus.service.view import member_fields

    view = look(observe(group, where, key_file, tls, ttl))
    if json:
        print_json([member_fields(member) for member in view.members])
    elif not view.members:
        print(heading(view))
    else:
        roles: dict[str, list[str]] = {}
        for role, leader in view.leaders.items():
            roles.setdefault(leader, []).append(role)
        rows = []
        for member in view.members:
            kind = "voter" if member.voter else "member"
            about = " ".join(f"{key}={value}" for key, value in sorted(member.metadata.items()))
            rows.append([member.id, kind if member.alive else "dead", ", ".join(roles.get(member.id, [])), about])
        print_table(["id", "", "leads", "metadata"], rows)
    return 0 if view.has_quorum else NO_QUORUM


def watch_command(
    group: GroupName = "habemus",
    where: Where = None,
    key_file: KeyFile = None,
    tls: Tls = None,
    ttl: Ttl = 10.0,
    json: Json = False,
) -> int:
    """Show a group, and then a line for everything that happens in it: habemus watch --group orders

    With --json each line is an object; the first has the kind "view". It ends with Ctrl-C or TERM.
    """
    from habemus.cli.output import print_json
    from habemus.service.view import Lagged, event_fields, view_fields

    with observe(group, where, key_file, tls, ttl) as joined:
        events = joined.events()
        view = joined.membership.engine.fetch_view().result()
        if json:
            print_json({"kind": "view", **view_fields(view)})
        else:
            print_view(view)
        sys.stdout.flush()
        for event in events:
            if json and isinstance(event, Lagged):
                print_json({"kind": "lagged", "missed": event.missed})
            elif json and not isinstance(event, Lagged):
                print_json(event_fields(event))
            else:
                print(event_line(event))
            sys.stdout.flush()
    return 0


def history_command(
    role: Annotated[str | None, typer.Argument(help="One role only.", show_default="all")] = None,
    group: GroupName = "habemus",
    where: Where = None,
    key_file: KeyFile = None,
    tls: Tls = None,
    ttl: Ttl = 10.0,
    json: Json = False,
) -> int:
    """Show who led a role, from when to when, and why it ended: habemus history scheduler --group orders

    As far as it is remembered. Pauses are shown, too.
    """
    from habemus.cli.output import print_json
    from habemus.service.view import event_fields

    with observe(group, where, key_file, tls, ttl) as joined:
        events = [event for event in joined.history() if event.kind not in OF_MEMBERS]
    if role is not None:
        events = [event for event in events if event.role in (role, "")]
    if json:
        print_json([event_fields(event) for event in events])
    elif not events:
        print("nothing is remembered")
    else:
        rows = [[moment(event), *event_words(event)] for event in events]
        print_table(["time", "event", "role", "member", "token", "reason"], rows, right=("token",))
    return 0


def transfer_command(
    role: Role,
    to: Annotated[str, typer.Option("--to", help="A member that waits for the role.")],
    group: GroupName = "habemus",
    where: Where = None,
    key_file: KeyFile = None,
    tls: Tls = None,
    ttl: Ttl = 10.0,
    wait: Annotated[float, typer.Option("--wait", min=0, help="Seconds to wait until it leads.")] = 60.0,
) -> int:
    """Pass a role on to another member: habemus transfer scheduler --to web2 --group orders

    The leader is asked to end what it does; then the member leads. Exit status: 0 when it does; 75 if it does not
    within --wait seconds: then it is still the next one; 2 if it does not wait for the role.
    """
    from habemus.service.view import ROLE

    with observe(group, where, key_file, tls, ttl, observer=False) as joined:
        engine = joined.membership.engine
        while joined.id not in [member.id for member in engine.fetch_view().result().members]:
            time.sleep(LOOK_AGAIN)  # only members are listened to
        joined.transfer(role, to=to)
        until = time.monotonic() + wait
        while True:
            leaders = engine.fetch_view().result().find(ROLE, role).holders
            if to in [leader.member for leader in leaders]:
                print(f"{to} leads {role} with token {leaders[0].token}")
                return 0
            if time.monotonic() >= until:
                break
            time.sleep(LOOK_AGAIN)
    now = leaders[0].member if leaders else "nobody"
    print(f"habemus: {now} leads {role} still, and {to} is next", file=sys.stderr)
    return NOT_IN_TIME


def pause_command(
    group: GroupName = "habemus",
    where: Where = None,
    key_file: KeyFile = None,
    tls: Tls = None,
    ttl: Ttl = 10.0,
) -> int:
    """Replace nobody until habemus resume, as for maintenance: habemus pause --group orders

    Who leads goes on, and locks can be taken. On one host nobody new takes over a role meanwhile.
    """
    with observe(group, where, key_file, tls, ttl) as joined:
        joined.pause()
    print(f'group "{group}" is paused')
    return 0


def resume_command(
    group: GroupName = "habemus",
    where: Where = None,
    key_file: KeyFile = None,
    tls: Tls = None,
    ttl: Ttl = 10.0,
) -> int:
    """End a pause: habemus resume --group orders"""
    with observe(group, where, key_file, tls, ttl) as joined:
        joined.resume()
    print(f'group "{group}" is not paused')
    return 0


def look(group: Group) -> View:
    with group as joined:
        return joined.membership.engine.fetch_view().result()


# What people read


def heading(view: View) -> str:
    members = len(view.members)
    parts = [f'group "{view.group}"', "nobody is in it" if not members else f"{members} member{'s'[: members > 1]}"]
    if view.coordinator:
        parts.append(f"{view.coordinator} coordinates")
    if not view.has_quorum:
        parts.append("no quorum: nothing can be decided")
    if view.paused:
        parts.append("paused")
    return ", ".join(parts)


def print_view(view: View) -> None:
    print(heading(view))
    if view.locks:
        rows = [row for lock in view.locks for row in lock_rows(lock)]
        print_table(["", "name", "holder", "token", "ends in", "waiting"], rows, right=("token", "ends in"))


def lock_rows(lock: LockState) -> list[list[str]]:
    """A row for each holder; who waits stands in the first."""
    kind = f"{lock.kind}, {lock.slots} slots" if lock.slots > 1 else lock.kind
    rows = []
    for holder in lock.holders:
        rest = "" if holder.remaining == math.inf else f"{holder.remaining:.1f} s"
        rows.append([kind + ", shared" * holder.shared, lock.name, holder.member, str(holder.token), rest, ""])
    rows = rows or [[kind, lock.name, "nobody", "", "", ""]]
    rows[0][-1] = ", ".join(waiter.member + " (shared)" * waiter.shared for waiter in lock.waiters)
    return rows


def moment(event: Event) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(event.time)) + f".{int(event.time * 1000) % 1000:03}"


def event_words(event: Event) -> list[str]:
    token = str(event.token) if event.token else ""
    return [str(event.kind), event.role, event.member, token, event.reason]


def event_line(event: Event | Lagged) -> str:
    from habemus.service.view import Lagged

    if isinstance(event, Lagged):
        return f"{event.missed} events were missed"
    kind, role, member, token, reason = event_words(event)
    words = [member, kind, role, f"token {token}" * bool(token), f"({reason})" * bool(reason)]
    return "  ".join([moment(event), " ".join(word for word in words if word)])


def print_table(headings: list[str], rows: Iterable[list[str]], right: tuple[str, ...] = ()) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in headings:
        table.add_column(heading, justify="right" if heading in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    console: Any = Console(width=None if sys.stdout.isatty() else 200, highlight=False)
    console.print(table)
