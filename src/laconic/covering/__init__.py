"""Set covering machines: short conjunctions and disjunctions of rules, chosen greedily (paper 1)."""

from laconic.covering.estimators import SetCoveringClassifier
from laconic.covering.families import Clauses, Family, FiniteFamily, Literals, Stumps
from laconic.covering.greedy import Step

__all__ = ["Clauses", "Family", "FiniteFamily", "Literals", "SetCoveringClassifier", "Step", "Stumps"]
