"""The lanes of the diagram: collapsed and opened again, and what the line of the present leaves readable."""

import pytest
from pages import menu_item, open_scenario, point_of_process, until

BULLY = {"algorithm": "bully", "topology": {"ids": [1, 2, 3, 4, 5]}}
SPACING = "habemus.page.diagram.frame.spacing"
COLLAPSED = "[...habemus.collapsed].sort()"
SHOWN = """(() => {
  const {diagram} = habemus.page;
  const {transmissions, indices} = diagram.inView(habemus.model, diagram.frame, 0, 1e9);
  return {
    messages: transmissions.map(({from, to}) => [habemus.model.ids[from], habemus.model.ids[to]]),
    marked: [...new Set([...indices].map((i) => habemus.model.ids[habemus.model.lanes[i]]))].sort(),
  };
})()"""


def heading_of(page, pid):
    """Where the id of a process is written above its lane, in the window."""
    box = page.locator("#diagram canvas").first.bounding_box()
    at = page.evaluate(
        f"habemus.page.diagram.pointing.pointOf(habemus.model.steps[habemus.model.seatOf.get({pid})][0])"
    )
    return box["x"] + at["x"], box["y"] + 16


def test_a_click_on_an_id_collapses_its_lane_and_another_opens_it(page):
    open_scenario(page, BULLY)
    before = page.evaluate(SPACING)
    for pid in (2, 3):
        page.mouse.click(*heading_of(page, pid))
    assert page.evaluate(COLLAPSED) == [2, 3]
    assert page.evaluate(SPACING) > 1.4 * before  # the others get the room
    shown = page.evaluate(SHOWN)
    assert shown["marked"] == [1, 4, 5]
    assert [2, 3] not in shown["messages"] and [3, 2] not in shown["messages"]
    assert [1, 2] in shown["messages"] and [2, 4] in shown["messages"]
    page.mouse.click(*heading_of(page, 2))  # lanes collapsed side by side open together
    assert page.evaluate(COLLAPSED) == [] and page.evaluate(SPACING) == before


def test_lanes_are_collapsed_by_key_and_by_menu_and_zero_opens_all(page):
    open_scenario(page, BULLY)
    page.evaluate("habemus.select({processes: [1, 4]})")
    page.keyboard.press("h")
    assert page.evaluate(COLLAPSED) == [1, 4]
    page.mouse.click(*point_of_process(page, 5))
    menu_item(page, "lane").click()
    assert page.evaluate(COLLAPSED) == [1, 4, 5] and page.evaluate("habemus.branches.length") == 1
    page.keyboard.press("0")
    assert page.evaluate(COLLAPSED) == []
    page.evaluate("habemus.toggleLanes([1])")
    open_scenario(page, BULLY | {"seed": 1})
    assert page.evaluate(COLLAPSED) == []


def test_the_lane_of_nobody_asks_to_choose_a_process(page):
    open_scenario(page, BULLY)
    page.keyboard.press("h")
    until(page, "document.getElementById('announcer').textContent.includes('Choose a process')")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_line_of_the_present_does_not_strike_through_the_label_of_the_event_it_is_at(open_page, theme):
    page = open_page(color_scheme=theme)
    open_scenario(page, BULLY)
    page.evaluate("habemus.seek(5)")
    struck = """(() => {
      const {diagram} = habemus.page;
      const label = diagram.tiles.labelsInView.find((known) => known.index === habemus.cursor && known.colour);
      if (!label) return null;
      const left = 48 - diagram.scroll.x + label.x - label.width / 2;
      const y = 30 - diagram.scroll.y + diagram.frame.y(habemus.position); // of the line, which is a pixel or two high
      const ground = [1, 3, 5].map((k) => parseInt(diagram.colours.ground.slice(k, k + 2), 16));
      let longest = 0;
      for (const row of [Math.floor(y) - 1, Math.floor(y), Math.floor(y) + 1]) {
        const {data} = diagram.ctx.getImageData(left, row, label.width, 1);
        let run = 0;
        for (let k = 0; k < label.width - 1; k++) {
          const far = ground.some((part, c) => Math.abs(data[4 * k + c] - part) > 24);
          run = far ? run + 1 : 0;
          longest = Math.max(longest, run);
        }
      }
      return {text: label.text, longest, width: label.width};
    })()"""
    found = until(page, struck)
    assert found["text"] == "answer_call"
    assert found["longest"] < 0.3 * found["width"]


def test_what_happens_later_in_the_tick_looks_later_even_above_the_line(page):
    open_scenario(page, BULLY, at=12)
    later = page.evaluate("habemus.model.positions.findIndex((at, i) => i > 12 && at < habemus.position)")
    assert later > 12
    shade = """((i) => {
      const {diagram} = habemus.page;
      const {x, y} = diagram.pointing.pointOf(i);
      return diagram.ctx.getImageData(x, y, 1, 1).data[0];
    })"""
    until(page, f"{shade}({later}) > 150")
    assert page.evaluate(f"{shade}(12)") < 100
