"""The modes: gallery, step, check, measure, your own algorithm, share, export, help; each in both languages."""

import json
import re

import pytest
from pages import MODES, go, open_named, open_scenario, until, write

from habemus.scenario import named_scenarios

KEY = re.compile(r"^[a-z]+(\.[a-z-]+)+$")


# Words


def test_both_languages_have_the_same_words(page):
    keys = page.evaluate(
        """async () => {
          const keysOf = async (path) => Object.keys((await import(`/static/words/${path}.js`)).default).sort();
          const inBoth = (name) => Promise.all([keysOf(`en/${name}`), keysOf(`pt/${name}`)]);
          return Promise.all(["screen", "modes"].map(inBoth));
        }"""
    )
    for english, portuguese in keys:
        assert english == portuguese
    assert not set(keys[0][0]) & set(keys[1][0]), "a key has its words in one place"


def test_every_named_scenario_has_a_title_and_a_sentence_in_portuguese(page):
    portuguese = page.evaluate("import('/static/words/pt/scenarios.js').then((module) => module.default)")
    assert set(portuguese) == set(named_scenarios())
    for name, (title, shows) in portuguese.items():
        assert title and shows and shows != named_scenarios()[name].shows


@pytest.mark.parametrize("language", ["en-US", "pt-BR"])
def test_no_mode_shows_the_name_of_a_word_in_place_of_the_word(open_page, language):
    page = open_page(locale=language)
    for mode in ["watch", *MODES]:
        go(page, mode)
        page.wait_for_timeout(300)
        texts = page.evaluate(
            """() => [...document.querySelectorAll("body *")].filter((each) => !each.children.length)
              .flatMap((each) => [each.textContent, each.title, each.ariaLabel, each.placeholder]).filter(Boolean)"""
        )
        assert [text for text in texts if KEY.match(text.strip())] == [], mode


def test_a_page_in_portuguese_has_modes_in_portuguese(open_page):
    page = open_page(locale="pt-BR")
    assert page.locator("#modes").inner_text().split("\n")[1:4] == ["Galeria", "Histórias", "Passo a passo"]
    go(page, "gallery")
    until(page, "document.querySelectorAll('.card').length > 50")
    assert page.locator(".card[data-name=bully-tanenbaum] strong").inner_text() == "A Figura 6.19 de Tanenbaum"
    page.locator("#language").click()
    assert page.locator(".card[data-name=bully-tanenbaum] strong").inner_text() == "Tanenbaum's Figure 6.19"


# Gallery


def test_the_gallery_shows_every_named_scenario_with_a_picture_and_a_sentence(page):
    go(page, "gallery")
    until(page, f"document.querySelectorAll('.card').length === {len(named_scenarios())}")
    for card in page.locator(".card").all()[:6]:
        card.scroll_into_view_if_needed()
    until(page, "[...document.querySelectorAll('.card img')].slice(0, 6).every((image) => image.naturalWidth > 100)")
    assert len(page.locator(".card .sentence").first.inner_text()) > 40


def test_the_gallery_is_searched_and_sorted_by_kind(page):
    go(page, "gallery")
    until(page, "document.querySelectorAll('.card').length > 50")
    page.locator("#gallery-search").fill("slow holder")
    names = [card.get_attribute("data-name") for card in page.locator(".card").all()]
    assert "coordinator-slow-holder" in names and len(names) < 8
    page.locator("#gallery-search").fill("")
    page.locator(".pill[data-kind=broken]").click()
    broken = {name for name, each in named_scenarios().items() if each.expect is not None and each.expect.violated}
    assert {card.get_attribute("data-name") for card in page.locator(".card").all()} == broken


def test_a_scenario_of_the_gallery_opens_on_the_stage(page):
    go(page, "gallery")
    page.locator(".card[data-name=quorum-amnesia]").click()
    until(page, "habemus.mode === 'watch' && habemus.run.algorithm === 'quorum'")
    assert page.evaluate("habemus.run.properties.find((each) => each.name === 'mutual_exclusion').verdict") is False


# Step


