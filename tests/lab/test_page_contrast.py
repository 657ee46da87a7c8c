"""Text can be read: at least 4.5 to 1 against its ground, in every mode and both themes."""

import pytest
from pages import MODES, go, open_named, open_scenario, until

COLOURS = """
  const parse = (text) => {
    const [r, g, b, a = 1] = (text.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
    const scale = text.startsWith("color(srgb") ? 255 : 1; // as color-mix() is computed
    return [r * scale, g * scale, b * scale, a];
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a)];
  const light = (rgb) => {
    const linear = (c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = rgb.map((part) => linear(part / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [more, less] = [light(one), light(other)].sort((a, b) => b - a);
    return (more + 0.05) / (less + 0.05);
  };
"""
FAINT = (
    f"""(() => {{{COLOURS}"""
    + """
  const ground = (element) => {
    if (element === null) return parse(getComputedStyle(document.body).backgroundColor);
    const own = parse(getComputedStyle(element).backgroundColor);
    return own[3] === 1 ? own : over(own, ground(element.parentElement));
  };
  const opacity = (element) =>
    element === null ? 1 : Number(getComputedStyle(element).opacity) * opacity(element.parentElement);
  const exempt = "option, [disabled], [inert], .unseen, [aria-hidden=true]";
  const found = new Set();
  for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()).join("");
    if (!text || element.closest(exempt) || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    if (style.visibility === "hidden" || !element.getBoundingClientRect().width) continue;
    const behind = ground(element.closest("svg") ? element.closest("svg").parentElement : element);
    const colour = parse(element instanceof SVGElement ? style.fill : style.color);
    const seen = over([...colour.slice(0, 3), colour[3] * opacity(element)], behind);
    const ratio = contrast(seen, behind);
    const name = `${element.tagName.toLowerCase()}.${element.getAttribute("class")}`;
    if (ratio < 4.5) found.add(`${name} ${ratio.toFixed(2)} ${text.slice(0, 30)}`);
  }
  return [...found];
})()"""
)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_text_is_fainter_than_one_can_read(open_page, theme):
    page = open_page(color_scheme=theme)
    open_named(page, "split-brain-bully", at=150)
    faint = {}
    for mode in ["watch", *MODES]:
        go(page, mode)
        until(page, f"document.body.dataset.mode === '{mode}'")
        page.wait_for_timeout(400)
        faint[mode] = page.evaluate(FAINT)
    for sheet in ("source", "events", "script", "figures"):
        go(page, "watch")
        page.locator(f"#drawer-tabs [data-sheet={sheet}]").click()
        page.wait_for_timeout(200)
        faint[sheet] = page.evaluate(FAINT)
    assert {where: texts for where, texts in faint.items() if texts} == {}


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
