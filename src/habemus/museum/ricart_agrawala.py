"""Ricart & Agrawala, broken."""

from __future__ import annotations

from habemus.museum.exhibit import Instance, exhibit
from habemus.mutex.ricart_agrawala import Reply, Request, RicartAgrawala
from habemus.process import Pid


@exhibit("ricart-agrawala-ties-for-both", violates="mutual_exclusion", instance=Instance(n=2, fifo=False))
class TiesForBoth(RicartAgrawala):
    """The numbers alone are compared: of two requests with the same one, each lets the other go first."""

    def weigh_request(self, sender: Pid, message: Request) -> None:
        self.highest = max(self.highest, message.number)
        if self.inside or (self.waiting and self.number < message.number):
            self.deferred.add(sender)
            return
        self.send(sender, Reply())
        if sender in self.permissions:  # kept from an earlier entry; the two of us may not both have it
            self.permissions.remove(sender)
            if self.waiting:
                self.send(sender, Request(self.number))


@exhibit("ricart-agrawala-ties-for-nobody", violates="deadlock_freedom", instance=Instance(n=2, fifo=False))
class TiesForNobody(RicartAgrawala):
    """The numbers alone are compared: of two requests with the same one, each waits for the other."""

    def weigh_request(self, sender: Pid, message: Request) -> None:
        self.highest = max(self.highest, message.number)
        if self.inside or (self.waiting and self.number <= message.number):
            self.deferred.add(sender)
            return
        self.send(sender, Reply())
        if sender in self.permissions:  # kept from an earlier entry; the two of us may not both have it
            self.permissions.remove(sender)
            if self.waiting:
                self.send(sender, Request(self.number))


@exhibit("ricart-agrawala-without-clock", violates="mutual_exclusion", instance=Instance(n=2, fifo=False))
class NoClock(RicartAgrawala):
    """The numbers of others are not noted, so who has agreed to a request may ask with an earlier number."""

    def weigh_request(self, sender: Pid, message: Request) -> None:
        if self.inside or (self.waiting and (self.number, self.id) < (message.number, sender)):
            self.deferred.add(sender)
            return
        self.send(sender, Reply())
        if sender in self.permissions:  # kept from an earlier entry; the two of us may not both have it
            self.permissions.remove(sender)
            if self.waiting:
                self.send(sender, Request(self.number))


@exhibit(
    "ricart-agrawala-keeps-what-it-gave",
    violates="mutual_exclusion",
    instance=Instance(n=2, fifo=False, parameters={"keep_permissions": True}, limits={"entries": 2}),
)
class KeepsWhatItGave(RicartAgrawala):
    """With Roucairol and Carvalho's saving: who agrees to a request still counts on the permission of who asks."""

    def weigh_request(self, sender: Pid, message: Request) -> None:
        self.highest = max(self.highest, message.number)
        if self.inside or (self.waiting and (self.number, self.id) < (message.number, sender)):
            self.deferred.add(sender)
            return
        self.send(sender, Reply())
