"""The words that coordination algorithms are written in. An author needs this module and nothing else."""

from habemus.process.anatomy import Anatomy, dissect, to_plain
from habemus.process.bound import CANDIDATES, MEAN, MESSAGES, SUM, WORST, Bound, Count, WaitingBound, harmonic
from habemus.process.claim import Claim, claims_of, eventually, invariant, never
from habemus.process.clause import (
    Clause,
    Inbox,
    upon,
    upon_command,
    upon_indication,
    upon_leader,
    upon_level,
    upon_pulse,
    upon_recover,
    upon_request,
    upon_start,
    upon_suspect,
    upon_timeout,
    upon_trust,
    whenever,
)
from habemus.process.layers import Layers
from habemus.process.machine import DurableFields, Graph, Handler, Journal, Machine
from habemus.process.message import Message, Pid
from habemus.process.misuse import ClauseError, MisuseError, clause_error
from habemus.process.process import Detector, Durable, Election, Host, Mutex, Parameter, Port, Process
from habemus.process.state import State

__all__ = [
    "CANDIDATES",
    "MEAN",
    "MESSAGES",
    "SUM",
    "WORST",
    "Anatomy",
    "Bound",
    "Claim",
    "Clause",
    "ClauseError",
    "Count",
    "Detector",
    "Durable",
    "DurableFields",
    "Election",
    "Graph",
    "Handler",
    "Host",
    "Inbox",
    "Journal",
    "Layers",
    "Machine",
    "Message",
    "MisuseError",
    "Mutex",
    "Parameter",
    "Pid",
    "Port",
    "Process",
    "State",
    "WaitingBound",
    "claims_of",
    "clause_error",
    "dissect",
    "eventually",
    "harmonic",
    "invariant",
    "never",
    "to_plain",
    "upon",
    "upon_command",
    "upon_indication",
    "upon_leader",
    "upon_level",
    "upon_pulse",
    "upon_recover",
    "upon_request",
    "upon_start",
    "upon_suspect",
    "upon_timeout",
    "upon_trust",
    "whenever",
]
