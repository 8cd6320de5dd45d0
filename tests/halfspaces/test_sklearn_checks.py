"""scikit-learn's own checks of intersections, unions and the pocket."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic.halfspaces.intersection._estimators import HalfspaceIntersectionClassifier
from laconic.halfspaces.pocket._estimators import PocketClassifier

MACHINES = [
    HalfspaceIntersectionClassifier(),
    HalfspaceIntersectionClassifier(union=True),
    HalfspaceIntersectionClassifier(order="random", random_state=0),
    HalfspaceIntersectionClassifier(placement="vertex"),
    PocketClassifier(),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # some checks draw labels at random
@parametrize_with_checks(MACHINES)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
