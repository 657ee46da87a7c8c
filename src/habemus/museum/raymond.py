"""Raymond, broken."""

from __future__ import annotations

from habemus.museum.exhibit import Instance, exhibit
from habemus.mutex.raymond import Privilege, Raymond
from habemus.process import Pid


@exhibit("raymond-hands-over-inside", violates="mutual_exclusion", instance=Instance(n=2, edges=((1, 2),)))
class HandsOverInside(Raymond):
    """The privilege is passed on by one who is still inside."""

    def assign_privilege(self) -> None:
        """If the privilege is here and nobody uses it, it goes to the first in the queue."""
        if self.holder == self.id and self.queue:
            first = self.queue.pop(0)
            if first == self.id:
                self.enter()
            else:
                self.holder = first
                self.send(first, Privilege())


@exhibit("raymond-asks-no-more", violates="deadlock_freedom", instance=Instance(n=3, edges=((1, 2), (2, 3))))
class AsksNoMore(Raymond):
    """The privilege is passed on and not asked back, though others wait in the queue."""

    def move_on(self) -> None:
        if self.holder == self.id:
            self.assign_privilege()
        else:
            self.make_request()


@exhibit(
    "raymond-forgets-to-forget",
    violates="deadlock_freedom",
    instance=Instance(n=2, edges=((1, 2),), limits={"entries": 2}),
)
class ForgetsToForget(Raymond):
    """`asked` is not cleared when the privilege comes, so the next time nobody asks for it."""

    def take_privilege(self, sender: Pid, message: Privilege) -> None:
        self.holder = self.id
        self.move_on()
