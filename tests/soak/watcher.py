"""Asks every node over HTTP who leads, and follows its events."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress

from .history import Answer, Claim, Entry, Exit, History
from .member import HTTP_PORT, LOOPBACK, Member, View

PERIOD = 0.2  # seconds between two questions
PATIENCE = 2.0  # seconds for an answer


class Watcher:
    """Watches one member, over all its lives."""

    def __init__(self, member: Member, history: History) -> None:
        self.member = member
        self.history = history
        self.known_changes: set[tuple[int, float, int | None, int]] = set()

    async def ask(self) -> None:
        """Ask again and again whether it leads."""
        member = self.member
        while True:
            if member.running:
                life, sent = member.life, time.time()
                answer = await self.get("/leader")
                leads = None if answer is None else answer[0] == 200
                self.history.add(Answer(sent, time.time(), member.id, leads))
                if answer is not None and life == member.life:
                    self.note_status(life, sent, answer[0] == 200, answer[1])
            await asyncio.sleep(PERIOD)

    def note_status(self, life: int, sent: float, leads: bool, status: dict) -> None:
        leader, term = status["leader"], status["term"]
        self.member.view = View(sent, leads, leader, term, tuple(status["connected"]))
        if term is not None:
            self.history.add(Claim(time.time(), self.member.id, life, "answer", leader, term))

    async def follow(self) -> None:
        """Hear every change that it announces."""
        member = self.member
        while True:
            if member.running:
                with suppress(OSError, EOFError):
                    await self.follow_life(member.life)
            await asyncio.sleep(PERIOD / 4)

    async def follow_life(self, life: int) -> None:
        reader, writer = await self.request("/events")
        try:
            while line := await reader.readline():
                if line.startswith(b"data: "):
                    self.note_change(life, json.loads(line[6:]))
        finally:
            writer.close()

    def note_change(self, life: int, change: dict) -> None:
        if "what" not in change:
            return  # its status, which comes first
        where = (change["time"], self.member.id, life, "events")
        match change["what"]:
            case "leader" if change["term"] is not None:
                self.history.add(Claim(*where, change["subject"], change["term"]))
            case "enter":
                self.history.add(Entry(*where, change["subject"]))
                self.member.last_entry = change["time"]
            case "leave":
                self.history.add(Exit(*where))

    async def read_history(self) -> None:
        """What it remembers of the leaders until now."""
        life = self.member.life
        answer = await self.get("/history")
        for change in answer[1] if answer is not None else []:
            known = (life, change["time"], change["subject"], change["term"])
            if change["term"] is not None and known not in self.known_changes:
                self.known_changes.add(known)
                self.history.add(
                    Claim(change["time"], self.member.id, life, "history", change["subject"], change["term"])
                )

    async def get(self, path: str):
        """The status and the JSON of an answer; None if there is none in time."""
        with suppress(OSError, EOFError, TimeoutError):
            async with asyncio.timeout(PATIENCE):
                reader, writer = await self.request(path)
                try:
                    head = await reader.readuntil(b"\r\n\r\n")
                    return int(head.split()[1]), json.loads(await reader.read())
                except ValueError:  # it was killed before it had said all
                    return None
                finally:
                    writer.close()
        return None

    async def request(self, path: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        connection = await self.member.namespace.connect(LOOPBACK, HTTP_PORT)
        reader, writer = await asyncio.open_connection(sock=connection)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {LOOPBACK}\r\nConnection: close\r\n\r\n".encode())
        return reader, writer
