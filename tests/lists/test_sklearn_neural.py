"""scikit-learn's own checks of neural decision lists."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic.lists._neural_estimators import NeuralDecisionListClassifier

MACHINES = [
    NeuralDecisionListClassifier(),
    NeuralDecisionListClassifier(dichotomies=True),
    NeuralDecisionListClassifier(prune=0.3, random_state=0),
    NeuralDecisionListClassifier(max_halfspaces=3),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # some checks draw labels at random
@parametrize_with_checks(MACHINES)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
