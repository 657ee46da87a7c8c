"""One candidate of `bench/failover.py`, in a process of its own.

    python failover_candidate.py SYSTEM ID SETTINGS

Whatever the system, it stands for leader and prints a line whenever it takes another one for the leader: the monotonic
time in nanoseconds, and whom it names (- for nobody). The rivals' times are a choice, short but not the shortest that
each would take (etcd's lease is); they are in failover.py, and on the page.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

PR_SET_PDEATHSIG = 1


class Voice:
    """Says whom this candidate takes for the leader, once for each change."""

    def __init__(self) -> None:
        self.last: int | None = None
        self.lock = threading.Lock()

    def name(self, leader: int | None) -> None:
        with self.lock:
            if leader != self.last:
                self.last = leader
                print(time.monotonic_ns(), "-" if leader is None else leader, flush=True)


def habemus(id: int, settings: dict[str, Any], voice: Voice) -> None:
    """A node as `habemus node` runs it."""
    import msgspec

    from habemus.network.node.change import Change
    from habemus.network.node.timing import add_fast_detector
    from habemus.network.operate.options import NodeOptions
    from habemus.network.operate.service import Service, run_loop
    from habemus.scenario import Scenario

    class Candidate(Service):
        def hear(self, change: Change) -> None:
            if change.what == "leader":
                voice.name(change.subject)

    scenario = Scenario(settings["algorithm"])
    options = NodeOptions(
        scenario=add_fast_detector(scenario) if settings["haste"] else scenario,
        id=id,
        peers=settings["peers"],
        data=f"{settings['folder']}/{id}",
        report_every=0,
    )
    run_loop(Candidate(msgspec.convert(options, NodeOptions, from_attributes=True)).serve())


def lead(id: int, settings: dict[str, Any], voice: Voice) -> None:
    """`async with group.lead(...)`, as a service uses it; each candidate is a voter."""
    import asyncio

    import habemus

    async def campaign(group: habemus.Group) -> None:
        while True:
            try:
                async with group.lead("office"):
                    voice.name(id)
                    await asyncio.Future()
            except habemus.LeaseLost:
                voice.name(None)

    async def stand() -> None:
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        where, folder = settings["peers"], settings["folder"]
        async with (
            habemus.join("bench", where, id=str(id), ttl=settings["ttl"], data=folder, voter=True) as group,
            asyncio.TaskGroup() as tasks,
        ):
            events = group.events()
            tasks.create_task(campaign(group))
            with suppress(habemus.NoQuorum):  # it is just beginning: nobody leads yet
                view = await asyncio.wrap_future(group.membership.engine.fetch_view())
                if "office" in view.leaders:
                    voice.name(int(view.leaders["office"]))
            async for event in events:
                if isinstance(event, habemus.Event) and event.kind == "elected":
                    voice.name(int(event.member))

    asyncio.run(stand())


def postgres(id: int, settings: dict[str, Any], voice: Voice) -> None:
    """An advisory lock of the session: who has it leads and notifies the others, who wait for it in the server."""
    import psycopg

    address = f"host=127.0.0.1 port={settings['port']} user=postgres dbname=postgres application_name={id}"
    holding, watching = psycopg.connect(address, autocommit=True), psycopg.connect(address, autocommit=True)

    def campaign() -> None:
        holding.execute("select pg_advisory_lock(1)")
        voice.name(id)
        holding.execute("select pg_notify('office', %s)", [str(id)])

    watching.execute("listen office")
    threading.Thread(target=campaign, daemon=True).start()
    time.sleep(0.05)
    holder = watching.execute(
        "select application_name from pg_locks join pg_stat_activity using (pid) "
        "where locktype = 'advisory' and granted"
    ).fetchone()
    if holder is not None:
        voice.name(int(holder[0]))
    for notice in watching.notifies():
        voice.name(int(notice.payload))


def redis(id: int, settings: dict[str, Any], voice: Voice) -> None:
    """A lock with a time to live: who has it renews it, the others try again and again."""
    from redis import Redis
    from redis.exceptions import LockError

    client = Redis(port=settings["port"])
    lock = client.lock("office", timeout=settings["timeout"], thread_local=False)
    while True:
        if lock.acquire(blocking=False, token=str(id)):
            voice.name(id)
            try:
                while True:
                    time.sleep(settings["renewal"])
                    lock.reacquire()
            except LockError:
                voice.name(None)
        holder: Any = client.get("office")
        if holder is not None:
            voice.name(int(holder))
        time.sleep(settings["poll"])


def kazoo(id: int, settings: dict[str, Any], voice: Voice) -> None:
    """kazoo's Election; who is elected writes its name where the others watch."""
    from kazoo.client import KazooClient, KazooState
    from kazoo.exceptions import KazooException

    client = KazooClient(f"127.0.0.1:{settings['port']}", timeout=settings["timeout"])
    lost = threading.Event()

    def notice(state: str) -> None:
        if state != KazooState.CONNECTED:
            lost.set()

    client.add_listener(notice)
    client.start()
    client.ensure_path("/office")

    def follow(data: bytes, status: Any) -> None:
        if data:
            voice.name(int(data))

    client.DataWatch("/office", follow)

    def lead() -> None:
        lost.clear()
        client.set("/office", str(id).encode())
        voice.name(id)
        lost.wait()
        voice.name(None)

    while True:
        try:
            client.Election("/election", str(id)).run(lead)
        except KazooException:
            time.sleep(0.05)


