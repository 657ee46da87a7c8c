"""The first ten seconds: a tour that plays by itself and can be left at any time; signs, strips, and a projector."""

import re

from pages import go, open_named, until

SAID = "(document.querySelector('#tour p')?.textContent ?? '')"


def test_a_first_visit_is_shown_around_and_can_leave_at_any_time(open_page):
    page = open_page(toured=False)
    until(page, f"{SAID}.includes('one leader, always')")
    until(page, f"{SAID}.includes('leader crashes')", 40)
    until(page, "habemus.run.events.some((event) => event.kind === 'crash')")
    page.keyboard.press("Escape")
    assert page.locator("#tour").count() == 0
    page.reload()
    until(page, "window.habemus?.catalogue && document.body.dataset.ready === 'true'")
    assert page.locator("#tour").count() == 0, "once is enough"


def test_the_tour_ends_with_a_violation_and_how_it_began(page):
    page.evaluate(
        """import("/static/page/tour.js").then(({startTour}) => {
          const soon = window.setTimeout;
          window.setTimeout = (run, after) => soon(run, after > 1000 ? 50 : after);
          habemus.setSpeed(32);
          habemus.setSpeed = () => {}; // the tour in a hurry
          startTour();
        })"""
    )
    until(page, f"{SAID}.includes('how it began')", 40)
    until(page, f"{SAID}.includes('Now it is yours')", 40)
    assert page.evaluate("habemus.run.properties.some((each) => each.promised && each.verdict === false)")
    page.locator("#tour-leave").click()
    assert page.locator("#tour").count() == 0


def test_each_strip_says_with_a_sign_what_became_of_its_property(page):
    open_named(page, "split-brain-bully")
    marks = dict(
        page.evaluate(
            """[...document.querySelectorAll('.strip')].map((strip) =>
              [strip.dataset.property, strip.querySelector('.mark').textContent])"""
        )
    )
    assert marks["termination"] == "✓" and marks["uniqueness"] == "✗" and marks["agreement"] == "…"


def test_the_help_explains_every_sign_of_the_pictures(page):
    page.locator("#help").click()
    signs = page.locator("#help-dialog dl.signs").inner_text()
    for sign in ("leads", "timer runs out", "recovered", "refuses", "cut", "differ", "open when time was up"):
        assert sign in signs


def test_for_a_projector_the_page_is_large_and_obeys_keys_only(page):
    before = page.locator("#stage").bounding_box()
    page.keyboard.press("l")
    assert page.locator("#bar").is_hidden() and page.locator("#drawer").is_hidden()
    assert page.locator("#stage").bounding_box()["width"] > before["width"]
    page.keyboard.press("ArrowRight")
    until(page, "habemus.cursor === 0")
    page.keyboard.press("Escape")
    assert page.locator("#bar").is_visible()


def test_all_modes_are_reached_and_used_by_keyboard_alone(page):
    def focus(selector):
        """Go on with Tab until something has the focus."""
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate(f"document.activeElement.matches({selector!r})"):
                return
        raise AssertionError(f"Tab does not lead to {selector}")

    page.locator("#modes button").first.focus()
    used = {
        "gallery": ".card",
        "story": "#panel button",
        "step": "#step-choices .choice",
        "check": "#check-run",
        "measure": "#measure-run",
        "own": "#own-run",
        "live": "#live-start",
    }
    for mode, control in used.items():
        focus(f"#modes [data-mode={mode}]")
        page.keyboard.press("Enter")
        until(page, f"habemus.mode === '{mode}' && document.querySelector('{control}')")
        focus(control)
        page.locator(f"#modes [data-mode={mode}]").focus()
    go(page, "watch")
    page.keyboard.press("ArrowRight")
    assert re.match(r"\d+", page.locator("#clock b").inner_text())
