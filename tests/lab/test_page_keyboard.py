"""All eight modes by keyboard alone: Tab goes to what can be done, Enter does it."""

from pages import open_scenario, until

BULLY = {"algorithm": "bully", "topology": {"ids": [1, 2, 3, 4, 5]}}
MOST_TABS = 120


def tab_to(page, selector, back=False):
    """Press Tab until the focus is on an element, which must show that it is."""
    for _ in range(MOST_TABS):
        if page.evaluate(f"document.activeElement?.matches({selector!r}) ?? false"):
            return
        page.keyboard.press("Shift+Tab" if back else "Tab")
    raise AssertionError(f"{selector} cannot be reached with Tab")


def choose_mode(page, name):
    tab_to(page, f"#modes [data-mode={name}]", back=True)
    page.keyboard.press("Enter")
    until(page, f"habemus.mode === '{name}'")


def test_all_eight_modes_are_used_by_keyboard_alone(page):
    open_scenario(page, BULLY)
    choose_mode(page, "watch")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("habemus.cursor") == 0
    tab_to(page, "#stage .node")
    page.keyboard.press("Enter")
    page.keyboard.press("c")  # in the menu that is open
    until(page, "habemus.branches.length === 2")

    choose_mode(page, "step")
    until(page, "document.querySelector('#panel .choice, #panel [data-step]')")
    tab_to(page, "#panel [data-step], #panel .choice")
    page.keyboard.press("Enter")
    until(page, "habemus.run.events.length > 0 && habemus.mode === 'step'")

    choose_mode(page, "check")
    tab_to(page, "#check-run")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('#check-verdict')", 60)

    choose_mode(page, "own")
    tab_to(page, "#own-run")
    page.keyboard.press("Enter")
    until(page, "habemus.branch.code && !habemus.busy", 60)

    choose_mode(page, "live")
    tab_to(page, "#live-start")  # which starts processes; test_page_modes_live.py does

    choose_mode(page, "measure")
    tab_to(page, "#measure-sizes")
    page.keyboard.press("Control+A")
    page.keyboard.type("4, 8")
    tab_to(page, "#measure-seeds")
    page.keyboard.press("Control+A")
    page.keyboard.type("1")
    tab_to(page, "#measure-run")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('#sweep-plot path')", 60)

    choose_mode(page, "story")
    tab_to(page, "#panel .story-card, #panel .card, #panel button")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('#story-next')")

    choose_mode(page, "gallery")
    until(page, "document.querySelectorAll('.card').length > 40")
    tab_to(page, "#gallery-search")
    page.keyboard.type("bully-tanenbaum")
    tab_to(page, ".card, .card *")
    page.keyboard.press("Enter")
    until(page, "habemus.mode === 'watch' && habemus.run.algorithm === 'bully'")
