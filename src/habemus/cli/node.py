"""`habemus node`: one real process of a group."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from habemus.cli import options as o

ENVIRONMENT = "HABEMUS_"


def option(name: str, help: str, show_default: bool | str = True) -> Any:
    """An option that can also be given as an environment variable: --report-every as HABEMUS_REPORT_EVERY."""
    variable = ENVIRONMENT + name.removeprefix("--").upper().replace("-", "_")
    return typer.Option(name, help=help, envvar=variable, show_default=show_default)


def node_command(
    algorithm: Annotated[str, option("--algorithm", "What to run: an election or a mutex.")] = "raft-election-steady",
    id: Annotated[
        int | None, option("--id", "The id of this process.", show_default="derived from address and port")
    ] = None,
    peers: Annotated[
        str | None, option("--peers", "All members: ID=HOST:PORT,... or HOST:PORT,...; or dns:NAME:PORT.")
    ] = None,
    registry: Annotated[str | None, option("--registry", "HOST:PORT of one member, where all others register.")] = None,
    zeroconf: Annotated[bool, option("--zeroconf", "Find the members on the local network.")] = False,
    expect: Annotated[int | None, option("--expect", "Number of members to wait for, this one included.")] = None,
    listen: Annotated[
        str | None, option("--listen", "HOST:PORT to listen on.", show_default="its address in --peers")
    ] = None,
    advertise: Annotated[
        str | None, option("--advertise", "HOST:PORT at which peers reach it.", show_default="as --listen")
    ] = None,
    http: Annotated[str | None, option("--http", "HOST:PORT for /leader, /status, /metrics and so on.")] = None,
    http_host: Annotated[
        str, option("--http-host", "Names at which it is asked over HTTP, as NAME,NAME; its addresses need none.")
    ] = "",
    http_token_file: Annotated[
        str | None, option("--http-token-file", "A file with the token that POST /election needs.")
    ] = None,
    data: Annotated[
        str | None,
        option(
            "--data",
            "Directory for the state that must survive a crash.",
            show_default="~/.local/state/habemus/GROUP/ID",
        ),
    ] = None,
    group: Annotated[str, option("--group", "The group it belongs to; groups can share ports.")] = "habemus",
    key_file: Annotated[str | None, option("--key-file", "A file with the key that all members share.")] = None,
    tls_cert: Annotated[str | None, option("--tls-cert", "The certificate of this process.")] = None,
    tls_key: Annotated[str | None, option("--tls-key", "The private key of its certificate.")] = None,
    tls_ca: Annotated[str | None, option("--tls-ca", "The authority that signed all certificates.")] = None,
    settings: Annotated[
        list[str] | None, option("--set", "NAME=VALUE: a parameter of the algorithm; LAYER.NAME=VALUE: of a layer.")
    ] = None,
    layer: Annotated[
        list[str] | None,
        option("--layer", "An algorithm in a layer below it, lowest first: a detector, then an election."),
    ] = None,
    haste: Annotated[bool, option("--haste", "Suspect a hung process within 100 ms; costs more when idle.")] = False,
    think: Annotated[
        str | None,
        option(
            "--think", "For a mutex: acquire the lock again and again, after so many ms (a distribution, as --delay)."
        ),
    ] = None,
    hold: Annotated[str, option("--hold", "For a mutex: how long to hold the lock, in ms.")] = "constant:100",
    call_after: Annotated[
        str | None,
        option(
            "--call-after",
            "For an election: call one after so many ms, a distribution as uniform:30000:60000.",
            show_default="at once",
        ),
    ] = None,
    wait: Annotated[
        float,
        option("--wait", "Seconds without a new member, after which the election begins without the missing ones."),
    ] = 1.0,
    stall: Annotated[
        int | None,
        option(
            "--stall",
            "Milliseconds without running, after which it assumes that its peers have replaced it.",
            show_default="the time-out of its detector",
        ),
    ] = None,
    report_every: Annotated[
        float, option("--report-every", "Seconds between two reports; 0: report changes only.")
    ] = 30.0,
    log: Annotated[str, option("--log", "Format of reports and log: text or json.")] = "text",
    trace: Annotated[str | None, option("--trace", "Record every step in this file.")] = None,
) -> int:
    """Run one process of a group: it joins, elects, and reports who leads."""
    from habemus.network.node.timing import add_fast_detector
    from habemus.network.operate.options import NodeOptions
    from habemus.network.operate.service import run

    scenario = o.apply_options(o.find_scenario(algorithm), {"settings": settings, "layer": layer})
    node_options = NodeOptions(
        id=id,
        peers=peers,
        registry=registry,
        zeroconf=zeroconf,
        expect=expect,
        listen=listen,
        advertise=advertise,
        http=http,
        http_host=http_host,
        http_token_file=http_token_file,
        data=data,
        group=group,
        key_file=key_file,
        tls=(tls_cert, tls_key, tls_ca),
        scenario=add_fast_detector(scenario) if haste else scenario,
        think=think,
        hold=hold,
        call_after=call_after,
        wait=wait,
        stall=stall,
        report_every=report_every,
        log=log,
        trace=trace,
    )
    return run(node_options)
