"""Choosing form, penalty, margin and size of a soft machine: sorted distances serve every choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from laconic._distances import is_precomputed
from laconic._learners import Learner, register
from laconic._table import Floats, Integers
from laconic.covering._states import SoftlyCoveredByChoice
from laconic.covering.core._cross_validation import (
    added_up,
    by_column,
    errors_by_stage,
    first_smallest,
    read_forms,
    take_rows,
)
from laconic.covering.core._problem import Form, Problem, Sample, make_problem
from laconic.covering.soft._cover import SoftSolution, class_distance, rejected_at, soft_orders
from laconic.covering.soft._machine import (
    MOST,
    SHARED_CONSTRAINTS,
    SoftMachine,
    SoftOptions,
    by_value,
    in_given_order,
    read_options,
)
from laconic.covering.soft._scheme import SealedSoft
from laconic.rules import SoftConjunction, SoftDisjunction


class PACBayesSetCoveringClassifierCV(SoftMachine):
    """The PAC-Bayes set covering machine with form, penalty, margin and size chosen by cross-validation.

    The rows around each centre are sorted once for each fold and form, and serve every margin and penalty; one greedy
    path gives the error of every stopping point. Ties go to fewer balls, then to the first form, margin and penalty.

    Parameters
    ----------
    forms : sequence of {"conjunction", "disjunction"}, default=("conjunction", "disjunction")
        The forms to try.
    metric : str or callable, default="euclidean"
        The distance.
    penalties : sequence of float, default=(0.5, 1, 2, 4)
        The penalties to try.
    margins : sequence of float, default=(0, 0.05, 0.1, 0.2)
        The margins to try.
    max_rules : int or None, default=20
        The longest path.
    cv : int, splitter or None, default=None
        The folds, as in scikit-learn; None is five.
    centers, refine, center_term, max_radius, class_weight, delta
        As in `PACBayesSetCoveringClassifier`.
    n_jobs : int or None, default=None
        Threads; each takes a fold.

    Attributes
    ----------
    best_params_ : dict
        ``form``, ``margin``, ``penalty`` and ``max_rules`` of the machine that was chosen.
    best_score_ : float
        Its share of errors on held-out folds.
    cv_results_ : dict of lists
        ``form``, ``margin``, ``penalty``, ``n_rules`` and ``score`` of everything that was tried.
    rules_, hypothesis_, certificate_, gibbs_certificate_, path_, classes_, n_features_in_, feature_names_in_
        As in `PACBayesSetCoveringClassifier`, fitted on all rows.

    Notes
    -----
    The certificates pay the logarithm of the number of forms. Penalty, margin and size are free: what is sent, or drawn
    from, does not depend on them. Without refining, a margin of 0 leaves theorem 2 nothing to say.

    Examples
    --------
    >>> from laconic import PACBayesSetCoveringClassifierCV
    >>> from laconic.datasets import load_breast_cancer_wisconsin
    >>> X, y = load_breast_cancer_wisconsin(return_X_y=True, paper=True)
    >>> model = PACBayesSetCoveringClassifierCV(penalties=[1, 2], margins=[0.1], max_rules=5).fit(X, y)
    >>> model.best_params_["form"]
    'disjunction'
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "forms": ["array-like"],
        "penalties": ["array-like"],
        "margins": ["array-like"],
        "cv": ["cv_object"],
        **SHARED_CONSTRAINTS,
    }

    def __init__(
        self,
        forms: Sequence[Form] = ("conjunction", "disjunction"),
        metric: Any = "euclidean",
        *,
        penalties: Sequence[float] = (0.5, 1.0, 2.0, 4.0),
        margins: Sequence[float] = (0.0, 0.05, 0.1, 0.2),
        max_rules: int | None = 20,
        cv: Any = None,
        centers: Literal["negative", "positive", "both"] = "negative",
        refine: bool = True,
        center_term: Literal["definition", "paper"] = "definition",
        max_radius: float | None = None,
        class_weight: Any = None,
        delta: float = 0.05,
        n_jobs: int | None = None,
    ) -> None:
        self.forms = forms
        self.metric = metric
        self.penalties = penalties
        self.margins = margins
        self.max_rules = max_rules
        self.cv = cv
        self.centers = centers
        self.refine = refine
        self.center_term = center_term
        self.max_radius = max_radius
        self.class_weight = class_weight
        self.delta = delta
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> PACBayesSetCoveringClassifierCV:
        """Choose, and fit the choice on all rows.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The table of numbers.
        y : array of shape (n_samples,)
            Labels of two classes.
        sample_weight : array of shape (n_samples,), default=None
            How much each row counts, in the choice of balls and in the errors on held-out folds.

        Returns
        -------
        self
            The fitted model.
        """
        from sklearn.model_selection import check_cv  # takes longer to import than all of laconic

        sample, training = self._read_sample(X, y, sample_weight)
        forms, margins, penalties = self._grid()
        options = read_options(self)
        splits = list(check_cv(self.cv, sample.positive, classifier=True).split(sample.weights, sample.positive))
        errors = soft_fold_errors(
            sample, options, forms, margins, penalties, splits, n_jobs=effective_n_jobs(self.n_jobs)
        )
        scores = errors / sum(sample.weights[test].sum() for _, test in splits)
        f, i, j, n_rules = first_smallest(scores)
        ordered, order = by_value(sample, self.metric)
        short = replace(options, max_rules=n_rules or 1)
        ((_, _, _, _, found),) = soft_paths(ordered, short, (forms[f],), (margins[i],), (penalties[j],))
        if n_rules == 0:
            found = SoftSolution((), (), np.ones(sample.table.n_rows))
        solution = in_given_order(found, order)
        problem = make_problem(sample.table, sample.positive, sample.weights, 1.0, forms[f])
        hard = not any(margins)
        sealed: SealedSoft = options.seal(solution, problem, self.delta, hard, n_choices=len(forms))
        self.best_score_ = float(scores[f, i, j, n_rules])
        self.best_params_ = {
            "form": forms[f],
            "margin": margins[i],
            "penalty": penalties[j],
            "max_rules": n_rules,
        }
        rows = (
            (forms[f], margins[i], penalties[j], n_rules, float(scores[f, i, j, n_rules]))
            for f, i, j, n_rules in np.ndindex(scores.shape)
        )
        self.cv_results_ = by_column(("form", "margin", "penalty", "n_rules", "score"), rows)
        return self._finish_soft(training, sealed, solution)

    def _grid(self) -> tuple[tuple[Form, ...], tuple[float, ...], tuple[float, ...]]:
        grids = []
        for name in ("margins", "penalties"):
            values = tuple(float(value) for value in getattr(self, name))
            if not values or not all(0 <= value <= MOST for value in values):
                raise ValueError(
                    f"{name} must be numbers from 0 to {MOST:g}, at least one; got {getattr(self, name)!r}."
                )
            grids.append(values)
        return read_forms(self.forms), grids[0], grids[1]


