"""The search: every state that can be reached, each once, with the path to it.

States are numbered in the order of discovery. Of each the search keeps the number of the state it was found from, its
depth, and which action was explored alone (see `reduction`), so that a path is followed and explained afterwards by
expanding the states on it again. Breadth first, the first violation found is reached by a shortest run.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

from habemus.checking.model.semantics import Semantics
from habemus.checking.model.transitions import Expansion, State, Transition
from habemus.checking.search.memory import memory_in_use
from habemus.checking.search.packing import AT_END, FINISHED, IN_PYTHON, PAUSED, VIOLATED, make_store
from habemus.checking.search.recurrence import may_recur
from habemus.checking.search.reduction import IN_FULL, Reduction, find_cycles_of_choices, find_unfounded_choices
from habemus.checking.search.state_merging import StateMerging
from habemus.properties import NO_FAILURE

BREADTH, DEPTH = "breadth-first", "depth-first"
INTERVAL = 4096  # states between two looks at the clock and the memory; fewer, if each takes much
CHOICE, COMPARISON = 5, 10  # what looking for a choice costs, and looking at a local state for it, measured in steps
PACKED_TRANSITIONS = 40  # that the packed search finds in the time of such a step
PORTION = 1 << 16  # states that it expands between two looks at the clock and the memory
UNLIMITED = 1 << 60
FEW_STATES = 10_000  # or comparisons
CLAUSES_PER_STATE = 15  # with more clauses run, on the average, it does not pay to look for states to merge

Progress = Callable[["Search"], None]


class Search:
    """A search of one instance, in progress or finished."""

    def __init__(
        self,
        semantics: Semantics,
        reduced: bool,
        order: str,
        most_states: int,
        most_bytes: int,
        merging: bool = False,
        packing: bool = True,
        roots: list[State] | None = None,
        compact: bool = False,
    ) -> None:
        self.semantics = semantics
        self.compact = compact  # whether a state is forgotten once it is expanded, and known by its hash from then on
        self.pinned: list[int] = []  # states that are not forgotten
        self.reduction: Reduction | None = None
        self.merging: StateMerging | None = None
        self.order = order
        self.most_states = most_states
        self.most_bytes = most_bytes
        self.packing = packing
        self.expanded = 0
        self.next_look = 0
        self.roots = roots or []
        if reduced and Reduction.applies(semantics):
            if merging:
                self.merging = StateMerging(semantics)
            self.reduction = Reduction(semantics)
        self.states: Any
        self.packed: Any  # the same, if it explores by machine code
        self.begin()

    def begin(self) -> None:
        """Know nothing but how every run begins."""
        semantics = self.semantics
        self.prefix = [] if self.roots else semantics.common_prefix()
        first = self.prefix[-1].state if self.prefix else semantics.initial
        depth = semantics.limits.depth
        self.most_depth = max(0, depth - len(self.prefix)) if depth >= 0 else UNLIMITED
        packable = self.packing and self.reduction is None and self.order == BREADTH and not self.roots
        self.states, self.packed = make_store(semantics, packable, self.compact, self.most_depth)
        for root in self.roots or [first]:
            self.states.add(root, -1)
        for number in self.pinned:
            self.states.pin(number)
        self.chosen = array("i", [IN_FULL]) * len(self.states)
        self.transitions = 0
        self.agenda = list(range(len(self.states)))  # states to expand, from the cursor on
        self.cursor = 0
        self.finished = False
        self.recurrent = False  # whether a step was found that does not lead deeper: there may be a cycle
        self.failed = False  # whether a clause failed in a merged state
        self.misses_before = semantics.effects.misses
        self.next_review = FEW_STATES // 10  # the number of states at which merging is reviewed
        self.truncated = False  # whether bounds excluded something, or limits kept timers from expiring
        self.ends = 0  # states in which nothing is left to do
        self.open_ends = 0  # those of them that were not judged, because only a limit left nothing to do
        self.open: dict[str, set[str]] = {}  # the properties that had not come about there, and which limits it was
        self.is_cut = False  # whether runs go on beyond the depth to which they are followed
        self.stuck: list[int] = []  # such ends where all that is left are timers beyond the limit
        self.waiting: list[int] = []  # the same where nothing has still to come about
        self.violated = ""
        self.at_end = False  # whether it is violated because nothing is left to do
        self.culprit = -1
        self.stopped = ""  # why the search ended before everything was explored
        self.interrupted = False
        self.flooded = False  # whether it ended because messages are sent without end
        self.sampled = False  # whether random runs were taken, in place of a search

    # Exploring

    def run(self, progress: Progress | None = None, turn: int = UNLIMITED) -> None:
        """Explore until everything is known, a property is violated, a limit is reached, or the turn is over."""
        until = self.work_done() + turn
        try:
            if not self.expanded and self.semantics.violated(self.states[0]):
                self.violated, self.culprit = self.semantics.violated(self.states[0]), 0
            while not self.finished and self.work_done() < until:
                try:
                    self.explore(progress, until)
                except Exception:
                    if not self.has_merged():
                        raise
                    self.failed = True  # perhaps no run comes here, and only merging led to it
                if self.violated and self.compact and not self.pinned:
                    self.pin_path()
                elif self.violated or self.stopped:
                    self.finished = True
                elif self.frontier == 0:
                    self.finished = self.reduction is None or self.review_choices()
                if self.finished or self.should_review_merging():
                    self.review_merging()
        except KeyboardInterrupt:
            self.interrupt()

    def pin_path(self) -> None:
        """The run to the violation was forgotten: search again, in the same order, and keep it this time."""
        number = self.culprit
        while number >= 0:
            self.pinned.append(number)
            number = self.states.parent(number)
        self.expanded = 0
        self.begin()

    def interrupt(self) -> None:
        self.stopped, self.interrupted, self.finished = "it was interrupted", True, True

    def work_done(self) -> int:
        """What was done so far, in steps that take about as long as expanding a state with four successors."""
        if self.packed is not None:
            return self.transitions // PACKED_TRANSITIONS
        if self.reduction is None:
            return self.transitions // 4
        return CHOICE * self.expanded + COMPARISON * self.reduction.work

    @property
    def frontier(self) -> int:
        """How many states are known and not expanded yet."""
        if self.packed is not None:
            return len(self.states) - self.expanded
        return len(self.agenda) - self.cursor

    @property
    def deepest(self) -> int:
        """How many steps lead to the state that was found last by breadth, or to the deepest by depth."""
        return int(self.states.deepest)

    def is_narrow(self) -> bool:
        """Whether there was hardly ever more than one step to explore: nothing can be left out of that."""
        return 10 * self.transitions < 11 * self.expanded

    def explore(self, progress: Progress | None, until: int) -> None:
        """Expand the states on the agenda, and all that this leads to, until so much work is done."""
        if self.packed is not None:
            self.explore_packed(progress, until)
            return
        breadth = self.order == BREADTH
        agenda = self.agenda
        while self.cursor < len(agenda) and not self.violated and self.work_done() < until:
            if breadth:
                number = agenda[self.cursor]
                self.cursor += 1
            else:
                number = agenda.pop()
            if number % INTERVAL == INTERVAL - 1 or self.work_done() >= self.next_look:
                self.check_budget(progress)
            if self.stopped or self.should_review_merging():
                return
            if breadth and self.cursor >= INTERVAL * 16:
                del agenda[: self.cursor]
                self.cursor = 0
            self.expand(number, True)

    def explore_packed(self, progress: Progress | None, until: int) -> None:
        """The same by machine code, in portions; what that cannot do is done here."""
        packed = self.packed
        reason = PAUSED
        while reason != FINISHED and not self.violated and self.work_done() < until:
            before = packed.transitions
            reason, number = packed.explore(min(PORTION, until - self.work_done()))
            self.transitions += packed.transitions - before
            self.expanded = packed.expanded
            self.recurrent = self.recurrent or packed.recurrent
            self.is_cut = self.is_cut or packed.is_cut
            self.truncated = self.truncated or packed.truncated or packed.is_cut
            if reason == VIOLATED:
                self.violated, self.culprit = self.semantics.violated(packed[number]), number
            elif reason == AT_END:
                self.judge_end(number, packed[number], self.semantics.expand(packed[number]))
            elif reason == IN_PYTHON:
                self.expanded -= 1
                self.expand(number, False)
            if reason == PAUSED or self.work_done() >= self.next_look:
                self.check_budget(progress)
            if self.stopped:
                return

    def expand(self, number: int, may_choose: bool) -> None:
        """Find the states that can be reached from one in a step."""
        semantics, reduction = self.semantics, self.reduction
        state = self.states[number]
        self.expanded += 1
        if self.compact:
            self.states.forget(number)
        if self.states.depth(number) >= self.most_depth:
            if semantics.expand(state).transitions:
                self.is_cut = self.truncated = True
            return
        transitions = self.expand_choice(number, state) if reduction is not None and may_choose else []
        if not transitions:
            expansion = semantics.expand(state)
            transitions = expansion.transitions
            if expansion.progress == 0:
                self.judge_end(number, state, expansion)
            if expansion.left_out:
                self.truncated = True
        if reduction is not None:
            for transition in transitions:
                effect = transition.effect
                if effect is not None and not effect.explored:
                    seat = semantics.actions.known[transition.action].seat
                    reduction.learn(state[seat], transition.action, effect)
        states = self.states
        depth = states.depth(number)
        for taken, transition in enumerate(transitions, 1):
            child = transition.state
            known: int = states.find(child)
            if known >= 0:
                if states.depth(known) <= depth:
                    self.recurrent = True
                continue
            new = self.add(child, number)
            if semantics.violated(child):
                if semantics.violated(child) == NO_FAILURE and self.has_merged():
                    self.failed = True  # perhaps no run comes here, and only merging led to it
                else:
                    self.violated = semantics.violated(child)
                    self.culprit = new
                self.transitions += taken
                return
        self.transitions += len(transitions)

    def add(self, state: State, parent: int) -> int:
        """Number a new state, and plan to expand it."""
        number = int(self.states.add(state, parent))
        if self.packed is None:
            self.agenda.append(number)
            self.chosen.append(IN_FULL)
        return number

    def expand_choice(self, number: int, state: State) -> list[Transition]:
        """The one action that is enough to explore; nothing if there is none, or only one is possible anyway."""
        assert self.reduction is not None
        expansion = Expansion()
        steps = self.semantics.single_steps(state)
        choice = self.reduction.choose(state, steps) if len(steps) > 1 else -1
        if choice >= 0:
            seat, action, rest = steps[choice]
            self.chosen[number] = action
            self.semantics.transitions.take(expansion, state, seat, action, rest)
        return expansion.transitions

    def judge_end(self, number: int, state: State, expansion: Expansion) -> None:
        """Nothing is left to do in this state, unless only a limit prevents it: do the properties hold?"""
        self.ends += 1
        violated = self.semantics.violated_at_end(state)
        if expansion.held_back or not self.semantics.is_final(state):
            self.truncated = True
            self.open_ends += 1
            for name in violated if expansion.held_back else []:
                self.leave_open(name, self.semantics.describe_bounds())
            if not expansion.held_back and self.compact:
                self.leave_stuck_open(violated)
            elif not expansion.held_back:
                (self.stuck if violated else self.waiting).append(number)
        elif violated:
            self.violated = violated[0]
            self.at_end = True
            self.culprit = number

    def leave_open(self, property: str, limit: str) -> None:
        """A property is not judged in some runs, because of a limit."""
        self.truncated = True
        self.open.setdefault(property, set()).add(limit)

    def leave_stuck_open(self, properties: list[str]) -> None:
        """What had not come about where a run stopped at the limit on timeouts is not judged."""
        for name in properties:
            self.leave_open(name, f"--timeouts {self.semantics.limits.alarms}")

    def check_budget(self, progress: Progress | None) -> None:
        """Stop if the budget is spent; report progress."""
        self.next_look = self.work_done() + INTERVAL
        if len(self.states) >= self.most_states:
            self.stopped = f"the budget of {self.most_states:,} states was spent"
        elif memory_in_use() >= self.most_bytes:
            self.stopped = f"the memory limit of {self.most_bytes / 1e9:.1f} GB was reached"
        else:
            self.stopped = self.semantics.find_flood(self.states[len(self.states) - 1])
            self.flooded = bool(self.stopped)
        if progress is not None:
            progress(self)

    # Reviewing the merging of states

    def has_merged(self) -> bool:
        return self.merging is not None and self.merging.merged

    def should_review_merging(self) -> bool:
        """Whether it is time to ask if states were merged that differ: such a search may never come to an end."""
        if self.merging is None or not self.merging.merged:
            return False
        return self.recurrent or self.failed or self.is_costly() or len(self.states) >= self.next_review

    def is_costly(self) -> bool:
        """Whether looking for states to merge takes more than it can save."""
        misses = self.semantics.effects.misses - self.misses_before
        return misses > CLAUSES_PER_STATE * (FEW_STATES + len(self.states))

    def review_merging(self) -> None:
        """See whether states were merged that differ: then begin anew, and keep them apart."""
        merging = self.merging
        self.next_review = max(2 * FEW_STATES, 4 * len(self.states))
        if self.stopped or merging is None or not merging.merged:
            return
        needed = merging.resettable
        hopeless = self.recurrent or self.failed or (self.is_costly() and not self.finished)
        if not hopeless:
            effort = FEW_STATES + 2 * len(self.states)  # the proof should not take longer than the search
            needed = merging.find_needed(self.deepest + len(self.prefix), effort, self.finished)
        if needed:
            merging.keep(needed)
            self.reduction = Reduction(self.semantics)
            self.begin()

    # Reviewing the reduction

    def review_choices(self) -> bool:
        """Whether every choice stands by what is known now; where one does not, another is made, or none."""
        assert self.reduction is not None
        learned = self.reduction.learned
        unfounded = find_unfounded_choices(self.reduction, self.states, self.chosen)
        cycles: list[int] = []
        if not unfounded and self.recurrent and may_recur(self.semantics):
            cycles = find_cycles_of_choices(self.chosen, lambda number: self.list_successors(number)[0])
        for number in [*unfounded, *cycles]:
            self.chosen[number] = IN_FULL
            self.expand(number, not cycles)
            if self.violated:
                return True
        # What was learned meanwhile may undermine what was reviewed before.
        return not unfounded and not cycles and self.reduction.learned == learned

    def list_successors(self, number: int) -> list[int]:
        return [there for _, there in self.follow(number, self.semantics.expand(self.states[number]))]

    def follow(self, number: int, expansion: Expansion) -> list[tuple[Transition, int]]:
        """The explored transitions from a state, each with the number of the state that it leads to."""
        chosen = IN_FULL if self.packed is not None else self.chosen[number]
        find = self.states.find
        return [(one, find(one.state)) for one in expansion.transitions if chosen in (IN_FULL, one.action)]

    # What was found

    def bytes_in_use(self) -> int:
        """What the states take, with all that is kept of each."""
        return int(self.states.bytes_in_use()) + len(self.chosen) * self.chosen.itemsize

    def root_of(self, number: int) -> int:
        """The state that the search of another began with."""
        while self.states.parent(number) >= 0:
            number = self.states.parent(number)
        return number

    def path_to(self, number: int) -> list[Transition]:
        """The run that leads to a state, from the very beginning, or from the root that it was found from."""
        path: list[Transition] = []
        while self.states.parent(number) >= 0:
            parent, target = self.states.parent(number), self.states[number]
            transitions = self.semantics.expand(self.states[parent]).transitions
            path.append(next(transition for transition in transitions if transition.state == target))
            number = parent
        return [*self.prefix, *reversed(path)]
