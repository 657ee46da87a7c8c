"""The service half: one leader and safe locks for a Python program.

group.py      join, lock, lead, for asyncio; holding.py: while a body runs; blocking.py: the same for threads
events.py     what happens in a group, for readers of any speed
membership.py what both kinds of groups have in common
lease.py      what a holder knows about its lease
view.py       what can be seen of a group: members, locks, events
options.py    what can be asked for when a group is joined
engine.py     what an engine is; engines/: those that there are
telemetry.py  leases of this process, durations, spans; metrics.py: for Prometheus; http.py: over HTTP
supervisor.py runs a command while a lease is held; guardian.py: ends it if the supervisor dies
diagnosis.py  which ttl is safe on this machine
errors.py     what can go wrong
"""
