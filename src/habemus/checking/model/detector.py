"""What a failure detector reports, and when. It is as good as the limits say:

perfect        reports crashed processes only, to each process separately, after their last message has arrived
simultaneous   the same, but to all processes at one moment
eventual       may make mistakes, and waits for no message
"""

from __future__ import annotations

from habemus.checking.model.actions import REPORTS, Action
from habemus.checking.model.instance import Instance
from habemus.checking.model.limits import BOUNDED, EVENTUAL, SIMULTANEOUS
from habemus.checking.model.transitions import Expansion, State, Transition, Transitions
from habemus.process import Pid


class DetectorModel:
    def __init__(self, instance: Instance, transitions: Transitions) -> None:
        self.instance = instance
        self.n = instance.n
        self.transitions = transitions
        self.locals = transitions.locals
        self.actions = transitions.actions
        self.inboxes = transitions.inboxes

    def announce(self, child: list[int], seat: int, word: str) -> None:
        """A process has crashed or recovered: all others will be told, and older reports of it are withdrawn."""
        if not self.instance.has_detector:
            return
        n, pid = self.n, self.instance.topology.ids[seat]
        heeded = any(word in anatomy.events for anatomy in self.instance.stack)
        for other in range(n):
            if other == seat:
                continue
            inbox = child[n + other]
            trust = self.actions.report("trust", other, pid)
            stale = {trust, self.actions.report("suspect", other, pid)}
            suspected = self.instance.limits.detector == EVENTUAL and trust in self.inboxes.actions(inbox)
            child[n + other] = self.inboxes.remove(inbox, stale)
            if heeded and self.locals.known[child[other]].up and not (suspected and word == "suspect"):
                child[n + other] = self.inboxes.add(child[n + other], self.actions.report(word, other, pid))

    def may_report(self, state: State, action: int) -> bool:
        """Whether an arrival may happen as far as the detector is concerned."""
        arrival = self.actions.known[action]
        if arrival.kind in REPORTS and self.instance.limits.detector == SIMULTANEOUS:
            return False
        return arrival.kind != "suspect" or self.is_known_dead(state, arrival.sender)

    def is_known_dead(self, state: State, subject: Pid) -> bool:
        """Whether the detector knows of a crash: the last message of the process has arrived, if it waits for that."""
        limits = self.instance.limits
        if limits.timing == BOUNDED or limits.detector == EVENTUAL:
            return True
        known = self.actions.known
        for inbox in state[self.n : 2 * self.n]:
            for action in self.inboxes.actions(inbox):
                if known[action].kind == "deliver" and known[action].sender == subject:
                    return False
        return True

    def has_news(self, state: State) -> bool:
        """Whether a report is on its way."""
        return any(
            self.actions.known[action].kind in REPORTS
            for inbox in state[self.n : 2 * self.n]
            for action in self.inboxes.actions(inbox)
        )

    def tell_all(self, expansion: Expansion, state: State) -> None:
        """The simultaneous detector reports: all who have yet to be told of something are told at one moment.

        With time that is when it is due for the first of them: a process that has just recovered has not waited as
        long as the others.
        """
        n = self.n
        waiting: dict[tuple[str, Pid], list[tuple[int, int]]] = {}
        arriving = {action for inbox in state[n : 2 * n] for action, _ in self.inboxes.arrivals(inbox)}
        enough = any if self.instance.limits.timing == BOUNDED else all
        for seat in range(n):
            for action in self.inboxes.actions(state[n + seat]):
                report = self.actions.known[action]
                if report.kind in REPORTS:
                    waiting.setdefault((report.kind, report.sender), []).append((seat, action))
        for (word, subject), told in waiting.items():
            awake = all(self.locals.receives[state[seat]] for seat, _ in told)
            ready = awake and enough([action in arriving for _, action in told])
            if ready and (word == "trust" or self.is_known_dead(state, subject)):
                child = list(state)
                for seat, action in told:
                    child[n + seat] = self.inboxes.remove(child[n + seat], {action})
                inform = self.actions.number_of(Action("inform", -1, word, sender=subject))
                for after, coins in self.transitions.take_together(expansion, child, told):
                    expansion.transitions.append(Transition(inform, None, tuple(after), coins))
