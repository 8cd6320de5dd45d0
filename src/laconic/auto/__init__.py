"""One obvious entry: learners that choose among the house's machines, and certify what they chose."""

from laconic.auto._choosing import Candidate
from laconic.auto._classifier import LaconicClassifier
from laconic.auto._regressor import LaconicRegressor

__all__ = ["Candidate", "LaconicClassifier", "LaconicRegressor"]
