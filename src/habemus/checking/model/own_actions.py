"""What a process may do by itself, without anything arriving: its first step, timeouts, commands."""

from __future__ import annotations

from habemus.checking.model.actions import Action, Actions
from habemus.checking.model.instance import Instance
from habemus.checking.model.limits import BOUNDED, LATE
from habemus.checking.model.local_states import LocalState, LocalStates
from habemus.process import Election, MisuseError
from habemus.process.source import locate


class OwnActions:
    def __init__(self, instance: Instance, locals: LocalStates, actions: Actions) -> None:
        self.instance = instance
        self.locals = locals
        self.actions = actions
        self.found: list[list[int] | None] = []  # by the number of the local state
        self.starting = self.find_starting()

    def of(self, local: int) -> list[int]:
        """The actions that a process in this local state may take by itself."""
        while len(self.found) <= local:
            self.found.append(None)
        known = self.found[local]
        if known is None:
            known = self.found[local] = self.find(self.locals.known[local])
        return known

    def find_starting(self) -> dict[int, int]:
        """Who takes a first step by itself, by seat, and the action that this is."""
        instance = self.instance
        starting = {}
        for seat, pid in enumerate(instance.topology.ids):
            called = pid in instance.starters
            for anatomy in instance.stack:
                if "start" in anatomy.events and (called or not issubclass(anatomy.cls, Election)):
                    starting[seat] = self.actions.number_of(Action("start", seat, "election" if called else ""))
        return starting

    def find(self, local: LocalState) -> list[int]:
        if not local.up:
            return []
        limits = self.instance.limits
        if not local.awake and limits.starts != LATE:
            return [self.starting[local.seat]]
        found = [] if local.awake else [self.starting[local.seat]]
        if local.timeouts_left != 0:
            soonest = min([ticks for _, _, ticks in local.timers], default=0)
            for layer, name, ticks in local.timers:
                if limits.timing == BOUNDED and ticks > 0:
                    continue
                if ticks == soonest or not self.instance.timed:
                    found.append(self.actions.number_of(Action("timeout", local.seat, name, layer)))
        mutex_layer = self.instance.mutex_layer
        if mutex_layer >= 0:
            fields = dict(zip(self.instance.stack[mutex_layer].fields, local.layers[mutex_layer], strict=True))
            if fields["inside"]:
                found.append(self.command(local.seat, "release"))
            elif local.requests_left and not fields["waiting"]:
                found.append(self.command(local.seat, "acquire"))
        log_layer = self.instance.log_layer
        if log_layer >= 0 and local.requests_left:
            fields = dict(zip(self.instance.stack[log_layer].fields, local.layers[log_layer], strict=True))
            if fields["leader"] == self.instance.topology.ids[local.seat]:
                found.append(self.command(local.seat, "propose"))
        return found

    def due(self, local: int) -> list[int]:
        """What a process in this local state is to do in the end, though perhaps not now, and not to ask to enter."""
        state = self.locals.known[local]
        if not state.up:
            return []
        due = [action for action in self.of(local) if not self.actions.is_request(action)]
        timers = [Action("timeout", state.seat, name, layer) for layer, name, _ in state.timers]
        return due + [self.actions.number_of(timer) for timer in timers]

    def command(self, seat: int, name: str) -> int:
        """The command to the topmost layer that knows it."""
        stack = self.instance.stack
        for layer in range(len(stack) - 1, -1, -1):
            if name in stack[layer].commands:
                return self.actions.number_of(Action("command", seat, name, layer))
        raise MisuseError(f'{locate(stack[-1].cls)} is a mutex without @upon_command("{name}").')
