"""How much does the stack cost? Round trips a second between two nodes, beside a bare uvloop ping-pong.

    python bench/round_trips.py             writes docs/bench-round-trips.md; about a minute
    python bench/round_trips.py --quick     a smoke test; writes nothing

Two processes on loopback, one message under way at a time. The bare ones are two `asyncio.Protocol` that send back what
they get, of the size of our frames, in uvloop. The nodes run an algorithm that sends back a message: framing, decoding
into types, numbering and acknowledgement, a look at the clock and at the durable fields, timers, the step itself; once
as on one machine, once with every frame sealed under a key. They take turns, so a busy moment of the machine hits all.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import uvloop
from rich.console import Console
from rich.table import Table

from habemus.compilation import is_compiled
from habemus.network.node.node import Node
from habemus.network.operate.cluster import free_ports
from habemus.process import Election, Message, Pid, upon, upon_command
from habemus.scenario import Scenario

BARE, NODES, SEALED = "bare uvloop", "Habemus", "Habemus, sealed"
CONTESTANTS = (BARE, NODES, SEALED)
FRAME = 11  # bytes of a frame that carries a Ball, without a seal
SERVING, ASKING = 1, 2
WARM_UP = 0.3
HEADINGS = ("", "round trips/s", "to bare", "range")
ESSAY = """\
# Round trips through the stack

Two processes on one machine, one message under way at a time: what does the stack cost beside a bare
`asyncio.Protocol` in uvloop that sends back what it gets? Medians of rounds in which all take turns, and the share of
the bare ones in the same round. Written by `python bench/round_trips.py`; the kernel was {kernel}.

| {headings} |
|---|---:|---:|---:|
{rows}

A round trip of nodes is two messages of an algorithm, each encoded, framed, numbered, decoded into exactly the types it
declares, delivered as one step between two looks at the clock, and acknowledged; sealed, each frame is authenticated
besides.
"""
OUTPUT = Path(__file__).parent.parent / "docs" / "bench-round-trips.md"


@dataclass(frozen=True)
class Ball(Message):
    number: int


class PingPong(Election):
    """Sends back what it gets."""

    name = "ping-pong"
    topology = "complete"

    returned: int = 0

    @upon_command("serve")
    def serve(self) -> None:
        self.send(self.neighbours, Ball(0))

    @upon(Ball)
    def return_ball(self, sender: Pid, ball: Ball) -> None:
        self.returned += 1
        self.send(sender, ball)


class Echo(asyncio.Protocol):
    """The same, and nothing else."""

    def __init__(self) -> None:
        self.returned = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.returned += 1
        self.transport.write(data)


async def counted(count: Callable[[], int], seconds: float) -> float:
    """How often something happens in a second."""
    loop = asyncio.get_running_loop()
    await asyncio.sleep(WARM_UP)
    begun, before = loop.time(), count()
    await asyncio.sleep(seconds)
    return (count() - before) / (loop.time() - begun)


async def play_bare(role: int, ports: list[int], seconds: float) -> float:
    loop = asyncio.get_running_loop()
    if role == SERVING:
        server = await loop.create_server(Echo, "127.0.0.1", ports[0])
        await server.serve_forever()
    while True:
        try:
            transport, echo = await loop.create_connection(Echo, "127.0.0.1", ports[0])
            break
        except OSError:
            await asyncio.sleep(0.01)
    transport.write(bytes(FRAME))
    return await counted(lambda: echo.returned, seconds)


async def play_nodes(role: int, ports: list[int], seconds: float, key: bytes | None) -> float:
    where = {SERVING: ("127.0.0.1", ports[0]), ASKING: ("127.0.0.1", ports[1])}
    with tempfile.TemporaryDirectory() as folder:
        node = Node(Scenario(f"{__file__}:PingPong"), role, where, folder, key=key, wait=10)
        await node.start()
        if role == SERVING:
            await node.ended
        node.command("serve")
        rate = await counted(lambda: node.stack.layers[0].returned, seconds)
        await node.stop()
        return rate


def play(who: str, role: int, ports: list[int], seconds: float) -> float:
    """One end of the game, in this process."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        if who == BARE:
            return runner.run(play_bare(role, ports, seconds))
        return runner.run(play_nodes(role, ports, seconds, b"k" * 32 if who == SEALED else None))


def measure(who: str, seconds: float) -> float:
    """Round trips a second, each end in a process of its own."""
    ports = [str(port) for port in free_ports(2)]
    serving = subprocess.Popen([sys.executable, __file__, "--play", who, str(SERVING), *ports, "0"])
    try:
        asking = [sys.executable, __file__, "--play", who, str(ASKING), *ports, str(seconds)]
        return float(subprocess.run(asking, check=True, capture_output=True, text=True, timeout=60).stdout)
    finally:
        serving.kill()
        serving.wait()


def rows_of(rates: dict[str, list[float]]) -> list[tuple[str, str, str, str]]:
    """Who, how many round trips a second, and that as a share of the bare ones in the same round."""
    rows = []
    for who, found in rates.items():
        shares = [rate / bare for rate, bare in zip(found, rates[BARE], strict=True)]
        extent = f"{min(shares):.2f} to {max(shares):.2f}"
        rows.append((who, f"{median(found):,.0f}", f"{median(shares):.2f}", extent))
    return rows


def report(rates: dict[str, list[float]]) -> Table:
    table = Table(box=None, header_style="dim", padding=(0, 3, 0, 0))
    for heading in HEADINGS:
        table.add_column(heading, justify="right" if heading else "left")
    for row in rows_of(rates):
        table.add_row(*row)
    return table


def page(rates: dict[str, list[float]]) -> str:
    rows = [f"| {' | '.join(row)} |" for row in rows_of(rates)]
    kernel = "compiled" if is_compiled() else "interpreted"
    return ESSAY.format(kernel=kernel, headings=" | ".join(HEADINGS), rows="\n".join(rows))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true")
    options.add_argument("--rounds", type=int, default=9)
    options.add_argument("--seconds", type=float, default=1.5)
    options.add_argument("--play", nargs=5, metavar=("WHO", "ROLE", "PORT", "PORT", "SECONDS"), help="one end only")
    chosen = options.parse_args()
    if chosen.play:
        who, role, one, two, seconds = chosen.play
        print(play(who, int(role), [int(one), int(two)], float(seconds)))
        return
    rounds, seconds = (2, 0.5) if chosen.quick else (chosen.rounds, chosen.seconds)
    rates: dict[str, list[float]] = {who: [] for who in CONTESTANTS}
    for _ in range(rounds):
        for who in CONTESTANTS:
            rates[who].append(measure(who, seconds))
    Console().print(report(rates))
    if not chosen.quick:
        OUTPUT.write_text(page(rates), encoding="utf-8")


if __name__ == "__main__":
    main()
