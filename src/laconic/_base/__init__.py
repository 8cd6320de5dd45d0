"""The estimator contract: what all learners of the house share, and what model files keep of those made of rules."""

from laconic._base._classifier import Classifier
from laconic._base._combinations import CombinationClassifier
from laconic._base._halfspaces import HalfspaceClassifier, OneHalfspace
from laconic._base._machine import Carded, Machine, if_has
from laconic._base._promising import PROMISES, promising, refuse_unmet
from laconic._base._rules import RuleClassifier
from laconic._base._states import Lines, Stepped
from laconic._base._verbs import found_in

__all__ = [
    "PROMISES",
    "Carded",
    "Classifier",
    "CombinationClassifier",
    "HalfspaceClassifier",
    "Lines",
    "Machine",
    "OneHalfspace",
    "RuleClassifier",
    "Stepped",
    "found_in",
    "if_has",
    "promising",
    "refuse_unmet",
]
