"""Reduced and full search give the same verdict: on the catalogue, on broken variants, on protocols drawn at random."""

from dataclasses import dataclass

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_instances import AnyListener, AnyProtocol, explore, final_states, question

from habemus.catalogue import algorithm_names, find_algorithm
from habemus.checking.answer.check import check
from habemus.checking.search.effort import Effort
from habemus.checking.search.liveness import has_endless_run
from habemus.checking.search.recurrence import may_recur
from habemus.checking.search.search import BREADTH, Search
from habemus.election.chang_roberts import Candidate, ChangRoberts
from habemus.mutex.ricart_agrawala import Reply, Request, RicartAgrawala
from habemus.process import Election, Message, Mutex, Parameter, Pid, upon, upon_command, upon_start, upon_suspect

HERE = "test_reduction"
CHECKED = [name for name in algorithm_names() if issubclass(find_algorithm(name), Election | Mutex)]
LARGE = (
    "raft",
    "quorum",
    "itai-rodeh",
    "leased-group",
)  # with three processes more than twenty thousand states in full
NARROW = {"leased-group": {"starters": [1], "bounds": {"term": 1}}}  # with all starters too many states for two as well


def smallest(name, **options):
    cls = find_algorithm(name)
    size = 2 if name.startswith(LARGE) else 3
    limits = {"bounds": dict(cls.small_bounds), "alarms": 1, **NARROW.get(name, {}), **options}
    return question(name, n=size, parameters=dict(cls.small_parameters), **limits)


@pytest.mark.parametrize("fifo", [True, False], ids=["fifo", "overtaking"])
@pytest.mark.parametrize("name", [name for name in CHECKED if name not in NARROW])
def test_the_whole_catalogue_gets_the_same_verdict_reduced_and_in_full(name, fifo):
    compare_reduced_and_full(smallest(name, fifo=fifo))


@pytest.mark.parametrize("name", NARROW)
def test_those_that_are_larger_get_it_too_where_links_keep_the_order(name):
    compare_reduced_and_full(smallest(name))


def compare_reduced_and_full(asked):
    full, reduced = explore(asked, False), explore(asked, True)
    assert bool(full.violated) == bool(reduced.violated)
    if not full.violated:
        assert final_states(full) == final_states(reduced)
        assert len(reduced.states) <= len(full.states)


@pytest.mark.parametrize("starts", ["first", "step"])
@pytest.mark.parametrize("fifo", [True, False], ids=["fifo", "overtaking"])
@pytest.mark.parametrize("name", ["lcr", "chang-roberts", "ring-collect", "hirschberg-sinclair", "yoyo", "capture"])
def test_where_anybody_may_start_no_set_of_starters_is_lost(name, fifo, starts):
    asked = question(name, n=3, fifo=fifo, anybody=True, starts=starts, properties=["nothing"])
    assert final_states(explore(asked, False)) == final_states(explore(asked, True))


@settings(max_examples=200)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 4),
    kinds=st.integers(2, 3),
    states=st.integers(2, 4),
    calm=st.integers(2, 9),
    fifo=st.booleans(),
    starts=st.sampled_from(["first", "step", "late"]),
    data=st.data(),
)
def test_on_any_protocol_all_ends_are_found_and_every_violation(seed, n, kinds, states, calm, fifo, starts, data):
    starters = list(range(1, data.draw(st.integers(1, n)) + 1))
    parameters = {"seed": seed, "kinds": kinds, "states": states, "calm": calm}
    name = f"{AnyProtocol.__module__}:AnyProtocol"
    for wanted in ("termination", "uniqueness", "stability"):
        asked = question(
            name, n=n, parameters=parameters, fifo=fifo, starters=starters, starts=starts, properties=[wanted]
        )
        if wanted == "termination":
            asked.properties = ["nothing"]  # so that no violation ends the search before all ends are known
            assert final_states(explore(asked, False)) == final_states(explore(asked, True))
        else:
            assert bool(explore(asked, False).violated) == bool(explore(asked, True).violated)


