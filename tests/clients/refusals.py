"""What is refused, with its reason: every other refusal is a finding, and so is one that is listed and no longer made.

A line names estimators, targets and clients by patterns (`fnmatch`), a part of the message, and why it has to be so.
"""

from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True)
class Refusal:
    """Something that does not work, and why: patterns of its place, such as estimator, target and client."""

    place: tuple[str, ...]
    message: str
    reason: str

    def covers(self, *place):
        pairs = zip(place, self.place, strict=True)
        return all(any(fnmatchcase(name, each) for each in pattern.split("|")) for name, pattern in pairs)


def listed(refusals, *place):
    """Return the line that covers a case; None where none does."""
    return next((each for each in refusals if each.covers(*place)), None)


TWO_CLASSES = "it is for two classes; `LaconicClassifier` takes any number"
WRAPPED = "it holds another library's model, which is kept and exported by that library's means"
BINARY = (
    "HalfspaceIntersectionClassifier|MarginPerceptronClassifier|NormalFormClassifier|PACBayes*|PocketClassifier|"
    "ScoreCardClassifier|SetCovering*"
)
REFUSALS = (
    Refusal((BINARY, "three", "fit"), "Only binary classification is supported", TWO_CLASSES),
    Refusal(("Certified", "*", "save, load|laconic [!cf]*"), "has no attribute 'save'", WRAPPED),
    Refusal(("Certified", "*", "export*|pandas*"), "it is not exported", WRAPPED),
    Refusal(("Certified", "*", "skl2onnx*"), "Unable to find a shape calculator", WRAPPED),
    Refusal(("Certified", "*", "explain|get_rules as JSON"), "object has no attribute", WRAPPED),
    Refusal(
        ("Certified", "*", "skops"), "no default __reduce__", "it keeps the picked rows, and skops holds no frames"
    ),
    Refusal(("Certified", "*", "laconic fit"), "no learner of the command line", "what it wraps is Python"),
    Refusal(
        ("DecisionListClassifier|NormalFormClassifier", "*", "laconic fit"),
        "reads flags and categories",
        "on the command line it reads flags and categories alone, since a cut must be chosen before the data",
    ),
    Refusal(
        ("*Regressor", "*", "laconic watch"),
        "has no certificate of its error on classes",
        "what is watched is an error rate, of rows that are right or wrong",
    ),
    Refusal(
        (
            "Certified|HalfspaceIntersectionClassifier|LaconicClassifier|MarginPerceptronClassifier|"
            "NeuralDecisionListClassifier|PocketClassifier|RuleVoteClassifier|Score*",
            "two",
            "fairlearn: ExponentiatedGradient",
        ),
        "sample_weight",
        "it reweights rows, and `fit` takes no weights",
    ),
)
