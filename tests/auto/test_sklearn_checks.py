from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import LaconicClassifier


class FewSettings(LaconicClassifier):
    """The same with one setting of each machine: scikit-learn's checks fit a hundred times."""

    _portfolio = tuple(type(e)(**{**vars(e), "settings": e.settings[:1]}) for e in LaconicClassifier._portfolio[:3])


@parametrize_with_checks([FewSettings(), FewSettings(3, select="bound")])
def test_scikit_learn_compatible(estimator, check):
    check(estimator)