def test_in_step_mode_whoever_watches_chooses_what_happens(page):
    open_named(page, "chang-roberts-best")
    go(page, "step")
    until(page, "document.querySelectorAll('#step-choices .choice').length > 0")
    page.evaluate("document.querySelector('.step-limits').open = true")
    first = page.locator("#step-choices .choice").first
    label = first.get_attribute("data-label")
    first.click()
    until(page, "habemus.branch.scenario.schedule?.steps.length === 1")
    assert page.evaluate("habemus.branch.scenario.schedule.steps") == [label]
    assert page.evaluate("habemus.cursor") == 0


def test_who_leaves_step_mode_before_the_first_step_finds_the_run_as_it_was(page):
    first = page.evaluate("habemus.run.digest")
    go(page, "step")
    until(page, "document.querySelectorAll('#step-choices .choice').length > 0 && habemus.run.events.length === 0")
    go(page, "watch")
    until(page, f"habemus.run.digest === '{first}' && habemus.branches.length === 1")


def test_surprise_undo_and_until_a_property_changes(page):
    open_named(page, "anonymous-ring-two")
    go(page, "step")
    until(page, "document.querySelector('#step-chance')")
    page.locator("#step-chance").click()
    until(page, "habemus.branch.scenario.schedule?.steps.length === 1")
    page.locator("#step-undo").click()
    until(page, "habemus.branch.scenario.schedule?.steps.length === 0")
    standing = "habemus.run.properties.map((each) => each.strip.at(-1)[1]).join()"
    before = page.evaluate(standing)
    page.locator("#step-until").click()
    until(page, f"{standing} !== {json.dumps(before)}")


def test_faults_can_be_chosen_where_the_limits_allow_them(page):
    open_named(page, "bully-tanenbaum")
    go(page, "step")
    until(page, "document.querySelector('.step-limits')")
    page.locator(".step-limits summary").click()
    page.locator(".step-limits input[name=crashes]").fill("1")
    page.locator(".step-limits input[name=crashes]").blur()
    until(page, "document.querySelector('.choice.fault')")
    fault = page.locator(".choice.fault", has_text="crashes").first
    label = fault.get_attribute("data-label")
    fault.click()
    until(page, f"habemus.branch.scenario.schedule?.steps.at(-1) === {json.dumps(label)}")
    until(page, "habemus.run.events.some((event) => event.kind === 'crash')")


# Check


def test_a_check_that_finds_nothing_wrong_says_that_it_holds(page):
    open_named(page, "chang-roberts-coulouris")
    go(page, "check")
    page.locator(".limits input[name=n]").fill("4")
    page.locator("#check-run").click()
    until(page, "document.querySelector('#check-verdict')?.classList.contains('holds')", 60)
    assert page.locator("#check-open").count() == 0


def test_a_counterexample_is_opened_right_there(page):
    open_named(page, "anonymous-ring-two")
    go(page, "check")
    page.locator("#check-run").click()
    until(page, "document.querySelector('#check-verdict')?.classList.contains('observed')", 60)
    page.locator("#check-open").click()
    until(page, "habemus.branch.title.startsWith('Counterexample')")
    assert page.evaluate("habemus.run.properties.find((each) => each.name === 'uniqueness').verdict") is False
    assert page.locator("#check-verdict").is_visible(), "the verdict stays beside its counterexample"


def test_a_search_can_be_watched_and_stopped(page):
    open_scenario(page, {"algorithm": "maekawa", "topology": {"n": 3}})
    go(page, "check")
    page.locator(".limits input[name=n]").fill("7")
    page.locator("#check-run").click()
    until(page, "document.querySelector('#check-progress strong')", 60)
    page.locator("#check-stop").click()
    assert page.locator("#check-run").is_visible()
    assert page.locator(".check-body").inner_text() == ""


# Measure


def test_a_sweep_is_drawn_against_the_proven_bounds(page):
    go(page, "measure")
    page.locator("#measure-sizes").fill("4, 8, 16")
    page.locator("#measure-seeds").fill("3")
    page.locator("#measure-run").click()
    until(page, "document.querySelector('#sweep-plot svg')", 60)
    assert page.locator("#sweep-plot .plot-bound").count() == 3
    text = page.locator("#sweep-plot").inner_text()
    assert "chang-roberts" in text and "n(n+1)/2 + n" in text
    assert page.locator(".measure-table tbody tr").count() == 6


