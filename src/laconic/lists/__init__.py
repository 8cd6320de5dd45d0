"""Decision lists: of some tests in order, the first that holds decides."""

from laconic.lists.estimators import DecisionListClassifier
from laconic.lists.network import CascadeNetwork
from laconic.lists.neural_estimators import NeuralDecisionListClassifier
from laconic.lists.rivest import Node

__all__ = ["CascadeNetwork", "DecisionListClassifier", "NeuralDecisionListClassifier", "Node"]
