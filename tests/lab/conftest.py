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
from labs import Visitor, running_lab
from pages import foreign, is_mistake, until
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-site-isolation-trials",
    "--disable-features=SpareRendererForSitePerProcess,Translate,HttpsUpgrades,MediaRouter,OptimizationHints",
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


@pytest.fixture(scope="module")
def visitor(browser: Browser) -> Iterator[BrowserContext]:
    """Somebody who has been to the lab before: the page's files are at hand, so a test begins sooner."""
    context = new_context(browser)
    yield context
    context.close()


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """What was wrong with any page of this test."""
    said: list[str] = []
    yield said
    assert said == []


@pytest.fixture
def no_cluster_after(server: str) -> Iterator[None]:
    """Whatever becomes of a test, the next one finds no cluster running."""
    yield
    Visitor(server).trusted("/api/live/stop")


@pytest.fixture
def open_page(browser: Browser, server: str, complaints: list[str], no_cluster_after: None) -> Iterator[OpenPage]:
    """Opens pages of the lab: `open_page("#fragment", width=390, color_scheme="dark", locale="pt-BR")`."""
    contexts = []

    def open(fragment: str = "", *, address: str = server, **options: Any) -> Page:
        contexts.append(new_context(browser, **options))
        return visit(contexts[-1], address + fragment, complaints)

    yield open
    for context in contexts:
        context.close()


@pytest.fixture
def page(visitor: BrowserContext, server: str, complaints: list[str], no_cluster_after: None) -> Iterator[Page]:
    """A page of the lab with its first run, standing at the start."""
    page = visit(visitor, server, complaints)
    page.evaluate("habemus.pause(); habemus.seek(-1)")
    yield page
    page.evaluate("window.localStorage.clear()")  # the next test finds nothing of this one
    page.close()


def new_context(
    browser: Browser, width: int = 1280, height: int = 800, *, toured: bool = True, **options: Any
) -> BrowserContext:
    """A visitor; one who has not `toured` the lab is shown around first."""
    context = browser.new_context(**{"locale": "en-US", "viewport": {"width": width, "height": height}, **options})
    if toured:
        context.add_init_script("window.localStorage.setItem('habemus-tour', 'true')")
    return context


def visit(context: BrowserContext, address: str, complaints: list[str]) -> Page:
    """Open a page of the lab; whatever is wrong with it is noted."""
    page = context.new_page()
    page.set_default_timeout(15_000)
    page.set_default_navigation_timeout(60_000)
    host = urlparse(address).netloc
    page.on("console", lambda said: complaints.append(said.text) if is_mistake(said) else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: complaints.append(request.url) if foreign(request.url, host) else None)
    page.goto(address)
    until(page, "window.habemus?.catalogue && document.body.dataset.ready === 'true'")
    return page
