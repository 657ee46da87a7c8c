"""Whatever the options, a command answers: its status says how, and a mistake is one sentence."""

import io
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from shlex import join

import pytest
from grammar import Grammar
from soak import runs

from habemus.cli import main
from habemus.words.language import choose_language

SEED = 20261118
COMMANDS = runs(2000, soak=100_000)
PARTS = 8

OWN = """
from dataclasses import dataclass

from habemus.process import Election, Message, Pid, upon, upon_start


@dataclass(frozen=True)
class Token(Message):
    id: Pid


class Ring(Election):
    name = "own-ring"
    topology = "ring"

    @upon_start
    def begin(self) -> None:
        self.send(self.successor, Token(self.id))

    @upon(Token)
    def receive(self, sender: Pid, message: Token) -> None:
        self.elect(message.id)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with files of all sorts; what would start processes or servers is not started."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for module in ("network.operate.service", "lab.server"):
        monkeypatch.setattr(f"habemus.{module}.run_loop", lambda main: main.close() or 0)
    monkeypatch.setattr("habemus.service.guardian.Guardian.watch", lambda self: None)  # else the tests would fork
    monkeypatch.setattr("habemus.service.supervisor.Supervisor.run", lambda *known: 0)
    monkeypatch.setattr("habemus.service.blocking.Group.events", lambda self: iter(()))
    monkeypatch.setattr("habemus.grading.submission.run_worker", grade_nothing)
    files = {
        "empty.py": "",
        "ring.py": OWN,
        "broken.py": "def X(:\n",
        "junk.toml": "algorithm = [",
        "list.toml": 'algorithm = "bully"\nlayers = [1]\n',
        "junk.json": "{",
        "deep.json": "[" * 5000,
        "run.jsonl": '{"habemus": 1}\n{}\n',
        "edges.txt": "1 2\n2 3\n3 1\n",
        "loop.txt": "1 1\n",
        "words.txt": "a b\nc\n",
        "samples.txt": "1\n2\n3\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "folder.svg").mkdir()
    yield tmp_path
    choose_language(None)


async def grade_nothing(job, folder):
    return b"", 0


def call(words):
    """The status of a command and what it wrote."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(words)
    return status, out.getvalue(), err.getvalue()


@pytest.mark.parametrize("part", range(PARTS))
def test_no_command_whatever_its_options_fails_without_a_sentence(part, folder):
    grammar = Grammar(SEED + part)
    for _ in range(COMMANDS // PARTS):
        words = grammar.draw()
        try:
            status, out, err = call(words)
        except BaseException as error:
            raise AssertionError(f"habemus {join(words)} raised {type(error).__name__}: {error}") from error
        told = f"habemus {join(words)}\nstatus {status}\n{out}{err}"
        assert status in (0, 1, 2, 3, 75), told
        assert "Traceback" not in out + err, told
        if status == 2:
            assert err.startswith("habemus: ") and err.count("\n") == 1 and err.endswith("\n"), told
            assert len(err) > len("habemus: ") + 5, told


def test_the_grammar_draws_right_commands_and_wrong_ones(folder):
    grammar = Grammar(SEED)
    statuses = [call(grammar.draw())[0] for _ in range(60)]
    assert statuses.count(2) > 10 and len(statuses) - statuses.count(2) > 5
    assert Path.cwd() == folder
