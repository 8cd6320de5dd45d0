"""Minimal complexity machines: linear programmes that bound the ratio of largest and smallest margin (paper 4)."""

from laconic.minimal._crossover import solve_tight
from laconic.minimal._estimators import MinimalComplexityClassifier
from laconic.minimal._programme import Border, ClassifierProgramme, RegressorProgramme, Solution, Tight
from laconic.minimal._regression_estimators import MinimalComplexityRegressor
from laconic.minimal._solving import solve

__all__ = [
    "Border",
    "ClassifierProgramme",
    "MinimalComplexityClassifier",
    "MinimalComplexityRegressor",
    "RegressorProgramme",
    "Solution",
    "Tight",
    "solve",
    "solve_tight",
]
