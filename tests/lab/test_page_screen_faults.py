"""Faults by hand: each by click, each a branch that continues from this moment; none changes what was seen."""

import pytest
from pages import menu_item, open_scenario, point_of_link, point_of_message, point_of_process, until

BULLY = {"algorithm": "bully", "topology": {"ids": [1, 2, 3, 4, 5]}}
SLOW_RING = {"algorithm": "chang-roberts", "topology": {"ids": [3, 1, 4, 2, 5]}, "network": {"delay": "constant:10"}}
LOCK = {"algorithm": "ricart-agrawala", "topology": {"ids": [1, 2, 3]}, "demand": {"kind": "idle"}}


def branch(page):
    """What became of the run: the last fault or call, how far it equals its parent, where it stands."""
    until(page, "habemus.branch.parent !== null && !habemus.busy")
    return page.evaluate(
        """(() => {
          const {scenario, divergence, from, parent} = habemus.branch;
          const seenIn = (run) => JSON.stringify(run.events.slice(0, from + 1));
          return {
            fault: scenario.faults?.at(-1) ?? null, call: scenario.workload?.at(-1) ?? null,
            divergence, from, cursor: habemus.cursor, seen: seenIn(habemus.run) === seenIn(parent.run),
            kinds: habemus.run.events.slice(from + 1).map((event) => event.kind),
          };
        })()"""
    )


def click(page, point):
    page.mouse.click(*point)


@pytest.mark.parametrize("action", ["crash", "pause", "skew", "drift"])
def test_a_fault_of_a_process_by_click(page, action):
    open_scenario(page, BULLY, at=8)
    click(page, point_of_process(page, 3))
    menu_item(page, action).click()
    became = branch(page)
    assert became["fault"]["do"] == action and became["fault"]["process"] == 3
    assert became["seen"] and became["cursor"] == became["from"] == 8
    assert became["divergence"] > became["from"]
    assert action in became["kinds"]


def test_a_crashed_process_can_be_recovered_and_a_paused_one_resumed_by_click(page):
    open_scenario(page, BULLY, at=8)
    for first, then in (("crash", "recover"), ("pause", "resume")):
        click(page, point_of_process(page, 2))
        menu_item(page, first).click()
        branch(page)
        until(page, f"habemus.branch.scenario.faults.at(-1).do === '{first}'")
        page.evaluate(f"habemus.seek(habemus.run.events.findLastIndex((event) => event.kind === '{first}'))")
        click(page, point_of_process(page, 2))
        assert menu_item(page, first).count() == 0
        menu_item(page, then).click()
        until(page, f"habemus.branch.scenario.faults.at(-1).do === '{then}'")
        assert then in branch(page)["kinds"]
        page.evaluate("habemus.seek(habemus.run.events.length - 1)")


@pytest.mark.parametrize("action", ["deliver", "delay", "drop", "duplicate"])
def test_a_fault_of_a_message_under_way_by_click(page, action):
    open_scenario(page, SLOW_RING, at=4)
    page.evaluate("habemus.seekPosition(habemus.position + 20)")
    message = page.evaluate("habemus.model.transmissions[2].envelope.message")
    shown = page.evaluate("Math.floor(habemus.model.timeAt(habemus.position))")
    assert 1 < shown < 10
    click(page, point_of_message(page, message))
    menu_item(page, action).click()
    became = branch(page)
    assert became["fault"]["do"] == action and became["fault"]["message"] == message
    assert became["seen"]
    fates = page.evaluate(
        f"habemus.model.transmissionsOf.get({message}).map((f) => [f.fate, habemus.model.timeOf(f.end)])"
    )
    expected = {"deliver": [[0, shown]], "delay": [[0, 30]], "drop": [[1, shown]], "duplicate": [[0, 10], [0, 10]]}
    assert fates == expected[action]


