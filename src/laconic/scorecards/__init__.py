"""Score cards: points of small whole numbers for a few columns, thresholds, flags and categories."""

from laconic.scorecards._estimators import ScoreCardClassifier
from laconic.scorecards._list_estimators import ScoreCardListClassifier
from laconic.scorecards._table_estimators import ScoreTableClassifier

__all__ = ["ScoreCardClassifier", "ScoreCardListClassifier", "ScoreTableClassifier"]
