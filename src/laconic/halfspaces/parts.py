"""What other rooms build their own machines from: cuts, where they are placed and how they are sent, and walks."""

from laconic.halfspaces.intersection._cuts import Manner, cut
from laconic.halfspaces.intersection._estimators import SHARED_CONSTRAINTS, CutStep
from laconic.halfspaces.intersection._placement import Placed, Placement, least_distance
from laconic.halfspaces.intersection._samples import learn_from_samples
from laconic.halfspaces.intersection._scheme import HalfspaceMessage, gather
from laconic.halfspaces.lp._densest import Order
from laconic.halfspaces.perceptron._walk import Lesson, Stream, Survivor, Walk, halfspace

__all__ = [
    "SHARED_CONSTRAINTS",
    "CutStep",
    "HalfspaceMessage",
    "Lesson",
    "Manner",
    "Order",
    "Placed",
    "Placement",
    "Stream",
    "Survivor",
    "Walk",
    "cut",
    "gather",
    "halfspace",
    "learn_from_samples",
    "least_distance",
]
