"""All eight modes by keyboard alone: Tab goes to what can be done, Enter does it. No text is too faint meanwhile."""

import pytest
from contrast import check_contrast
from pages import open_scenario, until

BULLY = {"algorithm": "bully", "topology": {"ids": [1, 2, 3, 4, 5]}}
MOST_TABS = 120
PATIENCE = 60.0
SHOWN = """(() => {
  const focused = document.activeElement;
  const halo = focused.querySelector(".halo"); // of a process
  const { outlineStyle, boxShadow } = getComputedStyle(focused);
  return halo ? getComputedStyle(halo).display !== "none" : outlineStyle !== "none" || boxShadow !== "none";
})()"""


class Keyboard:
    """Somebody who uses the page with no pointer."""

    def __init__(self, page):
        self.page = page

    def go_to(self, selector, back=False):
        """Press Tab until the focus is on an element, which must show that it is."""
        for _ in range(MOST_TABS):
            if self.page.evaluate(f"document.activeElement?.matches({selector!r}) ?? false"):
                assert self.page.evaluate(SHOWN), f"{selector} does not show that it has the focus"
                return
            self.page.keyboard.press("Shift+Tab" if back else "Tab")
        raise AssertionError(f"{selector} cannot be reached with Tab")

    def press(self, selector, then, seconds=PATIENCE):
        """Go to an element, press Enter, and wait until something is so."""
        self.go_to(selector)
        self.page.keyboard.press("Enter")
        until(self.page, then, seconds)
        assert self.page.evaluate("document.activeElement !== document.body"), f"{selector} has lost the focus"

    def fill(self, selector, text):
        self.go_to(selector)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)

    def choose(self, mode):
        self.go_to(f"#modes [data-mode={mode}]", back=True)
        self.page.keyboard.press("Enter")
        until(self.page, f"habemus.mode === '{mode}'")


@pytest.fixture
def keyboard(page):
    open_scenario(page, BULLY)
    return Keyboard(page)


def watch(keyboard, page):
    page.keyboard.press("ArrowRight")
    assert page.evaluate("habemus.cursor") == 0
    keyboard.press("#stage .node", "document.querySelector('.menu')")
    check_contrast(page, "menu")
    page.keyboard.press("c")
    until(page, "habemus.branches.length === 2")


def step(keyboard, page):
    until(page, "document.querySelector('#step-choices .choice')")
    keyboard.press("#step-choices .choice", "habemus.run.events.length > 0")


def check(keyboard, page):
    keyboard.press("#check-run", "document.querySelector('#check-verdict')")
    verdict, below = (page.locator(each).bounding_box() for each in ("#check-verdict", "#timeline"))
    assert verdict["y"] + verdict["height"] <= below["y"], "the verdict is in view"


def own(keyboard, page):
    keyboard.press("#own-run", "habemus.branch.code && !habemus.busy")


def live(keyboard, page):
    keyboard.fill("#live-n", "3")
    keyboard.press("#live-start", "document.querySelector('.member.leads')")
    check_contrast(page, "live, while one leads")
    keyboard.press(
        ".member.leads [data-act=kill]", "document.querySelector('.member.dead, .member [data-act=restart]')"
    )


def measure(keyboard, page):
    keyboard.fill("#measure-sizes", "4, 8")
    keyboard.fill("#measure-seeds", "1")
    keyboard.press("#measure-run", "document.querySelector('#sweep-plot path')")


def story(keyboard, page):
    check_contrast(page, "the list of stories")
    keyboard.press("#panel .story-card, #panel .card", "document.querySelector('#story-next')")


def gallery(keyboard, page):
    until(page, "document.querySelectorAll('.card').length > 40")
    check_contrast(page, "the whole gallery")
    keyboard.go_to("#gallery-search")
    page.keyboard.type("bully-tanenbaum")
    keyboard.go_to(".card")
    page.keyboard.press("Enter")
    until(page, "habemus.mode === 'watch' && habemus.run.algorithm === 'bully' && habemus.playing")
    page.keyboard.press(" ")  # it belongs to the run now
    until(page, "!habemus.playing")


USES = {each.__name__: each for each in (watch, step, check, own, live, measure, story, gallery)}


def test_all_eight_modes_are_used_by_keyboard_alone_and_every_text_can_be_read(keyboard):
    page = keyboard.page
    assert set(USES) == set(
        page.evaluate("[...document.querySelectorAll('#modes [data-mode]')].map((tab) => tab.dataset.mode)")
    )
    for mode, use in USES.items():
        keyboard.choose(mode)
        use(keyboard, page)
        check_contrast(page, mode)
