"""Learning machines of few words, each with a certificate of its error."""

from laconic.certified import Certified
from laconic.covering import (
    PACBayesSetCoveringClassifier,
    PACBayesSetCoveringClassifierCV,
    SetCoveringClassifier,
    SetCoveringClassifierCV,
)

__version__ = "0.1.0.dev0"

__all__ = [
    "Certified",
    "PACBayesSetCoveringClassifier",
    "PACBayesSetCoveringClassifierCV",
    "SetCoveringClassifier",
    "SetCoveringClassifierCV",
    "__version__",
]
