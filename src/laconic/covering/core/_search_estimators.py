"""The scikit-learn face of the set covering machine whose parameters are chosen by folds, or by the bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np

from laconic._learners import Learner, register
from laconic._sklearn_compat import Interval, StrOptions
from laconic._table import Booleans
from laconic._validation import RandomStateLike, Training
from laconic.certificates import Sealed, rows_apart
from laconic.covering._states import CoveredByChoice
from laconic.covering.core._apart import N_WAYS, can_set_apart, on_all_rows, seal_apart
from laconic.covering.core._candidates import Candidates, list_candidates
from laconic.covering.core._folds import take_where
from laconic.covering.core._greedy import Solution, truncate
from laconic.covering.core._grid import Grid, Place
from laconic.covering.core._machine import SHARED_CONSTRAINTS
from laconic.covering.core._problem import Form, Problem, Sample
from laconic.covering.core._search import SearchingMachine, added_up, read_forms, read_numbers
from laconic.rules import Conjunction, Disjunction

PENALTIES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)


class SetCoveringClassifierCV(SearchingMachine):
    """The set covering machine with form, features, penalty and size chosen by cross-validation or by the bound.

    Every combination is run once for each fold, and its greedy path gives the error of every stopping point. Ties go to
    fewer rules, then to the first in the order of features, forms and penalties.

    Parameters
    ----------
    forms : sequence of {"conjunction", "disjunction"}, default=("conjunction", "disjunction")
        The forms to try.
    features : sequence or "auto", default="auto"
        The candidates: names or instances of families; a list inside is one candidate whose families compete. "auto" as
        in `SetCoveringClassifier`: conditions, and dyadic balls where every value is a number.
    penalties : sequence of float, default=(0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10)
        The penalties to try; ``inf`` as in `SetCoveringClassifier`. Where `promises` declare ceilings, tenths, thirds
        and multiples of the smallest and the largest are tried, too: a penalty weighs the classes.
    max_rules : int or None, default=20
        The longest path.
    cv : int, splitter or None, default=None
        The folds, as in scikit-learn; None is five.
    select : {"cv", "bound"}, default="cv"
        Choose by the error on held-out folds, or by the certified bound alone, which needs no folds: the bound on the
        error or, where `promises` declare ceilings or a matrix of costs, what keeps the ceilings and has the smallest
        certified cost (without costs: the fewest certified false alarms). Penalties weigh the classes against each
        other, so that these weights are found, too.
    apart : float, default=0.0
        With ``select="bound"``: the share of the rows that a second machine never sees. It is chosen by folds on the
        others, and the rows set apart, drawn by `random_state` without a look at them, hold it as a hold-out does
        (`laconic.certificates.SetApart`). Both machines have half of delta, and the smaller bound is kept: 0.5 often
        halves what dyadic balls cost, and loses where rows are few. 0 makes one machine, on all rows. With
        precomputed distances, weights of rows and ``class_weight="balanced"`` there is no second machine, but its half
        is spent.
    random_state : int, RandomState instance or None, default=0
        Draws the rows set apart.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied with ``sample_weight``.
    delta : float, default=0.05
        The certificate may fail with this probability.
    promises : None, names or Promises, default=None
        What else is to be promised at the same time: "classes", "rules", "costs", or a `laconic.Promises`. The error
        then has half of delta. Choose it, too, before you look at the data.
    n_jobs : int or None, default=None
        Threads; each takes a candidate and a fold or, of a table on disk, a batch of rows.
    max_memory : str, int or None, default=None
        As in `SetCoveringClassifier`. Folds that a number of `cv` makes take no memory; those of a splitter take 40
        bytes for each row.

    Attributes
    ----------
    best_params_ : dict
        ``features``, ``form``, ``penalty`` and ``max_rules`` of the machine that was chosen.
    best_score_ : float
        Its share of errors on held-out folds, or its bound.
    cv_results_ : dict of lists
        ``features``, ``form``, ``penalty``, ``n_rules`` and ``score`` of everything that was tried.
    apart_ : ndarray of int
        The rows that were set apart, if the machine that they hold was kept; else none.
    random_state_ : int
        The whole number that drew: `random_state` itself, or one drawn from it. The model file has it.
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
        "features": [list, tuple, StrOptions({"auto"})],
        "penalties": ["array-like"],
        "cv": ["cv_object"],
        "select": [StrOptions({"cv", "bound"})],
        "apart": [Interval(Real, 0, 1, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "max_memory": [Integral, str, None],
        **SHARED_CONSTRAINTS,
    }

    def __init__(
        self,
        forms: Sequence[Form] = ("conjunction", "disjunction"),
        features: Sequence[Any] | Literal["auto"] = "auto",
        *,
        penalties: Sequence[float] = PENALTIES,
        max_rules: int | None = 20,
        cv: Any = None,
        select: Literal["cv", "bound"] = "cv",
        apart: float = 0.0,
        random_state: RandomStateLike = 0,
        class_weight: Any = None,
        delta: float = 0.05,
        promises: Any = None,
        n_jobs: int | None = None,
        max_memory: str | int | None = None,
    ) -> None:
        self.forms = forms
        self.features = features
        self.penalties = penalties
        self.max_rules = max_rules
        self.cv = cv
        self.select = select
        self.apart = apart
        self.random_state = random_state
        self.class_weight = class_weight
        self.delta = delta
        self.promises = promises
        self.n_jobs = n_jobs
        self.max_memory = max_memory

    _reads_kmers = True
    _rows_may_stay = True
    _promises_may_choose = True

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SetCoveringClassifierCV:
        """Choose, and fit the choice on all rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features), or path
            The table; or one on disk, as `SetCoveringClassifier` takes it.
        y : array of shape (n_samples,) or str
            Labels of two classes; of a table on disk also the name of the column that holds them.
        sample_weight : array of shape (n_samples,), default=None
            How much each row counts, in the choice of rules and in the errors on held-out folds.

        Returns
        -------
        self
            The fitted model.
        """
        sample, training = self._read_sample(X, y, sample_weight)
        self._draw_seed()
        grid = self._grid(sample)
        grid.refuse_contradictions(sample)
        axes = {"features": self._named(grid), "form": grid.forms, "penalty": grid.penalties}
        if self.select == "bound" and self.apart:
            sealed, solution = self._smaller_of_two(training, sample, grid, sample_weight is None, **axes)
        else:
            if self.select == "cv":
                position, problem, solution = self._choose_by_folds(sample, grid, **axes)
            else:
                position, problem, solution = self._choose_by_bound(training, sample, grid, **axes)
            sealed = grid.seal(solution, problem, self.delta, position)
        return self._finish(training, sealed, solution.rules, solution.decided, solution.steps)

    def set_apart(self, n_rows: int) -> Booleans:
        """Return which rows the second machine never sees: a draw that looks at nothing but their number.

        Parameters
        ----------
        n_rows : int
            How many rows there are.

        Returns
        -------
        ndarray of bool
            True for the share `apart`, where ``select="bound"``; else none.
        """
        if self.select == "bound" and self.apart:
            return rows_apart(n_rows, self.apart, self._seed())
        return super().set_apart(n_rows)

    def _smaller_of_two(
        self, training: Training, sample: Sample, grid: Grid, unweighted: bool, **axes: Sequence[Any]
    ) -> tuple[Sealed, Solution]:
        """Make one machine on all rows and one on some, pay for the choice, and keep the smaller bound."""
        paying = replace(grid, n_listed=N_WAYS * grid.n_listed)
        position, problem, solution = self._choose_by_bound(training, sample, paying, **axes)
        sealed = paying.seal(solution, problem, self.delta, position)
        apart = self.set_apart(sample.table.n_rows)
        # what balances the classes of all rows, or was weighed by them, knows of the rows set apart
        blind = unweighted and self.class_weight != "balanced" and not grid.pairwise
        if not (blind and can_set_apart(sample, apart, self.cv)):
            return sealed, solution
        found = {name: getattr(self, name) for name in ("cv_results_", "best_params_", "best_score_")}
        position, problem, path = self._choose_by_folds(take_where(sample, ~apart), grid, **axes)
        machine = grid.seal(path, problem, self.delta, position).hypothesis
        n_readings = 2 if isinstance(self.features, str) else 1  # whether balls could read all rows
        held = seal_apart(machine, sample, apart, n_readings, self.delta)
        if (score := self._score(training, held)) < self._score(training, sealed):
            self.best_score_ = score
            return held, on_all_rows(path, sample, problem.any_holds)
        for name, value in found.items():
            setattr(self, name, value)
        return sealed, solution

    def _choose_by_bound(
        self, training: Training, sample: Sample, grid: Grid, **axes: Sequence[Any]
    ) -> tuple[int, Problem, Solution]:
        """Certify every stopping point of every path, and choose the smallest bound, or what was declared instead."""
        found = {
            (i, j, k): (problem, path)
            for i in range(len(grid.features))
            for j, k, problem, path in grid.paths(sample, i)
        }

        def bound(place: Place, n_rules: int) -> float:
            problem, path = found[place]
            return self._score(training, grid.seal(truncate(path, n_rules), problem, self.delta, place[0]))

        ends = [(place, n) for place, (_, path) in found.items() for n in range(len(path.steps) + 1)]
        bounds: dict[Place, list[float]] = {place: [] for place in found}
        with sample.workers(1) as run:
            for (place, _), value in zip(ends, run(bound, *zip(*ends, strict=True)), strict=True):
                bounds[place].append(value)
        i, j, k, n_rules = self._choose(added_up([bounds], grid.shape), **axes)
        problem, path = found[i, j, k]
        return i, problem, truncate(path, n_rules)

    def _grid(self, sample: Sample) -> Grid:
        forms, penalties = read_forms(self.forms), read_numbers("penalties", self.penalties, np.inf)
        wanted = self._wanted()
        if wanted is not None and wanted.ceilings and min(penalties) > 0 and max(penalties) < np.inf:
            penalties += tuple(factor * end for end in (min(penalties), max(penalties)) for factor in (0.1, 0.3, 3, 10))
        candidates = self._offer().reading(sample.table, self._names())
        own = (self.max_rules, self._names(), 1, candidates.n_listed)
        return Grid(candidates.families, forms, penalties, *own)

    def _named(self, grid: Grid) -> Sequence[Any]:
        """Return the candidates as the user wrote them; those of "auto" as a user would."""
        return [families[0] for families in grid.features] if isinstance(self.features, str) else self.features

    def _candidates(self) -> Candidates:
        return list_candidates(self.features)


register(Learner(SetCoveringClassifierCV, CoveredByChoice, (Conjunction, Disjunction), tunes="scm"))
