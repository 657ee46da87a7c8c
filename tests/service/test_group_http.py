"""A joined process over HTTP: /leader and /lock/NAME from live leases, metrics, and spans of its leases."""

import asyncio
import http.client
import json
import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import habemus
import habemus.sync
from habemus.service.errors import EXPIRED

PATIENCE = 60


def get(group, path, method="GET", **headers):
    """Status, headers and content of an answer."""
    connection = http.client.HTTPConnection(*group.server.address, timeout=PATIENCE)
    try:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        content = answer.read().decode()
        is_json = answer.headers["content-type"] == "application/json"
        return answer.status, answer.headers, json.loads(content) if is_json else content
    finally:
        connection.close()


@pytest.fixture
def group(where):
    with habemus.sync.join("orders", where, id="a", http="127.0.0.1:0") as group:
        yield group


def test_a_load_balancer_learns_who_leads_from_a_live_lease(group):
    assert get(group, "/leader")[0] == 503
    with group.lead("scheduler") as lease:
        status, headers, told = get(group, "/leader")
        assert (status, headers["Fencing-Token"], told[0]["name"]) == (200, str(lease.token), "scheduler")
        assert get(group, "/leader?role=scheduler")[0] == 200 and get(group, "/leader?role=other")[0] == 503
        assert get(group, "/lock/scheduler")[0] == 503  # a role is no lock
    assert get(group, "/leader")[0] == 503


def test_a_lock_is_told_with_its_token_and_a_lost_one_is_not_held(group):
    with pytest.raises(habemus.LeaseLost), group.lock("sku/42 é") as lease:
        status, headers, told = get(group, "/lock/sku/42%20%C3%A9")
        assert (status, headers["Fencing-Token"], told[0]["remaining"]) == (200, str(lease.token), None)
        assert headers["Lease-Remaining"] is None  # on one host leases do not end
        lease.grant.deadline = time.clock_gettime(time.CLOCK_BOOTTIME) + 1000
        assert 990 < float(get(group, "/lock/sku/42%20%C3%A9")[1]["Lease-Remaining"]) <= 1000
        lease.grant.deadline = 0.0  # a process that stood still: nobody has told it yet
        assert get(group, "/lock/sku/42%20%C3%A9")[0] == 503 and not lease.lost
        lease.grant.lose(EXPIRED)
        assert get(group, "/lock/sku/42%20%C3%A9")[0] == 503
    assert get(group, "/lock/")[0] == 404 and get(group, "/lock")[0] == 404


def test_the_group_is_told_and_nothing_can_be_changed_without_a_token(group):
    with group.lead("scheduler"):
        assert get(group, "/status")[2]["leaders"] == {"scheduler": "a"}
    assert get(group, "/members")[2][0]["id"] == "a"
    assert [event["kind"] for event in get(group, "/history")[2]] == ["joined", "elected", "lost"]
    assert get(group, "/healthz")[0] == 200 and get(group, "/nothing")[0] == 404
    assert get(group, "/status", "POST")[0] == 405 and get(group, "/pause")[0] == 405
    status, _, told = get(group, "/pause", "POST", Authorization="Bearer guess")
    assert status == 403 and "http-token-file" in told["error"] and not group.view.paused


TOKEN = "0123456789abcdef"


@pytest.fixture
def http_token_file(tmp_path):
    file = tmp_path / "token"
    file.touch(mode=0o600)
    file.write_text(TOKEN)
    return file


def test_operators_act_with_the_token(where, http_token_file):
    options = {"http": "127.0.0.1:0", "http_token_file": http_token_file, "http_host": "web.example,other.example"}
    with habemus.sync.join("orders", where, id="a", **options) as a, habemus.sync.join("orders", where, id="b") as b:

        def post(path, token=TOKEN):
            return get(a, path, "POST", Authorization=f"Bearer {token}", Host="web.example:80")

        for token in ("", "guess", TOKEN[:-1], TOKEN + "0", "\xe9" * 16):
            assert post("/pause", token)[0] == 401
        assert post("/pause")[::2] == (200, {"paused": True}) and b.view.paused
        assert post("/resume")[::2] == (200, {"paused": False}) and not b.view.paused
        for query in ("", "?role=scheduler", "?to=b", "?role=&to=b"):
            assert post(f"/transfer{query}")[0] == 400
        status, _, told = post("/transfer?role=scheduler&to=b")
        assert status == 409 and "does not wait" in told["error"]
        next_one = ThreadPoolExecutor(1)
        with a.lead("scheduler") as lease:
            led = next_one.submit(b.lead("scheduler").__enter__)
            until(lambda: a.view.find("role", "scheduler").waiters)
            assert post("/transfer?role=scheduler&to=b")[::2] == (202, {"role": "scheduler", "next": "b"})
            until(lambda: lease.wanted)
        assert led.result(PATIENCE).token > lease.token
        assert get(a, "/status", Host="evil.example")[0] == 403


