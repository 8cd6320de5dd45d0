"""Paper 1: M. Marchand and J. Shawe-Taylor, *Learning with the Set Covering Machine* (2001)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.svm import SVC

from laconic.covering import Literals, SetCoveringClassifier
from laconic.datasets import make_conjunction

FIGURE1_SIZES = (20, 40, 60, 80, 100, 140, 180, 240, 300)


@dataclass(frozen=True)
class LearningPoint:
    """One point of figure 1: the mean error of one learner at one size of the training set.

    Parameters
    ----------
    learner : str
        "cover" (the Valiant and Haussler steps) or "margin" (the maximum margin hyperplane).
    n_samples : int
        The size of the training sets.
    positive_error, negative_error : float
        The mean share of positive and of negative test examples that it gets wrong.
    """

    learner: str
    n_samples: int
    positive_error: float
    negative_error: float


def figure1(
    sizes: Sequence[int] = FIGURE1_SIZES, n_sets: int = 20, n_test: int = 10_000, seed: int = 0
) -> list[LearningPoint]:
    """Learn a conjunction of 5 out of 80 Boolean attributes, by set cover and by maximum margin.

    The text claims that the cover is substantially better on both classes at every size.

    Parameters
    ----------
    sizes : sequence of int
        Sizes of the training sets, half of each positive. The paper's figure gives no numbers; these are ours.
    n_sets : int
        How many training sets of each size (the paper: 20).
    n_test : int
        The size of the test set, half of it positive (the paper: 10000).
    seed : int
        Where the random numbers start.

    Returns
    -------
    list of LearningPoint
        For each size the cover, then the margin.

    Examples
    --------
    >>> cover, margin = figure1(sizes=[100], n_sets=2, n_test=1000)
    >>> cover.negative_error < margin.negative_error
    True
    """
    test = make_conjunction(n_test, random_state=seed)
    # the attributes themselves are the features, as in the paper: no negations
    learners: dict[str, Any] = {
        "cover": SetCoveringClassifier(features=Literals(negated=False), penalty=np.inf, max_rules=None),
        "margin": SVC(kernel="linear", C=1e6),
    }
    points = []
    for position, size in enumerate(sizes):
        seeds = [seed + 1 + position * n_sets + repeat for repeat in range(n_sets)]
        training = [make_conjunction(size, random_state=each) for each in seeds]
        for name, learner in learners.items():
            errors = [_errors_by_class(learner.fit(*rows), *test) for rows in training]
            positive, negative = np.mean(errors, axis=0).tolist()
            points.append(LearningPoint(name, size, positive, negative))
    return points


def _errors_by_class(model: Any, X: Any, y: Any) -> tuple[float, float]:
    wrong = model.predict(X) != y
    return float(wrong[y == 1].mean()), float(wrong[y == 0].mean())
