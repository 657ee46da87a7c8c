"""What is under way to a process, interned: an inbox is a small number, and its three uses are table look-ups.

An inbox is a set of queues. Where links keep the order there is one for each sender, and only its head can arrive;
where they do not, every message is a queue of its own. With time, each message has an age: it may arrive from
`earliest` ticks on and does not let time pass once it is `latest` old.
"""

from __future__ import annotations

EMPTY, CLOSED = 0, 1

Entry = tuple[int, int]
Queue = tuple[int, tuple[Entry, ...]]
Content = tuple[Queue, ...]


class Inboxes:
    """All inboxes met so far."""

    def __init__(self, fifo: bool, timed: bool) -> None:
        self.fifo = fifo
        self.timed = timed
        self.contents: list[Content] = [(), ((-1, ()),)]  # a closed one takes nothing in: its owner is gone for good
        self.numbers: dict[Content, int] = {content: number for number, content in enumerate(self.contents)}
        self.arriving: list[list[tuple[int, int]] | None] = [[], []]
        self.additions: dict[tuple[int, int], int] = {}
        self.channels: list[int] = []  # of each event: which queue it joins where order is kept
        self.earliest: list[int] = []
        self.latest: list[int] = []

    def register(self, event: int, channel: int, earliest: int, latest: int) -> None:
        """Make an event known that inboxes may hold."""
        while len(self.channels) <= event:
            self.channels.append(-1)
            self.earliest.append(0)
            self.latest.append(0)
        self.channels[event] = channel
        self.earliest[event] = earliest
        self.latest[event] = latest

    def number(self, content: Content) -> int:
        """The number of an inbox."""
        number = self.numbers.get(content)
        if number is None:
            number = self.numbers[content] = len(self.contents)
            self.contents.append(content)
            self.arriving.append(None)
        return number

    def arrivals(self, inbox: int) -> list[tuple[int, int]]:
        """What can arrive now, each with the inbox that it leaves behind."""
        known = self.arriving[inbox]
        if known is None:
            content = self.contents[inbox]
            known = []
            for place, (channel, entries) in enumerate(content):
                event, age = entries[0]
                if (self.timed and age < self.earliest[event]) or (place and content[place - 1] == content[place]):
                    continue
                rest = ((channel, entries[1:]),) if len(entries) > 1 else ()
                known.append((event, self.number(content[:place] + rest + content[place + 1 :])))
            self.arriving[inbox] = known
        return known

    def overtaking(self, inbox: int) -> list[tuple[int, int]]:
        """What could arrive before others in its queue, each with the inbox that it leaves behind."""
        content = self.contents[inbox]
        found = []
        for place, (channel, entries) in enumerate(content):
            for position in range(1, len(entries)):
                event, age = entries[position]
                if not self.timed or age >= self.earliest[event]:
                    rest = (channel, entries[:position] + entries[position + 1 :])
                    found.append((event, self.number((*content[:place], rest, *content[place + 1 :]))))
        return found

    def added(self, inbox: int, event: int) -> int:
        """The inbox with one more message under way."""
        known = self.additions.get((inbox, event))
        if known is None:
            known = inbox
            if inbox != CLOSED:
                queues = list(self.contents[inbox])
                channel = self.channels[event]
                behind = [place for place, queue in enumerate(queues) if queue[0] == channel]
                if self.fifo and behind:
                    queues[behind[0]] = (channel, (*queues[behind[0]][1], (event, 0)))
                else:
                    queues.append((channel, ((event, 0),)))
                known = self.number(tuple(sorted(queues)))
            self.additions[(inbox, event)] = known
        return known

    def without(self, inbox: int, unwanted: set[int]) -> int:
        """The inbox without certain messages."""
        queues = []
        for channel, entries in self.contents[inbox]:
            kept = tuple([entry for entry in entries if entry[0] not in unwanted])
            if kept or not entries:
                queues.append((channel, kept))
        return self.number(tuple(queues))

    def events(self, inbox: int) -> list[int]:
        """Everything that is under way, heads and all."""
        return [event for _, entries in self.contents[inbox] for event, _ in entries]

    def is_due(self, inbox: int) -> bool:
        """Whether something has to arrive before time passes."""
        latest = self.latest
        return any(age >= latest[event] for _, entries in self.contents[inbox] for event, age in entries)

    def older(self, inbox: int) -> int:
        """The inbox one tick later."""
        aged = [
            (channel, tuple([(event, age + 1) for event, age in entries])) for channel, entries in self.contents[inbox]
        ]
        return self.number(tuple(sorted(aged)))
