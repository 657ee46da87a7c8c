"""How long claims about random runs are tried: enough for a change in `make test`, far more in `make soak`.

`runs` is for tests of all rooms. The other files are a harness that attacks real nodes from outside; it uses nothing of
Habemus but its command line and what that prints and serves:

    network     a network namespace for each node, and a switch between them that cuts, delays and loses
    member      one node: its process, its small disk, its directory
    weather     the faults of a run, drawn from a seed
    attack      inflicts them on a group, and lets it come to rest after each storm
    watcher     asks every node over HTTP who leads, and follows its events
    history     what the nodes said and what was done to them
    judgement   which promises a history breaks

    python -m tests.soak --seed 7 --nodes 5 --for 3600          as root, from the root of the repository
"""

import os

SOAK = os.environ.get("HYPOTHESIS_PROFILE") == "soak"


def runs(usual: int, *, soak: int) -> int:
    return soak if SOAK else usual
