"""Smooth: frames a second while it plays, and how soon a long run is on the screen; measured in the browser, printed."""

import pytest
from pages import open_scenario, until

SIXTEEN = {"algorithm": "chang-roberts", "topology": {"kind": "ring", "n": 16, "order": "worst"}}
HUNDRED = {"algorithm": "chang-roberts", "topology": {"kind": "ring", "n": 100, "order": "worst"}}
ATTEMPTS = 4  # the machine may be busy with other things; the best of these tells what the page can do


@pytest.mark.parametrize("scenario, least", [(SIXTEEN, 55), (HUNDRED, 30)], ids=["n=16", "n=100, 5250 events"])
def test_it_plays_smoothly(page, capsys, scenario, least):
    open_scenario(page, scenario)
    best = {"fps": 0}
    for _ in range(ATTEMPTS):
        page.evaluate("habemus.seek(-1); habemus.play()")
        page.wait_for_timeout(300)
        page.evaluate("habemus.frames.reset()")
        page.wait_for_timeout(2500)
        seen = page.evaluate("(({fps, slowest, labour}) => ({fps, slowest, labour}))(habemus.frames)")
        page.evaluate("habemus.pause()")
        best = max(best, seen, key=lambda measured: measured["fps"])
        if best["fps"] >= least:
            break
    with capsys.disabled():
        print(
            f"\n{len(page.evaluate('habemus.run.ids'))} processes, {page.evaluate('habemus.run.events.length')} events: "
            f"{best['fps']:.0f} frames a second, 99 of 100 within {best['slowest']:.0f} ms, {best['labour']:.1f} ms of work each"
        )
    assert best["fps"] >= least


def test_five_thousand_events_are_on_the_screen_within_a_second_and_scrubbing_answers_at_once(page, capsys):
    taken = []
    for _ in range(ATTEMPTS):
        taken.append(
            page.evaluate(
                """(async (scenario) => {
                  const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
                  const begun = performance.now();
                  await habemus.openScenario(scenario, {at: -1});
                  await frame(); await frame();
                  return performance.now() - begun;
                })""",
                HUNDRED,
            )
        )
    assert page.evaluate("habemus.run.events.length") > 5000
    scrubbed = page.evaluate(
        """(async () => {
          const times = [];
          for (let k = 0; k < 40; k++) {
            const begun = performance.now();
            habemus.seekPosition((habemus.model.length * ((k * 7) % 40)) / 40);
            await new Promise((drawn) => requestAnimationFrame(drawn));
            times.push(performance.now() - begun);
          }
          return times.sort((a, b) => a - b)[20];
        })()"""
    )
    with capsys.disabled():
        print(f"\n5250 events: on the screen after {min(taken):.0f} ms; a jump is drawn after {scrubbed:.0f} ms")
    assert min(taken) < 1000
    assert scrubbed < 100
    until(page, "habemus.page.diagram.tiles.size > 0")
