"""Suspicions in the eyes of onlookers, who know the truth: which are right, which are mistakes, how long each lasts.

W. Chen, S. Toueg, M. K. Aguilera. On the quality of service of failure detectors. IEEE Transactions on Computers
51(5), 2002: detection time, mistake rate, mistake duration.
"""

from __future__ import annotations

from habemus.process import Pid


class Suspicions:
    """Who suspects whom, rightly or not."""

    def __init__(self) -> None:
        self.held: dict[tuple[Pid, Pid], int] = {}  # (observer, subject) -> since when
        self.mistaken: dict[tuple[Pid, Pid], int] = {}  # those of them that are wrong -> since when
        self.crash_times: dict[Pid, int] = {}  # who is down -> since when
        self.detection_times: list[int] = []  # ticks from a crash to a suspicion, for each observer
        self.mistakes = 0
        self.mistake_durations: list[int] = []

    def suspects(self, observer: Pid, subject: Pid, time: int) -> None:
        """`observer` begins to suspect `subject`."""
        if (observer, subject) in self.held:
            return
        self.held[(observer, subject)] = time
        crash = self.crash_times.get(subject)
        if crash is not None:
            self.detection_times.append(time - crash)
        else:
            self.mistakes += 1
            self.mistaken[(observer, subject)] = time

    def trusts(self, observer: Pid, subject: Pid, time: int) -> None:
        """`observer` no longer suspects `subject`."""
        self.held.pop((observer, subject), None)
        self.correct(observer, subject, time)

    def correct(self, observer: Pid, subject: Pid, time: int) -> None:
        """A mistake, if it was one, is over."""
        since = self.mistaken.pop((observer, subject), None)
        if since is not None:
            self.mistake_durations.append(time - since)

    def crashed(self, process: Pid, time: int) -> None:
        """`process` is down: whoever suspected it is right from now on, and its own suspicions are gone."""
        self.crash_times[process] = time
        for observer, subject in list(self.held):
            if subject == process and observer != process:
                self.correct(observer, subject, time)
                self.detection_times.append(0)
            elif observer == process:
                self.trusts(observer, subject, time)

    def recovered(self, process: Pid, time: int) -> None:
        """`process` is up again: whoever goes on suspecting it is wrong from now on."""
        self.crash_times.pop(process, None)
        for observer, subject in list(self.held):
            if subject == process:
                self.mistakes += 1
                self.mistaken[(observer, subject)] = time
