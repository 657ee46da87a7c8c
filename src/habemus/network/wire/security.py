"""Who may connect.

On one machine (loopback) nothing is required. As soon as another machine could connect, members have to prove that they
are members: by a shared key (handshake.py says what it protects), or by certificates of one authority, checked both
ways, with all traffic encrypted (TLS 1.3). Otherwise a node does not start. Both can be used together.
"""

from __future__ import annotations

import os
import shlex
import ssl
from collections.abc import Iterable
from contextlib import suppress

from habemus.network.errors import NetworkError
from habemus.network.wire.addresses import Address, format_address, is_loopback
from habemus.network.wire.handshake import SHORTEST_KEY


def read_key(path: str, option: str) -> bytes:
    """Read a secret from a file that nobody else can read."""
    try:
        with open(path, "rb") as file:
            require_private(os.fstat(file.fileno()), path, option)
            key = file.read().strip()
    except OSError as error:
        raise NetworkError(f"{option} {path} cannot be read: {error.strerror}") from None
    if len(key) < SHORTEST_KEY:
        raise NetworkError(
            f"{option} {path} has {len(key)} bytes: expected at least {SHORTEST_KEY}, as `openssl rand -hex 32` makes"
        )
    return key


def require_private(file: os.stat_result, path: str, option: str) -> None:
    """Refuse a secret that others can read. If root owns it and we are not root, our group may: so mounts share it."""
    others = 0o027 if file.st_uid == 0 and os.geteuid() != 0 else 0o077
    if file.st_mode & others:
        raise NetworkError(f"{option} {path} can be read by others, so it is no secret: chmod 600 {shlex.quote(path)}")


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
    """The certificates; None if none of the three files is given."""
    if certificate is None and key is None and authority is None:
        return None
    if certificate is None or key is None or authority is None:
        raise NetworkError("--tls-cert, --tls-key and --tls-ca belong together: give all three, or none")
    with suppress(OSError):  # named below
        require_private(os.stat(key), key, "--tls-key")
    return Certificates(certificate, key, authority)


def require_protection(addresses: Iterable[Address], key: bytes | None, tls: bool) -> None:
    """Refuse to be reachable from other machines without authentication."""
    if key is None and not tls:
        for address in addresses:
            if not is_loopback(address):
                raise NetworkError(
                    f"{format_address(address)} can be reached from other machines, so members have to authenticate: "
                    f"give --key-file FILE with a key that all members share, or --tls-cert, --tls-key and --tls-ca"
                )
