"""How busy this machine is, for tests that measure time. They are marked `timing`."""

from time import perf_counter, process_time


def slowdown() -> float:
    """How many times longer a step takes now than on an idle machine; 1 if it is idle."""
    begun, worked = perf_counter(), process_time()
    while process_time() - worked < 0.05:
        pass
    return max(1.0, (perf_counter() - begun) / (process_time() - worked))
