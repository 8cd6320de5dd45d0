"""Learning machines of few words, each with a certificate of its error."""

from laconic.certified import Certified
from laconic.covering import (
    NormalFormClassifier,
    PACBayesSetCoveringClassifier,
    PACBayesSetCoveringClassifierCV,
    SetCoveringClassifier,
    SetCoveringClassifierCV,
)
from laconic.halfspaces import HalfspaceIntersectionClassifier, MarginPerceptronClassifier, PocketClassifier
from laconic.lists import DecisionListClassifier, NeuralDecisionListClassifier
from laconic.minimal import MinimalComplexityClassifier, MinimalComplexityRegressor

__version__ = "0.1.0.dev0"

__all__ = [
    "Certified",
    "DecisionListClassifier",
    "HalfspaceIntersectionClassifier",
    "MarginPerceptronClassifier",
    "MinimalComplexityClassifier",
    "MinimalComplexityRegressor",
    "NeuralDecisionListClassifier",
    "NormalFormClassifier",
    "PACBayesSetCoveringClassifier",
    "PACBayesSetCoveringClassifierCV",
    "PocketClassifier",
    "SetCoveringClassifier",
    "SetCoveringClassifierCV",
    "__version__",
]
