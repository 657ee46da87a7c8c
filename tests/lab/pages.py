"""How the tests look at the page."""

import json
import time
from urllib.parse import urlparse

from habemus.scenario import named_scenarios

MODES = ["gallery", "story", "step", "check", "measure", "own", "live"]


def foreign(url, host):
    """Whether a request leaves the lab."""
    parts = urlparse(url)
    return parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != host


def is_mistake(said):
    """Whether a line of the console tells of a mistake. A refusal by the server is none: the page says why."""
    refused = said.text.startswith("Failed to load resource") and "/api/" in said.location["url"] and " 4" in said.text
    return said.type == "error" and not refused


def until(page, condition, seconds=15.0):
    """Wait until an expression is true in the page (whose policy forbids what Playwright would do); its value."""
    deadline = time.monotonic() + seconds
    while True:
        value = page.evaluate(condition)
        if value:
            return value
        assert time.monotonic() < deadline, f"not within {seconds} s: {condition}"
        time.sleep(0.03)


def open_scenario(page, scenario, at=-1):
    """Show a scenario, standing still after an event."""
    page.evaluate(f"habemus.openScenario({json.dumps(scenario)}, {{at: {at}}})")
    until(page, f"habemus.run.algorithm === {json.dumps(scenario['algorithm'])} && habemus.cursor === {at}")


def on_stage(page, point):
    """A point of the stage as a point of the window."""
    box = page.locator("#stage").bounding_box()
    return box["x"] + point[0], box["y"] + point[1]


def point_of_process(page, pid):
    """Where a process stands in the window."""
    return on_stage(page, page.evaluate(f"habemus.page.stage.at[habemus.model.seatOf.get({pid})]"))


def point_of_link(page, a, b):
    """A point of a link, near its first end, where no other crosses it."""
    (x1, y1), (x2, y2) = point_of_process(page, a), point_of_process(page, b)
    return x1 + 0.3 * (x2 - x1), y1 + 0.3 * (y2 - y1)


def point_of_message(page, message):
    """Where a message that is under way is in the window."""
    return on_stage(
        page, page.evaluate(f"habemus.page.stage.messages.pointOf(habemus.model.transmissionsOf.get({message})[0])")
    )


def menu_item(page, action):
    """An entry of the menu that is open."""
    return page.locator(f'.menu [data-action="{action}"]')


def go(page, mode):
    """Choose a mode by its tab."""
    page.locator(f"#modes [data-mode={mode}]").click()
    until(page, f"habemus.mode === '{mode}'")


def open_named(page, name, at=-1):
    """Show a named scenario, standing still after an event."""
    open_scenario(page, named_scenarios()[name].as_dict(), at)


def write(page, old, new):
    """Change the code in the editor."""
    area = page.locator("#own-code")
    code = area.input_value()
    assert old in code
    area.fill(code.replace(old, new))
    return code.replace(old, new)
