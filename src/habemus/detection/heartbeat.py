"""Heartbeat: who has been silent for too long is suspected, until it is heard again.

Every `period` a process tells all others that it is alive. It has no clock, so it counts: every `look` ticks it looks
whom it has not heard since the last look. Whoever has been silent for T is suspected; the next beat clears it.

Assumes   a complete graph, reliable links, crash and recovery; a beat takes at most T_trans (`transmission`), and is
          sent at most T_process (`processing`) late. Beyond that it still finds every crash, but may be mistaken.
Gives     completeness; accuracy within its bounds. With `growth` and any bound, known or not: the class eventually
          perfect, for each mistake makes it more patient until there is no reason for another.
Costs     n(n-1) messages a period. A crash is detected at most T + T_trans + 2 looks after it.
Why safe  two beats arrive at most period + T_trans + T_process apart, and T is no less. With a beat every T_trans that
          is the T = 2 T_trans + T_process of a question and its answer. A look counts as if all that was heard since
          the one before had been heard just now, so it errs on the side of trust.

Options   `timeout` sets T itself; `growth` lengthens T by so many ticks for a process that was suspected by mistake,
          or so it seems: one that crashed and is back looks the same.

T. D. Chandra, S. Toueg. Unreliable failure detectors for reliable distributed systems. JACM 43(2), 1996.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import Detector, Message, Parameter, Pid, upon, upon_start, upon_timeout


@dataclass(frozen=True)
class Alive(Message):
    """The beat."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Heartbeat(Detector):
    name = "heartbeat"
    topology = "complete"
    model = "synchronous, crash-recovery"
    guarantees = ("completeness", "accuracy")
    horizon = 1000
    positive = ("period", "look")
    on_network = ({"period": 500, "timeout": 2000, "look": 500}, {"transmission": 50})
    small_times = {"transmission": 1, "processing": 1}

    period: Parameter[int] = 10
    transmission: Parameter[int] = 10
    processing: Parameter[int] = 1
    timeout: Parameter[int | None] = None
    growth: Parameter[int] = 0
    look: Parameter[int] = 7

    silence: dict[Pid, int] = {}  # looks since each one's last beat; a suspect's are not counted any more
    suspected: set[Pid] = set()
    patience: dict[Pid, int] = {}  # T for those who were suspected by mistake, if it grows

    @property
    def delay_bound(self) -> int | None:
        return self.transmission

    @property
    def gives_up_after(self) -> int | None:
        return self.usual_patience - self.period

    @property
    def usual_patience(self) -> int:
        """T, unless it has grown."""
        return self.period + self.transmission + self.processing if self.timeout is None else self.timeout

    @upon_start
    def begin(self) -> None:
        self.set_timer("look", self.look)
        self.beat()

    @upon_timeout("beat")
    def beat(self) -> None:
        self.send(self.neighbours, Alive())
        self.set_timer("beat", self.period)

    @upon(Alive)
    def hear(self, sender: Pid, message: Alive) -> None:
        self.silence[sender] = 0
        if sender in self.suspected:
            self.suspected.remove(sender)
            if self.growth:
                self.patience[sender] = self.patience.get(sender, self.usual_patience) + self.growth
            self.trust(sender)

    @upon_timeout("look")
    def look_around(self) -> None:
        self.set_timer("look", self.look)
        usual = self.usual_patience
        for process in self.neighbours:
            if process not in self.suspected:
                looks = self.silence[process] = self.silence.get(process, 0) + 1
                if (looks - 1) * self.look >= self.patience.get(process, usual):  # so long it was silent for sure
                    self.suspected.add(process)
                    self.suspect(process)
