"""The lock table does what its essay says, in whatever order entries come."""

import json
from typing import get_args, get_origin

import msgspec
import pytest
from auditing import run_history

from habemus.process import Message, Process, dissect
from habemus.process.anatomy import Anatomy, field_types
from habemus.replication import entries
from habemus.replication.entries import (
    Acquire,
    Attach,
    Attached,
    Cancel,
    Ended,
    EndSession,
    Event,
    Granted,
    Lost,
    Opened,
    OpenSession,
    Pause,
    Queued,
    Refused,
    Release,
    Released,
    Reserved,
    RestorePause,
    SessionEntry,
    TableImage,
    Transfer,
    Wanted,
)
from habemus.replication.table import LockTable

FIRST = 2**40  # the first token of term 1


def table_of(*sessions: int) -> LockTable:
    """A table with sessions 1, 2, ...: in term 0, their numbers are as small as that."""
    table = LockTable()
    for session in sessions:
        assert table.apply(OpenSession(owner=session, opening=1, ttl=10), 0) == [Opened(session, session, 1)]
    return table


def grants(events: list[Event]) -> list[int]:
    return [event.session for event in events if isinstance(event, Granted)]


def test_a_free_lock_is_granted_and_a_taken_one_queued_until_its_release():
    table = table_of(1, 2)
    assert table.apply(Acquire(1, 1, "a"), 1) == [Granted(1, 1, "a", FIRST)]
    assert table.apply(Acquire(2, 1, "a"), 1) == [Queued(2, 1)]
    assert table.apply(Release(1, FIRST), 1) == [Released(1, FIRST), Granted(2, 1, "a", FIRST + 1)]
    assert table.apply(Release(1, FIRST), 1) == [Released(1, FIRST)]
    assert [holder.session for holder in table.holders("a")] == [2]


def test_who_does_not_want_to_wait_is_refused_at_once_and_leaves_nothing_behind():
    table = table_of(1, 2)
    table.apply(Acquire(1, 1, "a"), 1)
    assert table.apply(Acquire(2, 1, "a", wait=False), 1) == [Refused(2, 1, "taken")]
    assert not table.waiters("a")
    assert grants(table.apply(Acquire(2, 2, "b", wait=False), 1)) == [2]


def test_readers_share_and_a_waiting_writer_is_not_starved_by_later_readers():
    table = table_of(1, 2, 3, 4)
    tokens = [table.apply(Acquire(session, 1, "a", shared=True), 1)[0].token for session in (1, 2)]
    assert table.apply(Acquire(3, 1, "a"), 1) == [Queued(3, 1)]
    assert table.apply(Acquire(4, 1, "a", shared=True), 1) == [Queued(4, 1)]
    assert table.apply(Acquire(4, 2, "a", shared=True, wait=False), 1) == [Refused(4, 2, "taken")]
    assert grants(table.apply(Release(1, tokens[0]), 1)) == []
    assert grants(table.apply(Release(2, tokens[1]), 1)) == [3]


def test_readers_behind_a_writer_that_gives_up_go_in_at_once():
    table = table_of(1, 2, 3)
    table.apply(Acquire(1, 1, "a", shared=True), 1)
    table.apply(Acquire(2, 1, "a"), 1)
    table.apply(Acquire(3, 1, "a", shared=True), 1)
    assert grants(table.apply(Cancel(2, 1), 1)) == [3]


def test_a_semaphore_gives_each_holder_the_smallest_free_slot():
    table = table_of(1, 2, 3, 4)
    slots = [table.apply(Acquire(session, 1, "a", slots=3), 1)[0] for session in (1, 2, 3)]
    assert [granted.slot for granted in slots] == [0, 1, 2]
    assert table.apply(Acquire(4, 1, "a", slots=3), 1) == [Queued(4, 1)]
    assert table.apply(Release(2, slots[1].token), 1)[1].slot == 1