FAULTS = [{"losses": 1}, {"doubles": 1}, {"crashes": 1}, {"crashes": 1, "recoveries": 1}]


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 3),
    kinds=st.integers(1, 2),
    states=st.integers(2, 4),
    calm=st.integers(2, 8),
    fifo=st.booleans(),
    faults=st.sampled_from([*FAULTS, {"reorders": 1}, {"mistakes": 1, "detector": "eventual"}]),
    detector=st.sampled_from(["perfect", "simultaneous", "eventual"]),
)
def test_on_any_protocol_with_any_fault_all_ends_are_found(seed, n, kinds, states, calm, fifo, faults, detector):
    parameters = {"seed": seed, "kinds": kinds, "states": states, "calm": calm, "lives": 1}
    limits = {"detector": detector, "starters": [1, 2], "properties": ["nothing"], "fifo": fifo, **faults}
    asked = question(f"{AnyListener.__module__}:AnyListener", n=n, parameters=parameters, **limits)
    assert final_states(explore(asked, False)) == final_states(explore(asked, True))


@pytest.mark.parametrize("name", CHECKED)
def test_where_the_steps_of_single_processes_rule_a_cycle_out_there_is_none(name):
    search = explore(smallest(name), False)
    assert search.violated or may_recur(search.semantics) or not has_endless_run(search)


def test_they_rule_it_out_on_a_ring_and_not_where_a_token_goes_round_for_ever():
    assert not may_recur(explore(question("chang-roberts", n=4), False).semantics)
    search = explore(question("token-ring", n=3), False)
    assert may_recur(search.semantics) and has_endless_run(search)


class ForgetsToStand(ChangRoberts):
    """Swallows what is weaker, whether it stands itself or not."""

    @upon(Candidate)
    def weigh_candidate(self, sender: Pid, message: Candidate) -> None:
        if message.id == self.id:
            self.elect(self.id)
        elif message.id > self.id:
            self.send(self.successor, message)


class LetsEverybodyIn(RicartAgrawala):
    """Replies at once, whoever was first."""

    @upon(Request)
    def weigh_request(self, sender: Pid, message: Request) -> None:
        self.highest = max(self.highest, message.number)
        self.send(sender, Reply())


class KeepsThemWaiting(RicartAgrawala):
    """Forgets whom it owes a reply."""

    def go_outside(self) -> None:
        self.leave()
        self.permissions = set()
        self.deferred = set()


@pytest.mark.parametrize(
    ("variant", "violated"),
    [
        ("ForgetsToStand", "termination"),
        ("LetsEverybodyIn", "mutual_exclusion"),
        ("KeepsThemWaiting", "deadlock_freedom"),
    ],
)
@pytest.mark.parametrize("fifo", [True, False], ids=["fifo", "overtaking"])
def test_broken_variants_are_caught_reduced_and_in_full_by_runs_of_the_same_length(variant, violated, fifo):
    starters = [1] if variant == "ForgetsToStand" else None
    asked = question(f"{HERE}:{variant}", n=3, fifo=fifo, starters=starters)
    full, reduced = check(asked, Effort(reduced=False)), check(asked, Effort())
    assert full.violated == reduced.violated == violated
    assert len(full.counterexample.schedule.steps) == len(reduced.counterexample.schedule.steps)


@dataclass(frozen=True)
class Word(Message):
    """A word."""

    text: str = ""


class Hasty(Election):
    """3 leads; 1 takes over if it is told that 2 is gone before it has heard from 2."""

    name = "hasty"
    topology = "complete"

    heard: bool = False

    @upon_start
    def begin(self) -> None:
        if self.id == 2:
            self.send(1, Word())
        elif self.id == 3:
            self.elect(3)

    @upon(Word)
    def hear(self, sender: Pid, message: Word) -> None:
        self.heard = True

    @upon_suspect
    def take_over(self, subject: Pid) -> None:
        if self.id == 1 and subject == 2 and not self.heard:
            self.elect(1)


@pytest.mark.parametrize("timing", ["async", "ordered"])
def test_what_an_eventual_detector_says_may_come_before_the_last_message_of_the_dead(timing):
    asked = question(f"{HERE}:Hasty", n=3, crashes=1, detector="eventual", timing=timing, properties=["uniqueness"])
    assert explore(asked, False).violated == explore(asked, True).violated == "uniqueness"


