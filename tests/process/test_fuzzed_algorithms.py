"""Whatever a program passes, and whatever is wrong with an algorithm: an outcome, or one clear sentence."""

from random import Random

from soak import runs

from habemus import Scenario, check, simulate
from habemus.catalogue import UnknownAlgorithmError
from habemus.checking.search.effort import Effort
from habemus.process import ClauseError, MisuseError
from habemus.scenario import Crash, Layer, Network, ScenarioError, TopologySpec

MISTAKES = (ClauseError, MisuseError, ScenarioError, UnknownAlgorithmError)
SEED = 20261118
ARGUMENTS = runs(1500, soak=100_000)
CLASSES = runs(200, soak=20_000)

VALUES = [
    *(None, True, -1, 0, 2, 3.5, float("nan"), 10**30, "", "x", "bully", "all", b"x", (), [], {}, [1], [1, 2], (1, 2)),
    *({"n": 3}, {"kind": "ring"}, {"x": 1}, [{"algorithm": "heartbeat"}], [{"at": 3, "do": "crash", "process": 2}]),
    *([{}], [None], [[1, 2]], {1: 2}, {"delay": "unit"}, {"loss": 2}, {"entries": 1}, set(), {1, 2}, object(), int),
    *([Crash(3, 1)], [Layer("heartbeat")], TopologySpec(n=3), Network(loss=0.5), Scenario("lcr"), lambda: None),
]


def refuse(error, what):
    """Whether an error tells the user, in one sentence, what was wrong."""
    assert isinstance(error, MISTAKES), f"{what}: {type(error).__name__}: {error}"
    assert str(error) and "\n" not in str(error)


def test_whatever_a_scenario_is_made_of_it_runs_or_is_refused_in_one_sentence():
    random = Random(SEED)
    ran = 0
    for _ in range(ARGUMENTS):
        algorithm = random.choice(["bully", "lcr", "ricart-agrawala", "coordinator", "heartbeat", *VALUES[:12]])
        names = random.sample(Scenario.__struct_fields__[1:], random.choice([0, 1, 1, 2]))
        given = {name: random.choice(VALUES) for name in names}
        try:
            scenario = Scenario(algorithm, **given)
            scenario.events, scenario.topology.n = 200, scenario.topology.n and min(scenario.topology.n, 5)
            simulate(scenario, keep=random.choice([0, 50]))
            ran += 1
        except Exception as error:
            refuse(error, f"Scenario({algorithm!r}, {given})")
    assert ran > ARGUMENTS // 20


HEAD = """
from dataclasses import dataclass

from habemus.process import *


@dataclass(frozen=True)
class Token(Message):
    id: Pid
    path: tuple[int, ...] = ()


class Own(Election):
    name = "own"
    topology = "ring"
    best: Pid = 0
    seen: tuple[int, ...] = ()
    {member}

    @upon_start
    def begin(self) -> None:
        {begin}

    @upon(Token)
    def receive(self, sender: Pid, message: Token) -> None:
        {receive}
"""
MEMBERS = [
    "pass",
    "def __init__(self): pass",
    "def __init__(self, host, more): super().__init__(host)",
    "def __new__(cls, host): return object()",
    "__slots__ = ('x',)",
    "counts = 3",
    "best: Pid",
    "id = 3",
    "id: int = 3",
    "send = None",
    "others: list[int] = []",
    "when: Durable[set[int]] = set()",
    "what: Parameter[int] = 'x'",
    "what: 'Nowhere' = None",
    "@upon(Token)\n    def again(self, sender, message): pass",
    "@upon(int)\n    def number(self, sender, message): pass",
    "@upon_timeout('t')\n    def late(self): self.elect(self.id)",
    "@upon_start\n    async def wait(self): pass",
    "@whenever(lambda self: 1 / 0)\n    def ever(self): pass",
    "@property\n    def best(self): return 1",
    "guarantees = ('peace',)",
    "topology = 'circle'",
    "name = ''",
    "bounds = (1,)",
]
STEPS = [
    "pass",
    "self.send(self.successor, Token(self.id))",
    "self.send(self.successor, Token([self.id]))",
    "self.send(self.successor, Token(self.id, [1]))",
    "self.send(self.successor, Token())",
    "self.send(self.successor, 'hello')",
    "self.send(99, Token(1))",
    "self.send('x', Token(1))",
    "self.send(None, Token(1))",
    "self.seen = [1, 2]",
    "self.seen = [[{}]]",
    "self.seen = object()",
    "self.best = lambda: 1",
    "self.best = 'x'",
    "self.other = 3",
    "self.elect('x')",
    "self.elect(None)",
    "self.elect(99)",
    "self.set_timer('t', 3)",
    "self.set_timer('nothing', 3)",
    "self.set_timer('t', -1)",
    "self.set_timer('t', 1.5)",
    "self.set_timer(3, 3)",
    "self.choose([])",
    "self.choose(3)",
    "self.enter()",
    "raise ValueError('no')",
    "raise KeyError()",
    "assert False",
    "return 3",
    "yield 3",
    "1 / 0",
    "self.id = 4",
    "message.id = 4",
    "print(nothing)",
    "import time; time.time()",
    "self.host = None",
    "del self.best",
]


def test_whatever_is_wrong_with_an_algorithm_is_told_in_one_sentence_by_simulator_and_checker(tmp_path):
    random = Random(SEED)
    for number in range(CLASSES):
        member = random.choice(MEMBERS) if random.random() < 0.5 else "pass"
        begin, receive = random.choice(STEPS), random.choice(STEPS)
        source = HEAD.format(member=member, begin=begin, receive=receive)
        file = tmp_path / f"own_{number}.py"
        file.write_text(source)
        for run in (lambda s: simulate(s, keep=50), lambda s: check(s, effort=Effort(states=100))):
            try:
                run(Scenario(f"{file}:Own", topology=TopologySpec(n=2), until=20))
            except Exception as error:
                refuse(error, source)