def test_algorithms_are_compared_under_the_faults_on_the_screen(page):
    open_named(page, "bully-flapping")
    go(page, "measure")
    page.locator("[data-value=compare]").click()
    for name in ("chang-roberts", "franklin", "bully", "raft-election"):
        page.locator("#measure-algorithms .pill", has_text=re.compile(f"^{name}$")).click()
    page.locator("#measure-seeds").fill("2")
    page.locator("#measure-run").click()
    until(page, "document.querySelector('#compare-bars .bar-row')", 60)
    text = page.locator(".measure-result").inner_text()
    assert "A flapping leader" in text and "raft-election" in text and "changes of leader" in text


def test_sizes_that_are_none_are_refused_in_a_sentence(page):
    go(page, "measure")
    page.locator("#measure-sizes").fill("8, many")
    page.locator("#measure-run").click()
    assert page.locator(".own-said").inner_text() == "Sizes are whole numbers from 1 on, as in 8, 16, 32."


# Your own algorithm


def line_of(code, text):
    """In which line some text is."""
    return code[: code.index(text)].count("\n") + 1


@pytest.mark.parametrize("template, algorithm", [("election", "own.py:Strongest"), ("mutex", "own.py:Doorkeeper")])
def test_a_template_runs_at_once_and_all_its_properties_hold(page, template, algorithm):
    go(page, "own")
    page.locator("#own-template").select_option(template)
    until(page, f"document.querySelector('#own-code').value.includes('class {algorithm[7:]}')")
    page.locator("#own-run").click()
    until(page, f"habemus.run.algorithm === '{algorithm}'")
    assert page.evaluate("habemus.run.properties.map((each) => each.verdict)").count(True) == 4


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("self.elect(self.best)", "self.elect(self.bset)", "no attribute 'bset'"),
        ("self.best = max(self.best, message.id)\n", "self.best = max(self.best, message.id\n", "was never closed"),
        ("best: Pid = 0", "best: Pid", "default"),
    ],
)
def test_a_mistake_is_shown_at_its_line(page, old, new, said):
    go(page, "own")
    code = write(page, old, new)
    page.locator("#own-run").click()
    until(page, "!document.querySelector('#own-mistake').hidden")
    assert said in page.locator("#own-mistake").inner_text()
    line = page.locator(".gutter .wrong")
    assert line.inner_text().strip() == str(line_of(code, new.strip()))
    numbered, told = line.bounding_box(), page.locator("#own-mistake").bounding_box()
    assert abs(told["y"] - (numbered["y"] + numbered["height"])) < 6, "the sentence stands right below its line"
    page.locator("#own-code").fill(code.replace(new, old))
    assert page.locator("#own-mistake").is_hidden()


def test_what_code_prints_is_shown_below_it_run_by_run_and_before_a_mistake(page):
    go(page, "own")
    assert page.locator("#own-printed").is_hidden()
    begin = "self.best = max(self.best, self.id)"
    write(page, begin, f"{begin}; print('hello from', self.id)")
    page.locator("#own-run").click()
    until(page, "document.querySelector('#own-printed pre')?.textContent.split('\\n').length === 6")
    assert "hello from 5" in page.locator("#own-printed").inner_text()
    write(page, "print('hello from', self.id)", "print('x' * 20_000); 1 / 0")
    page.locator("#own-run").click()
    until(page, "!document.querySelector('#own-mistake').hidden")
    assert page.locator("#own-printed pre").inner_text() == "x" * 10_000
    assert "10,001 more bytes" in page.locator("#own-printed").inner_text()
    open_named(page, "anonymous-ring-two")
    page.locator("#own-code").fill("x = 1")
    assert page.locator("#own-printed").is_hidden(), "that run printed nothing"


def test_code_without_a_class_to_run_is_refused_in_a_sentence(page):
    go(page, "own")
    page.locator("#own-code").fill("x = 1\n")
    page.locator("#own-run").click()
    assert "derive one from Election" in page.locator("#own-mistake").inner_text()


def test_an_algorithm_of_the_catalogue_can_be_taken_apart(page):
    go(page, "own")
    page.locator("#own-template").select_option("franklin")
    until(page, "document.querySelector('#own-code').value.includes('class Franklin')")
    page.locator("#own-code").press("Control+Enter")
    until(page, "habemus.run.algorithm === 'own.py:Franklin'")


def test_the_editor_can_be_left_by_keyboard(page):
    go(page, "own")
    page.locator("#own-code").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "own-code"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "own-run"
