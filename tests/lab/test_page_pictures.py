"""What stage and diagram show: colours by declaration, labels where there is room, nothing that is hidden."""

from pages import go, open_named, open_scenario, until

from habemus.catalogue import find_algorithm
from habemus.process.anatomy import dissect, messages_of

BULLY = {"algorithm": "bully", "topology": {"ids": [1, 2, 3, 4, 5]}}
RAFT = {"algorithm": "raft-election", "topology": {"ids": [1, 2, 3, 4, 5]}}
KINDS = "Object.fromEntries(habemus.model.transmissions.map((each) => [each.envelope.type, each.kind]))"


def test_a_type_of_messages_has_the_colour_of_its_place_in_the_algorithm_in_every_run(page):
    declared = [message.__name__ for message in messages_of(dissect(find_algorithm("bully")))]
    open_scenario(page, BULLY)
    all_start = page.evaluate(KINDS)
    open_scenario(page, {**BULLY, "starters": [5]})
    one_starts = page.evaluate(KINDS)
    assert len(all_start) > len(one_starts) > 0
    for kinds in (all_start, one_starts):
        assert all(declared[kind] == name for name, kind in kinds.items())
    open_named(page, "split-brain-bully")
    below = "habemus.model.types.filter((type, kind) => habemus.model.isBelow(kind))"
    assert set(declared) | {"Alive"} <= set(page.evaluate(below)), "messages of lower layers have a line of their own"


def test_types_are_hidden_and_shown_by_the_legend(page):
    open_scenario(page, BULLY, at=4)
    drawn = "habemus.page.stage.messages.transmissions.map((each) => each.envelope.type)"
    until(page, f"{drawn}.includes('ElectionCall')")
    call = page.locator(".legend button[data-type=ElectionCall]")
    call.focus()
    page.keyboard.press("Enter")
    until(page, f"!{drawn}.includes('ElectionCall')")
    arrows = (
        "(() => { const {diagram} = habemus.page; return diagram.inView(habemus.model, diagram.frame, 0, 1e6)"
        ".transmissions.filter((each) => each.envelope.type === 'ElectionCall').length; })()"
    )
    assert page.evaluate(arrows) == 0
    page.locator(".legend button[data-type=ElectionCall]").click()
    assert page.evaluate(arrows) > 0


def test_a_legend_of_many_types_is_unfolded_and_all_of_them_can_be_hidden(page):
    open_named(page, "group-paused-holder")
    seen = page.evaluate("habemus.model.typesSeen")
    folding, items = page.locator(".legend .folding"), page.locator(".legend [data-type]")
    assert len(seen) > 9 and items.count() == 8 and folding.inner_text() == f"{len(seen) - 8} more"
    folding.focus()
    page.keyboard.press("Enter")
    assert [item.get_attribute("data-type") for item in items.all()] == seen
    items.last.click()
    assert page.evaluate("[...habemus.hidden]") == seen[-1:]
    folding.click()
    assert items.count() == 8 and page.evaluate("document.activeElement.className") == "folding"


def test_on_a_crowded_stage_dots_take_the_place_of_labels(page):
    for n, labelled in ((5, True), (8, False)):
        open_scenario(page, {"algorithm": "bully", "topology": {"n": n}}, at=n - 1)
        page.evaluate("habemus.seekPosition(habemus.position + 30)")
        until(page, "habemus.page.stage.messages.transmissions.length > 8")
        assert (page.evaluate("habemus.page.stage.messages.shown.size") > 0) == labelled
    assert page.locator(".legend button").count() >= 2


def test_a_message_has_the_same_label_wherever_it_has_one(page):
    open_scenario(page, RAFT, at=40)
    page.wait_for_timeout(100)
    labels = page.evaluate(
        "habemus.page.diagram.tiles.labelsInView.filter((each) => each.kind !== undefined).map((each) => each.text)"
    )
    known = set(
        page.evaluate(
            """import("/static/model/values.js").then(({labelOf}) =>
              habemus.model.transmissions.map((each) => labelOf(each.envelope)))"""
        )
    )
    assert labels and set(labels) <= known


def test_what_goes_on_for_ever_is_told_from_an_election(page):
    open_scenario(page, RAFT)
    found = page.evaluate(
        """import("/static/model/routine.js").then(({findPeriodic, isRoutine}) => {
          const periodic = findPeriodic(habemus.run.events);
          return [[...periodic].sort(), habemus.run.events.filter((event) => !isRoutine(event, periodic)).length];
        })"""
    )
    assert found[0] == ["Answer", "Heartbeat"]
    assert found[1] < page.evaluate("habemus.run.events.length") / 3
    go(page, "watch")
    assert page.evaluate("habemus.hidden.size") == 0, "only live mode hides it by itself"
