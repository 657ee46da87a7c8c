"""A run is shared by a link, exported, and explained: what comes back is the same run."""

import pytest
from pages import MODES, go, open_named, until, write

# Share


def share_link(page):
    """The link that the page offers."""
    page.locator("#share").click()
    link = page.locator("#share-link").input_value()
    page.keyboard.press("Escape")
    return link


def test_a_link_opens_the_same_branch_in_a_fresh_browser(page, open_page):
    open_named(page, "bully-seven-steps", at=20)
    page.evaluate(
        """habemus.fork(({ expect, ...scenario }) =>
          ({ ...scenario, faults: [...scenario.faults, { do: "recover", process: 5, at: 90 }] }), "5 is back")"""
    )
    until(page, "habemus.branch.title === '5 is back'")
    page.evaluate("habemus.seek(33)")
    link = share_link(page)
    assert "token" not in link
    other = open_page(address=link)
    until(other, "habemus.branch?.title === '5 is back'")
    assert other.evaluate("habemus.run.digest") == page.evaluate("habemus.run.digest")
    assert other.evaluate("habemus.cursor") == 33
    assert other.evaluate("[habemus.branch.parent.title, habemus.branch.from]") == ["Bully in seven steps", 20]
    assert "digest" in other.locator("#share-note").inner_text()
    until(other, "location.hash.startsWith('#run=')")  # the address carries the run, now the reader's own


def altered(page, link, change):
    """The link with its data changed."""
    return page.evaluate(
        """async ([link, change]) => {
          const { pack, unpack } = await import("/static/share/packing.js");
          const [address, text] = link.split("#run=");
          const data = await unpack(text);
          return `${address}#run=${await pack({ ...data, ...change })}`;
        }""",
        [link, change],
    )


def test_a_link_whose_digest_is_another_says_so(page, open_page):
    link = altered(page, share_link(page), {"digest": "0" * 64})
    other = open_page(address=link)
    until(other, "document.querySelector('#share-note')")
    assert "not the run that was shared" in other.locator("#share-note").inner_text()


def test_a_damaged_link_says_so_and_the_page_is_there_all_the_same(open_page):
    page = open_page("#run=AAAAthisisnotone")
    until(page, "document.querySelector('#share-note')")
    assert "damaged" in page.locator("#share-note").inner_text()
    until(page, "habemus.run !== null")


def test_a_link_with_code_shows_the_code_and_runs_nothing(page, open_page):
    go(page, "own")
    write(page, "class Strongest", "class Mine")
    page.locator("#own-run").click()
    until(page, "habemus.run.algorithm === 'own.py:Mine'")
    link = share_link(page)
    other = open_page(address=link)
    until(other, "habemus.mode === 'own'")
    assert "class Mine" in other.locator("#own-code").input_value()
    assert "Read it before you run it" in other.locator(".own-note").inner_text()
    assert other.evaluate("habemus.branches.every((branch) => branch.code === undefined)")


WARNINGS = {
    ("en-US", True): ("This code came by a link.", "runs as you, in a sandbox", "can read your files"),
    ("en-US", False): ("This code came by a link.", "runs as you, with no sandbox", "read, change and send"),
    ("pt-BR", True): ("Este código veio por um link.", "roda como você, isolado", "pode ler os seus arquivos"),
    ("pt-BR", False): ("Este código veio por um link.", "roda como você, sem isolamento", "ler, alterar e enviar"),
}


