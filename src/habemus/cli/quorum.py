"""`habemus quorum`: how safe is a quorum whose members may forget?"""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import TYPE_CHECKING, Annotated, Any

import typer

from habemus.cli import options as o

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from habemus.measuring.quorum import Confirmation, Quorum

TRIALS = 100_000
FEW_SIZES = 12
NEIGHBOURS = 3
HALF = Decimal("0.5")
WRITTEN = Context(prec=17, Emin=MIN_EMIN, Emax=MAX_EMAX)


def quorum_command(
    n: Annotated[int, typer.Option("--n", help="How many coordinators there are.")],
    p: Annotated[
        str, typer.Option("--p", help="Probability that one fails, comes back and has forgotten, as 1e-4 or 0.0001.")
    ],
    m: Annotated[
        int | None, typer.Option("--m", help="How many have to grant.", show_default="the smallest majority")
    ] = None,
    wanted: Annotated[str | None, typer.Option("--wanted", help="Find the smallest m with P_v at most this.")] = None,
    simulate: Annotated[bool, typer.Option("--simulate", help="Confirm the formula by handing out grants.")] = False,
    trials: Annotated[
        int | None, typer.Option("--trials", help="How many times, with --simulate.", show_default=f"{TRIALS:,}")
    ] = None,
    seed: o.Seed = None,
    plot: Annotated[str | None, typer.Option("--plot", help="Draw P_v over m: F.svg, F.png or F.pdf.")] = None,
    json: o.Json = False,
) -> int:
    """The probability that two processes are inside at once because coordinators of a quorum forgot their grants."""
    from habemus.cli.report import check_plot, print_json
    from habemus.measuring.quorum import Quorum, draw_quorum, probability, smallest_majority, smallest_quorum

    forgetting = probability(p, "--p")
    limit = None if wanted is None else probability(wanted, "--wanted")
    found = None if limit is None else smallest_quorum(n, forgetting, limit)
    if m is not None:
        quorum = Quorum(n, m, forgetting)
    elif limit is not None:
        quorum = found or Quorum(n, n, forgetting)
    else:
        quorum = Quorum(n, smallest_majority(n), forgetting)
    check_plot(plot)
    confirmation = None
    if simulate or trials is not None:
        confirmation = confirmed(quorum, TRIALS if trials is None else trials, seed or 0, quiet=json)
    if plot is not None:
        draw_quorum(quorum, plot, found, limit)
    if json:
        print_json(as_dict(quorum, limit, found, confirmation, seed or 0))
    else:
        show_quorum(quorum, limit, found, confirmation, plot)
    unreachable = limit is not None and found is None
    return 1 if unreachable or (confirmation is not None and confirmation.agrees is False) else 0


def confirmed(quorum: Quorum, trials: int, seed: int, quiet: bool) -> Confirmation:
    """The simulation, with a bar."""
    from habemus.cli.progress import progress_bar
    from habemus.measuring.quorum import simulate_quorum

    with progress_bar("trials", quiet) as advance:
        return simulate_quorum(quorum, trials, seed, lambda done: advance(done, trials))


def as_dict(
    quorum: Quorum, limit: Decimal | None, found: Quorum | None, confirmation: Confirmation | None, seed: int
) -> dict[str, Any]:
    """All of it, for programs. Probabilities are JSON numbers, even those that are too small for a float."""
    result: dict[str, Any] = {"n": quorum.n, "p": literal(quorum.p)} | figures(quorum)
    if limit is not None:
        result["wanted"] = literal(limit)
        result["smallest"] = None if found is None else figures(found)
    if confirmation is not None:
        result["simulation"] = {
            "trials": confirmation.trials,
            "seed": seed,
            "violations": confirmation.violations,
            "estimate": confirmation.estimate,
            "standard_error": confirmation.standard_error,
            "agrees": confirmation.agrees,
        }
    result["table"] = [figures(row) for row in neighbourhood(quorum, found)]
    return result


def figures(quorum: Quorum) -> dict[str, Any]:
    """One size of quorum, for programs."""
    log10 = quorum.log10_violation if quorum.violation else None
    return {
        "m": quorum.m,
        "overlap": quorum.overlap,
        "may_be_down": quorum.spare,
        "p_v": literal(quorum.violation),
        "log10_p_v": log10,
    }


def literal(number: Decimal) -> Any:
    """A number as JSON writes it, whatever its size."""
    import msgspec

    return msgspec.Raw(str(number.normalize(WRITTEN)).encode())


def neighbourhood(quorum: Quorum, found: Quorum | None) -> list[Quorum]:
    """The sizes worth a line: all if there are few, else the ends and those around what was asked for and found."""
    from habemus.measuring.quorum import Quorum, smallest_majority

    least, most = smallest_majority(quorum.n), quorum.n
    sizes = list(range(least, most + 1))
    if len(sizes) > FEW_SIZES:
        near = {quorum.m + step for step in range(-NEIGHBOURS, NEIGHBOURS + 1)}
        near |= {found.m + step for step in (-1, 0, 1)} if found is not None else set()
        sizes = [m for m in sizes if m in near or m in (least, most)]
    return [Quorum(quorum.n, m, quorum.p) for m in sizes]


