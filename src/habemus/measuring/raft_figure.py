"""Figure 16 of the Raft paper: how long is a cluster without a leader after its leader has crashed?

Five servers; a trial crashes the leader at a random moment after one of its heartbeats, which go out to all at once,
and waits for the next leader. Heartbeats come every half of the shortest election timeout. The logs of the servers
differ in length, so that of the four that are left only two can win: all this as the paper has it (section 9.3).

What the paper leaves open is how its broadcast time of about 15 ms divides. A server has to write term and vote to disk
before it asks for votes, and before it votes. What counts for split votes is the first: the time from losing patience
until the others know of it. Here the network takes 0.1 to 0.5 ms one way, the candidate 1 to 5 ms to write, the voter 7
to 14 ms to write and answer: 14 ms together. That division is fitted to the one median that the paper gives, 287 ms at
timeouts of 150-155 ms; with the 15 ms divided evenly the same median would be about 1 s. All else follows.

D. Ongaro, J. Ousterhout. In search of an understandable consensus algorithm. USENIX ATC 2014.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, as_completed
from pathlib import Path
from random import Random
from statistics import fmean, median
from typing import Any

from msgspec import Struct

from habemus.election.raft_election import CANDIDATE, RaftElection
from habemus.measuring.plot import COLOURS, QUIET
from habemus.process import Pid, upon_timeout
from habemus.scenario import Network, Scenario, TopologySpec
from habemus.simulation.faults import Faults
from habemus.simulation.run import build_simulation

TICKS = 10  # a millisecond
SERVERS = 5
PATIENCE = 100_000  # milliseconds until a trial is given up
CHUNK = 20
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1, 1, 1)))

TOP = ((150, 150), (150, 151), (150, 155), (150, 175), (150, 200), (150, 300))
BOTTOM = ((12, 24), (25, 50), (50, 100), (100, 200), (150, 300))

PAPER: dict[tuple[int, int], dict[str, float]] = {
    (150, 150): {"least": 10_000},
    (150, 155): {"median": 287},
    (150, 200): {"longest": 513},
    (12, 24): {"mean": 35, "longest": 152},
}
"""What the text of the paper says of its own measurements, in milliseconds."""


class RaftOnDisk(RaftElection):
    """Raft's election on servers that write term and vote to disk before they ask or answer."""

    name = "raft-on-disk"

    def request_votes(self) -> None:
        """Ask when the candidacy is written."""
        self.set_timer("candidacy written", self.choose(range(1 * TICKS, 5 * TICKS + 1)))

    @upon_timeout("candidacy written")
    def ask_for_votes(self) -> None:
        """Ask, unless the candidacy is over."""
        if self.stage == CANDIDATE:
            RaftElection.request_votes(self)

    def cast_vote(self, candidate: Pid) -> None:
        """Answer when the vote is written. The vote is given already: nobody else gets it."""
        self.set_timer("vote written", self.choose(range(7 * TICKS, 14 * TICKS + 1)))

    @upon_timeout("vote written")
    def answer(self) -> None:
        """Answer, unless a newer term has begun."""
        if self.vote is not None and self.vote != self.id:
            RaftElection.cast_vote(self, self.vote)


class Downtimes(Struct):
    """The trials of one setting: election time-outs from `low` to `high` ms. Longer trials are only counted."""

    low: int
    high: int
    times: list[float] = []
    unfinished: int = 0

    @property
    def trials(self) -> int:
        return len(self.times) + self.unfinished

    @property
    def all_times(self) -> list[float]:
        """Sorted; a trial that was given up counts as PATIENCE."""
        return sorted(self.times) + [float(PATIENCE)] * self.unfinished

    @property
    def least(self) -> float:
        return self.all_times[0]

    @property
    def median(self) -> float:
        return median(self.all_times)

    @property
    def mean(self) -> float:
        return fmean(self.all_times)

    @property
    def longest(self) -> float:
        return self.all_times[-1]

    @property
    def paper(self) -> dict[str, float]:
        """What the paper says of this setting: some of least, median, mean, longest."""
        return PAPER.get((self.low, self.high), {})


