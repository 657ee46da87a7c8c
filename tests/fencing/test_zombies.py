"""Holders that are stopped while they write come back after their leases have passed on: the stores refuse them.

Each zombie has a session of its own and a lock of its own. Many share a process, which is stopped as a whole, so that
hundreds of trials wait for a few ttls only.
"""

import os
import signal
import sqlite3
from contextlib import ExitStack, closing, suppress

import psycopg
from service.engines.embedded_groups import free_peers, voters
from service.programs import Programs
from soak import runs

import habemus
from habemus.fencing import SqlFence

TTL = 0.6  # seconds
ZOMBIES = 40

# Each thread writes to two stores, to one table with its token, to another without, and never asks whether it holds its
# lock. They are stopped between two transactions: within one they would keep the stores locked.
ZOMBIE_HORDE = """
import psycopg, signal, sqlite3, threading
from habemus.fencing import SqlFence

ttl, count, file, server = float(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5]
stores = [sqlite3.connect(file, timeout=60, check_same_thread=False), psycopg.connect(server)]
fence, mutex = SqlFence(), threading.Lock()
ready, refused = threading.Barrier(count + 1), threading.Barrier(count + 1)

def write(store, name, token):
    mark = "?" if store is stores[0] else "%s"
    insert = f"(name, token) VALUES ({mark}, {mark})"
    with mutex:
        with store if store is stores[0] else store.transaction():
            store.execute(f"INSERT INTO without {insert}", (name, token))
        try:
            with store if store is stores[0] else store.transaction():
                fence.claim(store, name, token)
                store.execute(f"INSERT INTO fenced {insert}", (name, token))
        except habemus.StaleToken:
            return False
    return True

def live(number):
    with habemus.sync.join("orders", WHERE, ttl=ttl, voter=False) as group:
        while True:
            try:
                with group.lock(f"order {number}") as lease:
                    stores_left = [store for store in stores if write(store, lease.name, lease.token)]
                    assert len(stores_left) == 2
                    ready.wait()
                    while stores_left:
                        stores_left = [store for store in stores_left if write(store, lease.name, lease.token)]
                        time.sleep(0.2)
                    refused.wait()
            except habemus.LeaseLost:
                pass

for number in range(count):
    threading.Thread(target=live, args=(number,), daemon=True).start()
while True:
    ready.wait()
    print("hold", flush=True)
    sys.stdin.readline()
    with mutex:
        os.kill(os.getpid(), signal.SIGSTOP)
    refused.wait()
    print("refused", flush=True)
    sys.stdin.readline()
"""


def stale_writes(store, table):
    """How many were written to a name after something with a newer token."""
    newest, stale = {}, 0
    for name, token in store.execute(f"SELECT name, token FROM {table} ORDER BY number").fetchall():
        stale += token < newest.get(name, 0)
        newest[name] = max(token, newest.get(name, 0))
    return stale


def create_tables(store, counter):
    for table in ("fenced", "without"):
        store.execute(f"DROP TABLE IF EXISTS {table}")
        store.execute(f"CREATE TABLE {table} (number {counter} PRIMARY KEY, name TEXT, token BIGINT)")
    SqlFence().create_table(store)
    store.commit()


def test_paused_holders_come_back_and_sqlite_and_postgresql_refuse_them(tmp_path, postgresql):
    rounds, peers = runs(200, soak=2000) // ZOMBIES, free_peers()
    with ExitStack() as stack:
        sqlite = stack.enter_context(closing(sqlite3.connect(tmp_path / "store", timeout=60)))
        postgres = stack.enter_context(psycopg.connect(postgresql))
        create_tables(sqlite, "INTEGER")
        create_tables(postgres, "SERIAL")
        members = stack.enter_context(voters(peers, tmp_path, ttl=TTL))
        programs = Programs(peers, patience=runs(300, soak=7200))
        stack.callback(programs.end)
        horde = programs.start(ZOMBIE_HORDE, str(TTL), str(ZOMBIES), str(tmp_path / "store"), postgresql)

        def tell(expected):
            assert horde.stdout.readline() == f"{expected}\n"

        def go_on():
            horde.stdin.write("\n")
            horde.stdin.flush()

        for _ in range(rounds):
            tell("hold")
            go_on()
            assert os.WIFSTOPPED(os.waitpid(horde.pid, os.WUNTRACED)[1])
            with ExitStack() as held:
                for number in range(ZOMBIES):
                    held.enter_context(suppress(habemus.LeaseLost))  # on a busy machine: the token is what matters
                    lease = held.enter_context(members[0].lock(f"order {number}", wait=60))
                    for store, mark in ((sqlite, "?"), (postgres, "%s")):
                        SqlFence().claim(store, lease.name, lease.token)
                        for table in ("fenced", "without"):
                            insert = f"INSERT INTO {table} (name, token) VALUES ({mark}, {mark})"
                            store.execute(insert, (lease.name, lease.token))
                        store.commit()
                horde.send_signal(signal.SIGCONT)
                tell("refused")
            go_on()
        for store in (sqlite, postgres):
            assert stale_writes(store, "fenced") == 0
            assert stale_writes(store, "without") == rounds * ZOMBIES
