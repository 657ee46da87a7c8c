"""Each program in examples/ runs as it stands, and says what it is meant to say."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SAYS = {
    "node_in_asyncio": r"process 3 leads\nprocess 3 has left, process 2 leads\n",
    "one_at_a_time": r"(worker \d+ ships order \d+\n){6}order 1 was shipped by token \d+; token \d+ is refused\n",
    "own_algorithm": r"simulated: process 8 leads after 56 messages\n"
    r"checked: holds, in 25 states\nchecked with a crash: violated: nobody ever took office .*\n",
    "sweep_notebook": r"chang-roberts +n =   8 +\d+\.\d messages(.*\n){12}",
    "trace_validation": r"recorded: 41 steps, .*\nforged: event 2 .* it would send Candidate\({'id': 3}\) to 4\n",
}


def test_every_example_is_run():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == SAYS.keys()


@pytest.mark.parametrize("name", SAYS)
def test_an_example_runs_and_says_what_it_shows(name, tmp_path):
    run = subprocess.run([sys.executable, EXAMPLES / f"{name}.py"], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert re.fullmatch(SAYS[name], run.stdout), run.stdout
