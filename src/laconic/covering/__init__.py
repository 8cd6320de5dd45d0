"""Set covering machines: short conjunctions and disjunctions of rules, chosen greedily (paper 1)."""

from laconic.covering.balls import Balls
from laconic.covering.cross_validation import SetCoveringClassifierCV
from laconic.covering.estimators import SetCoveringClassifier
from laconic.covering.families import Clauses, Literals, Stumps
from laconic.covering.family import Family, FiniteFamily
from laconic.covering.greedy import Step

__all__ = [
    "Balls",
    "Clauses",
    "Family",
    "FiniteFamily",
    "Literals",
    "SetCoveringClassifier",
    "SetCoveringClassifierCV",
    "Step",
    "Stumps",
]
