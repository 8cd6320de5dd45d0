"""The scikit-learn face of the PAC-Bayes set covering machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from laconic._sklearn_compat import Interval, StrOptions
from laconic._table import Floats, Integers
from laconic.covering.cross_validation import extended, first_smallest, take_rows
from laconic.covering.problem import Form, Problem, Sample, make_problem
from laconic.covering.scheme import majority_is_positive
from laconic.covering.soft import SoftSolution, class_distance, rejected_at, soft_orders
from laconic.covering.soft_machine import SoftMachine, SoftOptions, by_value, in_given_order
from laconic.covering.soft_scheme import SealedSoft

MOST = 1e6
"""The largest penalty: beyond it a row of P outweighs what rounding leaves of many rows of N."""

_SHARED_CONSTRAINTS: dict[str, list[Any]] = {
    "metric": [str, callable],
    "max_rules": [Interval(Integral, 1, None, closed="left"), None],
    "centers": [StrOptions({"negative", "positive", "both"})],
    "refine": ["boolean"],
    "center_term": [StrOptions({"definition", "paper"})],
    "max_radius": [Interval(Real, 0, None, closed="neither"), None],
    "class_weight": [dict, StrOptions({"balanced"}), None],
    "delta": [Interval(Real, 0, 1, closed="right")],
    "n_jobs": [Integral, None],
}


def _options(estimator: Any) -> SoftOptions:
    return SoftOptions(
        estimator.metric,
        estimator.max_rules,
        estimator.centers,
        estimator.refine,
        estimator.center_term,
        estimator.max_radius,
    )


class PACBayesSetCoveringClassifier(SoftMachine):
    r"""The PAC-Bayes set covering machine: balls with a margin, learnt softly, and a vote over their radii.

    The radius of each ball is drawn uniformly from an interval [a, b]. With G(x) the chance that no ball chosen so far
    turns x away and ζ(x) the chance that a new one does not, the greedy step takes the ball of the largest utility

    .. math:: U = \sum_{x \in N} (1 - \zeta(x))\,G(x) \;-\; p \sum_{x \in P} (1 - \zeta(x))\,G(x)

    first among all intervals of one width γ that start at an example's distance, then by moving both ends.

    Parameters
    ----------
    form : {"conjunction", "disjunction", "auto"}, default="conjunction"
        Whether a row is positive when all balls say so, or when any does. "auto" builds both and keeps the one with the
        smaller certified bound; the certificate pays ln 2 for the choice.
    metric : str or callable, default="euclidean"
        The distance; any that `Balls` takes, "precomputed" too.
    penalty : float, default=1.0
        What one row of P that is turned away costs, in rows of N (the paper's p); at most a million.
    margin : float, default=0.1
        The width γ of the intervals, as a share of the average distance between the two classes. 0 is the hard machine.
    max_rules : int or None, default=20
        Stop after this many balls.
    centers : {"negative", "positive", "both"}, default="negative"
        Which rows may be centres: N-examples (negative rows for a conjunction, positive ones for a disjunction),
        P-examples, or all.
    refine : bool, default=True
        Whether, for the centre found, both ends move to the best gap between distances of examples. The best pair is
        always a single gap, since U(a, b) is the mean of the hard machine's value over the radii in [a, b].
    center_term : {"definition", "paper"}, default="definition"
        The paper's formula for the contribution of a ball contradicts its definition in the term of the centre itself.
        "definition" counts the centre like any row, (1 − ζ)·G; "paper" uses the printed 1 − ζ·G, under which a centre
        that was covered long ago is worth 1 again, with centres taken only from rows that are not totally covered.
    max_radius : float or None, default=None
        The largest radius possible (the paper's R). None takes the smallest power of two that is large enough, and the
        certificate pays for its exponent.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied with ``sample_weight``.
    delta : float, default=0.05
        The certificate may fail with this probability. Choose it before you look at the data.
    n_jobs : int or None, default=None
        Threads that search centres at the same time. The model does not depend on it.

    Attributes
    ----------
    rules_ : tuple of SoftBall
        The balls, in the order in which they were chosen.
    hypothesis_ : SoftConjunction or SoftDisjunction
        The same balls as a set; ``predict`` is its vote, ``predict_proba`` its G.
    certificate_ : Certificate
        The bound on the risk of the vote, the smaller of two with half of delta each: twice theorem 2's bound, and,
        where both ends of all intervals are distances of examples (``refine=True`` or ``margin=0``), that of sending
        the balls as examples. Without the second, the first has all of delta.
    gibbs_certificate_ : Certificate
        Theorem 2's bound on the risk of one draw of the radii (`predict_gibbs`), a promise of its own.
    path_ : tuple of SoftStep
        What each greedy step gained.
    classes_, n_features_in_, feature_names_in_
        As in `SetCoveringClassifier`.

    Notes
    -----
    Sums are floating-point over rows in order of value: the order in which rows came does not matter (precomputed
    distances excepted). O(m² log m) to sort and O(m²) for each ball; 12 bytes for each pair of centre and row.

    Refining makes intervals tiny, and theorem 2 pays ln(R/(b − a)) for each: the bound for the vote is then the
    compression bound as a rule. With ``margin=0`` and ``refine=False`` theorem 2 says nothing.

    References
    ----------
    F. Laviolette, M. Marchand and M. Shah, *A PAC-Bayes approach to the Set Covering Machine*, NIPS 2005.

    Examples
    --------
    >>> from laconic import PACBayesSetCoveringClassifier
    >>> from laconic.datasets import load_breast_cancer_wisconsin
    >>> X, y = load_breast_cancer_wisconsin(return_X_y=True, paper=True)
    >>> model = PACBayesSetCoveringClassifier(penalty=2.0, max_rules=1).fit(X, y)
    >>> print(model.certificate_)
    With 95 % confidence over the draw of the data, the error on new data is at most 9.5 %.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "form": [StrOptions({"conjunction", "disjunction", "auto"})],
        "penalty": [Interval(Real, 0, MOST, closed="both")],
        "margin": [Interval(Real, 0, MOST, closed="both")],
        **_SHARED_CONSTRAINTS,
    }

    def __init__(
        self,
        form: Literal["conjunction", "disjunction", "auto"] = "conjunction",
        metric: Any = "euclidean",
        *,
        penalty: float = 1.0,
        margin: float = 0.1,
        max_rules: int | None = 20,
        centers: Literal["negative", "positive", "both"] = "negative",
        refine: bool = True,
        center_term: Literal["definition", "paper"] = "definition",
        max_radius: float | None = None,
        class_weight: Any = None,
        delta: float = 0.05,
        n_jobs: int | None = None,
    ) -> None:
        self.form = form
        self.metric = metric
        self.penalty = penalty
        self.margin = margin
        self.max_rules = max_rules
        self.centers = centers
        self.refine = refine
        self.center_term = center_term
        self.max_radius = max_radius
        self.class_weight = class_weight
        self.delta = delta
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> PACBayesSetCoveringClassifier:
        """Choose the balls and certify them.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The table of numbers.
        y : array of shape (n_samples,)
            Labels of two classes.
        sample_weight : array of shape (n_samples,), default=None
            How much each row counts in the choice of balls. The certificate does not use it.

        Returns
        -------
        self
            The fitted model.
        """
        self._validate_params()
        sample, classes = self._read_sample(X, y, sample_weight)
        options = _options(self)
        ordered, order = by_value(sample, self.metric)
        width = float(self.margin) * class_distance(ordered, self.metric)
        forms: tuple[Form, ...] = get_args(Form) if self.form == "auto" else (self.form,)
        machines = []
        for form in forms:
            inner = make_problem(ordered.table, ordered.positive, ordered.weights, 1.0, form)
            orders = soft_orders(ordered, self.metric, self.centers, inner.swapped)
            found = options.cover(inner, orders, float(self.penalty), width, effective_n_jobs(self.n_jobs))
            problem = make_problem(sample.table, sample.positive, sample.weights, 1.0, form)
            solution = in_given_order(found, order)
            sealed = options.seal(solution, problem, self.delta, hard=self.margin == 0, n_choices=len(forms))
            machines.append((sealed, solution))
        sealed, solution = min(machines, key=lambda machine: machine[0].certificate.risk_bound)
        return self._finish_soft(sample, classes, sealed, solution)


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
    from, does not depend on them.

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
        **_SHARED_CONSTRAINTS,
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

        self._validate_params()
        forms, margins, penalties = self._grid()
        sample, classes = self._read_sample(X, y, sample_weight)
        options = _options(self)
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
        rows = [
            (forms[f], margins[i], penalties[j], n_rules, float(scores[f, i, j, n_rules]))
            for f, i, j, n_rules in np.ndindex(scores.shape)
        ]
        names = ("form", "margin", "penalty", "n_rules", "score")
        self.cv_results_ = {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
        return self._finish_soft(sample, classes, sealed, solution)

    def _grid(self) -> tuple[tuple[Form, ...], tuple[float, ...], tuple[float, ...]]:
        forms = tuple(self.forms)
        if not forms or not set(forms) <= {"conjunction", "disjunction"}:
            raise ValueError(f"forms must name 'conjunction', 'disjunction' or both, got {self.forms!r}.")
        grids = []
        for name in ("margins", "penalties"):
            values = tuple(float(value) for value in getattr(self, name))
            if not values or not all(0 <= value <= MOST for value in values):
                raise ValueError(
                    f"{name} must be numbers from 0 to {MOST:g}, at least one; got {getattr(self, name)!r}."
                )
            grids.append(values)
        return forms, grids[0], grids[1]


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
    pairwise = options.metric == "precomputed"

    def run(train: Integers, test: Integers) -> dict[tuple[int, int, int], Floats]:
        columns = train if pairwise else None
        part, _ = by_value(take_rows(sample, train, columns), options.metric)
        held_out = take_rows(sample, test, columns)
        return {
            (f, i, j): staged_soft_errors(problem, found, held_out)
            for f, i, j, problem, found in soft_paths(part, options, forms, margins, penalties)
        }

    results = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(run)(train, test) for train, test in splits)
    longest = max(len(errors) for result in results for errors in result.values())
    total = np.zeros((len(forms), len(margins), len(penalties), longest))
    for result in results:
        for place, errors in result.items():
            total[place] += extended(errors, longest)
    return total


def staged_soft_errors(problem: Problem, solution: SoftSolution, held_out: Sample) -> Floats:
    """Weigh the errors of the vote on other rows with no ball (the constant), the first, the first two, and so on."""
    n_rules = len(solution.steps)
    decided = rejected_at(solution.rules, held_out.table, problem.swapped)
    errors = np.empty(n_rules + 1)
    errors[0] = held_out.weights[held_out.positive != majority_is_positive(problem)].sum()
    for stage in range(1, n_rules + 1):
        accepted = decided >= stage
        errors[stage] = held_out.weights[(accepted != problem.swapped) != held_out.positive].sum()
    return errors
