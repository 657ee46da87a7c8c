"""Suspicions as observers see them, who know who has crashed: which are right, which are mistakes, how long each lasts.

W. Chen, S. Toueg, M. K. Aguilera. On the quality of service of failure detectors. IEEE Transactions on Computers
51(5), 2002: detection time, mistake rate, mistake duration.
"""

from __future__ import annotations

from habemus.process import Pid


class Suspicions:
    """Who suspects whom, rightly or by mistake."""

    def __init__(self, live: int) -> None:
        self.live = live
        self.held: dict[tuple[Pid, Pid], int] = {}  # (observer, subject) -> since when
        self.mistaken: dict[tuple[Pid, Pid], int] = {}  # those of them that are wrong -> since when
        self.crash_times: dict[Pid, int] = {}  # who is down -> since when
        self.standing: dict[tuple[Pid, Pid], int] = {}  # ticks from a crash to the suspicion of it that still stands
        self.settled: list[int] = []  # the same, of those who have come back since
        self.mistakes = 0
        self.mistake_durations: list[int] = []
        self.pair_ticks = 0  # for how long live processes have watched live ones, all pairs together
        self.counted = 0  # up to when that is

    @property
    def detection_times(self) -> list[int]:
        """Ticks from a crash to the suspicion that lasted, for each observer of each crash."""
        return [*self.settled, *self.standing.values()]

    def advance(self, time: int) -> None:
        """Count the time that pairs of live processes have watched each other."""
        self.pair_ticks += self.live * (self.live - 1) * (time - self.counted)
        self.counted = time

    def suspects(self, observer: Pid, subject: Pid, time: int) -> None:
        """`observer` begins to suspect `subject`."""
        if (observer, subject) in self.held:
            return
        self.held[(observer, subject)] = time
        crash = self.crash_times.get(subject)
        if crash is not None:
            self.standing[(observer, subject)] = time - crash
        else:
            self.mistakes += 1
            self.mistaken[(observer, subject)] = time

    def trusts(self, observer: Pid, subject: Pid, time: int) -> None:
        """`observer` no longer suspects `subject`."""
        self.held.pop((observer, subject), None)
        self.standing.pop((observer, subject), None)
        self.correct(observer, subject, time)

    def correct(self, observer: Pid, subject: Pid, time: int) -> None:
        """End a mistake, if it was one."""
        since = self.mistaken.pop((observer, subject), None)
        if since is not None:
            self.mistake_durations.append(time - since)

    def crashed(self, process: Pid, time: int) -> None:
        """`process` is down: suspicions of it are right from now on, and its own suspicions are gone."""
        self.advance(time)
        self.live -= 1
        self.crash_times[process] = time
        for observer, subject in list(self.held):
            if subject == process and observer != process:
                self.correct(observer, subject, time)
                self.standing[(observer, subject)] = 0
            elif observer == process:
                self.trusts(observer, subject, time)

    def recovered(self, process: Pid, time: int) -> None:
        """`process` is up again: suspicions of it are mistakes from now on."""
        self.advance(time)
        self.live += 1
        self.crash_times.pop(process, None)
        for observer, subject in list(self.held):
            if subject == process:
                self.settled.append(self.standing.pop((observer, subject)))
                self.mistakes += 1
                self.mistaken[(observer, subject)] = time
