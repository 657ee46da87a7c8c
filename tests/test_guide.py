"""Every command line that the README and the guide show can be typed: its options, algorithms and names exist."""

import re
import shlex
from pathlib import Path

import pytest
import typer

from habemus.catalogue import find_algorithm
from habemus.cli import options as o
from habemus.cli.commands import command_line
from habemus.cli.compare import parse_parameters
from habemus.museum import EXHIBITS
from habemus.scenario import Scenario, named_scenarios, parse_scenario
from habemus.scenario.stack import build_stack
from habemus.words.language import choose_language, take_language
from habemus.words.terms import find_by_term

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```\w*\n(.*?)^```|^\n((?:    .*\n)+)", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"^ *(?:\$ )?(habemus [^\n]*)", re.MULTILINE)
INLINE = re.compile(r"(?<!`)`(habemus [^`]+)`")
SCENARIOS = named_scenarios()
PLACEHOLDERS = {"NAME", "FILE", "..."}


def shown_commands(page):
    """The command lines in blocks and in running text, without comments."""
    text = page.read_text(encoding="utf-8")
    blocks = "\n".join((fenced or indented) for fenced, indented in BLOCK.findall(text)).replace("\\\n", " ")
    rest = BLOCK.sub("\n", text)
    for line in [*LINE.findall(blocks), *INLINE.findall(rest)]:
        words = without_language(shlex.split(line, comments=True)[1:])
        if words:
            yield " ".join(words), words


def without_language(words):
    """The words of a command without the language, which is chosen before any command is read."""
    rest = take_language(words)
    choose_language("en")
    return rest


CHECKED = re.compile(
    r"^\| `([^`|]+ --[^`|]+)` \| [^|]*(?:holds|violated)", re.MULTILINE
)  # the table of what was checked
RAFT = "--set low=1 --set high=1 --set heartbeat=1"


def checked_commands():
    text = (ROOT / "docs" / "checking.md").read_text(encoding="utf-8")
    return {
        f"checking.md: check {line}": ["check", *line.replace("RAFT", RAFT).split()] for line in CHECKED.findall(text)
    }


HABEMUS = typer.main.get_command(command_line([]))  # with all commands
COMMANDS = {f"{page.name}: {line}": words for page in PAGES for line, words in shown_commands(page)}
COMMANDS |= checked_commands()


def parse(words):
    """The command that is meant and its parameters; typer refuses what it does not know."""
    command, name = HABEMUS, "habemus"
    if words[0].startswith("-"):
        return name, {}
    while hasattr(command, "commands"):
        name, *words = words
        assert name in command.commands, f"there is no command {name}"
        command = command.commands[name]
    return name, command.make_context(name, words).params if words else {}  # without arguments it is only mentioned


def is_own(name):
    return name in PLACEHOLDERS or name.endswith((".toml", ".json")) or ":" in name


def check_scenario(scenario, parameters):
    """Refuse a layer or a parameter that does not exist."""
    build_stack(o.apply_options(scenario, {key: parameters.get(key) for key in ("layer", "settings")}))


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_guide_can_be_typed(line):
    command, parameters = parse(COMMANDS[line])
    names = [name for name in parameters.get("names") or [parameters.get("name")] if name and not is_own(name)]
    if command in ("simulate", "check"):
        for name in names:
            check_scenario(o.find_scenario(name), parameters)
    elif command == "compare":
        for name, settings in parse_parameters(names, parameters.get("settings") or []).items():
            build_stack(Scenario(name, parameters=settings))
    elif command == "sweep":
        for name in names:
            assert name == "ring" or find_algorithm(name)
    elif command == "algorithms":
        for name in names:
            assert find_by_term(name) or find_algorithm(name)
    elif command == "scenario":
        assert set(names) <= set(SCENARIOS)
    elif command == "museum":
        assert set(names) <= set(EXHIBITS)


def test_the_guide_shows_commands_of_all_kinds():
    assert len(COMMANDS) > 60 and len(checked_commands()) > 50
    assert {parse(words)[0] for words in COMMANDS.values()} >= {"simulate", "check", "sweep", "compare", "node", "up"}


def test_the_scenario_file_of_the_guide_can_be_read():
    page = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
    [text] = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    scenario = parse_scenario(text.encode(), "scenarios.md")
    assert scenario.faults and scenario.layers and scenario.expect is not None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_and_pages_that_the_guide_names_exist(page):
    text = page.read_text(encoding="utf-8")
    named = re.findall(r"`((?:[a-z_]+/)+(?:[a-z_]+\.py)?)`", text)
    missing = [name for name in named if not (ROOT / name).exists() and not (ROOT / "src" / "habemus" / name).exists()]
    linked = re.findall(r"\]\(([^):#]+)\)", text)
    assert missing + [link for link in linked if not (page.parent / link).exists()] == []