def measure_downtimes(
    trials: int = 1000, executor: Executor | None = None, progress: Callable[[int, int], None] | None = None
) -> list[Downtimes]:
    """All settings of the figure in the paper's order; 150-150 ms is tried a tenth as often.

    `progress` is called with the number of chunks that are done and that there are.
    """
    settings = [*TOP, *BOTTOM[:-1]]
    rows = {setting: Downtimes(*setting) for setting in settings}
    chunks = []
    for low, high in settings:
        wanted = trials if high > low else max(1, trials // 10)
        chunks += [(low, high, first, min(CHUNK, wanted - first)) for first in range(0, wanted, CHUNK)]
    if executor is None:
        for done, chunk in enumerate(chunks):
            add_times(rows[chunk[:2]], run_trials(*chunk))
            if progress is not None:
                progress(done + 1, len(chunks))
    else:
        futures: dict[Future[list[float]], tuple[int, int]] = {
            executor.submit(run_trials, *chunk): chunk[:2] for chunk in chunks
        }
        for done, future in enumerate(as_completed(futures)):
            add_times(rows[futures[future]], future.result())
            if progress is not None:
                progress(done + 1, len(chunks))
    for row in rows.values():
        row.times.sort()
    return list(rows.values())


def add_times(row: Downtimes, times: list[float]) -> None:
    finished = [time for time in times if time < PATIENCE]
    row.times += finished
    row.unfinished += len(times) - len(finished)


def run_trials(low: int, high: int, first: int, count: int) -> list[float]:
    return [run_trial(low, high, seed) for seed in range(first, first + count)]


def run_trial(low: int, high: int, seed: int) -> float:
    """How long the cluster has no leader after its leader has crashed, in ms; at most PATIENCE.

    With very short timeouts the first leader may be deposed before it can be crashed; then the trial starts afresh.
    """
    random = Random(f"{low}-{high}/{seed}")
    while True:
        downtime = crash_leader(low * TICKS, high * TICKS, random)
        if downtime is not None:
            return downtime / TICKS


def crash_leader(low: int, high: int, random: Random) -> int | None:
    """One try: let the server with the longest log lead, crash it, wait for the next leader. All in ticks."""
    heartbeat = low // 2
    ids = list(range(1, SERVERS + 1))
    followers = sorted(ids[:-1], key=lambda _: random.random())
    logs = {pid: length for length, pid in enumerate([*followers, SERVERS])}
    simulation = build_simulation(
        Scenario(
            "habemus.measuring.raft_figure:RaftOnDisk",
            parameters={"low": low, "high": high, "heartbeat": heartbeat, "log": logs},
            topology=TopologySpec(ids=ids),
            network=Network(delay=f"uniform:1:{TICKS // 2}"),
            starters=[SERVERS],
            seed=int(random.random() * 2**32),
        ),
        None,
    )
    budget = 10**9
    elected = simulation.properties[0]  # termination: somebody is in office
    simulation.goal = elected
    simulation.run(-1, budget)

    settled = simulation.now + (1 + 100 * TICKS // heartbeat) * heartbeat  # it has just sent a heartbeat
    crash = settled + int(random.random() * heartbeat)
    simulation.goal = None
    simulation.run(crash, budget)
    if simulation.world.leader() != SERVERS:
        return None
    Faults(simulation).crash(SERVERS)
    simulation.goal = elected
    simulation.run(crash + PATIENCE * TICKS, budget)
    return int(simulation.now - crash)


def draw_raft_figure(rows: list[Downtimes], path: str | Path) -> None:
    """Draw both graphs of the figure to an SVG, PNG or PDF file."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.hashsalt": "habemus", "font.size": 10, "svg.fonttype": "path"})
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(7.6, 7.2), layout="constrained")
    by_setting = {(row.low, row.high): row for row in rows}
    top.set_xscale("log")
    top.set_xlim(80, PATIENCE)
    bottom.set_xlim(0, 600)
    bottom.set_xlabel("time without leader (ms)")
    top.set_xticks([100, 1000, 10_000, 100_000], ["100", "1,000", "10,000", "100,000"])
    for axes, settings in ((top, TOP), (bottom, BOTTOM)):
        for number, setting in enumerate(settings):
            row = by_setting[setting]
            style = TOP.index(setting) if setting in TOP else number
            share = [100 * (rank + 1) / row.trials for rank in range(len(row.times))]
            axes.step(
                [0.1, *row.times, PATIENCE],
                [0, *share, share[-1] if share else 0],
                where="post",
                color=COLOURS[style],
                linestyle=DASHES[style],
                linewidth=1.5,
                label=f"{setting[0]}-{setting[1]} ms",
            )
        finish_axes(axes)
    paper = PAPER[150, 155]["median"]
    top.plot([paper], [50], "o", markersize=6, color=QUIET, fillstyle="none")
    words = "the paper's\nmedian at\n150-155 ms"
    top.annotate(words, (paper, 50), (12, -44), textcoords="offset points", color=QUIET, fontsize=9)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None} if str(path).endswith(".svg") else None)
    plt.close(figure)


def finish_axes(axes: Any) -> None:
    axes.set_ylim(-2, 102)
    axes.set_yticks([0, 20, 40, 60, 80, 100], ["0", "20", "40", "60", "80", "100 %"])
    axes.set_ylabel("trials with a new leader")
    axes.grid(True, color="#e6e6e6", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, which="both")
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.legend(title="election timeout", frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
