"""`habemus quorum`: how safe is a quorum whose members may forget?"""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import TYPE_CHECKING, Annotated, Any

import typer

from habemus.cli import options as o
from habemus.words.language import say, say_number, say_pattern

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from habemus.measuring.quorum import Confirmation, QuorumRisk

TRIALS = 100_000
FEW_SIZES = 12
NEIGHBOURS = 3
HALF = Decimal("0.5")
WRITTEN = Context(prec=17, Emin=MIN_EMIN, Emax=MAX_EMAX)


def quorum_command(
    n: Annotated[int, typer.Option("--n", help="How many coordinators there are.")],
    p: Annotated[
        str, typer.Option("--p", help="Probability that a coordinator restarts and forgets, as 1e-4 or 0.0001.")
    ],
    m: Annotated[
        int | None, typer.Option("--m", help="How many must grant.", show_default="the smallest majority")
    ] = None,
    wanted: Annotated[str | None, typer.Option("--wanted", help="Find the smallest m with P_v at most this.")] = None,
    simulate: Annotated[bool, typer.Option("--simulate", help="Confirm the formula by simulation.")] = False,
    trials: Annotated[
        int | None, typer.Option("--trials", help="Trials of the simulation.", show_default=f"{TRIALS:,}")
    ] = None,
    seed: o.Seed = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show how P_v comes about, with the numbers.")] = False,
    plot: Annotated[str | None, typer.Option("--plot", help="Draw P_v over m: F.svg, F.png or F.pdf.")] = None,
    json: o.Json = False,
) -> int:
    """Compute the probability that two processes are inside at once because coordinators forgot their grants."""
    from habemus.cli.output import check_plot, print_json
    from habemus.measuring.quorum import QuorumRisk, draw_quorum, parse_probability, smallest_majority, smallest_quorum

    forgetting = parse_probability(p, "--p")
    limit = None if wanted is None else parse_probability(wanted, "--wanted")
    found = None if limit is None else smallest_quorum(n, forgetting, limit)
    if m is not None:
        quorum = QuorumRisk(n, m, forgetting)
    elif limit is not None:
        quorum = found or QuorumRisk(n, n, forgetting)
    else:
        quorum = QuorumRisk(n, smallest_majority(n), forgetting)
    check_plot(plot)
    confirmation = None
    if simulate or trials is not None:
        confirmation = confirm(quorum, TRIALS if trials is None else trials, seed or 0, quiet=json)
    if plot is not None:
        draw_quorum(quorum, plot, found, limit)
    if json:
        print_json(as_dict(quorum, limit, found, confirmation, seed or 0))
    else:
        show_quorum(quorum, limit, found, confirmation, explain, plot)
    unreachable = limit is not None and found is None
    return 1 if unreachable or (confirmation is not None and confirmation.agrees is False) else 0


def confirm(quorum: QuorumRisk, trials: int, seed: int, quiet: bool) -> Confirmation:
    """Simulate the quorum, with a progress bar."""
    from habemus.cli.progress import progress_bar
    from habemus.measuring.quorum import simulate_quorum

    with progress_bar("trials", quiet) as advance:
        return simulate_quorum(quorum, trials, seed, lambda done: advance(done, trials))


def as_dict(
    quorum: QuorumRisk, limit: Decimal | None, found: QuorumRisk | None, confirmation: Confirmation | None, seed: int
) -> dict[str, Any]:
    """Everything, for JSON. Probabilities are JSON numbers, even those that are too small for a float."""
    result: dict[str, Any] = {"n": quorum.n, "p": as_json_number(quorum.p)} | describe_size(quorum)
    if limit is not None:
        result["wanted"] = as_json_number(limit)
        result["smallest"] = None if found is None else describe_size(found)
    if confirmation is not None:
        result["simulation"] = {
            "trials": confirmation.trials,
            "seed": seed,
            "violations": confirmation.violations,
            "estimate": confirmation.estimate,
            "standard_error": confirmation.standard_error,
            "agrees": confirmation.agrees,
        }
    result["derivation"] = describe_derivation(quorum)
    result["table"] = [describe_size(row) for row in choose_sizes(quorum, found)]
    return result


