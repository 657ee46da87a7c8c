"""What is in transit to a process, by number: an inbox is a small number, and its uses are table look-ups.

An inbox is a set of queues. Where links keep the order there is one for each sender, and only its head can arrive;
where they do not, every message is a queue of its own. With time, each message has an age: it may arrive from
`earliest` ticks on, and no time passes before it arrives once it is `latest` old.
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
        self.contents: list[Content] = [(), ((-1, ()),)]  # a closed one takes nothing in: its owner will not recover
        self.numbers: dict[Content, int] = {content: number for number, content in enumerate(self.contents)}
        self.arriving: list[list[tuple[int, int]] | None] = [[], []]
        self.additions: dict[tuple[int, int], int] = {}
        self.channels: list[int] = []  # of each action: which queue it joins where order is kept
        self.earliest: list[int] = []
        self.latest: list[int] = []

    def register(self, action: int, channel: int, earliest: int, latest: int) -> None:
        """Make an action known that inboxes may hold."""
        while len(self.channels) <= action:
            self.channels.append(-1)
            self.earliest.append(0)
            self.latest.append(0)
        self.channels[action] = channel
        self.earliest[action] = earliest
        self.latest[action] = latest

    def number_of(self, content: Content) -> int:
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
            for index, (channel, entries) in enumerate(content):
                action, age = entries[0]
                if (self.timed and age < self.earliest[action]) or (index and content[index - 1] == content[index]):
                    continue
                rest = ((channel, entries[1:]),) if len(entries) > 1 else ()
                known.append((action, self.number_of(content[:index] + rest + content[index + 1 :])))
            self.arriving[inbox] = known
        return known

    def overtaking(self, inbox: int) -> list[tuple[int, int]]:
        """What could arrive before others in its queue, each with the inbox that it leaves behind."""
        content = self.contents[inbox]
        found = []
        for index, (channel, entries) in enumerate(content):
            for position in range(1, len(entries)):
                action, age = entries[position]
                if not self.timed or age >= self.earliest[action]:
                    rest = (channel, entries[:position] + entries[position + 1 :])
                    found.append((action, self.number_of((*content[:index], rest, *content[index + 1 :]))))
        return found

    def add(self, inbox: int, action: int) -> int:
        """The inbox with one more message in transit."""
        known = self.additions.get((inbox, action))
        if known is None:
            known = inbox
            if inbox != CLOSED:
                queues = list(self.contents[inbox])
                channel = self.channels[action]
                behind = [index for index, queue in enumerate(queues) if queue[0] == channel]
                if self.fifo and behind:
                    queues[behind[0]] = (channel, (*queues[behind[0]][1], (action, 0)))
                else:
                    queues.append((channel, ((action, 0),)))
                known = self.number_of(tuple(sorted(queues)))
            self.additions[(inbox, action)] = known
        return known

    def remove(self, inbox: int, unwanted: set[int]) -> int:
        """The inbox without certain messages."""
        queues = []
        for channel, entries in self.contents[inbox]:
            kept = tuple([entry for entry in entries if entry[0] not in unwanted])
            if kept or not entries:
                queues.append((channel, kept))
        return self.number_of(tuple(queues))

    def actions(self, inbox: int) -> list[int]:
        """Everything that is in transit."""
        return [action for _, entries in self.contents[inbox] for action, _ in entries]

    def is_due(self, inbox: int) -> bool:
        """Whether something has to arrive before time may pass."""
        latest = self.latest
        return any(age >= latest[action] for _, entries in self.contents[inbox] for action, age in entries)

    def age(self, inbox: int) -> int:
        """The inbox one tick later."""
        aged = [
            (channel, tuple([(action, age + 1) for action, age in entries]))
            for channel, entries in self.contents[inbox]
        ]
        return self.number_of(tuple(sorted(aged)))
