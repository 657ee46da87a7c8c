"""Live: real processes, killed, paused, cut off and started again by button, on the same stage and diagram."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from labs import COMMAND
from pages import open_scenario, point_of_process, until

PATIENCE = 60.0  # seconds: on a busy machine real processes take their time


@pytest.fixture
def live(open_page):
    """A page in live mode, on a cluster of three that has elected its leader."""
    page = open_page("#mode=live")
    start_three(page, "bully")
    until(page, "habemus.live && habemus.run?.events.length > 5", PATIENCE)
    return page


def start_three(page, algorithm):
    """Start a cluster of three, and wait until one of them leads."""
    until(page, "document.querySelector('#live-start')")
    page.locator("#live-algorithm").select_option(algorithm)
    page.locator("#live-n").fill("3")
    page.locator("#live-start").click()
    until(page, "document.querySelector('.member.leads')", PATIENCE)


def pid_of(page, id):
    """The PID that the page shows for a process, while it lives."""
    until(page, f"/PID/.test(document.querySelector('.member[data-id=\"{id}\"] .member-pid').textContent)", PATIENCE)
    return int(re.search(r"\d+", page.locator(f".member[data-id='{id}'] .member-pid").inner_text())[0])


def act(page, id, what):
    """Press a button of a process."""
    page.locator(f".member[data-id='{id}'] [data-act={what}]").click()


def state_of(pid):
    """How the system says that a process is: S sleeping, R running, T stopped, gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "gone"


def test_the_leader_is_killed_by_button_and_the_clock_shows_how_soon_there_is_a_new_one(live):
    leader = int(live.locator(".member.leads").get_attribute("data-id"))
    pid = pid_of(live, leader)
    os.kill(pid, 0)
    act(live, leader, "kill")
    until(live, "document.querySelector('.clock.done')", PATIENCE)
    assert state_of(pid) in ("gone", "Z")
    successor = int(live.locator(".member.leads").get_attribute("data-id"))
    assert successor != leader
    said = live.locator("#live-clock").inner_text()
    assert f"from the kill of {leader} until {successor} leads" in said
    assert 0 < float(re.match(r"([\d.]+) s", said)[1]) < PATIENCE
    assert live.evaluate("parseFloat(getComputedStyle(document.querySelector('.clock-time')).fontSize)") >= 40
    until(live, f"habemus.model.processAt(habemus.model.seatOf.get({leader}), habemus.cursor).status === 'crashed'")
    until(live, f"habemus.model.processAt(habemus.model.seatOf.get({successor}), habemus.cursor).role === 'leader'")
    act(live, leader, "restart")
    until(live, f"document.querySelector('.member[data-id=\"{leader}\"]').classList.contains('running')", PATIENCE)
    assert pid_of(live, leader) != pid


def test_a_process_is_paused_and_goes_on(live):
    pid = pid_of(live, 1)
    act(live, 1, "pause")
    until(live, "document.querySelector('.member[data-id=\"1\"]').classList.contains('paused')", PATIENCE)
    assert state_of(pid) == "T"
    act(live, 1, "resume")
    until(live, "document.querySelector('.member[data-id=\"1\"]').classList.contains('running')", PATIENCE)
    assert state_of(pid) in ("S", "R")


def test_a_link_is_cut_and_mended(live):
    live.locator("#live-cut").click()
    until(live, "document.querySelector('.live-links').textContent.includes('1–2')", PATIENCE)
    until(live, "habemus.model.cutsAt(habemus.cursor).has('1 2')", PATIENCE)
    live.locator("#live-heal").click()
    until(live, "!document.querySelector('.live-links').textContent.includes('1–2')", PATIENCE)
    act(live, 3, "cut")
    until(live, "/cut off/.test(document.querySelector('.member[data-id=\"3\"] .member-state').textContent)", PATIENCE)
    live.locator("#live-heal").click()
    until(live, "document.querySelector('#live-heal').disabled", PATIENCE)


def test_the_stream_is_stopped_and_one_scrubs_back_then_follows_again(live):
    live.locator("#live-freeze").click()
    until(live, "document.querySelector('#live-follow')")
    count = live.evaluate("habemus.run.events.length")
    live.evaluate("habemus.seek(2)")
    until(live, "/[1-9]/.test(document.querySelector('.live-waiting').textContent)", PATIENCE)
    assert live.evaluate("[habemus.cursor, habemus.run.events.length]") == [2, count]
    assert live.locator("#stage .node").count() == 3
    live.locator("#live-follow").click()
    until(live, f"habemus.run.events.length > {count} && habemus.cursor === habemus.run.events.length - 1", PATIENCE)


