"""The screen: what it shows at each moment, in two languages, by mouse and by keyboard."""

import itertools

import pytest
from pages import menu_item, open_scenario, until

BULLY = {"algorithm": "bully", "topology": {"ids": [1, 2, 3, 4, 5]}}
TWO_INSIDE = "coordinator-slow-holder"

COUNTED = [
    {"algorithm": "chang-roberts", "topology": {"n": 9}},
    {"algorithm": "bully", "topology": {"n": 6}, "faults": [{"do": "crash", "at": 30, "process": 6}]},
    {"algorithm": "ghs", "topology": {"n": 10, "kind": "random"}},
    {"algorithm": "maekawa", "topology": {"n": 7}},
    {"algorithm": "yoyo", "topology": {"n": 8, "kind": "grid"}},
    {"algorithm": "lcr", "topology": {"n": 6}},
    {"algorithm": "raft-election", "topology": {"n": 5}, "network": {"loss": 0.1, "duplication": 0.1}},
]


def open_named(page, name, at=-1):
    page.evaluate(
        f"fetch('/api/scenarios/{name}').then((a) => a.json()).then((s) => habemus.openScenario(s, {{at: {at}}}))"
    )
    until(page, f"habemus.cursor === {at} && habemus.branches.at(-1) === habemus.branch && !habemus.busy")


def test_the_first_run_is_on_the_screen_and_plays(open_page):
    page = open_page()
    until(page, "habemus.playing && habemus.cursor > 0")
    assert page.locator("#stage .node").count() == page.evaluate("habemus.run.ids.length")


def test_every_named_scenario_is_shown_to_its_end(page):
    names = page.evaluate(
        "fetch('/api/scenarios').then((a) => a.json()).then((list) => list.map((entry) => entry.name))"
    )
    assert len(names) > 50
    for name in names:
        open_named(page, name)
        page.evaluate("habemus.seek(habemus.run.events.length - 1)")
        assert page.locator("#stage .node").count() == page.evaluate("habemus.run.ids.length"), name
        leader = page.evaluate("habemus.run.leader")
        if leader is not None:
            assert page.locator(f'#stage .node[data-id="{leader}"][data-role="leader"]').count() == 1, name


def test_what_the_page_counts_is_what_the_simulator_counted(page):
    for scenario in COUNTED:
        open_scenario(page, scenario)
        counted = page.evaluate(
            """(() => {
              const {model, run} = habemus;
              const byType = Object.fromEntries(model.sentByType(run.events.length));
              return [[model.sentUpTo.at(-1), model.bitsUpTo.at(-1), model.roundsUpTo.at(-1), byType],
                      [run.messages, run.bits, run.rounds, run.messages_by_type]];
            })()"""
        )
        assert counted[0] == counted[1], scenario


def test_the_state_after_the_last_event_is_the_one_that_clauses_left(page):
    open_scenario(page, {"algorithm": "raft-election", "topology": {"ids": [1, 2, 3]}})
    page.evaluate("habemus.seek(habemus.run.events.length - 1)")
    fields = page.evaluate("habemus.model.stateAt(0, habemus.cursor)[0].fields")
    assert fields["leader"] == page.evaluate("habemus.run.leader") and fields["term"] >= 1
    page.evaluate("habemus.seek(-1)")
    assert page.evaluate("habemus.model.stateAt(0, -1)[0].fields") == page.evaluate(
        "Object.values(habemus.run.initial[habemus.run.ids[0]])[0]"
    )


def test_a_crash_takes_all_but_the_durable_fields(page):
    crash = {"do": "crash", "at": 400, "process": 2}
    recover = {"do": "recover", "at": 450, "process": 2}
    open_scenario(page, {"algorithm": "raft-election", "topology": {"ids": [1, 2, 3]}, "faults": [crash, recover]})
    back = page.evaluate("habemus.run.events.findIndex((event) => event.kind === 'recover' && event.process === 2)")
    before, after = (
        page.evaluate(f"habemus.model.stateAt(habemus.model.seatOf.get(2), {event})[0].fields")
        for event in (back - 1, back)
    )
    durable = page.evaluate("Object.values(habemus.run.durable)[0]")
    initial = page.evaluate("Object.values(habemus.run.initial['2'])[0]")
    assert durable and all(after[name] == before[name] for name in durable)
    changed = page.evaluate(f"habemus.run.events[{back}].changed ?? {{}}")
    assert all(after[name] == initial[name] for name in after if name not in durable and name not in changed)


