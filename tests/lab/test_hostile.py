"""Whatever comes, the lab refuses it or stops it with a sentence, stays up, and leaves no process behind."""

import json
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPConnection, HTTPException

import pytest
from busy import slowdown
from hypothesis import given
from hypothesis import strategies as st
from labs import descendants, eventually, is_alive, running_lab

RUN = {"scenario": {"algorithm": "chang-roberts"}}
HIDDEN_IMPORT = "getattr(print.__self__, '__imp' + 'ort__')"  # from who reads the source
OWN = """
from dataclasses import dataclass
from habemus.process import Election, Message, Pid, upon, upon_start

@dataclass(frozen=True)
class Hello(Message):
    pass

class Mine(Election):
    name = "mine"
    topology = "ring"

    @upon_start
    def begin(self) -> None:
        {begin}
        self.send(self.successor, Hello())

    @upon(Hello)
    def hear(self, sender: Pid, message: Hello) -> None:
        {hear}
"""
SEARCH = {"scenario": {"algorithm": "ricart-agrawala", "topology": {"n": 5}}, "limits": {"entries": 3}}


def own(begin="pass", hear="pass"):
    return {"scenario": {"algorithm": "own.py:Mine"}, "code": OWN.format(begin=begin, hear=hear)}


@pytest.fixture(scope="module")
def lab():
    with running_lab() as lab:
        yield lab


@pytest.fixture(autouse=True)
def the_lab_is_as_before(lab):
    """After whatever it was, the next page gets its run."""
    yield
    assert lab.process.poll() is None
    assert lab.post("/api/run", RUN).json["leader"] == 8


# Who asks


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "0.0.0.0", "", "[::2]:80"]
)
def test_a_name_that_is_not_of_this_machine_is_refused(lab, host):
    for path in ("/", "/static/app.js", "/api/catalogue"):
        answer = lab.get(path, headers={"Host": host})
        assert answer.status == 403 and "the lab answers at 127.0.0.1" in answer.error


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "https://127.0.0.1:{port}", "http://127.0.0.1:1", "null", ""]
)
def test_a_page_from_elsewhere_is_refused(lab, origin):
    answer = lab.post("/api/run", RUN, headers={"Origin": origin.format(port=lab.port)})
    assert answer.status == 403 and "the lab answers its own page only" in answer.error


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_its_own_page_is_let_in(lab, name):
    headers = {"Host": f"{name}:{lab.port}", "Origin": f"http://{name}:{lab.port}"}
    assert lab.post("/api/run", RUN, headers=headers).status == 200


def test_the_lab_listens_on_loopback_alone(lab):
    with open("/proc/net/tcp") as table:
        local = [line.split()[1] for line in table if line.split()[3] == "0A"]
    assert [address for address in local if address.endswith(f":{lab.port:04X}")] == [f"0100007F:{lab.port:04X}"]


TOKENS = [{}, {"X-Habemus-Token": ""}, {"X-Habemus-Token": "wrong"}, {"X-Habemus-Token": "\xe9"}]


@pytest.mark.parametrize("headers", TOKENS)
def test_who_does_not_know_the_token_runs_no_code_and_touches_no_process(lab, headers):
    for path in ("/api/run", "/api/step", "/api/check", "/api/export/pytest"):
        answer = lab.post(path, own(), headers=headers)
        assert answer.status == 403 and "token" in answer.error
    for path in ("start", "stop", "cut", "heal", "kill/1", "pause/1", "resume/1", "restart/1", "election/1"):
        assert lab.post(f"/api/live/{path}", {}, headers=headers).status == 403
    for path in ("/api/live", "/api/live/events"):
        assert lab.get(path, headers=headers).status == 403


def test_a_lab_without_code_runs_none_whatever_the_token():
    with running_lab("--no-code") as classroom:
        catalogue = classroom.get("/api/catalogue").json
        assert not catalogue["code"] and not catalogue["live"]
        for path in ("/api/run", "/api/step", "/api/check", "/api/export/json"):
            answer = classroom.trusted(path, own())
            assert answer.status == 403 and "--no-code" in answer.error
        answer = classroom.trusted("/api/live/start", RUN)
        assert answer.status == 403 and "--no-code" in answer.error
        assert classroom.post("/api/run", RUN).status == 200


