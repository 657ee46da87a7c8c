"""A scenario is checked whole: a mistake is one line with file, field and what was expected; what is right survives."""

import string

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.scenario import (
    Call,
    Crash,
    Cut,
    Drift,
    Expect,
    Heal,
    Layer,
    LinkDelay,
    Network,
    Partition,
    Pause,
    Recover,
    Resume,
    Scenario,
    ScenarioError,
    Skew,
    TopologySpec,
    parse_scenario,
    read_scenario,
)
from habemus.simulation import simulate


def refusal(text: str, name: str = "my.toml") -> str:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text.encode(), name)
    said = str(caught.value)
    assert said.startswith(name) and "\n" not in said
    return said


START = 'algorithm = "bully"\n'

WRONG = [
    ("algorithm = 3", "algorithm: expected str, got int"),
    ("title = 'no algorithm'", "missing required field algorithm"),
    (START + "speed = 3", "unknown field speed"),
    (START + "seed = 'x'", "seed: expected int, got str"),
    (START + "seed = 1.5", "seed: expected int, got float"),
    (START + "until = -1", "until: expected int >= 0"),
    (START + "events = 0", "events: expected int >= 1"),
    (START + "detection = -2", "detection: expected int >= -1"),
    (START + "starters = 'some'", "starters: invalid enum value 'some'; expected all, one"),
    (START + "starters = -3", "starters: expected int >= 0"),
    (START + "starters = [1, 'x']", "starters[1]: expected int, got str"),
    (START + "[topology]\nn = 'many'", "topology.n: expected int | null, got str"),
    (START + "[topology]\norder = 'up'", "topology.order: invalid enum value 'up'; expected best, worst"),
    (START + "[topology]\nids = [1, -2]", "topology.ids[1]: expected int >= 0"),
    (START + "[topology]\nedges = [[1, 2, 3]]", "topology.edges[0]: expected array of length 2"),
    (START + "[topology]\nshape = 'ring'", "topology: object contains unknown field shape"),
    (START + "[network]\nloss = 1.5", "network.loss: expected float <= 1.0"),
    (START + "[network]\nloss = -0.1", "network.loss: expected float >= 0.0"),
    (START + "[network]\nduplication = 2", "network.duplication: expected float <= 1.0"),
    (START + "[network]\nduplication = -1", "network.duplication: expected float >= 0.0"),
    (START + "[network]\nfifo = 1", "network.fifo: expected bool, got int"),
    (START + "[network]\ndelay = 3", "network.delay: expected str, got int"),
    (START + "[[network.links]]\nsender = 1\nto = 2", "network.links[0]: object missing required field delay"),
    (START + "[[faults]]\nat = 1\ndo = 'explode'", "faults[0].do: invalid value 'explode'; expected crash"),
    (START + "[[faults]]\nat = 1\nprocess = 1", "faults[0]: object missing required field do"),
    (START + "[[faults]]\ndo = 'crash'\nprocess = 1", "faults[0]: object missing required field at"),
    (START + "[[faults]]\ndo = 'crash'\nat = -1\nprocess = 1", "faults[0].at: expected int >= 0"),
    (START + "[[faults]]\ndo = 'pause'\nat = 1\nprocess = 'x'", "faults[0].process: invalid enum value 'x'; expected"),
    (START + "[[faults]]\ndo = 'drift'\nat = 1\nprocess = 1\nrate = 0", "faults[0].rate: expected float > 0.0"),
    (START + "[[faults]]\ndo = 'cut'\nat = 1\nlinks = [[1]]", "faults[0].links[0]: expected array of length 2"),
    (START + "[[workload]]\nat = 1\nwho = 3", "workload[0].who: expected array, got int"),
    (START + "[expect]\nwinner = 3", "expect: object contains unknown field winner"),
    (START + "[[layers]]\nparameters = {}", "layers[0]: object missing required field algorithm"),
]


@pytest.mark.parametrize(("text", "expected"), WRONG, ids=[expected for _, expected in WRONG])
def test_a_wrong_field_is_refused_with_file_field_and_what_was_expected(text, expected):
    said = refusal(text)
    assert said.startswith("my.toml: ") and expected in said


@pytest.mark.parametrize(("text", "expected"), WRONG, ids=[expected for _, expected in WRONG])
def test_json_is_checked_the_same(text, expected):
    as_json = msgspec.json.encode(msgspec.toml.decode(text)).decode()
    assert expected in refusal(as_json, "my.json")


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("algorithm = ", "cut.toml", "TOML"),
        ('algorithm = "bul', "cut.toml", "TOML"),
        ("[topology\n", "cut.toml", "TOML"),
        ('{"algorithm": "bul', "cut.json", "JSON"),
        ("", "cut.json", "JSON"),
        ("{]", "cut.json", "JSON"),
    ],
)
def test_a_truncated_or_malformed_file_is_refused_in_one_line(text, name, kind):
    assert refusal(text, name).startswith(f"{name} is not {kind}: ")


