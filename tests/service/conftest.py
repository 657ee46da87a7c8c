"""Groups in a directory of their own, and real processes that join them."""

from collections.abc import Iterator

import pytest
from programs import Programs


@pytest.fixture
def where(tmp_path) -> str:
    return f"file://{tmp_path}/locks"


@pytest.fixture
def programs(where) -> Iterator[Programs]:
    programs = Programs(where)
    yield programs
    programs.end()
