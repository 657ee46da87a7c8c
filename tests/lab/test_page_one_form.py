"""One form: what is chosen is what the mode acts on, or it visibly waits for Run."""

import re

import pytest
from pages import go, open_scenario, until

RING = {"algorithm": "chang-roberts", "topology": {"kind": "ring", "n": 4}}


def choose(page, algorithm):
    page.locator("#setup-algorithm").select_option(algorithm)
    until(page, f"habemus.run.algorithm === '{algorithm}' && !habemus.busy")


def test_the_algorithm_chosen_above_is_the_one_that_is_run_stepped_through_and_checked(page):
    open_scenario(page, RING)
    page.evaluate("habemus.play()")
    choose(page, "bully")
    assert page.evaluate("habemus.branch.scenario.algorithm") == "bully"
    go(page, "check")
    choose(page, "franklin")
    assert page.locator("#panel h2").inner_text() == "franklin"
    page.locator(".limits input[name=n]").fill("3")
    with page.expect_request("**/api/check") as asked:
        page.locator("#check-run").click()
    assert asked.value.post_data_json["scenario"]["algorithm"] == "franklin"
    go(page, "step")
    choose(page, "raymond")
    until(page, "habemus.branch.shown && document.querySelectorAll('#step-choices .choice').length > 0")
    assert page.evaluate("habemus.branch.scenario.algorithm") == "raymond"


def test_algorithms_that_were_only_passed_by_leave_no_branches(page):
    for algorithm in ("bully", "raymond", "lamport"):
        choose(page, algorithm)
    assert page.evaluate("habemus.branches.map((each) => each.scenario.algorithm)") == ["lamport"]


def test_another_size_waits_for_run_and_the_button_says_so(page):
    open_scenario(page, RING)
    waiting = "document.querySelector('#setup').hasAttribute('data-waiting')"
    assert not page.evaluate(waiting)
    page.locator("#setup-n").fill("6")
    assert page.evaluate(waiting) and page.evaluate("habemus.run.ids.length") == 4
    page.locator("#run").click()
    until(page, f"habemus.run.ids.length === 6 && !({waiting})")


def test_a_chosen_algorithm_that_is_refused_visibly_waits(page):
    open_scenario(page, RING)
    page.locator("#setup-delay").fill("nonsense")
    page.locator("#setup-algorithm").select_option("bully")
    until(page, "!document.querySelector('#banner').hidden")
    assert page.locator("#banner").inner_text().startswith("Delay: "), "it is called as in the form"
    assert page.evaluate("document.body.hasAttribute('data-outdated')")
    assert page.evaluate("habemus.run.algorithm") == "chang-roberts"


@pytest.mark.parametrize("mode, run", [("own", "#own-run"), ("live", "#live-start"), ("story", None)])
def test_a_mode_that_says_itself_what_it_runs_has_no_second_form(page, mode, run):
    go(page, mode)
    if run:
        page.locator(run).wait_for(state="visible")
    assert page.locator("#setup").is_hidden()
    panes = page.evaluate(
        "['room', 'timeline'].map((id) => document.getElementById(id).getBoundingClientRect().height)"
    )
    assert panes[0] > 300 and panes[1] > 50, "the rest of the page keeps its place"


def test_only_what_runs_on_the_present_network_is_offered_for_comparison(page):
    open_scenario(page, {"algorithm": "bully", "topology": {"kind": "complete", "n": 4}})
    go(page, "measure")
    page.locator("[data-value=compare]").click()
    pill = page.locator("#measure-algorithms .pill")
    assert pill.filter(has_text=re.compile("^chang-roberts$")).is_disabled()
    pressed = page.locator("#measure-algorithms .pill[aria-pressed=true]").all_inner_texts()
    assert "bully" in pressed and len(pressed) == 2
    page.locator("#measure-seeds").fill("1")
    page.locator("#measure-run").click()
    until(page, "document.querySelector('#compare-bars .bar-row')", 60)
    assert page.locator(".own-said").count() == 0


def test_the_page_asks_the_checker_what_the_command_line_can_ask(page):
    open_scenario(page, RING)
    go(page, "check")
    page.locator(".limits select[name=starters]").select_option("any")
    page.locator(".limits input[name=orders]").check()
    page.locator("#check-run").click()
    until(page, "document.querySelector('#check-verdict')?.classList.contains('holds')", 60)
    assert "6\ninstances" in page.locator(".check-body").inner_text()
    assert page.locator("#check-scope").inner_text() == "n = 4 · any starters · no crashes · no losses"
    page.locator("#language").click()
    assert page.locator("#check-scope").inner_text() == "n = 4 · quaisquer iniciadores · sem falhas · sem perdas"
    page.locator("#language").click()
    choose(page, "yoyo")
    page.locator(".limits input[name=graphs]").check()
    page.locator("#check-run").click()
    until(page, "document.querySelector('#check-verdict')?.classList.contains('holds')", 60)
    assert "6\ninstances" in page.locator(".check-body").inner_text()
    choose(page, "coordinator")
    page.locator(".limits select[name=entries]").select_option("any")
    with page.expect_request("**/api/check") as asked:
        page.locator("#check-run").click()
    assert asked.value.post_data_json["limits"]["entries"] == -1