@pytest.mark.parametrize(
    "action, cut",
    [("cut", ["1 2", "2 1"]), ("cut-there", ["1 2"]), ("cut-back", ["2 1"])],
)
def test_a_link_is_cut_both_ways_or_one_way_by_click(page, action, cut):
    open_scenario(page, BULLY, at=4)
    click(page, point_of_link(page, 1, 2))
    menu_item(page, action).click()
    became = branch(page)
    assert became["fault"]["do"] == "cut" and became["seen"]
    page.evaluate("habemus.seek(habemus.run.events.findIndex((event) => event.kind === 'cut'))")
    assert page.evaluate("[...habemus.model.cutsAt(habemus.cursor).keys()].sort()") == cut


def test_a_cut_link_is_healed_and_another_slowed_by_click(page):
    open_scenario(page, BULLY | {"faults": [{"do": "cut", "at": 0, "links": [[1, 2]]}]}, at=6)
    click(page, point_of_link(page, 1, 2))
    menu_item(page, "heal").click()
    assert branch(page)["fault"] == {"do": "heal", "at": 1, "links": [[1, 2]]}
    click(page, point_of_link(page, 3, 4))
    menu_item(page, "slow").click()
    until(page, "habemus.branch.scenario.faults.at(-1).do === 'slow'")
    assert branch(page)["fault"]["links"] == [[3, 4]]


def test_some_processes_are_parted_from_the_others_with_a_lasso(page):
    open_scenario(page, BULLY, at=4)
    (x1, y1), (x2, y2) = point_of_process(page, 4), point_of_process(page, 5)
    left, right, top, bottom = min(x1, x2) - 28, max(x1, x2) + 28, min(y1, y2) - 28, max(y1, y2) + 28
    page.mouse.move(left, top)
    page.mouse.down()
    for corner in ((right, top), (right, bottom), (left, bottom), (left, top)):
        page.mouse.move(*corner, steps=6)
    page.mouse.up()
    assert page.evaluate("habemus.selected.processes") == [4, 5]
    menu_item(page, "partition").click()
    became = branch(page)
    assert became["fault"]["groups"] == [[4, 5], [1, 2, 3]] and "partition" in became["kinds"]


def test_an_election_is_called_by_click_and_whoever_started_still_does(page):
    open_scenario(page, BULLY, at=-1)
    page.evaluate("habemus.seek(habemus.run.events.length - 1)")
    click(page, point_of_process(page, 2))
    menu_item(page, "election").click()
    became = branch(page)
    assert became["call"]["who"] == [2] and became["seen"] and became["kinds"]


def test_the_lock_is_asked_for_by_click(page):
    open_scenario(page, LOCK, at=-1)
    click(page, point_of_process(page, 2))
    menu_item(page, "acquire").click()
    became = branch(page)
    assert became["call"]["call"] == "acquire" and became["call"]["hold"] == 10
    until(page, "habemus.run.events.some((event) => event.role === 'inside')")
    page.evaluate("habemus.seek(habemus.run.events.findIndex((event) => event.role === 'inside'))")
    until(page, "document.querySelector('#stage .node[data-id=\"2\"]').dataset.role === 'inside'")


def test_a_fault_that_makes_no_sense_is_refused_in_a_sentence_and_no_branch_is_made(page):
    open_scenario(page, BULLY, at=4)
    click(page, point_of_link(page, 1, 2))
    menu_item(page, "slow").locator("xpath=..").locator("input").fill("at a snail's pace")
    menu_item(page, "slow").click()
    until(page, "!document.getElementById('banner').hidden")
    assert "delay" in page.locator("#banner").inner_text()
    assert page.evaluate("habemus.branch.parent") is None


def fill_in(page, action, text):
    """Write something beside an entry of the menu, and choose it."""
    menu_item(page, action).locator("xpath=..").locator("input").fill(text)
    menu_item(page, action).click()


