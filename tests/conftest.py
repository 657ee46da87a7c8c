"""Settings that all tests share."""

import os
import signal

import pytest
from hypothesis import settings

settings.register_profile("ci", max_examples=60, deadline=None, derandomize=True)
settings.register_profile("soak", max_examples=5000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-golden", action="store_true", help="write the golden transcripts anew")


def pytest_configure(config: pytest.Config) -> None:
    """Programs that the tests start hear Ctrl-C even if the tests run in the background, where a shell ignores it, and
    that their terminal closes even under `nohup`."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The attack on real nodes comes first: it waits for minutes, and others use the processor meanwhile."""
    items.sort(key=lambda item: "soak" not in item.path.parts)
