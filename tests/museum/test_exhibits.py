"""Every exhibit is caught by the checker in its small place, and what it is made from holds there."""

from functools import cache
from pathlib import Path

import pytest

from habemus.checking.check import Effort, check
from habemus.checking.replay import play
from habemus.cli.museum import difference, question
from habemus.museum import EXHIBITS, TEXTBOOK
from habemus.process import dissect
from habemus.properties import election_properties, mutex_properties
from habemus.scenario import read_scenario

PAGE = Path(__file__).parents[2] / "docs" / "museum.md"
MOST_LINES = 10

every_exhibit = pytest.mark.parametrize("exhibit", EXHIBITS.values(), ids=EXHIBITS)


@cache
def verdict_on(name, reduced=True):
    exhibit = EXHIBITS[name]
    return check(question(exhibit.cls, exhibit.instance, exhibit.violates), Effort(reduced=reduced))


def test_there_is_something_to_see():
    assert len(EXHIBITS) >= 25
    assert len([exhibit for exhibit in EXHIBITS.values() if exhibit.source]) >= 15


@every_exhibit
def test_the_checker_catches_it(exhibit):
    verdict = verdict_on(exhibit.name)
    assert (verdict.verdict, verdict.violated) == ("violated", exhibit.violates)
    assert verdict.witness


@every_exhibit
def test_what_it_is_made_from_holds_there(exhibit):
    for sound in {exhibit.sound, exhibit.original}:
        assert check(question(sound, exhibit.sound_instance, exhibit.violates)).verdict == "holds"


@every_exhibit
def test_every_interleaving_gives_the_same_verdict_as_the_reduced_search(exhibit):
    assert verdict_on(exhibit.name, reduced=False).violated == exhibit.violates
    sound = question(exhibit.sound, exhibit.sound_instance, exhibit.violates)
    assert check(sound, Effort(reduced=False)).verdict == "holds"


@every_exhibit
def test_the_run_that_shows_it_can_be_kept_in_a_file_and_replayed(exhibit, tmp_path):
    counterexample = verdict_on(exhibit.name).counterexample
    counterexample.write(tmp_path / "run.toml")
    outcome, again = play(counterexample), play(read_scenario(tmp_path / "run.toml"))
    assert exhibit.violates in {judge.name for judge in again.properties if judge.witness is not None}
    assert again.digest == outcome.digest


@every_exhibit
def test_it_is_a_few_lines_apart_from_the_sound_one(exhibit):
    changed = [line for line in difference(exhibit) if line.startswith(("+", "-"))]
    assert 1 <= len(changed) <= MOST_LINES, "\n".join(changed)


@every_exhibit
def test_its_mistake_is_one_clause_or_its_surroundings(exhibit):
    own = [name for name in vars(exhibit.cls) if not name.startswith("__")]
    assert len(own) == (0 if exhibit.mended is not None else 1)
    assert dissect(exhibit.cls).clauses.keys() == dissect(exhibit.original).clauses.keys()


@every_exhibit
def test_its_label_is_complete(exhibit):
    known = election_properties(has_terms=True) if exhibit.original.kind == "election" else mutex_properties()
    assert exhibit.violates in {judge.name for judge in known}
    assert exhibit.name.startswith(exhibit.original.name.partition("-election")[0])
    assert exhibit.bug.endswith(".") and exhibit.bug.count(". ") <= 1
    assert exhibit.happened.endswith(".")
    assert all(source.startswith("https://") for source in exhibit.source.split(", ") if source)
    assert not (exhibit.source and exhibit.happened == TEXTBOOK)


def row(exhibit):
    links = [f"[{number}]({source})" for number, source in enumerate(filter(None, exhibit.source.split(", ")), start=1)]
    happened = exhibit.happened if exhibit.happened != TEXTBOOK else ""
    return f"| `{exhibit.name}` | {exhibit.violates} | {exhibit.bug} | {' '.join([happened, *links]).strip()} |"


def test_the_page_lists_them_all():
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert rows == [row(exhibit) for exhibit in EXHIBITS.values()]
