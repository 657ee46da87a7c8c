"""The assumption under which a verdict is given, in words."""

from __future__ import annotations

from habemus.checking.model.instance import Instance
from habemus.checking.model.limits import ASYNC, BOUNDED, EVENTUAL, PERFECT, SIMULTANEOUS, Limits

DETECTORS = {
    PERFECT: "a perfect detector, which tells each on its own",
    SIMULTANEOUS: "a perfect detector, which tells all at once",
    EVENTUAL: "an eventually perfect detector",
}


def describe_assumption(instance: Instance) -> str:
    limits = instance.limits
    if instance.synchronous:
        return "synchronous pulses" + describe_faults(limits)
    order = "FIFO links" if limits.fifo else "links that reorder messages"
    timers = any(anatomy.timeouts for anatomy in instance.stack)
    if limits.timing == BOUNDED:
        ticks = "1 tick" if limits.delay == 1 else f"1 to {limits.delay} ticks"
        text = f"bounded: messages take {ticks}, {order}"
    elif limits.timing == ASYNC:
        text = f"async: any delay, {order}"
        if timers:
            times = "any number of times" if limits.alarms < 0 else count_words(limits.alarms, "time", "times")
            text += f"; timers expire at any moment, {times} at each process"
    else:
        text = f"ordered: no timer expires while a message is in transit, shorter timers first, {order}"
    if instance.has_detector and (limits.crashes or limits.mistakes):
        text += f"; {DETECTORS[limits.detector]}"
    return text + describe_faults(limits)


def summarize_assumption(instance: Instance) -> str:
    """The assumption in a few words, for a table."""
    limits = instance.limits
    bounds = [f"{name} ≤ {value}" for name, value in limits.bounds.items()]
    links = [] if limits.fifo or instance.synchronous else ["overtaking"]
    return ", ".join(["pulses" if instance.synchronous else limits.timing, *links, *bounds])


def describe_faults(limits: Limits) -> str:
    """`; at most 1 crash, 1 recovery`."""
    counted = [
        (limits.crashes, "crash", "crashes"),
        (limits.recoveries, "recovery", "recoveries"),
        (limits.losses, "message lost", "messages lost"),
        (limits.doubles, "message doubled", "messages doubled"),
        (limits.reorders, "message overtaking others", "messages overtaking others"),
        (limits.mistakes, "wrong suspicion", "wrong suspicions"),
    ]
    words = [count_words(count, one, many) for count, one, many in counted if count]
    bounds = [f"{name} ≤ {value}" for name, value in limits.bounds.items()]
    bounds += [f"runs of {limits.depth} steps at most"] if limits.depth >= 0 else []
    return (f"; at most {', '.join(words)}" if words else "") + (f"; {', '.join(bounds)}" if bounds else "")


def count_words(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
