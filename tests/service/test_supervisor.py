"""A supervised command ends before the deadline of its lease."""

import subprocess
import sys

from shells import STUBBORN

DEADLINE = """
import sys, time
from time import CLOCK_BOOTTIME, clock_gettime
from concurrent.futures import Future
from habemus.service.blocking import Lease
from habemus.service.engine import Grant
from habemus.service.supervisor import Supervisor

class Leased(Grant):
    token = 1
    def __init__(self):
        self.deadline = clock_gettime(CLOCK_BOOTTIME) + float(sys.argv[1])
    def release(self): pass
    def confirm(self): return Future()

lease = Lease("a", Leased())
status = Supervisor(grace=float(sys.argv[2])).run(sys.argv[3:], {}, lease)
print(status, lease.remaining() > 0)
"""


IN_ANOTHER_THREAD = """
import os, signal, threading

def receive():
    while not os.path.exists(os.environ["READY"]):
        time.sleep(0.001)
    time.sleep(0.1)  # until the main thread sleeps
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

threading.Thread(target=receive, daemon=True).start()
"""


def test_a_signal_that_the_kernel_gives_to_another_thread_is_dealt_with_at_once(tmp_path, monkeypatch):
    monkeypatch.setenv("READY", f"{tmp_path}/ready")
    head, lease, tail = DEADLINE.partition("lease =")
    script = 'trap "exit 9" TERM; touch $READY; while :; do sleep 0.01; done'
    command = [sys.executable, "-c", head + IN_ANOTHER_THREAD + lease + tail, "1000", "100", "sh", "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as started:
        try:
            assert started.communicate(timeout=60)[0] == "9 True\n"
        finally:
            started.kill()


def run_until_deadline(ttl: float, grace: float, *command: str) -> list[str]:
    arguments = [sys.executable, "-c", DEADLINE, str(ttl), str(grace), *command]
    return subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=60).stdout.split()


def test_a_command_is_ended_before_the_deadline_whatever_it_does_with_term(tmp_path):
    stubborn = [sys.executable, "-c", STUBBORN, str(tmp_path)]
    assert run_until_deadline(3, 2, *stubborn) == ["76", "True"]
    assert run_until_deadline(100, 99.9, "sleep", "1000") == ["76", "True"]
    assert run_until_deadline(100, 1, "sh", "-c", "exit 3") == ["3", "True"]
