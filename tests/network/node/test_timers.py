"""Timers on a real clock: what has arrived by a deadline comes first, and no timer runs out early."""

import asyncio
import time

import pytest
import uvloop
from groups import group, until
from small_algorithms import STEADFAST, Number

from habemus.network.node import clock
from habemus.process import (
    Election,
    Parameter,
    Pid,
    upon,
    upon_command,
    upon_timeout,
)
from habemus.scenario import Scenario

OWN = f"{__name__}:"


class Deadline(Election):
    """Asks, and decides when the time is up whether an answer came in time."""

    name = "deadline"
    topology = "complete"

    patience: Parameter[int] = 40

    order: list[str] = []

    @upon_command("ask")
    def ask(self) -> None:
        self.send(self.neighbours, Number(1))
        self.set_timer("answer", self.patience)

    @upon(Number)
    def answer(self, sender: Pid, message: Number) -> None:
        if message.value == 1:
            self.send(sender, Number(2))
        else:
            self.order.append("answer")

    @upon_timeout("answer")
    def time_is_up(self) -> None:
        self.order.append("timeout")


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def test_what_has_reached_the_machine_by_a_deadline_comes_before_its_timer(loop, tmp_path):
    """Both are late, because the process did not get to run; but the answer was there first."""

    async def ask():
        async with group(Scenario(OWN + "Deadline", parameters={"patience": 400}), 2, tmp_path) as (one, two):
            send = two.peers.send_all

            def send_and_hold_everything_up():
                send()
                time.sleep(0.5)

            two.peers.send_all = send_and_hold_everything_up
            one.command("ask")
            await until(lambda: len(one.stack.layers[-1].order) == 2)
            assert one.stack.layers[-1].order == ["answer", "timeout"]

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(ask())


def test_a_timer_never_runs_out_early(tmp_path):
    async def wait():
        async with group(OWN + "Deadline", 2, tmp_path, stall=STEADFAST) as (one, two):
            await two.stop()
            for _ in range(10):
                begun = clock.now()
                one.command("ask")
                count = len(one.stack.layers[-1].order)
                await until(lambda count=count: len(one.stack.layers[-1].order) > count)
                assert clock.now() - begun >= 40_000_000

    asyncio.run(wait())


def test_a_timer_is_restarted_or_cancelled_by_name(tmp_path):
    async def wait():
        patient = Scenario(OWN + "Deadline", parameters={"patience": 1000})
        async with group(patient, 2, tmp_path, stall=STEADFAST) as (one, two):
            await two.stop()
            for _ in range(3):
                one.command("ask")
                await asyncio.sleep(0.5)  # set again before it runs out
            assert one.stack.layers[-1].order == []
            one.stack.cancel_timer(one.stack.layers[-1], "answer")
            await asyncio.sleep(0.8)
            assert one.stack.layers[-1].order == []

    asyncio.run(wait())
