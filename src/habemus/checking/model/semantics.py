"""What may happen in a global state, and what follows from it: the meaning of an algorithm, in one place.

Which actions there are is listed at the head of `actions`. All starters start `first`, before anything else happens;
or each in a `step` of its own, before it receives anything; or perhaps `late`. Timing is a named assumption:

    async      a timer may expire at any moment, a limited number of times at each process
    ordered    no timer expires while a message is in transit; of a process's timers the one with least time left does
    bounded    messages take 1 to `delay` ticks, timers exactly as long as they were set to, the detector its detection
               time; what is due by a deadline arrives before any timer set to it expires
"""

from __future__ import annotations

from habemus.checking.model.actions import Action, Actions
from habemus.checking.model.detector import DetectorModel
from habemus.checking.model.effects import Effects
from habemus.checking.model.faults import FaultModel
from habemus.checking.model.inboxes import CLOSED, EMPTY, Inboxes
from habemus.checking.model.instance import Instance
from habemus.checking.model.limits import BOUNDED, FIRST, ORDERED, SIMULTANEOUS
from habemus.checking.model.local_states import LocalState, LocalStates
from habemus.checking.model.observers import Observers
from habemus.checking.model.own_actions import OwnActions
from habemus.checking.model.probe import Probe
from habemus.checking.model.transitions import Allowance, Expansion, State, Transition, Transitions
from habemus.process import Machine, Pid, Process

MOST_IN_TRANSIT = 500  # messages to one process; in a small instance more of them mean that they have no end


