"""`habemus up` opens the page on its cluster, and nothing of either is left when it ends."""

import signal
import socket
import subprocess

import pytest
from labs import COMMAND, Visitor, descendants, eventually, is_alive
from test_live import Stream

from habemus.cli import main

UP = [*COMMAND, "up", "--no-open"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_page_shows_the_cluster_and_however_up_ends_no_process_is_left(number):
    up = subprocess.Popen([*UP, "-n", "3", "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        line = up.stdout.readline()
        assert line.startswith("The page is at http://127.0.0.1:")
        page = Visitor(line.split()[-1])
        assert page.get("/api/catalogue").json["cluster"]
        assert page.get("/api/live").status == 403
        stream = Stream(page)
        stream.until(lambda status: status["leader"] == 3)
        assert page.trusted("/api/live/kill/3").status == 200
        stream.until(lambda status: status["leader"] == 2)
        assert "was started by `habemus up`" in page.trusted("/api/live/stop").error
        stream.close()
        children = descendants(up.pid)
        assert len(children) >= 4
    finally:
        up.send_signal(number)
        status = up.wait(30)
        up.stdout.close()
    assert status == (-number if number == signal.SIGKILL else 0)
    assert eventually(lambda: not any(map(is_alive, children)))


def test_it_ends_by_itself_after_the_time_that_was_asked_for():
    done = subprocess.run([*UP, "-n", "2", "--port", "0", "--for", "1"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.startswith("The page is at") and done.stderr == ""


def test_a_port_that_is_taken_is_told_in_one_sentence():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run([*UP, "-n", "2", "--port", str(port)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == f"habemus: --port {port}: cannot listen there: Address already in use\n"


def test_a_cluster_too_large_for_the_page_has_none_and_says_so(monkeypatch, capsys):
    monkeypatch.setattr("habemus.cli.up.MOST_ON_PAGE", 1)
    assert main(["up", "-n", "2", "--no-open", "--for", "1"]) == 0
    assert capsys.readouterr().out.startswith("There is no page: it cannot show so many")