def soft_paths(
    sample: Sample,
    options: SoftOptions,
    forms: Sequence[Form],
    margins: Sequence[float],
    penalties: Sequence[float],
) -> Any:
    """Run every form, margin and penalty; the sorted distances are made once for each form."""
    distance = class_distance(sample, options.metric) if any(margins) else 0.0
    for f, form in enumerate(forms):
        problem = make_problem(sample.table, sample.positive, sample.weights, 1.0, form)
        orders = soft_orders(sample, options.metric, options.centers, problem.swapped)
        for i, margin in enumerate(margins):
            for j, penalty in enumerate(penalties):
                yield f, i, j, problem, options.cover(problem, orders, penalty, margin * distance)


def soft_fold_errors(
    sample: Sample,
    options: SoftOptions,
    forms: Sequence[Form],
    margins: Sequence[float],
    penalties: Sequence[float],
    splits: Sequence[tuple[Integers, Integers]],
    n_jobs: int = 1,
) -> Floats:
    """Add up the errors of the vote on held-out folds for every form, margin, penalty and number of balls."""

    def run(train: Integers, test: Integers) -> dict[tuple[int, int, int], Floats]:
        columns = train if is_precomputed(options.metric) else None
        part, _ = by_value(take_rows(sample, train, columns), options.metric)
        held_out = take_rows(sample, test, columns)
        return {
            (f, i, j): staged_soft_errors(problem, found, held_out)
            for f, i, j, problem, found in soft_paths(part, options, forms, margins, penalties)
        }

    results = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(run)(train, test) for train, test in splits)
    return added_up(results, (len(forms), len(margins), len(penalties)))


def staged_soft_errors(problem: Problem, solution: SoftSolution, held_out: Sample) -> Floats:
    """Weigh the errors of the vote on other rows with no ball (the constant), the first, the first two, and so on."""
    decided = rejected_at(solution.rules, held_out.table, problem.swapped)
    return errors_by_stage(problem, decided, len(solution.steps), held_out.positive, held_out.weights)


register(
    Learner(
        PACBayesSetCoveringClassifierCV,
        SoftlyCoveredByChoice,
        (SoftConjunction, SoftDisjunction),
        tunes="pac-bayes",
        reads="numbers",
    )
)
