"""What is refused, with its reason: every other refusal is a finding, and so is one that is listed and no longer made.

A line names estimators, targets and clients by patterns (`fnmatch`), a part of the message, and why it has to be so.
"""

from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True)
class Refusal:
    """Something that does not work, and why."""

    estimator: str
    target: str
    client: str
    message: str
    reason: str

    def covers(self, estimator, target, client):
        pairs = ((estimator, self.estimator), (target, self.target), (client, self.client))
        return all(any(fnmatchcase(name, each) for each in pattern.split("|")) for name, pattern in pairs)


TWO_CLASSES = "the learner is one for two classes; LaconicClassifier takes any number"
WRAPPED = "a certificate around another library's model, whose answers and parameters laconic does not hold"
REFUSALS = (
    Refusal(
        "HalfspaceIntersectionClassifier|MarginPerceptronClassifier|NormalFormClassifier|PACBayes*|PocketClassifier|"
        "ScoreCardClassifier|SetCovering*",
        "three",
        "fit",
        "Only binary classification is supported",
        TWO_CLASSES,
    ),
    Refusal("Certified", "*", "save, load|laconic *", "has no attribute 'save'", WRAPPED),
    Refusal("Certified", "*", "export: duckdb|export: sqlite|export: python|export: onnx", "'reading'", WRAPPED),
    Refusal("Certified", "*", "export: pmml|pandas.read_sql*", "it is not exported", WRAPPED),
)


def listed(estimator, target, client):
    """Return the line that covers a case; None where none does."""
    return next((each for each in REFUSALS if each.covers(estimator, target, client)), None)
