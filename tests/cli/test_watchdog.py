"""A clause that does not come back is told within seconds, by its name and line."""

import pytest

from habemus.cli import main, watchdog

ENDLESS = """
from dataclasses import dataclass
from habemus.process import Election, Message, upon, upon_start

@dataclass(frozen=True)
class Word(Message):
    pass

class Endless(Election):
    name = "endless"
    topology = "complete"

    @upon_start
    def begin(self) -> None:
        while True:
            {body}

    @upon(Word)
    def hear(self, sender, message) -> None:
        pass
"""


@pytest.mark.parametrize("command", ["check", "simulate"])
@pytest.mark.parametrize("body", ["self.id", "self.send(self.neighbours, Word())"])
def test_an_endless_clause_is_named(command, body, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(watchdog, "PATIENCE", 0.2)
    path = tmp_path / "endless.py"
    path.write_text(ENDLESS.format(body=body))
    assert main([command, f"{path}:Endless", "--n", "2"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "begin (" in err and "without end" in err and len(err.splitlines()) == 1
    assert "endless.py:15)" in err or "endless.py:16)" in err  # the line of the loop, not of what it calls