# What is asked


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        (b"", 400, "truncated"),
        (b"{", 400, "truncated"),
        (b"[]", 400, "object"),
        (b"\xff\xfe", 400, ""),
        (b'{"scenario":{"algorithm":"bully\xff"}}', 400, "not JSON"),
        (b'{"scenario":{"algorithm":"bully"},"code":"\xc3("}', 400, "not JSON"),
        (b'{"scenario":{"algorithm":"bully","title":"\xed\xa0\x80"}}', 400, "not JSON"),
        (b"[" * 200_000, 400, ""),
        (b'{"scenario":' * 80_000, 400, ""),
        (b"{}", 400, "scenario"),
        (b'{"scenario":{"algorithm":"bully"},"keep":-1}', 400, "keep"),
        (b'{"scenario":{"algorithm":"bully"},"keep":1e9}', 400, "keep"),
        (b'{"scenario":{"algorithm":"bully","colour":"red"}}', 400, "colour"),
        (b'{"scenario":{"algorithm":"bully","topology":{"n":100000000}}}', 422, "up to 1,000 processes"),
        (b'{"scenario":{"algorithm":"bully","topology":{"n":-5}}}', 422, "topology.n"),
        (b'{"scenario":{"algorithm":"bully","topology":{"file":"/etc/passwd"}}}', 422, "reads no files"),
        (b'{"scenario":{"algorithm":"os:path"}}', 422, "neither in the catalogue"),
        (b'{"scenario":{"algorithm":"own.py:Mine"}}', 422, "neither in the catalogue"),
        (b'{"scenario":{"algorithm":"x.py:Mine"}}', 422, "neither in the catalogue"),
        (b'{"scenario":{"algorithm":"bully","layers":[{"algorithm":"os:path"}]}}', 422, "neither in the catalogue"),
        (b'{"scenario":{"algorithm":"nonsense"}}', 422, "there is no algorithm"),
        (b'{"scenario":{"algorithm":"bully","network":{"delay":"often"}}}', 422, "network.delay"),
        (b'{"scenario":{"algorithm":"bully","faults":[{"do":"crash","at":1,"process":99}]}}', 422, "no process 99"),
        (b'{"scenario":{"algorithm":"bully","schedule":{"steps":["dance"]}}}', 422, "'dance' is not possible"),
        (b'{"scenario":{"algorithm":"bully"},"code":7}', 400, "code"),
    ],
    ids=lambda value: value[:40].decode(errors="replace") if isinstance(value, bytes) else "",
)
def test_a_malformed_question_is_refused_with_a_sentence(lab, body, status, sentence):
    answer = lab.post("/api/run", body)
    assert answer.status == status and sentence in answer.error and "Traceback" not in answer.error


@given(
    st.binary(max_size=200)
    | st.recursive(st.none() | st.integers() | st.text(), st.lists, max_leaves=9).map(
        lambda value: json.dumps({"scenario": {"algorithm": "bully", "faults": value, "topology": value}}).encode()
    )
)
def test_no_question_whatever_makes_the_lab_fail(lab, body):
    for path in ("/api/run", "/api/step", "/api/export/json"):
        assert lab.post(path, body).status in (200, 400, 422)


def test_an_oversized_question_is_refused_however_it_is_sent(lab):
    answer = lab.post("/api/run", b" " * 1_000_001)
    assert answer.status == 413 and "1,000,000" in answer.error
    connection = HTTPConnection("127.0.0.1", lab.port, timeout=10)
    chunks = (b" " * 100_000 for _ in range(40))
    try:
        connection.request("POST", "/api/run", chunks, encode_chunked=True, headers={"Transfer-Encoding": "chunked"})
        assert connection.getresponse().status == 413
    except (BrokenPipeError, ConnectionResetError):
        pass  # it hung up on us before we had said all
    finally:
        connection.close()


def test_no_file_outside_the_page_is_served(lab):
    for path in ("/static/../server.py", "/static/%2e%2e/server.py", "/static//etc/passwd", "/static/..%2fserver.py"):
        assert lab.get(path).status == 404


# Code of one's own


def test_code_of_ones_own_runs(lab):
    run = lab.trusted("/api/run", own(hear="self.elect(8)")).json
    assert run["leader"] == 8 and run["layers"] == ["Mine"] and run["algorithm"] == "own.py:Mine"


