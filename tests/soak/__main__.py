"""python -m tests.soak: attack a group of real nodes, and judge what they said."""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from secrets import randbelow

from .attack import SUBJECTS, Attack
from .history import Answer, Calm, Claim, Entry, Fault, History, Life, Size
from .judgement import judge
from .network import isolate_mounts

HELD, BROKEN, WRONG_USAGE = 0, 1, 2


def main() -> int:
    reason = may_attack()
    if reason is not None:
        print(reason, file=sys.stderr)
        return WRONG_USAGE
    options = read_options()
    print(f"seed {options.seed}: {options.subject}, {options.nodes} nodes, {options.seconds:g} s", flush=True)
    isolate_mounts()
    folder = Path(tempfile.mkdtemp(prefix="habemus-soak-"))
    attack = Attack(options.subject, options.more, options.nodes, options.seed, folder, say)
    asyncio.run(attack.run(options.seconds))
    broken = judge(attack.history)
    for sentence in summarise(attack.history):
        say(sentence)
    for sentence in broken:
        say(f"violated: {sentence}")
    if options.history is not None:
        attack.history.write(options.history)
    if broken:
        say(f"{len(broken)} violations; seed {options.seed}; all logs are in {folder}")
        return BROKEN
    for member in attack.members.values():
        member.unmount()
    shutil.rmtree(folder)
    say(f"no violation; seed {options.seed}")
    return HELD


def may_attack() -> str | None:
    """Why this machine cannot run the harness; None: it can."""
    if os.geteuid() != 0:
        return "namespaces and mounts need root: run it as root"
    if not Path("/dev/net/tun").exists():
        return "the switch needs /dev/net/tun: load the module tun"
    return None


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.soak", description=__doc__)
    parser.add_argument("--seed", type=int, default=randbelow(10**6), help="of the faults; any if not given")
    parser.add_argument("--nodes", type=int, default=5)
    parser.add_argument("--for", type=float, default=60, dest="seconds", metavar="SECONDS")
    parser.add_argument("--subject", choices=sorted(SUBJECTS), default="election", help="what the nodes run")
    parser.add_argument("--history", type=Path, metavar="FILE", help="write all that was seen, as JSON lines")
    parser.add_argument("more", nargs="*", help="after --: more options of `habemus node`")
    return parser.parse_args()


def say(sentence: str) -> None:
    print(sentence, flush=True)


def summarise(history: History) -> list[str]:
    faults = Counter(fault.kind for fault in history.all(Fault))
    answers = history.all(Answer)
    terms = {claim.term for claim in history.all(Claim) if claim.leader is not None}
    tokens = {entry.token for entry in history.all(Entry) if entry.token is not None}
    calms = history.all(Calm)
    slowest = max((calm.agreed - calm.begin for calm in calms if calm.agreed is not None), default=0)
    sizes = history.all(Size)
    return [
        f"{faults.total()} faults: {', '.join(f'{number} {kind}' for kind, number in faults.most_common())}",
        f"{len(answers)} polls, {sum(answer.leads is not None for answer in answers)} answered; "
        f"{len(history.all(Claim))} claims, {len(terms)} terms with a leader, {len(tokens)} tokens",
        f"{len(calms)} calms, agreement after {slowest:.1f} s at most; {len(history.all(Life))} lives, "
        f"at most {max((size.memory for size in sizes), default=0) >> 20} MB and "
        f"{max((size.descriptors for size in sizes), default=0)} descriptors",
    ]


if __name__ == "__main__":
    sys.exit(main())
