"""One session in a lock table: what it holds, what it waits for, and the answers it may ask for again."""

from __future__ import annotations

from habemus.process import Pid
from habemus.replication.entries import FORGOTTEN, Event, Granted, Queued, Refused, Reserved, SessionImage


class Session:
    """A session that is open."""

    def __init__(self, number: int, owner: Pid, opening: int, ttl: int, metadata: str) -> None:
        self.number = number
        self.owner = owner
        self.opening = opening
        self.ttl = ttl
        self.metadata = metadata
        self.answered = 0  # the low-water mark
        self.held: dict[int, Granted] = {}  # by token
        self.tokens: dict[int, int] = {}  # of what is held, by request
        self.waiting: dict[int, tuple[str, int]] = {}  # name and ticket, by request
        self.answers: dict[int, Event] = {}  # by request; of those above the mark that neither hold nor wait

    def raise_mark(self, answered: int) -> None:
        """Forget the answers that the session has heard."""
        if answered <= self.answered:
            return
        if answered - self.answered <= len(self.answers):
            for request in range(self.answered + 1, answered + 1):
                self.answers.pop(request, None)
        elif self.answers:
            self.answers = {request: answer for request, answer in self.answers.items() if request > answered}
        self.answered = answered

    def repeat(self, request: int) -> Event | None:
        """What there is to say to a request that was heard of before; None if it is new."""
        token = self.tokens.get(request)
        if token is not None:
            return self.held[token]
        if request in self.waiting:
            return Queued(self.number, request)
        answer = self.answers.get(request)
        if answer is None and request <= self.answered:
            return Refused(self.number, request, FORGOTTEN)
        return answer

    def remember(self, request: int, answer: Event) -> None:
        """Keep the answer to a request that neither holds nor waits."""
        if request > self.answered:
            self.answers[request] = answer

    def hold(self, granted: Granted) -> None:
        """A request of this session was granted: it no longer waits."""
        self.waiting.pop(granted.request, None)
        self.held[granted.token] = granted
        self.tokens[granted.request] = granted.token

    def give_back(self, token: int) -> Granted:
        granted = self.held.pop(token)
        del self.tokens[granted.request]
        return granted

    def freeze(self) -> SessionImage:
        answers = [self.answers[request] for request in sorted(self.answers)]
        return SessionImage(
            self.number,
            self.owner,
            self.opening,
            self.ttl,
            self.metadata,
            self.answered,
            tuple([answer for answer in answers if isinstance(answer, Granted)]),
            tuple([answer for answer in answers if isinstance(answer, Refused)]),
            tuple([answer for answer in answers if isinstance(answer, Reserved)]),
        )


def thaw_session(image: SessionImage) -> Session:
    """The session without what it holds and waits for, which stands with the names."""
    session = Session(image.session, image.owner, image.opening, image.ttl, image.metadata)
    session.answered = image.answered
    for granted in image.granted:
        session.answers[granted.request] = granted
    for refused in image.refused:
        session.answers[refused.request] = refused
    for reserved in image.reserved:
        session.answers[reserved.request] = reserved
    return session
