"""The leased group, broken. Each is shown by a run: all runs of a whole group are too many to search."""

from __future__ import annotations

from math import ceil
from typing import Any

from habemus.museum.exhibit import Run, exhibit
from habemus.mutex.leased_group import LeasedGroup
from habemus.process import Pid
from habemus.replication.entries import (
    EXPIRED,
    EndSession,
    Entry,
    Event,
    Granted,
    Release,
)
from habemus.replication.leases import Alive, Elsewhere, Held, KeepAlive, Tell
from habemus.replication.member import TIMERS
from habemus.replication.requests import Propose, WaitOut

QUICK = {"low": 40, "high": 60, "heartbeat": 20, "voters": [1, 2, 3]}
TIMES = {"ttl": 200, "renew": 50, "sweep": 20, "voters": [1, 2, 3]}


def call(at: int, who: Pid, hold: int = 1000) -> dict[str, Any]:
    return {"at": at, "who": [who], "call": "acquire", "hold": hold}


def fault(at: int, do: str, **what: Any) -> dict[str, Any]:
    return {"at": at, "do": do, **what}


def crash(at: int, process: Pid, until: int) -> list[dict[str, Any]]:
    return [fault(at, "crash", process=process), fault(until, "recover", process=process)]


def run(calls: list[dict[str, Any]], faults: list[dict[str, Any]], until: int, n: int = 3, **parameters: Any) -> Run:
    """A run of n processes of which the first three vote, and 1 calls the first election."""
    above = parameters.pop("above", "")
    below = {"check_quorum": parameters.pop("check_quorum", True)}
    return Run(
        {
            "parameters": {**TIMES, **parameters},
            "topology": {"ids": list(range(1, n + 1))},
            "starters": [1],
            "workload": calls,
            "faults": faults,
            "seed": 1,
            "until": until,
        },
        below={**QUICK, **below},
        above=above,
    )


FORGOTTEN = run(
    [call(100, 1), call(160, 3, 20)],
    [
        fault(90, "cut", links=[[1, 3], [2, 3]]),
        fault(150, "cut", links=[[1, 2]]),
        *crash(151, 2, 153),
        fault(155, "heal", links=[[2, 3]]),
    ],
    520,
)


@exhibit(
    "leased-group-counts-at-once",
    violates="one_holder",
    run=FORGOTTEN,
    happened="Redis's page on distributed locks warns of it: who restarts without its keys has to stay away for as "
    "long as a lock may last.",
    source="https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/",
)
class CountsAtOnce(LeasedGroup):
    """A voter that restarts and has forgotten the log votes again at once."""

    def come_back(self) -> None:
        self.pass_down(WaitOut(1))


@exhibit(
    "leased-group-renews-alone",
    violates="one_holder",
    run=run(
        [call(100, 4), call(110, 2)], [fault(150, "partition", groups=[[1, 4], [2, 3]])], 520, 4, check_quorum=False
    ),
    happened="A leader of etcd that was stuck had been replaced, and still kept the leases of its clients alive.",
    source="https://github.com/etcd-io/etcd/issues/15247",
)
class RenewsAlone(LeasedGroup):
    """A leader renews sessions without asking a majority whether it still leads."""

    def keep_alive(self, sender: Pid, message: KeepAlive) -> None:
        if not self.leads:
            self.say(sender, Elsewhere(self.leader))
            return
        session = self.table.openings.get((sender, message.opening), 0)
        if session:
            self.idle[session] = 0
        elif not message.session:
            self.admit(sender, message)
            return
        self.say(sender, Alive(message.opening, session, message.attempt))


@exhibit(
    "leased-group-counts-from-the-answer",
    violates="one_holder",
    run=run(
        [call(100, 4), call(110, 3)],
        [
            fault(195, "slow", links=[[1, 4]], delay="constant:90", one_way=True),
            fault(300, "cut", links=[[1, 4], [2, 4], [3, 4]]),
        ],
        560,
        4,
        renew=100,
        rho=0.0,
    ),
    happened="A worker of Golem counted its lease from when the message that granted it came, however late.",
    source="https://github.com/golemcloud/golem/pull/3834",
)
class CountsFromTheAnswer(LeasedGroup):
    """The holder counts its deadline from when a renewal is answered, not from when it was sent."""

    def stay_alive(self, sender: Pid, message: Alive) -> None:
        if not self.active or message.opening != self.opening or message.attempt != self.pending:
            return  # of an older session, or of an attempt whose timer no longer runs (rule 1)
        if self.session not in (0, message.session):
            self.lose_session()
            return
        self.pending = 0
        self.guided = self.guided or sender == self.guide
        self.cancel_timer(TIMERS[max(self.counting, 0)])
        self.counting = 1 - max(self.counting, 0)
        self.set_timer(TIMERS[self.counting], self.lease)
        if not self.session:
            self.session = message.session
            self.repeat()
        if self.repeated:
            self.transmit()  # what is left of that attempt's time may be short