@pytest.mark.parametrize(
    "action, nonsense, said, sense, field",
    [
        ("skew", ["", "soon", "1.5", "12 ticks"], "whole number", "-7", {"by": -7}),
        ("drift", ["", "fast", "0", "-1", "Infinity"], "above 0", "0,5", {"rate": 0.5}),
    ],
)
def test_nonsense_in_a_field_of_the_menu_is_told_beside_it_and_does_nothing(page, action, nonsense, said, sense, field):
    open_scenario(page, BULLY, at=8)
    click(page, point_of_process(page, 3))
    for text in nonsense:
        fill_in(page, action, text)
        assert said in page.locator(".menu .problem:visible").inner_text()
        assert page.evaluate("document.activeElement.getAttribute('aria-invalid')") == "true"
    assert page.evaluate("habemus.branches.length") == 1
    fill_in(page, action, sense)
    assert field.items() <= branch(page)["fault"].items()
    assert page.locator(".menu").count() == 0


def test_nonsense_for_a_time_is_told_beside_its_field(page):
    open_scenario(page, LOCK, at=-1)
    click(page, point_of_process(page, 2))
    for text in ("", "0", "-3", "long"):
        fill_in(page, "acquire", text)
        assert "at least 1" in page.locator(".menu .problem:visible").inner_text()
    page.keyboard.press("Escape")
    open_scenario(page, SLOW_RING, at=4)
    page.evaluate("habemus.seekPosition(habemus.position + 20)")
    click(page, point_of_message(page, page.evaluate("habemus.model.transmissions[2].envelope.message")))
    fill_in(page, "delay", "0")
    assert "at least 1" in page.locator(".menu .problem:visible").inner_text()
    assert page.evaluate("habemus.branch.parent") is None


def test_back_on_the_first_branch_everything_is_as_it_was(page):
    open_scenario(page, BULLY, at=8)
    digest = page.evaluate("habemus.run.digest")
    click(page, point_of_process(page, 5))
    menu_item(page, "crash").click()
    branch(page)
    assert page.evaluate("habemus.run.digest") != digest
    page.evaluate("habemus.seek(20)")
    page.locator("#rail .branch").first.click()
    assert page.evaluate("habemus.run.digest") == digest
    assert page.evaluate("habemus.cursor") == 8
    page.locator("#rail .branch").nth(1).click()
    assert page.evaluate("habemus.run.digest") != digest
    assert page.evaluate("habemus.cursor") == 20


def test_what_is_done_to_the_first_run_of_the_page_hangs_on_it(page):
    first = page.evaluate("habemus.run.digest")
    page.evaluate("habemus.seek(3)")
    for count, process in enumerate((5, 2), start=2):
        click(page, point_of_process(page, process))
        menu_item(page, "crash").click()
        until(page, f"habemus.branches.length === {count} && document.querySelectorAll('.branch').length === {count}")
    page.locator(".branch").first.click()
    until(page, f"habemus.run.digest === '{first}'")


def test_two_branches_lie_side_by_side_with_the_first_difference_marked(page):
    open_scenario(page, BULLY, at=8)
    click(page, point_of_process(page, 5))
    menu_item(page, "crash").click()
    branch(page)
    page.locator("#rail .compare").first.click()
    until(page, "habemus.page.beside !== null && document.getElementById('diagram').classList.contains('split')")
    split = page.evaluate("habemus.page.diagram.divergence")
    assert split == page.evaluate("habemus.branch.divergence") == page.evaluate("habemus.page.beside.divergence")
    assert page.locator("#diagram canvas").count() == 2
    page.locator("#rail .compare").first.click()
    until(page, "habemus.page.beside === null")


def test_the_script_shows_each_fault_as_a_line_and_a_changed_line_makes_a_branch(page):
    open_scenario(page, BULLY, at=8)
    click(page, point_of_process(page, 5))
    menu_item(page, "crash").click()
    branch(page)
    page.click("[data-sheet=script]")
    assert page.locator("#script").input_value() == "at 2 crash 5"
    page.locator("#script").fill("at 2 crash 4\nat 40 recover 4\nat 41 partition 1 2 | 3 4 5\nat 90 heal")
    page.click("#run-script")
    until(page, "habemus.branches.length === 3")
    faults = page.evaluate("habemus.branch.scenario.faults")
    assert [fault["do"] for fault in faults] == ["crash", "recover", "partition", "heal"]
    page.locator("#script").fill("at 2 crash 4\nat 3 explode 5!")
    page.click("#run-script")
    assert "Line 2" in page.locator(".script .problem").inner_text()
    assert page.evaluate("habemus.branches.length") == 3


