"""`habemus timeout`: what is a reasonable time-out?"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Annotated, Any

import typer

from habemus.cli import options as o
from habemus.words.language import say, say_number, say_pattern

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from habemus.measuring.election_timeout import TimeoutRow
    from habemus.measuring.timeout import Advice, RoundTrips, WeighedTimeout

SHARES = (0.5, 0.1, 0.01, 0.001)


def timeout_command(
    wait_cost: Annotated[
        float | None, typer.Option("--wait-cost", help="E: the cost of waiting for a unit of time.")
    ] = None,
    mistake_cost: Annotated[
        float | None, typer.Option("--mistake-cost", help="C: the cost of suspecting a live process.")
    ] = None,
    samples: Annotated[
        str | None, typer.Option("--samples", help="A file of measured round trips, one number on each line.")
    ] = None,
    delay: Annotated[
        str | None,
        typer.Option(
            "--delay",
            help="Or their distribution: uniform:A:B, exponential:MEAN, lognormal:MEDIAN:SIGMA, in ticks.",
        ),
    ] = None,
    timeout: Annotated[float | None, typer.Option("--timeout", help="Also show the cost of this time-out.")] = None,
    subject: Annotated[
        str | None,
        typer.Option("--for", help="bully: measure false elections and downtime for several time-outs instead."),
    ] = None,
    timeouts: Annotated[
        str | None,
        typer.Option("--timeouts", help="With --for: the time-outs, as 100,200,400.", show_default="2 to 16 medians"),
    ] = None,
    n: Annotated[int, typer.Option("--n", help="With --for: how many processes.", min=2)] = 5,
    seeds: Annotated[int, typer.Option("--seeds", help="With --for: runs of each.", min=1)] = 20,
    jobs: Annotated[int | None, typer.Option("--jobs", help="Processes to use.", min=1)] = None,
    plot: Annotated[str | None, typer.Option("--plot", help="Draw cost and p over T: F.svg, F.png or F.pdf.")] = None,
    json: o.Json = False,
) -> int:
    """Find the time-out that costs least, from round trips, the cost of waiting and the cost of a mistake."""
    from habemus.cli.output import check_plot, print_json
    from habemus.measuring.timeout import Costs, DistributedTrips, advise, draw_timeout, read_samples
    from habemus.scenario import ScenarioError

    if subject is not None:
        return measure_election(subject, delay, timeouts, n, seeds, jobs, plot, json)
    if (samples is None) == (delay is None):
        raise ScenarioError("--samples and --delay: give exactly one of them; it says how long round trips take")
    if wait_cost is None or mistake_cost is None:
        raise ScenarioError("--wait-cost and --mistake-cost: say what waiting and a mistake cost, or use --for bully")
    costs = Costs(wait_cost, mistake_cost)
    check_plot(plot)
    trips: RoundTrips = read_samples(samples) if samples is not None else DistributedTrips(delay or "")
    advice = advise(trips, costs, timeout)
    if plot is not None:
        draw_timeout(advice, plot)
    if json:
        print_json(as_dict(advice))
    else:
        show_advice(advice, plot)
    return 0


def measure_election(
    subject: str,
    delay: str | None,
    timeouts: str | None,
    n: int,
    seeds: int,
    jobs: int | None,
    plot: str | None,
    json: bool,
) -> int:
    """False elections and downtime of an election, for several time-outs."""
    from habemus.cli.output import check_plot, print_json
    from habemus.cli.pool import worker_pool
    from habemus.cli.progress import progress_bar
    from habemus.measuring.election_timeout import build_scenario, choose_timeouts, draw_timeouts, measure_timeouts
    from habemus.scenario import ScenarioError

    if subject != "bully":
        raise ScenarioError(f"--for {subject}: expected bully")
    if delay is None:
        raise ScenarioError("--delay: say how long messages take, as in --delay lognormal:50:0.5")
    check_plot(plot)
    chosen = choose_timeouts(delay)
    if timeouts is not None:
        chosen = [o.parse_integer(word, "--timeouts") for word in timeouts.split(",")]
    for timeout in chosen:
        build_scenario(delay, timeout, n, 0)  # refuses what makes no sense before any run
    with progress_bar("runs", json) as advance, worker_pool(jobs) as pool:
        rows = measure_timeouts(delay, chosen, n, seeds, pool, advance)
    if plot is not None:
        draw_timeouts(rows, delay, plot)
    if json:
        print_json({"for": subject, "delay": delay, "n": n, "rows": rows})
    else:
        show_rows(rows, delay, n, plot)
    return 0


def show_rows(rows: list[TimeoutRow], delay: str, n: int, plot: str | None) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    runs = f"{rows[0].runs} run{'s' if rows[0].runs != 1 else ''}"
    given = f"bully over heartbeats, {n} processes, {delay} delays, {runs} each"
    console.print(Padding(Text.assemble((say("time-out"), "bold"), (f"   {say_pattern(given)}", "dim")), (1, 2, 1, 2)))
    table = Table(box=None, padding=(0, 3, 0, 0), header_style="dim")
    for column in ("T", "false elections in 1,000 ticks", "downtime", "at most", "two leaders"):
        table.add_column(say(column), justify="right")
    for row in rows:
        downtime = "–" if row.downtime is None else say_number(f"{row.downtime:,.0f}")
        longest = "–" if row.longest_downtime is None else say_number(f"{row.longest_downtime:,}")
        two = say_pattern(f"{row.two_leaders} of {row.runs}")
        figures = map(say_number, (f"{row.timeout:,}", f"{row.false_elections:.2f}"))
        table.add_row(*figures, downtime, longest, two)
    console.print(Padding(table, (0, 2, 1, 2)))
    moral = "A short T calls elections while the leader is well; a long one leaves the group without."
    console.print(Padding(Text(say(moral)), (0, 2)))
    if plot is not None:
        console.print(Text.assemble((f"  {say('plot written to')} ", "dim"), plot))


def as_dict(advice: Advice) -> dict[str, Any]:
    return {
        "round_trips": advice.trips.name,
        "samples": advice.trips.measured,
        "wait_cost": advice.costs.waiting,
        "mistake_cost": advice.costs.mistake,
        "best": advice.best,
        "asked": advice.asked,
        "break_even": advice.break_even,
        "table": [weighed for weighed, _ in choose_rows(advice)],
    }


def choose_rows(advice: Advice) -> list[tuple[WeighedTimeout, str]]:
    """The time-outs to show and why, shortest first."""
    from habemus.measuring.timeout import weigh

    trips, costs = advice.trips, advice.costs
    notes: dict[float, list[str]] = {advice.best.timeout: ["best"]}
    if advice.asked is not None:
        notes.setdefault(advice.asked.timeout, []).append("asked for")
    notes.setdefault(advice.break_even.timeout, []).append("C·p < E·T from here")
    answered = {trips.reached(share, 2 * costs.horizon): share for share in SHARES}
    for time, share in answered.items():
        if time is not None and trips.unknown(time) is None:
            count = f"{100 * (1 - share):g} %" if trips.longer(time) else "all"
            notes.setdefault(time, []).append(f"{count} have answered")
    return [(weigh(trips, costs, time), ", ".join(notes[time])) for time in sorted(notes)]


def show_advice(advice: Advice, plot: str | None) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    trips, costs = advice.trips, advice.costs
    count = "round trips" if trips.measured is None else f"{trips.measured:,} round trips in"
    given = f"{count} {trips.name}, E = {spell(costs.waiting)}, C = {spell(costs.mistake)}"
    console.print(Padding(Text.assemble((say("time-out"), "bold"), (f"   {say_pattern(given)}", "dim")), (1, 2, 1, 2)))
    console.print(Padding(render_headline(advice), (0, 2)))
    console.print(Padding(Text(say_pattern(explain_best(advice))), (0, 2, 1, 2)))
    console.print(Padding(build_table(advice), (0, 2, 1, 2)))
    console.print(Padding(render_rule_of_thumb(advice), (0, 2)))
    if advice.best.p_at_most is not None:
        console.print(Padding(warn_beyond_samples(advice), (0, 2)))
    if plot is not None:
        console.print(Text.assemble((f"  {say('plot written to')} ", "dim"), plot))


def render_headline(advice: Advice) -> Text:
    from rich.text import Text

    time, unit = advice.best.timeout, advice.trips.unit
    if not time:
        return Text.assemble(("T = 0", "bold #E69F00"), say(": do not wait at all."))
    if unit:
        unit = f" {say('tick')}" if time == 1 else f" {say('ticks')}"
    known = "." if advice.best.p_at_most is None else ", as far as was measured."
    return Text.assemble(
        (f"T = {say_number(spell(time))}{unit}", "bold #E69F00"), say(f" is the time-out that costs least{known}")
    )


def explain_best(advice: Advice) -> str:
    """What the best time-out costs and risks."""
    best, measured = advice.best, advice.trips.measured
    if not best.timeout:
        each = f"C = {spell(advice.costs.mistake)} for each that lives"
        return f"Everybody is taken for dead at once, which costs {each}; to wait for their answers costs more."
    waiting = f"Waiting for a dead one costs E·T = {spell(best.waiting)}"
    if best.p_at_most is not None:
        return f"It is the longest of {measured:,} round trips. {waiting}; what mistakes cost is not known."
    if not best.p:
        return f"No answer takes longer, and nobody alive is taken for dead. {waiting}."
    basis = "" if measured is None else f", {round(best.p * measured):,} of {measured:,}"
    return (
        f"An answer takes longer with p = {best.p:.3g}{basis}: one live process in {spell(1 / best.p)} is taken for "
        f"dead. {waiting}, mistakes cost C·p = {spell(best.mistakes)} on average: {spell(best.cost)} together."
    )


def build_table(advice: Advice) -> Table:
    """One row for each time-out."""
    from rich.table import Table

    grid = Table(box=None, padding=(0, 3, 0, 0), header_style="dim")
    for column in ("T", "p(T)", "E·T", "C·p", "cost"):
        grid.add_column(say(column), justify="right")
    grid.add_column("")
    for weighed, note in choose_rows(advice):
        figures = (f"{weighed.p:.3g}", spell(weighed.waiting), spell(weighed.mistakes), spell(weighed.cost))
        if weighed.p_at_most is not None and weighed.cost_at_most is not None:
            mistakes, cost = spell(advice.costs.mistake * weighed.p_at_most), spell(weighed.cost_at_most)
            figures = (f"< {weighed.p_at_most:.2g}", figures[1], f"< {mistakes}", f"< {cost}")
        style = "bold" if weighed == advice.best else ""
        grid.add_row(
            *map(say_number, (spell(weighed.timeout), *figures)),
            f"[not bold dim]{', '.join(map(say_pattern, note.split(', ')))}[/]",
            style=style,
        )
    return grid


def render_rule_of_thumb(advice: Advice) -> Text:
    """From which T on mistakes cost less than waiting."""
    from rich.text import Text

    there = advice.break_even
    start = spell(there.timeout)
    where = f"from T = {start} on" if there.mistakes < there.waiting else f"for T above {start}"
    close = "To give up right there costs at most twice the best."
    if there.p_at_most is not None:
        sure = max(there.timeout, advice.costs.mistake * there.p_at_most / advice.costs.waiting)
        close = f"That is as far as was measured; with 95 % confidence it holds above {spell(sure)}."
    rule = say_pattern(f"Mistakes cost less than waiting, C·p < E·T, {where}.")
    return Text.assemble(("✓ ", "#009E73"), rule, " ", say_pattern(close))


def warn_beyond_samples(advice: Advice) -> Text:
    """What is not known, if no measured round trip is longer than the time-out."""
    from rich.text import Text

    best, cost = advice.best, advice.costs.mistake
    assert best.p_at_most is not None
    sentence = (
        f"None of {advice.trips.measured:,} round trips took longer, which does not mean that none will: p is below "
        f"{best.p_at_most:.2g} with 95 % confidence, and mistakes may cost up to {spell(cost * best.p_at_most)}."
    )
    sentence = say_pattern(sentence)
    if cost * best.p_at_most > best.waiting > 0:
        enough = ceil(3 * cost / best.waiting)
        more = f"It takes {enough:,} round trips, none of them longer, to say that they cost less than waiting."
        sentence += f" {say_pattern(more)}"
    return Text.assemble(("! ", "bold #E69F00"), sentence)


def spell(value: float) -> str:
    """A time or a cost: four digits, or all digits before the point."""
    if value and not 1e-3 <= value < 1e9:
        return f"{value:.4g}"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
