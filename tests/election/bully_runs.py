"""Runs of the bully, and what was violated in them."""

from habemus.scenario import Crash, Network, Scenario, TopologySpec
from habemus.simulation import simulate


def verdicts(outcome) -> dict[str, str]:
    """The violated properties, each with its witness."""
    return {p.name: p.witness.text for p in outcome.properties if p.witness}


def top_is_dead(n: int, starter: int, delay: str, seed: int, algorithm: str = "bully"):
    return simulate(
        Scenario(
            algorithm,
            topology=TopologySpec(n=n),
            network=Network(delay=delay),
            detection=-1,
            starters=[starter],
            faults=[Crash(0, n)],
            seed=seed,
        )
    )


def first_violation(name: str, runs):
    """The first of these runs that violates the property, with its witness."""
    for outcome in runs:
        for watched in outcome.properties:
            if watched.name == name and watched.witness is not None:
                return outcome, watched.witness
    raise AssertionError(f"no run violates {name}")
