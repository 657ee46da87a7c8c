"""`habemus lock` and `habemus run`: a command that runs while this process holds a lock or leads a role."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from habemus.cli.exit_status import NOT_IN_TIME
from habemus.cli.group_options import GroupName, KeyFile, Tls, Ttl, Where, as_usage_errors, parse_tls

if TYPE_CHECKING:
    from habemus.service.blocking import Group, Holding
    from habemus.service.lease import BaseLease
    from habemus.service.supervisor import Supervisor

LONGEST_COMMAND = 100
USUAL_GRACE = 5.0

Command = Annotated[list[str], typer.Argument(help="What to run, after --.", metavar="-- COMMAND [ARGUMENT]...")]
Grace = Annotated[
    float | None,
    typer.Option(
        "--grace",
        min=0,
        help="Seconds between TERM and KILL for a command that has to end.",
        show_default="5, or half of --ttl if that is less",
    ),
]


def lock_command(
    name: Annotated[str, typer.Argument(help="The lock.")],
    command: Command,
    shared: Annotated[bool, typer.Option("--shared", help="Together with others that say --shared.")] = False,
    slots: Annotated[int | None, typer.Option("--slots", min=1, help="At most so many at a time.")] = None,
    wait: Annotated[
        float | None, typer.Option("--wait", min=0, help="Seconds to wait for it.", show_default="as long as it takes")
    ] = None,
    group: GroupName = "habemus",
    where: Where = None,
    key_file: KeyFile = None,
    tls: Tls = None,
    ttl: Ttl = 10.0,
    grace: Grace = None,
) -> int:
    """Run a command while holding a lock: habemus lock backup -- ./backup.sh

    Exit status: that of the command (128 + n if signal n ended it); 75 if the lock was not free; 76 if it was lost and
    the command was killed; 126 if the command cannot be executed, 127 if there is none such. The command finds
    HABEMUS_NAME, HABEMUS_TOKEN and others in its environment. It dies with this process, with all that it has started.
    What it leaves behind is ended before the lock is given back.
    """
    from habemus.service.guardian import Guardian
    from habemus.service.supervisor import Supervisor

    if shared and slots is not None:
        raise typer.BadParameter("--shared and --slots exclude each other")
    with as_usage_errors():
        joined = join_with(command, group, where, key_file, tls, ttl)
        holding = joined.lock(name, shared=shared, slots=slots, wait=wait)
        seconds = choose_grace(grace, ttl, joined)
    guardian = Guardian()
    status = guardian.watch()
    if status is not None:
        return status
    with joined:
        return run_holding(Supervisor(seconds, guardian.report), holding, command, group)


def run_command(
    command: Command,
    role: Annotated[str, typer.Option("--role", help="The role that one process has at a time.")],
    group: GroupName = "habemus",
    where: Where = None,
    key_file: KeyFile = None,
    tls: Tls = None,
    ttl: Ttl = 10.0,
    grace: Grace = None,
) -> int:
    """Wait until this process leads a role, and run a command: habemus run --role scheduler -- ./scheduler

    If the role is lost or passes to another member, the command is ended, and begins anew when this process leads
    again. Exit status as for lock.
    """
    from habemus.service.guardian import Guardian
    from habemus.service.supervisor import LOST, Supervisor

    with as_usage_errors():
        joined = join_with(command, group, where, key_file, tls, ttl)
        joined.lead(role)
        seconds = choose_grace(grace, ttl, joined)
    guardian = Guardian()
    ended = guardian.watch()
    if ended is not None:
        return ended
    with joined:
        supervisor = Supervisor(seconds, guardian.report)
        while True:
            status = run_holding(supervisor, joined.lead(role), command, group)
            if status != LOST:
                return status


def join_with(
    command: list[str], group: str, where: str | None, key_file: str | None, tls: str | None, ttl: float
) -> Group:
    """As a client: a voter would come and go with each command. This process is to be the guardian of who joins."""
    from habemus.service.blocking import Group
    from habemus.service.membership import make_membership
    from habemus.service.options import JoinOptions

    about = {"command": Path(command[0]).name[:LONGEST_COMMAND]}  # without its arguments: they may be secret
    return Group(
        make_membership(
            JoinOptions(
                group,
                where,
                key_file=key_file,
                tls=parse_tls(tls),
                ttl=ttl,
                voter=False,
                metadata=about,
                guardian=os.getpid(),
            )
        )
    )


def choose_grace(grace: float | None, ttl: float, joined: Group) -> float:
    """Where leases expire, a command that gets TERM so early would be ended although its lease is renewed."""
    from habemus.service.engine import RECLAIMS_HUNG

    if grace is None:
        return min(USUAL_GRACE, ttl / 2)
    if RECLAIMS_HUNG in joined.guarantees and grace > ttl / 2:
        raise typer.BadParameter(f"--grace {grace:g}: expected at most half of --ttl {ttl:g}")
    return grace


def run_holding(supervisor: Supervisor, holding: Holding, command: list[str], group: str) -> int:
    from habemus.service.errors import LeaseLost, LockTaken
    from habemus.service.supervisor import LOST, NOT_EXECUTABLE, NOT_FOUND

    try:
        with holding as lease:
            status = supervisor.run(command, environment(lease, group), lease)
            if lease.wanted and status == LOST:
                complain(f'"{lease.name}" passes to {lease.wanted.reason}')
    except (LockTaken, TimeoutError) as error:
        complain(str(error))
        return NOT_IN_TIME
    except LeaseLost as error:
        complain(str(error))
        return LOST
    if status in (NOT_FOUND, NOT_EXECUTABLE) and not supervisor.group:
        complain(f"{command[0]} {'is not there' if status == NOT_FOUND else 'cannot be executed'}")
    return status


def environment(lease: BaseLease, group: str) -> dict[str, str]:
    """What the command is told; its deadline is on the clock CLOCK_BOOTTIME, and missing if the lease has none."""
    told = {"GROUP": group, "NAME": lease.name, "TOKEN": str(lease.token), "SLOT": str(lease.slot)}
    if lease.deadline != math.inf:
        told["DEADLINE"] = f"{lease.deadline:.3f}"
    return {f"HABEMUS_{name}": value for name, value in told.items()}


def complain(sentence: str) -> None:
    print(f"habemus: {sentence}", file=sys.stderr)
