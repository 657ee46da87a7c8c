"""What may go wrong while the ledger allows it, and what a failure detector may say of it.

    crash, recover     a process stops, and loses all but its durable fields; it is back
    lose, double       a message is lost, or arrives and is still under way
    overtake           a message arrives before one that was sent earlier on a link that keeps the order otherwise
    mistake            a process is told to suspect another that is well; it is told to trust it again, some time later

A detector is as good as the limits say:

    perfect        speaks of the crashed only, to each process on its own, after their last message has arrived
    simultaneous   the same, but to all at one moment
    eventual       may make mistakes, and waits for no message
"""

from __future__ import annotations

from habemus.checking.inboxes import CLOSED
from habemus.checking.limits import BOUNDED, EVENTUAL, SIMULTANEOUS
from habemus.checking.moves import Ledger, Move, Moves, State
from habemus.checking.probe import WORDS, Event, Local


class Faults(Moves):
    """What becomes of a global state when something goes wrong in it."""

    @property
    def listens(self) -> bool:
        """Whether anybody listens to a detector."""
        return self.limits.detection >= 0

    def expand_faults(self, moves: list[Move], state: State) -> None:
        """What may go wrong, or right again, while the ledger allows it."""
        ledger = self.ledger(state)
        silence = 0 if ledger.pulse else ledger.silence  # in lock-step there may be more to say after this
        for place in range(self.n):
            local = self.locals[state[place]]
            if local.up and ledger.crashes:
                self.crash(moves, state, place, ledger._replace(crashes=ledger.crashes - 1, silence=silence))
            elif not local.up and ledger.recoveries:
                self.recover(moves, state, place, ledger._replace(recoveries=ledger.recoveries - 1, silence=silence))
            if ledger.losses or ledger.doubles or ledger.reorders:
                self.disturb(moves, state, place, ledger)
            if ledger.mistakes and local.up and self.hears[state[place]]:
                self.mistake(moves, state, place, ledger._replace(mistakes=ledger.mistakes - 1))

    # Messages

    def disturb(self, moves: list[Move], state: State, place: int, ledger: Ledger) -> None:
        """What is under way to a process is lost, comes twice, or comes too early."""
        n = self.n
        inbox = state[n + place]
        up = self.locals[state[place]].up
        for event, rest in self.inboxes.arrivals(inbox):
            parcel = self.events[event]
            if parcel.kind != "deliver":
                continue
            if ledger.losses:
                child = list(state)
                child[n + place] = rest
                child[2 * n + 1] = self.ledger_number(ledger._replace(losses=ledger.losses - 1))
                lost = self.event_number(Event("lose", place, "", 0, parcel.sender, parcel.message))
                moves.append(Move(lost, None, tuple(child)))
            if ledger.doubles and up:
                less = ledger._replace(doubles=ledger.doubles - 1)
                self.take_as_fault(moves, state, event, inbox, "double", less)
        if ledger.reorders and up:
            less = ledger._replace(reorders=ledger.reorders - 1)
            for event, rest in self.inboxes.overtaking(inbox):
                if self.events[event].kind == "deliver":
                    self.take_as_fault(moves, state, event, rest, "overtake", less)

    # Processes

    def crash(self, moves: list[Move], state: State, place: int, ledger: Ledger) -> None:
        """A process stops at once; what it sent is still under way."""
        n, pid = self.n, self.topology.ids[place]
        local = self.locals[state[place]]
        child = list(state)
        if ledger.recoveries:
            layers = self.probes[place].rebirth(local)
            child[place] = self.local_number(Local(place, False, True, local.wishes, local.alarms, (), layers))
        else:
            child[place] = self.local_number(Local(place, False, True, 0, 0, (), ()))
            child[n + place] = CLOSED
        self.announce(child, place, "suspect")
        note = self.onlookers.number_of(((pid, "crash", None),))
        child[2 * n] = self.onlookers.after(state[2 * n], note)
        child[2 * n + 1] = self.ledger_number(ledger)
        moves.append(Move(self.event_number(Event("crash", place)), None, tuple(child)))

    def recover(self, moves: list[Move], state: State, place: int, ledger: Ledger) -> None:
        """A process is back with its durable fields only."""
        n = self.n
        event = self.event_number(Event("recover", place))
        before = len(moves)
        self.take_as_fault(moves, state, event, state[n + place], "recover", ledger)
        for move in moves[before:]:
            child = list(move.state)
            for other in range(n):
                if not self.locals[child[other]].up:
                    if self.listens:
                        word = self.event_number(Event("suspect", place, "", 0, self.topology.ids[other]))
                        child[n + place] = self.inboxes.added(self.inboxes.without(child[n + place], {word}), word)
                    if not ledger.recoveries:  # it will not be back
                        child[other] = self.local_number(Local(other, False, True, 0, 0, (), ()))
                        child[n + other] = CLOSED
            self.announce(child, place, "trust")
            move.state = tuple(child)

    # The detector

    def announce(self, child: list[int], place: int, word: str) -> None:
        """The detector will tell all others, if anybody has a clause for it, and takes back what is no longer true."""
        if not self.listens:
            return
        n, pid = self.n, self.topology.ids[place]
        heeded = any(word in anatomy.events for anatomy in self.stack)
        for other in range(n):
            if other == place:
                continue
            inbox = child[n + other]
            trust = self.event_number(Event("trust", other, "", 0, pid))
            stale = {trust, self.event_number(Event("suspect", other, "", 0, pid))}
            suspected = self.limits.detector == EVENTUAL and trust in self.inboxes.events(inbox)
            child[n + other] = self.inboxes.without(inbox, stale)
            if heeded and self.locals[child[other]].up and not (suspected and word == "suspect"):
                news = self.event_number(Event(word, other, "", 0, pid))
                child[n + other] = self.inboxes.added(child[n + other], news)

    def may_be_told(self, state: State, event: int) -> bool:
        """Whether the detector may say so to one: the perfect one not while a message of the dead is under way."""
        word = self.events[event]
        if word.kind in WORDS and self.limits.detector == SIMULTANEOUS:
            return False
        return word.kind != "suspect" or self.is_known_dead(state, word.sender)

    def is_known_dead(self, state: State, subject: int) -> bool:
        """Whether the detector knows of a crash: the last message of the dead has arrived, if it waits for that."""
        if self.limits.timing == BOUNDED or self.limits.detector == EVENTUAL:
            return True
        for inbox in state[self.n : 2 * self.n]:
            for number in self.inboxes.events(inbox):
                if self.events[number].kind == "deliver" and self.events[number].sender == subject:
                    return False
        return True

    def is_news_under_way(self, state: State) -> bool:
        """Whether the detector has something to say that has not been heard."""
        return any(
            self.events[event].kind in WORDS for i in state[self.n : 2 * self.n] for event in self.inboxes.events(i)
        )

    def tell_all(self, moves: list[Move], state: State) -> None:
        """The simultaneous detector speaks: all who have yet to hear something are told at one moment.

        With time that is when it is due for the first of them, for one who is just back has not waited as long.
        """
        n = self.n
        waiting: dict[tuple[str, int], list[tuple[int, int]]] = {}
        arriving = {event for inbox in state[n : 2 * n] for event, _ in self.inboxes.arrivals(inbox)}
        enough = any if self.limits.timing == BOUNDED else all
        for place in range(n):
            for event in self.inboxes.events(state[n + place]):
                word = self.events[event]
                if word.kind in WORDS:
                    waiting.setdefault((word.kind, word.sender), []).append((place, event))
        for (kind, subject), told in waiting.items():
            awake = all(self.hears[state[place]] for place, _ in told)
            ready = awake and enough([event in arriving for _, event in told])
            if ready and (kind == "trust" or self.is_known_dead(state, subject)):
                child = list(state)
                for place, event in told:
                    child[n + place] = self.inboxes.without(child[n + place], {event})
                news = self.event_number(Event("inform", -1, kind, 0, subject))
                for after, coins in self.taken_together(child, told):
                    moves.append(Move(news, None, tuple(after), coins))

    def mistake(self, moves: list[Move], state: State, place: int, ledger: Ledger) -> None:
        """A process is told to suspect another that is well, and will be told to trust it again."""
        inbox = state[self.n + place]
        for other, pid in enumerate(self.topology.ids):
            trust = self.event_number(Event("trust", place, "", 0, pid))
            if other == place or not self.locals[state[other]].up or trust in self.inboxes.events(inbox):
                continue
            word = self.event_number(Event("suspect", place, "", 0, pid))
            self.take_as_fault(moves, state, word, self.inboxes.added(inbox, trust), "mistake", ledger)
