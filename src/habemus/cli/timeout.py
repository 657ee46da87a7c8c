"""`habemus timeout`: what is a reasonable time-out?"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Annotated, Any

import typer

from habemus.cli import options as o

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from habemus.measuring.timeout import Advice, RoundTrips, Weighed

SHARES = (0.5, 0.1, 0.01, 0.001)


def timeout_command(
    wait_cost: Annotated[float, typer.Option("--wait-cost", help="E: what it costs to wait for a unit of time.")],
    mistake_cost: Annotated[
        float, typer.Option("--mistake-cost", help="C: what it costs to take a live process for dead.")
    ],
    samples: Annotated[
        str | None, typer.Option("--samples", help="A file of measured round trips, one number a line.")
    ] = None,
    delay: Annotated[
        str | None,
        typer.Option(
            "--delay",
            help="Or how they are distributed: uniform:A:B, exponential:MEAN, lognormal:MEDIAN:SIGMA, in ticks.",
        ),
    ] = None,
    timeout: Annotated[float | None, typer.Option("--timeout", help="Weigh this time-out, too.")] = None,
    plot: Annotated[str | None, typer.Option("--plot", help="Draw cost and p over T: F.svg, F.png or F.pdf.")] = None,
    json: o.Json = False,
) -> int:
    """Find the time-out that costs least, from round trips, the cost of waiting and the cost of a mistake."""
    from habemus.cli.report import check_plot, print_json
    from habemus.measuring.timeout import Costs, Ticks, advise, draw_timeout, read_samples
    from habemus.scenario import ScenarioError

    if (samples is None) == (delay is None):
        raise ScenarioError("--samples and --delay: give one of them, for it says how long round trips take")
    costs = Costs(wait_cost, mistake_cost)
    check_plot(plot)
    trips: RoundTrips = read_samples(samples) if samples is not None else Ticks(delay or "")
    advice = advise(trips, costs, timeout)
    if plot is not None:
        draw_timeout(advice, plot)
    if json:
        print_json(as_dict(advice))
    else:
        show_advice(advice, plot)
    return 0


def as_dict(advice: Advice) -> dict[str, Any]:
    """All of it, for programs."""
    return {
        "round_trips": advice.trips.name,
        "samples": advice.trips.measured,
        "wait_cost": advice.costs.waiting,
        "mistake_cost": advice.costs.mistake,
        "best": advice.best,
        "asked": advice.asked,
        "break_even": advice.break_even,
        "table": [weighed for weighed, _ in rows(advice)],
    }


def rows(advice: Advice) -> list[tuple[Weighed, str]]:
    """The time-outs worth a line and why, shortest first."""
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
    """The best time-out, what it risks, what others cost, and what is not known."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    trips, costs = advice.trips, advice.costs
    count = "round trips" if trips.measured is None else f"{trips.measured:,} round trips in"
    given = f"{count} {trips.name}, E = {number(costs.waiting)}, C = {number(costs.mistake)}"
    console.print(Padding(Text.assemble(("time-out", "bold"), (f"   {given}", "dim")), (1, 2, 1, 2)))
    console.print(Padding(headline(advice), (0, 2)))
    console.print(Padding(Text(meaning(advice)), (0, 2, 1, 2)))
    console.print(Padding(table(advice), (0, 2, 1, 2)))
    console.print(Padding(rule_of_thumb(advice), (0, 2)))
    if advice.best.p_at_most is not None:
        console.print(Padding(beyond_the_samples(advice), (0, 2)))
    if plot is not None:
        console.print(Text.assemble(("  plot written to ", "dim"), plot))


def headline(advice: Advice) -> Text:
    """How long to wait."""
    from rich.text import Text

    time, unit = advice.best.timeout, advice.trips.unit
    if not time:
        return Text.assemble(("T = 0", "bold #E69F00"), ": do not wait at all.")
    if unit:
        unit = " tick" if time == 1 else " ticks"
    known = "." if advice.best.p_at_most is None else ", as far as was measured."
    return Text.assemble((f"T = {number(time)}{unit}", "bold #E69F00"), f" is the time-out that costs least{known}")


def meaning(advice: Advice) -> str:
    """What the best time-out costs and risks."""
    best, measured = advice.best, advice.trips.measured
    if not best.timeout:
        each = f"C = {number(advice.costs.mistake)} for each that lives"
        return f"Everybody is taken for dead at once, which costs {each}; to wait for their answers costs more."
    waiting = f"Waiting for a dead one costs E·T = {number(best.waiting)}"
    if best.p_at_most is not None:
        return f"It is the longest of {measured:,} round trips. {waiting}; what mistakes cost is not known."
    if not best.p:
        return f"No answer takes longer, and nobody alive is taken for dead. {waiting}."
    basis = "" if measured is None else f", {round(best.p * measured):,} of {measured:,}"
    return (
        f"An answer takes longer with p = {best.p:.3g}{basis}: one live process in {number(1 / best.p)} is taken for "
        f"dead. {waiting}, mistakes cost C·p = {number(best.mistakes)} on average: {number(best.cost)} together."
    )


def table(advice: Advice) -> Table:
    """One line a time-out."""
    from rich.table import Table

    grid = Table(box=None, padding=(0, 3, 0, 0), header_style="dim")
    for column in ("T", "p(T)", "E·T", "C·p", "cost"):
        grid.add_column(column, justify="right")
    grid.add_column("")
    for weighed, note in rows(advice):
        figures = (f"{weighed.p:.3g}", number(weighed.waiting), number(weighed.mistakes), number(weighed.cost))
        if weighed.p_at_most is not None and weighed.cost_at_most is not None:
            mistakes, cost = number(advice.costs.mistake * weighed.p_at_most), number(weighed.cost_at_most)
            figures = (f"< {weighed.p_at_most:.2g}", figures[1], f"< {mistakes}", f"< {cost}")
        style = "bold" if weighed == advice.best else ""
        grid.add_row(number(weighed.timeout), *figures, f"[not bold dim]{note}[/]", style=style)
    return grid


def rule_of_thumb(advice: Advice) -> Text:
    """Where mistakes cost less than waiting."""
    from rich.text import Text

    there = advice.break_even
    start = number(there.timeout)
    where = f"from T = {start} on" if there.mistakes < there.waiting else f"for T above {start}"
    close = " To give up right there costs at most twice the best."
    if there.p_at_most is not None:
        sure = max(there.timeout, advice.costs.mistake * there.p_at_most / advice.costs.waiting)
        close = f" That is as far as was measured; with 95 % confidence it holds above {number(sure)}."
    return Text.assemble(("✓ ", "#009E73"), f"Mistakes cost less than waiting, C·p < E·T, {where}.", close)


def beyond_the_samples(advice: Advice) -> Text:
    """What measurements that are all shorter than the time-out leave open."""
    from rich.text import Text

    best, cost = advice.best, advice.costs.mistake
    assert best.p_at_most is not None
    sentence = (
        f"None of {advice.trips.measured:,} round trips took longer, which does not mean that none will: p is below "
        f"{best.p_at_most:.2g} with 95 % confidence, and mistakes may cost up to {number(cost * best.p_at_most)}."
    )
    if cost * best.p_at_most > best.waiting > 0:
        enough = ceil(3 * cost / best.waiting)
        sentence += f" It takes {enough:,} round trips, none of them longer, to say that they cost less than waiting."
    return Text.assemble(("! ", "bold #E69F00"), sentence)


def number(value: float) -> str:
    """A time or a cost: four digits, or all before the point."""
    if value and not 1e-3 <= value < 1e9:
        return f"{value:.4g}"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
