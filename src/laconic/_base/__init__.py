"""The estimator contract: what all learners of the house share, and what model files keep of those made of rules."""

from laconic._base._batches import in_batches
from laconic._base._carded import Carded
from laconic._base._chances import AnswerChances, smoothed_shares
from laconic._base._classifier import Classifier
from laconic._base._combinations import CombinationClassifier
from laconic._base._halfspaces import HalfspaceClassifier, OneHalfspace
from laconic._base._machine import Machine, if_has
from laconic._base._promising import (
    BY_SET,
    NO_LINE,
    PROMISES,
    DecidingLines,
    Judged,
    declared_weights,
    possible_answers,
    promising,
    read_promises,
    refuse_unmet,
    score_of,
)
from laconic._base._rules import RuleClassifier
from laconic._base._states import ByAnswer, Lines, Stepped
from laconic._base._verbs import found_in

__all__ = [
    "BY_SET",
    "NO_LINE",
    "PROMISES",
    "AnswerChances",
    "ByAnswer",
    "Carded",
    "Classifier",
    "CombinationClassifier",
    "DecidingLines",
    "HalfspaceClassifier",
    "Judged",
    "Lines",
    "Machine",
    "OneHalfspace",
    "RuleClassifier",
    "Stepped",
    "declared_weights",
    "found_in",
    "if_has",
    "in_batches",
    "possible_answers",
    "promising",
    "read_promises",
    "refuse_unmet",
    "score_of",
    "smoothed_shares",
]