def test_who_scrubs_back_stops_the_stream_by_that(live):
    live.evaluate("habemus.seek(1)")
    until(live, "document.querySelector('#live-follow')")
    assert live.evaluate("habemus.cursor") == 1


def test_what_real_processes_did_is_exported_as_a_trace(live, tmp_path):
    from habemus.trace import read_trace

    live.locator("#live-freeze").click()
    live.locator("#export").click()
    assert live.locator(".export").count() == 1
    with live.expect_download() as download:
        live.locator(".export[data-kind=json]").click()
    download.value.save_as(tmp_path / "trace.jsonl")
    trace = read_trace(tmp_path / "trace.jsonl")
    assert [event.event for event in trace.events] == list(range(len(trace.events)))
    assert any(event.role == "leader" for event in trace.events)
    live.keyboard.press("Escape")


def test_habemus_up_opens_the_page_on_its_own_cluster(open_page):
    command = [*COMMAND, "up", "-n", "3", "--no-open", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        address = process.stdout.readline().split()[-1]
        page = open_page(address=address)
        until(page, "habemus.mode === 'live' && document.querySelector('.member.leads')", PATIENCE)
        assert page.locator("#live-stop").count() == 0, "it ends with its command"
        page.locator(".member.leads [data-act=kill]").click()
        until(page, "document.querySelector('.clock.done')", PATIENCE)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


def test_what_a_later_message_of_the_same_link_has_overtaken_is_lost_and_nothing_else_is(page):
    letter = {"sender": 1, "to": 2, "type": "Alive"}
    events = [
        {"event": 0, "time": 0, "process": 1, "sent": [{**letter, "message": 7}, {**letter, "message": 8, "to": 3}]},
        {"event": 1, "time": 5, "process": 1, "sent": [{**letter, "message": 9}, {**letter, "message": 10}]},
        {"event": 2, "time": 6, "process": 2, "received": [{**letter, "message": 9}]},
    ]
    losses = page.evaluate(
        """(events) => import('/static/model/losses.js').then(({addLosses}) => addLosses(events))
          .then((told) => told.filter((event) => event.kind === 'lost'))""",
        events,
    )
    assert [(event["received"][0]["message"], event["time"], event["parents"]) for event in losses] == [(7, 6, [0])]


@pytest.mark.parametrize(
    "scenario",
    [
        {"algorithm": "bully", "topology": {"n": 6}, "faults": [{"do": "crash", "at": 3, "process": 6}]},
        {"algorithm": "chang-roberts", "topology": {"n": 9}, "network": {"duplication": 0.3, "delay": "uniform:1:9"}},
        {"algorithm": "lamport", "topology": {"n": 4}},
    ],
)
def test_what_a_run_costs_is_counted_as_the_server_counts_it_with_or_without_its_beginning(page, scenario):
    open_scenario(page, scenario)
    run, whole, cut, types = page.evaluate(
        """(async () => {
          const {Model} = await import('/static/model/model.js');
          const {Tally} = await import('/static/model/tally.js');
          const {run, model} = habemus;
          const last = (counts) => counts.at(-1);
          const figures = ({sentUpTo, bitsUpTo, roundsUpTo}) => [sentUpTo, bitsUpTo, roundsUpTo].map(last);
          const half = Math.floor(run.events.length / 2);
          const before = new Tally();
          for (const event of run.events.slice(0, half)) before.add(event);
          const later = new Model({...run, events: run.events.slice(half), timers: [], types: model.types, before});
          const ofTypes = Object.fromEntries(later.sentByType(Infinity));
          return [[run.messages, run.bits, run.rounds], figures(model), figures(later), ofTypes];
        })()"""
    )
    assert run == whole == cut
    assert types == page.evaluate("habemus.run.messages_by_type")


def test_events_that_are_let_go_have_been_counted(page):
    letter = {"sender": 1, "to": 2, "type": "Alive", "fields": {"term": 1}}
    events = [
        {"event": k, "time": k, "kind": "timeout", "clause": "beat", "process": 1, "sent": [{**letter, "message": k}]}
        for k in range(100, 4100)
    ]
    before = {"events": 100, "messages_by_type": {"Vote": 60, "Alive": 40}, "bits": 500}
    blocks = [("before", before), *(("event", event) for event in events)]
    stream = "".join(f"event: {name}\ndata: {json.dumps(said)}\n\n" for name, said in blocks)
    names = ["scenario", "algorithm", "ids", "topology", "edges", "kind", "layers", "initial", "durable"]
    run = page.evaluate("(names) => Object.fromEntries(names.map((name) => [name, habemus.run[name]]))", names)
    status = {"algorithm": run["algorithm"], "leader": None, "nodes": [], "cuts": [], "mine": False}
    page.route("**/api/live", lambda route: route.fulfill(json={**status, "run": {**run, "began": 0}}))
    page.route("**/api/live/events", lambda route: route.fulfill(body=stream, content_type="text/event-stream"))
    page.locator("#modes [data-mode=live]").click()
    until(page, "habemus.live && habemus.run.messages === 4100")
    assert page.evaluate("habemus.run.events.length") == 0, "they go on for ever, and are hidden"
    page.locator(".legend [data-type=Alive]").click()
    until(page, "habemus.run.events.length === 3000")
    assert page.evaluate("[habemus.run.messages_by_type, habemus.run.bits]") == [{"Vote": 60, "Alive": 4040}, 4500]
    page.evaluate("habemus.seek(habemus.run.events.length - 1)")
    page.locator("#drawer-tabs [data-sheet=figures]").click()
    until(page, "/4,100\\s*of 4,100/.test(document.querySelector('#sheet .tally').textContent)")
    until(page, "document.querySelector('#timeline').textContent.includes('event 4,100 of 4,100')")


def test_a_run_without_its_beginning_keeps_the_colours_of_its_messages(page):
    types, kind = page.evaluate(
        """import('/static/model/model.js').then(({Model}) => {
          const model = new Model({...habemus.run, types: ['Alive', 'Elected', 'Candidate']});
          return [model.types, model.transmissions[0].kind];
        })"""
    )
    assert types == ["Alive", "Elected", "Candidate"] and types[kind] == "Candidate"


def test_what_was_refused_stays_in_the_form_to_be_mended(open_page):
    page = open_page("#mode=live")
    until(page, "document.querySelector('#live-start')")
    page.locator("#live-algorithm").select_option("raft-election-steady")
    page.locator("#live-n").fill("99")
    page.locator("#live-start").click()
    until(page, "document.querySelector('[role=alert]')?.textContent.includes('1 to 30')")
    assert page.locator("#live-algorithm").input_value() == "raft-election-steady"
    assert page.locator("#live-n").input_value() == "99"
    page.locator("#live-n").fill("2")
    page.locator("#live-start").click()
    until(page, "document.querySelectorAll('.member').length === 2", PATIENCE)


def test_without_the_token_live_mode_says_what_is_missing_in_the_language_of_the_page(open_page, server):
    for locale, words in (("en-US", "with its token"), ("pt-BR", "com o seu token")):
        page = open_page("#mode=live", address=server.partition("?")[0], locale=locale)
        until(page, f"document.querySelector('#panel [role=alert]')?.textContent.includes('{words}')")


def test_a_click_on_the_stage_offers_what_the_row_of_a_process_offers_and_in_the_end_nothing_leads(live):
    leader = int(live.locator(".member.leads").get_attribute("data-id"))
    offered = live.locator(f".member[data-id='{leader}'] [data-act]").all_inner_texts()
    live.mouse.click(*point_of_process(live, leader))
    assert live.locator(".menu [role=menuitem]").all_inner_texts() == offered
    live.keyboard.press("Escape")
    until(live, "document.querySelector('#stage .corner.top').textContent !== ''", PATIENCE)
    live.locator("#live-stop").click()
    until(live, "document.querySelector('#live-start')", PATIENCE)
    until(live, "document.querySelector('#stage .corner.top').textContent === ''", PATIENCE)


def test_heartbeats_are_hidden_at_first_so_that_the_election_stays_in_view(open_page):
    page = open_page("#mode=live")
    start_three(page, "raft-election-steady")
    until(page, "habemus.hidden.has('Heartbeat')", PATIENCE)
    until(page, "habemus.run.messages > 40", PATIENCE)
    assert page.evaluate("habemus.run.events.length") < 60, "heartbeats are counted, not shown"
    assert page.evaluate("habemus.run.events.some((event) => event.role === 'leader')")
    assert page.locator(".legend [data-type=Heartbeat]").get_attribute("aria-pressed") == "false"
    page.locator("#modes [data-mode=watch]").click()
    assert page.evaluate("habemus.hidden.size") == 0
