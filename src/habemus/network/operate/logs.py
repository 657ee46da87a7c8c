"""The log of a node on stderr: lines of text, or of JSON for programs; few about one cause, and none that blocks."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from habemus.network.operate.output import STDERR, Output
from habemus.process import Pid

MOST_LINES, WITHIN = 5, 60.0  # about one cause, in so many seconds
MOST_CAUSES = 1000  # that are remembered for longer

log = logging.getLogger("habemus.network")


class JsonFormatter(logging.Formatter):
    """A log line as a JSON object with the group and the id of the process."""

    def __init__(self, group: str, id: Pid) -> None:
        super().__init__()
        self.process = {"group": group, "id": id}

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {"time": round(record.created, 3), "level": record.levelname.lower(), **self.process}
        line["message"] = record.getMessage()
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line).decode()


class RateLimit(logging.Filter):
    """Lets the first few lines about one cause through; the next one, a while later, says how many were left out."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[tuple[object, ...], tuple[float, int]] = {}  # cause -> since when, and how many lines

    def filter(self, record: logging.LogRecord) -> bool:
        cause = find_cause(record)
        now = time.monotonic()
        if len(self.seen) > MOST_CAUSES:
            self.seen = {each: since for each, since in self.seen.items() if now - since[0] < WITHIN}
        began, lines = self.seen.get(cause, (now, 0))
        if now - began >= WITHIN:
            if lines > MOST_LINES:
                record.msg = f"{record.msg} ({lines - MOST_LINES} more lines like this one were left out)"
            began, lines = now, 0
        self.seen[cause] = (began, lines + 1)
        return lines < MOST_LINES


def find_cause(record: logging.LogRecord) -> tuple[object, ...]:
    """What a line is about: its text without the details, and the process that it names."""
    text, _, _ = str(record.msg).partition("\n")  # what follows in lines of other libraries are details
    named = "process %s" in text and isinstance(record.args, tuple)
    return (text, *(record.args or ())[:1]) if named and isinstance(record.args, tuple) else (text,)


class OutputHandler(logging.Handler):
    """Writes log lines without waiting for their reader."""

    def __init__(self, output: Output) -> None:
        super().__init__()
        self.output = output

    def emit(self, record: logging.LogRecord) -> None:
        self.output.write(self.format(record).encode() + b"\n")

    def close(self) -> None:
        self.output.close()
        super().close()


def tell_dropped(json: bool) -> Callable[[int], bytes]:
    """How a reader is told that lines were dropped."""

    def tell(lines: int) -> bytes:
        if json:
            return msgspec.json.encode({"time": round(time.time(), 3), "event": "dropped", "lines": lines}) + b"\n"
        return f"{lines} lines were dropped, because nobody read them\n".encode()

    return tell


@contextmanager
def log_to_stderr(group: str, id: Pid, json: bool) -> Iterator[None]:
    """The log of this process goes to stderr while the node runs."""
    handler = OutputHandler(Output(STDERR, tell_dropped(json)))
    plain = logging.Formatter("%(asctime)s  %(message)s", "%H:%M:%S")
    handler.setFormatter(JsonFormatter(group, id) if json else plain)
    handler.addFilter(RateLimit())
    level = log.level
    everything = logging.getLogger()  # what the libraries have to say must not block the node either
    everything.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        everything.removeHandler(handler)
        log.setLevel(level)
        handler.close()
