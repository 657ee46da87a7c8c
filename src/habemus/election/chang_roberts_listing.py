"""Chang & Roberts as the lecture notes list it: pass on what is larger, and declare yourself when your id is home.

Whoever misses the leader sends its id clockwise. A process passes on larger ids and swallows smaller ones, whether or
not it stands itself. Whose id comes home declares itself leader.

Assumes   a unidirectional ring, unique ids, reliable links, no crashes; no bound on delays.
Gives     uniqueness, stability; termination if the largest id starts. Nobody else learns the result.
Costs     all start: n·H_n messages on average, n(n+1)/2 at worst, 2n - 1 at best. One message only goes all the way.
Why safe  only the largest id passes every process.

Two exercises come with it. How have the ids to be arranged for the worst case? Falling along the ring, in the direction
of travel: then the k-th largest goes n - k + 1 hops, n(n+1)/2 together (chang-roberts-listing-worst). How do the others
learn the result? The winner sends it round once more, n messages (chang-roberts). And there is a third: if one that is
not the largest starts alone, its id is swallowed and nobody leads (chang-roberts-listing-swallowed); so whoever
swallows an id has to stand in its place, unless it does already, which is what the participant flag is for.

The lecture notes on coordination, "Algoritmo de Chang e Robert", after E. Chang, R. Roberts. CACM 22(5), 1979.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import MEAN, WORST, Bound, Election, Message, Pid, harmonic, upon, upon_start


@dataclass(frozen=True)
class Candidate(Message):
    """An id that no process on its way so far exceeds."""

    id: Pid


@mypyc_attr(allow_interpreted_subclasses=True)
class ChangRobertsListing(Election):
    name = "chang-roberts-listing"
    topology = "ring"
    guarantees = ("uniqueness", "stability")  # and termination if the largest id starts
    bounds = (
        Bound(WORST, "n(n+1)/2", lambda n, m: n * (n + 1) / 2),
        Bound(MEAN, "n·H_n", lambda n, m: n * harmonic(n)),
    )

    standing: bool = False

    @property
    def candidate(self) -> bool:
        return self.standing and self.leader is None

    @upon_start
    def stand(self) -> None:
        self.standing = True
        self.send(self.successor, Candidate(self.id))

    @upon(Candidate)
    def weigh_candidate(self, sender: Pid, message: Candidate) -> None:
        if message.id == self.id:
            self.elect(self.id)
        elif message.id > self.id:
            self.send(self.successor, message)
