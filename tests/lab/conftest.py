"""A lab and a browser for the tests of the page.

The browser is Debian's chromium (or whatever `HABEMUS_CHROMIUM` names). A `page` fails its test if the page writes an
error to the console, throws, or asks anything of another host.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlparse

import pytest
from labs import running_lab
from pages import foreign, is_mistake, until
from playwright.sync_api import Browser, Page, sync_playwright

OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a running lab, with its token."""
    with running_lab() as lab:
        yield f"http://127.0.0.1:{lab.port}/?token={lab.token}"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser; it goes with its module, for as long as it is there no other event loop can run in this process."""
    path = os.environ.get("HABEMUS_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    assert path, "the tests of the page need chromium: apt-get install chromium, or HABEMUS_CHROMIUM=/path/to/it"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        yield browser
        browser.close()


OpenPage = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser, server: str) -> Iterator[OpenPage]:
    """Opens pages of the lab: `open_page("#fragment", width=390, color_scheme="dark", locale="pt-BR")`."""
    contexts, complaints = [], []

    def open(
        fragment: str = "", *, width: int = 1280, height: int = 800, address: str = server, **options: Any
    ) -> Page:
        context = browser.new_context(**{"locale": "en-US", "viewport": {"width": width, "height": height}, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.set_default_navigation_timeout(60_000)
        host = urlparse(address).netloc
        page.on("console", lambda said: complaints.append(said.text) if is_mistake(said) else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.append(request.url) if foreign(request.url, host) else None)
        page.goto(address + fragment)
        until(page, "window.habemus?.catalogue && document.body.dataset.ready === 'true'")
        return page

    yield open
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    """A page of the lab with its first run, standing at the start."""
    page = open_page()
    page.evaluate("habemus.pause(); habemus.seek(-1)")
    return page
