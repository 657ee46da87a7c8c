"""Random groups under a failure detector: any number of processes, any of which crash, at any time."""

from hypothesis import strategies as st

from habemus.scenario import Crash, Network, Recover, Scenario, TopologySpec

RANDOM_DELAYS = ("unit", "uniform:1:20", "exponential:8", "lognormal:5:1")
EARLY = 300  # nothing fails, or comes back, later than that


@st.composite
def groups(draw, algorithm, until, delays=RANDOM_DELAYS, loss=0.0, recovering=False, fifo=None, most=16, **parameters):
    """A run of a detector; some processes crash, at least one does not; some are back later, if `recovering`."""
    n = draw(st.integers(1, most))
    crashed = draw(st.lists(st.integers(1, n), unique=True, max_size=n - 1))
    faults = []
    for pid in crashed:
        crash = draw(st.integers(0, EARLY - 1))
        faults.append(Crash(crash, pid))
        if recovering and draw(st.booleans()):
            faults.append(Recover(draw(st.integers(crash + 1, EARLY)), pid))
    return Scenario(
        algorithm,
        parameters=parameters,
        topology=TopologySpec(n=n),
        network=Network(
            delay=draw(st.sampled_from(delays)), loss=loss, fifo=draw(st.booleans()) if fifo is None else fifo
        ),
        faults=faults,
        seed=draw(st.integers(0, 2**32)),
        until=until,
    )


def verdicts(outcome) -> dict[str, bool]:
    """What the run says of completeness and accuracy."""
    return {watched.name: watched.holds for watched in outcome.properties}
