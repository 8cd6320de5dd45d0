"""scikit-learn's own checks; with few settings, since they fit a hundred times."""

from dataclasses import replace

from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import LaconicClassifier


class FewSettings(LaconicClassifier):
    """One setting of few machines."""

    _portfolio = tuple(
        replace(entry, settings=entry.settings[-1:])
        for entry in LaconicClassifier._portfolio
        if entry.name in ("thresholds", "rule list", "kernels")
    )


@parametrize_with_checks([FewSettings(), FewSettings(3, select="bound")])
def test_scikit_learn_compatible(estimator, check):
    check(estimator)
