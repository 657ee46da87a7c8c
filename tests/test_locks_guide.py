"""The programs in the guide to locks run as they stand."""

import doctest
import re
from pathlib import Path

import pytest

import habemus.sync
from habemus.service import engines

PAGE = (Path(__file__).parents[1] / "docs" / "locks.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(autouse=True)
def own_directory(tmp_path, monkeypatch):
    monkeypatch.setattr(engines, "default_directory", lambda group: tmp_path / "locks" / group)


@pytest.mark.parametrize("number", range(3))
def test_a_program_of_the_guide_runs(number, capsys):
    assert len(PROGRAMS) == 3
    exec(PROGRAMS[number], {"__name__": "__main__"})
    said = capsys.readouterr().out
    assert re.fullmatch([r"shipping with token \d{16}\nclean\n", r"slot 0\n", ""][number], said)


def test_the_example_at_the_head_of_sync_is_true():
    tried = doctest.testmod(habemus.sync)
    assert tried.attempted == 2 and not tried.failed
