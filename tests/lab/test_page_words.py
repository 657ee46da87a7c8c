"""What the server says is shown in the language of the page, whatever it is."""

import re

import pytest
from labs import Visitor
from pages import open_scenario, until
from sentences import sentences

from habemus.catalogue import algorithm_names, find_algorithm

PROSE = re.compile(r"\b[a-z]{2,} [a-z]{2,}\b", re.IGNORECASE)
BLANKS = re.compile(r"blank\d+")
RUN = {"algorithm": "bully", "topology": {"n": 4}}
SAID = [
    (b"{", "o pedido não é JSON: acaba antes do fim"),
    (b"[]", "esperava-se object, veio array"),
    (b"{]", "o pedido não é JSON: JSON malformado: "),
    ({}, "falta o campo scenario"),
    ({"scenario": {**RUN, "colour": 1}}, "scenario: o campo colour não existe"),
    ({"scenario": {**RUN, "seed": "x"}}, "scenario.seed: esperava-se int, veio str"),
    ({"scenario": RUN, "keep": -1}, "keep: esperava-se int >= 0"),
    ({"scenario": RUN, "keep": 10**30}, "keep: "),
    ({"scenario": {**RUN, "network": {"loss": 2}}}, "scenario.network.loss: esperava-se float <= 1.0"),
    ({"scenario": {**RUN, "topology": {"order": "up"}}}, "não existe; esperava-se best, worst, random ou sorted"),
    ({"scenario": {**RUN, "faults": [{"do": "sing", "at": 1}]}}, "drop, deliver, duplicate ou delay"),
    ({"scenario": {**RUN, "faults": [{"do": "crash", "at": 1, "process": "x"}]}}, "esperava-se um id ou leader"),
    ({"scenario": {**RUN, "topology": {"edges": [[1]]}}}, "edges[0]: esperava-se array de comprimento 2"),
    ({"scenario": {**RUN, "starters": [9]}}, "starters: não existe o processo 9; os ids são 1 a 4"),
    ({"scenario": {**RUN, "topology": {"n": 5000}}}, "o laboratório mostra até 1.000 processos, não 5.000"),
    ({"scenario": {**RUN, "topology": {"kind": "ring"}}}, "bully precisa da topologia completa, não anel"),
    ({"scenario": {**RUN, "network": {"delay": "x"}}}, "network.delay: o atraso 'x' não é conhecido"),
    ({"scenario": {"algorithm": "lamport", "demand": {"think": "x"}}}, "demand.think: o tempo 'x' não é conhecido"),
    ({"scenario": {**RUN, "parameters": {"height": 1}}}, "bully não tem esse parâmetro; tem: "),
    ({"scenario": {**RUN, "parameters": {"transmission": -1}}}, "parameters.transmission: esperava-se "),
    ({"scenario": {**RUN, "layers": [{"algorithm": "lamport"}]}}, "esperava-se election abaixo de mutex"),
    ({"scenario": {"algorithm": "bul"}}, "não existe o algoritmo 'bul'; seria bully?"),
]


def in_portuguese(page, said):
    """Sentences as the page has them, each with the shape that it was known by and what stood in its places."""
    return page.evaluate(
        """(said) => import("/static/words/translation.js").then(({ toPortuguese, recognise }) =>
          said.map((sentence) => [toPortuguese(sentence), recognise(sentence)]))""",
        said,
    )


def test_every_sentence_of_the_server_has_its_words_in_portuguese(page):
    said = sentences()
    assert len(said) > 120
    known = dict(zip(said, in_portuguese(page, [text for _, text in said]), strict=True))
    assert [key for key, (told, _) in known.items() if told is None] == [], "words/pt/server.js does not have these"
    for (where, sentence), (told, shape) in known.items():
        assert set(BLANKS.findall(told)) == set(BLANKS.findall(sentence)), f"{where}: {told!r} has lost something"
        left = [text for text in shape["places"].values() if PROSE.search(text) and text in told]
        assert left == [], f"{where}: {left} stays English in {told!r}"


def test_no_sentence_is_translated_that_nobody_says(page):
    shapes = page.evaluate("import('/static/words/pt/server.js').then((words) => Object.keys(words.sentences))")
    said = {known["english"] for _, known in in_portuguese(page, [text for _, text in sentences()]) if known}
    assert set(shapes) - said == set()


def test_what_the_server_really_says_is_understood(page, server):
    visitor = Visitor(server)
    errors = [visitor.post("/api/run", body).error for body, _ in SAID]
    for error, (told, _), (_, expected) in zip(errors, in_portuguese(page, errors), SAID, strict=True):
        assert told is not None and expected in told, error


def test_every_bound_with_a_word_in_its_formula_has_it_in_portuguese(page):
    formulas = {bound.formula for name in algorithm_names() for bound in find_algorithm(name).bounds}
    worded = [formula for formula in sorted(formulas) if re.search(r"\b(?!log\b)[a-z]{3,}", formula)]
    assert worded and all(told is not None for told, _ in in_portuguese(page, worded))


def test_the_last_words_of_a_real_process_are_understood(page):
    ((told, _),) = in_portuguese(
        page, ["habemus: cannot listen on 127.0.0.1:7: denied; give another address or --listen"]
    )
    assert told == "habemus: não é possível escutar em 127.0.0.1:7: denied; dê outro endereço ou --listen"


