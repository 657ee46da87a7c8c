"""Strongly connected sets of states: what runs without end go round."""

from __future__ import annotations

from habemus.checking.search.search import Search


class Components:
    """Finds them among the first states of a search, as many as are known with what they lead to."""

    def __init__(self, search: Search, nodes: list[int]) -> None:
        self.packed = search.packed
        self.known = len(nodes)
        self.graph: list[list[int]] = []
        if self.packed is not None:
            self.packed.link(self.known, search.list_successors)
            return
        self.graph = [search.list_successors(number) for number in nodes]
        self.order = [0] * self.known
        self.low = [0] * self.known
        self.allowed = [False] * self.known

    def find(self, nodes: list[int]) -> list[list[int]]:
        """The strongly connected sets among these states that have a cycle, each with its first state in front."""
        if self.packed is None:
            return self.find_by_depth(nodes)
        found: list[list[int]] = self.packed.components(nodes)
        return found

    def find_by_depth(self, nodes: list[int]) -> list[list[int]]:
        """R. Tarjan. Depth-first search and linear graph algorithms. SIAM J. Comput. 1(2), 1972."""
        graph, order, low, allowed = self.graph, self.order, self.low, self.allowed
        for node in nodes:
            order[node] = 0
            allowed[node] = True
        found: list[list[int]] = []
        on_stack: set[int] = set()
        stack: list[int] = []
        clock = 0
        for root in nodes:
            if order[root]:
                continue
            path = [(root, 0)]
            while path:
                here, position = path.pop()
                if position == 0:
                    clock += 1
                    order[here] = low[here] = clock
                    on_stack.add(here)
                    stack.append(here)
                if position < len(graph[here]):
                    path.append((here, position + 1))
                    there = graph[here][position]
                    if there >= self.known or not allowed[there]:
                        continue
                    if not order[there]:
                        path.append((there, 0))
                    elif there in on_stack:
                        low[here] = min(low[here], order[there])
                    continue
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[here])
                if low[here] == order[here]:
                    component: list[int] = []
                    while not component or component[-1] != here:
                        component.append(stack.pop())
                        on_stack.discard(component[-1])
                    if len(component) > 1 or here in graph[here]:
                        found.append(sorted(component))
        for node in nodes:
            allowed[node] = False
        return found
