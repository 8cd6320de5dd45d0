"""A certificate for any scikit-learn classifier or regressor, by Pick-to-Learn."""

from laconic.certified._estimators import Certified
from laconic.certified._surrogate import certify_by_surrogate

__all__ = ["Certified", "certify_by_surrogate"]
