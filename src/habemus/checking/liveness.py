"""What never comes about: runs without end, found as circles, shown as a lasso.

A run without end is fair if no process and no link is left out for ever: whoever can take a step all the time takes
one some time (weak fairness, for the steps of each process on its own and for each link). Such a run goes round a
strongly connected set of states, so these are found (Tarjan), each within the states in which something that should
come about has not; a set in which nobody is left out is a violation. The lasso goes to it, and then round it through a
step of everybody who has to take one.

Who does not take a step only because a limit is in the way is left out, too: such a circle is the end of what the
limits allow, and not judged.
"""

from __future__ import annotations

from collections.abc import Callable

from habemus.checking.moves import Move, State
from habemus.checking.search import Search
from habemus.checking.semantics import Semantics

Edge = tuple[Move, int]
Group = tuple[str, int, int]


class Lasso:
    """A run without end: the state where its circle begins, the steps round it, and the property that it violates."""

    def __init__(self, property: str, entrance: int, circle: list[Move]) -> None:
        self.property = property
        self.entrance = entrance
        self.circle = circle


def find_lasso(search: Search) -> Lasso | None:
    """A fair run without end that violates a property; None if there is none."""
    graph = [search.successors(number) for number in range(len(search.states))]
    for name, is_bad in complaints(search):
        bad = [is_bad(number) for number in range(len(search.states))]
        for component in components(graph, bad):
            if is_fair(search, graph, component):
                return Lasso(name, component[0], circle_through(search, graph, component))
    return None


def has_circle(search: Search) -> bool:
    """Whether any run goes on without end."""
    graph = [search.successors(number) for number in range(len(search.states))]
    return bool(components(graph, [True] * len(graph)))


def complaints(search: Search) -> list[tuple[str, Callable[[int], bool]]]:
    """What may fail to come about, with the states in which it has not."""
    semantics = search.semantics
    onlookers = semantics.onlookers
    wanted, world_at = onlookers.wanted, 2 * semantics.n
    found: list[tuple[str, Callable[[int], bool]]] = []
    worlds = [onlookers.rebuilt(world) for world in range(len(onlookers.histories))]
    if "termination" in wanted:
        found.append(("termination", lambda number: not worlds[search.states[number][world_at]].in_office))
    if "agreement" in wanted:
        found.append(("agreement", lambda number: not worlds[search.states[number][world_at]].agreed()))
    if "deadlock_freedom" in wanted:
        stuck = [bool(world.lock.waiting) and not world.lock.inside for world in worlds]
        found.append(("deadlock_freedom", lambda number: stuck[search.states[number][world_at]]))
    for name in ("starvation_freedom", "bounded_waiting"):
        for pid in semantics.topology.ids if name in wanted else []:
            waits = [pid in world.lock.waiting for world in worlds]
            found.append((name, lambda number, waits=waits: waits[search.states[number][world_at]]))  # type: ignore[misc]
    return found


def components(graph: list[list[Edge]], allowed: list[bool]) -> list[list[int]]:
    """The strongly connected sets of allowed states that have a circle, each with its first state in front."""
    found = []
    order = [0] * len(graph)
    low = [0] * len(graph)
    on_stack = [False] * len(graph)
    stack: list[int] = []
    clock = 0
    for root in range(len(graph)):
        if order[root] or not allowed[root]:
            continue
        clock += 1
        order[root] = low[root] = clock
        on_stack[root] = True
        stack.append(root)
        path = [(root, 0)]
        while path:
            here, position = path.pop()
            if position < len(graph[here]):
                path.append((here, position + 1))
                there = graph[here][position][1]
                if not allowed[there]:
                    continue
                if not order[there]:
                    clock += 1
                    order[there] = low[there] = clock
                    on_stack[there] = True
                    stack.append(there)
                    path.append((there, 0))
                elif on_stack[there]:
                    low[here] = min(low[here], order[there])
                continue
            if path:
                low[path[-1][0]] = min(low[path[-1][0]], low[here])
            if low[here] == order[here]:
                component: list[int] = []
                while not component or component[-1] != here:
                    component.append(stack.pop())
                    on_stack[component[-1]] = False
                if len(component) > 1 or any(there == here for _, there in graph[here]):
                    found.append(sorted(component))
    return found


def kept_from_going_on(semantics: Semantics, state: State) -> set[Group]:
    """Who would take a step in a state if no limit were in the way."""
    semantics.expand(state)
    found = {group_of(semantics, event) for event in semantics.left_out[: semantics.held_back]}
    return found | {("process", place, 0) for place in range(semantics.n) if not semantics.resting[state[place]]}


def group_of(semantics: Semantics, number: int) -> Group:
    """Who must not be left out for ever: the link of a message, or the process that does something of its own."""
    event = semantics.events[number]
    if semantics.is_wish(number):
        return ("wish", event.place, 0)
    if event.kind in ("deliver", "suspect", "trust"):
        return ("link", event.sender, event.place)
    if event.kind in ("start", "timeout", "command"):
        return ("process", event.place, 0)
    return (event.kind, -1, event.sender)


OPTIONAL = ("crash", "recover", "lose", "double", "overtake", "mistake", "wish")


def is_fair(search: Search, graph: list[list[Edge]], component: list[int]) -> bool:
    """Whether everybody who could take a step all the time takes one within the component."""
    taken = taken_within(search, graph, component)
    always: set[Group] | None = None
    for number in component:
        kept = kept_from_going_on(search.semantics, search.states[number])
        able = {group_of(search.semantics, move.event) for move, _ in graph[number]} | kept
        always = able if always is None else always & able
        search.truncated = search.truncated or bool(kept)
    return not any(group not in taken and group[0] not in OPTIONAL for group in always or set())


def taken_within(search: Search, graph: list[list[Edge]], component: list[int]) -> set[Group]:
    """Who takes a step within a component."""
    inside = set(component)
    edges = [edge for number in component for edge in graph[number]]
    return {group_of(search.semantics, move.event) for move, there in edges if there in inside}


def circle_through(search: Search, graph: list[list[Edge]], component: list[int]) -> list[Move]:
    """Steps from the first state of a component round to it again, by way of a step of everybody who takes any."""
    inside = set(component)
    wanted = taken_within(search, graph, component)
    circle: list[Move] = []
    here = component[0]
    while wanted:
        way = shortest(graph, inside, here, lambda edge: group_of(search.semantics, edge[0].event) in wanted)
        for move, there in way:
            wanted.discard(group_of(search.semantics, move.event))
            circle.append(move)
            here = there
    if here != component[0]:
        circle += [move for move, _ in shortest(graph, inside, here, lambda edge: edge[1] == component[0])]
    return circle


def shortest(graph: list[list[Edge]], inside: set[int], start: int, goal: Callable[[Edge], bool]) -> list[Edge]:
    """The shortest way from a state to a step that is a goal, within a component."""
    came: dict[int, tuple[int, Edge]] = {}
    agenda = [start]
    for here in agenda:
        for edge in graph[here]:
            if edge[1] not in inside:
                continue
            if goal(edge):
                way = [edge]
                while here != start:
                    here, edge = came[here]
                    way.append(edge)
                return way[::-1]
            if edge[1] not in came and edge[1] != start:
                came[edge[1]] = (here, edge)
                agenda.append(edge[1])
    return []
