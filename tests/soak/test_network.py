"""The switch does what it is told, one direction at a time."""

import subprocess
import sys
import textwrap

# In a process of its own: this one keeps its namespace.
PROGRAM = """
    import asyncio, random, socket, time
    from tests.soak.network import Namespace, Switch, between

    machines = {number: Namespace(number) for number in (1, 2)}
    sockets = {}
    for number, machine in machines.items():
        with machine.entered():
            sockets[number] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sockets[number].bind((machine.address, 9000))
        sockets[number].setblocking(False)


    async def arrives(sender, to, within=5.0):
        loop = asyncio.get_running_loop()
        begin = time.monotonic()
        try:
            async with asyncio.timeout(within):
                while True:
                    mark = f"{sender} {begin}".encode()
                    sockets[sender].sendto(mark, (machines[to].address, 9000))
                    while True:
                        try:
                            async with asyncio.timeout(0.3):
                                if await loop.sock_recv(sockets[to], 100) == mark:
                                    return time.monotonic() - begin
                        except TimeoutError:
                            break
        except TimeoutError:
            return None


    async def main():
        switch = Switch(machines, random.Random(1))
        switch.open()
        assert await arrives(1, 2) is not None and await arrives(2, 1) is not None
        with switch.disturbed([(1, 2)], loss=1):
            assert await arrives(1, 2, within=1) is None
            assert await arrives(2, 1) is not None
        with switch.disturbed(between([1], [2]), loss=1):
            assert await arrives(1, 2, within=1) is None
            assert await arrives(2, 1, within=1) is None
        assert await arrives(1, 2) is not None and await arrives(2, 1) is not None
        with switch.disturbed([(1, 2)], delay=0.2):
            assert sum([await arrives(1, 2) for _ in range(10)]) > 0.2
        with switch.disturbed([(1, 2)], loss=0.5):
            assert sum([await arrives(1, 2) for _ in range(10)]) > 0.3
        switch.close()

    asyncio.run(main())
"""


def test_frames_are_cut_one_way_or_both_delayed_and_lost():
    subprocess.run([sys.executable, "-c", textwrap.dedent(PROGRAM)], check=True, timeout=120)
