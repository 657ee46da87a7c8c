"""Names resolve to algorithms; a name that does not gets one sentence and, where there is one, the nearest name."""

import pytest

from habemus.catalogue import (
    UnknownAlgorithmError,
    algorithm_names,
    find_algorithm,
    find_parent,
    find_textbook_form,
    find_variant,
    list_modules,
)
from habemus.election.bully import Bully
from habemus.election.chang_roberts import ChangRoberts
from habemus.process import Election, dissect
from habemus.process.source import documentation


def refusal(name: str) -> str:
    with pytest.raises(UnknownAlgorithmError) as caught:
        find_algorithm(name)
    said = str(caught.value)
    assert "\n" not in said and "Traceback" not in said
    return said


def test_the_names_of_the_catalogue_resolve():
    assert find_algorithm("chang-roberts") is ChangRoberts
    assert find_algorithm("bully") is Bully


@pytest.mark.parametrize("name", algorithm_names())
def test_every_algorithm_has_what_the_catalogue_shows(name):
    cls = find_algorithm(name)
    assert cls.name == name
    assert cls.kind in ("election", "mutex", "detector")
    assert documentation(cls) and cls.topology and cls.model
    assert dissect(cls).clauses
    assert all(bound.formula and bound.messages(8, 8) > 0 for bound in cls.bounds)


@pytest.mark.parametrize(
    ("variant", "parent", "textbook"),
    [
        ("bully-weighted", "bully", "bully"),
        ("bully-stable", "bully-weighted", "bully"),
        ("coordinator-elected", "coordinator-lease", "coordinator"),
        ("raft-election-steady", "raft-election", "raft-election"),
        ("bully", None, "bully"),
    ],
)
def test_a_variant_knows_what_it_is_a_variant_of(variant, parent, textbook):
    cls = find_algorithm(variant)
    assert getattr(find_parent(cls), "name", None) == parent
    assert find_textbook_form(cls).name == textbook


@pytest.mark.parametrize(
    ("name", "once_set", "variant"),
    [
        ("bully", "stable", "bully-stable"),
        ("bully", "weight", "bully-weighted"),
        ("bully", "candidates", "bully-weighted"),
        ("coordinator", "elected", "coordinator-elected"),
        ("coordinator", "fencing", "coordinator-lease"),
        ("token-ring", "regenerate", "token-ring-regenerating"),
        ("raft-election", "check_quorum", "raft-election-steady"),
        ("bully", "nonsense", None),
        ("bully", "height", None),
    ],
)
def test_an_option_that_became_a_variant_is_found(name, once_set, variant):
    assert find_variant(find_algorithm(name), once_set) == variant


def test_names_are_sorted_and_follow_their_files():
    assert algorithm_names() == sorted(algorithm_names())
    assert list_modules()["chang-roberts"] == "habemus.election.chang_roberts"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("bulli", "bully"), ("Bully", "bully"), ("chang-robert", "chang-roberts"), ("changroberts", "chang-roberts")],
)
def test_the_nearest_name_is_suggested(typed, meant):
    assert refusal(typed) == f"there is no algorithm {typed!r}; did you mean {meant}?"


def test_a_name_like_no_other_gets_the_list():
    said = refusal("$$$$")
    assert "there are: " in said and "bully" in said and "chang-roberts" in said


def test_module_and_class():
    assert find_algorithm("habemus.election.bully:Bully") is Bully
    assert find_algorithm(f"{__name__}:Mine") is Mine


class Mine(Election):
    name = "mine"


GOOD = """
from habemus.process import Election, upon_start

class Own(Election):
    name = "own"

    @upon_start
    def begin(self):
        self.elect(self.id)
"""


def test_file_and_class(tmp_path):
    file = tmp_path / "own_election.py"
    file.write_text(GOOD)
    cls = find_algorithm(f"{file}:Own")
    assert issubclass(cls, Election) and cls.name == "own"


def test_a_module_in_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "own_module.py").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("")
    assert find_algorithm("own_module:Own").name == "own"


def test_a_class_that_is_not_there_gets_those_that_are(tmp_path):
    file = tmp_path / "own_again.py"
    file.write_text(GOOD)
    said = refusal(f"{file}:Owm")
    assert "has no process class 'Owm'" in said and "it has: " in said and "Own" in said


def test_what_is_no_process_is_refused():
    assert "has no process class 'Path'" in refusal("pathlib:Path")


def test_missing_modules_and_files_are_one_sentence(tmp_path):
    assert "cannot be imported" in refusal("no_such_module:Thing")
    assert "there is no file" in refusal(f"{tmp_path}/none.py:Thing")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("class Broken(", "SyntaxError"),
        ("import not_there_at_all", "cannot be imported"),
        ("raise SystemExit(3)", "SystemExit"),
        ("raise ValueError('two\\nlines')", "ValueError: two lines"),
    ],
)
def test_a_module_that_breaks_is_one_sentence(tmp_path, text, expected):
    file = tmp_path / "broken_election.py"
    file.write_text(text)
    said = refusal(f"{file}:Broken")
    assert expected in said and "broken_election.py" in said


def test_a_class_that_breaks_a_rule_is_one_sentence_with_its_line(tmp_path):
    file = tmp_path / "unruly.py"
    file.write_text("from habemus.process import Election\n\nclass Unruly(Election):\n    best: int\n")
    assert refusal(f"{file}:Unruly").startswith("Unruly (unruly.py:4) ")