def test_it_stops_where_a_property_breaks_and_says_why_with_the_witness_lit_up(page):
    open_named(page, TWO_INSIDE)
    page.evaluate("habemus.setSpeed(32)")
    page.click("#play")
    until(page, "!habemus.playing && !document.getElementById('banner').hidden")
    broken = page.evaluate("habemus.run.properties.find((p) => p.verdict === false)")
    assert page.evaluate("habemus.cursor") == next(event for event, state in broken["strip"] if state == "violated")
    assert broken["witness"]["text"][1:] in page.locator("#banner").inner_text()
    assert page.evaluate("[...habemus.page.diagram.witness.events]") == broken["witness"]["events"]
    assert page.locator('#stage .node[data-witness="true"]').count() == len(broken["witness"]["processes"])
    page.locator("#banner [data-t='violated.on']").click()
    until(page, "habemus.cursor === habemus.run.events.length - 1")


def test_what_is_not_promised_is_observed_greyed_and_stops_nothing(page):
    open_scenario(page, {"algorithm": "invitation", "topology": {"n": 3}, "until": 400})
    observed = page.evaluate("habemus.run.properties.filter((p) => p.verdict === false).map((p) => p.name)")
    assert "uniqueness" in observed
    assert page.locator(".strip.observed").count() == 2 and page.locator(".strip.violated").count() == 0
    page.evaluate("habemus.setSpeed(32)")
    page.click("#play")
    until(page, "habemus.cursor === habemus.run.events.length - 1", 60.0)
    assert page.locator("#banner").is_hidden()
    page.click("[data-sheet=figures]")
    assert "not promised; " in page.locator("#sheet").inner_text()
    assert page.locator("#sheet .violated").count() == 0
    page.click("#language")
    until(page, "document.getElementById('sheet').innerText.includes('não prometida; ')")
    page.locator(".strip.observed .name").first.click()
    assert page.locator("#banner").is_hidden()


def test_a_broken_property_can_be_gone_to_from_its_strip(page):
    open_named(page, TWO_INSIDE)
    page.locator(".strip.violated .name").click()
    assert page.locator("#banner").is_visible() and page.evaluate("habemus.cursor") > 0
    page.locator("#banner .close").click()
    assert not page.locator("#banner").is_visible()


def test_time_runs_both_ways_by_button_slider_and_key(page):
    open_scenario(page, BULLY)
    for selector, cursor in (("#next", 0), ("#next", 1), ("#back", 0), ("#start", -1)):
        page.click(selector)
        assert page.evaluate("habemus.cursor") == cursor
    page.click("#end")
    assert page.evaluate("habemus.cursor === habemus.run.events.length - 1")
    page.locator("#scrubber").fill("0.5")
    middle = page.evaluate("habemus.cursor")
    assert 0 < middle < page.evaluate("habemus.run.events.length - 1")
    page.keyboard.press("ArrowRight")
    page.keyboard.press(".")
    assert page.evaluate("habemus.cursor") == middle + 2
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("habemus.cursor") == middle + 1
    page.keyboard.press("Home")
    page.keyboard.press("Shift+ArrowRight")
    at = page.evaluate("habemus.cursor")
    assert page.evaluate(f"habemus.run.events[{at}].time < habemus.run.events[{at} + 1].time")
    page.keyboard.press("Shift+ArrowLeft")
    assert page.evaluate("habemus.cursor") == -1