class Semantics:
    """The meaning of one instance: its initial state, the transitions from each state, and what is judged in it."""

    def __init__(self, instance: Instance) -> None:
        topology, limits = instance.topology, instance.limits
        self.instance = instance
        self.n = instance.n
        self.timed = instance.timed
        self.synchronous = instance.synchronous
        self.limits = limits
        self.machine = Machine(instance.stack, instance.parameters, topology)
        self.probes = [Probe(self.machine, seat, self.timed) for seat in range(self.n)]
        self.inboxes = Inboxes(limits.fifo and not self.synchronous, limits.timing == BOUNDED)
        self.observers = Observers(list(topology.ids), instance.make_properties, instance.wanted)
        self.locals = LocalStates(instance)
        self.actions = Actions(limits, self.inboxes)
        self.own_actions = OwnActions(instance, self.locals, self.actions)
        self.effects = Effects(instance, self.probes, self.locals, self.actions, self.observers)
        self.transitions = Transitions(instance, self.locals, self.actions, self.effects, self.inboxes, self.observers)
        self.detector = DetectorModel(instance, self.transitions)
        self.faults = FaultModel(instance, self.probes, self.transitions, self.detector)
        self.tick = self.actions.number_of(Action("tick", -1))
        self.pulse = self.actions.number_of(Action("pulse", -1))
        self.claims = self.observers.claims()
        self.claims_broken: dict[State, list[str]] = {}
        self.initial = self.initial_state()

    # The beginning

    def initial_state(self) -> State:
        """The state in which no process has taken a step."""
        limits = self.limits
        requests = limits.entries if self.instance.has_requests else 0
        locals = [
            self.locals.number_of(probe.birth(requests, limits.alarms, seat not in self.own_actions.starting))
            for seat, probe in enumerate(self.probes)
        ]
        faults = Allowance(
            limits.crashes, limits.recoveries, limits.losses, limits.doubles, limits.reorders, limits.mistakes
        )
        return (*locals, *([EMPTY] * self.n), 0, self.transitions.allowance_number(faults))

    def common_prefix(self) -> list[Transition]:
        """The first steps of all starters, as far as they are determined: every run begins with them."""
        prefix: list[Transition] = []
        state = self.initial
        while self.limits.starts == FIRST and self.waiting_to_start(state) >= 0 and not self.violated(state):
            options = self.expand(state).transitions
            if len(options) != 1:
                break
            prefix.append(options[0])
            state = options[0].state
        return prefix

    # Transitions

    def expand(self, state: State) -> Expansion:
        """All transitions from a state."""
        expansion = Expansion()
        n, limits = self.n, self.limits
        waiting = self.waiting_to_start(state)
        for seat, action, rest in self.single_steps(state):
            self.transitions.take(expansion, state, seat, action, rest)
        if waiting >= 0:
            for seat in range(waiting, n if limits.anybody else 0):
                if not self.locals.receives[state[seat]]:
                    self.abstain(expansion, state, seat)
                    if limits.starts == FIRST:
                        break
            if limits.starts == FIRST:
                expansion.count_progress(0)
                return expansion
        if self.instance.has_detector and limits.detector == SIMULTANEOUS:
            self.detector.tell_all(expansion, state)
        if self.synchronous and not expansion.transitions:
            self.take_pulse(expansion, state)
        elif limits.timing == BOUNDED:
            self.take_tick(expansion, state)
        requests = 0
        if self.instance.has_requests:
            for transition in expansion.transitions:
                if self.actions.is_request(transition.action):
                    requests += 1
        expansion.count_progress(requests)
        if state[2 * n + 1] != self.transitions.no_faults:
            self.faults.expand(expansion, state)
        return expansion

    def waiting_to_start(self, state: State) -> int:
        """The first process that receives nothing before it has taken its first step; -1 if there is none."""
        receives = self.locals.receives
        for seat in range(self.n):
            if not receives[state[seat]]:
                return seat
        return -1

    def single_steps(self, state: State) -> list[tuple[int, int, int]]:
        """What may happen at one process: its seat, the action, and what is in the inbox after it."""
        n = self.n
        waiting = self.waiting_to_start(state)
        if waiting >= 0 and self.limits.starts == FIRST:
            # Starts commute with everything before them, so nothing is lost if they all come first.
            return [(waiting, self.own_actions.starting[waiting], state[n + waiting])]
        found: list[tuple[int, int, int]] = []
        timers_wait = self.timed and self.do_timers_wait(state)
        has_detector = self.instance.has_detector
        for seat in range(n):
            local, inbox = state[seat], state[n + seat]
            for action in self.own_actions.of(local):
                if not timers_wait or self.actions.known[action].kind != "timeout":
                    found.append((seat, action, inbox))
            if inbox > CLOSED and self.locals.receives[local] and not self.synchronous:
                for action, rest in self.inboxes.arrivals(inbox):
                    if not has_detector or self.detector.may_report(state, action):
                        found.append((seat, action, rest))
        return found

    def do_timers_wait(self, state: State) -> bool:
        """Whether timers wait for a message: for any that is in transit (ordered), or that is due (bounded)."""
        inboxes = [inbox for inbox in state[self.n : 2 * self.n] if inbox > CLOSED]
        if self.limits.timing == ORDERED:
            return bool(inboxes)
        return any(self.inboxes.is_due(inbox) for inbox in inboxes)

    def abstain(self, expansion: Expansion, state: State, seat: int) -> None:
        """A process that might start does not, unless it is the last that could."""
        earlier = any(self.may_have_started(state, other) for other in range(seat))
        if seat < self.n - 1 or earlier or any(inbox != EMPTY for inbox in state[self.n : 2 * self.n]):
            child = list(state)
            child[seat] = self.idle(seat)
            abstain = self.actions.number_of(Action("abstain", seat))
            expansion.transitions.append(Transition(abstain, None, tuple(child)))

    def idle(self, seat: int) -> int:
        """The local state of a process that might have started, and did not."""
        born = self.locals.known[self.initial[seat]]
        return self.locals.number_of(
            LocalState(seat, True, True, born.requests_left, born.timeouts_left, (), born.layers)
        )

    def may_have_started(self, state: State, seat: int) -> bool:
        """Whether it shows that a process has started, or would not show if it had."""
        untouched, idle = self.initial[seat], self.idle(seat)
        if state[seat] != idle:
            return state[seat] != untouched
        starts = self.effects.of(untouched, self.own_actions.starting[seat])
        return any(effect.local == idle and not effect.sends for effect in starts)

    def take_tick(self, expansion: Expansion, state: State) -> None:
        """Time passes, unless something is due."""
        n = self.n
        waiting = False
        child = list(state)
        for seat in range(n):
            local, inbox = self.locals.known[state[seat]], state[n + seat]
            if inbox > CLOSED and self.inboxes.is_due(inbox):
                return
            if inbox > CLOSED:
                waiting = True
                child[n + seat] = self.inboxes.age(inbox)
            if local.timers:
                if min([ticks for _, _, ticks in local.timers]) == 0:
                    return
                waiting = True
                timers = tuple([(layer, name, ticks - 1) for layer, name, ticks in local.timers])
                child[seat] = self.locals.number_of(local.with_timers(timers))
        if waiting:
            expansion.transitions.append(Transition(self.tick, None, tuple(child)))

    def take_pulse(self, expansion: Expansion, state: State) -> None:
        """All live processes take part in a pulse, once for each result of their coins."""
        n = self.n
        left = self.transitions.allowance(state)
        if left.silence >= self.machine.silent_pulses:
            return
        steps = []
        for seat in range(n):
            if self.locals.known[state[seat]].up:
                arrivals = [self.actions.known[action] for action in self.inboxes.actions(state[n + seat])]
                inbox = tuple(sorted([(one.sender, one.message) for one in arrivals], key=lambda item: item[0]))
                steps.append((seat, self.actions.number_of(Action("pulse", seat, message=(left.pulse, inbox)))))
        emptied = [*state[:n], *([EMPTY] * n), *state[2 * n :]]
        for child, coins in self.transitions.take_together(expansion, emptied, steps):
            silence = 1 if tuple(child[:n]) != state[:n] else left.silence + 1
            if any(inbox > CLOSED for inbox in child[n : 2 * n]):
                silence = 0
            child[2 * n + 1] = self.transitions.allowance_number(left._replace(pulse=left.pulse + 1, silence=silence))
            expansion.transitions.append(Transition(self.pulse, None, tuple(child), coins))

    # Judging

    def violated(self, state: State) -> str:
        """The property that is violated in a state; empty if none is."""
        violated = self.observers.violated[state[2 * self.n]]
        if violated or not self.claims:
            return violated
        broken = self.break_claims(state)
        return next((claim.name for claim in self.claims if not claim.comes_about and claim.name in broken), "")

    def break_claims(self, state: State) -> list[str]:
        """The claims that do not hold of the processes in a state."""
        key = state[: self.n]
        known = self.claims_broken.get(key)
        if known is None:
            processes = self.show_processes(state)
            known = self.claims_broken[key] = [one.name for one in self.claims if one.claim(processes) is not None]
        return known

    def show_processes(self, state: State) -> list[Process]:
        """The processes that are up, as objects that a claim can read."""
        found = []
        for seat in range(self.n):
            local = self.locals.known[state[seat]]
            if local.up:
                self.probes[seat].be(local)
                found.append(self.probes[seat].process)
        return found

    def is_final(self, state: State) -> bool:
        """Whether the run is over if nothing is left to do: not if only a limit keeps a timer from expiring."""
        at_rest = self.locals.at_rest
        return all(at_rest[state[seat]] for seat in range(self.n))

    def describe_bounds(self) -> str:
        """The bounds on fields, as the options that set them."""
        return " ".join([f"--bound {name}={most}" for name, most in self.limits.bounds.items()])

    def describe_limit(self, action: int) -> str:
        """The limit that keeps an action from happening, as the option that sets it."""
        if self.actions.known[action].kind == "timeout" and self.limits.alarms >= 0:
            return f"--timeouts {self.limits.alarms}"
        return self.describe_bounds()

    def find_flood(self, state: State) -> str:
        """What is wrong if more messages are in transit than an algorithm that comes to an end would send."""
        for seat in range(self.n):
            waiting = self.inboxes.actions(state[self.n + seat])
            if len(waiting) > MOST_IN_TRANSIT:
                receiver, sender = self.instance.topology.ids[seat], self.effects.find_sender(waiting[-1])
                return f"messages grow without end: {len(waiting):,} are in transit to {receiver}, sent by {sender}"
        return ""

    def lift_timeouts(self, state: State) -> State:
        """The state with no limit on how often timers may run out."""
        lifted = [self.locals.number_of(self.locals.known[local].without_limit()) for local in state[: self.n]]
        return (*lifted, *state[self.n :])

    def violated_at_end(self, state: State) -> list[str]:
        """The properties that are violated if the run ends in this state."""
        violated = self.observers.violated_at_end(state[2 * self.n], self.waits_for(state))
        if not self.claims:
            return violated
        broken = self.break_claims(state)
        return violated + [claim.name for claim in self.claims if claim.comes_about and claim.name in broken]

    def waits_for(self, state: State) -> dict[Pid, tuple[Pid, ...]]:
        """Who waits for whom, by their own account."""
        found = {}
        for seat in range(self.n if self.instance.mutex_layer >= 0 else 0):
            awaited = self.effects.awaited(state[seat])
            if awaited is not None:
                found[self.instance.topology.ids[seat]] = awaited
        return found
