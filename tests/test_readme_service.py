"""The service example of the README, copied into a file, works in three terminals."""

import re
import subprocess
import sys
from pathlib import Path
from threading import Timer

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
PATIENCE = 120


def test_one_of_three_schedules_and_another_goes_on_when_it_is_killed(tmp_path):
    (program,) = [text for text in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "habemus.join" in text]
    worker = tmp_path / "worker.py"
    worker.write_text(program.replace('join("orders")', f'join("orders", "file://{tmp_path}/locks")'))
    log = tmp_path / "log"
    with log.open("w") as file:
        workers = [subprocess.Popen([sys.executable, "-u", worker], stdout=file, stderr=file) for _ in range(3)]
    timer = Timer(PATIENCE, lambda: [each.kill() for each in workers])
    timer.start()
    try:
        for turn in (1, 2, 3):
            tokens: list[str] = []
            while len(tokens) < turn:
                assert timer.is_alive(), log.read_text()
                schedulers = re.findall(r"^\S+-(\d+) schedules with token (\d+)$", log.read_text(), re.MULTILINE)
                tokens = sorted({token for _, token in schedulers})
            leader = next(int(pid) for pid, token in schedulers if token == tokens[-1])
            next(each for each in workers if each.pid == leader).kill()
        assert log.read_text().count("shipping with token") == 3 and "Traceback" not in log.read_text()
    finally:
        timer.cancel()
        for each in workers:
            each.kill()
            each.wait()
