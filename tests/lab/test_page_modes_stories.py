"""The guided stories: what they say exists, in both languages, and they lead through runs that are alive."""

import json

import pytest
from pages import until

FACTS = """async () => {
  const { stories, scenarioAt, applyTrial } = await import("/static/modes/story.js");
  const { findMoment } = await import("/static/stories/moments.js");
  const { get, post } = await import("/static/store/api.js");
  const runs = new Map();
  const runOf = async (name) => {
    if (!runs.has(name)) runs.set(name, await post("/api/run", { scenario: await get(`/api/scenarios/${name}`) }));
    return runs.get(name);
  };
  const facts = [];
  for (const story of stories) {
    for (let number = 0; number < story.steps.length; number++) {
      const step = story.steps[number];
      const scenario = scenarioAt(story, number);
      const run = await runOf(scenario);
      const at = findMoment(run, step.at);
      const tries = [];
      for (const trial of step.tries ?? []) {
        const time = run.events[at] ? run.events[at].time + 1 : 0;
        const { leader, properties } = await post("/api/run", { scenario: applyTrial(run.scenario, trial, time) });
        const broken = properties.filter((each) => each.verdict === false).map((each) => each.name);
        tries.push({ label: trial.label, promise: trial, leader, broken });
      }
      const light = step.light ? findMoment(run, step.light) : -1;
      const { en, pt, messages: said } = step;
      facts.push({ story: story.name, number, scenario, at, light, en, pt, tries, messages: run.messages, said });
    }
  }
  return { facts, titles: stories.map((story) => story.title) };
}"""


