"""The faults that may happen while the allowance lasts.

crash, recover     a process stops, and loses all but its durable fields; it is up again
lose, double       a message is lost, or arrives and stays in transit
overtake           a message arrives before one that was sent earlier, on a link that keeps the order otherwise
mistake            a process is told to suspect another that is up; some time later it is told to trust it again
"""

from __future__ import annotations

from habemus.checking.model.actions import Action
from habemus.checking.model.detector import DetectorModel
from habemus.checking.model.inboxes import CLOSED
from habemus.checking.model.instance import Instance
from habemus.checking.model.local_states import crash_for_good
from habemus.checking.model.probe import Probe
from habemus.checking.model.transitions import Allowance, Expansion, State, Transition, Transitions


class FaultModel:
    def __init__(
        self, instance: Instance, probes: list[Probe], transitions: Transitions, detector: DetectorModel
    ) -> None:
        self.instance = instance
        self.n = instance.n
        self.probes = probes
        self.transitions = transitions
        self.detector = detector
        self.locals = transitions.locals
        self.actions = transitions.actions
        self.inboxes = transitions.inboxes
        self.observers = transitions.observers

    def expand(self, expansion: Expansion, state: State) -> None:
        """Add every fault, and every recovery, that may happen in a state."""
        for seat in range(self.n):
            self.expand_seat(expansion, state, seat)

    def expand_seat(self, expansion: Expansion, state: State, seat: int) -> None:
        """Add those of one process."""
        left = self.transitions.allowance(state)
        silence = 0 if left.pulse else left.silence  # in lock-step there may be more to say after this
        local = self.locals.known[state[seat]]
        if local.up and left.crashes:
            self.crash(expansion, state, seat, left._replace(crashes=left.crashes - 1, silence=silence))
        elif not local.up and left.recoveries:
            self.recover(expansion, state, seat, left._replace(recoveries=left.recoveries - 1, silence=silence))
        if left.losses or left.doubles or left.reorders:
            self.disturb(expansion, state, seat, left)
        if left.mistakes and local.up and self.locals.receives[state[seat]]:
            self.mistake(expansion, state, seat, left._replace(mistakes=left.mistakes - 1))

    def disturb(self, expansion: Expansion, state: State, seat: int, left: Allowance) -> None:
        """A message in transit to a process is lost, arrives twice, or arrives too early."""
        n = self.n
        inbox = state[n + seat]
        up = self.locals.known[state[seat]].up
        for action, rest in self.inboxes.arrivals(inbox):
            arrival = self.actions.known[action]
            if arrival.kind != "deliver":
                continue
            if left.losses:
                child = list(state)
                child[n + seat] = rest
                child[2 * n + 1] = self.transitions.allowance_number(left._replace(losses=left.losses - 1))
                lose = Action("lose", seat, sender=arrival.sender, message=arrival.message)
                expansion.transitions.append(Transition(self.actions.number_of(lose), None, tuple(child)))
            if left.doubles and up:
                less = left._replace(doubles=left.doubles - 1)
                self.transitions.take_as_fault(expansion, state, action, inbox, "double", less)
        if left.reorders and up:
            less = left._replace(reorders=left.reorders - 1)
            for action, rest in self.inboxes.overtaking(inbox):
                if self.actions.known[action].kind == "deliver":
                    self.transitions.take_as_fault(expansion, state, action, rest, "overtake", less)

    def crash(self, expansion: Expansion, state: State, seat: int, left: Allowance) -> None:
        """A process stops at once; what it sent is still in transit."""
        n, pid = self.n, self.instance.topology.ids[seat]
        local = self.locals.known[state[seat]]
        child = list(state)
        if left.recoveries:
            child[seat] = self.locals.number_of(local.crash(self.probes[seat].rebirth(local)))
        else:
            child[seat] = self.gone(seat)
            child[n + seat] = CLOSED
        self.detector.announce(child, seat, "suspect")
        note = self.observers.number_of(((pid, "crash", None),))
        child[2 * n] = self.observers.after(state[2 * n], note)
        child[2 * n + 1] = self.transitions.allowance_number(left)
        crash = self.actions.number_of(Action("crash", seat))
        expansion.transitions.append(Transition(crash, None, tuple(child), note=note))

    def gone(self, seat: int) -> int:
        """The local state of a process that is down for good."""
        return self.locals.number_of(crash_for_good(seat))

    def recover(self, expansion: Expansion, state: State, seat: int, left: Allowance) -> None:
        """A process is up again, with its durable fields only."""
        n = self.n
        recover = self.actions.number_of(Action("recover", seat))
        before = len(expansion.transitions)
        self.transitions.take_as_fault(expansion, state, recover, state[n + seat], "recover", left)
        for transition in expansion.transitions[before:]:
            child = list(transition.state)
            for other in range(n):
                if not self.locals.known[child[other]].up:
                    if self.instance.has_detector:
                        report = self.actions.report("suspect", seat, self.instance.topology.ids[other])
                        child[n + seat] = self.inboxes.add(self.inboxes.remove(child[n + seat], {report}), report)
                    if not left.recoveries:
                        child[other] = self.gone(other)
                        child[n + other] = CLOSED
            self.detector.announce(child, seat, "trust")
            transition.state = tuple(child)

    def mistake(self, expansion: Expansion, state: State, seat: int, left: Allowance) -> None:
        """A process is told to suspect another that is up, and will be told to trust it again."""
        inbox = state[self.n + seat]
        for other, pid in enumerate(self.instance.topology.ids):
            trust = self.actions.report("trust", seat, pid)
            if other == seat or not self.locals.known[state[other]].up or trust in self.inboxes.actions(inbox):
                continue
            suspect = self.actions.report("suspect", seat, pid)
            after = self.inboxes.add(inbox, trust)
            self.transitions.take_as_fault(expansion, state, suspect, after, "mistake", left)
