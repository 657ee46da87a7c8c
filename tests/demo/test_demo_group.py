"""A group to look at: what is done to its processes is seen in its locks, its store and its steps."""

import asyncio
import time
from itertools import pairwise

import pytest

from habemus.demo import group as demo
from habemus.demo.child import KEEP
from habemus.demo.group import DemoGroup
from habemus.demo.store import Access, Store, shorten_token

PATIENCE = 60.0


async def until(claim):
    deadline = time.monotonic() + PATIENCE
    while not (value := claim()):
        assert time.monotonic() < deadline, claim
        await asyncio.sleep(0.02)
    return value


def lock(group, name):
    return next(lock for lock in group.describe()["locks"] if lock["name"] == name)


def leader(group):
    holders = lock(group, "scheduler")["holders"]
    return holders[0]["member"] if holders else None


def pair(group):
    """Who leads and who waits, once it is so."""
    waiters = [each["member"] for each in lock(group, "scheduler")["waiters"]]
    return (leader(group), *waiters) if leader(group) and len(waiters) == 1 else None


def log_lengths(steps):
    return [len(step.changed["entries"]) for step in steps if "entries" in step.changed]


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(demo, "TTL", 2.0)


def test_a_role_passes_on_when_its_leader_is_killed_or_cut_off_and_the_steps_of_all_are_seen(quick, tmp_path):
    async def story():
        steps = []
        async with DemoGroup("orders", voters=1, workers=2, directory=tmp_path, traced=True) as group:
            group.step_listeners.append(steps.append)
            first, second = await until(lambda: pair(group))
            (before,) = lock(group, "scheduler")["holders"]
            ends = await until(lambda: lock(group, "scheduler")["holders"][0]["ends"])
            assert ends <= 1000 * (time.time() + demo.TTL)
            group.kill(first)
            await until(lambda: leader(group) == second)
            (after,) = lock(group, "scheduler")["holders"]
            assert number(after["token"]) > number(before["token"])
            await group.restart(first)
            leading, waiting = await until(lambda: pair(group))
            group.cut([(1, leading)])
            assert group.cut_off == [leading]
            await until(lambda: leader(group) == waiting)
            group.heal()
            await until(lambda: pair(group))
            await until(lambda: any(a > b for a, b in pairwise(log_lengths(steps))))
        assert max(log_lengths(steps)) < 2 * KEEP, "else every step of a voter would be longer than the last"
        assert {step.process for step in steps} >= {1, 2, 3}
        assert {message.to for step in steps for message in step.sent} == {1, 2, 3}
        assert {step.role for step in steps if step.process == leading} >= {"inside", ""}
        assert all(max(step.parents, default=-1) < step.event for step in steps)

    asyncio.run(story())


def number(token):
    return [int(part) for part in token.split("·")]


def test_the_store_refuses_what_is_older_than_what_it_has_seen_and_counts_it():
    store = Store()
    assert store.take(4, Access("lock", "stock", 7)) is None
    assert store.take(5, Access("lock", "stock", (1 << 40) + 9)) is None
    assert store.take(4, Access("lock", "stock", 7)) is not None
    assert store.take(4, Access("role", "stock", 7)) is None, "a role is another resource"
    refusal = {"member": 4, "name": "stock", "token": "0·7", "highest": "1·9"}
    said = store.describe()
    assert (said["accepted"], said["refused"], said["refusals"]) == (3, 1, [refusal])


def test_short_tokens_are_in_the_order_of_the_tokens():
    tokens = [3, 1 << 40, (1 << 40) + 10, (1 << 40) + 9, 7 << 40]
    assert sorted(tokens) == sorted(tokens, key=lambda token: number(shorten_token(token)))
