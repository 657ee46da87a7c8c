"""The learning commands in Portuguese: names, reports, diagrams and help; and nothing else changes."""

import json
import re
from importlib import import_module
from typing import get_type_hints

import pytest
from sentences import SOURCE, sentences_of

from habemus.catalogue import algorithm_names, find_algorithm
from habemus.cli import main
from habemus.cli.commands import COMMANDS
from habemus.cli.portuguese import say_refusal
from habemus.grading.exercise import exercise_names, find_exercise
from habemus.grading.means import ForbiddenMeansError, refuse_forbidden_means
from habemus.process.source import documentation
from habemus.scenario import named_scenarios
from habemus.words.essays import portuguese_essay, read_essays
from habemus.words.language import choose_language, read_portuguese, say_comments, say_number, say_pattern
from habemus.words.terms import find_alias, find_by_term, read_terms, simplify


@pytest.fixture(autouse=True)
def english_afterwards():
    yield
    choose_language("en")


def told(capsys, *words):
    status = main(list(words))
    captured = capsys.readouterr()
    return status, " ".join(captured.out.split()), captured.err


@pytest.mark.parametrize(
    ("called", "name"),
    [
        ("valentão", "bully"),
        ("brigao", "bully"),
        ("BRIGÃO", "bully"),
        ("Anel 1", "anonymous-ring"),
        ("anel 2", "ring-collect"),
        ("LCR", "lcr"),
        ("S_Elect_Leader_C", "capture-sync"),
        ("a_elect_leader_c", "capture"),
        ("Quórum", "quorum"),
        ("coordenador", "coordinator"),
    ],
)
def test_an_algorithm_is_found_by_what_lectures_call_it(called, name):
    assert find_algorithm(called).name == name


@pytest.mark.parametrize(
    ("term", "name"),
    [
        ("HabemosLider", "anonymous-ring"),
        ("VoteEmMim", "anonymous-ring"),
        ("RequestAccess", "coordinator"),
        ("ResponseOK", "coordinator"),
        ("RequestFree", "coordinator"),
        ("ResponseFree", "coordinator"),
        ("vertedouro", "yoyo"),
        ("fonte", "yoyo"),
        ("exclusao mutua", "token-ring"),
        ("inanição", "quorum-abort"),
        ("espera limitada", "ricart-agrawala"),
        ("deteccao de falhas", "heartbeat"),
        ("mandato", "raft-election"),
        ("particionamento", "split-brain-raft"),
        ("scatternet", "btcp"),
        ("blockchain", "sortition"),
        ("exercício", "chang-roberts-listing"),
    ],
)
def test_a_term_leads_to_algorithms_and_scenarios(term, name):
    assert name in find_by_term(term)


def test_every_name_among_the_aliases_and_terms_exists_and_no_alias_is_another_algorithm():
    known = {*algorithm_names(), *named_scenarios()}
    terms = read_terms()
    assert set(terms["aliases"]) <= set(algorithm_names()) and set(terms["messages"]) <= set(algorithm_names())
    assert {name for names in terms["terms"].values() for name in names} <= known
    for name, others in terms["aliases"].items():
        assert all(simplify(other) == simplify(name) or find_alias(other) == name for other in others)
        strangers = {simplify(each) for each in algorithm_names()} - {simplify(name)}
        assert not {simplify(other) for other in others} & strangers


def test_the_commands_take_other_names_and_list_what_a_term_is_about(capsys):
    status, out, _ = told(capsys, "algorithms", "valentão")
    assert status == 0 and out.startswith("Bully:") and "also found as valentão, brigão" in out
    assert json.loads(told(capsys, "simulate", "brigao", "--json")[1])["algorithm"] == "bully"
    status, out, _ = told(capsys, "algorithms", "exclusao mutua")
    assert status == 0 and "ricart-agrawala" in out and "bully" not in out
    assert "chang-roberts-listing-worst" in told(capsys, "scenario", "exercicio")[1]
    status, _, err = told(capsys, "simulate", "exclusão mútua")
    assert status == 2 and "is a term, not an algorithm; it is about: coordinator, token-ring" in err


def test_a_report_and_its_diagram_are_portuguese_with_the_names_of_the_notes(capsys, tmp_path):
    status, out, _ = told(capsys, "--language", "pt", "scenario", "anonymous-ring-two")
    assert status == 0
    for part in ("Anel 1 com dois candidatos", "2 VoteEmMim · 2 HabemosLíder", "unicidade: não se promete; 1 assumiu"):
        assert part in out
    diagram = tmp_path / "run.mmd"
    main(["scenario", "coordinator-three", "--language=pt", "--diagram", str(diagram)])
    drawn = diagram.read_text(encoding="utf-8")
    assert all(name in drawn for name in ("RequestAccess", "ResponseOK", "RequestFree", "ResponseFree"))


