"""The scikit-learn face of minimal complexity machines."""

from __future__ import annotations

import html
import math
import textwrap
import warnings
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from laconic._base import Saveable, card_html
from laconic._optional import require
from laconic._sklearn_compat import Interval, StrOptions
from laconic._table import Floats, Integers, Table
from laconic._validation import read_rows, read_training, read_weights, refuse_categories
from laconic.certificates import Certificate, SampleCompression, choice_nats, order_by_value, signed_nats
from laconic.exceptions import NoConsistentConcept
from laconic.minimal.columns import support_columns
from laconic.minimal.programme import ClassifierProgramme, Programme, RegressorProgramme, Solution, Tight
from laconic.minimal.regimes import regime_of
from laconic.minimal.scheme import KERNELS, Features, KernelSpec, MinimalMessage, encode, reconstruct
from laconic.minimal.solving import Solver, solve
from laconic.rules import Highest, largest_first, number_text

_GAP = 1e-8  # a relative duality gap that is worth a warning
_LARGEST_C = 1e100  # beyond it sums of slack overflow
_TERMS_SHOWN = 3  # in a reason
_STEPS = 8  # how many tolerances there are between a power of two and the next


class MinimalMachine(Saveable, BaseEstimator):  # type: ignore[misc]
    """What classifier and regressor share: features, the programme's solution, and how they read."""

    C: float
    kernel: Any
    gamma: Any
    degree: int
    coef0: float
    rank_tol: float
    max_support: int | None
    solver: Solver
    delta: float

    _shared_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="right"), Interval(Real, 0, None, closed="neither")],
        "kernel": [StrOptions(set(KERNELS)), callable],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, None, closed="neither")],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "rank_tol": [Interval(Real, 0, 1, closed="neither")],
        "max_support": [Interval(Integral, 1, None, closed="left"), None],
        "solver": [StrOptions({"interior", "highs"})],
        "delta": [Interval(Real, 0, 1, closed="right")],
    }

    def _check(self) -> None:
        self._validate_params()
        if _LARGEST_C < self.C < np.inf:
            raise ValueError(f"C={self.C:g} is too large to count with; use C=inf, which allows no slack.")

    def _spec(self, table: Table, weights: Floats) -> KernelSpec:
        """Fix the kernel's parameters: powers of two bring columns to about unit spread; "scale" becomes one, too."""
        if self.kernel == "linear":
            return KernelSpec()
        if self.kernel == "precomputed" or callable(self.kernel):
            return KernelSpec(self.kernel)
        X = table.matrix()
        scale = tuple(-nearest_power(spread(column, weights)) for column in X.T)
        if isinstance(self.gamma, str):
            scaled = np.ldexp(X, np.array(scale)).ravel()
            variance = spread(scaled, np.repeat(weights, X.shape[1])) ** 2 if self.gamma == "scale" else 1.0
            gamma = math.ldexp(1.0, nearest_power(1.0 / (X.shape[1] * (variance or 1.0))))
        else:
            gamma = float(self.gamma)
        return KernelSpec(self.kernel, gamma, int(self.degree), float(self.coef0), scale)

    def _features(self, table: Table, spec: KernelSpec, names: Integers) -> tuple[Features, Integers]:
        """Choose the support rows and compute features with them, as `reconstruct` will."""
        if spec.kernel is None:
            return Features.of(table, spec, (), names), np.empty(0, dtype=np.int64)
        X = table.matrix() if not spec.scale else np.ldexp(table.matrix(), np.array(spec.scale))
        if spec.kernel == "precomputed" and len(names) and X.shape[1] <= names.max():
            raise ValueError(f"A precomputed kernel must be square; this one has {X.shape[1]} column(s).")
        X = X[:, names] if spec.kernel == "precomputed" else X
        read: dict[str, dict[str, Any]] = {
            "rbf": {"gamma": spec.gamma},
            "poly": {"gamma": spec.gamma, "degree": spec.degree, "coef0": spec.coef0},
            "sigmoid": {"gamma": spec.gamma, "coef0": spec.coef0},
        }
        parameters = read.get(spec.kernel, {}) if isinstance(spec.kernel, str) else {}
        found = support_columns(
            X, spec.kernel, parameters=parameters, rank_tol=self.rank_tol, max_support=self.max_support
        )
        pivots = np.sort(found.support)
        if spec.kernel != "precomputed":  # the order in which a set arrives
            pivots = pivots[np.lexsort(table.matrix()[pivots].T[::-1])]
        made = Features.of(table, spec, pivots.tolist(), names)
        if not np.isfinite(made.values).all():
            raise ValueError("The kernel's values are not all finite: NaN or infinity among them.")
        return made, pivots

    def _solve(self, programme: Programme) -> Solution:
        found = solve(programme, solver=self.solver)
        if found.duality_gap > _GAP:
            warnings.warn(
                f"The programme was solved to a relative duality gap of {found.duality_gap:.1g} only; the objective is "
                "that far from the best at most. Scale the columns, lower rank_tol's demands or use solver='highs'.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return found

    def _read(self, X: Any) -> Table:
        check_is_fitted(self)
        return read_rows(self, X, self._kinds, allow_nan=False, accept_sparse=False)

    def get_rules(self, as_frame: bool = False) -> Any:
        """List the terms of each machine's sum.

        Parameters
        ----------
        as_frame : bool, default=False
            Give a pandas data frame instead of a list of dictionaries.

        Returns
        -------
        list of dict or DataFrame
            ``prediction`` (the class whose sum it is; None for a regressor), ``weight`` and ``term``; the constant is
            the term "1".
        """
        check_is_fitted(self)
        lines = [
            {"prediction": answer, "weight": weight, "term": term}
            for answer, model in self._sums()
            for weight, term in [*largest_first(model.terms(self._names())), (model.bias, "1")]
        ]
        return require("pandas", "as_frame=True").DataFrame(lines) if as_frame else lines

    def explain(self, X: Any, as_frame: bool = False) -> Any:
        """Say what each row's sum is made of.

        Parameters
        ----------
        X : table
            As passed to ``fit``.
        as_frame : bool, default=False
            Give a pandas data frame instead of a list of dictionaries.

        Returns
        -------
        list of dict or DataFrame
            ``prediction``, ``value`` (of the sum that decided: the highest of several) and ``reason`` (a sentence with
            the terms that weigh most in it).
        """
        table = self._read(X)
        answers, sums = self.predict(X), self._sums()
        values = np.array([model.evaluate(table) for _, model in sums])
        decided = np.argmax(values, axis=0)
        parts = [model.parts(table) for _, model in sums]
        names = [[term for _, term in model.terms(self._names())] for _, model in sums]
        explained = [
            {
                "prediction": answers[row],
                "value": float(values[one, row]),
                "reason": _reason(values[one, row], names[one], parts[one][:, row], sums[one][1].bias),
            }
            for row, one in enumerate(decided)
        ]
        return require("pandas", "as_frame=True").DataFrame(explained) if as_frame else explained

    def rules_text(self) -> str:
        """Write the machine alone: a heading, then the terms of each sum."""
        check_is_fitted(self)
        sums = self._sums()
        shown = [self._heading()]
        for answer, model in sums:
            shown += [f"{answer}:"] if len(sums) > 1 else []
            terms = [*largest_first(model.terms(self._names())), (model.bias, "")]
            numbers = [number_text(weight, digits=4) for weight, _ in terms]
            width = max(len(number) for number in numbers)
            for number, (_, term) in zip(numbers, terms, strict=True):
                text = f"  {number:>{width}} * {term}" if term else f"  {number:>{width}}"
                shown += textwrap.wrap(text, 76, subsequent_indent=" " * (width + 5), drop_whitespace=True)
        return "\n".join(shown)

    def to_text(self) -> str:
        """Write the model as a person would read it, with its certificate."""
        rules = self.rules_text()
        promise = [textwrap.fill(text, 80) for text in (str(self.certificate_), self.certificate_.summary())]
        return "\n".join([rules, "", *promise])

    def _html_repr(self) -> str:
        # the hook that scikit-learn's _repr_html_ and _repr_mimebundle_ both call
        if not hasattr(self, "certificate_"):
            return str(super()._html_repr())
        rows = [f"<tr><th>{html.escape(self._heading())}</th><th>weight</th></tr>"]
        sums = self._sums()
        for answer, model in sums:
            rows += [f"<tr><th>{html.escape(str(answer))}</th><th></th></tr>"] if len(sums) > 1 else []
            for weight, term in [*largest_first(model.terms(self._names())), (model.bias, "1")]:
                cells = f"<code>{html.escape(term)}</code></td><td>{number_text(weight, digits=4)}"
                rows.append(f"<tr><td>{cells}</td></tr>")
        return card_html("".join(rows), self.certificate_)

    def _sums(self) -> list[tuple[Any, Any]]:
        """Give each sum with the class that it stands for."""
        raise NotImplementedError

    def _heading(self) -> str:
        raise NotImplementedError

    def _names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else list(map(str, names))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def _reason(value: float, names: list[str], parts: Floats, bias: float) -> str:
    """Say what a sum is made of, the largest terms first."""
    terms = largest_first(list(zip(parts.tolist(), names, strict=True)))
    shown = [f"{name} {part:+.3g}" for part, name in terms[:_TERMS_SHOWN]]
    more = [f"{len(terms) - _TERMS_SHOWN} more {sum(part for part, _ in terms[_TERMS_SHOWN:]):+.3g}"]
    shown += more if len(terms) > _TERMS_SHOWN else []
    return f"the sum is {value:.4g}: {', '.join([*shown, f'constant {bias:+.3g}'])}"


def distinct_rows(table: Table, answers: NDArray[Any], weights: Floats, *, pairwise: bool) -> tuple[Integers, Floats]:
    """Give the rows that count, by value and equal ones as one, and their weights: order and copies say nothing."""
    rows = np.flatnonzero(weights > 0)
    if pairwise:
        return rows, weights[rows]
    rows = rows[order_by_value(table.take(rows), answers[rows])]
    X, y = table.matrix()[rows], answers[rows]
    first = np.flatnonzero(np.append(True, (X[1:] != X[:-1]).any(axis=1) | (y[1:] != y[:-1])))
    return rows[first], np.add.reduceat(weights[rows], first)


def spread(values: Floats, weights: Floats) -> float:
    """Give the standard deviation of weighted numbers."""
    size = float(np.abs(values).max(initial=0.0)) or 1.0
    values = values / size
    middle = float(np.average(values, weights=weights))
    return math.sqrt(float(np.average((values - middle) ** 2, weights=weights))) * size


def nearest_power(number: float) -> int:
    """Give the exponent of the power of two nearest to a number, by ratio; 0 for zero.

    Examples
    --------
    >>> nearest_power(1.3), nearest_power(1.5), nearest_power(0.1)
    (0, 1, -3)
    """
    return round(math.log2(number)) if number > 0 else 0


class MinimalComplexityClassifier(ClassifierMixin, MinimalMachine):  # type: ignore[misc]
    r"""A hyperplane, or a sum of kernels, whose largest margin is as small as its smallest allows.

    .. math:: \min\; h + C \sum_i s_i q_i \quad\text{with}\quad 1 \le y_i f(x_i) + q_i \le h,\; q \ge 0

    h² is the paper's proxy for the VC dimension. One linear programme; with `C` infinite no slack q is allowed.

    Parameters
    ----------
    C : float, default=1.0
        The price of slack; ``inf`` for a hard margin.
    kernel : {"linear", "rbf", "poly", "sigmoid", "precomputed"} or callable, default="linear"
        The features: the columns themselves, or kernel columns of support rows.
    gamma : {"scale", "auto"} or float, default="scale"
        As in scikit-learn's SVC for columns of about unit spread, rounded to a power of two; or the number itself.
    degree, coef0 : int and float, default=3 and 0.0
        As in scikit-learn's SVC.
    rank_tol : float, default=1e-8
        Support rows are chosen by pivoted Cholesky until what is left of the kernel is this small, relatively. Far
        below the default, coefficients grow so large that rounding shows in predictions.
    max_support : int or None, default=None
        The most support rows: the knob for sparsity.
    solver : {"interior", "highs"}, default="interior"
        Our interior point method, or HiGHS.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, times the weights of the rows.
    delta : float, default=0.05
        The probability with which the certificate may fail.

    Attributes
    ----------
    hypothesis_ : LinearModel, KernelExpansion or Highest
        The function whose sign is the answer; with more than two classes one for each, and the highest wins.
    coef_, intercept_ : ndarray
        Of a linear machine, as in scikit-learn.
    support_ : ndarray of int
        The rows that carry coefficients (of a linear machine: those on a margin).
    dual_coef_ : ndarray of shape (n_machines, n_support)
        λ, of a kernel machine.
    h_ : ndarray of float
        The largest margin of each machine; h² is a proxy for its VC dimension, no bound that anyone has proved tight.
    objective_, duality_gap_ : ndarray of float
        What was minimised, and how far from the best it may be, relatively; before rounding by large coefficients.
    certificate_ : Certificate
        The bound on the error.
    classes_, n_features_in_, feature_names_in_
        As in every scikit-learn classifier.

    Notes
    -----
    The certificate is one of sample compression: the machine is the solution of the linear system of the rows on its
    margins, and, with a kernel, of its support rows. C is free; the kernel's parameters and the powers of two that
    scale the columns are paid for. It is void if anything was fitted on the same rows before, or if rows are not
    independent. (39) of the paper, errors at most support vectors over rows, holds in expectation only.

    The authors ask commercial users of the MCM to contact FITT, IIT Delhi.

    References
    ----------
    Jayadeva, *Learning a hyperplane classifier by minimizing an exact bound on the VC dimension*, Neurocomputing 2015.

    Examples
    --------
    >>> from laconic import MinimalComplexityClassifier
    >>> from laconic.datasets import load_pima
    >>> X, y = load_pima(return_X_y=True)
    >>> model = MinimalComplexityClassifier(C=1.0).fit(X, y)
    >>> round(model.score(X, y), 2), len(model.support_)
    (0.77, 10)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MinimalMachine._shared_constraints,
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    def __init__(
        self,
        C: float = 1.0,
        kernel: Any = "linear",
        *,
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        rank_tol: float = 1e-8,
        max_support: int | None = None,
        solver: Solver = "interior",
        class_weight: Any = None,
        delta: float = 0.05,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.rank_tol = rank_tol
        self.max_support = max_support
        self.solver = solver
        self.class_weight = class_weight
        self.delta = delta

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MinimalComplexityClassifier:
        """Solve the programme and certify what came out.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The table of numbers, or the kernel matrix.
        y : array of shape (n_samples,)
            Labels of two or more classes.
        sample_weight : array of shape (n_samples,), default=None
            How much each row's slack costs; rows of weight zero take no part. The certificate does not use it.

        Returns
        -------
        self
            The fitted model.
        """
        self._check()
        table, labels = read_training(self, X, y, allow_nan=False, accept_sparse=False)
        refuse_categories(table, getattr(self, "feature_names_in_", None))
        classes, codes = np.unique(labels, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(
                f"The labels hold one class only ({classes[0]!r}); a classifier needs rows of two classes."
            )
        weights = read_weights(sample_weight, self.class_weight, table, labels)
        rows, prices = distinct_rows(table, codes, weights, pairwise=self.kernel == "precomputed")
        spec = self._spec(table.take(rows), prices)
        features, pivots = self._features(table.take(rows), spec, rows)
        answers = [codes == code for code in ((1,) if len(classes) == 2 else range(len(classes)))]
        found = [
            self._solve(
                ClassifierProgramme(features.values, np.where(positive, 1.0, -1.0)[rows], float(self.C), prices)
            )
            for positive in answers
        ]
        machines = [_moved(one, rows) for one in found]
        encoding = encode(machines, rows[pivots], table, codes, MinimalMessage(spec))
        models = reconstruct(encoding.examples, encoding.message)
        self.hypothesis_ = models[0] if len(classes) == 2 else Highest(models)
        self._kinds, self._encoding, self.classes_ = table.kinds, encoding, classes
        self.certificate_ = certify_classifier(self.hypothesis_, table, codes, encoding, self.delta)
        self.h_, self.objective_, self.duality_gap_ = (
            np.array([getattr(one, name) for one in found]) for name in ("h", "objective", "duality_gap")
        )
        self.support_ = encoding.rows if spec.kernel is None else support_of(models[0], table, rows[pivots])
        if spec.kernel is None:
            self.coef_ = np.array([model.weights for model in models])  # type: ignore[union-attr]
        else:
            self.dual_coef_ = np.array([model.coefficients for model in models])  # type: ignore[union-attr]
        self.intercept_ = np.array([model.bias for model in models])
        return self

    def decision_function(self, X: Any) -> Floats:
        """Give f(x); with more than two classes, one column for each.

        Parameters
        ----------
        X : table
            As passed to ``fit``.

        Returns
        -------
        ndarray of float
            Above zero where the second of two classes is predicted.
        """
        table = self._read(X)
        return (
            self.hypothesis_.scores(table)
            if isinstance(self.hypothesis_, Highest)
            else self.hypothesis_.evaluate(table)
        )

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : table
            As passed to ``fit``, with the same columns.

        Returns
        -------
        ndarray
            A class for each row.
        """
        table = self._read(X)
        return self.classes_[class_codes(self.hypothesis_, table)]

    def _sums(self) -> list[tuple[Any, Any]]:
        if isinstance(self.hypothesis_, Highest):
            return list(zip(self.classes_, self.hypothesis_.models, strict=True))
        return [(self.classes_[1], self.hypothesis_)]

    def _heading(self) -> str:
        if isinstance(self.hypothesis_, Highest):
            return "the class with the highest sum:"
        return f"{self.classes_[1]} if this sum is above 0, else {self.classes_[0]}:"


def support_of(model: Any, table: Table, pivots: Integers) -> Integers:
    """Give the rows of a model's points, in their order."""
    if model.kernel == "precomputed":
        return np.array([int(place) for (place,) in model.points], dtype=np.int64)
    place = {table.point(int(row)): row for row in pivots}
    return np.array([place[point] for point in model.points], dtype=np.int64)


def _moved(found: Solution, rows: Integers) -> Tight:
    """Give the tight constraints in terms of all rows."""
    if found.tight is None:
        raise ArithmeticError("No vertex of the programme could be found precisely enough; scale the columns.")
    return replace(found.tight, rows=rows[found.tight.rows])


def class_codes(hypothesis: Any, table: Table) -> Integers:
    """Give the position of the class of each row."""
    values = hypothesis.evaluate(table)
    return values if isinstance(hypothesis, Highest) else (values > 0).astype(np.int64)


def certify_classifier(hypothesis: Any, table: Table, codes: Integers, encoding: Any, delta: float) -> Certificate:
    """Bound the risk of what `reconstruct` gave, counting its errors by row, outside the set."""
    wrong = class_codes(hypothesis, table) != codes
    outside = int(np.delete(wrong, encoding.rows).sum())
    statement = SampleCompression(len(wrong), len(encoding.rows), outside, encoding.nats)
    return Certificate.resting_on(statement, delta=delta, empirical_risk=float(wrong.mean()))


class MinimalComplexityRegressor(RegressorMixin, MinimalMachine):  # type: ignore[misc]
    r"""A linear function, or a sum of kernels, from the classifier that tells ``y + ε`` from ``y − ε``.

    With :math:`g_i = f(x_i) + \eta y_i` and :math:`z = \eta\epsilon`,

    .. math:: \min\; h + C \sum_i s_i (q_i^+ + q_i^-) \quad\text{with}\quad
              h \ge |g_i| + z,\; q_i^\pm \ge 1 - z \mp g_i,\; q \ge 0,\; \eta \ge 0,

    and the prediction is :math:`-f(x)/\eta`.

    Parameters
    ----------
    C : float, default=1.0
        The price of slack; ``inf`` for hard margins, which need ε above the smallest largest residual.
    epsilon : float, default=0.1
        Half the width of the tube, in units of ``target_unit_``, the power of two nearest to the targets' spread. For a
        tube of e in the target's own units, pass ``e / model.target_unit_``.
    kernel, gamma, degree, coef0, rank_tol, max_support, solver
        As in `MinimalComplexityClassifier`.
    coverage : float, default=0.9
        The certificate's tolerance is the smallest for which at least this share of new targets is promised to lie
        within it; where none can be promised, the one that all rows keep.
    delta : float, default=0.05
        The probability with which the certificate may fail.

    Attributes
    ----------
    hypothesis_ : LinearModel or KernelExpansion
        The function.
    target_unit_ : float
        The power of two in whose units ε is.
    tolerance_ : float
        τ: the certificate bounds the chance that a new target is further than this from the prediction.
    eta_ : float
        η.
    coef_, intercept_, support_, dual_coef_, h_, objective_, duality_gap_, certificate_
        As in `MinimalComplexityClassifier`.

    Notes
    -----
    What the programme does depends on ε. With E the smallest largest residual on the span and W the sum of the weights:
    for ε ≤ E/(2CW − 1) the optimum is η = 0 and there is no regressor, which is an error that names that ε; just above,
    every slack is positive and the fit is close to the smallest largest residual; near the size of the residuals it
    resembles scikit-learn's SVR with its insensitive tube; for ε far above E it is the hard machine. With a kernel of
    full rank E = 0 and it interpolates: cap `max_support`, or widen the kernel. The example ``plot_minimal_regimes``
    shows each of these beside SVR.

    `predict_interval` gives prediction ± τ. What is certified is marginal: over new rows, not for each x.

    The authors ask commercial users of the MCM to contact FITT, IIT Delhi.

    References
    ----------
    Jayadeva, S. Chandra, S. Sabharwal and S. S. Batra, *Learning a hyperplane regressor by minimizing an exact bound on
    the VC dimension*, Neurocomputing 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import MinimalComplexityRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, size=(300, 1))
    >>> y = 3 * X[:, 0] + rng.normal(scale=0.1, size=300)
    >>> model = MinimalComplexityRegressor(epsilon=0.1).fit(X, y)
    >>> round(float(model.coef_[0]), 1), model.certificate_.outcome
    (3.0, 'off by more than 0.40625')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MinimalMachine._shared_constraints,
        "epsilon": [Interval(Real, 0, None, closed="neither")],
        "coverage": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(
        self,
        C: float = 1.0,
        epsilon: float = 0.1,
        *,
        kernel: Any = "linear",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        rank_tol: float = 1e-8,
        max_support: int | None = None,
        solver: Solver = "interior",
        coverage: float = 0.9,
        delta: float = 0.05,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.rank_tol = rank_tol
        self.max_support = max_support
        self.solver = solver
        self.coverage = coverage
        self.delta = delta

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MinimalComplexityRegressor:
        """Solve the programme and certify what came out.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The table of numbers, or the kernel matrix.
        y : array of shape (n_samples,)
            The targets.
        sample_weight : array of shape (n_samples,), default=None
            How much each row's slack costs; rows of weight zero take no part. The certificate does not use it.

        Returns
        -------
        self
            The fitted model.
        """
        self._check()
        table, targets = read_training(self, X, y, allow_nan=False, accept_sparse=False, numeric=True)
        refuse_categories(table, getattr(self, "feature_names_in_", None))
        weights = read_weights(sample_weight, None, table, targets)
        rows, prices = distinct_rows(table, targets, weights, pairwise=self.kernel == "precomputed")
        unit = nearest_power(spread(targets[rows], prices))
        spec = self._spec(table.take(rows), prices)
        features, pivots = self._features(table.take(rows), spec, rows)
        message = MinimalMessage(spec, float(self.epsilon), unit)
        programme = RegressorProgramme(
            features.values, np.ldexp(targets[rows], -unit), float(self.epsilon), float(self.C), prices
        )
        found = self._regressor(programme, unit)
        encoding = encode([_moved(found, rows)], rows[pivots], table, targets, message)
        (model,) = reconstruct(encoding.examples, encoding.message)
        self.hypothesis_, self._kinds, self._encoding = model, table.kinds, encoding
        self.target_unit_ = math.ldexp(1.0, unit)
        self.certificate_, self.tolerance_ = certify_regressor(
            model, table, targets, encoding, self.delta, self.coverage
        )
        self._encoding = replace(encoding, nats=self.certificate_.message_nats)  # with the tolerance
        self.h_, self.objective_, self.duality_gap_ = found.h, found.objective, found.duality_gap
        self.eta_ = math.ldexp(found.eta, -unit)
        self.support_ = encoding.rows if spec.kernel is None else support_of(model, table, rows[pivots])
        if spec.kernel is None:
            self.coef_ = np.array(model.weights)  # type: ignore[union-attr]
        else:
            self.dual_coef_ = np.array([model.coefficients])  # type: ignore[union-attr]
        self.intercept_ = model.bias
        return self

    def _regressor(self, programme: RegressorProgramme, unit: int) -> Solution:
        """Solve; where there is no regressor, say from which ε on there is one."""
        total = float(programme.weights.sum())
        if 1 / (2 * total) >= programme.C:
            raise ValueError(
                f"C={self.C:g} is too small for {total:g} rows: below 1/(2·{total:g}) the programme has no solution "
                "that is a regressor. Raise C."
            )
        try:
            found = self._solve(programme)
        except NoConsistentConcept:
            found = None
        if found is None or found.eta == 0:
            smallest = regime_of(programme).smallest_epsilon
            raise ValueError(
                f"With epsilon={self.epsilon:g} the programme's optimum is no regressor (η = 0). "
                f"epsilon must be larger than {number_text(smallest, 4)} (in units of {math.ldexp(1.0, unit):g})"
                f"{', or C finite' if math.isinf(programme.C) else ', or C larger'}."
            )
        return found

    def predict(self, X: Any) -> Floats:
        """Predict the target of each row.

        Parameters
        ----------
        X : table
            As passed to ``fit``, with the same columns.

        Returns
        -------
        ndarray of float
            A number for each row.
        """
        table = self._read(X)
        return self.hypothesis_.evaluate(table)

    def predict_interval(self, X: Any) -> tuple[Floats, Floats]:
        """Give prediction ± τ, within which a new target lies at least as often as the certificate says.

        Parameters
        ----------
        X : table
            As passed to ``fit``.

        Returns
        -------
        low, high : ndarray of float
            The ends of the interval of each row. The promise is marginal: an average over new rows.
        """
        values = self.predict(X)
        return values - self.tolerance_, values + self.tolerance_

    def _sums(self) -> list[tuple[Any, Any]]:
        return [(None, self.hypothesis_)]

    def _heading(self) -> str:
        return f"this sum, give or take {number_text(self.tolerance_, digits=4)}:"


def certify_regressor(
    model: Any, table: Table, targets: Floats, encoding: Any, delta: float, coverage: float
) -> tuple[Certificate, float]:
    """Bound the chance that a target is further than τ from the prediction, for a τ that the data may choose.

    τ is (8 + k)/8 times a power of two, k = 0 to 7; its exponent costs `signed_nats`, counted from the target's unit.
    """
    residuals = np.abs(model.evaluate(table) - targets)
    outside = np.delete(residuals, encoding.rows)
    unit = encoding.message.unit
    largest = float(residuals.max())
    highest = math.ceil(math.log2(largest)) if largest > 0 else unit
    best: tuple[float, SampleCompression] | None = None
    for exponent in range(highest, highest - 40, -1):
        for step in range(_STEPS - 1, -1, -1):
            tolerance = math.ldexp(1 + step / _STEPS, exponent)
            nats = encoding.nats + signed_nats(exponent - unit) + choice_nats(_STEPS)
            statement = SampleCompression(len(targets), len(encoding.rows), int((outside > tolerance).sum()), nats)
            if tolerance >= largest or statement.bound(delta) <= 1 - coverage:
                best = tolerance, statement
            elif exponent <= unit:  # all others are smaller and dearer; above the unit, smaller ones are cheaper to say
                assert best is not None
                return _promise(best, residuals, delta), best[0]
    assert best is not None
    return _promise(best, residuals, delta), best[0]


def _promise(best: tuple[float, SampleCompression], residuals: Floats, delta: float) -> Certificate:
    tolerance, statement = best
    return Certificate.resting_on(
        statement,
        delta=delta,
        empirical_risk=float((residuals > tolerance).mean()),
        outcome=f"off by more than {number_text(tolerance)}",
    )
