"""Learning machines of few words, each with a certificate of its error."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

__all__ = [
    "CertificateMonitor",
    "Certified",
    "DecisionListClassifier",
    "HalfspaceIntersectionClassifier",
    "LaconicClassifier",
    "LaconicRegressor",
    "MarginPerceptronClassifier",
    "MinimalComplexityClassifier",
    "MinimalComplexityRegressor",
    "NeuralDecisionListClassifier",
    "NormalFormClassifier",
    "PACBayesSetCoveringClassifier",
    "PACBayesSetCoveringClassifierCV",
    "PocketClassifier",
    "Promises",
    "RuleListClassifier",
    "RuleVoteClassifier",
    "ScoreCardClassifier",
    "ScoreCardListClassifier",
    "ScoreTableClassifier",
    "SetCoveringClassifier",
    "SetCoveringClassifierCV",
    "__version__",
    "load",
    "progress",
]

# A room is imported when a name of it is first asked for: scikit-learn and numba take seconds, and `laconic --help`
# needs neither. Who checks types reads the names as they are.
if TYPE_CHECKING:
    from laconic import auto as auto
    from laconic import certificates as certificates
    from laconic import certified as certified
    from laconic import covering as covering
    from laconic import datasets as datasets
    from laconic import exceptions as exceptions
    from laconic import halfspaces as halfspaces
    from laconic import lists as lists
    from laconic import minimal as minimal
    from laconic import model_file as model_file
    from laconic import monitor as monitor
    from laconic import plotting as plotting
    from laconic import rules as rules
    from laconic import scorecards as scorecards
    from laconic import votes as votes
    from laconic._progress import progress
    from laconic.auto import LaconicClassifier, LaconicRegressor
    from laconic.certificates import Promises
    from laconic.certified import Certified
    from laconic.covering import (
        NormalFormClassifier,
        PACBayesSetCoveringClassifier,
        PACBayesSetCoveringClassifierCV,
        SetCoveringClassifier,
        SetCoveringClassifierCV,
    )
    from laconic.halfspaces import HalfspaceIntersectionClassifier, MarginPerceptronClassifier, PocketClassifier
    from laconic.lists import DecisionListClassifier, NeuralDecisionListClassifier, RuleListClassifier
    from laconic.minimal import MinimalComplexityClassifier, MinimalComplexityRegressor
    from laconic.model_file import load
    from laconic.monitor import CertificateMonitor
    from laconic.scorecards import ScoreCardClassifier, ScoreCardListClassifier, ScoreTableClassifier
    from laconic.votes import RuleVoteClassifier
else:
    _ROOMS = ("auto", "certificates", "certified", "covering", "datasets", "exceptions", "halfspaces", "lists")
    _ROOMS += ("minimal", "model_file", "monitor", "plotting", "rules", "scorecards", "votes")
    _HOMES = {
        "CertificateMonitor": "monitor",
        "Certified": "certified",
        "DecisionListClassifier": "lists",
        "HalfspaceIntersectionClassifier": "halfspaces",
        "LaconicClassifier": "auto",
        "LaconicRegressor": "auto",
        "MarginPerceptronClassifier": "halfspaces",
        "MinimalComplexityClassifier": "minimal",
        "MinimalComplexityRegressor": "minimal",
        "NeuralDecisionListClassifier": "lists",
        "NormalFormClassifier": "covering",
        "PACBayesSetCoveringClassifier": "covering",
        "PACBayesSetCoveringClassifierCV": "covering",
        "PocketClassifier": "halfspaces",
        "Promises": "certificates",
        "RuleListClassifier": "lists",
        "RuleVoteClassifier": "votes",
        "ScoreCardClassifier": "scorecards",
        "ScoreCardListClassifier": "scorecards",
        "ScoreTableClassifier": "scorecards",
        "SetCoveringClassifier": "covering",
        "SetCoveringClassifierCV": "covering",
        "load": "model_file",
        "progress": "_progress",
    }

    def __getattr__(name: str) -> Any:
        if name in _ROOMS:
            return import_module(f"laconic.{name}")
        if name not in _HOMES:
            raise AttributeError(f"module 'laconic' has no attribute {name!r}")
        globals()[name] = found = getattr(import_module(f"laconic.{_HOMES[name]}"), name)
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__, *_ROOMS})
