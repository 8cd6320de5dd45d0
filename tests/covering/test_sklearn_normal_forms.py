"""scikit-learn's own checks: binarising, tolerant normal forms pass them all; strict ones refuse real columns."""

from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.oracles.boolean import run_check, strict_failures

from laconic import NormalFormClassifier

MACHINES = [
    NormalFormClassifier(binarize=0.0, penalty=1.0, max_rules=10),
    NormalFormClassifier("dnf", 2, binarize=0.5, penalty=2.0, max_rules=3),
    NormalFormClassifier(),
]


def declared_failures(estimator):
    return strict_failures() if estimator.binarize is None else {}


@parametrize_with_checks(MACHINES, expected_failed_checks=declared_failures)
def test_scikit_learn_contract(estimator, check):
    run_check(estimator, check)
