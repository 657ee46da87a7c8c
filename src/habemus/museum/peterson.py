"""Peterson, broken."""

from __future__ import annotations

from habemus.election.peterson import Elected, First, Peterson, Second
from habemus.museum.exhibit import Instance, exhibit
from habemus.process import Pid


@exhibit("peterson-strictly-greater", violates="termination", instance=Instance(n=2))
class MustBeLarger(Peterson):
    """Of two that are left each learns of the other twice, and finds no id that is strictly the largest of three."""

    def compare_second(self, sender: Pid, message: Second) -> None:
        if not self.active:
            self.send(self.successor, message)
        elif self.before > max(self.temporary, message.id):
            self.begin_phase(self.before)
        else:
            self.active = False


@exhibit("peterson-crowns-the-messenger", violates="uniqueness", instance=Instance(n=2))
class CrownsTheMessenger(Peterson):
    """Who is left over crowns itself, though the temporary id that it carries, and announces, is another's."""

    def compare_first(self, sender: Pid, message: First) -> None:
        self.stand()  # whoever is reached takes part
        if not self.active:
            self.send(self.successor, message)
        elif message.id == self.temporary:  # it went all the way round: nobody else is active
            self.elect(self.id)
            self.send(self.successor, Elected(message.id))
        elif self.improved:
            self.compare_once(message.id)
        else:
            self.before = message.id
            self.send(self.successor, Second(max(message.id, self.temporary)))
