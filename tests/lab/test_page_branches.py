"""Branches and state survive: the address carries them, they can be named and closed, links and files can be opened."""

import json

from pages import go, menu_item, open_scenario, until

from habemus.scenario import Scenario, TopologySpec
from habemus.simulation import simulate

BULLY = {"algorithm": "bully", "topology": {"ids": [1, 2, 3, 4, 5]}}
TREE = "habemus.branches.map((each) => [each.title, each.parent?.title ?? null, each.run.digest, each.at])"


def crash(page, pid):
    """Crash a process by key."""
    before = page.evaluate("habemus.branches.length")
    page.evaluate(f"habemus.select({{process: {pid}}})")
    page.keyboard.press("c")
    until(page, f"habemus.branches.length === {before + 1} && !habemus.busy")


def branch_out(page):
    """A run with two branches, the second made of the first."""
    open_scenario(page, BULLY, at=8)
    crash(page, 5)
    page.evaluate("habemus.seek(habemus.cursor + 6)")
    crash(page, 4)


def settle_address(page):
    """Wait until the address carries what is on the screen."""
    until(
        page,
        """(async () => {
          const {unpack} = await import("/static/share/packing.js");
          if (!location.hash.startsWith("#run=")) return false;
          const kept = await unpack(location.hash.slice(5));
          const names = (list) => JSON.stringify(list.map(({title, name}) => name ?? title));
          return kept.at === habemus.cursor && names(kept.runs) === names(habemus.branches);
        })()""",
    )


def test_loading_the_page_again_keeps_all_branches_and_the_moment(page):
    branch_out(page)
    page.evaluate("habemus.nameBranch(habemus.branches[1], 'without 5')")
    settle_address(page)
    before, cursor = page.evaluate(TREE), page.evaluate("habemus.cursor")
    page.reload()
    until(page, "window.habemus?.catalogue && document.body.dataset.ready === 'true'")
    assert page.evaluate(TREE) == before and len(before) == 3
    assert page.evaluate("habemus.cursor") == cursor
    assert page.evaluate("habemus.branch === habemus.branches[2]")


def test_code_of_ones_own_is_run_again_when_its_page_is_loaded_again(page):
    go(page, "own")
    page.locator("#own-run").click()
    until(page, "habemus.run.algorithm === 'own.py:Strongest' && !habemus.busy")
    page.evaluate("habemus.seek(3)")
    settle_address(page)
    page.reload()
    until(page, "window.habemus?.catalogue && document.body.dataset.ready === 'true'")
    assert page.evaluate("habemus.run.algorithm") == "own.py:Strongest" and page.evaluate("habemus.mode") == "own"


def test_a_branch_is_named_and_closed_from_its_menu(page):
    branch_out(page)
    page.locator("#rail .more").nth(1).click()
    page.locator(".menu input").fill("without 5")
    menu_item(page, "name").click()
    assert "without 5" in page.locator("#rail").inner_text()
    page.locator("#rail .more").nth(1).click()
    menu_item(page, "close").click()
    until(page, "habemus.branches.length === 1")
    assert page.evaluate("habemus.branch === habemus.branches[0]"), "what was made from it is closed with it"


def test_a_branch_is_laid_beside_in_words(page):
    branch_out(page)
    beside = page.locator("#rail .compare").first
    assert beside.inner_text() == "show beside"
    beside.click()
    until(page, "habemus.page.beside !== null")
    assert page.locator("#rail .compare").first.inner_text() == "show alone"


def test_a_link_made_on_another_host_is_opened_from_the_page(page, open_page):
    branch_out(page)
    link = page.evaluate("import('/static/share/share.js').then((share) => share.shareLink())")
    other = open_page()
    other.locator("#open").click()
    other.locator("#open-link").fill("nothing")
    other.locator("#open-go").click()
    assert "#run=" in other.locator("#open-dialog .problem").inner_text()
    other.locator("#open-link").fill(link.replace("127.0.0.1", "lab.example.org:9999/elsewhere"))
    other.locator("#open-go").click()
    until(other, f"habemus.run.digest === {json.dumps(page.evaluate('habemus.run.digest'))}")
    assert other.locator("#open-dialog").count() == 0


def test_a_scenario_and_a_trace_are_opened_from_the_page(page, tmp_path):
    scenario = Scenario("franklin", topology=TopologySpec(n=5), seed=3)
    scenario.write(str(tmp_path / "five.toml"))
    digest = simulate(scenario, digest=True, trace=tmp_path / "five.jsonl").digest
    for name in ("five.toml", "five.jsonl"):
        open_scenario(page, BULLY)
        page.locator("#open").click()
        page.locator("#open-file").set_input_files(tmp_path / name)
        until(page, f"habemus.run.digest === '{digest}'")
    page.locator("#open").click()
    (tmp_path / "broken.toml").write_text("algorithm = ", encoding="utf-8")
    page.locator("#open-file").set_input_files(tmp_path / "broken.toml")
    until(page, "document.querySelector('#open-dialog .problem')?.textContent.includes('broken.toml is not TOML')")
