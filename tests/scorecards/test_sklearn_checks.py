"""scikit-learn's own checks of score cards."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import ScoreCardClassifier, ScoreCardListClassifier, ScoreTableClassifier

CARDS = [ScoreCardClassifier(max_terms=3, cv=2), ScoreCardClassifier("pocket", "columns", max_terms=2, cv=2)]
CARDS += [ScoreCardListClassifier(max_terms=3, cv=None), ScoreCardListClassifier("columns", 4, cv=2)]
CARDS += [ScoreTableClassifier(max_words=6, cv=2), ScoreTableClassifier("columns", cv=None)]


@parametrize_with_checks(CARDS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
