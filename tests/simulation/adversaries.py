"""Any of several: an adversary fits again and again to the same rows, and keeps the fit whose promise is broken.

Bounds of sample compression and Occam's razor hold for all sets and messages at once. So whatever the data cannot buy
(weights, penalties, sizes, orders, seeds) may be tried as often as one likes.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from unittest import mock

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning

from laconic import (
    DecisionListClassifier,
    HalfspaceIntersectionClassifier,
    LaconicClassifier,
    MarginPerceptronClassifier,
    MinimalComplexityClassifier,
    MinimalComplexityRegressor,
    NeuralDecisionListClassifier,
    NormalFormClassifier,
    PACBayesSetCoveringClassifier,
    PocketClassifier,
    RuleListClassifier,
    ScoreCardClassifier,
    ScoreCardListClassifier,
    ScoreTableClassifier,
    SetCoveringClassifier,
)
from laconic._indicators import by_value
from laconic.auto import _classifier_search as auto_search
from laconic.auto._answering import Rows
from laconic.auto._classifier_portfolio import BY_BOUND, PORTFOLIO
from laconic.certificates import Certificate, SetApart
from laconic.covering import Balls, Stumps
from laconic.rules import Literal
from tests.simulation import worlds
from tests.simulation.harness import Cell

N_FITS = 4


class Quiet:
    """An estimator whose warnings about noise the harness need not be told."""

    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y, **others):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return self.estimator.fit(X, y, **others)


def weights(y, rng):
    """A few rows count a lot, and some count nothing."""
    drawn = rng.exponential(size=len(y)) ** 2 * (rng.random(len(y)) < 0.8)
    drawn[[np.argmax(y), np.argmin(y)]] += 0.1
    return {"sample_weight": drawn}


def adversary(name, world, n_samples, make, weighted=False, delta_matters=False):
    """A cell of several fits; ``make`` takes delta and a generator, which draws the parameters."""

    def fits(delta, y, rng):
        return [(Quiet(make(delta, rng)), weights(y, rng) if weighted else {}) for _ in range(N_FITS)]

    def one(delta):
        return make(delta, np.random.default_rng(0))

    return Cell(name, world, n_samples, one, delta_matters=delta_matters, fits=fits)


def penalty(rng):
    return float(2.0 ** rng.uniform(-3, 3))


def cover(features, form="conjunction"):
    def make(delta, rng):
        return SetCoveringClassifier(
            form, features, penalty=penalty(rng), max_rules=int(rng.integers(1, 5)), delta=delta
        )

    return make


def soft(delta, rng):
    return PACBayesSetCoveringClassifier(
        penalty=penalty(rng), margin=float(rng.uniform(0, 0.5)), max_rules=int(rng.integers(1, 4)), delta=delta
    )


def soft_radius(delta, rng):
    """Theorem 2 with any largest radius: the smaller it is, the wider an interval looks."""
    return PACBayesSetCoveringClassifier(
        penalty=penalty(rng), margin=0.4, refine=False, max_rules=1, max_radius=float(rng.uniform(2, 6)), delta=delta
    )


def rows_in_a_list(delta, rng):
    strategy = ("largest", "first")[int(rng.integers(2))]
    return DecisionListClassifier(
        strategy=strategy, penalty=penalty(rng), max_rules=int(rng.integers(1, 5)), delta=delta
    )


def climbed(delta, rng):
    words, conditions = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    return RuleListClassifier(words, conditions, select=None, delta=delta)


def formula(delta, rng):
    return NormalFormClassifier(penalty=penalty(rng), max_rules=int(rng.integers(1, 4)), delta=delta)


def intersection(delta, rng):
    order, placement = rng.choice(["nearest", "random", "batch"]), rng.choice(["max_margin", "vertex"])
    return HalfspaceIntersectionClassifier(
        order=str(order), placement=str(placement), max_halfspaces=2, random_state=int(rng.integers(2**31)), delta=delta
    )


def neural(delta, rng):
    return NeuralDecisionListClassifier(
        str(rng.choice(["nearest", "random", "batch"])), 2, random_state=int(rng.integers(2**31)), delta=delta
    )


class Blinkered(ClassifierMixin, BaseEstimator):
    """A learner in few digits that sees some of the columns only: the mask is the adversary's."""

    def __init__(self, estimator, seed):
        self.estimator = estimator
        self.seed = seed

    def fit(self, X, y, **others):
        self.seen_ = np.random.default_rng(self.seed).random(X.shape[1]) < 0.7
        self.estimator.fit(X * self.seen_, y, **others)
        self.certificate_ = self.estimator.certificate_
        return self

    def predict(self, X):
        return self.estimator.predict(X * self.seen_)


