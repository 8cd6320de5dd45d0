"""Paper 2, a lecture on PAC learning: errors under theorem 1's promise, and mistakes under theorem 2's bound.

The lecture has no tables. What is run is what its theorems say, on random concepts and streams.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from laconic._table import Booleans, Floats
from laconic.certificates import ln_conjunctions, ln_decision_lists, ln_normal_forms, perceptron_mistake_bound
from laconic.covering import NormalFormClassifier
from laconic.halfspaces import MarginPerceptronClassifier
from laconic.lists import DecisionListClassifier
from reproductions.record import Panel, Point, Report, Results, Scale, Task, make_point
from reproductions.rows import Row, claim, show
from reproductions.texts import described

Random = np.random.Generator

N_COLUMNS = 10
DELTA = 0.05
SIZES = (25, 50, 100, 200, 400)
ROWS = (np.arange(2**N_COLUMNS)[:, None] >> np.arange(N_COLUMNS)) & 1


@dataclass(frozen=True)
class ConceptClass:
    """A class of concepts over ten Boolean columns.

    Parameters
    ----------
    draw : callable
        Draws a target: its answers for all 1024 rows.
    learner : callable
        Makes a learner that finds a consistent hypothesis of the class.
    ln_formulas : float
        The logarithm of the number of its formulas.
    """

    draw: Callable[[Random], Booleans]
    learner: Callable[[], Any]
    ln_formulas: float

    def promised(self, n_samples: int) -> float:
        """Solve theorem 1 for the error; the learner may also answer by one of two constants."""
        ln_class = float(np.logaddexp(self.ln_formulas, math.log(2)))
        return min((ln_class + math.log(1 / DELTA)) / n_samples, 1.0)


def _literal(random: Random, column: int, monotone: bool = False) -> Booleans:
    return np.asarray(ROWS[:, column] == (1 if monotone else random.integers(2)))


def _clauses(random: Random, sizes: tuple[int, ...], monotone: bool = False) -> Booleans:
    """Draw an AND of ORs of literals, each of another column."""
    columns = iter(random.permutation(N_COLUMNS).tolist())
    parts = [np.any([_literal(random, next(columns), monotone) for _ in range(size)], axis=0) for size in sizes]
    return np.all(parts, axis=0)


def _decision_list(random: Random) -> Booleans:
    answer = np.full(len(ROWS), random.random() < 0.5)
    for column in random.permutation(N_COLUMNS)[:5].tolist():
        answer = np.where(_literal(random, column), random.random() < 0.5, answer)
    return answer


CLASSES = {
    "monotone conjunctions": ConceptClass(
        lambda random: _clauses(random, (1, 1, 1), monotone=True),
        lambda: NormalFormClassifier(monotone=True),
        ln_conjunctions(N_COLUMNS, monotone=True),
    ),
    "conjunctions": ConceptClass(
        lambda random: _clauses(random, (1, 1, 1)), NormalFormClassifier, ln_conjunctions(N_COLUMNS)
    ),
    "decision lists": ConceptClass(_decision_list, DecisionListClassifier, ln_decision_lists(N_COLUMNS)),
    "2-CNF": ConceptClass(
        lambda random: _clauses(random, (2, 2, 1)), lambda: NormalFormClassifier(k=2), ln_normal_forms(N_COLUMNS, 2)
    ),
    "2-DNF": ConceptClass(
        lambda random: ~_clauses(random, (2, 2, 1)),
        lambda: NormalFormClassifier("dnf", k=2),
        ln_normal_forms(N_COLUMNS, 2),
    ),
    # a DNF of two terms is a 2-CNF: those are searched, and their number is what counts
    "2-term DNF by 2-CNF": ConceptClass(
        lambda random: ~(_clauses(random, (3,)) & _clauses(random, (3,))),
        lambda: NormalFormClassifier(k=2),
        ln_normal_forms(N_COLUMNS, 2),
    ),
}


def true_errors(concepts: str, n_samples: int, n_runs: int, seed: int) -> list[float]:
    """Draw a target, a distribution and a sample, fit, and add up the chances of all rows that are wrong; repeat.

    Parameters
    ----------
    concepts : str
        The class, one of `CLASSES`.
    n_samples, n_runs : int
        The size of a sample (m), and how many samples.
    seed : int
        Where the random numbers start.

    Returns
    -------
    list of float
        The true error of each run.

    Examples
    --------
    >>> errors = true_errors("conjunctions", 400, n_runs=3, seed=0)
    >>> len(errors), max(errors) <= CLASSES["conjunctions"].promised(400)
    (3, True)
    """
    target = CLASSES[concepts]
    random = np.random.default_rng([seed, list(CLASSES).index(concepts), n_samples])
    errors = []
    for _ in range(n_runs):
        concept = target.draw(random)
        chance = random.uniform(0.2, 0.8, N_COLUMNS)  # of a 1 in each column
        weights = np.prod(np.where(ROWS, chance, 1 - chance), axis=1)
        sample = random.choice(len(ROWS), size=n_samples, p=weights / weights.sum())
        y = concept[sample]
        # a sample of one class is answered by a constant, which agrees with it
        constant = y.all() or not y.any()
        answers = y[0] if constant else target.learner().fit(ROWS[sample], y).predict(ROWS)
        errors.append(float(weights[answers != concept].sum()))
    return errors


def _curve_tasks(scale: Scale, seed: int) -> list[Task]:
    full = scale == "full"
    names, sizes, n_runs = (tuple(CLASSES), SIZES, 100) if full else (tuple(CLASSES)[:3], (50, 200), 20)
    return [
        Task(true_errors, {"concepts": name, "n_samples": size, "n_runs": n_runs, "seed": seed})
        for name in names
        for size in sizes
    ]


def _curve_judge(results: Results) -> Report:
    rows: list[Row] = []
    points: list[Point] = []
    for name in results.distinct(true_errors, "concepts"):
        shares = {}
        for size in results.distinct(true_errors, "n_samples"):
            (errors,) = results.of(true_errors, concepts=name, n_samples=size)
            promise = CLASSES[name].promised(size)
            points.append(make_point(name, "mean error", size, [100 * error for error in errors]))
            points.append(Point(name, "theorem 1", float(size), 100 * promise))
            if promise < 1:  # else nothing is promised
                shares[size] = float(np.quantile(errors, 1 - DELTA, method="inverted_cdf")) / promise
        most = max(shares, key=lambda size: shares[size])
        what = f"{name}: error of 95 % of the runs / promise, at most (m = {most})"
        rows.append(claim(what, 1, shares[most], shares[most] <= 1, len(errors)))
    return Report(rows, points)


def mistake_ratios(n_columns: int, margin: float, noise: float, n_runs: int, seed: int) -> list[float]:
    """Run the online perceptron over random streams, and divide its mistakes by the lecture's bound for each.

    Parameters
    ----------
    n_columns : int
        Columns of the stream; the dummy input is one more.
    margin : float
        Rows nearer than this to the target plane are left out; the same is the γ of the bound for noise.
    noise : float
        The chance of a wrong label. Without noise the bound is 1/γ² for the margin that the stream has; with noise it
        is 1/γ² + 2·TD/γ, TD being the distance by which rows would have to move.
    n_runs : int
        How many streams; each has 300 rows before the narrow ones go, and comes three times in other orders.
    seed : int
        Where the random numbers start.

    Returns
    -------
    list of float
        Mistakes / bound of each stream.

    Examples
    --------
    >>> max(mistake_ratios(5, margin=0.1, noise=0.0, n_runs=3, seed=0)) <= 1
    True
    """
    random = np.random.default_rng([seed, n_columns, round(1000 * margin), round(1000 * noise)])
    ratios: list[float] = []
    while len(ratios) < n_runs:
        direction = random.normal(size=n_columns + 1)
        direction /= np.linalg.norm(direction)
        X = random.normal(size=(300, n_columns))
        rows = np.column_stack([X, np.ones(len(X))])
        cosines = rows @ direction / np.linalg.norm(rows, axis=1)
        kept = np.tile(np.flatnonzero(np.abs(cosines) >= margin), 3)
        kept = random.permutation(kept)
        flipped = random.random(len(kept)) < noise
        positive = (cosines[kept] > 0) ^ flipped
        if len(np.unique(positive)) < 2:
            continue
        ratios.append(_mistakes(X[kept], positive) / _bound(np.where(positive, 1, -1) * cosines[kept], margin, noise))
    return ratios


def _mistakes(X: Floats, positive: Booleans) -> int:
    model = MarginPerceptronClassifier().partial_fit(X, positive, classes=[False, True])
    return int(model.n_mistakes_)


def _bound(margins: Floats, margin: float, noise: float) -> float:
    if not noise:
        return perceptron_mistake_bound(float(margins.min()))
    return perceptron_mistake_bound(margin, float(np.maximum(margin - margins, 0).sum()) / margin)


def worst_stream(n_rows: int) -> float:
    """Divide mistakes by the bound for rows without a common input, of alternating classes: all are mistaken.

    Examples
    --------
    >>> round(worst_stream(9), 6)
    1.0
    """
    X, positive = np.eye(n_rows) * 1e6, np.arange(n_rows) % 2 == 0  # the dummy input is next to nothing
    return _mistakes(X, positive) / perceptron_mistake_bound(n_rows**-0.5)


def _stream_tasks(scale: Scale, seed: int) -> list[Task]:
    n_runs = 200 if scale == "full" else 10
    grid = [(n, margin, noise) for noise in (0.0, 0.05, 0.2) for n in (2, 5, 20) for margin in (0.02, 0.1, 0.2)]
    tasks = [
        Task(mistake_ratios, {"n_columns": n, "margin": margin, "noise": noise, "n_runs": n_runs, "seed": seed})
        for n, margin, noise in grid
    ]
    return [*tasks, *(Task(worst_stream, {"n_rows": n_rows}) for n_rows in (9, 100))]


def _stream_judge(results: Results) -> Report:
    rows = []
    for noise in results.distinct(mistake_ratios, "noise"):
        ratios = results.joined(mistake_ratios, noise=noise)
        labels = f"{100 * noise:g} % of labels wrong" if noise else "separable"
        rows.append(claim(f"{labels}: mistakes / bound, at most", 1, max(ratios), max(ratios) <= 1, len(ratios)))
    for n_rows in results.distinct(worst_stream, "n_rows"):
        ratio = results.of(worst_stream, n_rows=n_rows)
        rows.append(show(f"{n_rows} rows at right angles: mistakes / bound", None, ratio, "the bound is reached"))
    return Report(rows)


REPRODUCTIONS = (
    described(
        "pac/learning-curves",
        _curve_tasks,
        _curve_judge,
        tuple(Panel(name, "examples", "error, %", log_x=True) for name in CLASSES),
    ),
    described("pac/mistake-bound", _stream_tasks, _stream_judge),
)
