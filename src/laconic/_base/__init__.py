"""The estimator contract: what all learners of the house share, and what model files keep of those made of rules."""

from laconic._base._combinations import CombinationClassifier
from laconic._base._machine import Carded, Machine, found_in
from laconic._base._rules import RuleClassifier
from laconic._base._states import Lines, Stepped

__all__ = ["Carded", "CombinationClassifier", "Lines", "Machine", "RuleClassifier", "Stepped", "found_in"]
