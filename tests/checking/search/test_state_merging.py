"""A search that merges states finds what one without merging finds: on the catalogue, and on random protocols."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_instances import AnyProtocol, Letter, explore, final_worlds, question
from test_reduction import CHECKED, NARROW, smallest

from habemus.process import Election, Pid, upon, upon_start

TICKING = f"{Path(__file__).parents[3] / 'bench' / 'checking' / 'ticking.py'}:TickingRicartAgrawala"


@pytest.fixture(params=[32, 1], ids=["far-sighted", "short-sighted"])
def foresight(request, monkeypatch):
    """A search that compares one pair only before it merges is often wrong, and has to find out."""
    monkeypatch.setattr("habemus.checking.search.state_merging.LOOKED_AT", request.param)


@pytest.mark.usefixtures("foresight")
@pytest.mark.parametrize("fifo", [True, False], ids=["fifo", "overtaking"])
@pytest.mark.parametrize("name", [name for name in CHECKED if name not in NARROW])
def test_the_whole_catalogue_gets_the_same_verdict_and_the_same_ends(name, fifo):
    asked = smallest(name, fifo=fifo)
    full, merged = explore(asked, False), explore(asked, True, merging=True)
    assert bool(full.violated) == bool(merged.violated)
    if not full.violated:
        assert final_worlds(full) == final_worlds(merged)


@pytest.mark.usefixtures("foresight")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 3),
    kinds=st.integers(2, 3),
    states=st.integers(2, 4),
    calm=st.integers(2, 9),
    fifo=st.booleans(),
)
def test_on_any_protocol_all_ends_are_found_and_every_violation(seed, n, kinds, states, calm, fifo):
    parameters = {"seed": seed, "kinds": kinds, "states": states, "calm": calm}
    name = f"{AnyProtocol.__module__}:AnyProtocol"
    for wanted in ("nothing", "uniqueness", "stability"):
        asked = question(name, n=n, parameters=parameters, fifo=fifo)
        asked.properties = [wanted]
        full, merged = explore(asked, False), explore(asked, True, merging=True)
        assert bool(full.violated) == bool(merged.violated)
        if wanted == "nothing":
            assert final_worlds(full) == final_worlds(merged)


def test_states_of_protocols_drawn_at_random_are_merged_and_sometimes_too_many():
    searches = []
    for seed in range(40):
        parameters = {"seed": seed, "kinds": 2 + seed % 2, "states": 2 + seed % 3, "calm": 2 + seed % 8}
        asked = question(f"{AnyProtocol.__module__}:AnyProtocol", n=3, parameters=parameters, fifo=seed % 3 == 0)
        asked.properties = ["nothing"]
        searches.append(explore(asked, True, merging=True).merging)
    assert sum(merging.merged for merging in searches) > 20
    assert sum(len(merging.resettable) < 2 for merging in searches) > 2  # guesses that did not stand


def test_readings_of_a_clock_are_merged_once_it_has_stamped_the_last_request(monkeypatch):
    monkeypatch.setattr("habemus.checking.search.state_merging.LOOKED_AT", 32)
    asked = question(TICKING, n=3, fifo=False)
    kept, fewer = explore(asked, True), explore(asked, True, merging=True)
    assert fewer.merging.merged and len(fewer.states) * 2 < len(kept.states)
    fields = fewer.semantics.instance.stack[0].fields
    assert (0, fields.index("highest")) in fewer.merging.resettable
    assert (0, fields.index("number")) not in fewer.merging.resettable  # by it requests are compared


class Late(Election):
    """Counts letters, and with the last of them it matters how many there were."""

    name = "late"
    topology = "complete"
    count: int = 0

    @upon_start
    def begin(self) -> None:
        if self.id == 1:
            for life in range(3):
                self.send(2, Letter(0, life))

    @upon(Letter)
    def read(self, sender: Pid, message: Letter) -> None:
        self.count += message.lives + 1
        if message.lives == 2 and self.count > 3:
            self.elect(self.id)


@pytest.mark.usefixtures("foresight")
def test_what_matters_in_the_end_is_kept_apart():
    asked = question("test_state_merging:Late", n=2, fifo=False, properties=["termination"])
    assert explore(asked, False).violated == explore(asked, True, merging=True).violated == "termination"


class Modest(Election):
    """Takes office if it is 2 that starts; 1 notes that it has started, and leaves it at that."""

    name = "modest"
    topology = "complete"
    started: bool = False

    @upon_start
    def begin(self) -> None:
        self.started = True
        if self.id == 2:
            self.elect(self.id)


@pytest.mark.parametrize("starts", ["first", "step"])
def test_who_has_started_is_kept_apart_where_others_may_abstain(starts):
    asked = question("test_state_merging:Modest", n=2, anybody=True, starts=starts, properties=["termination"])
    assert explore(asked, False).violated == explore(asked, True, merging=True).violated == "termination"
