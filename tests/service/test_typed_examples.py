"""The examples of the service, in files and in the guides, pass the strict type checkers."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/locks.md", "docs/groups.md")


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """The programs of the guides as files, and the examples."""
    folder = tmp_path_factory.mktemp("typed")
    number = 0
    for page in PAGES:
        for text in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL):
            if "habemus" in text and "join(" in text:
                number += 1
                (folder / f"example_{number}.py").write_text(text)
    assert number >= 4
    return folder


def run(*command):
    checked = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, cwd=ROOT)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_mypy_is_content(programs):
    run("mypy", "--strict", *map(str, sorted(programs.iterdir())))


def test_pyright_is_content(programs):
    run("pyright", "--pythonpath", sys.executable, *map(str, sorted(programs.iterdir())), "examples/service")
