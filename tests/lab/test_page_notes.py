"""What the lecture notes draw and tabulate is on the page: the bottleneck, directions of links, counts and bounds."""

from pages import open_scenario, until


def open_named(page, name):
    page.evaluate(f"""void fetch("/api/scenarios/{name}").then((answer) => answer.json())
      .then((scenario) => habemus.openScenario(scenario, {{at: -1}}))""")


# The bottleneck


def test_the_busiest_process_is_named_with_its_share_and_shaded_darkest(page):
    open_scenario(page, {"algorithm": "coordinator", "topology": {"n": 5}})
    assert not page.locator("#stage .node .load").first.is_visible()
    page.click("[data-sheet=figures]")
    page.evaluate("habemus.seek(habemus.run.events.length - 1)")
    until(page, "document.querySelector('.handled tr')")
    assert page.locator(".handled tr").first.inner_text().split() == ["Process", "1", "8", "50%"]
    shades = page.evaluate("[...document.querySelectorAll('#stage .node .load')].map((load) => +load.style.opacity)")
    assert sorted(shades) == [0.25, 0.25, 0.25, 0.25, 1]
    assert page.evaluate("+document.querySelector('#stage .node[data-id=\"1\"] .load').style.opacity") == 1
    assert page.locator("#stage .node .load").first.is_visible()


def test_a_ring_has_no_bottleneck(page):
    open_scenario(page, {"algorithm": "token-ring", "topology": {"n": 5}, "until": 400})
    page.click("[data-sheet=figures]")
    page.evaluate("habemus.seek(habemus.run.events.length - 1)")
    until(page, "document.querySelectorAll('.handled tr').length === 5")
    shares = [row.split()[-1] for row in page.locator(".handled tr").all_inner_texts()]
    assert set(shares) <= {"19.7%", "19.8%", "19.9%", "20%", "20.1%", "20.2%", "20.3%"}


# The probability that a quorum forgets


def test_the_derivation_of_p_v_is_shown_with_the_numbers_in_both_languages(page):
    page.click("#modes [data-mode=measure]")
    page.click("[data-value=quorum]")
    until(page, "document.querySelectorAll('#derivation li').length === 5")
    steps = page.locator("#derivation li").all_inner_texts()
    assert "k = m + m − n = 2m − n" in steps[3] and "24 + 24 − 32 = 16" in steps[3]
    assert "7.349·10⁻⁵⁹" in steps[4]
    page.click("#language")
    assert page.locator("#derivation li").first.inner_text().startswith("Falha de exatamente 1 coordenador")
    assert "735.471 · 0,0001¹⁶" in page.locator("#derivation").inner_text()
    page.click("#language")
    page.locator("#quorum-m").fill("40")
    page.click("#quorum-run")
    until(page, "document.querySelector('.in-measure [role=alert]')")
    assert "expected more than half of n = 32" in page.locator(".in-measure [role=alert]").inner_text()


# Directions of links


def test_processes_are_shown_as_source_internal_or_sink_and_links_have_a_direction(page):
    open_named(page, "yoyo-small")
    until(page, "habemus.run.algorithm === 'yoyo' && habemus.run.ids.length === 5")
    page.evaluate("habemus.pause(); habemus.seek(habemus.run.events.findLastIndex((e) => e.clause === 'orient_link'))")
    captions = """Object.fromEntries([...document.querySelectorAll('#stage .node')]
      .map((node) => [node.dataset.id, node.querySelector('.caption').textContent]))"""
    assert page.evaluate(captions) == {"1": "source", "2": "source", "3": "internal", "4": "internal", "5": "sink"}
    assert page.evaluate("habemus.model.declared.directionOf(0, 1, habemus.cursor)") == [True, False]
    page.evaluate("habemus.seek(habemus.run.events.findIndex((e) => e.clause === 'orient_link' && e.process === 3))")
    assert page.evaluate(captions)["3"] == ""  # it has heard one of two neighbours: its place is not known
    page.evaluate("habemus.seek(habemus.run.events.findLastIndex((e) => e.clause === 'orient_link'))")
    page.click("#language")
    assert set(page.evaluate(captions).values()) == {"fonte", "interno", "vertedouro"}
    page.click("#language")
    page.evaluate("habemus.seek(habemus.run.events.findIndex((e) => e.clause === 'collect_vote' && e.process === 2))")
    assert page.evaluate(captions)["2"] == "sink"  # its no has turned its link round
    assert page.evaluate("habemus.model.declared.directionOf(4, 3, habemus.cursor)") == [False, True]


