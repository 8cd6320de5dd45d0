"""scikit-learn's own checks, for every kind of machine that can take real-valued columns."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import SetCoveringClassifier, SetCoveringClassifierCV
from laconic.covering import Stumps

MACHINES = [
    SetCoveringClassifier(),
    SetCoveringClassifier("conjunction", "stumps", penalty=1.0),
    SetCoveringClassifier(form="disjunction", features="stumps", max_rules=None, penalty=1.0),
    SetCoveringClassifier(form="auto", features=Stumps(bins=16), penalty=2.0, n_jobs=2),
    SetCoveringClassifier("conjunction", "balls", penalty=1.0),
    SetCoveringClassifierCV(features=("balls",), penalties=(1.0, 3.0), max_rules=5, cv=2),
    SetCoveringClassifierCV(features=("stumps",), penalties=(1.0,), max_rules=4, select="bound", n_jobs=2),
]


def declared_failures(estimator):
    if isinstance(estimator, SetCoveringClassifierCV) or estimator.features in ("auto", "balls"):
        return {}
    return {
        "check_class_weight_classifiers": "it wants 87 % of new rows in class 0 when class 1 weighs 10^-7 of it; the "
        "machine gives 86 %: rows of class 1 that cost nothing to keep are kept, however little they weigh",
    }


@parametrize_with_checks(MACHINES, expected_failed_checks=declared_failures)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
