"""Text can be read: at least 4.5 to 1 against its ground, in every mode and both themes."""

import pytest
from contrast import COLOURS, FAINT, check_contrast
from pages import go, open_named, open_scenario, until


def test_no_text_of_a_sheet_or_a_dialog_is_fainter_than_one_can_read(page):
    """Of the modes, test_page_keyboard.py says it, while they are used."""
    open_named(page, "split-brain-bully", at=150)
    go(page, "watch")
    for sheet in ("state", "source", "events", "script", "figures"):
        page.locator(f"#drawer-tabs [data-sheet={sheet}]").click()
        until(
            page,
            f"document.querySelector('#drawer-tabs [data-sheet={sheet}]').getAttribute('aria-selected') === 'true'",
        )
        check_contrast(page, sheet)
    for dialog in ("open", "share", "export", "help"):
        page.locator(f"#{dialog}").click()
        until(page, "document.querySelector('dialog[open]')")
        check_contrast(page, dialog)
        page.keyboard.press("Escape")
    page.keyboard.press("l")
    check_contrast(page, "projector")


PAINTED = (
    f"""(() => {{{COLOURS}"""
    + """
  const hex = (style) => [1, 3, 5].map((k) => parseInt(style.slice(k, k + 2), 16));
  const plain = (style) => (style.startsWith("#") ? hex(style) : parse(style));
  const ground = plain(habemus.page.diagram.colours.ground);
  window.faintlyPainted = new Set();
  const paint = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...where) {
    const [r, g, b] = plain(this.fillStyle);
    const onPill = [r, g, b].every((part, k) => part === ground[k]); // the clock, on a dark pill
    const ratio = contrast(over([r, g, b, this.globalAlpha], ground), ground);
    if (ratio < 4.5 && !onPill) window.faintlyPainted.add(`${text} ${ratio.toFixed(2)}`);
    paint.call(this, text, ...where);
  };
})()"""
)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_text_on_a_canvas_is_fainter_than_one_can_read_while_it_is_no_longer_to_come(open_page, theme):
    """Of crashed, chosen and accused processes, too; what is yet to come is veiled afterwards."""
    page = open_page(color_scheme=theme)
    page.evaluate(PAINTED)
    faults = [{"do": "crash", "at": 1, "process": 5}]
    open_scenario(page, {"algorithm": "bully", "topology": {"ids": [1, 2, 3, 4, 5]}, "faults": faults}, at=20)
    page.evaluate("habemus.select({process: 2}); habemus.toggleLanes([3])")
    assert page.evaluate(FAINT) == []
    open_named(page, "coordinator-slow-holder")
    page.locator(".strip.violated .name").first.click()
    until(page, "habemus.page.diagram.witness?.processes.size > 0")
    until(page, "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))))")
    assert page.evaluate("[...faintlyPainted]") == []
