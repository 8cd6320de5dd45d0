"""Choosing form, features, penalty and size: one greedy path serves every stopping point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from laconic._learners import Learner, register
from laconic._sklearn_compat import Interval, StrOptions
from laconic._table import Booleans, Floats, Integers, Table
from laconic.certificates import Sealed
from laconic.covering._states import CoveredByChoice
from laconic.covering.core._family import Family
from laconic.covering.core._greedy import Solution, cover
from laconic.covering.core._machine import CoveringMachine, make_blocks
from laconic.covering.core._problem import Form, Problem, Sample, make_problem, refuse_contradictions
from laconic.covering.core._scheme import majority_is_positive, seal
from laconic.covering.families._families import make_families
from laconic.rules import Conjunction, Disjunction, first_to_speak

PENALTIES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)


@dataclass(frozen=True)
class Grid:
    """What is tried: every combination of these, and every stopping point.

    Parameters
    ----------
    features : tuple of tuples of Family
        The candidates; each is a tuple of families that compete in one machine.
    forms : tuple of str
        "conjunction", "disjunction" or both.
    penalties : tuple of float
        The penalties.
    max_rules : int or None
        The longest path.
    """

    features: tuple[tuple[Family, ...], ...]
    forms: tuple[Form, ...]
    penalties: tuple[float, ...]
    max_rules: int | None

    @property
    def pairwise(self) -> bool:
        """Whether the table holds distances."""
        return any(family.pairwise for families in self.features for family in families)


def paths(
    sample: Sample, families: tuple[Family, ...], grid: Grid, names: Sequence[str] | None
) -> Iterable[tuple[int, int, Problem, Solution]]:
    """Run every form and penalty over the same candidates, which are made once."""
    blocks = make_blocks(sample, families, names, 1)
    for (i, form), (j, penalty) in product(enumerate(grid.forms), enumerate(grid.penalties)):
        problem = make_problem(sample.table, sample.positive, sample.weights, penalty, form)
        yield i, j, problem, cover(problem, blocks, grid.max_rules)


def truncate(solution: Solution, n_rules: int) -> Solution:
    """Stop a path early."""
    return Solution(solution.steps[:n_rules], np.minimum(solution.decided, n_rules))


def staged_errors(problem: Problem, solution: Solution, table: Table, positive: Booleans, weights: Floats) -> Floats:
    """Weigh the errors on other rows with no rule (the constant), the first rule, the first two, and so on."""
    decided = first_to_speak(solution.rules, lambda rule: rule.holds(table) == problem.swapped, table.n_rows)
    return errors_by_stage(problem, decided, len(solution.rules), positive, weights)


def errors_by_stage(problem: Problem, decided: Integers, n_rules: int, positive: Booleans, weights: Floats) -> Floats:
    """Weigh the errors at every stage, from the step that turned each row away (`n_rules` where none did)."""
    errors = np.empty(n_rules + 1)
    errors[0] = weights[positive != majority_is_positive(problem)].sum()
    for stage in range(1, n_rules + 1):
        accepted = decided >= stage
        errors[stage] = weights[(accepted != problem.swapped) != positive].sum()
    return errors


def extended(path: Floats | list[float], length: int) -> Floats:
    """Lengthen what was measured along a path that ended early by its last value."""
    return np.pad(path, (0, length - len(path)), mode="edge")


def take_rows(sample: Sample, rows: Integers, columns: Integers | None = None) -> Sample:
    """Give a part of a sample; of a matrix of distances, only the columns of the rows that are trained on."""
    table = sample.table.take(rows)
    if columns is not None:
        table = Table.from_array(table.matrix()[:, columns])
    return Sample(table, sample.positive[rows], sample.weights[rows])


def fold_errors(
    sample: Sample,
    grid: Grid,
    splits: Sequence[tuple[Integers, Integers]],
    names: Sequence[str] | None = None,
    n_jobs: int = 1,
) -> Floats:
    """Add up the errors on held-out folds for every candidate, form, penalty and number of rules.

    Parameters
    ----------
    sample : Sample
        All rows.
    grid : Grid
        What to try.
    splits : sequence of (train, test)
        The folds.
    names : sequence of str or None
        Column names, for error messages.
    n_jobs : int
        Threads; each takes a candidate and a fold.

    Returns
    -------
    ndarray of shape (features, forms, penalties, sizes)
        Weighted errors; the last axis counts rules from 0. A path that ends early keeps its last value.
    """

    def run(position: int, train: Integers, test: Integers) -> dict[tuple[int, int, int], Floats]:
        columns = train if grid.pairwise else None
        part, held_out = take_rows(sample, train, columns), take_rows(sample, test, columns)
        return {
            (position, i, j): staged_errors(problem, solution, held_out.table, held_out.positive, held_out.weights)
            for i, j, problem, solution in paths(part, grid.features[position], grid, names)
        }

    tasks = [(position, train, test) for position in range(len(grid.features)) for train, test in splits]
    results = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(run)(*task) for task in tasks)
    return added_up(results, (len(grid.features), len(grid.forms), len(grid.penalties)))


def added_up(results: Sequence[dict[tuple[int, int, int], Floats]], shape: tuple[int, int, int]) -> Floats:
    """Add the errors along every path over all folds; the last axis is as long as the longest path."""
    longest = max(len(errors) for result in results for errors in result.values())
    total = np.zeros((*shape, longest))
    for result in results:
        for place, errors in result.items():
            total[place] += extended(errors, longest)
    return total


def read_forms(forms: Sequence[Form]) -> tuple[Form, ...]:
    """Check the forms that a user wants to try."""
    if len(forms) == 0 or not set(forms) <= {"conjunction", "disjunction"}:
        raise ValueError(f"forms must name 'conjunction', 'disjunction' or both, got {forms!r}.")
    return tuple(forms)


def by_column(names: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> dict[str, list[Any]]:
    """Turn what was tried, row by row, into named columns."""
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def first_smallest(scores: Floats) -> tuple[int, int, int, int]:
    """Find the smallest score; among equal ones the fewest rules, then the first in the grid."""
    sizes = np.argwhere(scores == scores.min())
    position, i, j, n_rules = sizes[np.argmin(sizes[:, 3])]
    return int(position), int(i), int(j), int(n_rules)


class SetCoveringClassifierCV(CoveringMachine):
    """The set covering machine with form, features, penalty and size chosen by cross-validation or by the bound.

    Every combination is run once for each fold, and its greedy path gives the error of every stopping point. Ties go to
    fewer rules, then to the first in the order of features, forms and penalties.

    Parameters
    ----------
    forms : sequence of {"conjunction", "disjunction"}, default=("conjunction", "disjunction")
        The forms to try.
    features : sequence, default=("balls",)
        The candidates: names or instances of families; a list inside is one candidate whose families compete.
    penalties : sequence of float, default=(0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10)
        The penalties to try; ``inf`` as in `SetCoveringClassifier`.
    max_rules : int or None, default=20
        The longest path.
    cv : int, splitter or None, default=None
        The folds, as in scikit-learn; None is five.
    select : {"cv", "bound"}, default="cv"
        Choose by the error on held-out folds, or by the certified bound alone, which needs no folds.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied with ``sample_weight``.
    delta : float, default=0.05
        The certificate may fail with this probability.
    n_jobs : int or None, default=None
        Threads; each takes a candidate and a fold.

    Attributes
    ----------
    best_params_ : dict
        ``form``, ``features``, ``penalty`` and ``max_rules`` of the machine that was chosen.
    best_score_ : float
        Its share of errors on held-out folds, or its bound.
    cv_results_ : dict of lists
        ``features``, ``form``, ``penalty``, ``n_rules`` and ``score`` of everything that was tried.
    rules_, hypothesis_, certificate_, path_, classes_, n_features_in_, feature_names_in_
        As in `SetCoveringClassifier`, fitted on all rows.

    Notes
    -----
    The certificate pays the logarithm of the number of forms times candidates, since the data chose among them; penalty
    and size are free, because the code does not depend on them.

    Examples
    --------
    >>> from laconic import SetCoveringClassifierCV
    >>> from laconic.datasets import load_breast_cancer_wisconsin
    >>> X, y = load_breast_cancer_wisconsin(return_X_y=True, paper=True)
    >>> model = SetCoveringClassifierCV(features=["balls", "stumps"], penalties=[1, 2], max_rules=5).fit(X, y)
    >>> model.best_params_["features"]
    'balls'
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "forms": ["array-like"],
        "features": [list, tuple],
        "penalties": ["array-like"],
        "max_rules": [Interval(Integral, 1, None, closed="left"), None],
        "cv": ["cv_object"],
        "select": [StrOptions({"cv", "bound"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "delta": [Interval(Real, 0, 1, closed="right")],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        forms: Sequence[Form] = ("conjunction", "disjunction"),
        features: Sequence[Any] = ("balls",),
        *,
        penalties: Sequence[float] = PENALTIES,
        max_rules: int | None = 20,
        cv: Any = None,
        select: Literal["cv", "bound"] = "cv",
        class_weight: Any = None,
        delta: float = 0.05,
        n_jobs: int | None = None,
    ) -> None:
        self.forms = forms
        self.features = features
        self.penalties = penalties
        self.max_rules = max_rules
        self.cv = cv
        self.select = select
        self.class_weight = class_weight
        self.delta = delta
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SetCoveringClassifierCV:
        """Choose, and fit the choice on all rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            The table.
        y : array of shape (n_samples,)
            Labels of two classes.
        sample_weight : array of shape (n_samples,), default=None
            How much each row counts, in the choice of rules and in the errors on held-out folds.

        Returns
        -------
        self
            The fitted model.
        """
        sample, training = self._read_sample(X, y, sample_weight)
        grid = self._grid()
        if np.isinf(grid.penalties).any():
            refuse_contradictions(sample.table, sample.positive, sample.rows)
        if self.select == "cv":
            # not at the top: it takes longer to import than all of laconic
            from sklearn.model_selection import check_cv

            splits = list(check_cv(self.cv, sample.positive, classifier=True).split(sample.weights, sample.positive))
            errors = fold_errors(sample, grid, splits, self._names(), effective_n_jobs(self.n_jobs))
            scores = errors / sum(sample.weights[test].sum() for _, test in splits)
            position, i, j, n_rules = first_smallest(scores)
            chosen = replace(grid, forms=(grid.forms[i],), penalties=(grid.penalties[j],), max_rules=n_rules or 1)
            ((_, _, problem, path),) = paths(sample, grid.features[position], chosen, self._names())
        else:
            found = {
                (position, i, j): (problem, path)
                for position, families in enumerate(grid.features)
                for i, j, problem, path in paths(sample, families, grid, self._names())
            }
            scores = self._bounds(found, grid)
            position, i, j, n_rules = first_smallest(scores)
            problem, path = found[position, i, j]
        solution = truncate(path, n_rules)
        self.best_score_ = float(scores[position, i, j, n_rules])
        self.best_params_ = {
            "form": grid.forms[i],
            "features": self.features[position],
            "penalty": grid.penalties[j],
            "max_rules": n_rules,
        }
        self.cv_results_ = self._results(scores, grid)
        sealed = self._seal(solution, problem, grid, position)
        return self._finish(training, sealed, solution.rules, solution.decided, solution.steps)

    def _bounds(self, found: dict[tuple[int, int, int], tuple[Problem, Solution]], grid: Grid) -> Floats:
        """Certify every stopping point of every path."""
        bounds = {
            place: [
                self._seal(truncate(path, n_rules), problem, grid, place[0]).certificate.risk_bound
                for n_rules in range(len(path.steps) + 1)
            ]
            for place, (problem, path) in found.items()
        }
        longest = max(map(len, bounds.values()))
        scores = np.empty((len(grid.features), len(grid.forms), len(grid.penalties), longest))
        for place, along in bounds.items():
            scores[place] = extended(along, longest)
        return scores

    def _seal(self, solution: Solution, problem: Problem, grid: Grid, position: int) -> Sealed:
        families = grid.features[position]
        strict = bool(np.isinf(grid.penalties).all())
        n_choices = len(grid.forms) * len(grid.features)
        return seal(solution, problem, families, self.delta, n_choices=n_choices, strict=strict)

    def _grid(self) -> Grid:
        forms, penalties = read_forms(self.forms), tuple(float(p) for p in self.penalties)
        if not penalties or not all(p >= 0 for p in penalties):
            raise ValueError(f"penalties must be numbers from 0 to inf, at least one; got {self.penalties!r}.")
        if len(self.features) == 0:
            raise ValueError("features is empty; name at least one candidate.")
        return Grid(tuple(map(make_families, self.features)), forms, penalties, self.max_rules)

    def _results(self, scores: Floats, grid: Grid) -> dict[str, list[Any]]:
        rows = (
            (self.features[position], grid.forms[i], grid.penalties[j], n_rules, float(scores[position, i, j, n_rules]))
            for position, i, j, n_rules in np.ndindex(scores.shape)
        )
        return by_column(("features", "form", "penalty", "n_rules", "score"), rows)

    def _families(self) -> tuple[Family, ...]:
        return tuple(family for families in map(make_families, self.features) for family in families)


register(Learner(SetCoveringClassifierCV, CoveredByChoice, (Conjunction, Disjunction), tunes="scm"))
