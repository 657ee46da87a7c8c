"""What comes of a submission: points for each part, and where it fails the run that shows it."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

PASSED, FAILED, REFUSED, STOPPED = "passed", "failed", "refused", "stopped"


class PartGrade(Struct, omit_defaults=True):
    """The grade of one part. `subject` says what was judged, `remark` what is wrong.

    `story` is the run that shows it, step by step; from step `loop` on it repeats for ever. `diagram` is the same run
    as SVG.
    """

    judge: str
    subject: str
    of: int
    points: int = 0
    remark: str = ""
    shortest: bool = False
    story: list[list[str]] = []
    loop: int | None = None
    diagram: str = ""
    incomplete: bool = False

    @property
    def passed(self) -> bool:
        return not self.remark


class Grade(Struct):
    """The grade of a submission.

    `verdict` is passed, failed, refused (it was not run, and `remark` says why) or stopped (it took too long or died).
    """

    exercise: str
    submission: str
    of: int
    verdict: str = PASSED
    remark: str = ""
    parts: list[PartGrade] = []
    seconds: float = 0.0
    isolated: bool = False

    @property
    def points(self) -> int:
        return sum([part.points for part in self.parts])

    @property
    def counterexample(self) -> PartGrade | None:
        """The part whose failure is shown: the first with the shortest run, else the first with any run."""
        shown = [part for part in self.parts if part.diagram]
        return next((part for part in shown if part.shortest), shown[0] if shown else None)

    @property
    def out_of_budget(self) -> bool:
        """Whether nothing is known to be wrong, but not all was judged within the limits."""
        wrong = [part for part in self.parts if not part.passed and not part.incomplete]
        return not wrong and self.verdict in (FAILED, STOPPED)

    def as_dict(self) -> dict[str, Any]:
        """What `habemus grade --json` prints."""
        shown = self.counterexample
        parts = [
            {
                "judge": part.judge,
                "subject": part.subject,
                "points": part.points,
                "of": part.of,
                "passed": part.passed,
                "remark": part.remark or None,
            }
            for part in self.parts
        ]
        return {
            "exercise": self.exercise,
            "submission": self.submission,
            "points": self.points,
            "of": self.of,
            "verdict": self.verdict,
            "remark": self.remark or None,
            "parts": parts,
            "counterexample": None
            if shown is None
            else {"remark": shown.remark, "shortest": shown.shortest, "story": shown.story, "svg": shown.diagram},
            "seconds": self.seconds,
            "isolated": self.isolated,
        }


def conclude(grade: Grade) -> Grade:
    """The grade with its verdict, once all parts are judged."""
    if grade.verdict == PASSED and not all(part.passed for part in grade.parts):
        return msgspec.structs.replace(grade, verdict=FAILED)
    return grade
