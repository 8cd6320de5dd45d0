"""Halfspaces: the perceptron (paper 2), densest halfspaces, intersections and pocket (paper 5), and separability."""

from laconic.halfspaces.intersection._estimators import CutStep, HalfspaceIntersectionClassifier
from laconic.halfspaces.lp._densest import find_large_subset, incremental_lp, multiple_incremental_lp
from laconic.halfspaces.lp._search import Separated
from laconic.halfspaces.lp._separation import Separation, separate
from laconic.halfspaces.perceptron._estimators import MarginPerceptronClassifier
from laconic.halfspaces.pocket._estimators import PocketClassifier
from laconic.halfspaces.pocket._search import pocket

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
