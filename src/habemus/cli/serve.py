"""`habemus serve`: a voter without an application."""

from __future__ import annotations

import signal
from typing import Annotated

import typer

from habemus.cli.group_options import GroupName, KeyFile, Tls, Ttl, as_usage_errors, parse_tls

ENDING = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}  # one that is ignored, as by `nohup`, stays ignored


def serve_command(
    where: Annotated[str, typer.Option("--where", help="HOST:PORT,HOST:PORT,... of all voters, one of this host.")],
    group: GroupName = "habemus",
    id: Annotated[str | None, typer.Option("--id", help="Its name.", show_default="host and process id")] = None,
    key_file: KeyFile = None,
    tls: Tls = None,
    ttl: Ttl = 10.0,
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            help="The directory for what has to survive a restart.",
            show_default="/var/tmp/habemus-UID/GROUP",
        ),
    ] = None,
    http: Annotated[str | None, typer.Option("--http", help="HOST:PORT for /status, /metrics and so on.")] = None,
    http_host: Annotated[str, typer.Option("--http-host", help="Names under which it is asked there.")] = "",
    http_token_file: Annotated[
        str | None, typer.Option("--http-token-file", help="The token for POST /transfer, /pause and /resume.")
    ] = None,
) -> int:
    """Run a voter of a group that has no application of its own: habemus serve --where a:7001,b:7001,c:7001

    Two hosts with an application and this on a third one survive the loss of any. It ends in order with TERM, HUP or
    Ctrl-C.
    """
    from habemus.service.blocking import join

    if "://" in where:
        raise typer.BadParameter(f"--where {where}: expected the addresses of the voters, HOST:PORT,HOST:PORT,...")
    with as_usage_errors():
        joined = join(
            group,
            where,
            id=id,
            key_file=key_file,
            tls=parse_tls(tls),
            ttl=ttl,
            data=data,
            http=http,
            http_host=http_host,
            http_token_file=http_token_file,
            voter=True,
        )
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # for all threads to come: they wait for `sigwait`
    try:
        with joined:
            answers = f", answers at {joined.server.url}" if joined.server is not None else ""
            print(f'{joined.id} votes in group "{group}"{answers}', flush=True)
            signal.sigwait(ENDING)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return 0
