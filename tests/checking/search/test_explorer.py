"""The checker and an explorer that shares nothing with it agree: on states, transitions, ends and verdicts."""

import ast
import importlib.util
import random
import signal
from pathlib import Path

import pytest
from explorer import Failure, explore_slowly
from small_instances import question
from soak import runs

from habemus.catalogue import UnknownAlgorithmError, find_algorithm
from habemus.checking.search.search import BREADTH, Search
from habemus.process import ClauseError, MisuseError
from habemus.process.source import source_file

INSTANCES = [
    *[("chang-roberts", {"ids": ids}) for ids in ([1, 2, 3], [3, 2, 1], [2, 4, 1, 3], [4, 3, 2, 1])],
    *[("chang-roberts", {"ids": [2, 1, 3], "fifo": False}), ("chang-roberts", {"ids": [1, 3, 2], "starters": [3]})],
    *[("lcr", {"n": n}) for n in (2, 3, 4)],
    *[("lcr", {"n": 3, "fifo": False}), ("lcr", {"n": 3, "losses": 1}), ("lcr", {"n": 2, "doubles": 1})],
    *[("peterson", {"n": n}) for n in (2, 3, 4)],
    *[("franklin", {"n": 3}), ("hirschberg-sinclair", {"n": 3}), ("ring-collect", {"n": 4})],
    *[("capture", {"n": 3}), ("yoyo", {"n": 4}), ("echo-extinction", {"n": 3}), ("ghs", {"n": 3})],
    ("bully", {"n": 2, "timing": "async"}),
    ("anonymous-ring", {"n": 3}),
    *[("coordinator", {"n": 2}), ("coordinator", {"n": 3}), ("coordinator", {"n": 2, "entries": 2, "fifo": False})],
    *[("token-ring", {"n": 2}), ("token-ring", {"n": 3}), ("raymond", {"n": 3}), ("naimi-trehel", {"n": 3})],
    *[("quorum", {"n": 2}), ("lamport", {"n": 2, "entries": 2}), ("lamport", {"n": 2, "fifo": False})],
    *[("ricart-agrawala", {"n": 2, "entries": 2}), ("ricart-agrawala", {"n": 3}), ("maekawa", {"n": 2})],
    *[("suzuki-kasami", {"n": 3}), ("maekawa", {"n": 3})],
]
ALL = ["termination", "uniqueness", "agreement", "stability"]
LOCK = ["mutual_exclusion", "deadlock_freedom"]


def ask(name, **asked):
    kind = find_algorithm(name).kind
    return question(name, properties=ALL if kind == "election" else LOCK, **asked)


def search_fully(asked, most):
    search = Search(asked.build_semantics(), False, BREADTH, most, 8 << 30, packing=False)
    search.run()
    return search


def test_there_are_thirty_instances():
    assert len(INSTANCES) >= 30


@pytest.mark.parametrize(("name", "asked"), INSTANCES)
def test_an_explorer_that_shares_nothing_with_the_checker_finds_the_same(name, asked):
    search, slow = search_fully(ask(name, **asked), 20_000), explore_slowly(ask(name, **asked))
    assert bool(search.violated) == bool(slow.violated), (search.violated, slow.violated)
    if not search.violated:
        assert (len(search.states), search.transitions, search.ends) == (len(slow.states), slow.transitions, slow.ends)


# Mutants: one small mistake each, in the source of an algorithm

MUTATED = {
    "chang-roberts": {"ids": [2, 3, 1]},
    "lcr": {"n": 3},
    "peterson": {"n": 3},
    "franklin": {"n": 3},
    "ring-collect": {"n": 3},
    "hirschberg-sinclair": {"n": 2},
    "echo-extinction": {"n": 3},
    "coordinator": {"n": 2},
    "token-ring": {"n": 2},
    "ricart-agrawala": {"n": 2},
    "lamport": {"n": 2},
    "raymond": {"n": 3},
    "naimi-trehel": {"n": 3},
    "suzuki-kasami": {"n": 2},
    "maekawa": {"n": 2},
}
FLIPS = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
FLIPS |= {ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.Lt: ast.Gt}


def mutate(source, class_name, chance):
    """The source with one mistake in a method of the class."""
    tree = ast.parse(source)
    cls = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == class_name)
    places = []
    for method in (node for node in cls.body if isinstance(node, ast.FunctionDef)):
        for node in ast.walk(method):
            if isinstance(node, ast.Compare) and type(node.ops[0]) in FLIPS:
                places.append(("flip", node))
            elif isinstance(node, ast.Constant) and type(node.value) in (int, bool):
                places.append(("constant", node))
            elif isinstance(node, ast.BoolOp):
                places.append(("connective", node))
            elif isinstance(node, ast.If):
                places.append(("negate", node))
            if isinstance(node, ast.FunctionDef | ast.If) and len(node.body) > 1:
                places.append(("drop", node))
    kind, node = chance.choice(places)
    if kind == "flip":
        node.ops[0] = FLIPS[type(node.ops[0])]()
    elif kind == "constant":
        node.value = not node.value if isinstance(node.value, bool) else node.value + chance.choice((-1, 1))
    elif kind == "connective":
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif kind == "negate":
        node.test = ast.UnaryOp(ast.Not(), node.test)
    else:
        del node.body[chance.randrange(len(node.body))]
    return ast.unparse(ast.fix_missing_locations(tree))


class Endless(BaseException):
    """A mutant that does not come back."""


def give_up(*_):
    raise Endless


def outcome_of(find, name, asked):
    """What a search says of a mutant: how it is violated, or how many states there are; or how it fails."""
    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, 20)
    try:
        return find(name, asked)
    except (MisuseError, UnknownAlgorithmError):
        return "refused"
    except Failure:
        return "violated"
    except ClauseError:
        return "speechless"  # it fails to say for whom it waits, which the explorer does not ask
    except (Endless, RecursionError):
        return "endless"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


MOST = 1_500


def by_checker(name, asked):
    search = search_fully(ask(name, **asked), MOST)
    if search.violated:
        return "violated"
    return "large" if search.stopped or len(search.states) > MOST else (len(search.states), search.transitions)


def by_explorer(name, asked):
    slow = explore_slowly(ask(name, **asked), MOST)
    if slow is None:
        return "large"
    return "violated" if slow.violated else (len(slow.states), slow.transitions)


@pytest.mark.parametrize("number", range(runs(10, soak=100)))
def test_ten_mutants_get_the_same_verdict_from_both(number, tmp_path, monkeypatch):
    """Ten that both of them decide: a hundred in all, a thousand when soaking."""
    monkeypatch.syspath_prepend(tmp_path)
    chance = random.Random(number)
    compared = attempt = 0
    while compared < 10:
        attempt += 1
        assert attempt < 40, "too many mutants are too large"
        original = chance.choice(sorted(MUTATED))
        cls = find_algorithm(original)
        source = Path(source_file(cls)).read_text(encoding="utf-8")
        module = f"mutant_{number}_{attempt}"
        (tmp_path / f"{module}.py").write_text(mutate(source, cls.__name__, chance), encoding="utf-8")
        importlib.invalidate_caches()
        name = f"{module}:{cls.__name__}"
        first = outcome_of(by_checker, name, MUTATED[original])
        second = outcome_of(by_explorer, name, MUTATED[original])
        large = {"large", "endless", "speechless"} & {first, second}  # one gave up before it saw what the other saw
        assert first == second or large, (number, attempt, original, first, second)
        compared += not large and first != "refused"