def describe_derivation(quorum: QuorumRisk) -> list[dict[str, Any]]:
    """The derivation, for JSON."""
    from habemus.measuring.derivation import derive

    return [
        {
            "step": step.name,
            "formula": step.formula,
            "numbers": step.numbers,
            "result": step.result,
            "value": as_json_number(step.value),
        }
        for step in derive(quorum)
    ]


def describe_size(quorum: QuorumRisk) -> dict[str, Any]:
    """One size of quorum, for JSON."""
    log10 = quorum.log10_violation if quorum.violation else None
    return {
        "m": quorum.m,
        "overlap": quorum.overlap,
        "may_be_down": quorum.spare,
        "p_v": as_json_number(quorum.violation),
        "log10_p_v": log10,
    }


def as_json_number(number: Decimal) -> Any:
    """A JSON number of any size."""
    import msgspec

    return msgspec.Raw(str(number.normalize(WRITTEN)).encode())


def choose_sizes(quorum: QuorumRisk, found: QuorumRisk | None) -> list[QuorumRisk]:
    """The sizes to show: all if they are few, else the ends and those near the given and the found one."""
    from habemus.measuring.quorum import QuorumRisk, smallest_majority

    least, most = smallest_majority(quorum.n), quorum.n
    sizes = list(range(least, most + 1))
    if len(sizes) > FEW_SIZES:
        near = {quorum.m + step for step in range(-NEIGHBOURS, NEIGHBOURS + 1)}
        near |= {found.m + step for step in (-1, 0, 1)} if found is not None else set()
        sizes = [m for m in sizes if m in near or m in (least, most)]
    return [QuorumRisk(quorum.n, m, quorum.p) for m in sizes]


def show_quorum(
    quorum: QuorumRisk,
    limit: Decimal | None,
    found: QuorumRisk | None,
    confirmation: Confirmation | None,
    explain: bool,
    plot: str | None,
) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    n, m = quorum.n, quorum.m
    who = f"{m:,} of {n:,} coordinators" if n > 1 else "a single coordinator"
    given = f"{who}, P = {format_given(quorum.p)} that one restarts and forgets"
    console.print(Text.assemble("\n  ", (say("quorum"), "bold"), (f"   {say_pattern(given)}", "dim")))
    console.print(
        Text.assemble(
            "\n  ",
            (f"P_v = {say_number(format_computed(quorum.violation))}", "bold #D55E00"),
            say(" that two are inside at once"),
        )
    )
    console.print(Padding(Text(" ".join([say_pattern(said) for said in explain_risk(quorum)])), (0, 2)))
    if explain:
        console.print()
        console.print(Padding(build_derivation(quorum), (0, 2)))
    console.print()
    console.print(Padding(build_sizes_table(quorum, limit, found), (0, 2)))
    console.print()
    if limit is not None:
        console.print(Padding(answer_limit(quorum, limit, found), (0, 2)))
    if confirmation is not None:
        console.print(Padding(judge_formula(confirmation), (0, 2)))
    if plot is not None:
        console.print(Text.assemble((f"  {say('plot written to')} ", "dim"), plot))


def explain_risk(quorum: QuorumRisk) -> list[str]:
    """What P_v and m mean for the system, sentence by sentence."""
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
        return [
            f"A second process gets in if the only coordinator restarts and forgets that it granted: {often}.",
            "It may not be down.",
        ]
    price = f"{spare:,} of the {n:,} may be down" if spare else "none of them may be down"
    return [
        f"Two quorums of {m:,} share at least {shared}.",
        f"While one process is inside, a second one gets in if {overlap:,} or more of the first one's {m:,} "
        f"coordinators restart and forget that they granted: {often}.",
        f"The price of that safety is availability: {m:,} have to answer, so {price}.",
    ]


