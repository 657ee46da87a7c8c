"""`habemus up`: a local cluster of real processes, to watch and to break."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from habemus.cli import options as o

if TYPE_CHECKING:
    from habemus.cli.cluster_table import ClusterView

MOST = 200
MOST_ON_PAGE = 50  # 100 processes take about 3,000 steps a second during an election
USUAL, USUAL_VOTERS = 5, 3


def up_command(
    n: Annotated[
        int | None,
        typer.Option("-n", "--n", help="Number of processes; of a group, its voters.", show_default="5; 3 voters"),
    ] = None,
    algorithm: Annotated[
        str | None, typer.Option("--algorithm", help="The algorithm: an election or a mutex.", show_default="bully")
    ] = None,
    group: Annotated[
        str | None,
        typer.Option("--group", help="A service group of that name in place of an algorithm: voters, and workers."),
    ] = None,
    settings: o.Settings = None,
    layer: o.Layers = None,
    haste: Annotated[
        bool, typer.Option("--haste", help="Suspect a hung process within 100 ms; costs more when idle.")
    ] = False,
    seconds: Annotated[
        float | None, typer.Option("--for", help="Stop after so many seconds.", show_default="at Ctrl-C")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65535, help="Port of the page.", show_default="8114, or a free one"),
    ] = None,
    open: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
) -> int:
    """Run a local cluster of real processes, with a page; kill, pause, resume, restart and cut them off."""
    import math

    from habemus.network.errors import NetworkError
    from habemus.network.operate.service import run_loop

    if seconds is not None and not 0 < seconds < math.inf:
        raise NetworkError(f"--for {seconds:g}: expected seconds, as in --for 30")
    if group is None:
        view = view_cluster(algorithm or "bully", n if n is not None else USUAL, settings, layer, haste)
    elif algorithm is not None or settings or layer or haste:
        raise NetworkError(f"--group {group}: a group has its own algorithm; leave the other options out")
    else:
        view = view_group(group, n if n is not None else USUAL_VOTERS)
    return run_loop(view.run(seconds, port, open))


def view_cluster(
    algorithm: str, n: int, settings: list[str] | None, layer: list[str] | None, haste: bool
) -> ClusterView:
    from habemus.catalogue import find_algorithm
    from habemus.cli.cluster_table import ClusterView
    from habemus.network.errors import NetworkError
    from habemus.network.node.timing import add_fast_detector
    from habemus.network.operate.cluster import Cluster
    from habemus.process import Mutex

    scenario = o.apply_options(o.find_scenario(algorithm), {"settings": settings, "layer": layer})
    if not 1 <= n <= MOST:
        raise NetworkError(f"-n {n}: expected 1 to {MOST} processes on one machine")
    if haste:
        scenario = add_fast_detector(scenario)
    mutex = issubclass(find_algorithm(scenario.algorithm), Mutex)
    demand: dict[str, Any] = {"think": "exponential:1500", "hold": "constant:400"} if mutex else {}
    return ClusterView(Cluster(scenario, n, traced=n <= MOST_ON_PAGE, **demand), scenario.algorithm)


def view_group(name: str, voters: int) -> ClusterView:
    from habemus.cli.group_options import as_usage_errors
    from habemus.cli.group_table import GroupView
    from habemus.demo.group import DemoGroup
    from habemus.network.errors import NetworkError
    from habemus.service.engines.joining import MOST_VOTERS

    if not 1 <= voters <= MOST_VOTERS:
        raise NetworkError(f"-n {voters}: expected 1 to {MOST_VOTERS} voters; 3 or 5 are usual")
    with as_usage_errors():
        return GroupView(DemoGroup(name, voters, traced=True))
