"""ARCHITECTURE.md names only what exists."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "habemus"
CODE = re.compile(r"`([^`\n]+)`(?:, `([A-Za-z_.]+)`)?")


def places() -> list[tuple[str, str]]:
    """Every path that it names, with the function or class that it says is there."""
    named = CODE.findall((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    return [(path, thing) for path, thing in named if re.fullmatch(r"[\w./-]+\.(py|js)|[\w/-]+/", path) and "/" in path]


def test_every_path_in_the_guide_exists_and_has_what_it_is_named_for():
    assert len(places()) > 40
    for path, thing in places():
        there = [base / path for base in (ROOT, SOURCE) if (base / path).exists()]
        assert there, path
        if thing:
            text = there[0].read_text(encoding="utf-8")
            last = thing.rpartition(".")[2]
            assert re.search(rf"(class|def|function) {last}\b", text), f"{path} has no {thing}"