def test_bytes_that_are_no_text_are_refused():
    for name in ("x.toml", "x.json"):
        with pytest.raises(ScenarioError, match=f"^{name}"):
            parse_scenario(b'algorithm = "\xff\xfe"', name)


@given(st.integers(0, 400))
def test_every_truncation_of_a_scenario_is_a_scenario_or_is_refused(length):
    text = b'algorithm = "bully"\n[topology]\nids = [1, 2, 3]\n[[faults]]\ndo = "crash"\nat = 7\nprocess = 3\n'
    for name, whole in (("x.toml", text), ("x.json", msgspec.json.encode(msgspec.toml.decode(text)))):
        try:
            parse_scenario(whole[:length], name)
        except ScenarioError as error:
            assert "\n" not in str(error) and str(error).startswith(name)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    path = tmp_path / "none.toml"
    with pytest.raises(ScenarioError, match=r"none\.toml cannot be read: No such file"):
        read_scenario(path)


# What only a run can tell ---------------------------------------------------------------------------------------------

IMPOSSIBLE = [
    ({"topology": TopologySpec(n=0)}, "topology.n: expected a number of processes from 1 to 10,000,000, got 0"),
    ({"topology": TopologySpec(n=-5)}, "topology.n: expected a number of processes from 1 to 10,000,000, got -5"),
    ({"topology": TopologySpec(ids=[])}, "topology.ids: expected at least one id"),
    ({"topology": TopologySpec(ids=[4, 2, 4])}, "topology.ids: ids have to differ, but 4 is there more than once"),
    ({"topology": TopologySpec(ids=[1, 2], n=3)}, "topology.n: 3 processes, but 2 ids are given"),
    (
        {"topology": TopologySpec(kind="moebius")},
        "topology.kind: there is no topology 'moebius'; there are: ring, complete",
    ),
    ({"topology": TopologySpec(kind="ring")}, "topology.kind: bully needs the complete topology, not ring"),
    ({"faults": [Crash(1, 9)]}, "faults[0].process: there is no process 9; the ids are 1 to 8"),
    ({"faults": [Crash(1, 8), Recover(1, 0)]}, "faults[1].process: there is no process 0"),
    ({"faults": [Cut(1, [(1, 99)])]}, "faults[0].links: there is no process 99"),
    ({"faults": [Heal(1, [(99, 1)])]}, "faults[0].links: there is no process 99"),
    ({"faults": [Partition(1, [[1], [99]])]}, "faults[0].groups: there is no process 99"),
    ({"faults": [Skew(1, 99, 3)]}, "faults[0].process: there is no process 99"),
    ({"faults": [Drift(1, 1, float("inf"))]}, "faults[0].rate: expected a rate from 0.000001 to 1,000,000, got inf"),
    ({"workload": [Call(1, [99])]}, "workload[0].who: there is no process 99"),
    ({"workload": [Call(1, [1], "dance")]}, "workload[0].call: bully knows no 'dance'; it knows: election"),
    ({"starters": [99]}, "starters: there is no process 99"),
    ({"starters": 9}, "starters: 9 of 8 processes cannot start; expected 0 to 8"),
    ({"network": Network(links=[LinkDelay(1, 99, "unit")])}, "network.links: there is no process 99"),
    ({"expect": Expect(leader=99)}, "expect.leader: there is no process 99"),
    ({"parameters": {"patience": 3}}, "parameters.patience: bully has no such parameter; it has: transmission"),
    ({"parameters": {"transmission": "x"}}, "parameters.transmission: expected int, got str"),
    ({"parameters": {"weight": 3}}, "parameters.weight: bully has no such parameter; see its variant bully-weighted"),
    ({"algorithm": "bully-weighted", "parameters": {"weight": 3}}, "parameters.weight: expected object, got int"),
]


@pytest.mark.parametrize(("fields", "expected"), IMPOSSIBLE, ids=[expected for _, expected in IMPOSSIBLE])
def test_what_cannot_be_run_is_refused_with_its_field(fields, expected):
    with pytest.raises(ScenarioError) as caught:
        simulate(Scenario(**{"algorithm": "bully", **fields}))
    assert str(caught.value).startswith(expected) and "\n" not in str(caught.value)


# Round trips ----------------------------------------------------------------------------------------------------------

