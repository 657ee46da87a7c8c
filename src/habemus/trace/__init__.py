"""What happened: one format from every driver, and the ways to look at it."""

from habemus.trace.envelope import Envelope
from habemus.trace.format import Event, Header, SentMessage, TraceError, trace_header
from habemus.trace.outcome import Outcome
from habemus.trace.recorder import Recorder
from habemus.trace.traces import Trace, read_trace

__all__ = [
    "Envelope",
    "Event",
    "Header",
    "Outcome",
    "Recorder",
    "SentMessage",
    "Trace",
    "TraceError",
    "read_trace",
    "trace_header",
]
