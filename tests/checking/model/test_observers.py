"""What observers see is one number; what no property compares does not tell two worlds apart."""

from habemus.checking.model.observers import Observers
from habemus.properties import lease_properties, replication_properties
from habemus.replication.log import LogEntry

ENTRY = LogEntry(1)


def test_logs_that_no_property_compares_are_not_looked_at():
    """Who stored one entry and who stored two are one world there: what it commits may not be in the log it has."""
    observers = Observers([1, 2], lambda: [*lease_properties(), *replication_properties()], ["one_holder"])
    stored = [observers.number_of(((1, "log", (0, (ENTRY,) * length)),)) for length in (1, 2)]
    worlds = [observers.after(0, note) for note in stored]
    assert worlds[0] == worlds[1]
    commits = ((1, "commit", (2, 1)), (2, "log", (0, (ENTRY, ENTRY))), (2, "commit", (2, 1)))
    assert observers.after(worlds[1], observers.number_of(commits)) == worlds[1]
