"""Set covering machines: short conjunctions and disjunctions of rules, chosen greedily (papers 1, 2 and 3)."""

from laconic.covering.balls import Balls
from laconic.covering.cross_validation import SetCoveringClassifierCV
from laconic.covering.estimators import SetCoveringClassifier
from laconic.covering.families import Clauses, Literals, Stumps
from laconic.covering.family import Family, FiniteFamily
from laconic.covering.greedy import Step
from laconic.covering.normal_form_estimators import NormalFormClassifier
from laconic.covering.soft import SoftStep
from laconic.covering.soft_cross_validation import PACBayesSetCoveringClassifierCV
from laconic.covering.soft_estimators import PACBayesSetCoveringClassifier

__all__ = [
    "Balls",
    "Clauses",
    "Family",
    "FiniteFamily",
    "Literals",
    "NormalFormClassifier",
    "PACBayesSetCoveringClassifier",
    "PACBayesSetCoveringClassifierCV",
    "SetCoveringClassifier",
    "SetCoveringClassifierCV",
    "SoftStep",
    "Step",
    "Stumps",
]
