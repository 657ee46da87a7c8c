"""Those who watch a simulation: the world as they know it, and the properties that judge it after each change.

A property is asked only after changes that concern it, so that judging costs nothing in between.
"""

from __future__ import annotations

from typing import Any, cast

from mypy_extensions import mypyc_attr

from habemus.process import Election, Pid, Process
from habemus.process.layers import OF_A_LOCK, OF_A_LOG
from habemus.properties import ClaimProperty, Property, World
from habemus.trace import Recorder


@mypyc_attr(allow_interpreted_subclasses=True)
class Observers:
    """The properties of a run, and what they judge."""

    def __init__(self, ids: list[Pid], properties: list[Property], recorder: Recorder | None) -> None:
        self.world = World(ids)
        self.recorder = recorder
        self.properties: list[Property] = []
        self.of_office: list[Property] = []
        self.of_followers: list[Property] = []
        self.of_lock: list[Property] = []
        self.of_suspicions: list[Property] = []
        self.claims: list[ClaimProperty] = []
        self.of_logs: list[Property] = []
        self.refusals: list[tuple[Pid, object]] = []  # by the resource, in the step that is under way
        for watched in properties:
            self.watch(watched)

    def watch(self, watched: Property) -> None:
        """Judge the run by one more property."""
        self.properties.append(watched)
        if watched.topic == "election":
            self.of_office.append(watched)
            if watched.heeds_followers:
                self.of_followers.append(watched)
        elif isinstance(watched, ClaimProperty):
            self.claims.append(watched)
        elif watched.topic == "mutex":
            self.of_lock.append(watched)
        elif watched.topic == "log":
            self.of_logs.append(watched)
        else:
            self.of_suspicions.append(watched)

    def judge(self) -> None:
        """Let every property judge the world."""
        for watched in self.properties:
            watched.observe(self.world)

    def see(self, id: Pid, process: Process, what: str, subject: Any) -> None:
        """A layer of process `id` announces something."""
        world = self.world
        if what == "leader":
            if subject == id and isinstance(process, Election):
                term = process.current_term
                if term is not None:
                    world.leads_in(id, term)
                    for watched in self.of_logs:
                        watched.observe(world)
            concerned = self.of_office if world.names_leader(id, subject) else self.of_followers
        elif what == "level":
            return  # a verdict is what counts
        elif what == "suspect":
            world.suspicions.suspects(id, cast(Pid, subject), world.time)
            concerned = self.of_suspicions
        elif what == "trust":
            world.suspicions.trusts(id, cast(Pid, subject), world.time)
            concerned = self.of_suspicions
        elif what in OF_A_LOG:
            world.sees_log(id, what, subject)
            concerned = self.of_logs
        elif what in OF_A_LOCK:
            self.see_lock(id, what, subject)
            concerned = self.of_lock
        else:
            return
        for watched in concerned:
            watched.observe(world)

    def see_lock(self, id: Pid, what: str, token: int | None) -> None:
        """A process asks for the lock, is inside ("enter") or outside again ("leave")."""
        world, lock = self.world, self.world.lock
        served = True
        if what == "ask":
            lock.asks(id, world.time, world.event)
        elif what == "enter":
            served = lock.enters(id, token, world.time, world.event)
        else:
            token = lock.inside[id].token
            served = lock.leaves(id, world.time)
        if not served and self.recorder is not None:
            self.refusals.append((id, [token, lock.resource.highest]))

    def record_refusals(self) -> None:
        """Write down what the protected resource refused in the step that was just recorded."""
        if self.refusals and self.recorder is not None:
            for id, tokens in self.refusals:
                self.recorder.note(self.world.time, "refuse", id, tokens)
            self.refusals = []
