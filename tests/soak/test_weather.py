from itertools import islice

from .weather import CRASHES, NETWORK, WEATHERS, draw_storms


def storms(seed, number=50, nodes=5):
    return list(islice(draw_storms(seed, nodes), number))


def test_a_seed_always_means_the_same_faults():
    assert storms(7) == storms(7)
    assert storms(7) != storms(8)


def test_every_weather_and_every_fault_comes():
    drawn = storms(1, number=100)
    assert {storm.weather for storm in drawn} == set(WEATHERS)
    assert {fault.kind for storm in drawn for fault in storm.faults} == {*CRASHES, *NETWORK, "stop", "old"}


def test_at_most_one_process_loses_its_memory_at_a_time():
    """Two of three that forget their votes could vote twice, and nobody would know."""
    for storm in storms(2, number=300, nodes=3):
        assert sum(fault.kind in ("wipe", "damage", "old") for fault in storm.faults) <= 1
