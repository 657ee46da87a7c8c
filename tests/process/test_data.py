"""Commands, indications and requests carry data: typed, checked, told in order, and shown in traces."""

from dataclasses import dataclass

import pytest
from restaurant import Cook

from habemus.process import (
    Message,
    MisuseError,
    Process,
    dissect,
    upon,
    upon_command,
    upon_indication,
    upon_request,
)
from habemus.scenario import Call, Layer, Scenario, ScenarioError, TopologySpec
from habemus.simulation import simulate


def restaurant(*calls):
    return Scenario(
        "restaurant:Waiter", layers=[Layer("restaurant:Kitchen")], topology=TopologySpec(n=1), workload=list(calls)
    )


def events(*calls):
    return simulate(restaurant(*calls), keep=100).trace.events


def test_what_is_said_first_is_heard_first_within_one_step():
    told = events(Call(5, [1], "order", data={"dish": "rice", "count": 3}))
    assert [event.clause for event in told] == ["take_order", *["cook"] * 3, *["carry"] * 3]
    assert {event.time for event in told} == {5}
    assert told[-1].changed == {"plates": [["rice", 1], ["rice", 2], ["rice", 3]]}


def test_a_trace_shows_the_data():
    told = events(Call(5, [1], "order", data={"dish": "rice"}))
    assert [event.subject for event in told] == [
        ["order", {"type": "Order", "dish": "rice"}],
        {"type": "Cook", "dish": "rice"},
        {"type": "Served", "dish": "rice", "number": 1},
    ]


def test_a_command_without_data_means_the_defaults():
    told = events(Call(5, [1], "order"))
    assert told[0].subject == "order" and told[1].subject == {"type": "Cook", "dish": "soup"}


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (Call(1, [1], "complain"), "workload[0].data: the command complain needs text"),
        (Call(1, [1], "order", data={"count": "two"}), "workload[0].data.count: expected int, got str"),
        (
            Call(1, [1], "order", data={"pot": 1}),
            "workload[0].data.pot: the command order carries no such field; it carries: dish, count",
        ),
    ],
)
def test_data_that_does_not_fit_is_refused_in_one_sentence(call, sentence):
    with pytest.raises(ScenarioError) as refused:
        simulate(restaurant(call))
    assert str(refused.value) == sentence


def test_data_for_a_command_that_carries_none_is_refused():
    with pytest.raises(ScenarioError, match=r"workload\[0\].data: the command acquire carries nothing"):
        simulate(
            Scenario("lamport", workload=[Call(1, [1], "acquire", data={"name": "a"})], topology=TopologySpec(n=2))
        )


def test_a_request_that_nobody_below_does_is_refused_and_says_what_would_help():
    alone = restaurant(Call(1, [1], "order"))
    alone.layers = []
    with pytest.raises(MisuseError, match=r"requests Cook, but no layer below it has a clause for that: add @upon_req"):
        simulate(alone)


@dataclass
class Soft(Message):
    value: int = 0


@dataclass(frozen=True)
class Full(Message):
    dishes: list[str]


@pytest.mark.parametrize("clause", [upon_request, upon_indication, upon, lambda kind: upon_command("give", kind)])
@pytest.mark.parametrize("kind", [Soft, Full])
def test_data_is_checked_as_messages_are(clause, kind):
    cls = type("Taker", (Process,), {"take": clause(kind)(lambda self, *data: None)})
    with pytest.raises(MisuseError, match=r"frozen=True|mutable field"):
        dissect(cls)


def test_two_clauses_for_one_request_are_refused():
    first, second = (upon_request(Cook)(lambda self, request: None) for _ in range(2))
    with pytest.raises(MisuseError, match=r"two clauses for upon_request\(Cook\): first and second"):
        dissect(type("Twice", (Process,), {"first": first, "second": second}))
