"""Run a scenario and report its outcome, for people or as JSON."""

from __future__ import annotations

import sys
from pathlib import Path

from habemus.cli.output import check_diagram, check_plot, check_writable, draw_run, print_json
from habemus.cli.progress import progress_line
from habemus.cli.report import name_messages_as_noted
from habemus.cli.watchdog import watch_clauses
from habemus.scenario import Scenario
from habemus.scenario.stack import source_files
from habemus.simulation import simulate
from habemus.trace import Outcome
from habemus.words.language import say

DRAWN_EVENTS = 20_000  # of which the terminal shows what matters
KEPT_EVENTS = 200_000
WATCHED_PROCESSES = 2_000

SAFETY = ("uniqueness", "stability", "mutual_exclusion")  # once violated, a longer run does not help


def run_and_report(
    scenario: Scenario,
    json: bool,
    digest: bool,
    trace: str | None,
    diagram: str | None,
    save: str | None,
    plot: str | None = None,
    whole: bool = False,
) -> int:
    """Run a scenario, print its outcome, and write the files that were asked for; `whole`: print all its events."""
    for path in (trace, save):
        check_writable(path)
    check_diagram(diagram)
    check_plot(plot)
    small = (scenario.topology.n or 0) <= WATCHED_PROCESSES
    watched = small and needs_whole_run(scenario)  # its counts are followed event by event
    asked = diagram is not None or plot is not None or watched or whole
    keep = KEPT_EVENTS if asked else DRAWN_EVENTS if small and not json else 0
    if save is not None:
        scenario.write(save)
    with progress_line() as progress, watch_clauses(source_files(scenario)):
        if scenario.schedule is None:
            outcome = simulate(scenario, keep=keep, digest=digest, trace=trace, progress=progress)
        else:
            from habemus.checking.answer.replay import play

            outcome = play(scenario, trace)
    if not json:
        name_messages_as_noted(outcome)
    if diagram is not None:
        Path(diagram).write_text(draw_run(outcome, diagram), encoding="utf-8")
    if plot is not None:
        from habemus.measuring.run_plot import draw_run_plot

        draw_run_plot(outcome, plot)
    if json:
        print_json(outcome.as_dict())
    else:
        from rich.console import Console
        from rich.text import Text

        from habemus.cli.report import render_outcome

        console = Console(highlight=False)
        console.print(render_outcome(outcome, console.width, whole))
        for made, path in (("diagram", diagram), ("plot", plot), ("trace", trace), ("scenario", save)):
            if path is not None:
                console.print(Text.assemble((f"  {say(f'{made} written to')} ", "dim"), path))
    if outcome.ended == "budget":
        spent = f"{outcome.events:,} events"
        print(f"habemus: the budget of {spent} ran out before the run ended; --events allows more", file=sys.stderr)
    return exit_status(outcome)


def needs_whole_run(scenario: Scenario) -> bool:
    """Whether the algorithm declares something to be counted."""
    from habemus.catalogue import find_algorithm

    return bool(find_algorithm(scenario.algorithm).counts)


def exit_status(outcome: Outcome) -> int:
    """0 if all promised properties hold, 1 if one is violated or an expectation is missed, 3 if the budget ran out."""
    if (not outcome.holds or outcome.surprises) and outcome.ended != "budget":
        return 1
    if outcome.ended == "budget":
        safety = [watched for watched in outcome.properties if watched.promised and watched.name in SAFETY]
        return 1 if any(watched.witness for watched in safety) else 3
    return 0