def test_a_fault_while_it_plays_lets_the_branch_play_on(page):
    open_scenario(page, SLOW_RING, at=-1)
    page.evaluate("habemus.play()")
    until(page, "habemus.cursor >= 4")
    click(page, point_of_process(page, 4))
    menu_item(page, "pause").click()
    branch(page)
    until(page, "habemus.playing")


def test_a_group_can_be_chosen_process_by_process(page):
    open_scenario(page, BULLY, at=4)
    for pid in (2, 3, 5, 3):
        page.keyboard.down("Shift")
        click(page, point_of_process(page, pid))
        page.keyboard.up("Shift")
    assert page.evaluate("habemus.selected.processes") == [2, 5]
    page.keyboard.press("f")
    assert branch(page)["fault"]["groups"] == [[2, 5], [1, 3, 4]]


# When it happens

RAFT = {"algorithm": "raft-election", "topology": {"ids": [1, 2, 3, 4, 5]}}


def test_a_fault_happens_at_the_tick_that_is_shown_between_two_events_too(page):
    open_scenario(page, RAFT)
    page.evaluate(
        """(() => {
          const {model} = habemus;
          const first = model.events.findIndex((event) => event.time > 50);
          habemus.seekPosition(model.positionAt(model.events[first].time - 5, first - 1));
        })()"""
    )
    until(page, "habemus.model.timeAt(habemus.position) > 40")
    shown = page.evaluate("Math.floor(habemus.model.timeAt(habemus.position))")
    assert page.locator("#clock b").inner_text() == str(shown)
    click(page, point_of_process(page, 3))
    assert str(shown) in page.locator(".menu .head small").inner_text()
    menu_item(page, "crash").click()
    became = branch(page)
    assert became["fault"] == {"do": "crash", "process": 3, "at": shown} and became["seen"]
    assert page.evaluate("habemus.run.events[habemus.branch.from + 1].time") == shown
    assert page.evaluate("Math.floor(habemus.model.timeAt(habemus.position))") in (shown - 1, shown)


def test_the_keys_of_the_menu_work_while_it_is_open(page):
    open_scenario(page, BULLY, at=8)
    click(page, point_of_process(page, 3))
    assert menu_item(page, "crash").locator("kbd").inner_text() == "c"
    page.keyboard.press("c")
    assert branch(page)["fault"]["do"] == "crash"
    assert page.locator(".menu").count() == 0


def test_a_crash_at_the_end_extends_the_run_until_another_leads(page):
    open_scenario(page, RAFT)
    end = page.evaluate("habemus.run.time")
    page.evaluate("habemus.seek(habemus.run.events.length - 1)")
    leader = page.evaluate("habemus.run.leader")
    click(page, point_of_process(page, leader))
    menu_item(page, "crash").click()
    branch(page)
    assert page.evaluate("habemus.run.time") > end
    assert page.evaluate("habemus.run.leader") not in (None, leader)
    assert page.evaluate("habemus.run.properties.filter((each) => each.promised && each.verdict !== true)") == []


def test_what_time_left_open_is_grey_and_no_violation(page):
    open_scenario(page, {**RAFT, "until": 20})
    strip = page.locator(".strip[data-property=termination]")
    assert "violated" not in strip.get_attribute("class")
    page.evaluate("habemus.seek(habemus.run.events.length - 1)")
    assert page.evaluate("habemus.run.properties.find((each) => each.name === 'termination').strip.at(-1)[1]") == "open"
    assert page.locator("#banner").is_hidden()