def blinkered(learner):
    def make(delta, rng):
        return Blinkered(learner(delta, rng).set_params(code="digits"), int(rng.integers(2**31)))

    return make


def perceptron(delta, rng):
    """Any number of passes; the order is settled."""
    return MarginPerceptronClassifier(int(rng.integers(1, 6)), random_state=0, delta=delta)


def pocket(delta, rng):
    return PocketClassifier(3, random_state=int(rng.integers(2**31)), delta=delta)


def card(delta, rng):
    terms, select = str(rng.choice(["auto", "thresholds"])), str(rng.choice(["cv", "bound"]))
    sizes = {"max_terms": int(rng.integers(1, 5)), "max_points": int(rng.integers(1, 8))}
    return ScoreCardClassifier("logistic", terms, select=select, cv=2, random_state=0, delta=delta, **sizes)


def cards_in_order(delta, rng):
    terms, points = str(rng.choice(["auto", "thresholds"])), int(rng.integers(1, 8))
    sizes = {"max_terms": int(rng.integers(1, 6)), "max_points": points}
    return ScoreCardListClassifier(terms, cv=None, random_state=0, delta=delta, **sizes)


def table_of_points(delta, rng):
    terms, points = str(rng.choice(["auto", "thresholds"])), int(rng.integers(1, 8))
    return ScoreTableClassifier(terms, int(rng.integers(1, 6)), max_points=points, cv=None, random_state=0, delta=delta)


def minimal(delta, rng):
    return MinimalComplexityClassifier(float(10.0 ** rng.uniform(-2, 1)), delta=delta)


class Picking(ClassifierMixin, BaseEstimator):
    """A learner of categories, of which the adversary says which have indicators: rare ones, too."""

    def __init__(self, estimator, seed):
        self.estimator = estimator
        self.seed = seed

    def fit(self, X, y, **others):
        def some(table):
            columns = [j for j, kind in enumerate(table.kinds) if kind == "category"]
            flags = [Literal(j, False, each) for j in columns for each in table.column(j).categories]
            drawn = np.random.default_rng(self.seed).permutation(len(flags))[:6]
            return tuple(sorted((flags[place] for place in drawn), key=by_value))

        with mock.patch("laconic._wide.indicators", some):
            self.estimator.fit(X, y, **others)
        self.certificate_, self.hypothesis_ = self.estimator.certificate_, self.estimator.hypothesis_
        return self

    def predict(self, X):
        return self.estimator.predict(X)


def picking(delta, rng):
    code = str(rng.choice(["rows", "digits"]))
    return Picking(minimal(delta, rng).set_params(code=code), int(rng.integers(2**31)))


def tube(delta, rng):
    C, epsilon = float(10.0 ** rng.uniform(-1, 1)), float(2.0 ** rng.uniform(-1, 1))
    return MinimalComplexityRegressor(C, epsilon, code="digits", coverage=0.4, delta=delta)


class AnyOfAll(ClassifierMixin, BaseEstimator):
    """The machine at some place of all that `LaconicClassifier` certifies where the smallest bound decides."""

    def __init__(self, place, delta):
        self.place = place
        self.delta = delta

    def fit(self, X, y):
        apart = LaconicClassifier().set_apart(len(y))
        rows = Rows(X, y, np.ones(len(y), dtype=bool))
        settings = auto_search.Settings(2, self.delta, 0)
        found = auto_search.search(rows.take(~apart), FEW, settings)
        wrong = found.fitted.answers(X, rows.complete)[0][apart] != y[apart]
        statement = SetApart(int(apart.sum()), int(wrong.sum()), int((~apart).sum()))
        own = Certificate.resting_on(statement, delta=self.delta, empirical_risk=float(wrong.mean()))
        tried, _ = auto_search.all_bounds(rows, BY_BOUND, replace(found, certificate=own), settings)
        self.answering_, self.certificate_ = tried[min(self.place, len(tried) - 1)]
        return self

    def predict(self, X):
        return self.answering_.answers(X, np.ones(len(X), dtype=bool))[0]


