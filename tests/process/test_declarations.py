"""A driver reads what it needs to know from the class: an own algorithm is treated as those of the catalogue."""

from dataclasses import dataclass

from habemus.checking.answer.defaults import default_question, default_size
from habemus.checking.answer.questions import settle as settled_for_checker
from habemus.network.node.timing import complete_scenario, longest_pause
from habemus.process import (
    Durable,
    Election,
    Message,
    Mutex,
    Parameter,
    dissect,
    upon,
    upon_command,
    upon_leader,
    upon_start,
    upon_suspect,
)
from habemus.process.anatomy import assumes_reliable_links
from habemus.scenario import Crash, Network, Scenario, TopologySpec
from habemus.scenario.specimens import specimens
from habemus.scenario.stack import build_stack
from habemus.simulation import simulate


@dataclass(frozen=True)
class Hail(Message):
    """I stand."""


class Herald(Election):
    """The largest id leads. It names its parameters and its term as nobody else does."""

    name = "herald"
    topology = "complete"
    term_field = "reign"
    synchronous = True
    tolerates_loss = True
    has_heartbeats = True
    on_network = ({"journey": 70}, {"calm": 900, "pulse": 200})
    small_times = {"journey": 2, "calm": 3, "pulse": 1}
    small_parameters = {"crowd": 1}
    small_bounds = {"reign": 4}
    small_n = 2

    journey: Parameter[int] = 8
    calm: Parameter[int] = 50
    pulse: Parameter[int] = 20
    crowd: Parameter[int] = 9

    reign: Durable[int] = 0

    @property
    def delay_bound(self):
        return self.journey

    @property
    def detection_time(self):
        return 3 * self.journey

    @property
    def gives_up_after(self):
        return self.calm - self.pulse

    def weight_of(self, process):
        return 1 if process == self.crowd else 0

    @upon_start
    def stand(self):
        self.send(self.neighbours, Hail())
        self.lead_or_follow()

    @upon(Hail)
    def note(self, sender, message):
        self.lead_or_follow()

    def lead_or_follow(self):
        if self.leader is None:
            self.reign += 1
        self.elect(max(self.members, key=self.rank_of))

    @upon_suspect
    def miss(self, subject):
        pass


class Gate(Mutex):
    """Lets in whom the election below names, and nobody else."""

    name = "gate"
    topology = "complete"
    default_election = f"{__name__}:Herald"

    chief: int = 0

    @upon_leader
    def follow(self, leader):
        self.chief = leader or 0
        self.go_in()

    @upon_command("acquire")
    def want(self):
        self.ask()
        self.go_in()

    def go_in(self):
        if self.waiting and self.chief == self.id:
            self.enter()

    @upon_command("release")
    def out(self):
        self.leave()


HERALD, GATE = f"{__name__}:Herald", f"{__name__}:Gate"


def test_the_simulator_takes_its_delay_bound_and_its_detection_time():
    outcome = simulate(Scenario(HERALD, topology=TopologySpec(n=3), faults=[Crash(50, 1)]), keep=1000)
    told = [event.time for event in outcome.trace.events if event.clause == "miss"]
    assert told == [50 + 3 * 8] * 2 and outcome.delay_bound == 8
    assert simulate(Scenario(HERALD, network=Network("uniform:1:9"))).broken_assumption
    assert not simulate(Scenario(HERALD, network=Network("uniform:1:8"))).broken_assumption


def test_rank_is_weight_and_then_id():
    assert simulate(Scenario(HERALD, topology=TopologySpec(n=5))).leader == 5
    assert simulate(Scenario(HERALD, topology=TopologySpec(n=5), parameters={"crowd": 2})).leader == 2
    (some,) = specimens([dissect(Herald)], [{"crowd": 1}])
    assert some.rank == (1, 1) > some.rank_of(7) == (0, 7)


def test_the_checker_takes_its_small_times_its_bounds_and_its_size():
    scenario, limits = settled_for_checker(Scenario(HERALD, topology=TopologySpec(n=2)), None, {})
    assert scenario.parameters == {"journey": 2, "calm": 3, "pulse": 1}
    assert (limits.timing, limits.delay, limits.detection) == ("bounded", 2, 6)
    own, _ = settled_for_checker(Scenario(HERALD, topology=TopologySpec(n=2), parameters={"journey": 5}), None, {})
    assert own.parameters["journey"] == 5
    asked = default_question(HERALD, Herald)
    assert default_size(Herald) == asked.scenario.topology.n == 2
    assert asked.limits.bounds == {"reign": 4} and asked.scenario.parameters["crowd"] == 1


def test_the_network_takes_its_times_and_needs_no_detector_where_it_has_heartbeats():
    real = complete_scenario(Scenario(HERALD, parameters={"calm": 400}), [1, 2, 3])
    assert real.parameters == {"journey": 70, "calm": 400} and real.layers == []
    assert longest_pause(specimens(*build_stack(real))) == 400 - 20
    assert not assumes_reliable_links(dissect(Herald)) and assumes_reliable_links(dissect(Gate))


def test_its_term_is_the_field_that_it_declares():
    (some,) = specimens([dissect(Herald)], [{}])
    some.reign = 7
    assert some.current_term == 7


def test_who_needs_an_election_gets_the_one_that_it_declares_where_the_scenario_names_none():
    for scenario in (Scenario(GATE), complete_scenario(Scenario(GATE), [1, 2, 3])):
        assert [anatomy.cls.name for anatomy in build_stack(scenario)[0]] == ["herald", "gate"]
    scenario, _ = settled_for_checker(Scenario(GATE, topology=TopologySpec(n=2)), None, {})
    assert [(layer.algorithm, layer.parameters["journey"]) for layer in scenario.layers] == [(HERALD, 2)]
    given = Scenario(GATE, layers=[*complete_scenario(Scenario(GATE), [1, 2, 3]).layers])
    assert len(build_stack(given)[0]) == 2