pids = st.integers(0, 2**53)
times = st.integers(0, 10**15)
pairs = st.lists(st.tuples(pids, pids), max_size=3)
words = st.text(string.printable + "äöü→日本\"'\\", max_size=20)
rates = st.floats(0, 1)
plain = st.integers(-(2**53), 2**53) | words | st.booleans() | st.floats(-1e9, 1e9)
parameters = st.dictionaries(words, plain | st.lists(plain, max_size=3) | st.dictionaries(words, plain), max_size=3)
any_fault = (
    st.builds(Crash, times, pids | st.just("leader"))
    | st.builds(Recover, times, pids)
    | st.builds(Pause, times, pids)
    | st.builds(Resume, times, pids)
    | st.builds(Cut, times, pairs, st.booleans())
    | st.builds(Partition, times, st.lists(st.lists(pids, max_size=3), max_size=3))
    | st.builds(Heal, times, pairs)
    | st.builds(Skew, times, pids, st.integers(-1000, 1000))
    | st.builds(Drift, times, pids, st.floats(0.001, 1000))
)
scenarios = st.builds(
    Scenario,
    algorithm=words,
    title=words,
    shows=words,
    parameters=parameters,
    layers=st.lists(st.builds(Layer, words, parameters), max_size=2),
    topology=st.builds(
        TopologySpec,
        kind=st.none() | words,
        n=st.none() | st.integers(-10, 100),
        ids=st.none() | st.lists(pids, max_size=4),
        order=st.sampled_from(["best", "worst", "random", "sorted"]),
        edges=st.none() | pairs,
        file=st.none() | words,
    ),
    network=st.builds(
        Network,
        delay=words,
        loss=rates,
        duplication=rates,
        fifo=st.booleans(),
        links=st.lists(st.builds(LinkDelay, pids, pids, words), max_size=2),
    ),
    detection=st.none() | st.integers(-1, 100),
    starters=st.none() | st.sampled_from(["all", "one"]) | st.integers(0, 100) | st.lists(pids, max_size=4),
    workload=st.lists(st.builds(Call, times, st.lists(pids, max_size=3), words), max_size=3),
    faults=st.lists(any_fault, max_size=5),
    seed=st.integers(-(2**62), 2**62),
    until=st.none() | times,
    goal=st.none() | words,
    events=st.integers(1, 10**9),
    expect=st.none() | st.builds(Expect, st.none() | pids, st.none() | times, st.lists(words, max_size=2)),
)


@given(scenarios)
def test_a_scenario_survives_toml_and_json(tmp_path_factory, scenario):
    folder = tmp_path_factory.mktemp("round-trip")
    for name in ("scenario.toml", "scenario.json"):
        scenario.write(folder / name)
        assert read_scenario(folder / name) == scenario


@given(scenarios)
def test_a_scenario_survives_as_plain_data_as_links_and_headers_carry_it(scenario):
    assert msgspec.convert(msgspec.json.decode(msgspec.json.encode(scenario.as_dict())), Scenario) == scenario


def test_a_program_may_give_plain_data_as_a_file_does():
    plain = Scenario(
        "bully",
        layers=[{"algorithm": "heartbeat"}],
        topology={"n": 3},
        faults=[{"at": 30, "do": "crash", "process": 3}],
        network={"loss": 0.5},
    )
    assert plain == Scenario(
        "bully",
        layers=[Layer("heartbeat")],
        topology=TopologySpec(n=3),
        faults=[Crash(30, 3)],
        network=Network(loss=0.5),
    )
    simulate(plain)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Scenario("bully", layers=[{"algoritm": "x"}]), "layers[0]: object contains unknown field algoritm"),
        (lambda: Scenario("bully", layers=["heartbeat"]), "layers[0]: expected object, got str"),
        (lambda: Scenario("bully", seed="x"), "seed: expected int, got str"),
        (
            lambda: Scenario("bully", faults=[{"at": 3, "do": "explode"}]),
            "faults[0].do: invalid value 'explode'; expected",
        ),
        (lambda: Scenario(3), "algorithm: expected str, got int"),
        (lambda: TopologySpec(n="three"), "n: expected int | null, got str"),
        (lambda: Network(loss=2), "loss: expected float <= 1.0"),
        (lambda: Crash("soon", 3), "at: expected int, got str"),
        (lambda: simulate("bully"), "expected a scenario, as Scenario('bully') makes one, got str"),
    ],
)
def test_what_a_program_gives_is_checked_as_a_file_is(make, sentence):
    with pytest.raises(ScenarioError) as caught:
        make()
    assert str(caught.value).startswith(sentence)


def test_whole_numbers_of_numpy_are_taken():
    number = pytest.importorskip("numpy").int64(3)
    scenario = Scenario("bully", topology=TopologySpec(n=number), seed=number)
    assert (scenario.seed, type(scenario.topology.n)) == (3, int)