def build_derivation(quorum: QuorumRisk) -> RenderableType:
    """P_v step by step: what it is, the formula, and the formula with the numbers."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    from habemus.measuring.derivation import MEANINGS, derive

    parts: list[RenderableType] = [Text(say("How P_v comes about"), "bold")]
    for number, step in enumerate(derive(quorum), start=1):
        parts.append(Text.assemble(f"{number}. {say(MEANINGS[step.name])}: ", (step.formula, "bold")))
        parts.append(Padding(Text(say_number(f"{step.numbers} = {step.result}"), "dim"), (0, 0, 0, 3)))
    return Group(*parts)


def build_sizes_table(quorum: QuorumRisk, limit: Decimal | None, found: QuorumRisk | None) -> Table:
    """One row for each size of quorum."""
    from rich.table import Table

    from habemus.measuring.quorum import smallest_majority

    notes = {quorum.m: "asked for", quorum.n: "all of them", smallest_majority(quorum.n): "smallest majority"}
    if limit is not None and found is not None:
        notes[found.m] = f"smallest for {format_given(limit)}"
    table = Table(box=None, padding=(0, 3, 0, 0), header_style="dim")
    for column in ("m", "have to forget", "may be down", "P_v"):
        table.add_column(say(column), justify="right")
    table.add_column("")
    before = None
    for row in choose_sizes(quorum, found):
        if before is not None and row.m > before + 1:
            table.add_row("⋮", style="dim")
        before = row.m
        cells = (f"{row.m:,}", f"{row.overlap:,}", f"{row.spare:,}", format_computed(row.violation))
        table.add_row(
            *map(say_number, cells),
            f"[not bold dim]{say_pattern(notes.get(row.m, ''))}[/]",
            style="bold" if row.m == quorum.m else "",
        )
    return table


def answer_limit(quorum: QuorumRisk, limit: Decimal, found: QuorumRisk | None) -> Text:
    """The smallest quorum that is safe enough, or that there is none."""
    from rich.text import Text

    from habemus.measuring.quorum import QuorumRisk

    if found is None:
        every = QuorumRisk(quorum.n, quorum.n, quorum.p)
        sentence = f"No quorum of {quorum.n:,} has P_v at most {format_given(limit)}: even all of them give "
        return Text.assemble(("✗ ", "bold #D55E00"), say_pattern(f"{sentence}{format_computed(every.violation)}."))
    told = f"P_v is at most {format_given(limit)} from m = {found.m:,} on; with that many, {found.spare:,} may be down."
    return Text.assemble(("✓ ", "#009E73"), say_pattern(told))


def judge_formula(confirmation: Confirmation) -> Text:
    """Whether simulation and formula agree."""
    from rich.text import Text

    trials, count = f"{confirmation.trials:,} trials", f"{confirmation.violations:,}"
    seen = f"simulated: {count} violations in {trials}"
    if not confirmation.can_tell:
        rare = confirmation.quorum.violation < HALF
        computed = format_computed(confirmation.quorum.violation)
        chance = f"P_v = {computed}, too near to {0 if rare else 1} to be judged by so few"
        remedy = f"A {'larger' if rare else 'smaller'} P or a {'smaller' if rare else 'larger'} m would show."
        told = say_pattern(f"{seen}, which neither confirms nor refutes {chance}.")
        return Text.assemble(("· ", "dim"), f"{told} {say(remedy)}")
    if confirmation.standard_error:
        seen += f", {confirmation.estimate:.5f} ± {confirmation.standard_error:.5f}"
    apart = f"{confirmation.distance:.1f} standard errors apart"
    if confirmation.agrees:
        return Text.assemble(("✓ ", "#009E73"), say_pattern(f"{seen}: formula and simulation agree, {apart}."))
    return Text.assemble(("✗ ", "bold #D55E00"), say_pattern(f"{seen}: formula and simulation disagree, {apart}."))


def format_computed(number: Decimal) -> str:
    """A computed probability: four digits, with an exponent if it is small."""
    if not number:
        return "0"
    return f"{number:.4g}" if number >= Decimal("0.001") else f"{number:.3e}"


def format_given(number: Decimal) -> str:
    """A given probability, as short as possible."""
    number = number.normalize(WRITTEN)
    return min(f"{number:g}", f"{number:e}", key=len)
