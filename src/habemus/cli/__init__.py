"""The command line: `habemus`.

Exit status: 0 all properties hold, 1 a property is violated, 2 wrong usage or input, 3 ran out of budget.
"""

from __future__ import annotations

import sys

import typer

from habemus.cli import (
    algorithms,
    check,
    compare,
    detector_figure,
    lab,
    museum,
    node,
    quorum,
    raft_figure,
    scenario,
    simulate,
    sweep,
    timeout,
    trace,
    up,
)
from habemus.compilation import is_compiled
from habemus.version import VERSION

INTERRUPTED = 130

app = typer.Typer(
    name="habemus",
    help="Leader election and mutual exclusion: watch it, break it, prove it, run it.",
    add_completion=False,
    rich_markup_mode=None,
)

app.command("algorithms")(algorithms.algorithms)
app.command("simulate")(simulate.simulate_command)
app.command("scenario")(scenario.scenario_command)
app.command("check")(check.check_command)
app.command("museum")(museum.museum_command)
app.command("sweep")(sweep.sweep_command)
app.command("compare")(compare.compare_command)
app.command("quorum")(quorum.quorum_command)
app.command("timeout")(timeout.timeout_command)
app.command("node")(node.node_command)
app.command("up")(up.up_command)
app.command("lab")(lab.lab_command)
app.add_typer(trace.trace_app, name="trace")
app.command("raft-figure")(raft_figure.raft_figure_command)
app.command("detector-figure")(detector_figure.detector_figure_command)


def show_version(wanted: bool) -> None:
    """Print the version and which kernel runs, and stop."""
    if wanted:
        print(f"habemus {VERSION}, kernel {'compiled' if is_compiled() else 'interpreted'}")
        raise typer.Exit


@app.callback()
def habemus(
    version: bool = typer.Option(False, "--version", callback=show_version, is_eager=True, help="Version and kernel."),
) -> None:
    """Leader election and mutual exclusion: watch it, break it, prove it, run it."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; a user's mistake becomes one sentence on stderr and status 2."""
    from habemus.catalogue import UnknownAlgorithmError
    from habemus.network.errors import NetworkError
    from habemus.process import MisuseError
    from habemus.scenario import ScenarioError
    from habemus.simulation.run import ClauseError
    from habemus.trace import TraceError

    if not (sys.argv[1:] if arguments is None else arguments):
        arguments = ["--help"]
    try:
        status = app(args=arguments, prog_name="habemus", standalone_mode=False)
    except typer.TyperException as error:
        return complain(error.format_message())
    except (ScenarioError, UnknownAlgorithmError, MisuseError, ClauseError, TraceError, NetworkError) as error:
        return complain(str(error.args[0]))
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone: nothing is left to say, nor anyone to say it to
        return 0
    except OSError as error:
        return complain(f"{error.filename or 'a file'}: {error.strerror}")
    except typer.Abort:
        status = INTERRUPTED
    if status == INTERRUPTED:
        print("habemus: stopped", file=sys.stderr)
    return status if isinstance(status, int) else 0


def complain(sentence: str) -> int:
    """Say what was wrong in one line."""
    print("habemus: " + " ".join(sentence.split()), file=sys.stderr)
    return 2
