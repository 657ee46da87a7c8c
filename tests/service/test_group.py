"""join, lock, lead for asyncio, on the file engine; and what the service does with any engine that has deadlines."""

import asyncio
from concurrent.futures import Future
from pathlib import Path
from time import CLOCK_BOOTTIME, clock_gettime, perf_counter

import pytest
from busy import slowdown

import habemus
from habemus.service.engine import Attempt, Engine, Grant, answer
from habemus.service.group import Group
from habemus.service.membership import Membership
from habemus.service.options import JoinOptions
from habemus.service.view import View


def test_one_is_inside_at_a_time_and_tokens_grow(where):
    inside, tokens = [], []

    async def work(group, number):
        async with group.lock("sku/42") as lease:
            inside.append(number)
            assert len(inside) == 1
            await asyncio.sleep(0)
            lease.ensure()
            await lease.check()
            tokens.append(lease.token)
            inside.remove(number)

    async def main():
        async with habemus.join("orders", where) as group:
            await asyncio.gather(*[work(group, number) for number in range(30)])

    asyncio.run(main())
    assert len(tokens) == 30 and tokens == sorted(set(tokens))


def test_who_does_not_wait_is_told_at_once_and_who_waits_is_told_when_time_is_up(where):
    async def main():
        async with habemus.join("orders", where) as group, group.lock("a"):
            with pytest.raises(habemus.LockTaken, match='"a" is taken'):
                async with group.lock("a", wait=0):
                    pass
            with pytest.raises(TimeoutError, match=r'"a" was not free within 0\.05 s'):
                async with group.lock("a", wait=0.05):
                    pass
            async with group.lock("b", wait=0), group.lead("a"):
                pass

    asyncio.run(main())


def test_readers_share_and_do_not_pass_a_writer_that_waits(where):
    async def main():
        order = []

        async def write():
            async with group.lock("a"):
                order.append("writer")

        async def read():
            async with group.lock("a", shared=True):
                order.append("reader")

        async with habemus.join("orders", where) as group:
            async with group.lock("a", shared=True), group.lock("a", shared=True):
                writer = asyncio.create_task(write())
                await until(lambda: any(attempt.at_gate for attempt in group.membership.engine.attempts))
                with pytest.raises(habemus.LockTaken):
                    async with group.lock("a", shared=True, wait=0):
                        pass
                reader = asyncio.create_task(read())
                await asyncio.sleep(0.02)
                assert order == []
            await asyncio.gather(writer, reader)
        assert order == ["writer", "reader"]

    asyncio.run(main())


def test_a_semaphore_has_as_many_holders_as_slots_each_with_a_slot_of_its_own(where):
    async def main():
        async with habemus.join("orders", where) as group:
            async with group.lock("a", slots=2) as one, group.lock("a", slots=2) as two:
                assert {one.slot, two.slot} == {0, 1} and one.token < two.token
                with pytest.raises(habemus.LockTaken):
                    async with group.lock("a", slots=2, wait=0):
                        pass
                for options in ({"slots": 3}, {}, {"shared": True}):
                    with pytest.raises(habemus.GroupError, match="in use with 2 slots"):
                        async with group.lock("a", wait=0, **options):
                            pass
            async with group.lock("a", slots=3), group.lock("a", slots=3), group.lock("a", slots=3) as last:
                assert last.slot == 2

    asyncio.run(main())


def test_a_cancelled_wait_leaves_nothing_behind(where):
    async def main():
        async def wait():
            async with group.lock("a"):
                raise AssertionError("it was cancelled")

        async with habemus.join("orders", where) as group:
            for _ in range(20):
                async with group.lock("a"):
                    waiting = [asyncio.create_task(wait()) for _ in range(3)]
                    await asyncio.sleep(0)
                    for task in waiting:
                        task.cancel()
                await asyncio.gather(*waiting, return_exceptions=True)
                assert all(task.cancelled() for task in waiting)
                async with group.lock("a", wait=0):
                    pass
            assert not group.membership.engine.attempts and not group.membership.engine.grants

    asyncio.run(main())


def test_when_a_lease_is_lost_its_body_is_cancelled_and_everybody_is_told(where):
    told = []

    async def hold(group):
        async with group.lock("a") as lease:
            lease.lost.call(told.append)
            watching = asyncio.ensure_future(report(lease))
            [path] = Path(where.removeprefix("file://")).glob("*.0")
            path.unlink()
            try:
                await asyncio.sleep(60)
            finally:
                with pytest.raises(habemus.LeaseLost):
                    lease.ensure()
                assert lease.lost and lease.remaining() == 0
                assert await watching == "deleted"

    async def report(lease):
        return await lease.lost

    async def main():
        async with habemus.join("orders", where) as group:
            with pytest.raises(habemus.LeaseLost, match='the lease of "a" is lost: somebody deleted its file') as lost:
                await hold(group)
            assert lost.value.reason == "deleted" and told == ["deleted"]
            assert asyncio.current_task().cancelling() == 0
            async with group.lock("a", wait=0):
                pass

    asyncio.run(main())


def test_a_cancellation_by_others_stays_one(where):
    async def main():
        async def hold():
            async with group.lock("a"):
                await asyncio.sleep(60)

        async with habemus.join("orders", where) as group:
            task = asyncio.create_task(hold())
            await until(lambda: group.membership.engine.grants)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            async with group.lock("a", wait=0):
                pass

    asyncio.run(main())


def test_leaving_a_group_ends_its_leases(where):
    async def main():
        async with habemus.join("orders", where) as group:
            holding = group.lock("a")
            lease = await holding.__aenter__()
        assert lease.lost.reason == "closed"
        with pytest.raises(habemus.LeaseLost, match="its group was left"):
            lease.ensure()
        with pytest.raises(habemus.GroupError, match="this group was left"):
            async with group.lock("b"):
                pass

    asyncio.run(main())


