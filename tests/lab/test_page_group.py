"""A service group in Live: its locks and members, and the story of a paused holder, on real processes."""

from pages import until
from test_page_modes_live import PATIENCE, act, pid_of, state_of

ACT = "document.querySelector('#live-story-act')"
STORE = "document.querySelector('.store').textContent"
LEADER = "document.querySelector('.locks [data-lock=scheduler] td.holder')?.textContent"

PRESENT = """new Promise((tell) => requestAnimationFrame(() => requestAnimationFrame(() => {
  const { diagram } = habemus.page;
  tell((diagram.frame.y(diagram.moment().position) - diagram.scroll.y) / diagram.height);
})))"""  # where it is in the diagram, from the upper edge (0) to the lower one


def text(page, selector):
    return page.locator(selector).inner_text()


def test_a_paused_holder_comes_back_and_its_write_is_refused(open_page):
    page = open_page("#mode=story")
    page.locator(".live-story-open").click()  # in the list of stories: the group is started for it
    until(page, "document.querySelector('.live-story') && document.querySelectorAll('.member').length === 7", PATIENCE)
    until(page, "document.querySelector('.member.leads')", PATIENCE)
    until(page, "document.querySelector('.locks [data-lock=stock] .remaining')", PATIENCE)
    assert "holds stock, with token" in text(page, ".live-story")
    told = ""
    while "The store refuses the write" not in told:  # it may have given the lock back a moment before it was paused
        until(page, f"{ACT} && !{ACT}.disabled && (document.querySelector('#live-story-act').click(), true)", PATIENCE)
        until(page, ACT, PATIENCE)
        told = text(page, ".live-story")
        if "with a higher token" in told:
            paused = int(page.locator(".member.paused").get_attribute("data-id"))
            assert state_of(pid_of(page, paused)) == "T"
            assert text(page, ".locks [data-lock=stock] td.holder") != str(paused)
    until(page, f"/and refused [1-9]/.test({STORE})", PATIENCE)
    in_view = [0 < page.evaluate(PRESENT) < 1 for _ in range(20)]
    assert in_view.count(True) > 10, "events come fast, and the present stays in view"
    page.locator("#language").click()
    until(page, "document.querySelector('.live-story h2').textContent === 'O repositório recusa a escrita'")
    assert "O repositório aceitou" in text(page, ".store") and "Votantes" in text(page, "#panel")
    page.locator("#language").click()
    page.locator("#live-story-close").click()
    until(page, "document.querySelector('#live-story')")

    leader = int(until(page, LEADER, PATIENCE))
    act(page, leader, "kill")
    until(page, f"{LEADER} && {LEADER} !== '{leader}' && !{LEADER}.includes('dead')", PATIENCE)
    until(page, f"habemus.model.processAt(habemus.model.seatOf.get({leader}), habemus.cursor).status === 'crashed'")
    page.locator("#live-stop").click()
    until(page, "document.querySelector('#live-start')", PATIENCE)
