"""scikit-learn's own checks."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import LaconicRegressor


@parametrize_with_checks([LaconicRegressor(2)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)