@pytest.mark.parametrize(
    ("asked", "line", "sentence"),
    [
        ({**own(), "code": "class Mine(:\n    pass"}, 1, "does not compile"),
        ({**own(), "code": "x = 1\n\x00"}, None, "does not compile"),
        ({**own(), "code": "\n\nimport nothing_of_that_name"}, 3, "nothing_of_that_name"),
        ({**own(), "code": "\n1 / 0"}, 2, "division by zero"),
        ({**own(), "code": "class Mine: pass"}, None, "has no process class 'Mine'"),
        (own(hear="1 / 0"), 20, "division by zero"),
        (own(hear="self.nothing()"), 20, "nothing"),
        (own(begin="self.send(99, Hello())"), 15, "99"),
        (own(begin="self.begin()"), None, "recursion"),
        (own(begin="raise SystemExit"), None, "ended"),
        (own(begin=f"{HIDDEN_IMPORT}('os')._exit(0)"), None, "it ended the process that ran it"),
        (own(begin=f"os = {HIDDEN_IMPORT}('os'); os.kill(os.getpid(), 11)"), None, "SIGSEGV"),
    ],
)
def test_a_mistake_in_it_is_told_with_its_line(lab, asked, line, sentence):
    answer = lab.trusted("/api/run", asked)
    assert answer.status == 422 and sentence in answer.error
    assert line is None or answer.json["line"] == line


def test_a_mistake_is_told_with_its_line_when_it_is_stepped_through_or_checked_too(lab):
    asked = own(hear="1 / 0")
    answer = lab.trusted("/api/step", {**asked, "seed": 1, "until": "termination"})
    assert answer.status == 422 and "division by zero" in answer.error and answer.json["line"] == 20
    name, verdict = lab.trusted("/api/check", asked).events[-1]
    assert name == "result" and verdict["verdict"] == "violated" and "division by zero" in verdict["witness"]


def test_code_of_ones_own_can_be_stepped_through_checked_and_exported(lab):
    asked = own(hear="self.elect(self.id)")
    assert lab.trusted("/api/step", asked).json["enabled"]
    small = {**asked, "scenario": {**asked["scenario"], "topology": {"n": 3}}}
    name, verdict = lab.trusted("/api/check", small).events[-1]
    assert name == "result" and verdict["verdict"] == "violated"
    replayed = lab.trusted("/api/run", {"scenario": verdict["counterexample"], "code": asked["code"]}).json
    assert [judged["name"] for judged in replayed["properties"] if judged["verdict"] is False]
    assert b"class Mine" in lab.trusted("/api/export/pytest", asked).body


@pytest.mark.timing
def test_endless_code_is_stopped_and_others_get_their_runs_meanwhile(lab):
    with ThreadPoolExecutor(1) as pool:
        endless = pool.submit(lab.trusted, "/api/run", own(hear="while True: pass"))
        time.sleep(0.5)
        begun = time.perf_counter()
        assert lab.post("/api/run", RUN).status == 200
        assert time.perf_counter() - begun < 5 * slowdown()
        answer = endless.result()
    assert answer.status == 422 and "it took more than 10 seconds, and was stopped" in answer.error


@pytest.mark.parametrize("where", ["begin", "import"])
def test_code_that_takes_all_memory_is_stopped(lab, where):
    hog = "hoard = [bytearray(10**8) for _ in range(1000)]"
    asked = own(begin=hog) if where == "begin" else {**own(), "code": hog}
    answer = lab.trusted("/api/run", asked)
    assert answer.status == 422 and "more memory than the lab allows" in answer.error


def test_code_that_writes_to_the_pipe_of_answers_does_not_confuse_the_lab(lab):
    scribble = f"os = {HIDDEN_IMPORT}('os'); from contextlib import suppress"
    for descriptor in range(3, 20):
        scribble += f"\n        with suppress(OSError): os.write({descriptor}, b'Z' * 100)"
    answer = lab.trusted("/api/run", own(begin=scribble))
    assert answer.status == 422 and "was stopped" in answer.error


