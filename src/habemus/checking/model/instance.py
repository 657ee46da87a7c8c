"""What is explored: a stack of algorithms on a topology, within limits, and the properties it should have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from habemus.checking.model.limits import ASYNC, Limits
from habemus.process import Anatomy, Mutex, Pid
from habemus.properties import Property
from habemus.scenario.topology import Topology


class Instance:
    def __init__(
        self,
        stack: list[Anatomy],
        parameters: list[dict[str, Any]],
        topology: Topology,
        starters: list[Pid],
        limits: Limits,
        make_properties: Callable[[], list[Property]],
        wanted: list[str],
    ) -> None:
        self.stack = stack
        self.parameters = parameters
        self.topology = topology
        self.starters = starters
        self.limits = limits
        self.make_properties = make_properties
        self.wanted = wanted  # the names of the properties that are judged

        self.n = topology.n
        self.timed = limits.timing != ASYNC  # whether it matters how long timers run
        self.has_detector = limits.detection >= 0
        self.synchronous = any("pulse" in anatomy.events for anatomy in stack)
        self.mutex_layer = next((i for i, anatomy in enumerate(stack) if issubclass(anatomy.cls, Mutex)), -1)
        logging = [i for i, anatomy in enumerate(stack) if anatomy.cls.keeps_log and self.mutex_layer < 0]
        self.log_layer = logging[0] if logging else -1  # to which leaders propose; with a mutex above, that does
        self.has_requests = self.mutex_layer >= 0 or self.log_layer >= 0