def test_any_algorithm_can_declare_where_its_links_lead_and_what_is_read_beside_it(page):
    open_scenario(page, {"algorithm": "raymond", "topology": {"n": 7}}, at=20)
    assert page.evaluate("habemus.model.declared.oriented")
    assert page.evaluate("habemus.model.declared.placeOf(0, 20)") == ""
    open_scenario(page, {"algorithm": "capture", "topology": {"n": 8}}, at=60)
    assert page.locator("#stage .node .caption").first.text_content().startswith("level ")
    stage = page.locator("#stage").bounding_box()
    boxes = [caption.bounding_box() for caption in page.locator("#stage .node .caption").all()]
    assert min(box["x"] for box in boxes) >= stage["x"]
    assert max(box["x"] + box["width"] for box in boxes) <= stage["x"] + stage["width"]


# Counts beside their bounds, and levels


def test_candidates_captures_and_acks_are_charted_beside_their_bounds_up_to_the_cursor(page):
    open_scenario(page, {"algorithm": "capture-sync", "topology": {"n": 16}})
    page.click("[data-sheet=figures]")
    page.evaluate("habemus.seek(habemus.run.events.length - 1)")
    until(page, "document.querySelectorAll('.count').length === 6")
    rows = page.locator(".count").all_inner_texts()
    assert rows[0].split()[:3] == ["k", "=", "1"] and rows[0].endswith("≤ 16")
    assert page.locator("h2", has_text="Candidates in pulse 2k ≤ ⌊n/2^(k-1)⌋").count() == 1
    page.evaluate("habemus.seek(-1)")
    until(page, "document.querySelector('.count-value').textContent.startsWith('0 ≤')")
    page.click("#language")
    assert page.locator("h2", has_text="Candidatos no pulso 2k").count() == 1
    page.click("#language")


def test_the_level_of_suspicion_is_plotted_with_its_threshold(page):
    faults = [{"do": "crash", "at": 800, "process": 3}]
    open_scenario(page, {"algorithm": "phi-accrual", "topology": {"n": 3}, "faults": faults, "until": 1200})
    page.click("[data-sheet=figures]")
    page.evaluate("habemus.select({process: 1}); habemus.seek(habemus.run.events.length - 1)")
    until(page, "document.querySelectorAll('.levels path[data-of]').length === 2")
    assert page.locator(".levels .levels-threshold").count() == 1
    until(page, "[...document.querySelectorAll('.levels path[data-of]')].some((path) => path.getBBox().height > 50)")


# Time-outs


def test_the_cost_of_a_time_out_is_drawn_with_the_best_one(page):
    page.click("#modes [data-mode=measure]")
    page.click("[data-value=timeout]")
    until(page, "document.querySelector('#timeout-plot path')")
    assert page.locator(".in-measure h2").inner_text().startswith("T = ")


def test_false_elections_and_downtime_of_bully_are_measured_against_the_time_out(page):
    page.click("#modes [data-mode=measure]")
    page.click("[data-value=bully]")
    page.locator("#timeout-delay").fill("uniform:1:4")
    page.locator("#timeout-seeds").fill("1")
    page.click("#timeouts-run")
    until(page, "document.querySelectorAll('.measure-table tbody tr').length > 4", 60)
    assert page.locator("#false-elections circle").count() == page.locator(".measure-table tbody tr").count()


# In the words of the notes


def test_the_gallery_finds_what_the_notes_call_things_accents_or_not_and_reads_the_stories(page):
    page.click("#modes [data-mode=gallery]")
    until(page, "document.querySelectorAll('.card').length > 40")
    finds = {
        "valentao": "bully-seven-steps",
        "Brigão": "bully-tanenbaum",
        "habemoslider": "anonymous-ring-two",
        "exclusao mutua": "token-ring-one",
        "vertedouro": "yoyo-small",
        "scatternet": "btcp-duels",
        "perda de memoria": "quorum-amnesia",
        "exercicio": "chang-roberts-listing-worst",
    }
    for wanted, name in finds.items():
        page.locator("#gallery-search").fill(wanted)
        until(page, f"document.querySelector('.card[data-name={name}]')")
    page.locator("#gallery-search").fill("garbage collection")  # only a story says so
    until(page, "document.querySelectorAll('.story-cards > *').length === 1")
    assert page.locator(".card[data-name=coordinator-slow-holder]").count() == 1


def test_the_portuguese_page_calls_messages_what_the_notes_call_them(page):
    open_scenario(page, {"algorithm": "coordinator", "topology": {"n": 3}}, at=3)
    legend = "[...document.querySelectorAll('#stage .legend button')].map((item) => item.textContent)"
    assert page.evaluate(legend) == ["Request", "Grant", "Release", "Released"]
    page.click("#language")
    assert page.evaluate(legend) == ["RequestAccess", "ResponseOK", "RequestFree", "ResponseFree"]
    page.click("#language")
    assert page.evaluate(legend) == ["Request", "Grant", "Release", "Released"]
