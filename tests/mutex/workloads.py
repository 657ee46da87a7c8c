"""Random locks: any number of processes, any delays, any demand."""

from hypothesis import strategies as st

from habemus.scenario import Demand, Network, Scenario, TopologySpec

DELAYS = ("unit", "uniform:1:20", "exponential:8", "lognormal:5:1.5")
THINKING = ("constant:1", "uniform:1:40", "exponential:5", "exponential:100")
HOLDING = ("constant:1", "constant:10", "uniform:1:30")


@st.composite
def demands(draw):
    """Any of the workloads, with any thinking and holding times."""
    kind = draw(st.sampled_from(["one-each", "poisson", "hot-spot", "all-at-once"]))
    entries = None if kind == "one-each" else draw(st.integers(1, 5))
    return Demand(kind, entries, draw(st.sampled_from(THINKING)), draw(st.sampled_from(HOLDING)))


@st.composite
def locks(draw, algorithm: str, most: int = 16, fifo: bool | None = None, delays=DELAYS, kind=None, **parameters):
    """A run of a mutex with up to `most` processes; `fifo` None: links that keep the order, or do not."""
    n = draw(st.integers(1, most))
    keeps_order = draw(st.booleans()) if fifo is None else fifo
    return Scenario(
        algorithm,
        parameters=parameters,
        topology=TopologySpec(n=n, kind=kind),
        network=Network(delay=draw(st.sampled_from(delays)), fifo=keeps_order),
        demand=draw(demands()),
        seed=draw(st.integers(0, 2**32)),
    )


def violated(outcome) -> dict[str, str]:
    """The violated properties, each with its witness."""
    return {p.name: p.witness.text for p in outcome.properties if p.witness}
