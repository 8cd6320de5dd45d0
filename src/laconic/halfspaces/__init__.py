"""Halfspaces: the perceptron (paper 2), densest halfspaces, intersections and pocket (paper 5), and separability."""

from laconic.halfspaces.densest import find_large_subset, incremental_lp, multiple_incremental_lp
from laconic.halfspaces.estimators import MarginPerceptronClassifier
from laconic.halfspaces.intersection_estimators import CutStep, HalfspaceIntersectionClassifier
from laconic.halfspaces.pocket import pocket
from laconic.halfspaces.pocket_estimators import PocketClassifier
from laconic.halfspaces.search import Separated
from laconic.halfspaces.separation import Separation, separate

__all__ = [
    "CutStep",
    "HalfspaceIntersectionClassifier",
    "MarginPerceptronClassifier",
    "PocketClassifier",
    "Separated",
    "Separation",
    "find_large_subset",
    "incremental_lp",
    "multiple_incremental_lp",
    "pocket",
    "separate",
]
