"""Which texts of the page are too faint: less than 4.5 to 1 against their ground."""

import time

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


def check_contrast(page, where):
    """No text of the page is too faint, in either theme; colours may be on their way for a moment."""
    for _ in range(2):
        page.evaluate("document.getElementById('theme').click()")
        theme = page.evaluate("document.documentElement.dataset.theme")
        deadline = time.monotonic() + 2
        while (faint := page.evaluate(FAINT)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not faint, f"{where}, {theme}: {faint}"