FEW = tuple(replace(entry, settings=entry.settings[:2], sizes=()) for entry in PORTFOLIO[:1])


def any_of_all(delta, rng):
    return AnyOfAll(int(rng.integers(1 + len(BY_BOUND))), delta)


CELLS = [
    adversary("SetCoveringClassifier, stumps", worlds.PURE_NOISE, 30, cover("stumps"), weighted=True),
    adversary("SetCoveringClassifier, a prior", worlds.PURE_NOISE, 30, cover(Stumps(prior={0: 3.0, 2: 1.0})), True),
    adversary("SetCoveringClassifier, balls", worlds.DISC, 40, cover(Balls(), "disjunction"), weighted=True),
    adversary("SetCoveringClassifier, literals", worlds.FLAGS, 40, cover("literals"), weighted=True),
    adversary("SetCoveringClassifier, frequent categories", worlds.GUESSES, 30, cover("literals"), True, True),
    adversary("PACBayesSetCoveringClassifier", worlds.NUMBERS, 40, soft, weighted=True),
    adversary("PACBayesSetCoveringClassifier, largest radius", worlds.DISC, 50, soft_radius),
    adversary("DecisionListClassifier", worlds.NOISY_BITS, 40, rows_in_a_list, weighted=True),
    adversary("RuleListClassifier", worlds.PURE_NOISE, 30, climbed, weighted=True),
    adversary("NormalFormClassifier", worlds.NOISY_BITS, 40, formula, weighted=True),
    adversary("HalfspaceIntersectionClassifier", worlds.NOISY_LINE, 40, intersection, delta_matters=True),
    adversary("NeuralDecisionListClassifier", worlds.NOISY_LINE, 40, neural, delta_matters=True),
    adversary("PocketClassifier", worlds.NUMBERS, 30, pocket, delta_matters=True),
    adversary("PocketClassifier, categories", worlds.MIXED, 30, pocket, delta_matters=True),
    adversary("LaconicClassifier, all that the bound chooses from", worlds.NUMBERS, 40, any_of_all, delta_matters=True),
    adversary("MinimalComplexityClassifier", worlds.NUMBERS, 40, minimal, weighted=True, delta_matters=True),
    adversary(
        "MinimalComplexityClassifier, few digits",
        worlds.NUMBERS,
        30,
        blinkered(minimal),
        weighted=True,
        delta_matters=True,
    ),
    adversary("MinimalComplexityClassifier, which categories", worlds.COLOURS, 40, picking, delta_matters=True),
    adversary("MinimalComplexityRegressor, few digits", worlds.SLOPE, 40, tube, weighted=True, delta_matters=True),
    adversary(
        "HalfspaceIntersectionClassifier, few digits",
        worlds.NOISY_LINE,
        30,
        blinkered(intersection),
        delta_matters=True,
    ),
    adversary("NeuralDecisionListClassifier, few digits", worlds.NOISY_LINE, 30, blinkered(neural), delta_matters=True),
    adversary("MarginPerceptronClassifier", worlds.NOISY_LINE, 40, perceptron),
    adversary("MarginPerceptronClassifier, categories", worlds.SHADES, 40, perceptron),
    adversary("ScoreCardClassifier", worlds.NUMBERS, 30, card, delta_matters=True),
    adversary("ScoreCardListClassifier", worlds.NUMBERS, 30, cards_in_order),
    adversary("ScoreTableClassifier", worlds.NUMBERS, 30, table_of_points),
]
ADVERSARIES = {
    f"any of {len(cell.fits(0.05, np.arange(2), np.random.default_rng(0)))}: {cell.name}": cell for cell in CELLS
}
