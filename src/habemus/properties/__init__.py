"""What a run is judged by: the world as onlookers see it, and claims about it that explain themselves."""

from habemus.properties.detector import Accuracy, Completeness, detector_properties
from habemus.properties.election import (
    Agreement,
    OneLeaderATerm,
    Stability,
    Termination,
    Uniqueness,
    election_properties,
)
from habemus.properties.lock import Lock, Request, Resource, Use
from habemus.properties.mutex import (
    BoundedWaiting,
    DeadlockFreedom,
    MutualExclusion,
    StarvationFreedom,
    mutex_properties,
    waiting_circle,
)
from habemus.properties.property import Property, Witness, enumerated
from habemus.properties.suspicion import Suspicions
from habemus.properties.world import World

__all__ = [
    "Accuracy",
    "Agreement",
    "BoundedWaiting",
    "Completeness",
    "DeadlockFreedom",
    "Lock",
    "MutualExclusion",
    "OneLeaderATerm",
    "Property",
    "Request",
    "Resource",
    "Stability",
    "StarvationFreedom",
    "Suspicions",
    "Termination",
    "Uniqueness",
    "Use",
    "Witness",
    "World",
    "detector_properties",
    "election_properties",
    "enumerated",
    "mutex_properties",
    "waiting_circle",
]