def test_the_successful_run_of_a_quorum_of_seven_is_drawn(capsys):
    out = told(capsys, "scenario", "quorum-success", "--language", "pt")[1]
    assert "tique 1 2 3 4 5 6 7 8 9" in out and "ResponseOK(1) count_grant 9 está dentro" in out


def test_yes_and_no_of_yoyo_are_s_and_n(capsys):
    _, out, _ = told(capsys, "scenario", "yoyo-small", "--language", "pt")
    assert re.search(r"\bS collect_vote\b", out) and re.search(r"\bN collect_vote\b", out)


def test_the_digest_and_json_do_not_depend_on_the_language(capsys):
    plain = told(capsys, "simulate", "coordinator", "--json")[1]
    assert told(capsys, "--language", "pt", "simulate", "coordinator", "--json")[1] == plain


LEARNING = ("algorithms", "simulate", "scenario", "check", "sweep", "compare", "quorum", "timeout", "exercise", "grade")


def test_no_help_of_a_learning_command_lacks_portuguese():
    lacking = []
    for name in LEARNING:
        module, _, function = COMMANDS[name].partition(":")
        command = getattr(import_module(f"habemus.cli.{module}"), function)
        hints = get_type_hints(command, include_extras=True).values()
        options = [option.help for hint in hints for option in getattr(hint, "__metadata__", ()) if option.help]
        lacking += [
            said for said in [" ".join(command.__doc__.split()), *options] if said not in read_portuguese()["help"]
        ]
    assert lacking == []


@pytest.mark.parametrize(
    ("command", "portuguese", "english"),
    [
        (
            "check bully --n 3 --timing async",
            "A execução mais curta que o mostra, 5 passos",
            "start|holds|states|receives|sends",
        ),
        ("check chang-roberts --n 3", "todos iniciam · ids 2 3 1 · sem falhas · sem perdas", "holds|states|no "),
        ("check coordinator --n 2", "não_inanição", "entry|judged|limit"),
        (
            "compare coordinator token-ring --n 3 --seeds 1 --jobs 1",
            "tratadas pelo processo mais ocupado",
            "entries|busiest|most",
        ),
        (
            "timeout --delay uniform:1:9 --wait-cost 1 --mistake-cost 100",
            "é o timeout de menor custo",
            "costs|from|answer",
        ),
        (
            "timeout --for bully --delay uniform:1:4 --timeouts 12 --n 3 --seeds 1 --jobs 1",
            "falsas eleições",
            "short|runs|two",
        ),
        (
            "quorum --n 7 --m 5 --p 0.1 --wanted 0.0001 --explain",
            "Dois quóruns de 5",
            "coordinators|inside|have|most|down",
        ),
        ("exercise", "Um anel que elege o menor id", "points|Begin"),
    ],
)
def test_reports_are_portuguese(command, portuguese, english, capsys):
    _, out, _ = told(capsys, *command.split(), "--language", "pt")
    assert portuguese in out and not re.search(rf"\b({english})\b", out), out


def test_help_is_portuguese_too(capsys):
    for command in LEARNING:
        assert "Mostra esta mensagem e sai." in told(capsys, command, "--help", "--language", "pt")[1], command
    assert "Eleição de líderes" in told(capsys, "--language", "pt", "--help")[1]


def test_a_language_that_there_is_not_is_refused(capsys):
    status, _, err = told(capsys, "simulate", "bully", "--language", "xx")
    assert (status, err) == (2, "habemus: --language xx: expected en or pt\n")


def test_translations_keep_what_is_filled_in():
    for english, portuguese in read_portuguese()["patterns"].items():
        assert set(re.findall(r"\{\w+\}", english)) == set(re.findall(r"\{\w+\}", portuguese)), english


def test_the_environment_may_choose_the_language(capsys, monkeypatch):
    monkeypatch.setenv("HABEMUS_LANGUAGE", "pt_BR.UTF-8")
    assert "lidera: assumiu no tique 10" in told(capsys, "simulate", "bully")[1]


LABEL = re.compile(r"^\S[\w ]{2,8}? {2,}", re.MULTILINE)
OPTION = re.compile(r"`\w+`")
SHORTENED = {"raft", "leased-group"}  # their numbered rules, for who reads the source, are in English only


def test_every_essay_is_told_in_portuguese_with_all_its_labels_and_options():
    assert set(read_essays()) == set(algorithm_names())
    for name in algorithm_names():
        english, portuguese = documentation(find_algorithm(name)), portuguese_essay(name)
        assert ": " in portuguese.partition("\n")[0], name
        if name not in SHORTENED:
            assert len(LABEL.findall(english)) == len(LABEL.findall(portuguese)), name
            assert set(OPTION.findall(english)) == set(OPTION.findall(portuguese)), name
            assert len(english.split("\n\n")) == len(portuguese.split("\n\n")), name


