"""The search: every state that can be reached, each once, with the way to it.

States are numbered in the order of discovery. Of each the search keeps the number of the state it was found from, its
depth, and which event was explored alone (see `reduction`), so that a way back is followed and explained afterwards by
expanding the states on it again. Breadth first, the first violation found is reached by a shortest run.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from random import Random
from resource import RUSAGE_SELF, getrusage
from sys import getsizeof

from habemus.checking.moves import Move, State
from habemus.checking.reduction import Reduction
from habemus.checking.semantics import Semantics

BREADTH, DEPTH = "breadth-first", "depth-first"
EVERY = 4096  # states between two looks at the clock and the memory; fewer, if each takes much
IN_FULL = -1
CHOICE, COMPARISON = 5, 10  # what looking for a choice costs, and looking at a local state for it, measured in steps
WITHOUT_END = 1 << 60
LITTLE = 10_000  # states, or comparisons
CLAUSES = 15  # run for each state, on the average: with more, it does not pay to look for what can be forgotten

Progress = Callable[["Search"], None]


class Search:
    """A search of one instance, under way or done."""

    def __init__(
        self,
        semantics: Semantics,
        reduced: bool,
        order: str,
        most_states: int,
        most_bytes: int,
        forgetful: bool = False,
    ) -> None:
        self.semantics = semantics
        self.reduction: Reduction | None = None
        self.order = order
        self.most_states = most_states
        self.most_bytes = most_bytes
        self.expanded = 0
        self.next_look = 0
        if reduced and Reduction.applies(semantics):
            if forgetful:
                semantics.begin_to_forget()
            self.reduction = Reduction(semantics)
        self.begin()

    def begin(self) -> None:
        """Know nothing but how it all begins."""
        semantics = self.semantics
        self.prefix = semantics.beginning()
        first = self.prefix[-1].state if self.prefix else semantics.initial
        self.states: list[State] = [first]
        self.numbers: dict[State, int] = {first: 0}
        self.parents = array("q", [-1])
        self.depths = array("i", [0])
        self.chosen = array("i", [IN_FULL])
        self.transitions = 0
        self.deepest = 0
        self.agenda = [0]  # states to expand, from the cursor on
        self.cursor = 0
        self.finished = False
        self.recurrent = False  # whether a step was found that does not lead deeper: there may be a circle
        self.lost = False  # whether a clause failed
        self.run_before = semantics.misses  # clauses
        self.proven = LITTLE // 10  # states, by which what was forgotten is looked into
        self.truncated = False  # whether bounds left something out, or timers were kept from running out
        self.violated = ""
        self.at_end = False  # whether it is violated because nothing is left to do
        self.culprit = -1
        self.stopped = ""  # why the search ended before everything was explored
        self.interrupted = False

    # Exploring

    def run(self, progress: Progress | None = None, turn: int = WITHOUT_END) -> None:
        """Explore until everything is known, a property is violated, a limit is reached, or the turn is over."""
        until = self.toil() + turn
        try:
            if self.semantics.broken(self.states[0]):
                self.violated, self.culprit = self.semantics.broken(self.states[0]), 0
            while not self.finished and self.toil() < until:
                try:
                    self.explore(progress, until)
                except Exception:
                    if not self.semantics.forgot:
                        raise
                    self.lost = True  # perhaps no run comes here, and it is for what was forgotten
                if self.violated or self.stopped:
                    self.finished = True
                elif self.frontier == 0:
                    self.finished = self.reduction is None or self.is_reviewed()
                if self.finished or self.is_doubtful():
                    self.recall()
        except KeyboardInterrupt:
            self.interrupt()

    def is_doubtful(self) -> bool:
        """Whether it is time to ask if something was forgotten that matters: who errs may never come to an end."""
        if not self.semantics.forgot:
            return False
        return self.recurrent or self.lost or self.is_costly() or len(self.states) >= self.proven

    def is_costly(self) -> bool:
        """Whether looking for what can be forgotten takes more than it can save."""
        return self.semantics.misses - self.run_before > CLAUSES * (LITTLE + len(self.states))

    def is_narrow(self) -> bool:
        """Whether there was hardly ever more than one step to explore: nothing can be left out of that."""
        return 10 * self.transitions < 11 * self.expanded

    def recall(self) -> None:
        """See whether anything was forgotten that matters: then begin anew, and remember it."""
        semantics = self.semantics
        self.proven = max(2 * LITTLE, 4 * len(self.states))
        if self.stopped or not semantics.forgot:
            return
        needed = semantics.forgettable
        hopeless = self.recurrent or self.lost or (self.is_costly() and not self.finished)
        if not hopeless:
            effort = LITTLE + 2 * len(self.states)  # the proof should not take longer than the search
            needed = semantics.missed(self.deepest + len(self.prefix), effort, self.finished)
        if needed:
            semantics.forget_less(needed)
            self.reduction = Reduction(semantics)
            self.begin()

    def interrupt(self) -> None:
        """Somebody wants no more of it."""
        self.stopped, self.interrupted, self.finished = "it was interrupted", True, True

    def toil(self) -> int:
        """What was done so far, in steps that take about as long as expanding a state with four successors."""
        if self.reduction is None:
            return self.transitions // 4
        return CHOICE * self.expanded + COMPARISON * self.reduction.work

    @property
    def frontier(self) -> int:
        """How many states are known and not expanded yet."""
        return len(self.agenda) - self.cursor

    def explore(self, progress: Progress | None, until: int) -> None:
        """Expand the states on the agenda, and all that this leads to, until so much is done."""
        breadth = self.order == BREADTH
        agenda = self.agenda
        while self.cursor < len(agenda) and not self.violated and self.toil() < until:
            if breadth:
                number = agenda[self.cursor]
                self.cursor += 1
            else:
                number = agenda.pop()
            if number % EVERY == EVERY - 1 or self.toil() >= self.next_look:
                self.look_up(progress)
            if self.stopped or self.is_doubtful():
                return
            if breadth and self.cursor >= EVERY * 16:
                del agenda[: self.cursor]
                self.cursor = 0
            self.expand(number, True)

    def is_reviewed(self) -> bool:
        """Whether every choice stands by what is known now; where one does not, another is made, or none."""
        assert self.reduction is not None
        learned = self.reduction.learned
        doubtful = self.unfounded()
        circles = [] if doubtful else self.circles_of_choices()
        for number in [*doubtful, *circles]:
            self.chosen[number] = IN_FULL
            self.expand(number, not circles)
            if self.violated:
                return True
        # What was learned meanwhile may shake what was reviewed before.
        return not doubtful and not circles and self.reduction.learned == learned

    def expand(self, number: int, may_choose: bool) -> None:
        """Find the states that can be reached from one in a step."""
        semantics, reduction = self.semantics, self.reduction
        state = self.states[number]
        self.expanded += 1
        moves = self.chosen_moves(number, state) if reduction is not None and may_choose else []
        if not moves:
            moves = semantics.expand(state)
            if semantics.progress == 0:
                self.judge_end(number, state)
            if semantics.left_out:
                self.truncated = True
        if reduction is not None:
            for move in moves:
                if move.outcome is not None and not move.outcome.explored:
                    reduction.learn(state[semantics.events[move.event].place], move.event, move.outcome)
        self.transitions += len(moves)
        numbers = self.numbers
        deeper = self.depths[number] + 1
        for move in moves:
            child = move.state
            known = numbers.get(child)
            if known is not None:
                if self.depths[known] < deeper:
                    self.recurrent = True
                continue
            new = len(self.states)
            numbers[child] = new
            self.states.append(child)
            self.parents.append(number)
            self.depths.append(deeper)
            self.chosen.append(IN_FULL)
            self.agenda.append(new)
            if deeper > self.deepest:
                self.deepest = deeper
            if semantics.broken(child):
                self.violated = semantics.broken(child)
                self.culprit = new
                return

    def chosen_moves(self, number: int, state: State) -> list[Move]:
        """The one move that is enough to explore; none if there is no such move, or only one is possible anyway."""
        assert self.reduction is not None
        moves: list[Move] = []
        steps = self.semantics.single_steps(state)
        choice = self.reduction.choice(state, steps) if len(steps) > 1 else -1
        if choice >= 0:
            place, event, rest = steps[choice]
            self.chosen[number] = event
            self.semantics.take(moves, state, place, state[place], event, rest)
        return moves

    def judge_end(self, number: int, state: State) -> None:
        """Nothing is left to do in this state, unless a limit is in the way: is all as it should be?"""
        if self.semantics.held_back or not self.semantics.is_final(state):
            self.truncated = True
            return
        failing = self.semantics.shortfall(state)
        if failing:
            self.violated = failing
            self.at_end = True
            self.culprit = number

    def look_up(self, progress: Progress | None) -> None:
        """Look up from the work: is there still room, and does somebody want to know how far it got?"""
        self.next_look = self.toil() + EVERY
        if len(self.states) >= self.most_states:
            self.stopped = f"the budget of {self.most_states:,} states was spent"
        elif memory_in_use() >= self.most_bytes:
            self.stopped = f"the memory limit of {self.most_bytes / 1e9:.1f} GB was reached"
        if progress is not None:
            progress(self)

    # Reviewing the reduction

    def unfounded(self) -> list[int]:
        """The states whose choice does not stand by what is known now."""
        reduction = self.reduction
        assert reduction is not None
        doubtful = []
        for number in range(len(self.states)):
            if self.chosen[number] != IN_FULL and not reduction.stands(self.states[number], self.chosen[number]):
                doubtful.append(number)
        return doubtful

    def circles_of_choices(self) -> list[int]:
        """One state of every circle in which each was explored by choice."""
        if not self.recurrent or not self.semantics.may_recur():
            return []
        visited = array("q", [-1]) * len(self.states)
        found = []
        for start in range(len(self.states)):
            number = start
            while self.chosen[number] != IN_FULL and visited[number] < 0:
                visited[number] = start
                number = self.only_successor(number)
            if self.chosen[number] != IN_FULL and visited[number] == start:
                found.append(number)
        return found

    def only_successor(self, number: int) -> int:
        """The state that the chosen event leads to."""
        for move in self.semantics.expand(self.states[number]):
            if move.event == self.chosen[number]:
                return self.numbers[move.state]
        raise AssertionError("a chosen event is always possible")

    def successors(self, number: int) -> list[tuple[Move, int]]:
        """The explored steps from a state."""
        moves = self.semantics.expand(self.states[number])
        chosen = self.chosen[number]
        return [(move, self.numbers[move.state]) for move in moves if chosen in (IN_FULL, move.event)]

    # What came of it

    def bytes_in_use(self) -> int:
        """What the states take, with all that is kept of each."""
        kept = (self.states, self.numbers, self.parents, self.depths, self.chosen)
        return sum([getsizeof(part) for part in kept]) + len(self.states) * getsizeof(self.states[0])

    def way_to(self, number: int) -> list[Move]:
        """The run that leads to a state, from the very beginning."""
        moves: list[Move] = []
        while self.parents[number] >= 0:
            parent, target = self.parents[number], self.states[number]
            moves.append(next(move for move in self.semantics.expand(self.states[parent]) if move.state == target))
            number = parent
        return [*self.prefix, *reversed(moves)]


def random_walk(search: Search, seed: int, steps: int) -> int:
    """Follow one random run after the other; ends as the search does. Says how many runs that were."""
    random = Random(f"{seed}/walk")
    semantics = search.semantics
    runs = 0
    try:
        while steps > 0 and not search.violated:
            runs += 1
            number = 0
            while steps > 0 and not search.violated:
                steps -= 1
                state = search.states[number]
                moves = semantics.expand(state)
                if semantics.progress == 0:
                    search.judge_end(number, state)
                if not moves:
                    break
                search.transitions += 1
                move = moves[int(random.random() * len(moves))]
                known = search.numbers.get(move.state)
                if known is None:
                    known = search.numbers[move.state] = len(search.states)
                    search.states.append(move.state)
                    search.parents.append(number)
                    search.depths.append(search.depths[number] + 1)
                    search.chosen.append(IN_FULL)
                    search.deepest = max(search.deepest, search.depths[known])
                    if semantics.broken(move.state):
                        search.violated, search.culprit = semantics.broken(move.state), known
                number = known
        search.stopped = "" if search.violated else "random runs are a sample"
    except KeyboardInterrupt:
        search.interrupt()
    return runs


def memory_in_use() -> int:
    """The most memory that this program has held so far, in bytes."""
    return getrusage(RUSAGE_SELF).ru_maxrss * 1024