def test_all_who_use_a_name_agree_on_its_slots_until_nobody_does():
    table = table_of(1, 2)
    token = table.apply(Acquire(1, 1, "a", slots=3), 1)[0].token
    assert table.apply(Acquire(2, 1, "a", slots=2), 1) == [Refused(2, 1, "slots")]
    assert table.apply(Acquire(2, 2, "a"), 1) == [Refused(2, 2, "slots")]
    table.apply(Release(1, token), 1)
    assert grants(table.apply(Acquire(2, 3, "a", slots=2), 1)) == [2]


@pytest.mark.parametrize(
    "options",
    [
        {"name": ""},
        {"name": "x" * 1001},
        {"slots": 0},
        {"slots": 2, "shared": True},
        {"priority": 1001},
        {"priority": -1001},
        {"answered": 1},
        {"answered": -1},
    ],
)
def test_a_request_that_makes_no_sense_is_refused(options):
    table = table_of(1)
    assert table.apply(Acquire(**{"session": 1, "request": 1, "name": "a", **options}), 1) == [Refused(1, 1, "invalid")]
    assert not table.locks


def test_a_higher_priority_goes_first_but_priorities_age():
    table = table_of(1, 2, 3)
    token = table.apply(Acquire(1, 1, "a"), 1)[0].token
    table.apply(Acquire(2, 1, "a"), 1)
    table.apply(Acquire(3, 1, "a", priority=1), 1)
    assert [waiter.session for waiter in table.waiters("a")] == [3, 2]
    for request in range(2, 40):
        table.apply(Acquire(3, request, "a", priority=1), 1)
    order = [(waiter.session, waiter.request) for waiter in table.waiters("a")]
    assert order.index((2, 1)) == 15  # one step of priority is worth 16 places: requests 1 to 15 of session 3
    overtaking = 0
    while table.holders("a")[0].session != 2:
        token = table.holders("a")[0].token
        table.apply(Release(table.holders("a")[0].session, token), 1)
        table.apply(Acquire(3, 100 + overtaking, "a", priority=1), 1)
        overtaking += 1
    assert overtaking == 16


def test_a_repeated_request_gets_its_first_answer_until_the_mark_has_passed_it():
    table = table_of(1, 2)
    granted = table.apply(Acquire(1, 1, "a"), 1)
    refused = table.apply(Acquire(2, 1, "a", wait=False), 1)
    assert table.apply(Acquire(1, 1, "a"), 2) == granted
    table.apply(Release(1, granted[0].token), 1)
    assert table.apply(Acquire(1, 1, "a"), 1) == granted and not table.holders("a")
    assert table.apply(Acquire(2, 1, "a", wait=False), 1) == refused
    table.apply(Acquire(1, 2, "b", answered=1), 1)
    assert table.apply(Acquire(1, 1, "a"), 1) == [Refused(1, 1, "forgotten")]
    assert not table.holders("a") and not table.sessions[1].answers


def test_a_request_that_waits_or_holds_is_known_below_the_mark():
    table = table_of(1, 2)
    granted = table.apply(Acquire(1, 1, "a"), 1)
    table.apply(Acquire(2, 1, "a"), 1)
    table.apply(Acquire(1, 2, "b", answered=1), 1)
    table.apply(Acquire(2, 2, "b", answered=1), 1)
    assert table.apply(Acquire(1, 1, "a"), 1) == granted
    assert table.apply(Acquire(2, 1, "a"), 1) == [Queued(2, 1)]


def test_a_cancel_undoes_a_request_whichever_comes_first():
    table = table_of(1, 2)
    assert table.apply(Cancel(1, 1), 1) == [Refused(1, 1, "cancelled")]
    assert table.apply(Acquire(1, 1, "a"), 1) == [Refused(1, 1, "cancelled")] and not table.locks
    table.apply(Acquire(1, 2, "a"), 1)
    table.apply(Acquire(2, 1, "a"), 1)
    assert table.apply(Cancel(1, 2), 1) == [Refused(1, 2, "cancelled"), Granted(2, 1, "a", FIRST + 1)]
    assert table.apply(Acquire(1, 2, "a"), 1) == [Refused(1, 2, "cancelled")]
    assert table.apply(Cancel(1, 2), 1) == [Refused(1, 2, "cancelled")]