def test_an_essay_and_the_list_of_algorithms_are_portuguese(capsys):
    out = told(capsys, "algorithms", "valentão", "--language", "pt")[1]
    assert out.startswith("Valentão, ou brigão (bully): quem supera") and "todos se candidatam" in out
    assert "cláusula quando arquivo linha" in out and "no máximo n² - 1 mensagens; 63 para n = 8" in out
    out = told(capsys, "algorithms", "--language", "pt")[1]
    assert "eleições em um anel" in out and "2m·n por rodada" in out and "parcialmente síncrono" in out


def test_every_sentence_of_a_property_is_said_in_portuguese():
    choose_language("pt")
    said = sentences_of(sorted((SOURCE / "properties").glob("*.py")), {"Witness", "Clash"})
    assert len(said) > 20
    said += [
        ("", "1, 2, 3 and 4 more name no leader at the end"),
        ("", "3 has waited since 7 while nobody entered; the limit is 2"),
    ]
    for where, sentence in said:
        filled = sentence.replace("blank0 blank1 no leader", "7 names no leader").replace("blank", "99")
        told = say_pattern(filled)
        assert sorted(re.findall(r"\d+", told)) == sorted(re.findall(r"\d+", filled)), where
        assert not re.search(r"\b(the|and|at|is|had|has|was|which|nobody|wait|waits|name|names)\b", told), (where, told)


GRADER = ["grading/*.py", "cli/grade.py", "cli/exercise.py", "cli/scenario.py", "cli/output.py"]
REFUSALS = {"ExerciseError", "ForbiddenMeansError", "RefusedSubmissionError", "ScenarioError"}
FORBIDDEN = [
    "import os",
    "from os import path",
    "from enum import member",
    "print(1)",
    "x = eval",
    "def f(x=[]): pass",
    "GLOBAL = []",
    "def f(x): x.y = 1",
    "def f(self): self = 1",
    "class R(Election):\n    def f(self): R.f(1)",
    "class R(Election):\n    box = Box()",
    "x = '__class__'",
    "class R(Election, metaclass=M): pass",
    "def f(self): super().leave()",
    "def f(x: ' ('): pass",
    "def f(:",
    "class A:\n    def f(self): return self.members",
]


def test_every_refusal_of_the_grader_is_said_in_portuguese():
    choose_language("pt")
    files = [file for room in GRADER for file in sorted(SOURCE.glob(room))]
    said = [sentence for _, sentence in sentences_of(files, REFUSALS) if sentence != "blank0:blank1 blank2: blank3"]
    assert len(said) > 20
    for source in FORBIDDEN:
        with pytest.raises(ForbiddenMeansError) as refused:
            refuse_forbidden_means(source, "my.py", ["members"])
        said.append(str(refused.value))
    assert [sentence for sentence in said if say_refusal(sentence) == sentence] == []


def test_a_mistake_is_told_in_portuguese(capsys):
    for words, told_ in [
        (("simulate", "nada"), "não existe o algoritmo 'nada'"),
        (("simulate", "bully", "--crash", "9@3"), "não existe o processo 9"),
        (("scenario", "xyzxyz"), "não existe o cenário 'xyzxyz'; `habemus scenario` os lista."),
        (("simulate", "bully", "--n", "x"), "'--n': esperava-se um número inteiro"),
        (("quorum", "--n", "3"), "Falta a opção '--p'."),
    ]:
        status, _, err = told(capsys, *words, "--language", "pt")
        assert status == 2 and told_ in err


def test_an_exercise_begins_with_comments_in_the_chosen_language(capsys, tmp_path):
    comments = [comment for name in exercise_names() for comment in re.findall(r"# (.+)", find_exercise(name).start)]
    assert len(comments) > 20 and set(comments) == set(read_portuguese()["comments"])
    main(["exercise", "ring-smallest", "--language", "pt", "--file", str(tmp_path / "a.py")])
    assert "pass  # sua parte; self.elect(id) diz quem lidera" in (tmp_path / "a.py").read_text(encoding="utf-8")
    choose_language("en")
    assert say_comments("x  # your part") == "x  # your part"


def test_numbers_have_the_signs_of_their_language(capsys):
    out = told(capsys, "simulate", "A_Elect_Leader_C", "--n", "32", "--language", "pt")[1]
    assert "de no máximo 2.143 =" in out and "23,6%; partes iguais: 3,1%" in out
    out = told(
        capsys, "compare", "coordinator", "token-ring", "--n", "3", "--seeds", "1", "--jobs", "1", "--language", "pt"
    )[1]
    assert not re.search(r"\d,\d{3}\b|\d\.\d\b", out.replace("1.000", ""))
    choose_language("en")
    assert say_number("1,234.5") == "1,234.5"
