"""What the tests of commands share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from shells import Shell


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    shell = Shell(tmp_path)
    yield shell
    shell.end()