def test_everything_by_keyboard_alone(page):
    open_scenario(page, BULLY)
    page.keyboard.press("Space")
    until(page, "habemus.cursor > 5")
    page.keyboard.press("Space")
    assert not page.evaluate("habemus.playing")
    page.evaluate("habemus.seek(5)")
    page.keyboard.press("m")
    message = page.evaluate("habemus.selected.message")
    page.keyboard.press("d")
    until(page, "habemus.branch.parent !== null")
    assert page.evaluate("habemus.branch.scenario.faults") == [{"do": "drop", "at": 1, "message": message}]
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset?.id") == "4":
            break
    assert page.evaluate("habemus.selected.process") == 4
    page.keyboard.press("c")
    until(page, "habemus.branch.scenario.faults.at(-1).do === 'crash'")
    page.evaluate("habemus.seek(habemus.run.events.findIndex((event) => event.kind === 'crash'))")
    page.keyboard.press("r")
    until(page, "habemus.branch.scenario.faults.at(-1).do === 'recover'")
    page.keyboard.press("f")
    until(page, "habemus.branch.scenario.faults.at(-1).do === 'partition'")
    page.evaluate("habemus.select({process: 2})")
    page.keyboard.press("p")
    until(page, "habemus.branch.scenario.faults.at(-1).do === 'pause'")
    page.evaluate("document.querySelector('#stage .node').focus()")
    page.keyboard.press("Enter")
    assert menu_item(page, "crash").is_visible()
    page.keyboard.press("Escape")
    assert menu_item(page, "crash").count() == 0
    page.evaluate("document.querySelector('#rail .branch').focus()")
    page.keyboard.press("Enter")
    assert page.evaluate("habemus.branch.parent") is None
    page.keyboard.press("/")
    page.keyboard.type("announce")
    assert page.evaluate("document.activeElement.id") == "search"


def test_all_that_acts_can_be_reached_by_tab(page):
    open_scenario(page, BULLY, at=5)
    wanted = {"run", "share", "export", "language", "theme", "help", "play", "next", "back", "scrubber", "speed"}
    seen = set()
    for _ in range(90):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.id || document.activeElement.dataset?.id || ''"))
    assert wanted <= seen and {"1", "2", "3", "4", "5"} <= seen


def test_pointing_at_an_event_lights_up_its_causal_past_and_future(page):
    open_scenario(page, {"algorithm": "chang-roberts", "topology": {"ids": [3, 1, 4, 2, 5]}}, at=12)
    page.wait_for_timeout(300)
    point = page.evaluate("habemus.page.diagram.pointing.pointOf(12)")
    box = page.locator("#diagram canvas").bounding_box()
    page.mouse.move(box["x"] + point["x"], box["y"] + point["y"])
    until(page, "habemus.page.diagram.lit !== null")
    past = page.evaluate("[...habemus.page.diagram.lit.past].flatMap((bit, i) => (bit ? [i] : []))")
    future = page.evaluate("[...habemus.page.diagram.lit.future].flatMap((bit, i) => (bit ? [i] : []))")
    parents = page.evaluate("habemus.run.events.map((event) => event.parents ?? [])")
    assert past == ancestors(12, parents)
    assert future == [event for event in range(len(parents)) if 12 in ancestors(event, parents)]
    page.mouse.move(2, 2)
    until(page, "habemus.page.diagram.lit === null")


def ancestors(event, parents):
    found, ahead = {event}, [event]
    while ahead:
        new = set(parents[ahead.pop()]) - found
        found |= new
        ahead += new
    return sorted(found)


def test_a_click_on_an_event_goes_there_and_shows_what_it_changed(page):
    open_scenario(page, BULLY, at=10)
    page.wait_for_timeout(300)
    point = page.evaluate("habemus.page.diagram.pointing.pointOf(2)")
    box = page.locator("#diagram canvas").bounding_box()
    page.mouse.click(box["x"] + point["x"], box["y"] + point["y"])
    assert page.evaluate("habemus.cursor") == 2
    changed = page.evaluate("habemus.run.events[2].changed")
    assert changed and page.locator("#sheet tr.changed").count() == len(changed)


@pytest.mark.parametrize("algorithm", ["bully", "chang-roberts", "ricart-agrawala"])
def test_no_two_labels_of_the_diagram_overlap(page, algorithm):
    for n in (3, 5, 8):
        open_scenario(page, {"algorithm": algorithm, "topology": {"n": n}})
        until(page, f"habemus.run.ids.length === {n}")
        page.wait_for_timeout(200)
        corners = page.evaluate(
            """(() => {
              const {diagram} = habemus.page;
              diagram.paint();
              return [...diagram.tiles.labels.values()].flat().map((label) => label.corners);
            })()"""
        )
        assert corners
        boxes = [list(zip(flat[::2], flat[1::2], strict=True)) for flat in corners]
        assert not [pair for pair in itertools.combinations(boxes, 2) if overlap(*pair)], n


