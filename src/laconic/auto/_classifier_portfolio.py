"""The machines that `LaconicClassifier` chooses from: a constant of the code, one line for each.

Tuned on scikit-learn's tables, on those that the papers use and on further ones that are named so in the comparison's
catalogue; what other tables showed changed nothing here. On these, linear machines that are no score cards (pocket,
minimal, lists of halfspaces) and sets of balls changed nothing for the better either and took most of the time, so that
they are tried no longer; where classes lie inside each other, sums of kernels do as well as balls.
"""

from __future__ import annotations

from itertools import product

from laconic.auto._choosing import Entry
from laconic.covering import Balls, SetCoveringClassifier, SetCoveringClassifierCV
from laconic.halfspaces import PocketClassifier
from laconic.lists import NeuralDecisionListClassifier, RuleListClassifier
from laconic.minimal import MinimalComplexityClassifier
from laconic.scorecards import ScoreCardClassifier, ScoreTableClassifier

_FORMS, _PENALTIES = ("conjunction", "disjunction"), (1.5, 4.0)
_FEATURES = ["literals", "stumps"]
_SIZES = (3, 5, 7, 10)

PORTFOLIO = (
    Entry(
        "thresholds",
        SetCoveringClassifier,
        tuple(
            {"form": form, "features": _FEATURES, "penalty": penalty} for form, penalty in product(_FORMS, _PENALTIES)
        ),
        size="max_rules",
        staged=True,
        stays_packed=True,
    ),
    Entry(
        "score card",
        ScoreCardClassifier,
        ({"cv": None},),
        size="max_terms",
        sizes=(*_SIZES, 15, 20, 30),
        most_columns=1000,
        goes_first=True,
    ),
    Entry(
        "score table",
        ScoreTableClassifier,
        ({"cv": None},),
        size="max_words",
        sizes=(*_SIZES, 15, 20, 30, 50, 70, 100),
        most_columns=1000,
        least_classes=3,
        goes_first=True,
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
        "kernels",
        MinimalComplexityClassifier,
        tuple({"kernel": "rbf", "C": C} for C in (0.1, 10.0)),
        size="max_support",
        most_rows=20_000,
        most_classes=2,
        numbers_only=True,
    ),
)

# fitted to all rows where the smallest certificate decides: few, since each costs the others something
BY_BOUND = (
    *(
        Entry(
            name,
            SetCoveringClassifierCV,
            ({"features": [features], "penalties": (0.75, *_PENALTIES), "select": "bound"},),
            size="max_rules",
            most_rows=most_rows,
            stays_packed=name == "thresholds",
        )
        for name, features, most_rows in (("thresholds", _FEATURES, 10**9), ("balls", Balls(scale="dyadic"), 5000))
    ),
    Entry("linear", MinimalComplexityClassifier, ({},), most_rows=100_000, most_columns=1000, numbers_only=True),
    Entry("pocket", PocketClassifier, ({},), most_rows=20_000, most_columns=100),
    Entry("halfspaces", NeuralDecisionListClassifier, ({"max_halfspaces": 2},), most_columns=100, numbers_only=True),
)
