"""scikit-learn's own checks, for a classifier and a regressor with certificates."""

from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import Certified

# Many checks draw labels at random, so that nearly every row is picked: batches and a quick solver save time.
MODELS = [
    Certified(LogisticRegression(solver="newton-cholesky"), batch=100),
    Certified(DecisionTreeRegressor(random_state=0), tolerance=0.5, batch=20),
    Certified(LogisticRegression(solver="newton-cholesky"), holdout=0.4),
]


@parametrize_with_checks(MODELS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
