"""Smooth: frames a second while it plays, and how soon a long run is on the screen; measured in the browser."""

import pytest
from pages import open_scenario

SIXTEEN = {"algorithm": "chang-roberts", "topology": {"kind": "ring", "n": 16, "order": "worst"}}
HUNDRED = {"algorithm": "chang-roberts", "topology": {"kind": "ring", "n": 100, "order": "worst"}}
ATTEMPTS = 4  # the machine may be busy with other things; the best of these tells what the page can do
EMPTY_FRAMES = """(async () => {
  const begun = performance.now();
  let frames = 0;
  while (performance.now() - begun < 1000) {
    await new Promise((drawn) => requestAnimationFrame(drawn));
    frames += 1;
  }
  return (1000 * frames) / (performance.now() - begun);
})()"""


@pytest.mark.parametrize("scenario, wanted", [(SIXTEEN, 58), (HUNDRED, 30)], ids=["n=16", "n=100, 5250 events"])
def test_it_plays_smoothly(page, capsys, scenario, wanted):
    open_scenario(page, scenario)
    for _ in range(ATTEMPTS):
        possible = page.evaluate(EMPTY_FRAMES)
        page.evaluate("habemus.seek(-1); habemus.play()")
        page.wait_for_timeout(300)
        page.evaluate("habemus.frames.reset()")
        page.wait_for_timeout(2500)
        seen = page.evaluate("(({fps, slowest, labour}) => ({fps, slowest, labour}))(habemus.frames)")
        page.evaluate("habemus.pause()")
        n, events = page.evaluate("[habemus.run.ids.length, habemus.run.events.length]")
        with capsys.disabled():
            print(
                f"\n{n} processes, {events} events: {seen['fps']:.0f} frames a second (empty ones: {possible:.0f}), "
                f"99 of 100 within {seen['slowest']:.0f} ms, {seen['labour']:.1f} ms of work in each"
            )
        if seen["fps"] >= min(wanted, 0.9 * possible):
            return
    pytest.fail(f"expected {wanted} frames a second, or nearly as many as there are without any work")


def test_five_thousand_events_are_within_a_second_on_the_screen_and_scrubbing_answers_at_once(page, capsys):
    taken, fetched = [], []
    for _ in range(ATTEMPTS):
        fetched.append(
            page.evaluate(
                """(async (scenario) => {
                  const begun = performance.now();
                  const answer = await fetch("/api/run", {method: "POST", body: JSON.stringify({scenario})});
                  await answer.json();
                  return performance.now() - begun;
                })""",
                HUNDRED,
            )
        )
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
    frame = 1000 / page.evaluate(EMPTY_FRAMES)
    with capsys.disabled():
        print(
            f"\n5250 events: computed and fetched in {min(fetched):.0f} ms, on the screen after {min(taken):.0f} ms; "
            f"a jump is drawn after {scrubbed:.0f} ms (an empty frame: {frame:.0f} ms)"
        )
    assert min(taken) < 1000
    assert scrubbed < 3 * frame  # a frame or two
