"""Real nodes under attack keep their promises: a minute each here, half an hour each in `make soak`."""

import subprocess
import sys
from pathlib import Path

import pytest

from . import SOAK, runs

ROOT = Path(__file__).parents[2]
SECONDS = runs(60, soak=1800)


# These seeds have most kinds of faults in their first minute.
@pytest.mark.parametrize(("subject", "nodes", "seed"), [("election", 5, 1049), ("lock", 3, 2356)])
def test_no_promise_is_broken(subject, nodes, seed):
    command = [sys.executable, "-m", "tests.soak", "--subject", subject, "--nodes", nodes, "--for", SECONDS]
    if not SOAK:
        command += ["--seed", seed]
    told = subprocess.run([*map(str, command)], cwd=ROOT, text=True, capture_output=True, timeout=2 * SECONDS + 600)
    print(told.stdout, told.stderr)
    assert told.returncode == 0
