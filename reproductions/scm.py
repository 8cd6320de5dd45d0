"""Figure 1 of paper 1: M. Marchand and J. Shawe-Taylor, *Learning with the Set Covering Machine* (2001)."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.svm import SVC

from laconic.covering import Literals, SetCoveringClassifier
from laconic.datasets import make_conjunction
from reproductions.record import Panel, Point, Report, Results, Scale, Task, make_point
from reproductions.rows import Row, claim, mean_and_spread, standard_error
from reproductions.texts import described

SIZES = (20, 40, 60, 80, 100, 140, 180, 240, 300)
CLASSES = ("positive", "negative")


def conjunction_errors(size: int, n_sets: int, n_test: int, seed: int) -> dict[str, Any]:
    """Learn a conjunction of 5 out of 80 Boolean attributes, by set cover and by maximum margin.

    Parameters
    ----------
    size : int
        The size of the training sets, half of each positive.
    n_sets : int
        How many training sets.
    n_test : int
        The size of the test set, half of it positive.
    seed : int
        Where the random numbers start.

    Returns
    -------
    dict
        For "cover" (the Valiant and Haussler steps) and "margin" (the maximum margin hyperplane), and for each class,
        the per cent of test examples that are wrong, one for each training set.

    Examples
    --------
    >>> errors = conjunction_errors(100, n_sets=2, n_test=1000, seed=0)
    >>> max(errors["cover"]["negative"]) < min(errors["margin"]["negative"])
    True
    """
    # the attributes themselves are the features, as in the paper: no negations
    learners: dict[str, Any] = {
        "cover": SetCoveringClassifier("conjunction", Literals(negated=False), penalty=np.inf, max_rules=None),
        "margin": SVC(kernel="linear", C=1e6),
    }
    X, y = make_conjunction(n_test, random_state=seed)
    errors: dict[str, dict[str, list[float]]] = {name: {each: [] for each in CLASSES} for name in learners}
    for number in range(n_sets):
        random = int(np.random.default_rng([seed, size, number]).integers(2**31))
        training = make_conjunction(size, random_state=random)
        for name, learner in learners.items():
            wrong = learner.fit(*training).predict(X) != y
            for each, label in zip(CLASSES, (1, 0), strict=True):
                errors[name][each].append(100 * float(wrong[y == label].mean()))
    return errors


def _tasks(scale: Scale, seed: int) -> list[Task]:
    sizes, n_sets, n_test = (SIZES, 20, 10_000) if scale == "full" else ((60, 140), 8, 4000)
    arguments = {"n_sets": n_sets, "n_test": n_test, "seed": seed}
    return [Task(conjunction_errors, {"size": size, **arguments}) for size in sizes]


def _judge(results: Results) -> Report:
    rows: list[Row] = []
    points: list[Point] = []
    sizes = results.distinct(conjunction_errors, "size")
    errors = {size: results.of(conjunction_errors, size=size)[0] for size in sizes}
    for each in CLASSES:
        for learner, curve in (("cover", "set cover (VH)"), ("margin", "maximum margin (MM)")):
            points += [make_point(f"{each} examples", curve, size, errors[size][learner][each]) for size in sizes]
        leads = {
            size: np.subtract(errors[size]["margin"][each], errors[size]["cover"][each]).tolist() for size in sizes
        }
        least = min(sizes, key=lambda size: float(np.mean(leads[size])))
        fails = [size for size in sizes if np.mean(leads[size]) <= 2 * standard_error(leads[size])]
        what = f"points by which the cover errs less on {each} examples, at least (m = {least})"
        mean, spread = mean_and_spread(leads[least])
        rows.append(claim(what, 0, mean, not fails, len(leads[least]), spread, f"not so at m = {fails}"))
    return Report(rows, points)


REPRODUCTIONS = (
    described(
        "scm/figure1",
        _tasks,
        _judge,
        tuple(Panel(f"{each} examples", "training examples", "errors, %") for each in CLASSES),
    ),
)
