"""What a run is judged by: the world as observers see it, and properties that explain their violations."""

from habemus.properties.choice import properties_of
from habemus.properties.claims import ClaimProperty
from habemus.properties.detector import Accuracy, Completeness, detector_properties
from habemus.properties.election import (
    Agreement,
    OneLeaderATerm,
    Stability,
    Termination,
    Uniqueness,
    election_properties,
)
from habemus.properties.lease import OneHolder, TokensGrow, lease_properties
from habemus.properties.lock import Lock, LockRequest, Resource, Use
from habemus.properties.mutex import (
    BoundedWaiting,
    DeadlockFreedom,
    MutualExclusion,
    StarvationFreedom,
    find_waiting_circle,
    mutex_properties,
)
from habemus.properties.property import NO_FAILURE, NoFailure, Property, Witness, join_ids
from habemus.properties.replication import (
    LeaderCompleteness,
    LogMatching,
    StateMachineSafety,
    replication_properties,
)
from habemus.properties.suspicion import Suspicions
from habemus.properties.world import World

__all__ = [
    "NO_FAILURE",
    "Accuracy",
    "Agreement",
    "BoundedWaiting",
    "ClaimProperty",
    "Completeness",
    "DeadlockFreedom",
    "LeaderCompleteness",
    "Lock",
    "LockRequest",
    "LogMatching",
    "MutualExclusion",
    "NoFailure",
    "OneHolder",
    "OneLeaderATerm",
    "Property",
    "Resource",
    "Stability",
    "StarvationFreedom",
    "StateMachineSafety",
    "Suspicions",
    "Termination",
    "TokensGrow",
    "Uniqueness",
    "Use",
    "Witness",
    "World",
    "detector_properties",
    "election_properties",
    "find_waiting_circle",
    "join_ids",
    "lease_properties",
    "mutex_properties",
    "properties_of",
    "replication_properties",
]
