"""The events of a group for those who read them, each at its own pace.

An engine tells and goes on. What a reader has not read yet waits in a backlog of its own; if it is full, the oldest are
dropped, and the reader is told how many.
"""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections import deque

from habemus.service.engine import Engine
from habemus.service.lease import call_in
from habemus.service.view import Event, Lagged

BACKLOG = 1000


class Stream:
    """Follows an engine. The blocking iterator and that of asyncio are built on it."""

    def __init__(self, engine: Engine) -> None:
        self.backlog: deque[Event] = deque()
        self.missed = 0
        self.ended = False
        self.mutex = threading.Lock()
        itself = weakref.ref(self)  # the engine does not keep a stream that nobody reads any more

        def tell(event: Event) -> None:
            stream = itself()
            if stream is not None:
                stream.tell(event)

        self.unfollow = weakref.finalize(self, engine.follow(tell))
        self.unfollow.atexit = False

    def tell(self, event: Event) -> None:
        with self.mutex:
            if len(self.backlog) == BACKLOG:
                self.backlog.popleft()
                self.missed += 1
            self.backlog.append(event)
        self.wake()

    def wake(self) -> None:
        """There is something to read."""
        raise NotImplementedError

    def take(self) -> Event | Lagged | None:
        """The next one; None if there is none yet."""
        with self.mutex:
            if self.missed:
                lagged, self.missed = Lagged(self.missed), 0
                return lagged
            return self.backlog.popleft() if self.backlog else None

    def close(self) -> None:
        """Follow no longer. Who reads comes to an end after what is there already."""
        if not self.ended:
            self.ended = True
            self.unfollow()
            self.wake()


class Events(Stream):
    """`async for event in group.events()`: in one task."""

    def __init__(self, engine: Engine) -> None:
        self.loop = asyncio.get_running_loop()
        self.news = asyncio.Event()
        super().__init__(engine)

    def wake(self) -> None:
        call_in(self.loop, self.news.set)

    def __aiter__(self) -> Events:
        return self

    async def __anext__(self) -> Event | Lagged:
        while (event := self.take()) is None:
            if self.ended:
                raise StopAsyncIteration
            self.news.clear()
            if not self.backlog:
                await self.news.wait()
        return event


class BlockingEvents(Stream):
    """`for event in group.events()`: in one thread."""

    def __init__(self, engine: Engine) -> None:
        self.news = threading.Event()
        super().__init__(engine)

    def wake(self) -> None:
        self.news.set()

    def __iter__(self) -> BlockingEvents:
        return self

    def __next__(self) -> Event | Lagged:
        while (event := self.take()) is None:
            if self.ended:
                raise StopIteration
            self.news.clear()
            if not self.backlog and not self.ended:
                self.news.wait()
        return event
