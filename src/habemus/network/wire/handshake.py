"""The handshake: who is at the other end, and what keeps its frames from being forged.

    dialler                                          acceptor
    Knock(group, nonce)                       ->
                                              <-     Challenge(nonce, proof)
    Proof(proof)                              ->
    Hello(who, to whom, what I run)           ->
                                              <-     Welcome(received, who), or Refusal(reason)

Before the proofs neither end tells the other anything but the name of the group. Who does not get that far learns only
that it was refused; the log has the reason.

A proof is an HMAC-SHA256 of everything said so far, both nonces included, under the key that all members share. So each
end knows that the other has the key and answers in this very conversation: an answer recorded earlier fits no fresh
nonce. From the same transcript each direction derives a key of its own. It seals every later frame together with its
position in the stream, by keyed BLAKE2s (RFC 7693). So frames can be neither forged, changed, repeated, dropped nor
moved, within this connection or to another. They can be read: for secrecy, use TLS below all this.

The key proves membership. A member could pretend to be another one; members trust each other.

Without a key, proofs and seals are empty. That is for one machine (loopback) and for mutual TLS, where certificates
prove membership instead.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from struct import Struct as Layout
from typing import NamedTuple

from habemus.network.errors import WireError
from habemus.network.wire.frames import VERSION, Challenge, Hello, Knock, encode
from habemus.process import Pid

SEAL = 16
NONCE = 16
POSITION = Layout(">Q")
SHORTEST_KEY = 16
LONGEST_LIST = 12  # ids that an error names


class Identity(NamedTuple):
    """What a process tells its peers about itself."""

    group: str
    id: Pid
    lineage: str
    incarnation: int
    instance: bytes
    stack: tuple[str, ...]
    parameters: tuple[str, ...]  # of all its layers, as `--set` takes them
    fingerprint: bytes
    members: tuple[Pid, ...]
    founded: bool = False  # they have met
    ancestors: tuple[str, ...] = ()  # instances of earlier incarnations, and its own
    client: bool = False  # it is none of the members
    admits_clients: bool = False
    promises: int = 0  # made by earlier incarnations


class Seal:
    """Authenticates the frames of one direction of one connection, each with its position in the stream."""

    def __init__(self, key: bytes | None) -> None:
        self.key = key
        self.count = 0
        self.hash = None if key is None else hashlib.blake2s(digest_size=SEAL, key=key)  # to be copied: that is quicker

    def mark(self, body: bytes) -> bytes:
        """The seal of the next frame."""
        if self.hash is None:
            return b""
        self.count += 1
        hash = self.hash.copy()
        hash.update(POSITION.pack(self.count) + body)
        return hash.digest()

    def attach(self, body: bytes) -> bytes:
        return body if self.key is None else body + self.mark(body)

    def verify(self, frame: bytes) -> bytes:
        """The body of a frame, if its seal is right."""
        if self.key is None:
            return frame
        body, seal = frame[:-SEAL], frame[-SEAL:]
        if not hmac.compare_digest(seal, self.mark(body)):
            raise WireError("frame with a wrong seal: forged, repeated, or damaged on the way")
        return body


class Secrets:
    """What both ends derive from the key and from all that they said to each other, and nobody else can."""

    def __init__(self, key: bytes | None, knock: bytes, challenge: bytes) -> None:
        self.key = key
        self.transcript = hashlib.sha256(knock).digest() + hashlib.sha256(challenge).digest()

    def derive(self, purpose: bytes) -> bytes | None:
        """A value for one purpose only; None where there is no key."""
        return None if self.key is None else hmac.digest(self.key, purpose + self.transcript, "sha256")

    def proof(self, purpose: bytes) -> bytes:
        return self.derive(purpose) or b""

    def check(self, purpose: bytes, proof: bytes) -> None:
        if not hmac.compare_digest(self.proof(purpose), proof):
            raise WireError("wrong proof of membership: the peer does not have our key")

    def seals(self) -> tuple[Seal, Seal]:
        """The seals of what the dialler sends and of what the acceptor sends."""
        return Seal(self.derive(b"habemus dialler to acceptor")), Seal(self.derive(b"habemus acceptor to dialler"))


def new_knock(group: str) -> bytes:
    """The first frame of a dialler, encoded."""
    return encode(Knock(VERSION, group, secrets.token_bytes(NONCE)))


def new_hello(me: Identity, to: Pid) -> Hello:
    life = (me.lineage, me.incarnation, me.instance)
    runs = (me.stack, me.parameters, me.fingerprint)
    return Hello(me.id, to, *life, *runs, me.members, me.founded, me.ancestors, me.client, me.promises)


def check_addressee(hello: Hello, me: Identity) -> None:
    """Refuse a hello that is for another process, or contradicts itself: what else it says means nothing then."""
    if hello.to != me.id:
        raise WireError(f"the peer wants to reach process {hello.to}, but this is process {me.id}")
    named = {hello.to} if hello.client else {hello.sender, hello.to}
    if list(hello.members) != sorted({*hello.members, *named}):
        raise WireError(f"the peer has the members {format_ids(hello.members)}, without itself or this process")


def check_hello(hello: Hello, me: Identity) -> None:
    """Refuse a peer that has other members, or runs something else."""
    if hello.members != me.members:
        raise WireError(f"the peer has the members {format_ids(hello.members)}, not {format_ids(me.members)}")
    if hello.client and not me.admits_clients:
        raise WireError(f"the peer is none of the members, and {me.stack[-1]} has no clients")
    if hello.sender == me.id or (hello.sender in me.members) == hello.client:
        which = "is one of the members" if hello.client else "is not one of the other members"
        raise WireError(f"the peer claims to be process {hello.sender}, which {which}")
    if hello.stack != me.stack:
        theirs, ours = (" over ".join(reversed(stack)) for stack in (hello.stack, me.stack))
        raise WireError(f"the peer runs {theirs}, not {ours}")
    if hello.fingerprint != me.fingerprint:
        raise WireError(f"the peer runs another version of {' and '.join(me.stack)}: its messages differ from ours")
    extra = [each for each in hello.parameters if each not in me.parameters]
    missing = [each for each in me.parameters if each not in hello.parameters]
    if extra or missing:
        raise WireError(
            f"the peer runs with {', '.join(extra) or 'fewer parameters'}, not with {', '.join(missing)}: "
            f"all members need the same parameters"
        )


def new_challenge(key: bytes | None, knock: bytes) -> tuple[Challenge, Secrets]:
    """The answer to a knock, which is given as it came over the wire."""
    nonce = secrets.token_bytes(NONCE)
    shared = Secrets(key, knock, encode(Challenge(nonce, b"")))
    return Challenge(nonce, shared.proof(b"habemus acceptor")), shared


def accept_challenge(challenge: Challenge, key: bytes | None, knock: bytes) -> Secrets:
    """Check the proof of the peer that we dialled."""
    shared = Secrets(key, knock, encode(Challenge(challenge.nonce, b"")))
    shared.check(b"habemus acceptor", challenge.proof)
    check_nonce(challenge.nonce)
    return shared


def check_nonce(nonce: bytes) -> None:
    if len(nonce) != NONCE:
        raise WireError(f"the peer's nonce has {len(nonce)} bytes, not {NONCE}")


def format_ids(ids: tuple[Pid, ...]) -> str:
    return ", ".join(map(str, ids[:LONGEST_LIST])) + (" ..." if len(ids) > LONGEST_LIST else "")
