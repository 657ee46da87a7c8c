"""The files in examples/deploy are valid, name commands and options that there are, and metrics that a process has."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import typer
from prometheus_client import CollectorRegistry, generate_latest

import habemus.sync
from habemus.cli.commands import command_line
from habemus.service.errors import EXPIRED
from habemus.service.metrics import GroupMetrics

DEPLOY = Path(__file__).parents[1] / "examples" / "deploy"
HABEMUS = typer.main.get_command(command_line([]))


def parse(line: str) -> dict[str, object]:
    """What the command line makes of a command, without running it."""
    _, name, *arguments = shlex.split(line)
    context = HABEMUS.commands[name].make_context(name, arguments)
    return {**context.params, "called": name}


def commands_in_compose() -> list[str]:
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    return [line.replace("$$", "$") for line in re.findall(r"^ +command: (habemus .*)$", text, re.MULTILINE)]


def test_the_unit_is_valid(tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd is not here")
    unit = tmp_path / "habemus-voter.service"
    text = (DEPLOY / unit.name).read_text(encoding="utf-8")
    unit.write_text(text.replace("/opt/habemus/bin/habemus", "/bin/true"))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
    assert done.returncode == 0 and unit.name not in done.stderr, done.stderr


def test_the_unit_starts_a_voter():
    line = re.search(r"ExecStart=\S+/(habemus .*)", (DEPLOY / "habemus-voter.service").read_text(encoding="utf-8"))[1]
    given = parse(line)
    assert given["called"] == "serve" and given["key_file"] == "%d/key" and given["data"] == "%S/habemus"


def test_compose_starts_three_voters_and_two_commands_of_one_group():
    yaml = pytest.importorskip("yaml")
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]
    assert set(services) == {"voter1", "voter2", "voter3", "scheduler1", "scheduler2"}
    for name in ("voter1", "voter2", "voter3"):
        assert services[name]["hostname"] == name and services[name]["volumes"] == [f"{name}:/data"]
        assert f"--id {name} " in services[name]["command"] and "dockerfile_inline" in services[name]["build"]
    assert services["scheduler1"]["command"] == services["scheduler2"]["command"]


def test_the_commands_of_compose_are_understood():
    given = [parse(line) for line in commands_in_compose()]
    assert [each["called"] for each in given] == ["serve", "serve", "serve", "run"]
    assert {each["where"] for each in given} == {"voter1:7001,voter2:7001,voter3:7001"}
    assert {each["group"] for each in given} == {"orders"}


def test_the_dashboard_asks_for_metrics_that_there_are(tmp_path):
    board = json.loads((DEPLOY / "grafana-dashboard.json").read_text(encoding="utf-8"))
    asked = set(re.findall(r"habemus_\w+", json.dumps(board)))
    with habemus.sync.join("orders", f"file://{tmp_path}/locks") as group:
        with pytest.raises(habemus.LeaseLost), group.lock("lost") as lost:
            lost.grant.lose(EXPIRED)
        with group.lock("a") as lease, group.lead("b"):
            lease.grant.deadline = 1e12
            while not group.view.locks:
                pass
            registry = CollectorRegistry()
            registry.register(GroupMetrics(group.membership))
            told = set(re.findall(r"^(habemus_\w+)", generate_latest(registry).decode(), re.MULTILINE))
    assert len(asked) >= 10 and not asked - told
    panels = [panel["gridPos"] for panel in board["panels"]]
    corners = {(place["x"], place["y"]) for place in panels}
    assert len(corners) == len(panels) and len({panel["id"] for panel in board["panels"]}) == len(panels)
