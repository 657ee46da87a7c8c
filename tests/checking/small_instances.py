"""Small instances, and protocols drawn at random, to check the checker with."""

import hashlib
from dataclasses import dataclass

from habemus.checking.answer.questions import Question, settle
from habemus.checking.search.search import BREADTH, Search
from habemus.process import Election, Message, Parameter, Pid, upon, upon_start, upon_suspect, upon_trust
from habemus.scenario import Network, Scenario, TopologySpec


def question(
    name, *, n=None, ids=None, edges=None, timing=None, properties=(), parameters=None, starters=None, **limits
):
    """A question as the command line puts it."""
    order = "sorted" if n is not None else "random"
    fifo = limits.pop("fifo", True)
    scenario = Scenario(
        name,
        topology=TopologySpec(n=n, ids=ids, edges=edges, order=order),
        network=Network(fifo=fifo),
        parameters=parameters or {},
        starters=starters,
    )
    scenario, settled_limits = settle(scenario, timing, limits)
    return Question(scenario, settled_limits, list(properties))


def explore(asked, reduced, states=200_000, merging=False):
    """The search of a question, done."""
    search = Search(asked.build_semantics(), reduced, BREADTH, states, 8 << 30, merging)
    search.run()
    assert not search.stopped
    return search


def final_states(search):
    """How runs may end: the local states, and what observers can still tell apart."""
    semantics = search.semantics
    n = semantics.n
    return {
        tuple(semantics.locals.known[local].key for local in state[:n])
        for state in search.states
        if not semantics.expand(state).transitions
    }


def final_worlds(search):
    """How runs may end in the eyes of observers."""
    observers, n = search.semantics.observers, search.semantics.n
    worlds = {state[2 * n] for state in search.states if not search.semantics.expand(state).transitions}
    return {observers.key(observers.rebuild(world)) for world in worlds}


def number(*what):
    return int.from_bytes(hashlib.blake2b(repr(what).encode(), digest_size=6).digest(), "big")


@dataclass(frozen=True)
class Letter(Message):
    kind: int
    lives: int


class AnyProtocol(Election):
    """A protocol drawn by `seed`: what a letter does to the state, who is written to, who takes or leaves office."""

    name = "any-protocol"
    topology = "complete"

    seed: Parameter[int] = 0
    kinds: Parameter[int] = 2
    states: Parameter[int] = 3
    lives: Parameter[int] = 2
    calm: Parameter[int] = 5  # of ten letters so many commute: they only add to a set

    state: int = 0
    seen: frozenset[str] = frozenset()

    def act(self, what: str, lives: int) -> None:
        draw = number(self.seed, self.id, self.state, what)
        if draw % 10 < self.calm:
            self.seen = self.seen | {what}
        else:
            self.state = draw // 10 % self.states
        if lives > 0:
            draw = number(self.seed, self.id, what, "write", self.state if draw % 3 == 0 else 0)
            for turn in range(draw % 3 if draw % 5 else 0):
                neighbour = self.neighbours[(draw >> (4 * turn + 4)) % len(self.neighbours)]
                self.send(neighbour, Letter((draw >> (3 * turn + 8)) % self.kinds, lives - 1))
        office = number(self.seed, self.id, what, self.state, "office") % 7
        if office < 3:
            self.elect((self.id, None, self.neighbours[0])[office])

    @upon_start
    def begin(self) -> None:
        self.act("start", self.lives)

    @upon(Letter)
    def read(self, sender: Pid, message: Letter) -> None:
        self.act(f"{sender if self.seed % 2 else ''}{message.kind}", message.lives)


class AnyListener(AnyProtocol):
    """One that listens to a detector, too."""

    name = "any-listener"

    @upon_suspect
    def doubt(self, subject: Pid) -> None:
        self.act(f"doubt {subject}", 1)

    @upon_trust
    def believe(self, subject: Pid) -> None:
        self.act(f"believe {subject}", 1)


@dataclass(frozen=True)
class Word(Message):
    pass


@dataclass(frozen=True)
class Ball(Message):
    """To and fro."""
