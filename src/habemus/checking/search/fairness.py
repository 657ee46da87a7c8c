"""Which runs without end are fair: what is due happens in the end.

What is due in a state is an event: a message in transit or a report of the detector, a timer that is armed, a process
that is inside and will leave, a first step. A run is fair if no event is due for ever and left out although it is
possible again and again. This is asked of each event on its own, not of a link or of a process: a message that others
overtake for ever is left out, and so is a timer that waits while others run out. A timer that is set again is another
event. To ask to enter is nobody's duty.

Such runs go round strongly connected sets of states. In a set in which an event is due everywhere and never happens, a
fair run keeps away from the states in which it is possible: so these are taken out, and what is still connected is
looked at again (strong fairness; E. A. Emerson, C.-L. Lei. Modalities for model checking. SCP 8(3), 1987).

An event that only a limit prevents counts as possible: such a cycle is the end of what the limits allow, and is not
judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from habemus.checking.model.transitions import Expansion, State, Transition
from habemus.checking.search.components import Components
from habemus.checking.search.search import Search

Edge = tuple[Transition, int]
Events = frozenset[int]
"""Events by the number of the action that they are."""

Goal = Callable[[Edge, int], bool]
"""Whether a step from a state is the one that is looked for."""

NOTHING: Events = frozenset()


class Fairness:
    """What is due, possible and done in the first states of a search, as many as are known with what they lead to."""

    def __init__(self, search: Search, nodes: list[int]) -> None:
        self.search = search
        self.semantics = search.semantics
        self.actions = search.semantics.actions
        self.known_edges: dict[int, list[Edge]] = {}
        self.known_held: dict[int, Events] = {}
        self.known_possible: dict[int, Events] = {}
        self.due_locally: dict[int, Events] = {}
        self.due_in_inbox: dict[int, Events] = {}
        self.components = Components(search, nodes)

    def look_at(self, number: int) -> None:
        """Expand a state again; most are never looked at."""
        state = self.search.states[number]
        expansion = self.semantics.expand(state)
        self.known_edges[number] = self.search.follow(number, expansion)
        self.known_held[number] = self.find_held_back(state, expansion)

    def edges(self, number: int) -> list[Edge]:
        if number not in self.known_edges:
            self.look_at(number)
        return self.known_edges[number]

    def held(self, number: int) -> Events:
        """What only a limit prevents in a state."""
        if number not in self.known_held:
            self.look_at(number)
        return self.known_held[number]

    def due(self, number: int) -> Events:
        """The events that are due in a state."""
        semantics, state = self.semantics, self.search.states[number]
        found: set[int] = {semantics.tick, semantics.pulse}
        for seat in range(semantics.n):
            local, inbox = state[seat], state[semantics.n + seat]
            if local not in self.due_locally:
                self.due_locally[local] = frozenset(semantics.own_actions.due(local))
            if inbox not in self.due_in_inbox:
                self.due_in_inbox[inbox] = frozenset(semantics.inboxes.actions(inbox))
            found |= self.due_locally[local]
            found |= self.due_in_inbox[inbox]
        return frozenset(found)

    def possible(self, number: int) -> Events:
        """The events that can happen in a state, or could if no limit prevented it."""
        if number not in self.known_possible:
            found = set(self.held(number))
            for transition, _ in self.edges(number):
                found |= self.events_of(number, transition)
            self.known_possible[number] = frozenset(found)
        return self.known_possible[number]

    def events_of(self, number: int, transition: Transition) -> set[int]:
        """The events that happen in a transition: one, or the reports of a detector that tells all at once."""
        action = self.actions.known[transition.action]
        if action.kind != "inform":
            return {transition.action}
        semantics, state = self.semantics, self.search.states[number]
        reports = [self.actions.report(action.name, seat, action.sender) for seat in range(semantics.n)]
        return {
            report
            for seat, report in enumerate(reports)
            if report in semantics.inboxes.actions(state[semantics.n + seat])
        }

    def done(self, number: int, transition: Transition) -> set[int]:
        """The events that are over after a transition: those that happen, and timers that are set again."""
        found = self.events_of(number, transition)
        if transition.effect is not None:
            found |= set(transition.effect.armed)
        return found

    def find_held_back(self, state: State, expansion: Expansion) -> Events:
        """What would happen in a state if no limit prevented it."""
        semantics = self.semantics
        found = {self.plain(action) for action in expansion.left_out[: expansion.held_back]}
        for seat in range(semantics.n):
            if not semantics.locals.at_rest[state[seat]]:
                found |= set(semantics.own_actions.due(state[seat]))
        return frozenset(found) if found else NOTHING

    def plain(self, action: int) -> int:
        """The part of one process in a pulse stands for the pulse."""
        return self.semantics.pulse if self.actions.known[action].kind == "pulse" else action

    # Cycles

    def left_out(self, states: list[int], edges: Iterable[tuple[int, Edge]]) -> set[int]:
        """The events that a run through exactly these states and steps, again and again, leaves out."""
        waiting = set(self.due(states[0]))
        for number in states:
            waiting &= self.due(number)
            if not waiting:
                return waiting
        for number, (transition, _) in edges:
            waiting -= self.done(number, transition)
            if not waiting:
                return waiting
        possible: set[int] = set()
        for number in states:
            possible |= self.possible(number)
        return waiting & possible

    def edges_within(self, component: list[int]) -> Iterator[tuple[int, Edge]]:
        inside = set(component)
        for number in component:
            for edge in self.edges(number):
                if edge[1] in inside:
                    yield number, edge

    def find_fair(self, component: list[int]) -> tuple[list[list[int]], set[int]]:
        """The parts of a component that fair runs can stay in; and what only limits kept from happening in others."""
        agenda = [component]
        fair: list[list[int]] = []
        held: set[int] = set()
        while agenda:
            part = agenda.pop()
            waiting = self.left_out(part, self.edges_within(part))
            if not waiting:
                fair.append(part)
                continue
            held |= {event for event in waiting if any(event in self.held(number) for number in part)}
            quiet = [number for number in part if not waiting & self.possible(number)]
            agenda += self.components.find(quiet)
        return fair, held

    def find_cycle(self, component: list[int], entrance: int) -> list[Transition]:
        """Steps from a state of a fair component round to it again that leave nothing out; few of them, if possible."""
        inside = set(component)
        walked = self.find_path(inside, entrance, lambda edge, _: edge[1] == entrance)
        while True:
            visited = sorted({number for number, _ in walked})
            waiting = self.left_out(visited, walked)
            if not waiting:
                return [transition for _, (transition, _) in walked]
            there = self.find_path(inside, entrance, self.relief_of(min(waiting)))
            back = there[-1][1][1]
            walked = walked + there
            if back != entrance:
                walked = walked + self.find_path(inside, back, lambda edge, _: edge[1] == entrance)

    def relief_of(self, event: int) -> Goal:
        """A step after which an event is not left out any more."""
        return lambda edge, number: event in self.done(number, edge[0]) or event not in self.due(edge[1])

    def find_path(self, inside: set[int], start: int, is_goal: Goal) -> list[tuple[int, Edge]]:
        """The shortest path from a state to a step that is a goal, within a component."""
        came: dict[int, tuple[int, Edge]] = {}
        agenda = [start]
        for here in agenda:
            for edge in self.edges(here):
                if edge[1] not in inside:
                    continue
                if is_goal(edge, here):
                    path = [(here, edge)]
                    while here != start:
                        here, edge = came[here]
                        path.append((here, edge))
                    return path[::-1]
                if edge[1] not in came and edge[1] != start:
                    came[edge[1]] = (here, edge)
                    agenda.append(edge[1])
        raise AssertionError("a component is connected")
