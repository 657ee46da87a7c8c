"""What is no failure costs no lease with the default ttl: a busy machine, lost packets, blocked loops, stopped threads.

All at the same time, for longer than the ttl: a lease that is not renewed would be lost within the test.
"""

import subprocess
import sys
import textwrap

# In a process of its own: this one keeps its namespace.
PROGRAM = """
    import asyncio, os, random, subprocess, sys
    from pathlib import Path
    from tests.soak.network import Namespace, Switch, between

    folder = Path(sys.argv[1])
    key = folder / "key"
    key.touch(mode=0o600)
    key.write_text("0123456789abcdef")
    machines = {number: Namespace(number) for number in (1, 2, 3)}
    peers = ",".join(f"{machine.address}:7001" for machine in machines.values())
    MEMBER = '''
    import asyncio, ctypes, sys, time, habemus
    peers, folder, number = sys.argv[1:]

    def block_loop():
        time.sleep(5)

    def stop_all_threads():  # as a garbage collection does: nobody else gets the lock of the interpreter
        ctypes.PyDLL(None).sleep(3)

    TROUBLES = {
        "1": [block_loop, block_loop],
        "2": [stop_all_threads, stop_all_threads],
        "3": [block_loop, stop_all_threads],
    }

    async def main():
        async with habemus.join("orders", peers, data=folder, key_file=folder + "/key", voter=True) as group:
            async with group.lead(f"role {number}") as role, group.lock(f"lock {number}") as lock:
                print("holds", flush=True)
                await asyncio.to_thread(sys.stdin.readline)
                begun = time.monotonic()
                for trouble in TROUBLES[number]:
                    trouble()
                    role.ensure()
                    await asyncio.sleep(0.3)  # a body that lost its lease is cancelled here
                while time.monotonic() < begun + 11.5:  # the ttl, and one look more
                    await asyncio.sleep(0.1)
                await role.check()
                await lock.check()
                print("still holds", flush=True)
                await asyncio.to_thread(sys.stdin.readline)  # the others may still need its vote

    try:
        asyncio.run(main())
    except habemus.GroupError as error:
        print(repr(error), flush=True)
    '''

    def start(machine, number):
        with machine.entered():
            return subprocess.Popen(
                [sys.executable, "-c", MEMBER, peers, str(folder), str(number)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )

    async def hear(member):
        return (await asyncio.wait_for(asyncio.to_thread(member.stdout.readline), 120)).strip()

    async def main():
        switch = Switch(machines, random.Random(1))
        switch.open()
        members = [start(machine, number) for number, machine in machines.items()]
        burners = []
        try:
            assert await asyncio.gather(*map(hear, members)) == ["holds"] * 3
            burners += [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in os.sched_getaffinity(0)]
            with switch.disturbed(between(machines, machines), loss=0.1):
                for member in members:
                    member.stdin.write("\\n")
                    member.stdin.flush()
                said = await asyncio.gather(*map(hear, members))
                assert said == ["still holds"] * 3, said
        finally:
            for process in [*burners, *members]:
                process.kill()
                process.communicate()
        switch.close()

    asyncio.run(main())
"""


def test_load_lost_packets_blocked_loops_and_stopped_threads_cost_no_lease(tmp_path):
    subprocess.run([sys.executable, "-c", textwrap.dedent(PROGRAM), tmp_path], check=True, timeout=300)
