"""The colours and signs that mean the same in every picture: Okabe and Ito's palette, which the colour-blind can read.

A leader is gold and wears a crown, a candidate is sky blue and raises a flag, who is inside the critical section is
green and holds the lock, a violation is vermillion. Message types take the other colours, in the order of their
declaration, and a dash each, so that they differ in print, too.
"""

from __future__ import annotations

from dataclasses import dataclass

LEADER, CANDIDATE, INSIDE, WAITING, VIOLATION = "#E69F00", "#56B4E9", "#009E73", "#999999", "#D55E00"

ROLE_COLOUR = {"leader": LEADER, "candidate": CANDIDATE, "inside": INSIDE, "waiting": WAITING}


@dataclass(frozen=True)
class Ink:
    """The colour of a message type: of its lines, and of its text on a light and on a dark ground."""

    line: str
    light: str
    dark: str
    dash: str


# The unreserved colours come first, the reserved ones only where there are more types; then the first comes again.
MESSAGE_INKS = (
    Ink("#0072B2", "#00609A", "#5DB2EA", ""),
    Ink("#CC79A7", "#A3487B", "#E6A3C7", "7 3"),
    Ink("#757B85", "#3C4046", "#C3C8CF", "2 3"),
    Ink("#A89B00", "#776D00", "#F0E442", "9 3 2 3"),
    Ink("#009E73", "#00795A", "#3FC79F", "12 4"),
    Ink("#B5651D", "#8F4A0B", "#E9A15B", "5 2 1 2 1 2"),
)
