"""When one action is enough: a sound reduction of the search by commutation, read off the table of effects.

Steps of different processes commute: each changes its own local state, takes from its own inbox and adds to others'.
So all that is to be explored is the order of actions at one and the same process. In a state s, an action e of process
p may be explored alone, and all else left for later, if

  1. e has a single effect, of which observers see nothing that a property could judge before the end;
  2. e commutes (see `commutation`) with everything that may happen at p before it: with p's own timers and commands,
     with all that is in transit to p (but what is behind e in its queue), and with all that others may send to p
     before e;
  3. no cycle of explored states consists of such choices only.

What others may send before e is learned. The steps of a process that were explored, or looked at in (2), form a graph
of its local states; q may send what lies ahead of its local state there, on paths on which it receives nothing from p
but what is in transit, or what p may send before e. The graph grows while the search goes on, so a choice may lose its
ground; when nothing is left to explore every choice is reviewed, and a state whose choice does not stand is explored in
full; until all stand and nothing new was learned. Then each state explored by choice has one successor, so that cycles
(3) are found by following these.

Why sound: claim that at the end, for every explored s and every run from s, explored or not, each process moves along
its graph. By induction on the length k of the run. If s was explored in full, its first step was explored, and the rest
is shorter. Else s has a choice e of p. By the induction hypothesis all that reaches p before e is among what (2) looked
at, so p's steps before e are in its graph, and e commutes to the front; if e is in the run, the rest from s·e is
shorter. If it is not, the same run of length k is possible from s·e, where all others take the same steps; the same
argument applies there, and by (3) that ends. Hence every run can be permuted, by commuting
steps only, into an explored one: all final states are found, and every violation that observers can see.

Cf. P. Godefroid. Partial-Order Methods for the Verification of Concurrent Systems. LNCS 1032, 1996 (persistent sets,
the ignoring problem); S. Katz, D. Peled. Defining conditional independence using collapses. TCS 101(2), 1992.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

from habemus.checking.model.actions import ARRIVALS
from habemus.checking.model.effects import Effect
from habemus.checking.model.inboxes import EMPTY
from habemus.checking.model.limits import ASYNC, BOUNDED, SIMULTANEOUS
from habemus.checking.model.semantics import Semantics
from habemus.checking.model.transitions import State
from habemus.checking.search.commutation import Commutation
from habemus.checking.search.outlooks import NONE, Bag, StepGraph, add_to_bag, remove_from_bag

IN_FULL = -1  # in place of the action that was chosen
MOST_LOCAL_STATES = (
    128  # looked at to see whether an action commutes; if there are more, it counts as one that does not
)


class Reduction:
    """Finds actions that can be explored alone."""

    def __init__(self, semantics: Semantics) -> None:
        n, topology = semantics.n, semantics.instance.topology
        self.semantics = semantics
        self.n = n
        self.limits = semantics.limits
        self.fifo = semantics.limits.fifo
        self.seats = topology.seats
        self.locals = semantics.locals
        self.actions = semantics.actions
        self.own_actions = semantics.own_actions
        self.effects = semantics.effects
        self.inboxes = semantics.inboxes
        self.commutation = Commutation(semantics)
        self.addressed = [0] * n  # what is addressed to each process, as a set of bits
        self.kinds: list[int] = []  # of each action: the number of its kind, which is sender, receiver and type
        self.kind_numbers: dict[Any, int] = {}
        self.kinds_by = [0] * n  # the kinds of what each process sends
        self.kinds_to = [0] * n
        self.graphs = [StepGraph(self.addressed, self.kinds_by) for _ in range(n)]
        self.linked = [[self.seats[pid] for pid in topology.neighbours(seat)] for seat in range(n)]
        self.grounds: dict[tuple[int, int, int, Bag], tuple[bool, int]] = {}
        self.learned = 0  # how many steps are known
        self.work = 0  # how many local states were looked at

    @staticmethod
    def applies(semantics: Semantics) -> bool:
        """Whether there is anything to reduce: not in lock-step, nor where time passes for all at once.

        Nor where a claim is judged in every state: it may hold in all but one that is left out. Nor where runs have so
        many steps at most: those that are left out are as good as others only when all of these are taken.
        """
        limits = semantics.limits
        if semantics.claims or semantics.synchronous or limits.depth >= 0:
            return False
        return limits.timing != BOUNDED

    # Learning

    def learn(self, local: int, action: int, effect: Effect) -> None:
        """A step from a local state was explored, or looked at."""
        effect.explored = True
        self.learned += 1
        self.sort_new_actions()
        graph = self.graphs[self.locals.known[local].seat]
        graph.add(local, self.kinds[action], effect.local, [sent for _, sent in effect.sends])

    def sort_new_actions(self) -> None:
        """Sort actions that are new by receiver, sender and type."""
        known = self.actions.known
        while len(self.kinds) < len(known):
            action = known[len(self.kinds)]
            kind = self.kind_numbers.setdefault(
                (action.sender, action.seat, type(action.message)), len(self.kind_numbers)
            )
            if action.kind in ARRIVALS:
                self.addressed[action.seat] |= 1 << len(self.kinds)
                self.kinds_by[self.seats[action.sender]] |= 1 << kind
                self.kinds_to[action.seat] |= 1 << kind
            self.kinds.append(kind)

    # Choosing

    def choose(self, state: State, steps: list[tuple[int, int, int]]) -> int:
        """Which of the steps can be explored alone; -1 if none. Those with least to compare with are tried first."""
        semantics = self.semantics
        if state[2 * self.n + 1] != semantics.transitions.no_faults:
            return -1  # while a fault may come, nothing commutes
        if self.limits.anybody and semantics.waiting_to_start(state) >= 0:
            return -1  # nor while a process may abstain
        if self.limits.detector == SIMULTANEOUS and semantics.detector.has_news(state):
            return -1  # nor while all may be told at one moment
        weights: list[tuple[int, int]] = []
        coming: dict[int, int] = {}
        for number, (seat, action, _) in enumerate(steps):
            if seat not in coming:
                coming[seat] = self.coming(state, seat, self.in_transit_from(state, seat))[0].bit_count()
            if coming[seat] == 0 and self.stands(state, action):
                return number
            weights.append((coming[seat], number))
        for weight, number in sorted(weights):
            if weight and self.stands(state, steps[number][1]):
                return number
        return -1

    def in_transit_from(self, state: State, seat: int) -> int:
        """The kinds of what a process has sent that has not arrived yet."""
        self.sort_new_actions()
        found = 0
        for other in self.linked[seat]:
            if state[self.n + other] != EMPTY:
                for action in self.inboxes.actions(state[self.n + other]):
                    found |= 1 << self.kinds[action]
        return found & self.kinds_by[seat]

    def coming(self, state: State, seat: int, heard: int) -> Bag:
        """What others may send to a process while all they receive from it is `heard`."""
        once = twice = often = 0
        for other in self.linked[seat]:
            bag = self.graphs[other].outlook(seat, heard & self.kinds_to[other]).bags.get(state[other], NONE)
            once, twice, often = once | bag[0], twice | bag[1], often | bag[2]
        return once, twice, often

    def stands(self, state: State, action: int) -> bool:
        """Whether an action commutes with all that may come before it, by all that is known now."""
        if self.actions.is_request(action):
            return False  # it may never come, and what is left then would not be seen behind it
        seat = self.actions.known[action].seat
        local, inbox = state[seat], state[self.n + seat]
        if not self.commutation.has_one_effect(local, action):
            return False
        if not self.commutation.is_unseen(local, self.effects.of(local, action)[0]):
            return False
        heard = self.in_transit_from(state, seat)
        while True:
            coming = self.coming(state, seat, heard)
            if self.fifo:
                key = (local, action, inbox, coming)
            else:  # whatever is in transit or will be, all of it may come next
                key = (local, action, EMPTY, add_to_bag(coming, self.inboxes.actions(inbox)))
            known = self.grounds.get(key)
            if known is None:
                known = self.grounds[key] = self.commutes_with_all(*key)
            stands, sent = known
            if not stands or sent | heard == heard:
                return stands
            heard |= sent  # before e the process may send this, and others may answer

    def commutes_with_all(self, local: int, action: int, inbox: int, coming: Bag) -> tuple[bool, int]:
        """Follow everything that may happen at the process before the action; compare both orders at each step.

        Returns whether it commutes with all of it, and which kinds of messages the process may send meanwhile.
        """
        mine = self.actions.known[action].kind not in ARRIVALS
        if mine and self.limits.timing != ASYNC:
            return False, 0
        sent = 0
        steps: list[tuple[int, int, Effect]] = []
        seen = {(local, inbox, coming)}
        agenda = [(local, inbox, coming)]
        while agenda:
            self.work += 1
            here, in_transit, later = agenda.pop()
            own = self.own_actions.of(here)
            if (mine and action not in own) or not self.commutation.has_one_effect(here, action):
                return False, 0  # something else may prevent it
            effect = self.effects.of(here, action)[0]
            if not effect.explored:
                steps.append((here, action, effect))
            possible = [(other, rest, later) for other, rest in self.inboxes.arrivals(in_transit)]
            possible += [
                (other, in_transit, remove_from_bag(later, other)) for other in self.next_sent(in_transit, later)
            ]
            if not mine:
                possible = [step for step in possible if not self.is_behind(step[0], action)]
            possible += [(other, in_transit, later) for other in own if other != action and self.may_come_first(other)]
            for other, rest, after in possible:
                if not self.commutation.holds(here, action, other, other in own):
                    return False, 0
                for effect in self.effects.of(here, other):
                    if not effect.explored:
                        steps.append((here, other, effect))
                    if effect.sends:
                        self.sort_new_actions()
                        for _, message in effect.sends:
                            sent |= 1 << self.kinds[message]
                    step = (effect.local, rest, after)
                    if step not in seen:
                        if len(seen) >= MOST_LOCAL_STATES:
                            return False, 0
                        seen.add(step)
                        agenda.append(step)
        for here, number, effect in steps:  # runs that are left out may take them
            if not effect.explored:
                self.learn(here, number, effect)
        return True, sent

    def next_sent(self, inbox: int, later: Bag) -> list[int]:
        """What others may send and have arrive next: where order is kept, nothing overtakes what is in transit."""
        waiting: set[int] = set()
        channels = self.inboxes.channels
        if self.fifo:
            waiting = {channels[action] for action in self.inboxes.actions(inbox)}
        found = []
        bits = later[0]
        while bits:
            low = bits & -bits
            number = low.bit_length() - 1
            if not waiting or channels[number] not in waiting:
                found.append(number)
            bits ^= low
        return found

    def is_behind(self, other: int, action: int) -> bool:
        """Whether a message cannot arrive before another: it is the same, or in the same queue.

        Not whether it has the same sender: an eventual detector reports a process in a queue of its own.
        """
        channels = self.inboxes.channels
        return other == action or (self.fifo and channels[other] == channels[action])

    def may_come_first(self, own: int) -> bool:
        """Whether a process may take this action of its own while a message is in transit to it."""
        return self.limits.timing == ASYNC or self.actions.known[own].kind != "timeout"


def find_unfounded_choices(reduction: Reduction, states: Any, chosen: array[int]) -> list[int]:
    """The states whose choice does not stand by what is known now."""
    found = []
    for number in range(len(states)):
        if chosen[number] != IN_FULL and not reduction.stands(states[number], chosen[number]):
            found.append(number)
    return found


def find_cycles_of_choices(chosen: array[int], successor: Callable[[int], int]) -> list[int]:
    """One state of every cycle in which each was explored by choice."""
    visited = array("q", [-1]) * len(chosen)
    found = []
    for start in range(len(chosen)):
        number = start
        while chosen[number] != IN_FULL and visited[number] < 0:
            visited[number] = start
            number = successor(number)
        if chosen[number] != IN_FULL and visited[number] == start:
            found.append(number)
    return found
