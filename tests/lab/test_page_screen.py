"""The screen: what is shown at each moment, and that it is shown smoothly."""

from pages import until


def test_the_first_run_is_on_the_screen_and_plays(open_page):
    page = open_page()
    until(page, "habemus.playing && habemus.cursor > 0")
    assert page.locator("#stage .node").count() == page.evaluate("habemus.run.ids.length")