@exhibit(
    "leased-group-no-extension",
    violates="one_holder",
    run=run(
        [call(100, 4), call(120, 2)],
        [fault(199, "cut", links=[[2, 4], [3, 4]]), fault(200, "crash", process=1)],
        400,
        4,
    ),
    happened="A new leader of etcd did not extend the leases that it took over.",
    source="https://github.com/etcd-io/etcd/pull/4778",
)
class NoExtension(LeasedGroup):
    """A new leader takes sessions that it has not heard of yet for silent, and ends them."""

    def count_from_now(self) -> None:
        self.idle = dict.fromkeys(self.table.sessions, self.ttl) if self.leads else {}


@exhibit(
    "leased-group-overstays",
    violates="one_holder",
    run=run([call(100, 4), call(120, 2)], [fault(150, "cut", links=[[1, 4], [2, 4], [3, 4]])], 500, 4),
    happened="A Kubernetes leader whose renewal hangs for a minute leads on, though its lease lasts 15 seconds.",
    source="https://github.com/kubernetes/kubernetes/issues/44887",
)
class Overstays(LeasedGroup):
    """A holder whose deadline has passed stays inside."""

    def end_lease(self, timer: int) -> None:
        self.pending = 0


@exhibit(
    "leased-group-tokens-start-over",
    violates="tokens_grow",
    run=run(
        [call(100, 2, 10), call(130, 2, 10), call(700, 3, 10)],
        [fault(200, "crash", process=pid) for pid in (1, 2, 3)] + [fault(202, "recover", process="crashed")],
        900,
    ),
)
class TokensStartOver(LeasedGroup):
    """Tokens are counted in the table alone, and not by term: where the table begins anew, so do they."""

    def change_table(self, entry: Entry, term: int) -> list[Event]:
        return self.table.apply(entry, 0)


@exhibit(
    "leased-group-any-grant",
    violates="one_holder",
    run=run(
        [call(100, 2, 60), call(110, 4), call(300, 3)],
        [
            fault(150, "slow", links=[[1, 4]], delay="constant:400", one_way=True),
            fault(170, "cut", links=[[4, 1], [4, 2], [4, 3]], one_way=True),
        ],
        700,
        4,
    ),
    happened="etcd's lock, and likewise Election.Campaign, told a client that had waited that it had won, and did not "
    "look whether its own key was still there.",
    source="https://github.com/etcd-io/etcd/issues/11456, https://github.com/cagriekin/charts/pull/327",
)
class AnyGrant(LeasedGroup):
    """Who waits enters with any grant, and does not look whether it is for its present session."""

    def listen(self, sender: Pid, message: Tell) -> None:
        for event in message.events:
            if self.active:
                self.hear(event)


@exhibit(
    "leased-group-lock-without-token",
    violates="mutual_exclusion",
    run=run(
        [call(100, 2), call(110, 3, 200)],
        [fault(180, "pause", process=2), fault(560, "resume", process=2)],
        620,
    ),
    happened="M. Kleppmann on Redlock, 2016. Jepsen found the same of etcd's locks in 2019.",
    source="https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html, "
    "https://github.com/etcd-io/etcd/issues/11457",
)
class LockWithoutToken(LeasedGroup):
    """A holder that stood still has a token, but does not show it to the resource."""

    def hold(self, granted: Granted) -> None:
        """Go inside, if that is still wanted."""
        want = self.wants.get(granted.request)
        if want is None:
            if granted.token not in self.unwanted and -granted.request not in self.unwanted:
                self.submit((Release(self.session, granted.token),))  # a copy of what was given back long ago
        elif granted.request not in self.grants:
            self.grants[granted.request] = granted
            del self.open[granted.request]
            self.unanswered.pop(granted.request, None)
            if want.ticket == 0:
                self.enter()
            self.indicate(Held(want.ticket, granted.token, granted.slot))


@exhibit(
    "leased-group-forgets-its-opening",
    violates="one_holder",
    run=run(
        [call(100, 4, 20), call(145, 3), call(150, 4)],
        [fault(140, "crash", process=4), fault(142, "recover", process=4)],
        200,
        4,
    ),
)
class ForgetsItsOpening(LeasedGroup):
    """A member that restarts does not know how many sessions it had: it takes the last one, and its grants, for new."""

    def come_back(self) -> None:
        self.opening = 0
        self.pass_down(WaitOut(self.validity))


@exhibit(
    "leased-group-expires-early",
    violates="one_holder",
    run=run(
        [call(100, 4), call(110, 3)],
        [
            fault(0, "drift", process=4, rate=0.9),
            fault(0, "drift", process=1, rate=1.1),
            fault(200, "cut", links=[[1, 4], [2, 4], [3, 4]]),
        ],
        400,
        4,
        rho=0.1,
        sweep=5,
    ),
)
class ExpiresEarly(LeasedGroup):
    """The leader ends a session after its time, and does not allow for clocks of which one is fast and one is slow."""

    def end_the_silent(self) -> None:
        self.set_timer("sweep", self.sweep)
        longest = ceil(self.ttl / self.sweep)
        silent = []
        for session in sorted(self.idle):
            self.idle[session] += 1
            if self.idle[session] >= longest and not self.table.paused:
                self.idle[session] = 0  # if the end is not committed, it will be proposed again
                silent.append(EndSession(session, EXPIRED))
        if silent:
            self.pass_down(Propose(tuple(silent)))
