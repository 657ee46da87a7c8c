"""Who is at the other end, and how its frames cannot be forged.

    dialler                                          acceptor
    Hello(who, to whom, what I run, nonce)    ->
                                              <-     Challenge(who, nonce, proof)
    Proof(proof)                              ->
                                              <-     Welcome(received), or Refusal(reason)

A proof is an HMAC-SHA256 of everything said so far, both nonces included, under the key that all members share. So each
end knows that the other has the key and is talking to it here and now: an answer recorded earlier fits no fresh nonce.
From the same transcript each direction gets a key of its own, under which every later frame is sealed together with its
position in the stream, by BLAKE2s in its keyed form (RFC 7693). Frames can thus be neither forged, changed, repeated,
left out nor moved, to this connection or to another. They can be read: whoever needs secrecy uses TLS, below all this.

What the key proves is membership. A member could pretend to be another one; members trust each other.

Without a key proofs and seals are empty, which is for one machine (loopback) and for mutual TLS, where certificates
prove membership instead.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from typing import NamedTuple

from habemus.network.errors import WireError
from habemus.network.stack import Stack
from habemus.network.wire import VERSION, Challenge, Hello, encoded
from habemus.process import Pid
from habemus.process.anatomy import plain

SEAL = 16
NONCE = 16
SHORTEST_KEY = 16


class Identity(NamedTuple):
    """Who a process is, to those it meets."""

    group: str
    id: Pid
    lineage: str
    incarnation: int
    instance: bytes
    stack: tuple[str, ...]
    parameters: tuple[str, ...]  # of all its layers, as `--set` has them
    fingerprint: bytes
    members: tuple[Pid, ...]


class Seal:
    """Marks the frames of one direction of one connection, each with its position in the stream."""

    def __init__(self, key: bytes | None) -> None:
        self.key = key
        self.count = 0

    def mark(self, body: bytes) -> bytes:
        """The seal of the next frame."""
        if self.key is None:
            return b""
        self.count += 1
        return hashlib.blake2s(self.count.to_bytes(8, "big") + body, digest_size=SEAL, key=self.key).digest()

    def close(self, body: bytes) -> bytes:
        """A body with its seal."""
        return body if self.key is None else body + self.mark(body)

    def open(self, frame: bytes) -> bytes:
        """The body of a frame whose seal is right."""
        if self.key is None:
            return frame
        body, seal = frame[:-SEAL], frame[-SEAL:]
        if not hmac.compare_digest(seal, self.mark(body)):
            raise WireError("a frame with a wrong seal: forged, repeated, or damaged on its way")
        return body


class Secrets:
    """What both ends can reckon from the key and from all that was said between them, and nobody else can."""

    def __init__(self, key: bytes | None, hello: bytes, challenge: bytes) -> None:
        self.key = key
        self.transcript = hashlib.sha256(hello).digest() + hashlib.sha256(challenge).digest()

    def derive(self, purpose: bytes) -> bytes | None:
        """A value for one purpose only; None where there is no key."""
        return None if self.key is None else hmac.digest(self.key, purpose + self.transcript, "sha256")

    def proof(self, purpose: bytes) -> bytes:
        """What shows the other end that we have the key."""
        return self.derive(purpose) or b""

    def check(self, purpose: bytes, proof: bytes) -> None:
        """Refuse a proof that is none."""
        if not hmac.compare_digest(self.proof(purpose), proof):
            raise WireError("its proof of membership is wrong: it does not have our key")

    def seals(self) -> tuple[Seal, Seal]:
        """The seals of what the dialler sends and of what it is sent."""
        return Seal(self.derive(b"habemus dialler to acceptor")), Seal(self.derive(b"habemus acceptor to dialler"))


def settings_of(stack: Stack) -> tuple[str, ...]:
    """The parameters of all layers, as `--set` has them."""
    settings = []
    for layer, anatomy in zip(stack.layers, stack.stack, strict=True):
        prefix = "" if layer is stack.layers[-1] else f"{anatomy.cls.name}."
        settings += [f"{prefix}{name}={json.dumps(plain(getattr(layer, name)))}" for name in anatomy.parameters]
    return tuple(settings)


def new_hello(me: Identity, to: Pid) -> Hello:
    """How to begin."""
    nonce = secrets.token_bytes(NONCE)
    life = (me.lineage, me.incarnation, me.instance)
    return Hello(VERSION, me.group, me.id, to, *life, nonce, me.stack, me.parameters, me.fingerprint, me.members)


def check_hello(hello: Hello, me: Identity) -> None:
    """Refuse one who means somebody else, or runs something else."""
    if hello.version != VERSION:
        raise WireError(f"it speaks version {hello.version} of the protocol, not {VERSION}")
    if hello.group != me.group:
        raise WireError(f"it belongs to the group {hello.group!r}, not to {me.group!r}")
    if hello.to != me.id:
        raise WireError(f"it wants to reach process {hello.to}, but this is process {me.id}")
    if hello.members != me.members:
        raise WireError(f"it knows the members {listed(hello.members)}, not {listed(me.members)}")
    if hello.sender == me.id or hello.sender not in me.members:
        raise WireError(f"it claims to be process {hello.sender}, which is none of the others")
    if hello.stack != me.stack:
        raise WireError(f"it runs {' over '.join(reversed(hello.stack))}, not {' over '.join(reversed(me.stack))}")
    if hello.fingerprint != me.fingerprint:
        raise WireError(f"its messages of {' and '.join(me.stack)} are not like ours: another version of the algorithm")
    theirs = [each for each in hello.parameters if each not in me.parameters]
    ours = [each for each in me.parameters if each not in hello.parameters]
    if theirs or ours:
        raise WireError(f"it runs with {', '.join(theirs) or 'less'}, not with {', '.join(ours)}: all need the same")
    if len(hello.nonce) != NONCE:
        raise WireError(f"its nonce has {len(hello.nonce)} bytes, not {NONCE}")


def new_challenge(incarnation: int, instance: bytes, key: bytes | None, hello: bytes) -> tuple[Challenge, Secrets]:
    """The answer to a hello, given as it came over the wire."""
    bare = Challenge(incarnation, instance, secrets.token_bytes(NONCE), b"")
    shared = Secrets(key, hello, encoded(bare))
    return Challenge(bare.incarnation, bare.instance, bare.nonce, shared.proof(b"habemus acceptor")), shared


def accept_challenge(challenge: Challenge, key: bytes | None, hello: bytes) -> Secrets:
    """Check the proof of the one we dialled."""
    bare = Challenge(challenge.incarnation, challenge.instance, challenge.nonce, b"")
    shared = Secrets(key, hello, encoded(bare))
    shared.check(b"habemus acceptor", challenge.proof)
    if len(challenge.nonce) != NONCE:
        raise WireError(f"its nonce has {len(challenge.nonce)} bytes, not {NONCE}")
    return shared


def listed(ids: tuple[Pid, ...]) -> str:
    """Ids as a sentence has them."""
    return ", ".join(map(str, ids[:12])) + (" ..." if len(ids) > 12 else "")