def test_with_a_session_end_its_requests_and_all_that_it_holds():
    table = table_of(1, 2, 3)
    table.apply(Acquire(1, 1, "a"), 1)
    table.apply(Acquire(1, 2, "b"), 1)
    table.apply(Acquire(2, 1, "a"), 1)
    table.apply(Acquire(1, 3, "c", shared=True), 1)
    table.apply(Acquire(2, 2, "c"), 1)
    table.apply(Acquire(3, 1, "b"), 1)
    events = table.apply(EndSession(1, "expired"), 1)
    assert events[0] == Ended(1, "expired") and grants(events) == [2, 3, 2]
    assert table.apply(Acquire(1, 4, "d"), 1) == [Ended(1, "unknown")] and "d" not in table.locks


def test_nobody_expires_during_a_pause_but_who_closes_or_dies_ends():
    table = table_of(1, 2, 3)
    table.apply(Pause(0), 1)
    assert table.apply(EndSession(1, "expired"), 1) == [] and 1 in table.sessions
    assert table.apply(EndSession(2, "closed"), 1) == [Ended(2, "closed")]
    assert table.apply(EndSession(3, "dead"), 1) == [Ended(3, "dead")]
    table.apply(Pause(0, paused=False), 1)
    assert table.apply(EndSession(1, "expired"), 1) == [Ended(1, "expired")]


def test_a_pause_that_comes_late_changes_nothing():
    table = table_of(1)
    (first,) = table.apply(Pause(1, True, after=0), 1)
    number = table.pause
    assert first.paused and number > 0
    table.apply(Pause(1, False, after=number), 1)
    assert table.apply(Pause(1, True, after=0), 1) == [] and not table.paused
    assert table.apply(RestorePause(number, True), 1) == [] and table.apply(RestorePause(table.pause + 1, True), 1)
    assert table.paused and LockTable.thaw(table.freeze()) == table


def test_a_transfer_reserves_and_only_a_release_grants():
    table = table_of(1, 2, 3)
    token = table.apply(Acquire(1, 1, "role"), 1)[0].token
    table.apply(Acquire(2, 1, "role", priority=1000), 1)
    table.apply(Acquire(3, 1, "role"), 1)
    assert table.apply(Transfer(1, 2, "role", to=3), 1) == [Reserved(1, 2), Wanted(1, "role", token, 3)]
    assert table.apply(Transfer(1, 2, "role", to=3), 1) == [Reserved(1, 2)]
    table.apply(Acquire(2, 2, "role", priority=1000), 1)
    assert [holder.session for holder in table.holders("role")] == [1]
    assert grants(table.apply(Release(1, token), 1)) == [3]


def test_the_last_transfer_counts_and_a_cancelled_one_is_gone():
    table = table_of(1, 2, 3)
    token = table.apply(Acquire(1, 1, "role"), 1)[0].token
    table.apply(Acquire(2, 1, "role"), 1)
    table.apply(Acquire(3, 1, "role"), 1)
    table.apply(Transfer(1, 2, "role", to=2), 1)
    table.apply(Transfer(1, 3, "role", to=3), 1)
    assert [waiter.session for waiter in table.waiters("role")] == [3, 2]
    table.apply(Cancel(3, 1), 1)
    assert grants(table.apply(Release(1, token), 1)) == [2]
    assert table.apply(Transfer(1, 4, "role", to=3), 1) == [Refused(1, 4, "not waiting")]


def test_tokens_grow_over_terms_and_over_names_that_nobody_uses():
    table = table_of(1)
    seen = []
    for request, (name, term) in enumerate([("a", 1), ("b", 1), ("a", 1), ("a", 3), ("b", 3), ("a", 3)], start=1):
        seen.append(table.apply(Acquire(1, request, name), term)[0].token)
        table.apply(Release(1, seen[-1]), term)
    assert not table.locks
    assert seen == [FIRST, FIRST + 1, FIRST + 2, 3 * FIRST, 3 * FIRST + 1, 3 * FIRST + 2]
    assert table.numbers_left(3) == FIRST - 3 and table.numbers_left(4) == FIRST


