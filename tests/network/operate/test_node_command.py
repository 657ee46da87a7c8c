"""`habemus node` says what is wrong in one sentence, and takes every option from the environment, too."""

import os
import re
import socket
from types import SimpleNamespace

import pytest
import typer

from habemus.cli import main
from habemus.cli.commands import command_line
from habemus.network.operate.options import NodeOptions
from habemus.network.operate.output import Output
from habemus.network.operate.service import Service
from habemus.scenario import Scenario

TWO = "1=127.0.0.1:7001,2=127.0.0.1:7002"

MISTAKES = [
    (["--id", "1"], "--peers: list the members"),
    (["--peers", TWO], "--id: say which of the members this is: 1, 2"),
    (["--id", "3", "--peers", TWO], "--id 3: not one of the members in --peers, which are 1, 2"),
    (["--id", "1", "--peers", "1=127.0.0.1"], "expected HOST:PORT"),
    (["--id", "1", "--peers", "one=127.0.0.1:7001"], "expected ID=HOST:PORT with a number"),
    (["--id", "1", "--peers", "1=127.0.0.1:70000"], "expected HOST:PORT"),
    (["--id", "1", "--peers", "1=::1:7001"], "[::1]:7001"),
    (["--id", "1", "--peers", "1=127.0.0.1:7001,2=db..example:7002"], "expected HOST:PORT"),
    (["--id", "1", "--peers", "1=127.0.0.1:7001,1=127.0.0.1:7002"], "process 1 is listed twice"),
    (["--id", "1", "--peers", "1=127.0.0.1:7001,2=127.0.0.1:7001"], "127.0.0.1:7001 is listed twice"),
    (["--id", "1", "--peers", "1=192.0.2.1:7001"], "give --key-file FILE"),
    (["--id", "1", "--peers", TWO, "--listen", "0.0.0.0:7001"], "0.0.0.0:7001 can be reached from other machines"),
    (["--id", "1", "--peers", TWO, "--listen", "[::]:7001"], "[::]:7001 can be reached from other machines"),
    (["--id", "1", "--peers", TWO, "--key-file", "nowhere"], "--key-file nowhere cannot be read"),
    (["--id", "1", "--peers", TWO, "--tls-cert", "c"], "belong together"),
    (["--id", "1", "--peers", TWO, "--algorithm", "buly"], "did you mean bully?"),
    (["--id", "1", "--peers", TWO, "--set", "speed=3"], "has no such parameter"),
    (["--id", "1", "--peers", TWO, "--expect", "2"], "--peers lists all members"),
    (["--id", "1", "--peers", TWO, "--zeroconf"], "one of the three"),
    (["--id", "-1", "--zeroconf", "--listen", "127.0.0.1:7001"], "--id -1: expected a number from 0 to"),
    (["--id", "1", "--peers", f"1=127.0.0.1:7001,{2**63}=127.0.0.1:7002"], "the highest id is 9223372036854775807"),
    (["--id", "1", "--peers", TWO, "--trace", "/dev/full"], "the --trace cannot be written: No space left on device"),
    (["--id", "1", "--peers", TWO, "--set", "heartbeat=200"], "high=300, heartbeat=200 gives a peer up -50"),
    (["--id", "1", "--peers", TWO, "--set", "low=400"], "high=300, heartbeat=75 has all members act at the same time"),
    (
        ["--id", "1", "--peers", TWO, "--set", "low=300", "--set", "high=300"],
        "expected low below high; set these times",
    ),
    (["--id", "1", "--peers", TWO, "--layer", "heartbeat", "--set", "heartbeat.timeout=5"], "expected at least 10 ms"),
    (["--id", "1", "--peers", TWO, "--log", "xml"], "expected text or json"),
    (["--id", "1", "--peers", TWO, "--http", "here"], "--http here: expected HOST:PORT"),
    (["--id", "1", "--peers", TWO, "--think", "constant:5"], "raft-election-steady is not a mutex"),
    (["--id", "1", "--peers", TWO, "--call-after", "soon"], "--call-after soon: delay 'soon' is not known"),
    (["--id", "1", "--peers", TWO, "--algorithm", "lamport", "--call-after", "unit"], "lamport is not an election"),
    (["--id", "1", "--peers", TWO, "--report-every", "-1"], "--report-every -1: expected seconds, or 0"),
    (["--id", "1", "--peers", TWO, "--report-every", "nan"], "--report-every nan: expected seconds, or 0"),
    (["--id", "1", "--peers", TWO, "--wait", "0"], "--wait 0: expected seconds"),
    (["--id", "1", "--peers", TWO, "--stall", "9"], "--stall 9: expected at least 10 ms"),
    (["--id", "1", "--peers", TWO, "--trace", "no/where"], "--trace no/where cannot be written: No such file"),
    (["--registry", "127.0.0.1:1", "--listen", "127.0.0.1:2", "--expect", "0"], "--expect 0: expected at least 1"),
    (["--id", "1", "--peers", "1=no.such.host.invalid:7001"], "no.such.host.invalid:7001"),
    (["--id", "4", "--peers", "dns:localhost:7001", "--listen", "127.0.0.1:7001"], "--id 4: a DNS name lists no ids"),
    (["--zeroconf", "--listen", "0.0.0.0:7001"], "--listen 0.0.0.0:7001: peers cannot reach this process there"),
    (["--registry", "127.0.0.1:1", "--listen", "[::]:7001"], "--listen [::]:7001: peers cannot reach this process"),
    (["--zeroconf", "--listen", "127.0.0.1:0"], "--listen 127.0.0.1:0: peers cannot reach this process there"),
    (["--peers", "dns:localhost:1", "--advertise", "0.0.0.0:1"], "--advertise 0.0.0.0:1: peers cannot reach"),
    (["--zeroconf", "--listen", "127.0.0.1:7001"], "--expect: say how many members the group has"),
    (["--peers", "dns:localhost:7001", "--listen", "127.0.0.1:7001"], "--expect: say how many members the group has"),
    (["--registry", "127.0.0.1:7001", "--listen", "127.0.0.1:7001"], "--expect: say how many members the group has"),
    (["--zeroconf", "--listen", "localhost:7001", "--expect", "3"], "--zeroconf: localhost is not an IP address"),
]