def overlap(one, other):
    """Whether two convex shapes overlap: no edge of either separates them."""
    for shape in (one, other):
        for (x1, y1), (x2, y2) in zip(shape, shape[1:] + shape[:1], strict=True):
            sides = [[(x - x1) * (y2 - y1) - (y - y1) * (x2 - x1) for x, y in corners] for corners in (one, other)]
            if max(sides[0]) <= min(sides[1]) or max(sides[1]) <= min(sides[0]):
                return False
    return True


def test_the_source_shows_the_running_clause(page):
    open_scenario(page, {"algorithm": "chang-roberts", "topology": {"n": 5}})
    page.click("[data-sheet=source]")
    index = page.evaluate("habemus.run.events.findIndex((event) => event.clause === 'weigh_candidate')")
    page.evaluate(f"habemus.seek({index})")
    until(page, "document.querySelectorAll('.source .running').length > 3")
    assert "def weigh_candidate" in page.locator(".source").inner_text()
    assert "weigh_candidate" in " ".join(page.locator(".source .running").all_inner_texts())


def test_the_events_are_told_in_both_languages(page):
    open_scenario(page, BULLY, at=6)
    page.click("[data-sheet=events]")
    assert "gets" in page.locator(".events .now").inner_text()
    page.click("#language")
    until(page, "document.documentElement.lang === 'pt-BR'")
    assert "recebe" in page.locator(".events .now").inner_text()
    assert page.locator("#run").inner_text() == "Executar"
    for kind in ("election", "mutex", "detector"):
        unknown = page.evaluate(
            f"""(async () => {{
              const names = habemus.catalogue.algorithms.filter((entry) => entry.kind === "{kind}").map((e) => e.name);
              const found = [];
              for (const algorithm of names) {{
                await habemus.openScenario({{algorithm, topology: {{n: 4}}}}, {{at: 0}});
                for (let i = 0; i < Math.min(60, habemus.run.events.length); i++) habemus.seek(i);
                const text = document.body.innerText;
                if (/event\\.|fault\\.|role\\.|property\\.|figures\\./.test(text)) found.push(algorithm);
              }}
              return found;
            }})()"""
        )
        assert unknown == []


def test_the_language_of_the_browser_is_the_language_of_the_page(open_page):
    page = open_page(locale="pt-BR")
    assert page.evaluate("document.documentElement.lang") == "pt-BR"
    assert page.locator("#run").inner_text() == "Executar"


def test_dark_and_light_follow_the_browser_and_the_button(open_page):
    page = open_page(color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(20, 23, 28)"
    page.click("#theme")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"


def test_where_motion_is_unwanted_messages_jump(open_page):
    page = open_page(reduced_motion="reduce")
    page.evaluate("habemus.pause()")
    open_scenario(page, BULLY, at=4)
    where = "habemus.page.stage.messages.pointOf(habemus.model.transmissions[0])"
    before = page.evaluate(where)
    page.evaluate("habemus.seekPosition(habemus.position + 10)")
    page.wait_for_timeout(100)
    assert page.evaluate(where) == before


def test_who_cannot_see_finds_tables(page):
    open_scenario(page, BULLY, at=12)
    until(page, "document.querySelectorAll('#diagram table tbody tr').length === 13")
    rows = page.locator("#stage table tbody tr")
    assert rows.count() == 5 and "candidate" in rows.nth(0).inner_text()
    assert page.evaluate("document.getElementById('announcer').textContent").startswith("1: ")


def test_on_a_narrow_screen_each_part_has_its_tab(open_page):
    page = open_page(width=390, height=844)
    page.evaluate("habemus.pause()")
    for pane in ("diagram", "drawer", "stage"):
        page.click(f"#panes [data-pane={pane}]")
        assert [page.locator(f"#{name}").is_visible() for name in ("stage", "diagram", "drawer")].count(True) == 1
        assert page.locator(f"#{pane}").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_behind_another_pane_the_stage_takes_on_a_larger_run_without_an_error(open_page):
    page = open_page(width=390, height=844)
    open_scenario(page, {"algorithm": "bully", "topology": {"ids": [1, 2]}})
    page.click("#panes [data-pane=diagram]")
    open_scenario(page, {"algorithm": "bully", "topology": {"ids": [1, 2, 3, 4, 5]}}, at=6)
    until(page, "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))))")
    page.click("#panes [data-pane=stage]")
    until(page, "habemus.page.stage.at?.length === 5 && document.querySelectorAll('#stage .node').length === 5")
