"""Which properties a stack is judged by, and which of them its algorithms promise."""

from __future__ import annotations

from typing import Any

from habemus.process import Anatomy, Detector, Election, MisuseError, Mutex, claims_of
from habemus.process.source import locate
from habemus.properties.claims import ClaimProperty
from habemus.properties.detector import detector_properties
from habemus.properties.election import election_properties
from habemus.properties.lease import lease_properties
from habemus.properties.mutex import mutex_properties
from habemus.properties.property import Property
from habemus.properties.replication import replication_properties


def properties_of(
    stack: list[Anatomy], waiting_limit: int | str | None, waiting_time: int | None = None
) -> list[Property]:
    """The properties of each layer; those of a detector only where it is the topmost layer."""
    properties: list[Property] = []
    for anatomy in stack:
        cls = anatomy.cls
        own: list[Property] = []
        if issubclass(cls, Election):
            own = election_properties(bool(cls.term_field))
        elif issubclass(cls, Mutex):
            own = mutex_properties(waiting_limit, waiting_time, cls.waiting_bound)
            own += lease_properties() if "one_holder" in cls.guarantees else []
        elif issubclass(cls, Detector) and anatomy is stack[-1]:
            own = detector_properties()
        if cls.keeps_log:
            own += replication_properties()
        if own:
            refuse_unknown_promises(cls, [watched.name for watched in own])
        for watched in own:
            watched.promised = watched.name in cls.guarantees
        properties += own
    for claim in claims_of(stack[-1].cls) if stack else []:
        if claim.name in [known.name for known in properties]:
            raise MisuseError(
                f"{locate(stack[-1].cls)} is judged by two properties called {claim.name}: rename the claim."
            )
        properties.append(ClaimProperty(claim))
    return properties


def refuse_unknown_promises(cls: Any, known: list[str]) -> None:
    """Refuse a promise that nobody judges: a name that is misspelt would never be found broken."""
    for name in cls.guarantees:
        if name not in known:
            raise MisuseError(
                f"{locate(cls)} promises {name!r} in `guarantees`, by which it is not judged: "
                f"expected some of {', '.join(known)}."
            )
