"""The words that coordination algorithms are written in. An author needs this module and nothing else."""

from habemus.process.anatomy import Anatomy, MisuseError, dissect
from habemus.process.bound import MEAN, WORST, Bound, harmonic
from habemus.process.clause import (
    Clause,
    Inbox,
    upon,
    upon_command,
    upon_leader,
    upon_pulse,
    upon_recover,
    upon_start,
    upon_suspect,
    upon_timeout,
    upon_trust,
    whenever,
)
from habemus.process.message import Message, Pid
from habemus.process.process import Detector, Durable, Election, Host, Mutex, Parameter, Port, Process

__all__ = [
    "MEAN",
    "WORST",
    "Anatomy",
    "Bound",
    "Clause",
    "Detector",
    "Durable",
    "Election",
    "Host",
    "Inbox",
    "Message",
    "MisuseError",
    "Mutex",
    "Parameter",
    "Pid",
    "Port",
    "Process",
    "dissect",
    "harmonic",
    "upon",
    "upon_command",
    "upon_leader",
    "upon_pulse",
    "upon_recover",
    "upon_start",
    "upon_suspect",
    "upon_timeout",
    "upon_trust",
    "whenever",
]
