"""When one event is enough: a sound reduction of the search by commutation, read off the table of outcomes.

Steps of different processes commute: each changes its own local state, takes from its own inbox and adds to others'.
So all that is to be explored is the order of events at one and the same process. In a state s, an event e of process p
may be explored alone, and all else left for later, if

  1. e has a single outcome, of which onlookers see nothing that a property could judge before the end;
  2. e commutes with everything that may happen at p before it: with p's own timers and commands, with all that is under
     way to p (but what is behind e in its queue), and with all that others may send to p before e. That e and f commute
     in a local state takes four look-ups: e then f and f then e lead to the same local state, send the same, and show
     onlookers the same, or the same a step earlier if what they see is that p enters or takes office: p is inside for
     longer then, and whoever met it there still does (but an entry with a token turns others away, see `is_opening`);
  3. no circle of explored states consists of such choices only.

What others may send before e is learned. The steps of a process that were explored, or looked at in (2), form a graph
of its local states; q may send what lies ahead of its local state there, on paths on which it receives nothing from p
but what is under way, or what p may send before e. The graph grows while the search goes on, so a choice may lose its
ground; when nothing is left to explore every choice is reviewed, and a state whose choice does not stand is explored in
full; until all stand and nothing new was learned. Then each state explored by choice has one successor, so that circles
(3) are found by following these.

Why sound: claim that at the end, for every explored s and every run from s, explored or not, each process moves along
its graph. By induction on the length k of the run. If s was explored in full, its first step was explored, and the rest
is shorter. Else s has a choice e of p. By the induction hypothesis all that reaches p before e is among what (2) looked
at, so p's steps before e are in its graph, and e commutes to the front; if e is in the run, the rest from s·e is
shorter. If it is not, the same run of length k is possible from s·e, where all others take the same steps; the same
argument applies there, and by (3) that ends. Hence every run can be permuted, by commuting
steps only, into an explored one: all final states are found, and every violation that onlookers can see.

Cf. P. Godefroid. Partial-Order Methods for the Verification of Concurrent Systems. LNCS 1032, 1996 (persistent sets,
the ignoring problem); S. Katz, D. Peled. Defining conditional independence using collapses. TCS 101(2), 1992.
"""

from __future__ import annotations

from typing import Any

from habemus.checking.inboxes import EMPTY
from habemus.checking.limits import ASYNC, BOUNDED, SIMULTANEOUS
from habemus.checking.moves import State
from habemus.checking.probe import ARRIVALS
from habemus.checking.semantics import Semantics
from habemus.checking.steps import Outcome

MOST_LOCAL_STATES = 128  # that are looked at to see whether an event commutes; beyond, it counts as one that does not


Bag = tuple[int, int, int]
"""Events with how often each: sets of bits of those in it at least once, at least twice, and any number of times."""

NONE: Bag = (0, 0, 0)


def joined(bag: Bag, events: list[int]) -> Bag:
    """The bag with more events in it; three of a kind count as any number."""
    once, twice, often = bag
    for event in events:
        bit = 1 << event
        often |= twice & bit
        twice |= once & bit
        once |= bit
    return once, twice, often


def without(bag: Bag, event: int) -> Bag:
    """The bag with one such event less."""
    once, twice, often = bag
    bit = 1 << event
    if often & bit:
        return bag
    return (once, twice & ~bit, often) if twice & bit else (once & ~bit, twice, often)


class Outlook:
    """What a process may send to `place`, local state by local state, while all it receives from there is `heard`.

    What is heard is told by kinds of messages, not by single ones: there are fewer, and more heard is never unsound.
    """

    def __init__(self, place: int, heard: int) -> None:
        self.place = place
        self.heard = heard
        self.bags: dict[int, Bag] = {}

    def widen(self, graph: Graph, local: int, kind: int, after: int, sent: list[int]) -> None:
        """The process may take a step; whoever is on the way to it may send what lies beyond."""
        mine = graph.addressed[self.place]
        unheard = graph.kinds_by[self.place] & ~self.heard
        if unheard >> kind & 1:
            return
        bags = self.bags
        agenda = [(local, after, sent)]
        while agenda:
            here, after, sent = agenda.pop()
            once, twice, often = bags.get(after, NONE)
            relevant = [message for message in sent if mine >> message & 1] if sent else sent
            if relevant:
                once, twice, often = joined((once, twice, often), relevant)
            known = bags.get(here, NONE)
            more = (known[0] | once, known[1] | twice, known[2] | often)
            if more != known:
                bags[here] = more
                for earlier, step, said in graph.before.get(here, ()):
                    if not unheard >> step & 1:
                        agenda.append((earlier, here, said))


