"""The guards without a database: in memory, by file, in front of a web application."""

import asyncio
import json
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.fencing import FencingMiddleware, FileFence, Marks, MemoryFence, StaleToken
from habemus.service.errors import GroupError


def test_the_rule_by_mode():
    marks = Marks().claim("a", 5)
    assert marks == Marks(5, 0)
    with pytest.raises(StaleToken):
        marks.claim("a", 4, shared=True)
    marks = marks.claim("a", 8, shared=True)
    assert marks.claim("a", 6, shared=True) == marks, "readers do not fence each other off"
    with pytest.raises(StaleToken):
        marks.claim("a", 7)
    assert marks.claim("a", 8) == Marks(8, 8)


@given(st.lists(st.tuples(st.integers(1, 9), st.booleans())))
def test_no_exclusive_claim_passes_below_any_that_passed_before(claims):
    marks, passed = Marks(), []
    for token, shared in claims:
        try:
            marks = marks.claim("a", token, shared)
        except StaleToken as stale:
            assert stale.highest == max(token for token, reader in passed if not (shared and reader)) > token
        else:
            assert all(token >= other for other, reader in passed if not (shared and reader))
            passed.append((token, shared))


def test_a_paused_holder_comes_back_to_a_memory_fence_and_is_refused():
    fence = MemoryFence()
    fence.claim("orders", 7)
    fence.claim("orders", 9)
    with pytest.raises(StaleToken, match='token 7 is stale: "orders" has seen 9'):
        fence.claim("orders", 7)
    fence.claim("orders", 7, slot=1)
    fence.claim("other", 1)


def test_a_paused_holder_comes_back_to_a_file_and_is_refused(tmp_path):
    path = tmp_path / "report.txt"
    first, second = FileFence(path), FileFence(path)
    first.claim(7)
    first.replace(b"first", 7)
    second.claim(9)  # before it reads: from here on the first one cannot change what it read
    with pytest.raises(StaleToken, match="token 7 is stale"):
        first.replace(b"stale", 7)
    assert path.read_bytes() == b"first"
    second.replace(b"second", 9)
    with pytest.raises(StaleToken):
        first.replace(b"stale", 7)
    with pytest.raises(StaleToken):
        first.claim(7, shared=True)
    assert path.read_bytes() == b"second" and not list(tmp_path.glob("*.new"))


def test_of_many_threads_the_file_keeps_the_newest(tmp_path):
    fence = FileFence(tmp_path / "value")
    tokens = list(range(1, 41))

    def write(token):
        try:
            fence.replace(str(token).encode(), token)
        except StaleToken as stale:
            assert stale.highest > token

    threads = [threading.Thread(target=write, args=[token]) for token in tokens[::2] + tokens[1::2]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "value").read_text() == "40"


def test_damaged_marks_are_an_error_and_let_nobody_write(tmp_path):
    (tmp_path / "value.fence").write_text("nonsense")
    with pytest.raises(GroupError, match="is damaged"):
        FileFence(tmp_path / "value").replace(b"x", 10**18)
    assert not (tmp_path / "value").exists()


def ask(middleware, method="POST", token=None, path="/"):
    """One request; its status and body."""
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    headers = [(b"Fencing-Token", value.encode()) for value in ([token] if isinstance(token, str) else token or [])]
    scope = {"type": "http", "method": method, "path": path, "headers": headers}
    asyncio.run(middleware(scope, receive, send))
    return sent[0]["status"], sent[-1]["body"]


async def application(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"done"})


def test_a_paused_holder_comes_back_to_a_web_application_and_is_refused():
    guarded = FencingMiddleware(application)
    assert ask(guarded, token="7") == (200, b"done")
    assert ask(guarded, "GET", token="9") == (200, b"done")  # claimed by the first read
    status, body = ask(guarded, token="7")
    assert status == 409
    expected = {"error": 'token 7 is stale: "application" has seen 9', "token": "7", "highest": "9"}
    assert json.loads(body) == expected
    assert ask(guarded, token="9") == (200, b"done") and ask(guarded) == (200, b"done")


def test_each_resource_has_tokens_of_its_own():
    guarded = FencingMiddleware(application, resource=lambda scope: scope["path"])
    assert ask(guarded, token="9", path="/a")[0] == 200
    assert ask(guarded, token="7", path="/b")[0] == 200
    assert ask(guarded, token="7", path="/a")[0] == 409


@pytest.mark.parametrize("token", ["", "-1", "x", "1.5", "9" * 20, "٣", ["1", "2"]])
def test_a_header_that_is_no_token_is_refused(token):
    assert ask(FencingMiddleware(application), token=token)[0] == 400


def test_a_missing_header_is_refused_if_it_is_required():
    assert ask(FencingMiddleware(application, required=True))[0] == 428


def test_tokens_may_be_kept_elsewhere_by_a_coroutine():
    fence = MemoryFence()

    async def claim(resource, token, *, shared=False):
        fence.claim(resource, token, shared=shared)

    one, other = FencingMiddleware(application, claim=claim), FencingMiddleware(application, claim=claim)
    assert ask(one, token="9")[0] == 200 and ask(other, token="7")[0] == 409


def test_what_is_no_request_passes():
    seen = []

    async def listen(scope, receive, send):
        seen.append(scope["type"])

    asyncio.run(FencingMiddleware(listen, required=True)({"type": "lifespan"}, None, None))
    assert seen == ["lifespan"]
