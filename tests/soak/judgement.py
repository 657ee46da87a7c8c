"""Which promises a history breaks. Nothing here knows how the nodes work.

Promised whatever happens:

- in a term all who name a leader name the same one, and the terms that a process reports never fall;
- a leader that others have replaced soon stops saying that it leads;
- no two entries have the same fencing token. So a resource that refuses all tokens but the largest it has seen serves
  one process at a time, even where two believe that they have the lock;
- a process ends when it is told to, and not otherwise, unless its disk or its directory fails. Without its memory it
  takes no part. It never prints a traceback, nor too many lines. It does not grow;
- after each calm all agree on a leader, and everybody gets the lock; as long as the calm lasts the leader stays.

Promised while processes and messages are punctual, which crashes and failing disks do not change: tokens rise from one
entry to the next, and no two processes are inside at the same time. A process that was stopped cannot know that its
lease has ended, and a message that was held up may let in somebody too late; there, only the token protects.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from .history import Answer, Calm, Claim, Entry, Exit, History, Life, Size, Upset

TOGETHER = 5.0  # seconds for which a replaced leader may go on: twice the shortest time-out of 1 s, and delays
AFTERMATH = 8.0  # seconds after an upset in which messages that it held up may still arrive
SETTLING = 5.0  # seconds after an upset in which connections may still break
LINES, LINES_A_SECOND = 200, 2.0  # of a log
GROWTH = 20_000_000  # bytes
MORE_DESCRIPTORS = 20
STATUSES = {"kill": "-9", "leave": "0", "end": "0"}  # all other causes: a positive one
FORGETFUL = ("wipe", "damage", "old")


def judge(history: History) -> list[str]:
    """A sentence for each broken promise."""
    promises = (
        one_leader_a_term,
        terms_never_fall,
        replaced_leaders_stop,
        tokens_differ,
        tokens_rise,
        one_inside,
        ends_as_told,
        forgetful_take_no_part,
        no_traceback,
        logs_are_short,
        sizes_are_steady,
        calm_brings_agreement,
        calm_keeps_the_leader,
    )
    return [sentence for promise in promises for sentence in promise(history)]


# Leaders


def one_leader_a_term(history: History) -> Iterator[str]:
    first: dict[int, Claim] = {}
    accused: set[int] = set()
    for claim in history.all(Claim):
        if claim.leader is None or claim.term in accused:
            continue
        other = first.setdefault(claim.term, claim)
        if other.leader != claim.leader:
            accused.add(claim.term)
            yield f"two leaders in term {claim.term}: {describe(other)}; {describe(claim)}"


def describe(claim: Claim) -> str:
    return f"{claim.leader} says process {claim.process} at {clock(claim.time)} ({claim.source})"


def terms_never_fall(history: History) -> Iterator[str]:
    last: dict[tuple[int, str], Claim] = {}
    forgetful = lives_without_memory(history)
    for claim in history.all(Claim):
        if (claim.process, claim.life) in forgetful or claim.source == "history":  # which begins anew in each answer
            continue
        before = last.get((claim.process, claim.source))
        if before is not None and claim.term < before.term:
            yield (
                f"process {claim.process} went back from term {before.term} at {clock(before.time)} to term "
                f"{claim.term} at {clock(claim.time)} ({claim.source})"
            )
        last[(claim.process, claim.source)] = claim


def replaced_leaders_stop(history: History) -> Iterator[str]:
    spans = spans_of_leading(history)
    for index, one in enumerate(spans):
        for other in spans[index + 1 :]:
            together = min(one.end, other.end) - max(one.begin, other.begin)
            if one.process != other.process and together > TOGETHER:
                yield (
                    f"processes {one.process} and {other.process} both said that they lead, for {together:.1f} s from "
                    f"{clock(max(one.begin, other.begin))}"
                )


@dataclass(frozen=True)
class Span:
    process: int
    begin: float
    end: float
    token: int | None = None


def spans_of_leading(history: History) -> list[Span]:
    """When a process said that it leads, each time it was asked; at least so long it did."""
    spans = []
    by_process: dict[int, list[Answer]] = defaultdict(list)
    for answer in history.all(Answer):
        by_process[answer.process].append(answer)
    for process, answers in by_process.items():
        begin = end = None
        for answer in [*answers, Answer(0, 0, process, None)]:
            if answer.leads:
                begin, end = begin or answer.received, answer.sent
            elif begin is not None and end is not None:
                spans.append(Span(process, begin, end))
                begin = end = None
    return spans


# The lock


def tokens_differ(history: History) -> Iterator[str]:
    first: dict[int, Entry] = {}
    for entry in history.all(Entry):
        if entry.token is None:
            continue
        other = first.setdefault(entry.token, entry)
        if other is not entry:
            yield (
                f"token {entry.token} was given twice: to process {other.process} at {clock(other.time)}, "
                f"to process {entry.process} at {clock(entry.time)}"
            )


def tokens_rise(history: History) -> Iterator[str]:
    largest: Entry | None = None
    entries = [entry for entry in history.all(Entry) if entry.token is not None]
    for entry in sorted(entries, key=time_of):
        if largest is None or entry.token > largest.token:
            largest = entry
        elif entry.token < largest.token and not upset(history, entry.time, entry.time):
            yield (
                f"tokens fell: process {entry.process} entered with {entry.token} at {clock(entry.time)}, after "
                f"process {largest.process} with {largest.token} at {clock(largest.time)}"
            )


def one_inside(history: History) -> Iterator[str]:
    for source in sorted({entry.source for entry in history.all(Entry)}):
        spans = sorted(spans_inside(history, source), key=lambda span: span.begin)
        open_spans: list[Span] = []
        for span in spans:
            open_spans = [other for other in open_spans if other.end > span.begin]
            for other in open_spans:
                if other.process != span.process and not upset(history, other.begin, span.begin):
                    together = min(other.end, span.end) - span.begin
                    yield (
                        f"processes {other.process} and {span.process} were both inside, for {together * 1000:.0f} ms "
                        f"from {clock(span.begin)} (tokens {other.token}, {span.token}; {source})"
                    )
            open_spans.append(span)


def spans_inside(history: History, source: str) -> Iterator[Span]:
    """From each entry to the exit that follows, or to the end of that life."""
    steps: dict[tuple[int, int], list[Entry | Exit]] = defaultdict(list)
    for kind in (Entry, Exit):
        for step in history.all(kind):
            if step.source == source:
                steps[(step.process, step.life)].append(step)
    ends = {(life.process, life.number): life.end for life in history.all(Life)}
    for where, taken in steps.items():
        taken.sort(key=lambda step: (step.time, isinstance(step, Entry)))
        last = Exit(ends.get(where, float("inf")), *where, source)
        for step, following in pairwise([*taken, last]):
            if isinstance(step, Entry):
                yield Span(step.process, step.time, following.time, step.token)


def upset(history: History, begin: float, end: float) -> bool:
    """Whether something that happened in this time may be the work of an upset."""
    return any(each.begin <= end and begin <= each.end + AFTERMATH for each in history.all(Upset))


# Processes


def ends_as_told(history: History) -> Iterator[str]:
    for life in history.all(Life):
        if life.cause == "":
            yield f"{name(life)} ended by itself at {clock(life.end)} with status {life.status}"
        elif life.late:
            yield f"{name(life)} did not end in time after {life.cause}, at {clock(life.end)}"
        elif str(life.status) != STATUSES.get(life.cause, str(max(1, life.status))):
            yield f"{name(life)} ended with status {life.status} after {life.cause}, at {clock(life.end)}"
        elif life.status > 0 and not life.last_line.startswith("habemus: "):
            yield f"{name(life)} ended after {life.cause} and did not say why, at {clock(life.end)}: {life.last_line}"


def forgetful_take_no_part(history: History) -> Iterator[str]:
    forgetful = lives_without_memory(history)
    for claim in history.all(Claim):
        if claim.leader is not None and (claim.process, claim.life) in forgetful:
            yield f"process {claim.process} lost its memory, and still follows {claim.leader} at {clock(claim.time)}"


def lives_without_memory(history: History) -> set[tuple[int, int]]:
    return {(life.process, life.number) for life in history.all(Life) if life.cause in FORGETFUL}


def no_traceback(history: History) -> Iterator[str]:
    for life in history.all(Life):
        if life.traceback:
            yield f"{name(life)} printed a traceback: {life.traceback}"


def logs_are_short(history: History) -> Iterator[str]:
    for life in history.all(Life):
        seconds = life.end - life.begin
        if life.lines > LINES + LINES_A_SECOND * seconds:
            yield f"{name(life)} logged {life.lines} lines in {seconds:.0f} s"


def sizes_are_steady(history: History) -> Iterator[str]:
    first: dict[tuple[int, int], Size] = {}
    largest: dict[tuple[int, int], tuple[int, int]] = {}
    for size in history.all(Size):
        where = (size.process, size.life)
        first.setdefault(where, size)
        memory, descriptors = largest.get(where, (0, 0))
        largest[where] = (max(memory, size.memory), max(descriptors, size.descriptors))
    for where, (memory, descriptors) in largest.items():
        process, life = where
        if memory > first[where].memory + GROWTH:
            yield f"life {life} of process {process} grew from {first[where].memory >> 20} to {memory >> 20} MB"
        if descriptors > first[where].descriptors + MORE_DESCRIPTORS:
            yield (
                f"life {life} of process {process} had {first[where].descriptors} descriptors open, and later "
                f"{descriptors}"
            )


# Calm


def calm_brings_agreement(history: History) -> Iterator[str]:
    uses = any(True for _ in history.all(Entry))
    for calm in history.all(Calm):
        if calm.agreed is None:
            yield f"no agreement {calm.end - calm.begin:.0f} s after the calm that began at {clock(calm.begin)}"
        elif uses and calm.used is None:
            yield f"not everybody got the lock {calm.end - calm.agreed:.0f} s after {clock(calm.agreed)}"


def calm_keeps_the_leader(history: History) -> Iterator[str]:
    claims = sorted((claim for claim in history.all(Claim) if claim.source == "answer"), key=time_of)
    for calm in history.all(Calm):
        upsets = [each.end for each in history.all(Upset) if each.begin < calm.end]
        begin = max([calm.agreed or calm.end, *(end + SETTLING for end in upsets)])
        said = claims[bisect_right(claims, begin, key=time_of) : bisect_left(claims, calm.end, key=time_of)]
        terms = list(dict.fromkeys((claim.leader, claim.term) for claim in said))
        if len(terms) > 1:
            yield f"the leader changed in the calm that began at {clock(calm.begin)}: leader, term were {terms}"


def time_of(record: Claim | Entry) -> float:
    return record.time


def name(life: Life) -> str:
    return f"process {life.process} (life {life.number})"


def clock(time: float) -> str:
    return f"{time:.3f}"
