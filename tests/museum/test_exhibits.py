"""Every exhibit is caught by the checker in its small place, and what it is made from holds there."""

import json
from functools import cache
from pathlib import Path

import pytest

from habemus.catalogue import find_textbook_form
from habemus.checking.answer.check import check
from habemus.checking.answer.replay import play
from habemus.checking.search.effort import Effort
from habemus.cli import main
from habemus.cli.museum import build_question, build_scenario, find_difference
from habemus.museum import EXHIBITS, TEXTBOOK
from habemus.process import dissect
from habemus.properties import election_properties, lease_properties, mutex_properties, replication_properties
from habemus.scenario import read_scenario
from habemus.simulation import simulate

PAGE = Path(__file__).parents[2] / "docs" / "museum.md"
MOST_LINES = 10

CHECKED = {name: exhibit for name, exhibit in EXHIBITS.items() if exhibit.instance is not None}
SHOWN = {name: exhibit for name, exhibit in EXHIBITS.items() if exhibit.run is not None}

every_exhibit = pytest.mark.parametrize("exhibit", EXHIBITS.values(), ids=EXHIBITS)
every_checked_one = pytest.mark.parametrize("exhibit", CHECKED.values(), ids=CHECKED)
every_shown_one = pytest.mark.parametrize("exhibit", SHOWN.values(), ids=SHOWN)


@cache
def verdict_on(name, reduced=True):
    exhibit = EXHIBITS[name]
    return check(build_question(exhibit.cls, exhibit.instance, exhibit.violates), Effort(reduced=reduced))


def test_there_is_something_to_see():
    assert len(EXHIBITS) >= 25
    assert len([exhibit for exhibit in EXHIBITS.values() if exhibit.source]) >= 15


@every_checked_one
def test_the_checker_catches_it(exhibit):
    verdict = verdict_on(exhibit.name)
    assert (verdict.verdict, verdict.violated) == ("violated", exhibit.violates)
    assert verdict.witness


@every_checked_one
def test_what_it_is_made_from_holds_there(exhibit):
    for sound in {exhibit.sound, exhibit.original}:
        assert check(build_question(sound, exhibit.sound_instance, exhibit.violates)).verdict == "holds"


@every_checked_one
def test_every_interleaving_gives_the_same_verdict_as_the_reduced_search(exhibit):
    assert verdict_on(exhibit.name, reduced=False).violated == exhibit.violates
    sound = build_question(exhibit.sound, exhibit.sound_instance, exhibit.violates)
    assert check(sound, Effort(reduced=False)).verdict == "holds"


@every_checked_one
def test_the_run_that_shows_it_can_be_kept_in_a_file_and_replayed(exhibit, tmp_path, capsys):
    counterexample = verdict_on(exhibit.name).counterexample
    saved = str(tmp_path / "run.toml")
    counterexample.write(saved)
    outcome, again = play(counterexample), play(read_scenario(saved))
    assert exhibit.violates in {judge.name for judge in again.properties if judge.witness is not None}
    assert again.digest == outcome.digest
    promised = exhibit.violates in exhibit.cls.guarantees
    assert main(["simulate", saved]) == int(promised)  # as a person does, without --json
    out, err = capsys.readouterr()
    assert err == "" and (f"✗ {exhibit.violates}" if promised else "not promised") in out


@every_shown_one
def test_its_run_shows_it_and_what_it_is_made_from_does_not(exhibit):
    outcome = simulate(build_scenario(exhibit.cls, exhibit.run), digest=True)
    assert (exhibit.violates in outcome.violated and exhibit.violates in exhibit.cls.guarantees) or exhibit.run.above
    assert exhibit.violates not in simulate(build_scenario(exhibit.original, exhibit.run)).violated


@every_shown_one
def test_its_run_can_be_kept_in_a_file_and_replayed(exhibit, tmp_path, capsys):
    saved = str(tmp_path / "run.toml")
    assert main(["museum", exhibit.name, "--save", saved, "--json"]) == 1
    shown = json.loads(capsys.readouterr().out)
    assert simulate(read_scenario(saved), digest=True).digest == shown["digest"]
    assert main(["simulate", saved]) == 1  # as a person does
    assert f"✗ {exhibit.violates}" in capsys.readouterr().out


@every_exhibit
def test_it_is_shown_in_one_way(exhibit):
    assert (exhibit.instance is None) != (exhibit.run is None)


@every_exhibit
def test_it_is_a_few_lines_apart_from_the_sound_one(exhibit):
    changed = [line for line in find_difference(exhibit) if line.startswith(("+", "-"))]
    assert 1 <= len(changed) <= MOST_LINES, "\n".join(changed)


@every_exhibit
def test_its_mistake_is_one_clause_or_its_surroundings(exhibit):
    own = [name for name in vars(exhibit.cls) if not name.startswith("__")]
    assert len(own) == (0 if exhibit.mended is not None else 1)
    assert dissect(exhibit.cls).clauses.keys() == dissect(exhibit.original).clauses.keys()


@every_exhibit
def test_its_label_is_complete(exhibit):
    known = [*election_properties(has_terms=True), *mutex_properties(), *lease_properties(), *replication_properties()]
    assert exhibit.violates in {judge.name for judge in known}
    assert exhibit.name.startswith(find_textbook_form(exhibit.original).name.partition("-election")[0])
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
