"""Compiled or interpreted, whatever the hash seed: the same run to the last bit."""

import os
import subprocess
import sys

import pytest

from habemus.catalogue import algorithm_names
from habemus.compilation import is_compiled
from habemus.scenario import named_scenarios

DIGESTS = """
from habemus.catalogue import algorithm_names
from habemus.compilation import is_compiled
from habemus.scenario import *
from habemus.simulation import simulate
print("compiled" if is_compiled() else "interpreted")
runs = [scenario for scenario in named_scenarios().values()]
ring = TopologySpec(n=40)
flaky = [Crash(40, 8), Pause(50, 3), Resume(90, 3), Recover(150, 8), Skew(160, 7, 5), Drift(0, 2, 1.25)]
parted = [Crash(40, 8), Partition(60, [[1, 2, 3], [4, 5, 6, 7]]), Heal(200), Recover(250, 8)]
for seed in range(5):
    for network in (Network("uniform:1:10"), Network("lognormal:5:1"), Network("exponential:9", loss=0.05)):
        runs.append(Scenario("chang-roberts", topology=ring, network=network, seed=seed))
    runs.append(Scenario("bully", network=Network("uniform:1:10", duplication=0.2), seed=seed, faults=flaky))
    unordered = Network("uniform:1:40", fifo=False)
    runs.append(Scenario("bully-stable", network=unordered, seed=seed, faults=parted))
for name in algorithm_names():
    for seed in range(3):
        runs.append(Scenario(name, topology=TopologySpec(n=12), network=Network("uniform:1:9"), seed=seed, until=2000))
for scenario in runs:
    outcome = simulate(scenario, digest=True)
    print(scenario.algorithm, scenario.seed, outcome.leader, outcome.messages, outcome.time, outcome.digest)
"""


def digests(compiled: str, hash_seed: str) -> tuple[str, list[str]]:
    environment = {**os.environ, "HABEMUS_COMPILED": compiled, "PYTHONHASHSEED": hash_seed}
    run = subprocess.run([sys.executable, "-c", DIGESTS], capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stderr
    kernel, *lines = run.stdout.splitlines()
    return kernel, lines


@pytest.fixture(scope="module")
def interpreted() -> list[str]:
    kernel, lines = digests("0", "0")
    assert kernel == "interpreted"
    assert len(lines) == 25 + len(named_scenarios()) + 3 * len(algorithm_names())
    assert len(set(lines)) > 60
    return lines


@pytest.mark.parametrize("compiled, hash_seed", [("0", "1"), ("", "0"), ("", "4242")])
def test_same_digest_compiled_and_interpreted_under_every_hash_seed(interpreted, compiled, hash_seed):
    kernel, lines = digests(compiled, hash_seed)
    assert kernel == ("interpreted" if compiled == "0" or not is_compiled() else "compiled")
    assert lines == interpreted


def test_ci_tests_the_compiled_kernel():
    if os.environ.get("CI"):
        assert is_compiled()


def test_insisting_on_a_compiled_kernel_is_honoured_or_refused():
    code = "from habemus.compilation import is_compiled; print(is_compiled())"
    insisting, free = (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "HABEMUS_COMPILED": wish}
        )
        for wish in ("1", "")
    )
    if free.stdout == "True\n":
        assert insisting.stdout == "True\n"
    else:
        assert insisting.returncode != 0 and "installed without a C compiler" in insisting.stderr