@pytest.mark.parametrize(
    ("width", "height", "locale", "sandbox"),
    [(360, 640, "en-US", False), (360, 640, "pt-BR", True), (900, 700, "pt-BR", False), (1440, 900, "en-US", True)],
)
def test_who_runs_code_from_a_link_is_warned_first_at_every_width(page, open_page, width, height, locale, sandbox):
    go(page, "own")
    write(page, "class Strongest", "class Mine")
    page.locator("#own-run").click()
    until(page, "habemus.run.algorithm === 'own.py:Mine'")
    fragment = "#" + share_link(page).partition("#")[2]
    other = open_page(fragment, width=width, height=height, locale=locale)
    until(other, "habemus.mode === 'own'")
    other.evaluate(
        f"habemus.catalogue.sandbox = {str(sandbox).lower()}; habemus.setMode('step'); habemus.setMode('own')"
    )
    came, runs, may = WARNINGS[locale, sandbox]
    for shown, told in ((".own-note", came), (".own-trust", runs), (".own-trust", may)):
        assert told in other.locator(f"#panel {shown}").inner_text()
        box = other.locator(f"#panel {shown}").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width and box["y"] + box["height"] <= height
    other.locator("#own-code").press("Control+Enter")
    warned = other.locator("#foreign-dialog")
    assert all(told in warned.inner_text() for told in (came, runs, may))
    box = warned.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width and box["y"] >= 0 and box["y"] + box["height"] <= height
    assert other.evaluate("document.activeElement.id") == "foreign-cancel"
    other.locator("#foreign-cancel").click()
    assert other.evaluate("habemus.branches.every((branch) => branch.code === undefined)"), "nothing has run"
    other.locator("#own-code").press("Control+End")
    other.keyboard.type("# changed")  # which makes it no less foreign, nor does coming back later
    other.reload()
    until(other, "habemus.catalogue && document.body.dataset.ready === 'true'")
    go(other, "own")
    other.locator("#own-run").click()
    other.locator("#foreign-run").click()
    until(other, "habemus.run?.algorithm === 'own.py:Mine'")
    other.locator("#own-run").click()
    assert other.locator("#foreign-dialog").count() == 0, "once is enough"
    assert other.locator(".own-note").is_hidden()


def test_steps_that_were_chosen_can_be_shared(page, open_page):
    open_named(page, "anonymous-ring-two")
    go(page, "step")
    until(page, "document.querySelector('#step-chance')")
    for count in (1, 2):
        page.locator("#step-chance").click()
        until(page, f"habemus.branch.scenario.schedule?.steps.length === {count}")
    link = share_link(page)
    other = open_page(address=link)
    until(other, "habemus.branch?.title === 'Step by step'")
    assert other.evaluate("habemus.run.digest") == page.evaluate("habemus.run.digest")


# Export and help


EXPORTED = {
    "json": b'{"habemus"',
    "svg": b"<svg",
    "png": b"\x89PNG",
    "mermaid": b"sequenceDiagram",
    "shiviz": b"",
    "pytest": b'"""What was seen',
    "toml": b"algorithm",
}


def test_a_run_is_exported(page, tmp_path):
    open_named(page, "anonymous-ring-two")
    page.locator("#export").click()
    for kind, begins in EXPORTED.items():
        with page.expect_download() as download:
            page.locator(f".export[data-kind={kind}]").click()
        download.value.save_as(tmp_path / kind)
        content = (tmp_path / kind).read_bytes()
        assert begins in content[:200] and len(content) > 100, kind


def test_help_opens_and_closes_by_keyboard_and_leads_to_the_stories(page):
    page.keyboard.press("?")
    assert page.locator("#help-dialog").is_visible()
    assert page.locator("#help-dialog kbd").count() > 10
    page.keyboard.press("Escape")
    until(page, "!document.querySelector('#help-dialog')")
    page.locator("#help").click()
    page.locator("#help-story").click()
    until(page, "habemus.mode === 'story' && !document.querySelector('#help-dialog')")


@pytest.mark.parametrize("width", [1280, 390])
def test_no_mode_is_wider_than_the_screen(open_page, width):
    page = open_page(width=width, locale="pt-BR")
    for mode in MODES:
        go(page, mode)
        page.wait_for_timeout(200)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, mode
        wide, room = page.evaluate(
            "['scrollWidth', 'clientWidth'].map((name) => document.querySelector('#panel')[name])"
        )
        assert wide <= room + 1, mode
