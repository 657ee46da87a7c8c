"""An algorithm of one's own: written, simulated, checked, and broken by a crash.

Everyone tells everyone its id; whoever has heard all ids follows the largest. The same works from the command line:

    habemus simulate examples/own_algorithm.py:TellAll --diagram run.svg
    habemus check examples/own_algorithm.py:TellAll --crashes 1
"""

from dataclasses import dataclass

from habemus import Scenario, check, simulate
from habemus.process import WORST, Bound, Election, Message, Pid, upon, upon_start


@dataclass(frozen=True)
class MyId(Message):
    id: Pid


class TellAll(Election):
    name = "tell-all"
    topology = "complete"
    guarantees = ("termination", "uniqueness", "agreement", "stability")
    bounds = (Bound(WORST, "n(n-1)", lambda n, m: n * (n - 1)),)

    told: bool = False
    heard: set[Pid] = set()

    @upon_start
    def tell_all(self) -> None:
        self.told = True
        self.send(self.neighbours, MyId(self.id))

    @upon(MyId)
    def hear(self, sender: Pid, message: MyId) -> None:
        if not self.told:
            self.tell_all()
        self.heard.add(message.id)
        if len(self.heard) == self.n - 1:
            self.elect(max(self.heard | {self.id}))


def main() -> None:
    scenario = Scenario(f"{__file__}:TellAll")
    outcome = simulate(scenario)
    print(f"simulated: process {outcome.leader} leads after {outcome.messages} messages")
    verdict = check(scenario)
    print(f"checked: {verdict.verdict}, in {verdict.states} states")
    verdict = check(scenario, crashes=1)
    print(f"checked with a crash: {verdict.verdict}: {verdict.witness}")


if __name__ == "__main__":
    main()
