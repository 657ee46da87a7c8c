"""Data that is checked when it is made, whoever makes it first."""

import subprocess
import sys

RACE = """
import sys, threading
from habemus.scenario.checked import Checked

sys.setswitchinterval(1e-6)
THREADS = 8

class Part(Checked):
    size: int = 0

for _ in range(150):
    whole = type("Whole", (Checked,), {"__annotations__": {"a": Part, "b": list[Part], "c": dict[str, Part]}})
    parts = type("Parts", (Checked,), {"__annotations__": {"first": whole, "all": list[whole]}})
    together = threading.Barrier(THREADS)

    def make():
        together.wait()
        plain = {"a": {"size": 1}, "b": [{"size": 2}], "c": {"d": {}}}
        assert parts(plain, [plain]).first.a.size == 1

    threads = [threading.Thread(target=make) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print("made")
"""


def test_threads_that_make_the_first_of_a_class_at_the_same_time_all_get_theirs():
    racing = subprocess.run([sys.executable, "-c", RACE], capture_output=True, text=True)
    assert (racing.returncode, racing.stdout, racing.stderr) == (0, "made\n", "")
