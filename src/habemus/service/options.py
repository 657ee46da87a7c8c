"""What can be asked for when a group is joined, and what makes sense."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field

FilePath = str | os.PathLike[str]

LONGEST_NAME = 500
LONGEST_ID = 100
LONGEST_METADATA = 1000  # characters of keys and values together
MAX_PRIORITY = 1000
USUAL_GRACE = 1.0  # seconds
SHORTEST_TTL, LONGEST_TTL = 0.1, 86_400.0


@dataclass(frozen=True)
class JoinOptions:
    """The parameters of `habemus.join`, which explains them.

    An observer only looks: it is no member. A guardian is the process that ends what this one has started if it dies:
    only when both have ended is the member dead.
    """

    name: str
    where: str | None = None
    id: str | None = None
    priority: int = 0
    ttl: float = 10.0
    grace: float | None = None  # USUAL_GRACE, or less if the ttl is short
    alive_within: float | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    key_file: FilePath | None = None
    tls: tuple[FilePath, FilePath, FilePath] | None = None  # certificate, key, authority
    data: FilePath | None = None
    voter: bool | None = None
    http: str | None = None
    http_host: str = ""  # names, separated by commas
    http_token_file: FilePath | None = None
    observer: bool = False
    guardian: int = 0

    def __post_init__(self) -> None:
        check_name("name", self.name)
        for what, text in (("where", self.where), ("http", self.http), ("http_host", self.http_host)):
            if not isinstance(text, str | None):
                raise TypeError(f"{what} is a string, not {text!r}")
        files = {"key_file": self.key_file, "data": self.data, "http_token_file": self.http_token_file}
        for what, path in files.items():
            if not isinstance(path, str | os.PathLike | None):
                raise TypeError(f"{what} is a path, not {path!r}")
        if self.http is None and (self.http_host or self.http_token_file is not None):
            raise ValueError("http_host and http_token_file are for http: give its HOST:PORT, too")
        if not isinstance(self.voter, bool | None):
            raise TypeError(f"voter is True, False, or None for a voter if there is room, not {self.voter!r}")
        if self.id is not None:
            check_name("id", self.id, LONGEST_ID)
        check_priority(self.priority)
        check_seconds("ttl", self.ttl, SHORTEST_TTL, LONGEST_TTL)
        if self.grace is not None:
            check_seconds("grace", self.grace, 0.0, self.ttl / 2)  # more would be over before a renewal comes
        if self.alive_within is not None:
            check_seconds("alive_within", self.alive_within, SHORTEST_TTL, LONGEST_TTL)
        check_metadata(self.metadata)
        if self.tls is not None and [isinstance(path, str | os.PathLike) for path in self.tls] != [True] * 3:
            raise TypeError("tls is three paths: of the certificate, its key, and the authority's certificate")

    @property
    def time_to_end(self) -> float:
        """How long before its deadline the body of a lease is cancelled."""
        return min(USUAL_GRACE, self.ttl / 4) if self.grace is None else self.grace


def check_name(what: str, name: str, longest: int = LONGEST_NAME) -> None:
    if not isinstance(name, str):
        raise TypeError(f"{what} is a string, not {name!r}")
    if not 0 < len(name) <= longest or not name.isprintable():
        raise ValueError(f"{what} has 1 to {longest} printable characters: {name[:longest]!r} has not")


def check_priority(priority: int) -> None:
    if not isinstance(priority, int) or isinstance(priority, bool):
        raise TypeError(f"priority is an integer, not {priority!r}")
    if abs(priority) > MAX_PRIORITY:
        raise ValueError(f"priority is between -{MAX_PRIORITY} and {MAX_PRIORITY}, not {priority}")


def check_seconds(what: str, seconds: float, least: float = 0.0, most: float = math.inf) -> None:
    if not isinstance(seconds, int | float) or isinstance(seconds, bool):
        raise TypeError(f"{what} is a number of seconds, not {seconds!r}")
    if not least <= seconds <= most:
        limit = "up" if most == math.inf else f"to {most:g}"
        raise ValueError(f"{what} is a number of seconds from {least:g} {limit}, not {seconds}")


def check_metadata(metadata: Mapping[str, str]) -> None:
    if not isinstance(metadata, Mapping):
        raise TypeError(f"metadata is a mapping of strings to strings, not {metadata!r}")
    texts = [text for item in metadata.items() for text in item]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("metadata is a mapping of strings to strings")
    if sum(map(len, texts)) > LONGEST_METADATA:
        raise ValueError(f"metadata has at most {LONGEST_METADATA} characters")
