"""A museum of mistakes: broken variants of sound algorithms, each a few lines apart from its original.

Each piece stands for a mistake that people make; many were made in programs that others relied upon, and say where. A
file here has the name of the file of its original. The label beside a piece says which property it violates and gives
the smallest place in which a run shows it; the class says what goes wrong and overrides the one clause that is wrong.
"""

from habemus.museum import (
    anonymous_ring,
    broadcast_sync,
    bully,
    capture,
    capture_sync,
    chang_roberts,
    coordinator,
    echo_extinction,
    franklin,
    ghs,
    hirschberg_sinclair,
    itai_rodeh,
    lamport,
    lcr,
    maekawa,
    naimi_trehel,
    peterson,
    quorum,
    raft_election,
    raymond,
    ricart_agrawala,
    ring_collect,
    ring_coordinator,
    suzuki_kasami,
    token_ring,
    yoyo,
)
from habemus.museum.exhibit import EXHIBITS, TEXTBOOK, Exhibit, Instance

__all__ = [
    "EXHIBITS",
    "TEXTBOOK",
    "Exhibit",
    "Instance",
    "anonymous_ring",
    "broadcast_sync",
    "bully",
    "capture",
    "capture_sync",
    "chang_roberts",
    "coordinator",
    "echo_extinction",
    "franklin",
    "ghs",
    "hirschberg_sinclair",
    "itai_rodeh",
    "lamport",
    "lcr",
    "maekawa",
    "naimi_trehel",
    "peterson",
    "quorum",
    "raft_election",
    "raymond",
    "ricart_agrawala",
    "ring_collect",
    "ring_coordinator",
    "suzuki_kasami",
    "token_ring",
    "yoyo",
]