@pytest.fixture(scope="module")
def told(browser, server):
    """Every step of every story, its moment looked up in a run that the lab has just made."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(server)
    until(page, "window.habemus?.catalogue")
    yield page.evaluate(FACTS)
    context.close()


def test_the_eight_stories_of_the_lecture_notes_are_told(told):
    wanted = {"bully", "symmetry", "chang-roberts", "franklin", "yoyo", "slow-holder", "amnesia", "weight"}
    assert wanted <= {fact["story"] for fact in told["facts"]}


def test_every_moment_of_every_story_exists_in_its_run(told):
    missing = [(fact["story"], fact["number"]) for fact in told["facts"] if fact["at"] is None or fact["light"] is None]
    assert missing == []


def test_a_story_never_goes_back_in_time_within_a_run(told):
    before = {}
    for fact in told["facts"]:
        key = fact["story"], fact["scenario"]
        assert fact["at"] > before.get(key, -2), (fact["story"], fact["number"])
        before[key] = fact["at"]


def test_every_step_is_told_in_both_languages(told):
    for fact in told["facts"]:
        for language in ("en", "pt"):
            head, text = fact[language]
            assert len(head) > 3 and len(text) > 20, (fact["story"], fact["number"], language)
        assert fact["en"][1] != fact["pt"][1]
        assert all(set(trial["label"]) == {"en", "pt"} for trial in fact["tries"])
    assert all(title["en"] != title["pt"] for title in told["titles"])


def test_numbers_are_the_same_in_both_languages(told):
    """A figure that was corrected in one language only would be a false one in the other."""
    for fact in told["facts"]:
        figures = [sorted(numbers_in(fact[language][1])) for language in ("en", "pt")]
        assert figures[0] == figures[1], (fact["story"], fact["number"])


def numbers_in(text):
    """The numbers of two digits and more; shorter ones are also names of processes, which a sentence may repeat."""
    plain = "".join(" " if letter not in "0123456789,." else letter for letter in text)
    return [word.replace(",", "").replace(".", "") for word in plain.split() if sum(c.isdigit() for c in word) > 1]


def test_the_messages_that_a_story_counts_are_those_of_the_run(told):
    counted = [fact for fact in told["facts"] if fact.get("said") is not None]
    assert len(counted) >= 5
    for fact in counted:
        assert fact["messages"] == fact["said"] and str(fact["said"]) in fact["en"][1], (fact["story"], fact["number"])


def test_what_a_story_offers_to_try_turns_out_as_it_says(told):
    tried = [(fact["story"], trial) for fact in told["facts"] for trial in fact["tries"]]
    assert len(tried) >= 8
    for story, trial in tried:
        promise = trial["promise"]
        assert {"leader", "violated", "holds"} & set(promise), story
        if "leader" in promise:
            assert trial["leader"] == promise["leader"], (story, trial["label"]["en"])
        if "violated" in promise:
            assert promise["violated"] in trial["broken"], (story, trial["label"]["en"])
        if "holds" in promise:
            assert promise["holds"] not in trial["broken"], (story, trial["label"]["en"])


def test_next_leads_through_every_story_to_its_end(open_page, told):
    page = open_page("#mode=story", reduced_motion="reduce")
    names = list(dict.fromkeys(fact["story"] for fact in told["facts"]))
    page.locator(".story-list .story-card").first.click()
    for name in names:
        steps = [fact for fact in told["facts"] if fact["story"] == name]
        for fact in steps:
            head = fact["en"][0].replace("*", "").replace("`", "")
            until(page, f"document.querySelector('.story-text h2')?.textContent === {json.dumps(head)}")
            until(page, f"habemus.cursor === {fact['at']}")
            page.locator("#story-next").click()


def test_back_returns_and_a_dot_leads_anywhere(open_page):
    page = open_page("#story=bully:3", reduced_motion="reduce")
    until(page, "document.querySelector('.story-text h2')?.textContent.startsWith('2 · ')")
    here = page.evaluate("habemus.cursor")
    page.locator("#story-next").click()
    until(page, f"habemus.cursor > {here}")
    page.locator("#story-back").click()
    until(page, f"habemus.cursor === {here}")
    page.locator(".dots .dot").last.click()
    until(page, "habemus.cursor === habemus.run.events.length - 1")


def test_a_story_is_read_by_keyboard_alone(open_page):
    page = open_page("#story=franklin:1", reduced_motion="reduce")
    until(page, "document.querySelector('#story-next')")
    page.locator("#story-next").focus()
    for step in (2, 3, 4):
        page.keyboard.press("Enter")
        until(page, f"document.querySelector('.story-progress .soft').textContent.startsWith('{step} of')")
        assert page.evaluate("document.activeElement.id") == "story-next"


def test_next_lets_time_run_up_to_the_next_moment(open_page):
    page = open_page("#story=chang-roberts:1")
    page.locator(".dots .dot").nth(4).click()
    until(page, "habemus.cursor === 3")
    page.evaluate("void habemus.on('cursor', (cursor) => (window.seen ??= []).push(cursor))")
    page.locator("#story-next").click()
    until(page, "habemus.cursor === 11")
    seen = page.evaluate("window.seen")  # a busy machine may show two events in one frame
    assert seen == sorted(set(seen)) and (seen[0], seen[-1]) == (4, 11) and len(seen) > 4


def test_the_run_of_a_story_is_alive_and_the_story_finds_back(open_page):
    page = open_page("#story=bully:9", reduced_motion="reduce")
    until(page, "habemus.run.algorithm === 'bully' && habemus.cursor === habemus.run.events.length - 1")
    digest = page.evaluate("habemus.run.digest")
    assert page.locator(".story-return").is_hidden()
    page.locator(".try", has_text="Let 5 come back").click()
    until(page, "habemus.branch.title === 'Let 5 come back' && habemus.run.leader === 5")
    assert page.evaluate("habemus.run.digest") != digest
    page.locator(".story-return").click()
    until(page, f"habemus.run.digest === {json.dumps(digest)} && habemus.cursor === habemus.run.events.length - 1")
    assert page.evaluate("habemus.branches.some((branch) => branch.title === 'Let 5 come back')")


def test_a_story_changes_its_language_where_it_stands(open_page):
    page = open_page("#story=yoyo:6", reduced_motion="reduce")
    until(page, "document.querySelector('.story-text h2')?.textContent.startsWith('c) Yo–')")
    here = page.evaluate("habemus.cursor")
    page.locator("#language").click()
    until(page, "document.querySelector('.story-text h2')?.textContent.startsWith('c) Ida')")
    assert page.evaluate("habemus.cursor") == here
    assert "vertedouros" in page.locator(".story-text").inner_text()


def test_on_a_narrow_screen_the_text_is_below_the_stage(open_page):
    page = open_page("#story=bully:3", width=390, height=800, reduced_motion="reduce")
    until(page, "document.querySelector('.story-text h2')?.textContent.startsWith('2 · ')")
    stage, text = page.locator("#stage").bounding_box(), page.locator("#panel").bounding_box()
    assert stage["height"] > 150 and text["height"] > 150
    assert text["y"] >= stage["y"] + stage["height"] - 1
    assert page.locator("#story-next").is_visible()
