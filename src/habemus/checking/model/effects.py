"""The effects of actions: what an action does in a local state is computed once, and looked up from then on.

A clause is a pure function of (local state, action, coins). So it is run by a probe the first time, in practice a few
dozen times while millions of transitions are explored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mypy_extensions import mypyc_attr

from habemus.checking.model.actions import Action, Actions
from habemus.checking.model.instance import Instance
from habemus.checking.model.limits import ORDERED
from habemus.checking.model.local_states import LocalState, LocalStates
from habemus.checking.model.observers import Note, Observers
from habemus.checking.model.probe import MOST_BRANCHES, Probe
from habemus.process import MisuseError, Pid, clause_error
from habemus.process.shared import refuse_shared_changes
from habemus.process.source import locate

CHECKED_TWICE = 2000  # clauses run, before only one in sixteen is run again to see whether it is deterministic


@mypyc_attr(native_class=False)
class NonDeterminismError(MisuseError):
    """A clause had two different effects in the same state."""


class Effect:
    """What an action does in a local state: the next one, what is sent (seat, action), what observers see."""

    def __init__(
        self,
        local: int,
        sends: tuple[tuple[int, int], ...],
        note: int,
        coins: tuple[int, ...],
        armed: tuple[int, ...] = (),
    ) -> None:
        self.local = local
        self.sends = sends
        self.note = note
        self.coins = coins
        self.armed = armed  # the timers that are set by it, as the actions of running out
        self.explored = False  # whether the search has met it


Merge = Callable[[int, int, tuple[Effect, ...]], tuple[Effect, ...]]
"""Takes a local state, an action and its effects, and replaces the local states that they lead to."""


class Effects:
    """All effects met so far: in each local state that was met, of each action that happened there."""

    def __init__(
        self, instance: Instance, probes: list[Probe], locals: LocalStates, actions: Actions, observers: Observers
    ) -> None:
        self.instance = instance
        self.probes = probes
        self.locals = locals
        self.actions = actions
        self.observers = observers
        self.known: dict[int, tuple[Effect, ...]] = {}
        self.computed: dict[
            int, tuple[Effect, ...]
        ] = {}  # as the clauses have it; kept apart only if states are merged
        self.merge: Merge | None = None
        self.lookups = 0
        self.misses = 0

    def of(self, local: int, action: int) -> tuple[Effect, ...]:
        """What an action does in a local state, once for each result of its coins."""
        self.lookups += 1
        key = (local << 32) | action
        known = self.known.get(key)
        if known is None:
            if self.merge is None:
                self.misses += 1
                known = self.compute(local, action)
            else:
                known = self.merge(local, action, self.exact(local, action))
            self.known[key] = known
        return known

    def exact(self, local: int, action: int) -> tuple[Effect, ...]:
        """The same, but with no states merged."""
        self.lookups += 1
        key = (local << 32) | action
        known = self.computed.get(key)
        if known is None:
            self.misses += 1
            known = self.computed[key] = self.compute(local, action)
        return known

    def merge_by(self, merge: Merge | None) -> None:
        """From now on, effects lead to merged states. What was known before is forgotten."""
        self.merge = merge
        self.known = {}

    # Running clauses

    def compute(self, number: int, action_number: int) -> tuple[Effect, ...]:
        """Run the clauses, once for each result of their coins."""
        local, action = self.locals.known[number], self.actions.known[action_number]
        if not local.up and action.kind != "recover":
            return (Effect(number, (), 0, ()),)  # whatever reaches a process that is down is lost
        probe = self.probes[local.seat]
        probe.script = []
        probe.arities = []
        found: dict[Any, Effect] = {}
        for _ in range(MOST_BRANCHES):
            effect = self.run_once(probe, local, action)
            if self.misses <= CHECKED_TWICE or self.misses % 16 == 0:
                self.compare(effect, self.run_once(probe, local, action), action)
            found.setdefault((effect.local, effect.sends, effect.note), effect)
            if not probe.next_script():
                return tuple(found.values())
        raise MisuseError(
            f"{locate(self.instance.stack[-1].cls)} has a clause whose coins have more than {MOST_BRANCHES:,} results; "
            f"set its parameters so that it has fewer to choose from."
        )

    def run_once(self, probe: Probe, local: LocalState, action: Action) -> Effect:
        requests_left, timeouts_left = local.requests_left, local.timeouts_left
        if action.kind == "recover":
            local = local.recover()
        probe.be(local)
        if action.kind == "timeout":
            timeouts_left = max(timeouts_left - 1, -1)
            if self.instance.limits.timing == ORDERED:
                passed = probe.timers[(action.layer, action.name)]
                probe.timers = {timer: ticks - passed for timer, ticks in probe.timers.items()}
        elif action.is_request:
            requests_left = max(requests_left - 1, -1)
        try:
            probe.react(action, [])
            for anatomy, process in zip(self.instance.stack, probe.layers, strict=True):
                anatomy.refuse_strays(process)
                refuse_shared_changes(anatomy.cls, anatomy.shared)
        except MisuseError:
            raise
        except Exception as error:
            classes = [anatomy.cls for anatomy in self.instance.stack]
            at = f"in {self.clause_name(action)}"
            raise clause_error(error, classes, f"at process {probe.id}", at) from error
        awake = local.awake or action.kind == "start"
        after = LocalState(local.seat, True, awake, requests_left, timeouts_left, probe.armed(), probe.snapshot())
        note: Note = tuple(probe.said)
        if action.kind == "recover":
            note = ((probe.id, "recover", None), *note)
        seats = self.instance.topology.seats
        sends = tuple([(seats[to], self.actions.delivery(seats[to], probe.id, message)) for to, message in probe.sent])
        coins = tuple(probe.script[: probe.tossed])
        armed = tuple(
            [self.actions.number_of(Action("timeout", probe.seat, name, layer)) for layer, name in probe.newly_armed]
        )
        return Effect(self.locals.number_of(after), sends, self.observers.number_of(note), coins, armed)

    def compare(self, first: Effect, second: Effect, action: Action) -> None:
        """Refuse a clause with two different effects in the same state."""
        if (first.local, first.sends, first.note) != (second.local, second.sends, second.note):
            raise NonDeterminismError(
                f"{locate(self.instance.stack[-1].cls)} is not deterministic: {self.clause_name(action)} had two "
                f"different effects in the same state. It may not read a clock, a random number, or anything but "
                f"its fields."
            )

    def clause_name(self, action: Action) -> str:
        """The clause that an action runs."""
        for anatomy in reversed(self.instance.stack):
            clause = (
                anatomy.messages.get(type(action.message))
                or (anatomy.timeouts.get(action.name) if action.kind == "timeout" else None)
                or (anatomy.commands.get(action.name) if action.kind == "command" else None)
                or anatomy.events.get(action.kind)
            )
            if clause is not None:
                return clause.name
        return action.kind

    def find_sender(self, message: int) -> str:
        """A clause that sends this message: of several the one that was run last, not the one that began it."""
        for key, effects in list(self.known.items())[::-1]:
            if any(sent == message for effect in effects for _, sent in effect.sends):
                return self.clause_name(self.actions.known[key & 0xFFFFFFFF])
        return "the first step"

    # Reading local states

    def awaited(self, number: int) -> tuple[Pid, ...] | None:
        """For whom a process in this local state waits, by its own account; None if it does not wait to enter."""
        local = self.locals.known[number]
        if self.instance.mutex_layer < 0 or not local.up:
            return None
        probe = self.probes[local.seat]
        probe.be(local)
        mutex: Any = probe.layer(self.instance.mutex_layer)
        try:
            return tuple(mutex.waits_for) if mutex.waiting else None
        except Exception as error:
            classes = [anatomy.cls for anatomy in self.instance.stack]
            raise clause_error(error, classes, f"at process {probe.id}", "in waits_for") from error
