"""The course pages: every command in them runs, in both languages, and every link leads somewhere."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from threading import Timer

import pytest

import habemus.lab
from habemus.cli import main
from habemus.grading.exercise import exercise_names
from habemus.scenario import named_scenarios
from habemus.words.language import choose_language

ROOT = Path(__file__).parents[1]
PAGES = {"en": ROOT / "docs" / "course.md", "pt": ROOT / "docs" / "course.pt.md"}
LINK = r"\[\w+\]\(http://127\.0\.0\.1:8114/#(\w+)=([\w-]+)(?::\d+)?\)"
ROW = re.compile(rf"^\| (.+?) \| `(habemus [^`]+)` \| {LINK} \|$", re.MULTILINE)
EXERCISE = re.compile(r"^\| (.+?) \| `(habemus exercise [^`]+)` \|$", re.MULTILINE)
ENGLISH = re.compile(
    r"\b(the|of|and|at|is|are|was|with|from|which|its|nobody|who|while|ticks?|messages?)\b", re.IGNORECASE
)
HABEMUS = [sys.executable, "-c", "import sys; from habemus.cli import main; sys.exit(main())"]


def rows(language):
    return ROW.findall(PAGES[language].read_text(encoding="utf-8"))


def exercises(language):
    return EXERCISE.findall(PAGES[language].read_text(encoding="utf-8"))


COMMANDS = sorted(
    {(language, command) for language in PAGES for _, command, *_ in [*rows(language), *exercises(language)]}
)


@pytest.fixture(autouse=True)
def english_afterwards(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # an exercise writes a file to begin with
    yield
    choose_language("en")


@pytest.mark.parametrize(("language", "command"), COMMANDS, ids=[f"{where}-{line}" for where, line in COMMANDS])
def test_a_command_of_the_course_runs(language, command, capsys):
    status = main(shlex.split(command)[1:])
    said = capsys.readouterr()
    assert status in (0, 1) and (status == 0 or shows_a_violation(command)), said.err
    assert said.out.strip()
    if language == "pt":
        prose = "\n\n".join([part for part in before_the_source(said.out) if not names_people(part)])
        assert "--language pt" in command and not ENGLISH.search(prose), ENGLISH.findall(prose)


def before_the_source(said):
    """The paragraphs of a report; of an algorithm in full, those before its clauses."""
    return re.split(r"\n\s*\n", said.partition("\ncláusula ")[0])


def names_people(paragraph):
    """Whether it names the sources of an essay, or what else an algorithm is called, in whatever language."""
    return re.search(r"\b(19|20)\d\d\b|^também chamado de", paragraph)


def shows_a_violation(command):
    _, verb, name, *_ = command.split()
    scenario = named_scenarios().get(name)
    return verb == "check" or (scenario is not None and scenario.expect.violated)


def test_both_pages_have_the_same_rows():
    plain = [(command.removesuffix(" --language pt"), kind, name) for _, command, kind, name in rows("pt")]
    assert [(command, kind, name) for _, command, kind, name in rows("en")] == plain
    assert len(plain) > 60
    lines = [len(re.findall(r"^\| ", page.read_text(encoding="utf-8"), re.MULTILINE)) for page in PAGES.values()]
    assert lines[0] == lines[1]


def test_both_pages_list_every_exercise():
    listed = [[command.split()[2] for _, command in exercises(language)] for language in PAGES]
    assert listed[0] == listed[1] and sorted(listed[0]) == exercise_names()


def test_every_link_into_the_lab_leads_somewhere():
    static = Path(habemus.lab.__file__).parent / "static"
    texts = [file.read_text(encoding="utf-8") for file in (static / "stories").glob("*.js")]
    named = [re.search(r'name: "([\w-]+)"', text) for text in texts if "steps:" in text]
    stories = {found[1] for found in named if found is not None}  # the story of Live has no name, and no link
    assert len(stories) > 5
    modes = {"check", "measure"}
    known = {"story": stories, "scenario": set(named_scenarios()), "mode": modes}
    assert [(kind, name) for _, _, kind, name in rows("en") if name not in known[kind]] == []


def test_the_three_terminals_of_task_2_elect_a_coordinator(tmp_path):
    """With other ports, and a call after less than a second; else as they stand."""
    from socket import socket

    with socket() as one, socket() as two, socket() as three:
        for each in (one, two, three):
            each.bind(("127.0.0.1", 0))
        ports = {str(7000 + k): str(each.getsockname()[1]) for k, each in enumerate((one, two, three), 1)}
    lines = re.findall(r"^habemus (node .*)$", PAGES["pt"].read_text(encoding="utf-8"), re.MULTILINE)
    assert len(lines) == 3
    nodes = []
    patience = Timer(60, lambda: [node.terminate() for node in nodes])  # then their output ends
    patience.start()
    try:
        for line in lines:
            for port, free in ports.items():
                line = line.replace(f":{port}", f":{free}")
            line = line.replace("30000:60000", "300:600").replace("/tmp/habemus-", f"{tmp_path}/")
            nodes.append(
                subprocess.Popen([*HABEMUS, *line.split(), "--log", "json"], stdout=subprocess.PIPE, text=True)
            )
        for node in nodes:
            assert any(json.loads(said)["leader"] == 3 for said in node.stdout)
    finally:
        patience.cancel()
        for node in nodes:
            node.terminate()
        for node in nodes:
            node.wait(20)
            node.stdout.close()
