"""The machines that `LaconicClassifier` chooses from: a constant of the code, one line for each.

Tuned on scikit-learn's tables and on those that the papers use; what other tables showed changed nothing here.
"""

from __future__ import annotations

from itertools import product

from laconic.auto._choosing import Entry
from laconic.covering import Balls, SetCoveringClassifier, SetCoveringClassifierCV
from laconic.halfspaces import PocketClassifier
from laconic.lists import NeuralDecisionListClassifier, RuleListClassifier
from laconic.minimal import MinimalComplexityClassifier
from laconic.scorecards import ScoreCardClassifier, ScoreTableClassifier

_FORMS, _PENALTIES = ("conjunction", "disjunction"), (0.75, 1.5, 4.0)
_SIZES = (3, 5, 7, 10)


def _covers(features: object) -> tuple[dict[str, object], ...]:
    return tuple(
        {"form": form, "features": features, "penalty": penalty} for form, penalty in product(_FORMS, _PENALTIES)
    )


_BALLS = Balls(scale="dyadic")
PORTFOLIO = (
    Entry(
        "thresholds",
        SetCoveringClassifier,
        _covers(["literals", "stumps"]),
        size="max_rules",
        staged=True,
        stays_packed=True,
    ),
    Entry("balls", SetCoveringClassifier, _covers(_BALLS), size="max_rules", staged=True, most_rows=5000),
    Entry(
        "score card",
        ScoreCardClassifier,
        ({"terms": "auto", "cv": None},),
        for_numbers=({"terms": "columns", "cv": None},),
        size="max_terms",
        sizes=_SIZES,
        most_columns=1000,
    ),
    Entry(
        "score table",
        ScoreTableClassifier,
        ({"terms": "auto", "cv": None},),
        for_numbers=({"terms": "columns", "cv": None},),
        size="max_words",
        sizes=(*_SIZES, 15, 20, 30, 50, 70, 100),
        most_columns=1000,
        least_classes=3,
    ),
    Entry(
        "rule list",
        RuleListClassifier,
        ({"select": None},),
        size="max_words",
        sizes=(1, 2, 3, 5, 7, 10, 15, 20, 30),
        most_rows=20_000,
        most_columns=1000,
    ),
    Entry(
        "linear",
        MinimalComplexityClassifier,
        ({"C": 0.03}, {"C": 1.0}),
        most_rows=100_000,
        most_columns=1000,
        numbers_only=True,
    ),
    Entry(
        "kernels",
        MinimalComplexityClassifier,
        tuple({"kernel": "rbf", "C": C} for C in (0.1, 10.0)),
        size="max_support",
        most_rows=20_000,
        numbers_only=True,
    ),
    Entry("pocket", PocketClassifier, ({},), most_rows=20_000, most_columns=20, numbers_only=True),
    Entry(
        "halfspaces",
        NeuralDecisionListClassifier,
        ({"max_halfspaces": 1}, {"max_halfspaces": 2}),
        most_columns=100,
        numbers_only=True,
    ),
)

# fitted to all rows where the smallest certificate decides: few, since each costs the others something
BY_BOUND = (
    *(
        Entry(
            name,
            SetCoveringClassifierCV,
            ({"features": [features], "penalties": _PENALTIES, "select": "bound"},),
            size="max_rules",
            most_rows=most_rows,
            stays_packed=name == "thresholds",
        )
        for name, features, most_rows in (("thresholds", ["literals", "stumps"], 10**9), ("balls", _BALLS, 5000))
    ),
    Entry("linear", MinimalComplexityClassifier, ({},), most_rows=100_000, most_columns=1000, numbers_only=True),
    Entry("pocket", PocketClassifier, ({},), most_rows=20_000, most_columns=100),
    Entry("halfspaces", NeuralDecisionListClassifier, ({"max_halfspaces": 2},), most_columns=100, numbers_only=True),
)