class Screen(Mutex):
    """5 enters when 3 and 4 have said yes. When 4 has, 1 and 2 may enter, too; or 1 may ask, and enters after 5."""

    name = "screen"
    topology = "complete"

    token: Parameter[int] = 0
    asking: Parameter[bool] = False

    consent: frozenset[str] = frozenset()

    @upon_command("acquire")
    def request(self) -> None:
        if self.id == 5:
            self.ask()
            self.send((3, 4), Word("please"))

    @upon(Word)
    def hear(self, sender: Pid, message: Word) -> None:
        if message.text == "please":
            self.send(sender, Word("yes"))
        elif message.text == "ask":
            self.ask()
        elif message.text == "enter":
            self.enter(self.token and 1)
        else:
            self.consent = self.consent | {f"{sender}"}
            if sender == 4:
                self.send((1,) if self.asking else (1, 2), Word("ask" if self.asking else "enter"))
            if len(self.consent) == 2:
                self.enter(self.token or None)

    @upon_command("release")
    def go_outside(self) -> None:
        self.leave()
        if self.asking and self.id == 5:
            self.send(1, Word("enter"))


@pytest.mark.parametrize("fifo", [True, False], ids=["fifo", "overtaking"])
def test_who_shows_a_larger_token_does_not_hide_that_two_met_inside_before(fifo):
    asked = question(f"{HERE}:Screen", n=5, parameters={"token": 2}, fifo=fifo, properties=["mutual_exclusion"])
    assert explore(asked, False).violated == explore(asked, True).violated == "mutual_exclusion"


def test_where_entries_are_counted_it_matters_who_asked_before():
    asked = question(f"{HERE}:Screen", n=5, parameters={"asking": True}, properties=["bounded_waiting"])
    asked.scenario = msgspec.structs.replace(asked.scenario, waiting_limit=0)
    assert explore(asked, False).violated == explore(asked, True).violated == "bounded_waiting"


def test_a_ring_where_links_keep_the_order_is_a_single_run():
    asked = question("chang-roberts", ids=[7, 6, 5, 4, 3, 2, 1, 8])
    search = explore(asked, True)
    assert len(search.states) == search.transitions + 1 == 45


def test_ricart_agrawala_shrinks_by_three_quarters():
    asked = question("ricart-agrawala", n=3, fifo=False)
    assert len(explore(asked, True).states) * 4 <= len(explore(asked, False).states) * 1.1


@pytest.mark.parametrize(("turn", "small"), [(10, 1_000_000), (10, 50), (1_000, 200), (10**9, 10)])
@pytest.mark.parametrize("name", ["franklin", "ricart-agrawala", "chang-roberts", "test_reduction:KeepsThemWaiting"])
def test_whichever_search_is_done_first_the_verdict_is_the_same(name, turn, small, monkeypatch):
    monkeypatch.setattr("habemus.checking.answer.check.TURN", turn)
    monkeypatch.setattr("habemus.checking.answer.check.SMALL", small)
    asked = question(name, n=3, fifo=name != "chang-roberts")
    found, full = check(asked), check(asked, Effort(reduced=False))
    assert (found.verdict, found.violated) == (full.verdict, full.violated)
    if turn != 1_000:  # so many steps are enough for some of them, and not for others
        assert (found.set_aside > 0) == (turn == 10)


def test_a_search_in_turns_finds_what_it_finds_in_one_go():
    asked = question("ricart-agrawala", n=3, fifo=False)
    for reduced in (True, False):
        at_once = explore(asked, reduced)
        in_turns = Search(asked.build_semantics(), reduced, BREADTH, 10**6, 8 << 30)
        turns = 0
        while not in_turns.finished:
            in_turns.run(None, 100 if in_turns.packed is None else 10)  # so much work is done in fewer steps
            turns += 1
        assert turns > 10 and list(in_turns.states) == list(at_once.states)
        assert in_turns.transitions == at_once.transitions
