"""Habemus: leader election and mutual exclusion.

Write a coordination algorithm once; watch it, break it, prove it, run it.

    >>> import habemus
    >>> outcome = habemus.simulate(habemus.Scenario("chang-roberts"), keep=1000)
    >>> outcome
    <Outcome of chang-roberts, n = 8: 8 leads, 33 messages, time 16; all properties hold>
    >>> outcome.trace          # in a notebook: the space-time diagram
    >>> habemus.check(habemus.Scenario("bully"), timing="bounded", crashes=1)
    <Verdict on bully, n = 3: holds in 248 states>

Everything in `__all__` is the public interface.

    Scenario, read_scenario         what to run
    simulate, Outcome               one run, in virtual time
    check, Verdict                  all runs, and the shortest counterexample
    replay                          a counterexample, step by step
    show                            a run in a notebook
    Node, Endpoint                  one process on a real network
    Change, ChangeKind              what a node tells its listeners
    Cluster                         several real processes on this machine
    Trace, read_trace               what happened
    merge_traces, validate_trace    the traces of several nodes as one; whether it was a run of the algorithm

For services, on one host or several:

    join, Group, Lease              a group of processes, its locks and roles; without asyncio: habemus.sync
    View, Member, Event, Lagged     who is there, and what happens: `group.view`, `group.events()`
    GroupError and its kin          LockTaken, LeaseLost, NoQuorum, StaleToken, ForkedError
    FENCED, QUORUM and others       what `join(require=...)` may insist on
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from habemus.compilation import choose_implementation
from habemus.version import VERSION

choose_implementation()

__version__ = VERSION

if TYPE_CHECKING:
    from habemus.checking.answer.asking import check_scenario as check
    from habemus.checking.answer.replay import play as replay
    from habemus.checking.answer.validation import validate as validate_trace
    from habemus.checking.answer.verdicts import Verdict
    from habemus.lab.notebook import show
    from habemus.network.node.change import Change, ChangeKind
    from habemus.network.node.node import Node
    from habemus.network.operate.cluster import Cluster
    from habemus.network.wire.endpoint import Endpoint
    from habemus.scenario import Scenario, read_scenario
    from habemus.service.engine import FAIR, FENCED, QUORUM, RECLAIMS_HUNG
    from habemus.service.errors import ForkedError, GroupError, LeaseLost, LockTaken, NoQuorum, StaleToken
    from habemus.service.group import Group, join
    from habemus.service.lease import Lease
    from habemus.service.view import Event, Lagged, Member, View
    from habemus.simulation import simulate
    from habemus.trace import Outcome, Trace, read_trace
    from habemus.trace.merging import merge as merge_traces

__all__ = [
    "FAIR",
    "FENCED",
    "QUORUM",
    "RECLAIMS_HUNG",
    "Change",
    "ChangeKind",
    "Cluster",
    "Endpoint",
    "Event",
    "ForkedError",
    "Group",
    "GroupError",
    "Lagged",
    "Lease",
    "LeaseLost",
    "LockTaken",
    "Member",
    "NoQuorum",
    "Node",
    "Outcome",
    "Scenario",
    "StaleToken",
    "Trace",
    "Verdict",
    "View",
    "__version__",
    "check",
    "join",
    "merge_traces",
    "read_scenario",
    "read_trace",
    "replay",
    "show",
    "simulate",
    "validate_trace",
]

# Where each public name is defined. They are imported when they are first used, so that `import habemus` is instant.
_SOURCES = {
    "Change": "habemus.network.node.change:Change",
    "ChangeKind": "habemus.network.node.change:ChangeKind",
    "Cluster": "habemus.network.operate.cluster:Cluster",
    "Endpoint": "habemus.network.wire.endpoint:Endpoint",
    "Event": "habemus.service.view:Event",
    "FAIR": "habemus.service.engine:FAIR",
    "FENCED": "habemus.service.engine:FENCED",
    "ForkedError": "habemus.service.errors:ForkedError",
    "Group": "habemus.service.group:Group",
    "GroupError": "habemus.service.errors:GroupError",
    "Lagged": "habemus.service.view:Lagged",
    "Lease": "habemus.service.lease:Lease",
    "LeaseLost": "habemus.service.errors:LeaseLost",
    "LockTaken": "habemus.service.errors:LockTaken",
    "Member": "habemus.service.view:Member",
    "NoQuorum": "habemus.service.errors:NoQuorum",
    "Node": "habemus.network.node.node:Node",
    "Outcome": "habemus.trace:Outcome",
    "QUORUM": "habemus.service.engine:QUORUM",
    "RECLAIMS_HUNG": "habemus.service.engine:RECLAIMS_HUNG",
    "Scenario": "habemus.scenario:Scenario",
    "StaleToken": "habemus.service.errors:StaleToken",
    "Trace": "habemus.trace:Trace",
    "Verdict": "habemus.checking.answer.verdicts:Verdict",
    "View": "habemus.service.view:View",
    "check": "habemus.checking.answer.asking:check_scenario",
    "join": "habemus.service.group:join",
    "merge_traces": "habemus.trace.merging:merge",
    "read_scenario": "habemus.scenario:read_scenario",
    "read_trace": "habemus.trace:read_trace",
    "replay": "habemus.checking.answer.replay:play",
    "show": "habemus.lab.notebook:show",
    "simulate": "habemus.simulation:simulate",
    "validate_trace": "habemus.checking.answer.validation:validate",
}


def __getattr__(name: str) -> Any:
    if name not in _SOURCES:
        raise AttributeError(f"module 'habemus' has no attribute {name!r}")
    module, attribute = _SOURCES[name].split(":")
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted(__all__)
