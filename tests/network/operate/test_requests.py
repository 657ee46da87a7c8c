"""What a request to a node's HTTP port may be, and who may give it orders."""

import asyncio
import os

import pytest
from groups import until
from webs import body_of, get, played, say, status_of, web


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (get("/status", headers="X: " + "x" * 20_000 + "\r\n"), 431),
        (get("/status", headers="X: y\r\n" * 5_000), 431),
        (b"GET /status HTTP/1.1\r\nHost : 127.0.0.1\r\n\r\n", 400),
        (b"GET /status HTTP/1.1\r\nHost: 127.0.0.1\r\n folded: yes\r\n\r\n", 400),
        (b"GET /status HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (b"GET /status\r\n\r\n", 400),
        (b"GET  /status HTTP/1.1\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\r\n\r\n", 400),
        (b"GET /status HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n", 400),
        (b"GET \xff\xfe HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 400),
        (get("/status?" + "&".join(f"a{i}=1" for i in range(100))), 400),
        (get("/\xff\xfe"), 404),
        (get("/status/../leader"), 404),
        (get("/%73tatus"), 404),
        (get("/../../etc/passwd"), 404),
        (get("//127.0.0.1/status"), 404),
        (get("http://127.0.0.1/status"), 400),
        (get("/status", method="OPTIONS"), 405),
        (get("/status", method="DELETE"), 405),
        (get("/status", method="POST"), 405),
        (get("/election"), 405),
        (get("/election", method="POST", headers="Content-Length: 99999999999999999999\r\n"), 400),
        (get("/election", method="POST", headers="Content-Length: -1\r\n"), 400),
        (get("/election", method="POST", headers="Content-Length: 0000000000099999999\r\n"), 400),
        (get("/election", method="POST", headers="Content-Length: " + "9" * 5000 + "\r\n"), 400),
        (get("/events", method="HEAD"), 200),
        (get("/election", method="POST", headers="Content-Length: \xb2\r\n"), 400),
        (get("/election", method="POST", headers="Transfer-Encoding: chunked\r\n") + b"0\r\n\r\n", 400),
        (get("/status") + get("/leader") * 100, 200),
    ],
)
def test_a_strange_request_gets_its_status_and_one_answer(one_web, request_, status):
    heard = one_web(lambda server: say(server.address, request_))
    assert status_of(heard) == status
    assert heard.count(b"\r\ncache-control: ") == 1
    if status >= 400:
        assert body_of(heard).keys() == {"error"}


# Who asks, and who acts


@pytest.fixture(scope="module")
def one_web(tmp_path_factory):
    """Plays stories with one and the same node."""
    with asyncio.Runner() as runner:
        serving = web(tmp_path_factory.mktemp("web"), token=b"open sesame", names=["node.example"])
        server = runner.run(serving.__aenter__())
        yield lambda story: runner.run(asyncio.wait_for(story(server), 60))
        runner.run(serving.__aexit__(None, None, None))


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "127.0.0.1@evil.example", "localhost.evil.example",
     "", ":80", "[::1", "[evil.example]", "0x7f000001", "node.example.evil.example", "127.0.0.1:80:evil.example"],
)  # fmt: skip
def test_a_name_of_another_server_is_refused(one_web, host):
    for path in ("/status", "/metrics", "/events", "/nowhere"):
        heard = one_web(lambda server, path=path: say(server.address, get(path, host)))
        assert status_of(heard) == 403 and "names another server" in body_of(heard)["error"]


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.0.0.1:8001", "192.0.2.7:80", "[::1]:8001", "[2001:db8::1]", "localhost", "LOCALHOST:1",
     "node.example:8001", "Node.Example.", os.uname().nodename],
)  # fmt: skip
def test_its_own_names_and_addresses_are_answered(one_web, host):
    assert status_of(one_web(lambda server: say(server.address, get("/status", host)))) == 200


def test_a_host_is_named_once_unless_the_client_is_too_old_to_know(one_web):
    assert status_of(one_web(lambda server: say(server.address, b"GET /status HTTP/1.1\r\n\r\n"))) == 400
    assert status_of(one_web(lambda server: say(server.address, b"GET /status HTTP/1.0\r\n\r\n"))) == 200
    twice = get("/status", headers="Host: evil.example\r\n")
    assert status_of(one_web(lambda server: say(server.address, twice))) == 400


@pytest.mark.parametrize(
    "given",
    ["", "Bearer", "Bearer ", "Bearer open", "Bearer open sesame!", "Basic open sesame", "open sesame", "Bearer \xff"],
)
def test_without_the_token_nobody_acts(one_web, given):
    async def story(server):
        term = server.node.term
        header = f"Authorization: {given}\r\n" if given else ""
        heard = await say(server.address, get("/election", method="POST", headers=header))
        assert server.node.term == term
        return heard

    heard = one_web(story)
    assert status_of(heard) == 401 and b"www-authenticate: Bearer\r\n" in heard
    assert "Authorization: Bearer TOKEN" in body_of(heard)["error"]


@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
def test_with_the_token_an_election_is_called(tmp_path, scheme):
    async def story(server):
        sent = server.node.peers.messages_sent.copy()
        header = f"Authorization: {scheme} open sesame\r\n"
        heard = await say(server.address, get("/election", method="POST", headers=header))
        await until(lambda: (server.node.peers.messages_sent - sent)["ElectionCall"])
        return heard

    assert status_of(played(tmp_path, story, algorithm="bully", n=2, token=b"open sesame")) == 202


def test_an_election_that_was_not_called_is_not_claimed(one_web):
    header = "Authorization: Bearer open sesame\r\n"
    heard = one_web(lambda server: say(server.address, get("/election", method="POST", headers=header)))
    assert status_of(heard) == 409 and "does not call an election now" in body_of(heard)["error"]


def test_a_lock_has_no_elections_to_call(tmp_path):
    async def story(server):
        header = "Authorization: Bearer open sesame\r\n"
        return await say(server.address, get("/election", method="POST", headers=header))

    heard = played(tmp_path, story, algorithm="ricart-agrawala", token=b"open sesame")
    assert status_of(heard) == 409 and body_of(heard) == {"error": "ricart-agrawala has no elections"}


def test_a_node_without_a_token_takes_no_commands(tmp_path):
    async def story(server):
        header = "Authorization: Bearer None\r\n"
        return await say(server.address, get("/election", method="POST", headers=header))

    heard = played(tmp_path, story)
    assert status_of(heard) == 403 and "--http-token-file FILE" in body_of(heard)["error"]
