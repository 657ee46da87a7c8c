"""The smallest algorithms that could fool a checker: what holds only vacuously, or is never asked."""

from dataclasses import dataclass

import pytest
from small_instances import Ball, Word, explore, question

from habemus.checking.answer.check import check
from habemus.checking.answer.replay import play
from habemus.checking.answer.verdicts import HOLDS
from habemus.checking.search.effort import Effort
from habemus.process import (
    ClauseError,
    Election,
    Message,
    MisuseError,
    Mutex,
    Pid,
    upon,
    upon_command,
    upon_start,
    upon_suspect,
    upon_timeout,
    upon_trust,
)

HERE = "test_never_fooled"

both = pytest.mark.parametrize("reduced", [True, False], ids=["reduced", "full"])


def violates(verdict, name):
    """Whether the verdict is that, and its run shows it when it is played."""
    assert verdict.violated == name, (verdict, verdict.properties)
    assert name in [judge.name for judge in play(verdict.counterexample).properties if judge.witness]
    return True


# The order of a dict


@dataclass(frozen=True)
class Nested(Message):
    """A tuple may hold what can be changed."""

    parts: tuple[object, ...] = ()


class FirstHeard(Election):
    """2 leads, and 1 as well if it heard 3 before 2; it remembers them in a dict within its field."""

    name = "first-heard"
    topology = "complete"
    heard: dict[int, dict[Pid, bool]] = {0: {}}

    @upon_start
    def begin(self) -> None:
        if self.id > 1:
            self.send(1, Ball())

    @upon(Ball)
    def hear(self, sender: Pid, message: Ball) -> None:
        self.heard[0][sender] = True
        if len(self.heard[0]) == 2:
            self.send(2, Nested())

    @upon(Nested)
    def decide(self, sender: Pid, message: Nested) -> None:
        if self.id == 2:
            self.elect(2)
            self.send(1, Nested())
        elif list(self.heard[0]) == [3, 2]:
            self.elect(1)


class FirstInList(FirstHeard):
    """The same with a dict in a list."""

    name = "first-in-list"
    heard: list[dict[Pid, bool]] = [{}]


@pytest.mark.parametrize("cls", ["FirstHeard", "FirstInList"])
@both
def test_the_order_of_a_dict_within_a_field_is_part_of_the_state(cls, reduced):
    asked = question(f"{HERE}:{cls}", n=3, properties=["uniqueness"])
    assert violates(check(asked, Effort(reduced=reduced)), "uniqueness")


class Unhashable(FirstHeard):
    """Sends a list within a tuple."""

    name = "unhashable"

    def begin(self) -> None:
        self.send(self.neighbours, Nested(([],)))


class Mixed(FirstHeard):
    """Its keys cannot be sorted."""

    name = "mixed"
    heard: dict[object, dict[Pid, bool]] = {0: {}, None: {}}


def test_contents_that_cannot_be_compared_are_told_or_kept_as_they_are():
    with pytest.raises(MisuseError, match=r"Nested \(.*\) is sent with contents of its parts that cannot be hashed"):
        check(question(f"{HERE}:Unhashable", n=2))
    assert violates(check(question(f"{HERE}:Mixed", n=3, properties=["uniqueness"])), "uniqueness")


# The word of a recovery


class Welcome(Election):
    """1 takes office if it hears from one who is back before its detector says so."""

    name = "welcome"
    topology = "complete"
    trusted: bool = False

    @upon_start
    def begin(self) -> None:
        self.send(self.neighbours, Word())

    @upon_suspect
    def doubt(self, subject: Pid) -> None:
        pass

    @upon_trust
    def believe(self, subject: Pid) -> None:
        self.trusted = True

    @upon(Word)
    def hear(self, sender: Pid, message: Word) -> None:
        if self.id == 1 and not self.trusted:
            self.elect(1)


@both
def test_word_of_a_recovery_and_the_messages_that_follow_it_arrive_in_any_order(reduced):
    asked = question(f"{HERE}:Welcome", n=2, crashes=1, recoveries=1, starts="step", properties=["nothing"])
    search = explore(asked, reduced)
    semantics = search.semantics
    kinds = [
        {semantics.actions.known[t.action].kind for t in semantics.expand(state).transitions} for state in search.states
    ]
    assert any({"trust", "deliver"} <= kind for kind in kinds)


# Starvation


@dataclass(frozen=True)
class Please(Message):
    """Let me in."""


@dataclass(frozen=True)
class Go(Message):
    """You are in."""


@dataclass(frozen=True)
class Thanks(Message):
    """I am out."""


