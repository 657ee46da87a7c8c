"""Chang & Roberts, broken."""

from __future__ import annotations

from habemus.election.chang_roberts import Candidate, ChangRoberts, Elected
from habemus.museum.exhibit import Instance, exhibit
from habemus.process import Pid

LISTED = "As lecture notes list it, for rings where the largest starts: see chang-roberts-listing."


@exhibit("chang-roberts-without-flag", violates="termination", instance=Instance(n=2, starters=(1,)), happened=LISTED)
class SwallowsAlways(ChangRoberts):
    """Without the participant flag a weaker candidate is swallowed even by one that does not stand itself."""

    def weigh_candidate(self, sender: Pid, message: Candidate) -> None:
        if message.id > self.id:  # a stronger candidate: pass it on
            if not self.participant:
                self.take_part()
            self.send(self.successor, message)
        elif message.id < self.id:  # a weaker one: swallow it
            pass
        else:  # our own id came home, past everybody: nobody is stronger
            self.participant = False
            self.elect(self.id)
            self.send(self.successor, Elected(self.id))


@exhibit("chang-roberts-without-announcement", violates="agreement", instance=Instance(n=2), happened=LISTED)
class KeepsItToItself(ChangRoberts):
    """The winner tells nobody."""

    def weigh_candidate(self, sender: Pid, message: Candidate) -> None:
        if message.id > self.id:  # a stronger candidate: pass it on
            if not self.participant:
                self.take_part()
            self.send(self.successor, message)
        elif message.id < self.id:  # a weaker one: stand in its place, or swallow it if we stand already
            self.call_election()
        else:  # our own id came home, past everybody: nobody is stronger
            self.participant = False
            self.elect(self.id)


@exhibit("chang-roberts-in-a-hurry", violates="uniqueness", instance=Instance(n=3))
class InAHurry(ChangRoberts):
    """Who swallows a weaker candidate takes itself for elected, and does not wait until its own id is home."""

    def weigh_candidate(self, sender: Pid, message: Candidate) -> None:
        if message.id > self.id:  # a stronger candidate: pass it on
            if not self.participant:
                self.take_part()
            self.send(self.successor, message)
        else:  # nobody on the way here was stronger
            self.participant = False
            self.elect(self.id)
            self.send(self.successor, Elected(self.id))