def etcd(id: int, settings: dict[str, Any], voice: Voice) -> None:
    """etcd's election service through its HTTP gateway: a lease, a campaign, and a stream of who leads."""
    import base64
    import http.client

    def encoded(text: str) -> str:
        return base64.b64encode(text.encode()).decode()

    def post(path: str, body: dict[str, Any], timeout: float | None = 5.0) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", settings["port"], timeout=timeout)
        connection.request("POST", f"/v3/{path}", json.dumps(body))
        return connection.getresponse()

    def campaign() -> None:
        while True:
            lease = json.load(post("lease/grant", {"TTL": settings["lease"]}))["ID"]
            alive = threading.Event()
            threading.Thread(target=keep_alive, args=(lease, alive), daemon=True).start()
            answer = json.load(
                post("election/campaign", {"name": encoded("office"), "lease": lease, "value": encoded(str(id))}, None)
            )
            if "leader" in answer:
                alive.wait()

    def keep_alive(lease: str, over: threading.Event) -> None:
        while int(json.load(post("lease/keepalive", {"ID": lease}))["result"].get("TTL", 0)) > 0:
            time.sleep(settings["renewal"])
        over.set()

    threading.Thread(target=campaign, daemon=True).start()
    for line in post("election/observe", {"name": encoded("office")}, None):
        voice.name(int(base64.b64decode(json.loads(line)["result"]["kv"]["value"])))


def pysyncobj(id: int, settings: dict[str, Any], voice: Voice) -> None:
    """PySyncObj's Raft; it does not tell of a change to another leader, so it is asked every millisecond."""
    from pysyncobj import SyncObj, SyncObjConf

    addresses = settings["addresses"]
    short, long = settings["timeouts"]
    conf = SyncObjConf(
        raftMinTimeout=short, raftMaxTimeout=long, appendEntriesPeriod=settings["beat"], autoTickPeriod=0.01
    )
    others = [address for other, address in addresses.items() if int(other) != id]
    group = SyncObj(addresses[str(id)], others, conf)
    ids = {address: int(other) for other, address in addresses.items()}
    while True:
        leader = group._getLeader()
        voice.name(ids[leader.address] if leader is not None else None)
        time.sleep(0.001)


SYSTEMS: dict[str, Callable[[int, dict[str, Any], Voice], None]] = {
    each.__name__: each for each in (habemus, lead, postgres, redis, kazoo, etcd, pysyncobj)
}


def main() -> None:
    """Stand until killed; and do not outlive the one who watches."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() == 1:
        sys.exit(1)
    SYSTEMS[sys.argv[1]](int(sys.argv[2]), json.loads(sys.argv[3]), Voice())


if __name__ == "__main__":
    main()