@pytest.mark.parametrize(("options", "sentence"), MISTAKES, ids=[m[1][:30] for m in MISTAKES])
def test_a_mistake_is_one_sentence_and_status_2(options, sentence, capsys, tmp_path):
    assert main(["node", "--data", str(tmp_path / "data"), *options]) == 2
    said = capsys.readouterr()
    assert sentence in said.err
    assert said.err.count("\n") == 1 and "Traceback" not in said.err
    assert not said.out


def test_a_port_in_use_is_named(capsys, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        used = f"127.0.0.1:{taken.getsockname()[1]}"
        for options in (["--peers", f"1={used}"], ["--peers", "1=127.0.0.1:0", "--http", used]):
            assert main(["node", "--id", "1", "--data", str(tmp_path), *options]) == 2
            said = capsys.readouterr().err.splitlines()[-1]
            assert used in said and "Address already in use" in said and "Errno" not in said


@pytest.mark.parametrize("seconds", ["-3", "0", "nan", "inf"])
def test_up_lasts_for_some_time_or_says_so(seconds, capsys):
    assert main(["up", "--for", seconds]) == 2
    said = capsys.readouterr().err
    assert f"--for {seconds}: expected seconds" in said and said.count("\n") == 1


def test_a_key_that_is_too_short_is_refused(capsys, tmp_path):
    key = tmp_path / "key"
    key.write_text("secret\n")
    key.chmod(0o600)
    assert main(["node", "--id", "1", "--peers", TWO, "--key-file", str(key)]) == 2
    assert "has 6 bytes: expected at least 16" in capsys.readouterr().err


def test_a_token_is_of_no_use_without_http(capsys):
    assert main(["node", "--id", "1", "--peers", TWO, "--http-token-file", "token"]) == 2
    assert "--http-token-file token: nobody can send the token without --http" in capsys.readouterr().err


def test_every_option_has_its_environment_variable():
    command = typer.main.get_command(command_line(["node"])).commands["node"]
    options = [option for option in command.params if option.name != "help"]
    assert len(options) > 20
    for option in options:
        assert option.envvar == "HABEMUS_" + re.sub("[-]", "_", option.opts[0].removeprefix("--")).upper()


def test_the_environment_is_heeded(monkeypatch, capsys):
    monkeypatch.setenv("HABEMUS_PEERS", TWO)
    monkeypatch.setenv("HABEMUS_ID", "7")
    assert main(["node"]) == 2
    assert "--id 7: not one of the members" in capsys.readouterr().err


def test_a_node_whose_reports_nobody_reads_goes_on():
    reader, writer = os.pipe()
    os.close(reader)
    try:
        service = Service(NodeOptions(scenario=Scenario("bully"), id=1, peers=TWO))
        service.output = Output(writer, lambda lines: b"")
        service.node = SimpleNamespace(id=1, stack=SimpleNamespace(election=None, mutex=None))
        service.report("leader")
        assert not service.reports_read
    finally:
        os.close(writer)