class Graph:
    """The steps of one process that are known: between which local states, by which kind of event, sending what."""

    def __init__(self, addressed: list[int], kinds_by: list[int]) -> None:
        self.addressed = addressed
        self.kinds_by = kinds_by
        self.before: dict[int, list[tuple[int, int, list[int]]]] = {}
        self.outlooks: dict[tuple[int, int], Outlook] = {}

    def add(self, local: int, kind: int, after: int, sent: list[int]) -> None:
        """A step more."""
        self.before.setdefault(after, []).append((local, kind, sent))
        for outlook in self.outlooks.values():
            outlook.widen(self, local, kind, after, sent)

    def outlook(self, place: int, heard: int) -> Outlook:
        """The outlook towards a place."""
        known = self.outlooks.get((place, heard))
        if known is None:
            known = self.outlooks[(place, heard)] = Outlook(place, heard)
            for after, steps in self.before.items():
                for local, kind, sent in steps:
                    known.widen(self, local, kind, after, sent)
        return known


class Reduction:
    """Finds events that can be explored alone."""

    def __init__(self, semantics: Semantics) -> None:
        self.semantics = semantics
        self.fifo = semantics.limits.fifo
        self.addressed = [0] * semantics.n  # what is addressed to each process, as a set of bits
        self.kinds: list[int] = []  # of each event: the number of its kind, which is sender, receiver and type
        self.kind_numbers: dict[Any, int] = {}
        self.kinds_by = [0] * semantics.n  # the kinds of what each process sends
        self.kinds_to = [0] * semantics.n
        self.graphs = [Graph(self.addressed, self.kinds_by) for _ in range(semantics.n)]
        seats = semantics.topology.place
        self.linked = [[seats[pid] for pid in semantics.topology.neighbours(place)] for place in range(semantics.n)]
        self.grounds: dict[tuple[int, int, int, Bag], tuple[bool, int]] = {}
        self.commuting: dict[int, bool] = {}
        self.learned = 0  # how many steps are known
        self.work = 0  # how many local states were looked at

    @staticmethod
    def applies(semantics: Semantics) -> bool:
        """Whether there is anything to reduce: not in lock-step, nor where time passes for all at once."""
        return not semantics.synchronous and semantics.limits.timing != BOUNDED

    # Learning

    def learn(self, local: int, event: int, outcome: Outcome) -> None:
        """A step from a local state was explored, or looked at."""
        outcome.explored = True
        self.learned += 1
        self.take_note_of_events()
        graph = self.graphs[self.semantics.locals[local].place]
        graph.add(local, self.kinds[event], outcome.local, [sent for _, sent in outcome.sends])

    def take_note_of_events(self) -> None:
        """Sort events that are new by receiver, sender and type."""
        semantics = self.semantics
        while len(self.kinds) < len(semantics.events):
            event = semantics.events[len(self.kinds)]
            kind = self.kind_numbers.setdefault(
                (event.sender, event.place, type(event.message)), len(self.kind_numbers)
            )
            if event.kind in ARRIVALS:
                self.addressed[event.place] |= 1 << len(self.kinds)
                self.kinds_by[semantics.topology.place[event.sender]] |= 1 << kind
                self.kinds_to[event.place] |= 1 << kind
            self.kinds.append(kind)

    # Choosing

    def choice(self, state: State, steps: list[tuple[int, int, int]]) -> int:
        """Which of the steps can be explored alone; -1 if none. Those with least to compare with are tried first."""
        semantics = self.semantics
        if state[2 * semantics.n + 1] != semantics.quiet_ledger:
            return -1  # while a fault may come, nothing commutes
        if semantics.limits.anybody and semantics.waiting_to_start(state) >= 0:
            return -1  # nor while somebody may abstain
        if semantics.limits.detector == SIMULTANEOUS and semantics.is_news_under_way(state):
            return -1  # nor while all may be told at one moment
        weights: list[tuple[int, int]] = []
        coming: dict[int, int] = {}
        for number, (place, event, _) in enumerate(steps):
            if place not in coming:
                coming[place] = self.coming(state, place, self.under_way_from(state, place))[0].bit_count()
            if coming[place] == 0 and self.stands(state, event):
                return number
            weights.append((coming[place], number))
        for weight, number in sorted(weights):
            if weight and self.stands(state, steps[number][1]):
                return number
        return -1

    def under_way_from(self, state: State, place: int) -> int:
        """The kinds of what a process has sent that has not arrived yet."""
        semantics = self.semantics
        self.take_note_of_events()
        found = 0
        for other in self.linked[place]:
            if state[semantics.n + other] != EMPTY:
                for event in semantics.inboxes.events(state[semantics.n + other]):
                    found |= 1 << self.kinds[event]
        return found & self.kinds_by[place]

    def coming(self, state: State, place: int, heard: int) -> Bag:
        """What others may send to a process while all they receive from it is `heard`."""
        once = twice = often = 0
        for other in self.linked[place]:
            bag = self.graphs[other].outlook(place, heard & self.kinds_to[other]).bags.get(state[other], NONE)
            once, twice, often = once | bag[0], twice | bag[1], often | bag[2]
        return once, twice, often

    def stands(self, state: State, event: int) -> bool:
        """Whether an event commutes with all that may come before it, by all that is known now."""
        semantics = self.semantics
        if semantics.is_wish(event):
            return False  # it may never come, and what is left then would not be seen behind it
        place = semantics.events[event].place
        local, inbox = state[place], state[semantics.n + place]
        if not self.has_one_outcome(local, event) or not self.is_unseen(local, semantics.results(local, event)[0]):
            return False
        heard = self.under_way_from(state, place)
        while True:
            coming = self.coming(state, place, heard)
            if self.fifo:
                key = (local, event, inbox, coming)
            else:  # whatever is under way or will be, all of it may come next
                key = (local, event, EMPTY, joined(coming, semantics.inboxes.events(inbox)))
            known = self.grounds.get(key)
            if known is None:
                known = self.grounds[key] = self.commutes_with_all(*key)
            stands, sent = known
            if not stands or sent | heard == heard:
                return stands
            heard |= sent  # before e the process may send this, and others may answer

    def commutes_with_all(self, local: int, event: int, inbox: int, coming: Bag) -> tuple[bool, int]:
        """Follow everything that may happen at the process before the event; compare both orders at each step.

        Says whether it commutes with all of it, and which kinds of messages the process may send meanwhile.
        """
        semantics = self.semantics
        mine = semantics.events[event].kind not in ARRIVALS
        if mine and semantics.limits.timing != ASYNC:
            return False, 0
        sent = 0
        steps: list[tuple[int, int, Outcome]] = []
        seen = {(local, inbox, coming)}
        agenda = [(local, inbox, coming)]
        while agenda:
            self.work += 1
            here, under_way, later = agenda.pop()
            own = semantics.own_events(here)
            if (mine and event not in own) or not self.has_one_outcome(here, event):
                return False, 0  # something else may call it off
            outcome = semantics.results(here, event)[0]
            if not outcome.explored:
                steps.append((here, event, outcome))
            possible = [(other, rest, later) for other, rest in semantics.inboxes.arrivals(under_way)]
            possible += [(other, under_way, without(later, other)) for other in self.next_sent(under_way, later)]
            if not mine:
                possible = [step for step in possible if not self.is_behind(step[0], event)]
            possible += [(other, under_way, later) for other in own if other != event and self.may_come_first(other)]
            for other, rest, after in possible:
                pair = (here << 48) | (event << 24) | other
                agree = self.commuting.get(pair)
                if agree is None:
                    agree = self.commuting[pair] = self.commute(here, event, other, other in own)
                if not agree:
                    return False, 0
                for outcome in semantics.results(here, other):
                    if not outcome.explored:
                        steps.append((here, other, outcome))
                    if outcome.sends:
                        self.take_note_of_events()
                        for _, message in outcome.sends:
                            sent |= 1 << self.kinds[message]
                    step = (outcome.local, rest, after)
                    if step not in seen:
                        if len(seen) >= MOST_LOCAL_STATES:
                            return False, 0
                        seen.add(step)
                        agenda.append(step)
        for here, number, outcome in steps:  # runs that are left out may take them
            if not outcome.explored:
                self.learn(here, number, outcome)
        return True, sent

    def next_sent(self, inbox: int, later: Bag) -> list[int]:
        """What others may send and have arrive next: where order is kept, nothing overtakes what is under way."""
        inboxes = self.semantics.inboxes
        waiting: set[int] = set()
        if self.fifo:
            waiting = {inboxes.channels[event] for event in inboxes.events(inbox)}
        found = []
        bits = later[0]
        while bits:
            low = bits & -bits
            number = low.bit_length() - 1
            if not waiting or inboxes.channels[number] not in waiting:
                found.append(number)
            bits ^= low
        return found

    def is_behind(self, other: int, event: int) -> bool:
        """Whether a message cannot arrive before another: it is the same, or in the same queue.

        Not whether it has the same sender: an eventual detector speaks of a process in a queue of its own.
        """
        channels = self.semantics.inboxes.channels
        return other == event or (self.fifo and channels[other] == channels[event])

    def may_come_first(self, own: int) -> bool:
        """Whether a process may do this of its own while a message is under way to it."""
        return self.semantics.limits.timing == ASYNC or self.semantics.events[own].kind != "timeout"

    def has_one_outcome(self, local: int, event: int) -> bool:
        """Whether there is just one thing that the event can do here, within bounds."""
        try:
            outcomes = self.semantics.results(local, event)
        except Exception:  # a state that no run reaches may be one that the clause cannot deal with
            return False
        return len(outcomes) == 1 and not self.semantics.excess[outcomes[0].local]

    def is_unseen(self, local: int, outcome: Outcome) -> bool:
        """Whether onlookers see at most that a follower changes its mind, or that somebody wants in."""
        onlookers = self.semantics.onlookers
        for process, what, subject in onlookers.notes[outcome.note]:
            if what == "ask" and not onlookers.counting:
                continue
            if what != "leader" or subject == process or self.is_in_office(local, process):
                return False
        return True

    def is_in_office(self, local: int, process: int) -> bool:
        """Whether the process named itself before."""
        semantics = self.semantics
        for anatomy, snapshot in zip(semantics.stack, semantics.locals[local].layers, strict=True):
            if "leader" in anatomy.fields and snapshot[anatomy.fields.index("leader")] == process:
                return True
        return False

    def is_opening(self, outcome: Outcome) -> bool:
        """Whether all that onlookers see is that a process takes office, or enters, and hides nothing by it.

        An entry with a token may turn away others who would have met each other inside; and where entries are counted
        it matters who asked before.
        """
        onlookers = self.semantics.onlookers
        for process, what, subject in onlookers.notes[outcome.note]:
            if what == "enter":
                if subject is not None or onlookers.counting:
                    return False
            elif what != "term" and (what != "leader" or subject != process):
                return False
        return True

    def commute(self, local: int, event: int, other: int, own: bool) -> bool:
        """Whether the order of two events in a local state makes no difference to anybody."""
        semantics = self.semantics
        first = semantics.results(local, event)[0]
        if own and other not in semantics.own_events(first.local):
            return False  # the event calls the other one off
        try:
            others = semantics.results(local, other)
            after = semantics.results(first.local, other)
        except Exception:
            return False
        if len(others) != len(after):
            return False
        for direct, late in zip(others, after, strict=True):
            if direct.coins != late.coins or not self.has_one_outcome(direct.local, event):
                return False
            last = semantics.results(direct.local, event)[0]
            if last.local != late.local or semantics.excess[direct.local] != semantics.excess[late.local]:
                return False
            if not self.look_the_same(local, first, late, direct, last):
                return False
            if not self.send_the_same(first.sends + late.sends, direct.sends + last.sends):
                return False
        return True

    def look_the_same(self, local: int, first: Outcome, late: Outcome, direct: Outcome, last: Outcome) -> bool:
        """Whether onlookers see the same when e goes first as when it goes last, or see someone enter the earlier."""
        if not (first.note or late.note or direct.note or last.note):
            return True
        if first.note == last.note and direct.note == late.note:
            if not first.note or not direct.note:
                return not first.note or self.is_unseen(local, first) or self.is_opening(first)
            return False
        return not first.note and not direct.note and last.note == late.note and self.is_opening(last)

    def send_the_same(self, one: tuple[tuple[int, int], ...], other: tuple[tuple[int, int], ...]) -> bool:
        """Whether two orders put the same messages into every inbox, in the same order where links keep it."""
        if one == other:
            return True
        if self.fifo:
            return sorted(one, key=lambda send: send[0]) == sorted(other, key=lambda send: send[0])
        return sorted(one) == sorted(other)