def test_a_session_has_a_number_of_its_own_for_ever():
    table = table_of(1)
    assert table.apply(OpenSession(1, 1, 10), 1) == [Opened(1, 1, 1)]
    table.apply(EndSession(1), 1)
    assert table.apply(OpenSession(1, 1, 10), 1) == [Opened(FIRST, 1, 1)]
    assert table.apply(Acquire(1, 1, "a"), 1) == [Ended(1, "unknown")]


def test_attach_releases_what_is_not_listed_and_tells_what_is_not_known():
    table = table_of(1, 2)
    tokens = [table.apply(Acquire(1, request, name), 1)[0].token for request, name in ((1, "a"), (2, "b"), (3, "c"))]
    table.apply(Acquire(2, 1, "a"), 1)
    table.apply(Acquire(2, 2, "b"), 1)
    events = table.apply(Attach(1, latest=3, held=(tokens[1], 77), open=(3,)), 2)
    assert events == [Attached(1), Lost(1, 77), Granted(1, 3, "c", tokens[2]), Granted(2, 1, "a", 2 * FIRST)]
    assert table.apply(Acquire(1, 1, "a"), 2) == [Refused(1, 1, "cancelled")]
    assert table.apply(Attach(9, latest=3, held=(1,), open=()), 2) == [Ended(9, "unknown")]


def test_an_attach_that_comes_late_takes_away_nothing_that_was_asked_for_after_it():
    table = table_of(1)
    early = Attach(1, latest=0, held=(), open=())
    token = table.apply(Acquire(1, 1, "a"), 1)[0].token
    for term in (1, 2):
        assert table.apply(early, term) == [Attached(1)]
    assert [holder.token for holder in table.holders("a")] == [token]


def test_a_queued_request_that_went_with_the_end_of_the_log_is_refused_and_can_be_asked_anew():
    table = table_of(1, 2)
    held = table.apply(Acquire(1, 1, "a"), 1)
    before = table.freeze()
    table.apply(Acquire(2, 1, "a"), 1)
    table = LockTable.thaw(before)
    attach = Attach(2, latest=1, held=(), open=(1,), answered=1)  # it was told that it is queued
    assert table.apply(attach, 2) == [Attached(2), Refused(2, 1, "forgotten")]
    table.apply(Acquire(2, 2, "a", answered=1), 2)
    assert grants(table.apply(Release(1, held[0].token), 2)) == [2]


# As a value of a field, and on the wire


class Keeper(Process):
    table: LockTable = LockTable()


def test_a_table_is_a_field_like_any_other():
    anatomy: Anatomy = dissect(Keeper)
    assert "table" in anatomy.fields and [name for name, _ in anatomy.fresh] == ["table"]
    _, table, _ = run_history(5, 60, LockTable())
    text = json.dumps(table.to_plain())
    assert json.loads(text) == table.to_plain() and table.locks
    assert all(
        isinstance(holder["token"], str) for lock in table.to_plain()["locks"].values() for holder in lock["holders"]
    )


def test_a_snapshot_can_be_built_anew_from_plain_data_and_its_declared_types():
    for seed in range(50):
        _, table, _ = run_history(seed, 60, LockTable())
        image = table.freeze()
        assert rebuild(msgspec.msgpack.decode(msgspec.msgpack.encode(image)), TableImage) == image


def rebuild(value, hint):
    if isinstance(hint, type) and issubclass(hint, Message):
        return hint(*[rebuild(value[name], part) for name, part in field_types(hint)])
    if get_origin(hint) is tuple:
        return tuple([rebuild(item, get_args(hint)[0]) for item in value])
    assert type(value) is hint
    return value


@pytest.mark.parametrize("kind", [OpenSession, *SessionEntry.__subclasses__(), *Event.__subclasses__()])
def test_entries_and_events_are_of_types_that_the_wire_can_check(kind):
    hints = [hint for _, hint in field_types(kind)]
    assert hints and kind.__name__ in vars(entries)
    assert "CustomType" not in repr(msgspec.inspect.type_info(tuple[tuple(hints)]))
