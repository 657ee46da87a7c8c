"""Replicated state: a log that several processes agree on, and what they build from it.

entries     what may stand in the log of a lock table, and what comes out of it
lock        one name: who holds it and who waits, in which order
table       the lock table: a deterministic state machine
"""
