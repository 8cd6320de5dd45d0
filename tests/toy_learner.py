"""A learner of your own, whole: one threshold on one column. ``CONTRIBUTING.md`` walks through it."""

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from laconic._base import CombinationClassifier, Lines
from laconic._kept import Count
from laconic._learners import Learner
from laconic._sklearn_compat import Interval
from laconic.certificates import Encoding, Examples, choose_examples, seal
from laconic.rules import Conjunction, Stump

# ---- the scheme: a threshold is one example's value; column and side are the message


@dataclass(frozen=True)
class Message:
    feature: int
    greater: bool


def encode(hypothesis, table, positive):
    (stump,) = hypothesis.rules
    fills = table.numbers(stump.feature) == stump.threshold
    rows, _ = choose_examples(table, positive, [fills], hypothesis.evaluate(table) != positive)
    nats = math.log(2 * table.n_columns)
    return Encoding(rows, Examples.chosen(table, positive, rows), Message(stump.feature, stump.greater), nats)


def reconstruct(examples, message):
    (threshold,) = examples.table.numbers(message.feature)
    return Conjunction((Stump(message.feature, float(threshold), message.greater),))


# ---- the solver: fewest errors; of equals the first column, the lowest threshold, the lower side


def best_stump(table, positive):
    candidates = [
        (int(((values > threshold) == (positive == greater)).sum()), feature, threshold, greater)
        for feature in range(table.n_columns)
        for values in [table.numbers(feature)]
        for threshold in np.unique(values).tolist()
        for greater in (False, True)
    ]
    _, feature, threshold, greater = max(candidates, key=lambda each: (each[0], -each[1], -each[2], -each[3]))
    return Stump(feature, threshold, greater), len(candidates)


# ---- the estimator


class ThresholdClassifier(CombinationClassifier):
    """The threshold on one column that gets the fewest training rows wrong."""

    _numbers_only = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"delta": [Interval(Real, 0, 1, closed="right")]}

    def __init__(self, *, delta=0.05):
        self.delta = delta

    def fit(self, X, y):
        """Find the threshold and certify it."""
        training = self._read_training(X, y)
        table, positive = training.table, training.positive
        stump, n_tried = best_stump(table, positive)
        encoding = encode(Conjunction((stump,)), table, positive)
        sealed = seal(reconstruct, encoding, table, positive, self.delta)
        return self._finish(training, sealed, (stump,), np.where(stump.holds(table), 1, 0), (), n_tried_=n_tried)


# ---- what a model file keeps, and the registration


@dataclass(frozen=True, eq=False)
class Threshold(Lines):
    """The one line, and how many thresholds were tried."""

    n_tried: Count

    @classmethod
    def parts(cls, model):
        """Return the count, too."""
        return super().parts(model) | {"n_tried": model.n_tried_}

    def attributes(self, model):
        """Return the count, too."""
        return super().attributes(model) | {"path_": (), "n_tried_": self.n_tried}


LEARNER = Learner(ThresholdClassifier, Threshold, (Conjunction,), name="threshold", reads="numbers")
