"""Only members get in, and what they say cannot be forged, changed, repeated, left out or moved."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.network.errors import WireError
from habemus.network.wire.handshake import (
    Identity,
    Seal,
    accept_challenge,
    check_addressee,
    check_hello,
    new_challenge,
    new_hello,
    new_knock,
)

SETTINGS = ("heartbeat.period=500", "transmission=50", "stable=false")
DIALLER = Identity("jobs", 1, "", 1, b"a" * 8, ("heartbeat", "bully"), SETTINGS, b"f" * 8, (1, 2, 3))
ACCEPTOR = DIALLER._replace(id=2, instance=b"b" * 8)
KEY, OTHER_KEY = b"k" * 32, b"o" * 32


def meet(dialler_key, acceptor_key):
    """What the two ends share after knock and challenge."""
    knock = new_knock("jobs")
    challenge, theirs = new_challenge(acceptor_key, knock)
    return accept_challenge(challenge, dialler_key, knock), theirs


def test_members_recognise_each_other_and_share_seals():
    ours, theirs = meet(KEY, KEY)
    theirs.check(b"habemus dialler", ours.proof(b"habemus dialler"))
    for mine, other in zip(ours.seals(), theirs.seals(), strict=True):
        assert other.verify(mine.attach(b"one")) == b"one"
        assert other.verify(mine.attach(b"two")) == b"two"


@pytest.mark.parametrize("keys", [(OTHER_KEY, KEY), (None, KEY), (KEY, None)])
def test_who_does_not_have_the_key_is_refused(keys):
    with pytest.raises(WireError, match="does not have our key"):
        meet(*keys)


def test_an_acceptor_does_not_take_its_own_proof_back_for_ours():
    _, theirs = meet(KEY, KEY)
    with pytest.raises(WireError):
        theirs.check(b"habemus dialler", theirs.proof(b"habemus acceptor"))


def test_a_recorded_proof_is_worth_nothing_in_another_conversation():
    ours, _ = meet(KEY, KEY)
    _, theirs = meet(KEY, KEY)
    with pytest.raises(WireError):
        theirs.check(b"habemus dialler", ours.proof(b"habemus dialler"))


def test_frames_of_one_conversation_or_direction_do_not_fit_another():
    (to, fro), (other_to, _) = meet(KEY, KEY)[0].seals(), meet(KEY, KEY)[0].seals()
    frame = to.attach(b"message")
    for wrong in (fro, other_to):
        with pytest.raises(WireError, match="wrong seal"):
            wrong.verify(frame)


@given(st.lists(st.binary(max_size=50), min_size=1, max_size=6), st.data())
def test_a_stream_with_a_frame_changed_repeated_left_out_or_moved_is_refused(bodies, data):
    sender, receiver = Seal(b"s" * 32), Seal(b"s" * 32)
    frames = [sender.attach(body) for body in bodies]
    place = data.draw(st.integers(0, len(frames) - 1))
    attack = data.draw(st.sampled_from(["change", "repeat", "leave out", "move"]))
    if attack == "change":
        byte = data.draw(st.integers(0, len(frames[place]) - 1))
        flipped = bytes([frames[place][byte] ^ data.draw(st.integers(1, 255))])
        frames[place] = frames[place][:byte] + flipped + frames[place][byte + 1 :]
    elif attack == "repeat":
        frames.insert(place, frames[place])
    else:
        taken = frames.pop(place)
        if attack == "leave out":
            frames.append(b"")  # else there is nothing left that could be noticed
        else:
            frames.insert(data.draw(st.integers(0, len(frames)).filter(lambda there: there != place)), taken)
        if attack == "move" and len(frames) == 1:
            return
    with pytest.raises(WireError):
        for frame in frames:
            receiver.verify(frame)


@pytest.mark.parametrize(
    ("difference", "reason"),
    [
        ({"id": 2}, "not one of the other members"),
        ({"id": 9}, "not one of the other members"),
        ({"stack": ("raft-election",)}, "runs raft-election, not bully over heartbeat"),
        (
            {"parameters": ("heartbeat.period=20", "transmission=9", "stable=false")},
            "^the peer runs with heartbeat.period=20, transmission=9, not with heartbeat.period=500, transmission=50: ",
        ),
        (
            {"parameters": SETTINGS[:2]},
            "^the peer runs with fewer parameters, not with stable=false: all members need ",
        ),
        ({"fingerprint": b"x" * 8}, "another version"),
        ({"members": (1, 2, 3, 4)}, "members 1, 2, 3, 4, not 1, 2, 3"),
    ],
)
def test_who_runs_something_else_is_told_what(difference, reason):
    with pytest.raises(WireError, match=reason):
        check_hello(new_hello(DIALLER._replace(**difference), 2), ACCEPTOR)


def test_who_reaches_the_wrong_process_is_told_so():
    with pytest.raises(WireError, match="wants to reach process 3, but this is process 2"):
        check_addressee(new_hello(DIALLER, 3), ACCEPTOR)


@pytest.mark.parametrize("members", [(), (1,), (2, 3), (1, 3), (2, 1), (1, 2, 2)])
def test_who_does_not_know_its_own_group_says_nothing_about_ours(members):
    with pytest.raises(WireError, match="without itself or this process"):
        check_addressee(new_hello(DIALLER._replace(members=members), 2), ACCEPTOR)
