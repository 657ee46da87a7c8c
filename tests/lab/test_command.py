"""`habemus lab` says where it is, opens the browser where there is one, and ends in order."""

import signal
import socket
import subprocess
import sys
from time import perf_counter

import pytest
from busy import slowdown
from labs import COMMAND, running_lab

from habemus.cli.lab import open_browser


def test_it_prints_its_address_and_ctrl_c_ends_it():
    with running_lab() as lab:
        assert lab.line.startswith(f"The lab is at http://127.0.0.1:{lab.port}/?token=")
        assert len(lab.token) >= 24
        assert lab.get("/api/catalogue").status == 200
        assert lab.end() == 0


@pytest.mark.timing
def test_the_first_page_is_there_within_a_second_of_the_command():
    taken = []
    for _ in range(3):
        begun = perf_counter()
        with running_lab() as lab:
            assert lab.get("/").status == 200
            taken.append((perf_counter() - begun) / slowdown())
    assert min(taken) < 1.0


def test_a_second_lab_has_another_token_and_another_port():
    with running_lab() as one, running_lab() as other:
        assert one.token != other.token and one.port != other.port


def test_a_port_that_is_taken_is_told_in_one_sentence():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run([*COMMAND, "lab", "--no-open", "--port", str(port)], capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == f"habemus: --port {port}: cannot listen there: Address already in use\n"


@pytest.mark.parametrize(
    "options", [["--port", "99999"], ["--port", "-1"], ["--port", "http"], ["--colour"], ["bully"]]
)
def test_a_mistake_is_told_in_one_sentence(options):
    done = subprocess.run([*COMMAND, "lab", "--no-open", *options], capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("habemus: ") and done.stderr.count("\n") == 1


def test_the_usual_port_being_taken_it_takes_another():
    command = [*COMMAND, "lab", "--no-open"]
    labs = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        addresses = {lab.stdout.readline().partition("?")[0] for lab in labs}
        assert len(addresses) == 2
    finally:
        for lab in labs:
            lab.send_signal(signal.SIGTERM)
            assert lab.wait(20) == 0
            lab.stdout.close()


def test_the_browser_is_opened_where_there_is_a_screen(monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    open_browser("http://127.0.0.1:1/")
    assert opened == []
    monkeypatch.setenv("DISPLAY", ":0")
    open_browser("http://127.0.0.1:1/")
    assert opened == ["http://127.0.0.1:1/"]
