"""Score cards: points of small whole numbers for a few columns, thresholds, flags and categories."""

from laconic.scorecards._estimators import ScoreCardClassifier

__all__ = ["ScoreCardClassifier"]