def test_a_token_that_cannot_be_used_is_refused(where, tmp_path, http_token_file):
    http_token_file.chmod(0o644)
    for file, sentence in ((http_token_file, "can be read by others"), (tmp_path / "none", "cannot be read")):
        with pytest.raises(habemus.GroupError, match=sentence):
            habemus.sync.join("orders", where, http="127.0.0.1:0", http_token_file=file).__enter__()
    with pytest.raises(ValueError, match="are for http"):
        habemus.sync.join("orders", where, http_token_file=http_token_file)


def test_a_process_whose_group_has_failed_says_so(group):
    group.membership.engine.closed = True
    for path in ("/healthz", "/status"):
        status, _, told = get(group, path)
        assert status == 503 and "join it again" in told["error"]
    assert get(group, "/metrics")[0] == 200
    group.membership.engine.closed = False


def test_metrics_tell_of_leases_and_of_the_group(group):
    with group.lock("b", slots=2), group.lead("scheduler"):
        until(lambda: 'habemus_group_holders{group="orders",kind="lock",name="b"} 1.0' in get(group, "/metrics")[2])
        text = get(group, "/metrics")[2]
    with pytest.raises(habemus.LeaseLost), group.lock("c") as lost:
        lost.grant.lose(EXPIRED)
    with group.lock("d"), pytest.raises(habemus.LockTaken), group.lock("d", wait=0):
        pass
    assert 'habemus_lease_held{group="orders",kind="role",name="scheduler"} 1.0' in text
    for name in ("members", "has_quorum"):
        assert f'habemus_group_{name}{{group="orders"}} 1.0' in text
    text = get(group, "/metrics")[2]
    assert 'habemus_leases_lost_total{group="orders",kind="lock",reason="expired"} 1.0' in text
    assert 'habemus_lease_wait_seconds_count{group="orders",kind="lock",result="not granted"} 1.0' in text
    assert 'habemus_lease_wait_seconds_count{group="orders",kind="lock",result="granted"} 3.0' in text
    assert 'habemus_lease_hold_seconds_bucket{group="orders",kind="role",le="+Inf"} 1.0' in text
    assert 'habemus_leases_waiting{group="orders"} 0.0' in text and "habemus_lease_held{" not in text


def until(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_an_application_that_blocks_its_loop_still_answers(where):
    async def main():
        async with habemus.join("orders", where, http="127.0.0.1:0") as group, group.lead("scheduler"):
            return get(group, "/leader")[0]  # it blocks the loop of the application

    assert asyncio.run(main()) == 200


def test_an_address_that_cannot_be_used_is_refused_and_nothing_stays_behind(where, group):
    taken = f"127.0.0.1:{group.server.address[1]}"
    for address, sentence in (("8080", "expected HOST:PORT"), (taken, "cannot listen there")):
        with pytest.raises(habemus.GroupError, match=sentence):
            habemus.sync.join("orders", where, id="b", http=address).__enter__()
        assert [member.id for member in group.view.members] == ["a"]


def test_a_child_after_fork_does_not_answer_for_its_parent(group):
    with group.lead("scheduler"):
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.write(writing, b"%d" % len(group.membership.telemetry.leases("role")))
            os._exit(0)
        assert os.read(reading, 10) == b"0"
        os.waitpid(child, 0)
        os.close(reading)
        os.close(writing)
        assert get(group, "/leader")[0] == 200


def test_waiting_holding_and_losing_are_spans(where):
    trace = pytest.importorskip("opentelemetry.trace")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    with habemus.sync.join("orders", where) as group:
        with pytest.raises(habemus.LeaseLost), group.lock("a") as lease:
            lease.grant.lose(EXPIRED)
        with group.lock("b"), pytest.raises(habemus.LockTaken), group.lock("b", wait=0):
            pass
    told = [(span.name, span.attributes["habemus.name"]) for span in exporter.get_finished_spans()]
    wait, hold = ("habemus.wait", "habemus.hold")
    assert told == [(wait, "a"), (hold, "a"), (wait, "b"), (wait, "b"), (hold, "b")]
    waited, held = exporter.get_finished_spans()[:2]
    assert waited.attributes["habemus.token"] == held.attributes["habemus.token"] == str(lease.token)
    assert [(event.name, event.attributes["habemus.reason"]) for event in held.events] == [("lost", "expired")]
    assert exporter.get_finished_spans()[3].attributes["habemus.token"] == "0"
