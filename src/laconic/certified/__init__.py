"""A certificate for any scikit-learn classifier or regressor, by Pick-to-Learn."""

from laconic.certified._estimators import Certified

__all__ = ["Certified"]