def show_quorum(
    quorum: Quorum, limit: Decimal | None, found: Quorum | None, confirmation: Confirmation | None, plot: str | None
) -> None:
    """The probability, what it means, what it costs, and what other sizes would give."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    n, m = quorum.n, quorum.m
    who = f"{m:,} of {n:,} coordinators" if n > 1 else "a single coordinator"
    given = f"{who}, P = {given_as(quorum.p)} that one restarts and forgets"
    console.print(Text.assemble("\n  ", ("quorum", "bold"), (f"   {given}", "dim")))
    console.print(
        Text.assemble("\n  ", (f"P_v = {plain(quorum.violation)}", "bold #D55E00"), " that two are inside at once")
    )
    console.print(Padding(Text(meaning(quorum)), (0, 2)))
    console.print()
    console.print(Padding(sizes_table(quorum, limit, found), (0, 2)))
    console.print()
    if limit is not None:
        console.print(Padding(wanted_answer(quorum, limit, found), (0, 2)))
    if confirmation is not None:
        console.print(Padding(verdict(confirmation), (0, 2)))
    if plot is not None:
        console.print(Text.assemble(("  plot written to ", "dim"), plot))


def meaning(quorum: Quorum) -> str:
    """What P_v and m say about the system."""
    from habemus.measuring.quorum import PRECISE

    n, m, overlap, spare = quorum.n, quorum.m, quorum.overlap, quorum.spare
    shared = f"{overlap:,} coordinator{'s' if overlap != 1 else ''}"
    if not quorum.violation:
        often = "never, because none forgets"
    elif quorum.violation == 1:
        often = "always"
    else:
        times = PRECISE.divide(1, quorum.violation)
        often = "one time in " + (f"{times:,.1f}".removesuffix(".0") if times < 1_000_000 else f"{times:.3e}")
    if n == 1:
        return (
            f"A second process gets in if the only coordinator restarts and forgets that it granted: {often}. "
            "It may not be down."
        )
    price = f"{spare:,} of the {n:,} may be down" if spare else "none of them may be down"
    return (
        f"Two quorums of {m:,} share at least {shared}. While one process is inside, a second one gets in if "
        f"{overlap:,} or more of the first one's {m:,} coordinators restart and forget that they granted: {often}. "
        f"The price of that safety is availability: {m:,} have to answer, so {price}."
    )


def sizes_table(quorum: Quorum, limit: Decimal | None, found: Quorum | None) -> Table:
    """One line a size of quorum."""
    from rich.table import Table

    from habemus.measuring.quorum import smallest_majority

    notes = {quorum.m: "asked for", quorum.n: "all of them", smallest_majority(quorum.n): "smallest majority"}
    if limit is not None and found is not None:
        notes[found.m] = f"smallest for {given_as(limit)}"
    table = Table(box=None, padding=(0, 3, 0, 0), header_style="dim")
    for column in ("m", "have to forget", "may be down", "P_v"):
        table.add_column(column, justify="right")
    table.add_column("")
    before = None
    for row in neighbourhood(quorum, found):
        if before is not None and row.m > before + 1:
            table.add_row("⋮", style="dim")
        before = row.m
        cells = (f"{row.m:,}", f"{row.overlap:,}", f"{row.spare:,}", plain(row.violation))
        table.add_row(*cells, f"[not bold dim]{notes.get(row.m, '')}[/]", style="bold" if row.m == quorum.m else "")
    return table


def wanted_answer(quorum: Quorum, limit: Decimal, found: Quorum | None) -> Text:
    """The smallest quorum that is safe enough, or that none is."""
    from rich.text import Text

    from habemus.measuring.quorum import Quorum

    if found is None:
        every = Quorum(quorum.n, quorum.n, quorum.p)
        sentence = f"No quorum of {quorum.n:,} has P_v at most {given_as(limit)}: even all of them give "
        return Text.assemble(("✗ ", "bold #D55E00"), sentence, f"{plain(every.violation)}.")
    return Text.assemble(
        ("✓ ", "#009E73"),
        f"P_v is at most {given_as(limit)} from m = {found.m:,} on; with that many, {found.spare:,} may be down.",
    )


def verdict(confirmation: Confirmation) -> Text:
    """What the simulation says of the formula."""
    from rich.text import Text

    trials, count = f"{confirmation.trials:,} trials", f"{confirmation.violations:,}"
    seen = f"simulated: {count} violations in {trials}"
    if not confirmation.can_tell:
        rare = confirmation.quorum.violation < HALF
        chance = f"P_v = {plain(confirmation.quorum.violation)}, too near to {0 if rare else 1} to be judged by so few"
        remedy = f"A {'larger' if rare else 'smaller'} P or a {'smaller' if rare else 'larger'} m would show."
        return Text.assemble(("· ", "dim"), f"{seen}, which neither confirms nor refutes {chance}. {remedy}")
    if confirmation.standard_error:
        seen += f", {confirmation.estimate:.5f} ± {confirmation.standard_error:.5f}"
    apart = f"{confirmation.distance:.1f} standard errors apart"
    if confirmation.agrees:
        return Text.assemble(("✓ ", "#009E73"), f"{seen}: formula and simulation agree, {apart}.")
    return Text.assemble(("✗ ", "bold #D55E00"), f"{seen}: formula and simulation disagree, {apart}.")


def plain(number: Decimal) -> str:
    """A probability that was computed: four digits, with an exponent where it is small."""
    if not number:
        return "0"
    return f"{number:.4g}" if number >= Decimal("0.001") else f"{number:.3e}"


def given_as(number: Decimal) -> str:
    """A probability that somebody chose: in as few letters as it takes."""
    number = number.normalize(WRITTEN)
    return min(f"{number:g}", f"{number:e}", key=len)