class Server(Mutex):
    """Process 1 lets others in, first come, first served; it never wants in itself."""

    name = "server"
    topology = "complete"
    queue: list[Pid] = []
    busy: bool = False

    @upon_command("acquire")
    def want(self) -> None:
        self.ask()
        self.take(self.id, Please()) if self.id == 1 else self.send(1, Please())

    @upon(Please)
    def take(self, sender: Pid, message: Please) -> None:
        self.queue.append(sender)
        self.serve()

    def next_one(self) -> Pid:
        return self.queue.pop(0)

    def serve(self) -> None:
        if self.queue and not self.busy:
            self.busy = True
            lucky = self.next_one()
            self.come(1, Go()) if lucky == 1 else self.send(lucky, Go())

    @upon(Go)
    def come(self, sender: Pid, message: Go) -> None:
        self.enter()

    @upon_command("release")
    def go(self) -> None:
        self.leave()
        self.free(self.id, Thanks()) if self.id == 1 else self.send(1, Thanks())

    @upon(Thanks)
    def free(self, sender: Pid, message: Thanks) -> None:
        self.busy = False
        self.serve()


class LastFirst(Server):
    """Last come, first served."""

    name = "last-first"

    def next_one(self) -> Pid:
        return self.queue.pop()


class Barging(Server):
    """Whoever has the smallest id goes first."""

    name = "barging"

    def next_one(self) -> Pid:
        lucky = min(self.queue)
        self.queue.remove(lucky)
        return lucky


@pytest.mark.parametrize("cls", ["LastFirst", "Barging"])
@pytest.mark.parametrize("name", ["starvation_freedom", "bounded_waiting"])
@both
def test_who_asks_for_ever_may_starve_another(cls, name, reduced):
    assert check(question(f"{HERE}:{cls}", n=3, properties=[name])).verdict == HOLDS  # one entry each shows nothing
    verdict = check(question(f"{HERE}:{cls}", n=3, entries=-1, properties=[name]), Effort(reduced=reduced))
    assert violates(verdict, name) and verdict.counterexample.schedule.entries == -1


@both
def test_first_come_first_served_starves_nobody(reduced):
    verdict = check(question(f"{HERE}:Server", n=3, entries=-1), Effort(reduced=reduced))
    assert verdict.verdict == HOLDS and set(verdict.properties.values()) == {True}


# Requests that are swallowed, deadlocks behind timers, clauses that fail


class Swallows(Server):
    """Returns before it asks, if it has the largest id."""

    name = "swallows"

    def want(self) -> None:
        if self.id < self.n:
            self.ask()
            self.enter()

    def go(self) -> None:
        self.leave()


@pytest.mark.parametrize("entries", [1, -1])
def test_a_request_that_is_swallowed_is_never_served(entries):
    verdict = check(question(f"{HERE}:Swallows", n=2, entries=entries, properties=["starvation_freedom"]))
    assert violates(verdict, "starvation_freedom") and "never asked" in verdict.witness


class Retries(Server):
    """The first request is lost on purpose; asks again each time its timer runs out, and is never heard."""

    name = "retries"

    def want(self) -> None:
        self.ask()
        self.set_timer("again", 1)

    @upon_timeout("again")
    def ask_again(self) -> None:
        self.set_timer("again", 1)


class Recovers(Retries):
    """Is heard the third time."""

    name = "recovers"
    times: int = 0

    def ask_again(self) -> None:
        self.times += 1
        if self.times == 3:
            self.enter()
        else:
            self.set_timer("again", 1)


@both
def test_a_deadlock_behind_a_timer_that_may_not_run_out_any_more_is_found(reduced):
    asked = {"n": 2, "alarms": 2, "properties": ["deadlock_freedom"]}
    assert violates(check(question(f"{HERE}:Retries", **asked), Effort(reduced=reduced)), "deadlock_freedom")
    verdict = check(question(f"{HERE}:Recovers", **asked), Effort(reduced=reduced))
    assert verdict.verdict == HOLDS and verdict.properties == {"deadlock_freedom": True}


class ThirdTime(Election):
    """The third time that its timer runs out everybody takes office, and by then the timer may run out no more."""

    name = "third-time"
    topology = "complete"
    rings: int = 0

    @upon_start
    def begin(self) -> None:
        self.set_timer("ring", 1)
        if self.id == 1:
            self.elect(1)

    @upon_timeout("ring")
    def ring(self) -> None:
        self.rings += 1
        if self.rings == 3:
            self.elect(self.id)
        else:
            self.set_timer("ring", 1)


def test_a_run_that_stops_for_want_of_timeouts_is_followed_although_all_is_well_there():
    verdict = check(question(f"{HERE}:ThirdTime", n=2, timing="async", properties=["uniqueness"]))
    assert violates(verdict, "uniqueness") and verdict.next_question == ""


class Speechless(Server):
    """Cannot say for whom it waits, and nobody serves it."""

    name = "speechless"

    def serve(self) -> None:
        pass

    @property
    def waits_for(self) -> tuple[Pid, ...]:
        return (self.queue[7],)


def test_one_that_fails_to_say_for_whom_it_waits_is_told_in_one_sentence():
    with pytest.raises(ClauseError, match=r"^Speechless failed .*in waits_for\): IndexError"):
        check(question(f"{HERE}:Speechless", n=2))
