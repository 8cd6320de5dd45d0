"""scikit-learn's own checks, for every kind of machine that can take real-valued columns."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import SetCoveringClassifier
from laconic.covering import Stumps

MACHINES = [
    SetCoveringClassifier(),
    SetCoveringClassifier(form="disjunction", max_rules=None),
    SetCoveringClassifier(form="auto", features=Stumps(bins=16), penalty=2.0, n_jobs=2),
]


@parametrize_with_checks(MACHINES)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_no_check_is_declared_to_fail():
    assert not any(hasattr(machine, "_xfail_checks") for machine in MACHINES)
