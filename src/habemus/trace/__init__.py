"""What happened: one format from every driver, and the ways to look at it."""

from habemus.trace.format import Carried, Event, Header, Trace, TraceError, read_trace
from habemus.trace.recorder import Envelope, Recorder

__all__ = ["Carried", "Envelope", "Event", "Header", "Recorder", "Trace", "TraceError", "read_trace"]