def test_a_missing_guarantee_is_an_error_at_the_start(where):
    habemus.join("orders", where, require={habemus.FENCED})
    with pytest.raises(habemus.GroupError, match="cannot promise fair, quorum: its engine promises fenced"):
        habemus.join("orders", where, require={habemus.QUORUM, habemus.FAIR, habemus.FENCED})


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("consul://here", "has no engine"),
        ("file://host/x", "has no directory"),
        ("file:///", "has no directory"),
    ],
)
def test_an_address_without_an_engine_is_refused_in_one_sentence(address, sentence):
    with pytest.raises(habemus.GroupError, match=sentence):
        habemus.join("orders", address)


@pytest.mark.parametrize(
    "options", [{"name": ""}, {"slots": 0}, {"slots": 2, "shared": True}, {"priority": 1001}, {"wait": -1}]
)
def test_a_lock_that_makes_no_sense_is_refused(options, where):
    with pytest.raises(ValueError):
        habemus.join("orders", where).lock(**{"name": "a", **options})


def test_a_singleton_runs_on_one_member_at_a_time_and_its_failure_is_told(where):
    running, runs = set(), []

    async def main(member):
        async with habemus.join("orders", where) as group:

            @group.singleton("cleanup")
            async def cleanup(lease):
                assert not running
                running.add(member)
                await asyncio.sleep(0.01)
                running.remove(member)
                runs.append((member, lease.token))
                return member

            assert await cleanup == member

    async def both():
        await asyncio.gather(main(1), main(2))

    asyncio.run(both())
    assert {member for member, _ in runs} == {1, 2} and runs[0][1] < runs[1][1]

    async def fail():
        async with habemus.join("orders", where) as group:

            @group.singleton("cleanup")
            async def cleanup(lease):
                raise ZeroDivisionError

            await asyncio.wait([cleanup])

    with pytest.raises(ZeroDivisionError):
        asyncio.run(fail())


@pytest.mark.timing
def test_ensure_takes_less_than_a_microsecond(where):
    async def main():
        async with habemus.join("orders", where) as group, group.lock("a") as lease:
            return measure(lease.ensure)

    assert asyncio.run(main()) < 1e-6 * slowdown()


def measure(function) -> float:
    best = 1.0
    for _ in range(20):
        begun = perf_counter()
        for _ in range(1000):
            function()
        best = min(best, (perf_counter() - begun) / 1000)
    return best


async def until(condition) -> None:
    while not condition():
        await asyncio.sleep(0.001)


# With deadlines


class LeasedGrant(Grant):
    def __init__(self, ttl: float) -> None:
        self.token = 7
        self.ttl = ttl
        self.released = False
        self.held = True
        self.renew()

    def renew(self) -> None:
        self.deadline = clock_gettime(CLOCK_BOOTTIME) + self.ttl

    def release(self) -> None:
        self.released = True

    def confirm(self):
        answer: Future[bool] = Future()
        answer.set_result(self.held)
        return answer


class Immediate(Attempt):
    def cancel(self) -> None:
        pass


class LeasingEngine(Engine):
    """Grants everything, until a deadline."""

    guarantees = frozenset()

    def __init__(self, ttl: float) -> None:
        self.grant = LeasedGrant(ttl)

    def open(self) -> None:
        pass

    @property
    def view(self):
        return View("orders")

    def fetch_view(self):
        return answer(lambda: self.view)

    def follow(self, tell):
        return lambda: None

    def acquire(self, wish, settle):
        settle(self.grant)
        return Immediate()

    def close(self) -> None:
        pass


def leased_group(ttl: float, grace: float) -> Group:
    return Group(Membership(JoinOptions("orders", ttl=100, grace=grace), LeasingEngine(ttl)))


def test_the_body_is_cancelled_a_grace_before_the_deadline_and_the_lock_is_given_back_after_it():
    async def main():
        async with leased_group(ttl=10.05, grace=10) as group:
            with pytest.raises(habemus.LeaseLost) as lost:
                async with group.lock("a") as lease:
                    try:
                        await asyncio.sleep(60)
                    except asyncio.CancelledError:
                        lease.ensure()  # there is time left to end in order
                        assert 0 < lease.remaining() <= 10 and not lease.grant.released
                        raise
            assert lost.value.reason == "expired" and lease.grant.released

    asyncio.run(main())


def test_a_renewed_lease_goes_on():
    async def main():
        async with leased_group(ttl=10.5, grace=10) as group:
            holding = group.lock("a")
            async with holding as lease:
                first = holding.alarm
                lease.grant.ttl = 1000
                lease.grant.renew()
                await until(lambda: holding.alarm is not first)
                lease.ensure()
                assert not lease.lost and lease.remaining() > 900

    asyncio.run(main())


def test_loss_is_final_even_if_a_renewal_comes_late():
    async def main():
        async with leased_group(ttl=0.02, grace=0) as group:
            with pytest.raises(habemus.LeaseLost):
                async with group.lock("a") as lease:
                    while lease.remaining():  # a body that blocks the loop is not cancelled
                        pass
                    for _ in range(2):
                        with pytest.raises(habemus.LeaseLost, match="not renewed before its deadline"):
                            lease.ensure()
                        lease.grant.renew()

    asyncio.run(main())


def test_check_asks_those_who_decide():
    async def main():
        async with leased_group(ttl=10, grace=0) as group:
            with pytest.raises(habemus.LeaseLost):
                async with group.lock("a") as lease:
                    await lease.check()
                    lease.grant.held = False
                    lease.ensure()
                    await lease.check()

    asyncio.run(main())
