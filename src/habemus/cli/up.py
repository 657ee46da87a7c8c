"""`habemus up`: a local cluster of real processes, to watch and to break."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from habemus.cli import options as o

MOST = 200
MOST_ON_PAGE = 50  # 100 processes take some 3,000 steps a second while they elect


def up_command(
    n: Annotated[int, typer.Option("-n", "--n", help="How many processes.")] = 5,
    algorithm: Annotated[str, typer.Option("--algorithm", help="What they run: an election or a mutex.")] = "bully",
    settings: o.Settings = None,
    layer: o.Layers = None,
    haste: Annotated[
        bool, typer.Option("--haste", help="Notice within 100 ms that a process hangs; costs more when idle.")
    ] = False,
    seconds: Annotated[
        float | None, typer.Option("--for", help="End after so many seconds.", show_default="at Ctrl-C")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65535, help="Where the page is.", show_default="8114, or a free one"),
    ] = None,
    open: Annotated[bool, typer.Option("--open/--no-open", help="Whether to open the page in the browser.")] = True,
) -> int:
    """Run a local cluster of real processes, with a page; kill, pause, resume and restart them."""
    import math
    import tempfile

    from habemus.catalogue import find_algorithm
    from habemus.cli.cluster_table import Show
    from habemus.network.cluster import Cluster
    from habemus.network.errors import NetworkError
    from habemus.network.service import run_loop
    from habemus.network.timing import in_haste
    from habemus.process import Mutex

    scenario = o.adjusted(o.scenario_from(algorithm), {"settings": settings, "layer": layer})
    if not 1 <= n <= MOST:
        raise NetworkError(f"-n {n}: expected 1 to {MOST} processes on one machine")
    if seconds is not None and not 0 < seconds < math.inf:
        raise NetworkError(f"--for {seconds:g}: expected seconds, as in --for 30")
    if haste:
        scenario = in_haste(scenario)
    mutex = issubclass(find_algorithm(scenario.algorithm), Mutex)
    demand: dict[str, Any] = {"think": "exponential:1500", "hold": "constant:400"} if mutex else {}
    with tempfile.TemporaryDirectory(prefix="habemus-") as directory:
        cluster = Cluster(scenario, n, directory, traced=n <= MOST_ON_PAGE, **demand)
        return run_loop(Show(cluster, scenario.algorithm).run(seconds, port, open))
