"""How many states each algorithm has: pinned, here and in the guide, so that a change of meaning is noticed."""

from pathlib import Path

import pytest
from small_instances import explore, question

RAFT = {"low": 1, "high": 1, "heartbeat": 1}
INVITATION = {"period": 1, "patience": 1}
GOSSIP = {"fanout": 1, "repeats": 1, "relays": 3}

# name, what is asked (and how the guide puts it), states and transitions in full, states when reduced
PINNED = [
    ("chang-roberts", "n = 8, ids in worst order", {"ids": [7, 6, 5, 4, 3, 2, 1, 8]}, 4870, 19456, 45),
    ("chang-roberts", "n = 5, any starters", {"n": 5, "anybody": True}, 191, 406, 125),
    ("lcr", "n = 6", {"n": 6}, 3134, 10158, 58),
    ("peterson", "n = 6", {"n": 6}, 384, 1227, 25),
    ("ring-collect", "n = 5", {"n": 5}, 496, 1380, 26),
    ("franklin", "n = 5", {"n": 5}, 1498, 7071, 671),
    ("hirschberg-sinclair", "n = 5", {"n": 5}, 4742, 21484, 607),
    ("itai-rodeh", "n = 3, round ≤ 2", {"n": 3, "bounds": {"round": 2}}, 1711, 3087, 1238),
    ("anonymous-ring", "n = 4, one starter", {"n": 4, "starters": [1]}, 9, 8, 9),
    ("bully", "n = 3, ordered", {"n": 3, "timing": "ordered"}, 86, 220, 20),
    ("bully", "n = 3, bounded", {"n": 3}, 47, 101, 47),
    ("bully", "n = 4, bounded, 1 crash, 1 recovery", {"n": 4, "crashes": 1, "recoveries": 1}, 18603, 83058, 18603),
    ("ring-coordinator", "n = 3, 1 crash", {"n": 3, "crashes": 1}, 795, 1589, 465),
    ("capture", "n = 4", {"n": 4}, 1189, 3364, 219),
    ("capture-sync", "n = 4", {"n": 4}, 8, 7, 8),
    ("broadcast-sync", "n = 4", {"n": 4}, 4, 3, 4),
    ("raft-election", "n = 2, term ≤ 2", {"n": 2, "parameters": RAFT, "bounds": {"term": 2}}, 226, 340, 161),
    ("invitation", "n = 2, counter ≤ 2", {"n": 2, "parameters": INVITATION, "bounds": {"counter": 2}}, 357, 720, 261),
    ("yoyo", "n = 5, random graph", {"n": 5}, 1644, 7270, 63),
    ("echo-extinction", "n = 4, random graph", {"n": 4}, 1510, 5313, 132),
    ("ghs", "n = 4, random graph", {"n": 4}, 189, 458, 107),
    ("gossip-election", "n = 3, bounded", {"n": 3, "parameters": GOSSIP}, 598, 2031, 598),
    ("sortition", "n = 3, bounded", {"n": 3}, 30, 51, 30),
    ("coordinator", "n = 3, 1 entry each", {"n": 3}, 212, 438, 163),
    ("token-ring", "n = 3, 2 entries each", {"n": 3, "entries": 2}, 525, 1095, 495),
    ("quorum", "n = 2, 2 entries each", {"n": 2, "entries": 2}, 131, 204, 105),
    ("lamport", "n = 3, 1 entry each", {"n": 3}, 7431, 22290, 2177),
    ("ricart-agrawala", "n = 3, 1 entry each", {"n": 3}, 2080, 5525, 763),
    ("ricart-agrawala", "n = 3, 1 entry each, unordered", {"n": 3, "fifo": False}, 2858, 9050, 746),
    ("maekawa", "n = 3, 1 entry each", {"n": 3}, 1049, 2278, 572),
    ("suzuki-kasami", "n = 3, 1 entry each", {"n": 3}, 589, 1610, 228),
    ("raymond", "n = 3, 2 entries each", {"n": 3, "entries": 2}, 1130, 2537, 820),
    ("naimi-trehel", "n = 3, 2 entries each", {"n": 3, "entries": 2}, 1432, 2779, 1432),
]
GUIDE = Path(__file__).parents[3] / "docs" / "checking.md"


@pytest.mark.parametrize(("name", "what", "asked", "states", "transitions", "reduced"), PINNED)
def test_states_and_transitions_are_what_they_were(name, what, asked, states, transitions, reduced):
    full, fewer = explore(question(name, **asked), False), explore(question(name, **asked), True)
    assert (len(full.states), full.transitions, len(fewer.states)) == (states, transitions, reduced)
    assert not full.violated and not fewer.violated


def test_the_guide_has_the_same_table():
    rows = [f"| `{name}` | {what} | {s:,} | {t:,} | {r:,} |" for name, what, _, s, t, r in PINNED]
    text = GUIDE.read_text(encoding="utf-8")
    assert [row for row in rows if row not in text] == []
