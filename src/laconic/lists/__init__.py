"""Decision lists: of some tests in order, the first that holds decides."""

from laconic.lists.estimators import DecisionListClassifier

__all__ = ["DecisionListClassifier"]
