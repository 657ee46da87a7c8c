"""What `import habemus` gives: the public names, typed, imported when they are first used."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import habemus
from habemus.scenario import ScenarioError

SOURCE = Path(habemus.__file__).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", habemus.__all__)
def test_every_public_name_is_there_and_listed(name):
    assert getattr(habemus, name) is not None and name in dir(habemus)


def test_type_checkers_see_the_same_names_at_the_same_places():
    block = next(node for node in ast.parse(SOURCE).body if isinstance(node, ast.If))
    typed = {
        alias.asname or alias.name: f"{node.module}:{alias.name}"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert typed == habemus._SOURCES
    assert {*typed, "__version__"} == set(habemus.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'elect'"):
        _ = habemus.elect


def test_importing_habemus_imports_no_driver():
    code = "import habemus, sys; print([m for m in sys.modules if m.startswith('habemus.')])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert set(ast.literal_eval(found)) <= {"habemus.compilation", "habemus.version"}


def test_the_examples_at_the_head_of_the_package_are_true():
    examples = re.findall(r">>> ([^\n]+)\n(?:    (<[^\n]+>)\n)?", habemus.__doc__)
    known: dict[str, object] = {}
    shown = 0
    for line, expected in examples:
        if not expected:
            exec(line, known)
        else:
            assert repr(eval(line, known)) == expected
            shown += 1
    assert shown == 2


def test_a_violation_is_named_in_the_line_of_a_verdict_and_of_an_outcome():
    verdict = habemus.check(habemus.Scenario("bully"), timing="async")
    assert repr(verdict).startswith("<Verdict on bully, n = 3: uniqueness violated: ") and "\n" not in repr(verdict)
    assert verdict.counterexample is not None
    outcome = habemus.replay(verdict.counterexample)
    assert re.fullmatch(r"<Outcome of bully, n = 3: .*; uniqueness violated; stability not promised.*>", repr(outcome))


def test_a_counterexample_is_not_simulated_by_mistake():
    verdict = habemus.check(habemus.Scenario("bully"), timing="async")
    assert verdict.counterexample is not None
    with pytest.raises(ScenarioError, match=r"habemus\.replay"):
        habemus.simulate(verdict.counterexample)


def test_the_line_of_an_outcome_says_what_was_not_promised_and_what_is_still_open():
    outcome = habemus.simulate(habemus.Scenario("invitation"))
    assert repr(outcome).endswith("; uniqueness, stability not promised and violated>")
    stopped = habemus.simulate(habemus.Scenario("chang-roberts", goal="termination"))
    assert repr(stopped).endswith("agreement, stability still open>")


def test_a_search_that_was_stopped_says_so():
    from habemus.checking.search.effort import Effort

    verdict = habemus.check(habemus.Scenario("maekawa"), entries=3, effort=Effort(states=1000))
    assert repr(verdict).startswith("<Verdict on maekawa, n = 3: incomplete after ")
