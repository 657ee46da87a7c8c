"""What keeps strangers out.

On one machine (loopback) nothing is required. As soon as another machine could connect, members have to prove that they
are members: by a key that they share (handshake.py says what it protects), or by certificates of one authority, checked
both ways, with all traffic encrypted (TLS 1.3). Otherwise a node does not start. Both can be used together.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from pathlib import Path

from habemus.network.addresses import Address, on_loopback, shown
from habemus.network.errors import NetworkError
from habemus.network.handshake import SHORTEST_KEY


def read_key(path: str) -> bytes:
    """The key that all members share."""
    try:
        key = Path(path).read_bytes().strip()
    except OSError as error:
        raise NetworkError(f"--key-file {path} cannot be read: {error.strerror}") from None
    if len(key) < SHORTEST_KEY:
        raise NetworkError(
            f"--key-file {path} has {len(key)} bytes: expected at least {SHORTEST_KEY}, as `openssl rand -hex 32` makes"
        )
    return key


class Certificates:
    """Both sides of mutual TLS."""

    def __init__(self, certificate: str, key: str, authority: str) -> None:
        self.accepting = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.dialling = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.dialling.check_hostname = False  # a certificate proves membership; the hello says which member is meant
        for context in (self.accepting, self.dialling):
            context.minimum_version = ssl.TLSVersion.TLSv1_3
            context.verify_mode = ssl.CERT_REQUIRED
            try:
                context.load_cert_chain(certificate, key)
                context.load_verify_locations(authority)
            except (OSError, ssl.SSLError) as error:
                raise NetworkError(
                    f"--tls-cert {certificate}, --tls-key {key}, --tls-ca {authority}: {error.strerror or error}"
                ) from None


def read_certificates(certificate: str | None, key: str | None, authority: str | None) -> Certificates | None:
    """The certificates, if they are given."""
    given = [certificate, key, authority]
    if not any(given):
        return None
    if certificate is None or key is None or authority is None:
        raise NetworkError("--tls-cert, --tls-key and --tls-ca belong together: give all three, or none")
    return Certificates(certificate, key, authority)


def require_protection(addresses: Iterable[Address], key: bytes | None, tls: bool) -> None:
    """Refuse to be reachable from other machines without proof of who connects."""
    if key is None and not tls:
        for address in addresses:
            if not on_loopback(address):
                raise NetworkError(
                    f"{shown(address)} can be reached from other machines, so members have to prove who they are: give "
                    f"--key-file FILE with a key that all of them share, or --tls-cert, --tls-key and --tls-ca"
                )