def test_what_code_prints_comes_beside_the_answer(lab):
    run = lab.trusted("/api/run", own(begin="print('{', self.id)")).json
    assert run["messages"] == 8
    assert sorted(run["printed"]["text"].splitlines()) == [f"{{ {id}" for id in range(1, 9)]
    assert run["printed"]["left_out"] == 0
    assert "printed" not in lab.trusted("/api/run", own()).json


def test_what_code_printed_before_it_failed_comes_with_the_refusal(lab):
    answer = lab.trusted("/api/run", own(begin=f"print('so far', file={HIDDEN_IMPORT}('sys').stderr); 1 / 0")).json
    assert "division by zero" in answer["error"] and answer["printed"]["text"] == "so far\n"


def test_of_what_code_prints_without_end_the_beginning_is_kept(lab):
    printed = lab.trusted("/api/run", own(begin="print('áé' * 50_000)")).json["printed"]
    assert printed["text"] == "áé" * 2_500 and printed["left_out"] == 8 * 200_001 - 10_000


def test_code_leaves_nothing_behind_for_the_next_one(lab):
    meddle = "import habemus.process.process as p; p.Election.elect = None"
    lab.trusted("/api/run", own(begin=meddle))
    for _ in range(6):
        assert lab.post("/api/run", RUN).json["leader"] == 8
    assert lab.trusted("/api/run", own(hear="self.elect(8)")).json["leader"] == 8


def test_processes_that_code_starts_end_with_it(lab):
    spawn = "import subprocess; subprocess.Popen(['sleep', '1234'])"
    lab.trusted("/api/run", own(begin=spawn))
    assert eventually(lambda: not sleepers(lab))


def sleepers(lab):
    found = []
    for pid in [int(name) for name in os.listdir("/proc") if name.isdigit()]:
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if file.read() == b"sleep\x001234\x00":
                    found.append(pid)
        except OSError:
            continue
    return found


# Many at once


def test_many_pages_at_once_are_all_answered(lab):
    with ThreadPoolExecutor(40) as pool:
        answers = list(pool.map(lambda _: lab.post("/api/run", RUN), range(120)))
    assert all(answer.status == 200 and answer.json["leader"] == 8 for answer in answers)


def test_a_search_reports_and_ends_when_its_page_is_closed(lab):
    connection = HTTPConnection("127.0.0.1", lab.port, timeout=30)
    connection.request("POST", "/api/check", json.dumps(SEARCH))
    answer = connection.getresponse()
    assert answer.readline() == b"event: progress\n"
    progress = json.loads(answer.readline().removeprefix(b"data: "))
    assert progress["states"] > 0 and progress["seconds"] > 0 and progress["memory"] > 0 and progress["depth"] > 0
    before = {pid: processor_time(pid) for pid in lab.children()}
    time.sleep(0.5)
    searcher = max(before, key=lambda pid: processor_time(pid) - before[pid])
    answer.close()
    connection.close()
    assert eventually(lambda: not is_alive(searcher))


def processor_time(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def test_more_searches_than_may_run_at_once_wait_or_are_refused(lab):
    connections = []
    try:
        for _ in range(10):
            connection = HTTPConnection("127.0.0.1", lab.port, timeout=30)
            connection.request("POST", "/api/check", json.dumps(SEARCH))
            connections.append(connection)
        time.sleep(0.5)
        (name, content), *_ = lab.post("/api/check", SEARCH).events
        assert name == "error" and "the lab is busy" in content["error"]
        assert lab.post("/api/run", RUN).status == 200
    finally:
        for connection in connections:
            connection.close()


# The end


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_however_the_lab_ends_no_process_is_left(number):
    with running_lab() as other:
        other.trusted("/api/live/start", {"scenario": {"algorithm": "bully"}, "n": 3})
        with ThreadPoolExecutor(2) as pool:
            search = pool.submit(lost, other.post, "/api/check", SEARCH)
            endless = pool.submit(lost, other.trusted, "/api/run", own(begin="while True: pass"))
            time.sleep(1.5)
            children = descendants(other.process.pid)
            assert len(children) >= 6
            other.process.send_signal(number)
            assert other.process.wait(20) == (-number if number == signal.SIGKILL else 0)
            search.result(), endless.result()
        assert eventually(lambda: not any(map(is_alive, children)))


def lost(ask, *arguments):
    """Ask for something that will not be answered."""
    with suppress(OSError, HTTPException):
        ask(*arguments)
