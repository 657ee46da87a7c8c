"""Inflicts faults on a group of nodes, and lets it come to rest after each storm."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from .history import Calm, Fault, History, Upset
from .member import GLANCE, HTTP_PORT, LOOPBACK, PEER_PORT, Member
from .network import Link, Namespace, Switch, between
from .watcher import Watcher
from .weather import LEADER, Planned, Storm, draw_storms

PATIENCE = 60.0  # seconds for an agreement, for everybody's entry, for a process to end
STANDSTILL = 0.1  # seconds without running, after which this machine counts as too busy to be punctual
SURVIVAL = 1.0  # seconds after a full disk was freed, in which a process that answers may still end because of it
CROWD = 300  # connections
REPLACED_AFTER = 4.0  # seconds in which a leader that is stopped is replaced
REST = 1.0  # seconds for a process to do what it does when it has started

LOCK = [
    *("--algorithm", "coordinator-elected", "--layer", "raft-election-steady"),
    *("--set", "fencing=true", "--set", "lease=1000", "--set", "transmission=500", "--set", "overlap=2500"),
    *("--think", "uniform:20:300", "--hold", "uniform:10:400"),
]
SUBJECTS: dict[str, list[str]] = {"election": [], "lock": LOCK}  # the default is the safe election


class Attack:
    """A group of nodes, and what is done to it."""

    def __init__(
        self, subject: str, options: list[str], nodes: int, seed: int, folder: Path, say: Callable[[str], None]
    ) -> None:
        """`subject`: what the nodes run, with more options of `habemus node`."""
        self.history = History()
        self.has_lock = subject == "lock"
        self.seed = seed
        self.say = say
        key = folder / "key"
        key.write_text("the key of the group under attack")
        key.chmod(0o600)
        namespaces = {id: Namespace(id) for id in range(1, nodes + 1)}
        peers = ",".join(f"{id}={namespace.address}:{PEER_PORT}" for id, namespace in namespaces.items())
        options = [*SUBJECTS[subject], "--peers", peers, "--key-file", str(key), "--wait", "3", *options]
        self.members = {
            id: Member(id, namespace, folder / str(id), options, self.history) for id, namespace in namespaces.items()
        }
        self.watchers = [Watcher(member, self.history) for member in self.members.values()]
        self.switch = Switch(namespaces, Random(seed))

    async def run(self, seconds: float) -> None:
        """Storm and calm in turn, for about so long."""
        deadline = time.monotonic() + seconds
        self.switch.open()
        async with asyncio.TaskGroup() as tasks:
            helpers = [tasks.create_task(self.keep_watch()), tasks.create_task(self.feel_pulse())]
            for watcher in self.watchers:
                helpers += [tasks.create_task(watcher.ask()), tasks.create_task(watcher.follow())]
            try:
                for member in self.members.values():
                    member.start()
                await self.come_to_rest(REST)
                storms = draw_storms(self.seed, len(self.members))
                while time.monotonic() < deadline:
                    storm = next(storms)
                    await self.rage(storm)
                    await self.come_to_rest(storm.rest)
                await self.end()
            finally:
                for helper in helpers:
                    helper.cancel()
        self.switch.close()

    async def keep_watch(self) -> None:
        while True:
            for member in self.members.values():
                member.glance()
            await asyncio.sleep(GLANCE)

    async def feel_pulse(self) -> None:
        """Notice when this machine is too busy to be punctual."""
        before = time.time()
        while True:
            await asyncio.sleep(GLANCE)
            now = time.time()
            if now - before > GLANCE + STANDSTILL:
                self.history.add(Upset(before, now, "standstill"))
            before = now

    # Calm

    async def come_to_rest(self, rest: float) -> None:
        """Wait until all agree and all have had the lock, and so many seconds more."""
        for member in self.members.values():
            if not member.running:  # it ended by itself
                member.start()
        begin = time.time()
        agreed = await self.wait_for(lambda: self.agree_since(begin))
        used = None
        if self.has_lock and agreed is not None:
            used = await self.wait_for(lambda: all(member.last_entry > begin for member in self.members.values()))
        for watcher in self.watchers:
            await watcher.read_history()
        for member in self.members.values():
            member.measure()
        await asyncio.sleep(rest)
        self.history.add(Calm(begin, agreed, used, time.time()))
        took = "no agreement" if agreed is None else f"agreement after {agreed - begin:.1f} s"
        if self.has_lock and agreed is not None:
            took += ", not all got the lock" if used is None else f", all had the lock after {used - begin:.1f} s"
        self.say(f"  calm: {took}")

    async def wait_for(self, condition: Callable[[], bool]) -> float | None:
        """When the condition came true; None: not in time."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if condition():
                return time.time()
            await asyncio.sleep(GLANCE)
        return None

    def agree_since(self, begin: float) -> bool:
        """Whether all follow the same leader, which says so, too."""
        if not all(member.answered_since(begin) for member in self.members.values()):
            return False
        views = {id: member.view for id, member in self.members.items()}
        named = {(view.leader, view.term) for view in views.values()}
        leading = {(id, view.term) for id, view in views.items() if view.leads}
        return named == leading and len(named) == 1

    async def end(self) -> None:
        """Tell all to end, and see that they do."""
        for member in self.members.values():
            member.signal(signal.SIGTERM, "end")
        await asyncio.gather(*(member.make_end(PATIENCE) for member in self.members.values()))

    # Storm

    async def rage(self, storm: Storm) -> None:
        self.say(f"storm: {storm.weather}, {len(storm.faults)} faults")
        async with asyncio.TaskGroup() as tasks:
            for planned in storm.faults:
                tasks.create_task(self.inflict(planned))

    async def inflict(self, planned: Planned) -> None:
        """Do it, and undo it."""
        await asyncio.sleep(planned.at)
        disturb: dict[str, Callable[[Planned], Coroutine[Any, Any, None]]] = {
            "cut": self.cut,
            "mute": self.mute,
            "pair": self.cut_pair,
            "slow": self.slow,
            "lose": self.lose,
            "restart": self.restart,
        }
        members = tuple(dict.fromkeys(self.leader if id == LEADER else id for id in planned.members))
        planned = replace(planned, members=members)
        if planned.kind in disturb:
            self.note(planned)
            await disturb[planned.kind](planned)
            return
        member = self.members[members[0]]
        if member.taken or not member.running:
            return
        self.note(planned)
        hurt: dict[str, Callable[[Member, Planned], Coroutine[Any, Any, None]]] = {
            "kill": self.kill,
            "leave": self.leave,
            "stop": self.stop,
            "crowd": self.crowd,
            "full": self.fill_disk,
            "wipe": self.wipe,
            "damage": self.damage,
            "old": self.put_old_directory,
        }
        member.taken = True
        await hurt[planned.kind](member, planned)
        member.taken = False

    @property
    def leader(self) -> int:
        """Who leads, as far as anybody says so; else the first."""
        return next((id for id, member in self.members.items() if member.view is not None and member.view.leads), 1)

    def note(self, planned: Planned) -> None:
        self.history.add(Fault(time.time(), planned.kind, planned.members))

    # The network

    async def disturb(self, planned: Planned, links: Iterable[Link], loss: float = 0.0, delay: float = 0.0) -> None:
        begin = time.time()
        with self.switch.disturbed(links, loss, delay):
            await asyncio.sleep(planned.length)
        self.history.add(Upset(begin, time.time() + delay, planned.kind))

    async def cut(self, planned: Planned) -> None:
        await self.disturb(planned, between(planned.members, self.others(planned)), loss=1)

    async def mute(self, planned: Planned) -> None:
        speaker, *deaf = planned.members
        await self.disturb(planned, [(speaker, each) for each in deaf], loss=1)

    async def cut_pair(self, planned: Planned) -> None:
        one, *other = planned.members  # there is no other if the leader is both
        await self.disturb(planned, between([one], other), loss=1)

    async def slow(self, planned: Planned) -> None:
        await self.disturb(planned, between(planned.members, self.others(planned)), delay=planned.strength)

    async def lose(self, planned: Planned) -> None:
        await self.disturb(planned, between(planned.members, self.others(planned)), loss=planned.strength)

    def others(self, planned: Planned) -> list[int]:
        return [id for id in self.members if id not in planned.members]

    # Processes

    async def kill(self, member: Member, planned: Planned) -> None:
        await member.kill()
        await asyncio.sleep(planned.length / 2)
        member.start()

    async def leave(self, member: Member, planned: Planned) -> None:
        await self.wait_for(lambda: member.view is not None)  # before that it does not hear signals yet
        member.signal(Random(planned.seed).choice([signal.SIGTERM, signal.SIGINT]), "leave")
        await member.make_end(PATIENCE)
        await asyncio.sleep(planned.length / 2)
        member.start()

    async def stop(self, member: Member, planned: Planned) -> None:
        begin = time.time()
        member.signal(signal.SIGSTOP)
        await asyncio.sleep(planned.length)
        member.signal(signal.SIGCONT)
        self.history.add(Upset(begin, time.time(), "stop"))

    async def crowd(self, member: Member, planned: Planned) -> None:
        """Many strangers connect to both ports and say nothing, or nothing sensible."""
        chance = Random(planned.seed)
        strangers = []
        for _ in range(CROWD):
            port = chance.choice([(member.namespace.address, PEER_PORT), (LOOPBACK, HTTP_PORT)])
            with suppress(OSError):
                stranger = await member.namespace.connect(*port)
                strangers.append(stranger)
                if chance.random() < 0.5:
                    stranger.send(chance.randbytes(chance.randint(1, 1000)))
        await asyncio.sleep(planned.length)
        for stranger in strangers:
            stranger.close()

    async def restart(self, planned: Planned) -> None:
        """All of them, at once."""
        chance = Random(planned.seed)
        mine = [member for member in self.members.values() if member.running and not member.taken]
        for member in mine:
            member.taken = True
            member.signal(signal.SIGKILL, "kill")
        for member in mine:
            await member.ends_within(PATIENCE)
            await asyncio.sleep(chance.uniform(0, 0.3))
            member.start()
            member.taken = False

    # Disks and directories

    async def fill_disk(self, member: Member, planned: Planned) -> None:
        member.fill_disk()
        if planned.seed % 2:
            await member.kill()
            member.start()
        member.cause = "full"
        await asyncio.sleep(planned.length)
        member.free_disk()
        freed = time.time()
        await self.wait_for(lambda: not member.running or member.answered_since(freed + SURVIVAL))
        if member.running:
            member.cause = ""
        else:
            member.start()

    async def wipe(self, member: Member, planned: Planned) -> None:
        await member.kill()
        member.take_directory("newest")
        await self.start_in_vain(member, "wipe")

    async def damage(self, member: Member, planned: Planned) -> None:
        await member.kill()
        member.copy_directory("newest")
        member.damage_directory(Random(planned.seed))
        await self.start_in_vain(member, "damage")

    async def put_old_directory(self, member: Member, planned: Planned) -> None:
        """A copy from before its last start, or one that was made while it ran, before the last term."""
        if planned.seed % 2:
            await self.outlive_copy(member, planned)
        else:
            await member.kill()
            member.copy_directory("old")
            member.start()
            others = len(self.members) - 1
            await self.wait_for(lambda: member.view is not None and len(member.view.connected) == others)
        await asyncio.sleep(REST)
        await member.kill()
        member.copy_directory("newest")
        member.put_directory("old")
        await self.start_in_vain(member, "old")

    async def outlive_copy(self, member: Member, planned: Planned) -> None:
        """Copy its directory, and stop the leader for as long as the others wait for it."""
        term = member.view.term if member.view is not None else None
        member.copy_directory("old")
        await self.stop(self.members[self.leader], replace(planned, length=REPLACED_AFTER))
        await self.wait_for(lambda: member.view is not None and member.view.term != term)

    async def start_in_vain(self, member: Member, cause: str) -> None:
        """Start it without its memory: it has to end. Then give its memory back."""
        member.start(cause)
        await member.make_end(PATIENCE)
        member.put_directory("newest")
        member.start()
