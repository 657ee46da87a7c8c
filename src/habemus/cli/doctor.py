"""`habemus doctor`: what this machine and its group are good for."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from habemus.cli.group_options import GroupName, Json, KeyFile, Tls, Ttl, Where, observe

if TYPE_CHECKING:
    from habemus.service.diagnosis import Diagnosis, Measure

NOT_SAFE = 1


def doctor_command(
    group: GroupName = "habemus",
    where: Where = None,
    key_file: KeyFile = None,
    tls: Tls = None,
    data: Annotated[
        str | None, typer.Option("--data", help="The directory whose disk is measured.", show_default="temporary files")
    ] = None,
    ttl: Ttl = 10.0,
    seconds: Annotated[float, typer.Option("--for", min=0.1, max=3600, help="Seconds to measure.")] = 3.0,
    json: Json = False,
) -> int:
    """Measure round trips, fsync, clock and scheduling, and say which ttl is safe here: habemus doctor --for 60

    Run it while the machine does what it does on a bad day. Exit status: 0 if --ttl is safe; 1 if not; 2 if the group
    cannot be asked.
    """
    from habemus.cli.group import print_table
    from habemus.cli.output import print_json
    from habemus.service.diagnosis import diagnose
    from habemus.service.engine import RECLAIMS_HUNG

    directory = Path(data or tempfile.gettempdir())
    if not directory.is_dir():
        raise typer.BadParameter(f"--data {data}: there is no such directory")
    with observe(group, where, key_file, tls, ttl) as joined:
        engine = joined.membership.engine
        found = diagnose(directory, lambda: engine.fetch_view().result(), seconds)
    safe = ttl >= found.safe_ttl
    if json:
        print_json({**diagnosis_fields(found), "ttl": ttl, "safe": safe})
    else:
        rows = [
            ["round trip to those who decide", *in_milliseconds(found.round_trip)],
            ["fsync", *in_milliseconds(found.fsync)],
            ["delay of this process", *in_milliseconds(found.gaps)],
        ]
        print_table(["", "median", "worst"], rows, right=("median", "worst"))
        print(f"The clock runs at {found.clock_rate * 1e6:+.0f} ppm of the hardware's; {slept(found.slept)}.")
        print(f"A ttl of {found.safe_ttl:g} s or more is safe: four times what can delay a renewal.", end=" ")
        print(f"{ttl:g} s is {'enough' if safe else 'not enough'}.")
        if RECLAIMS_HUNG not in engine.guarantees:
            print("On one host leases have no ttl: the kernel knows who has died.")
    return 0 if safe else NOT_SAFE


def slept(seconds: float) -> str:
    return f"the machine was suspended for {seconds:.0f} s since it started" if seconds >= 1 else "it never slept"


def in_milliseconds(times: Measure | None) -> list[str]:
    if times is None:
        return ["not possible", ""]
    return [f"{1000 * times.median:.2f} ms", f"{1000 * times.worst:.2f} ms"]


def diagnosis_fields(found: Diagnosis) -> dict[str, Any]:
    """In seconds."""
    from dataclasses import asdict

    return {**asdict(found), "safe_ttl": found.safe_ttl}
