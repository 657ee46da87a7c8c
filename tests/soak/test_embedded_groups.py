"""An embedded group whose holder, or whose leader, is cut off by the network: the next acquire succeeds."""

import subprocess
import sys
import textwrap

# In a process of its own: this one keeps its namespace.
PROGRAM = """
    import asyncio, random, subprocess, sys
    from pathlib import Path
    from tests.soak.network import Namespace, Switch, between

    folder = Path(sys.argv[1])
    key = folder / "key"
    key.touch(mode=0o600)
    key.write_text("0123456789abcdef")
    machines = {number: Namespace(number) for number in (1, 2, 3)}
    peers = ",".join(f"{machine.address}:7001" for machine in machines.values())
    MEMBER = '''
    import sys, habemus, habemus.sync
    peers, folder = sys.argv[1:]
    with habemus.sync.join("orders", peers, ttl=2, data=folder, key_file=folder + "/key", voter=True) as group:
        print("joined", flush=True)
        while command := sys.stdin.readline().strip():
            if command == "acquire":
                lock = group.lock("a", wait=60)
                lease = lock.__enter__()
                print("holds", lease.token, flush=True)
            elif command == "ensure":
                try:
                    lease.ensure()
                    print("held", flush=True)
                except habemus.LeaseLost as lost:
                    print("lost", flush=True)
            elif command == "release":
                lease.grant.release()
                print("released", flush=True)
            elif command == "leader":
                print(group.membership.engine.fetch_view().result().coordinator, flush=True)
    '''


    class Member:
        def __init__(self, machine):
            with machine.entered():
                self.process = subprocess.Popen(
                    [sys.executable, "-c", MEMBER, peers, str(folder)],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                )

        async def hear(self):
            line = asyncio.to_thread(self.process.stdout.readline)
            return (await asyncio.wait_for(line, 90)).strip()

        async def tell(self, command):
            self.process.stdin.write(command + "\\n")
            self.process.stdin.flush()
            return await self.hear()


    async def main():
        switch = Switch(machines, random.Random(1))
        switch.open()
        members = {number: Member(machine) for number, machine in machines.items()}
        try:
            assert [await member.hear() for member in members.values()] == ["joined"] * 3
            leader = (await members[1].tell("leader")).partition(":")[0]
            leads = next(number for number, machine in machines.items() if machine.address == leader)
            follows, other = [number for number in machines if number != leads]
            tokens = []
            for victim, heir in ((follows, leads), (leads, other), (leads, follows)):
                said = await members[victim].tell("acquire")
                assert said.startswith("holds")
                tokens.append(int(said.split()[1]))
                with switch.disturbed(between([victim], set(machines) - {victim}), loss=1):
                    said = await members[heir].tell("acquire")
                    assert said.startswith("holds")
                    tokens.append(int(said.split()[1]))
                    assert await members[victim].tell("ensure") == "lost"
                    assert await members[heir].tell("release") == "released"
            assert tokens == sorted(set(tokens))
        finally:
            for member in members.values():
                member.process.kill()
                member.process.communicate()
        switch.close()

    asyncio.run(main())
"""


def test_who_is_cut_off_loses_the_lock_and_the_next_one_gets_it(tmp_path):
    subprocess.run([sys.executable, "-c", textwrap.dedent(PROGRAM), tmp_path], check=True, timeout=300)
