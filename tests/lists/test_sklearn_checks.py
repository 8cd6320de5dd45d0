"""scikit-learn's own checks: a binarising, tolerant list passes them all; strict ones refuse real columns."""

from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.oracles.boolean import run_check, strict_failures

from laconic import DecisionListClassifier

PASSES_ALL = DecisionListClassifier(2, binarize=0.0, penalty=1.0, max_rules=10)
MACHINES = [
    PASSES_ALL,
    DecisionListClassifier(binarize=0.0, penalty=1.0, max_rules=10),
    DecisionListClassifier(2, "first", binarize=0.5, penalty=2.0, max_rules=5),
    DecisionListClassifier(),
]


def declared_failures(estimator):
    if estimator.binarize is None:
        return strict_failures()
    if estimator.k == 2 and estimator.strategy == "largest":
        return {}
    return {
        "check_classifiers_train": "it wants 83 % of three blobs right, of which two flags are left: at the threshold "
        "0.5 no function of these is right on more than 79 %; at 0 single flags, by greed, reach 75 %"
    }


@parametrize_with_checks(MACHINES, expected_failed_checks=declared_failures)
def test_scikit_learn_contract(estimator, check):
    run_check(estimator, check)
