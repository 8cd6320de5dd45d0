"""Decision lists: of some tests in order, the first that holds decides."""

from laconic.lists._estimators import DecisionListClassifier
from laconic.lists._neural_estimators import NeuralDecisionListClassifier
from laconic.lists._rivest import Node
from laconic.lists._rule_list_estimators import RuleListClassifier

__all__ = ["DecisionListClassifier", "NeuralDecisionListClassifier", "Node", "RuleListClassifier"]
