"""`habemus node`: one real process of a group."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from habemus.cli import options as o

ENVIRONMENT = "HABEMUS_"


def option(name: str, help: str, show_default: bool | str = True) -> Any:
    """An option that an environment variable can give, too: --report-every is HABEMUS_REPORT_EVERY."""
    variable = ENVIRONMENT + name.removeprefix("--").upper().replace("-", "_")
    return typer.Option(name, help=help, envvar=variable, show_default=show_default)


def node_command(
    algorithm: Annotated[str, option("--algorithm", "What to run: an election or a mutex.")] = "bully",
    id: Annotated[
        int | None, option("--id", "Who this is among the members.", show_default="made of address and port")
    ] = None,
    peers: Annotated[
        str | None, option("--peers", "All members: ID=HOST:PORT,... or HOST:PORT,...; or dns:NAME:PORT.")
    ] = None,
    registry: Annotated[str | None, option("--registry", "HOST:PORT of any member: it says who else is there.")] = None,
    zeroconf: Annotated[bool, option("--zeroconf", "Find the members on the local network.")] = False,
    expect: Annotated[int | None, option("--expect", "How many members to wait for, this one included.")] = None,
    listen: Annotated[
        str | None, option("--listen", "HOST:PORT to listen on.", show_default="its address among the members")
    ] = None,
    advertise: Annotated[
        str | None, option("--advertise", "HOST:PORT where others reach it.", show_default="as --listen")
    ] = None,
    http: Annotated[str | None, option("--http", "HOST:PORT for /leader, /status, /metrics and so on.")] = None,
    data: Annotated[
        str | None,
        option("--data", "Directory for what must survive a crash.", show_default="~/.local/state/habemus/GROUP/ID"),
    ] = None,
    group: Annotated[str, option("--group", "The group it belongs to; groups can share ports.")] = "habemus",
    key_file: Annotated[str | None, option("--key-file", "A file with the key that all members share.")] = None,
    tls_cert: Annotated[str | None, option("--tls-cert", "Its certificate.")] = None,
    tls_key: Annotated[str | None, option("--tls-key", "The key of its certificate.")] = None,
    tls_ca: Annotated[str | None, option("--tls-ca", "The authority that signed all certificates.")] = None,
    settings: Annotated[
        list[str] | None, option("--set", "NAME=VALUE: a parameter of the algorithm; LAYER.NAME=VALUE: of a layer.")
    ] = None,
    layer: Annotated[
        list[str] | None, option("--layer", "An algorithm below it: a detector, then an election; lowest first.")
    ] = None,
    haste: Annotated[
        bool, option("--haste", "Notice within 100 ms that a process hangs; costs more when idle.")
    ] = False,
    think: Annotated[str | None, option("--think", "Of a mutex: ms before it wants in again, as --delay.")] = None,
    hold: Annotated[str, option("--hold", "Of a mutex: ms that it stays inside.")] = "constant:100",
    wait: Annotated[
        float, option("--wait", "Seconds without a new member after which it begins without the others.")
    ] = 1.0,
    stall: Annotated[
        int | None,
        option(
            "--stall", "Milliseconds of standing still after which it doubts itself.", show_default="as detectors do"
        ),
    ] = None,
    report_every: Annotated[float, option("--report-every", "Seconds between two reports; 0: changes only.")] = 30.0,
    log: Annotated[str, option("--log", "text or json.")] = "text",
    trace: Annotated[str | None, option("--trace", "Write what happens to this file.")] = None,
) -> int:
    """Run one process of a group: it joins, elects, and says who leads."""
    from habemus.network.service import Wishes, run
    from habemus.network.timing import in_haste

    scenario = o.adjusted(o.scenario_from(algorithm), {"settings": settings, "layer": layer})
    wishes = Wishes(
        id=id,
        peers=peers,
        registry=registry,
        zeroconf=zeroconf,
        expect=expect,
        listen=listen,
        advertise=advertise,
        http=http,
        data=data,
        group=group,
        key_file=key_file,
        tls=(tls_cert, tls_key, tls_ca),
        scenario=in_haste(scenario) if haste else scenario,
        think=think,
        hold=hold,
        wait=wait,
        stall=stall,
        report_every=report_every,
        log=log,
        trace=trace,
    )
    return run(wishes)
