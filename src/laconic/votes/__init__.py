"""Votes of short random machines, for those who want accuracy with rules."""

from laconic.votes._estimators import RuleVoteClassifier

__all__ = ["RuleVoteClassifier"]