def test_what_nobody_has_words_for_stays_as_it_is(page):
    ((told, known),) = in_portuguese(page, ["a sentence that there is not"])
    assert told is None and known is None


# Where it is shown


@pytest.fixture
def portuguese(open_page):
    """A page in Portuguese, standing still."""
    page = open_page(locale="pt-BR")
    page.evaluate("habemus.pause()")
    return page


def test_a_refusal_is_told_in_the_language_of_the_page_and_follows_it(portuguese):
    portuguese.evaluate("habemus.openScenario({algorithm: 'bully', topology: {kind: 'star'}})")
    until(portuguese, "!document.getElementById('banner').hidden")
    banner = portuguese.locator("#banner p")
    assert banner.inner_text() == "Rede: bully precisa da topologia completa, não estrela"
    portuguese.click("#language")
    assert banner.inner_text() == "Network: bully needs the complete topology, not star"


def test_what_an_algorithm_takes_for_granted_and_does_not_get_is_told_in_portuguese(portuguese):
    open_scenario(portuguese, {**RUN, "network": {"delay": "uniform:1:100"}})
    until(portuguese, "document.querySelector('#idea.warning')")
    assert portuguese.locator("#idea").inner_text().startswith("As mensagens podem levar até 100 tiques aqui")


def test_a_mistake_in_code_is_told_in_portuguese_at_its_line_and_follows_the_language(portuguese):
    portuguese.click("#modes [data-mode=own]")
    code = portuguese.locator("#own-code").input_value()
    portuguese.locator("#own-code").fill(code.replace("best: Pid = 0", "best: Pid"))
    portuguese.click("#own-run")
    until(portuguese, "!document.querySelector('#own-mistake').hidden")
    assert "tem o campo best sem valor inicial" in portuguese.locator("#own-mistake").inner_text()
    portuguese.click("#language")
    assert "has the field best without a default" in portuguese.locator("#own-mistake").inner_text()


def test_a_search_that_is_refused_says_so_in_portuguese(portuguese):
    open_scenario(portuguese, {"algorithm": "chang-roberts", "topology": {"n": 3}})
    portuguese.click("#modes [data-mode=check]")
    portuguese.locator("[name=n]").fill("0")
    portuguese.click("#check-run")
    until(portuguese, "document.querySelector('.check-body [role=alert]')")
    said = portuguese.locator(".check-body [role=alert]").inner_text()
    assert said.startswith("n: esperava-se um número de processos de 1 a ")


def test_a_script_that_cannot_be_read_says_so_in_the_language_of_the_page(portuguese):
    portuguese.click("[data-sheet=script]")
    for kind, text, said in (("lines", "at 3 sing", "A linha 1 não pode ser lida"), ("whole", "{", "Isto não é JSON")):
        portuguese.click(f"[data-kind={kind}]")
        portuguese.locator("#script").fill(text)
        portuguese.click("#run-script")
        until(portuguese, f"document.querySelector('.script .problem').textContent.startsWith('{said}')")
    portuguese.click("#language")
    assert portuguese.locator(".script .problem").inner_text().startswith("This is not JSON")


# Titles of branches


def rail(page):
    """What the branches are called."""
    return [text.partition(" · ")[0] for text in page.locator("#rail .branch > title").all_text_contents()]


def test_the_titles_of_branches_follow_the_language_of_the_page(portuguese):
    portuguese.click("#modes [data-mode=gallery]")
    portuguese.click(".card[data-name=bully-tanenbaum]")
    until(portuguese, "habemus.mode === 'watch' && habemus.run.algorithm === 'bully'")
    portuguese.evaluate("habemus.pause(); habemus.seek(3); habemus.select({process: 2})")
    portuguese.keyboard.press("c")
    until(portuguese, "habemus.branches.length === 2 && document.querySelectorAll('#rail .branch').length === 2")
    portuguese.click("[data-sheet=script]")
    portuguese.locator("#script").fill("at 9 crash 3")
    portuguese.click("#run-script")
    until(portuguese, "habemus.branches.length === 3 && document.querySelectorAll('#rail .branch').length === 3")
    portuguese.locator("#rail .compare").first.click()
    until(portuguese, "document.querySelectorAll('#diagram .corner').length === 2")
    assert rail(portuguese) == ["A Figura 6.19 de Tanenbaum", "falha 2", "roteiro editado"]
    portuguese.click("#language")
    assert rail(portuguese) == ["Tanenbaum's Figure 6.19", "crash 2", "script edited"]
    corners = portuguese.locator("#diagram .corner").all_text_contents()
    assert [text.partition(" · ")[0] for text in corners] == ["script edited", "Tanenbaum's Figure 6.19"]


def test_a_run_that_is_stepped_through_stays_one_branch_in_another_language(portuguese):
    portuguese.click("#modes [data-mode=step]")
    for count in (1, 2):
        until(portuguese, "document.querySelector('#step-chance:enabled')")
        portuguese.click("#step-chance")
        until(portuguese, f"habemus.branch.scenario.schedule?.steps.length === {count}")
        assert portuguese.evaluate("habemus.branch.title") == ["Passo a passo", "Step by step"][count - 1]
        assert portuguese.evaluate("habemus.branches.length") == 1
        portuguese.click("#language")
