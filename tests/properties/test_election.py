"""Each property finds its violation in the moment it happens and names who, when and in which events; else it holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.process import Election, Parameter, upon_start, upon_timeout
from habemus.properties import (
    Agreement,
    OneLeaderATerm,
    Stability,
    Termination,
    Uniqueness,
    World,
    election_properties,
    join_ids,
)
from habemus.scenario import Crash, Scenario, TopologySpec
from habemus.simulation import simulate


def judged(watched, story, members=(1, 2, 3)):
    """A property after a story of (time, process, leader | "crash" | "recover"), each one an event."""
    world = World(list(members))
    for event, (time, process, what) in enumerate(story):
        world.time, world.event = time, event
        if what == "crash":
            world.crashed(process)
        elif what == "recover":
            world.recovered(process)
        else:
            world.names_leader(process, what)
        watched.observe(world)
    world.time += 10
    return watched, world


def concluded(watched, story, members=(1, 2, 3)):
    watched, world = judged(watched, story, members)
    watched.conclude(world)
    return watched


PEACE = [(1, 3, 3), (2, 1, 3), (3, 2, 3)]


@pytest.mark.parametrize("watched", election_properties(has_terms=True), ids=lambda p: p.name)
def test_every_property_holds_in_a_peaceful_election(watched):
    assert concluded(watched, PEACE).holds is True
    assert watched.witness is None


@pytest.mark.parametrize("watched", election_properties(has_terms=True), ids=lambda p: p.name)
def test_every_property_is_open_until_something_decides_it(watched):
    assert judged(watched, [])[0].holds is None


def test_termination_fails_when_nobody_ever_took_office():
    watched = concluded(Termination(), [(1, 1, 3), (2, 2, 3)])
    assert watched.holds is False
    assert watched.witness.text == "nobody ever took office by the end of the run" and watched.witness.time == 12


def test_termination_fails_when_the_last_leader_is_gone_and_nobody_has_followed():
    watched = concluded(Termination(), [*PEACE, (5, 3, "crash")])
    assert watched.holds is False and "the last leader is gone" in watched.witness.text


def test_termination_fails_when_all_have_crashed():
    watched = concluded(Termination(), [(1, 1, "crash"), (1, 2, "crash"), (1, 3, "crash")])
    assert watched.holds is False and "every process has crashed" in watched.witness.text


def test_termination_is_reached_and_lost_again_as_leaders_come_and_go():
    assert judged(Termination(), PEACE)[0].holds is True
    assert judged(Termination(), [*PEACE, (5, 3, "crash")])[0].holds is None
    assert concluded(Termination(), [*PEACE, (5, 3, "crash"), (9, 2, 2)]).holds is True


def test_uniqueness_fails_in_the_moment_a_second_one_takes_office_and_names_both():
    watched, _ = judged(Uniqueness(), [(4, 2, 2), (5, 1, 2), (9, 3, 3)])
    assert watched.holds is False
    assert watched.witness.text == "2 took office at time 4 and still held it when 3 took office at time 9"
    assert (watched.witness.time, watched.witness.processes, watched.witness.events) == (9, [2, 3], [0, 2])


def test_uniqueness_keeps_its_first_witness():
    watched = concluded(Uniqueness(), [(4, 2, 2), (9, 3, 3), (12, 1, 1)])
    assert watched.witness.processes == [2, 3] and watched.witness.time == 9


@pytest.mark.parametrize("gone", [(6, 2, "crash"), (6, 2, None), (6, 2, 3)])
def test_uniqueness_holds_when_the_first_has_crashed_or_stepped_down(gone):
    assert concluded(Uniqueness(), [(4, 2, 2), gone, (9, 3, 3)]).holds is True


def test_agreement_fails_when_someone_names_nobody_at_the_end():
    watched = concluded(Agreement(), PEACE[:2])
    assert watched.holds is False
    assert watched.witness.text == "2 names no leader at the end" and watched.witness.processes == [2]


def test_agreement_fails_when_two_parties_name_two_leaders():
    watched = concluded(Agreement(), [(1, 3, 3), (2, 1, 3), (3, 2, 2)])
    assert watched.witness.text == "at the end 2 names 2 while 1 and 3 name 3"
    assert sorted(watched.witness.processes) == [1, 2, 3] and watched.witness.time == 13


def test_agreement_fails_when_all_name_one_who_has_crashed():
    watched = concluded(Agreement(), [*PEACE, (7, 3, "crash")])
    assert watched.witness.text == "all live processes name 3, which has crashed" and watched.witness.processes == [3]


def test_agreement_on_one_who_has_crashed_is_not_reached_for_a_moment_either():
    assert judged(Agreement(), [*PEACE[:2], (3, 3, "crash"), (4, 2, 3)])[0].holds is None


def test_agreement_asks_only_the_living():
    assert concluded(Agreement(), [*PEACE, (5, 1, "crash")]).holds is True
    assert concluded(Agreement(), [*PEACE, (5, 1, "crash"), (6, 1, "recover")]).holds is False
    assert concluded(Agreement(), [*PEACE, (5, 1, "crash"), (6, 1, "recover"), (7, 1, 3)]).holds is True


def test_stability_fails_when_one_takes_over_from_a_leader_that_is_well():
    watched, _ = judged(Stability(), [(4, 2, 2), (8, 2, None), (9, 3, 3)])
    assert watched.holds is False
    assert watched.witness.text == "3 took over at time 9 although 2, leader since 4, had not crashed"
    assert (watched.witness.time, watched.witness.processes, watched.witness.events) == (9, [2, 3], [0, 2])


def test_stability_holds_when_the_old_leader_had_crashed_or_is_elected_again():
    assert concluded(Stability(), [(4, 2, 2), (6, 2, "crash"), (9, 3, 3)]).holds is True
    assert concluded(Stability(), [(4, 2, 2), (6, 2, None), (9, 2, 2)]).holds is True


steps = st.lists(st.tuples(st.integers(1, 4), st.sampled_from([None, 1, 2, 3, 4, "crash", "recover"])), max_size=30)


@given(steps)
def test_the_world_agrees_with_a_naive_account_of_the_story(story):
    world = World([1, 2, 3, 4])
    uniqueness = Uniqueness()
    beliefs, down, two = {}, set(), False
    for process, what in story:
        if what == "crash":
            if process in down:
                continue
            world.crashed(process)
            down.add(process)
            beliefs.pop(process, None)
        elif what == "recover":
            if process not in down:
                continue
            world.recovered(process)
            down.discard(process)
        elif process not in down:
            world.names_leader(process, what)
            beliefs[process] = what
        uniqueness.observe(world)
        leaders = [p for p, named in beliefs.items() if named == p]
        two = two or len(leaders) > 1
        assert sorted(world.in_office) == sorted(leaders)
        assert world.live == 4 - len(down)
        assert world.leader() == (leaders[0] if len(leaders) == 1 else None)
        assert sum(world.support.values()) == sum(named is not None for named in beliefs.values())
    assert (uniqueness.holds is False) == two


def test_one_leader_a_term_fails_when_another_takes_office_in_a_term_that_had_a_leader_even_if_that_is_gone():
    world, watched = World([1, 2, 3]), OneLeaderATerm()
    for time, (process, term) in enumerate([(1, 1), (2, 2), (2, 2), (3, 1)], start=1):
        assert watched.holds is None
        world.time, world.event = time, time * 10
        world.leads_in(process, term)
        world.names_leader(process, process)
        watched.observe(world)
        world.names_leader(process, None)
    assert watched.holds is False
    assert watched.witness.text == "3 took office at time 4 in term 1, in which 1 had taken it at time 1"
    assert (watched.witness.processes, watched.witness.events) == ([1, 3], [10, 40])


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 4)), max_size=12))
def test_one_leader_a_term_holds_just_if_no_term_has_two(story):
    world, watched = World([1, 2, 3]), OneLeaderATerm()
    for process, term in story:
        world.leads_in(process, term)
        watched.observe(world)
    watched.conclude(world)
    assert watched.holds == (len({term for _, term in story}) == len(set(story)))


def test_lists_of_processes_read_well():
    assert join_ids([3]) == "3"
    assert join_ids([3, 5]) == "3 and 5"
    assert join_ids([1, 2, 3, 4]) == "1, 2, 3 and 4"
    assert join_ids(list(range(43))) == "0, 1, 2 and 40 more"


# In a run -------------------------------------------------------------------------------------------------------------


class Rebel(Election):
    """1 takes office at 10; 2 at 20, whatever 1 does."""

    topology = "complete"
    yields: Parameter[bool] = False

    @upon_start
    def begin(self):
        if self.id <= 2:
            self.set_timer("coup", 10 * self.id)
        if self.id == 1 and self.yields:
            self.set_timer("yield", 15)

    @upon_timeout("coup")
    def take_over(self):
        self.elect(self.id)

    @upon_timeout("yield")
    def step_down(self):
        self.elect(None)


def rebellion(**options):
    scenario = Scenario(f"{__name__}:Rebel", topology=TopologySpec(ids=[1, 2, 3]), starters="all", **options)
    outcome = simulate(scenario, keep=100)
    return outcome, {p.name: p.witness for p in outcome.properties}


def test_a_witness_names_the_events_of_the_trace_in_which_it_happened():
    outcome, witnesses = rebellion()
    uniqueness = witnesses["uniqueness"]
    assert (uniqueness.processes, uniqueness.time) == ([1, 2], 20)
    blamed = [outcome.trace.events[number] for number in uniqueness.events]
    assert [(e.process, e.time, e.clause) for e in blamed] == [(1, 10, "take_over"), (2, 20, "take_over")]
    assert witnesses["stability"].events == uniqueness.events
    assert outcome.leader is None and not outcome.holds


def test_stepping_down_saves_uniqueness_and_a_crash_saves_stability():
    _, witnesses = rebellion(parameters={"yields": True})
    assert witnesses["uniqueness"] is None and witnesses["stability"] is not None
    _, witnesses = rebellion(faults=[Crash(15, 1)])
    assert witnesses["uniqueness"] is None and witnesses["stability"] is None


class Eager(Election):
    """Everybody takes office at once, in the term that `term` says; `term_field` makes it a claim."""

    topology = "complete"
    term_field = "term"
    apart: Parameter[bool] = False
    term: int = 0

    @upon_start
    def lead(self) -> None:
        self.term = self.id if self.apart else 1
        self.elect(self.id)


@pytest.mark.parametrize("apart", [False, True])
def test_terms_are_judged_in_runs_of_what_declares_them(apart):
    scenario = Scenario("test_election:Eager", topology=TopologySpec(ids=[1, 2]), parameters={"apart": apart})
    found = {watched.name: watched.holds for watched in simulate(scenario).properties}
    assert found["uniqueness"] is False and found["one_leader_a_term"] is apart
    other = simulate(Scenario("bully", topology=TopologySpec(ids=[1, 2])))
    assert "one_leader_a_term" not in {watched.name for watched in other.properties}
