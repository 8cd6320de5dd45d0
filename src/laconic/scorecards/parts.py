"""What other rooms use of this one's insides."""

from laconic.scorecards._lengths import words_for

__all__ = ["words_for"]
