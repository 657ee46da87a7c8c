"""The program in the guide to groups works, started three times: one leads, and another one when it is killed."""

import re
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path

PAGE = (Path(__file__).parents[1] / "docs" / "groups.md").read_text(encoding="utf-8")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def test_the_program_of_the_guide_leads_in_one_of_three_terminals_and_then_in_another(tmp_path):
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    for number, port in zip((7001, 7002, 7003), free_ports(3), strict=True):
        program = program.replace(str(number), str(port))
    program = program.replace("VOTERS)", f"VOTERS, data={str(tmp_path)!r})")
    terminals = [subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    try:
        tokens = []
        for _ in range(2):
            leads = wait_for_any(terminals)
            tokens.append(int(leads.stdout.readline().removeprefix("this process leads, with token ")))
            leads.send_signal(signal.SIGKILL)
            terminals.remove(leads)
            leads.communicate()
        assert tokens[0] < tokens[1]
    finally:
        for terminal in terminals:
            terminal.kill()
            terminal.communicate()


def wait_for_any(programs):
    """The first that says something."""
    ready, _, _ = select.select([program.stdout for program in programs], [], [], 60)
    return next(program for program in programs if program.stdout in ready)
