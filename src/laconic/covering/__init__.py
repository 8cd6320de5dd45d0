"""Set covering machines: short conjunctions and disjunctions of rules, chosen greedily (papers 1, 2 and 3)."""

from laconic.covering.core._estimators import SetCoveringClassifier
from laconic.covering.core._family import Family
from laconic.covering.core._greedy import Step
from laconic.covering.core._search_estimators import SetCoveringClassifierCV
from laconic.covering.families._balls import Balls
from laconic.covering.families._clauses import Clauses
from laconic.covering.families._conditions import Conditions
from laconic.covering.families._finite import FiniteFamily
from laconic.covering.families._kmers import Kmers
from laconic.covering.families._known import read_prior
from laconic.covering.families._literals import Literals
from laconic.covering.families._stumps import Stumps
from laconic.covering.normal_forms._estimators import NormalFormClassifier
from laconic.covering.packed._bits import PackedBits, pack
from laconic.covering.soft._cover import SoftStep
from laconic.covering.soft._estimators import PACBayesSetCoveringClassifier, PACBayesSetCoveringClassifierCV

__all__ = [
    "Balls",
    "Clauses",
    "Conditions",
    "Family",
    "FiniteFamily",
    "Kmers",
    "Literals",
    "NormalFormClassifier",
    "PACBayesSetCoveringClassifier",
    "PACBayesSetCoveringClassifierCV",
    "PackedBits",
    "SetCoveringClassifier",
    "SetCoveringClassifierCV",
    "SoftStep",
    "Step",
    "Stumps",
    "pack",
    "read_prior",
]
