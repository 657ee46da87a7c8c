"""The first ten seconds: a tour that plays by itself and can be left at any time; signs, strips, and a projector."""

from pages import open_named, until

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
