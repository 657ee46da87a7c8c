"""`habemus node` says what is wrong in one sentence, and takes every option from the environment, too."""

import re

import pytest
import typer

from habemus.cli import app, main

TWO = "1=127.0.0.1:7001,2=127.0.0.1:7002"

MISTAKES = [
    (["--id", "1"], "--peers: say who the members are"),
    (["--peers", TWO], "--id: say which of the members this is: 1, 2"),
    (["--id", "3", "--peers", TWO], "--id 3: not among the members in --peers, which are 1, 2"),
    (["--id", "1", "--peers", "1=127.0.0.1"], "expected HOST:PORT"),
    (["--id", "1", "--peers", "one=127.0.0.1:7001"], "expected ID=HOST:PORT with a number"),
    (["--id", "1", "--peers", "1=127.0.0.1:70000"], "expected HOST:PORT"),
    (["--id", "1", "--peers", "1=::1:7001"], "[::1]:7001"),
    (["--id", "1", "--peers", "1=127.0.0.1:7001,1=127.0.0.1:7002"], "process 1 is there twice"),
    (["--id", "1", "--peers", "1=127.0.0.1:7001,2=127.0.0.1:7001"], "127.0.0.1:7001 is there twice"),
    (["--id", "1", "--peers", "1=192.0.2.1:7001"], "give --key-file FILE"),
    (["--id", "1", "--peers", TWO, "--listen", "0.0.0.0:7001"], "0.0.0.0:7001 can be reached from other machines"),
    (["--id", "1", "--peers", TWO, "--listen", "[::]:7001"], "[::]:7001 can be reached from other machines"),
    (["--id", "1", "--peers", TWO, "--key-file", "nowhere"], "--key-file nowhere cannot be read"),
    (["--id", "1", "--peers", TWO, "--tls-cert", "c"], "belong together"),
    (["--id", "1", "--peers", TWO, "--algorithm", "buly"], "did you mean bully?"),
    (["--id", "1", "--peers", TWO, "--set", "speed=3"], "has no such parameter"),
    (["--id", "1", "--peers", TWO, "--log", "xml"], "expected text or json"),
    (["--id", "1", "--peers", TWO, "--http", "here"], "--http here: expected HOST:PORT"),
    (["--id", "1", "--peers", TWO, "--think", "constant:5"], "bully is not a mutex"),
]


@pytest.mark.parametrize(("options", "sentence"), MISTAKES, ids=[m[1][:30] for m in MISTAKES])
def test_a_mistake_is_one_sentence_and_status_2(options, sentence, capsys, tmp_path):
    assert main(["node", "--data", str(tmp_path / "data"), *options]) == 2
    said = capsys.readouterr()
    assert sentence in said.err
    assert said.err.count("\n") == 1 and "Traceback" not in said.err
    assert not said.out


def test_a_key_that_is_too_short_is_refused(capsys, tmp_path):
    key = tmp_path / "key"
    key.write_text("secret\n")
    assert main(["node", "--id", "1", "--peers", TWO, "--key-file", str(key)]) == 2
    assert "has 6 bytes: expected at least 16" in capsys.readouterr().err


def test_every_option_has_its_environment_variable():
    command = typer.main.get_command(app).commands["node"]
    options = [option for option in command.params if option.name != "help"]
    assert len(options) > 20
    for option in options:
        assert option.envvar == "HABEMUS_" + re.sub("[-]", "_", option.opts[0].removeprefix("--")).upper()


def test_the_environment_is_heeded(monkeypatch, capsys):
    monkeypatch.setenv("HABEMUS_PEERS", TWO)
    monkeypatch.setenv("HABEMUS_ID", "7")
    assert main(["node"]) == 2
    assert "--id 7: not among the members" in capsys.readouterr().err
