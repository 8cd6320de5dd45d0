"""What minimal complexity machines share: features, the programme's solution, and how they read."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from laconic._estimates import announce_kernel
from laconic._learners import State
from laconic._rounding import CODES, Code
from laconic._rows import distinct_rows, order_by_value
from laconic._sklearn_compat import Interval, StrOptions
from laconic._sums import SumMachine
from laconic._table import Floats, Integers, Table
from laconic._threads import in_one_thread
from laconic._validation import Training, refuse_categories
from laconic._wide import Wide
from laconic._words import counted
from laconic.certificates import Certificate, Encoding
from laconic.exceptions import SizeWarning
from laconic.minimal._columns import support_rows
from laconic.minimal._features import KERNEL_REMEDY, KERNELS, Features, KernelSpec, make_spec
from laconic.minimal._programme import Programme, Solution
from laconic.minimal._ranges import refuse_far_columns, refuse_far_costs, refuse_far_parameters, refuse_lost_weights
from laconic.minimal._scheme import Problem, encode, reconstruct, support_of
from laconic.minimal._solving import Solver, solve
from laconic.minimal._values import scores_of
from laconic.rules import Highest

_GAP = 1e-8  # a relative duality gap that is worth a warning
ALL_SUPPORT_ROWS = 1000  # so many rows may all become support rows
AUTO_SUPPORT = 300  # the most support rows where there are more rows than that


class MinimalMachine(SumMachine):
    """What classifier and regressor share: features, the programme's solution, and how they read."""

    C: float
    kernel: Any
    gamma: Any
    degree: int
    coef0: float
    rank_tol: float
    max_support: int | Literal["auto"] | None
    solver: Solver
    code: Code | Literal["thin"]
    delta: float
    hypothesis_: Any

    _shared_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="right"), Interval(Real, 0, None, closed="neither")],
        "kernel": [StrOptions(set(KERNELS)), callable],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, None, closed="neither")],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "rank_tol": [Interval(Real, 0, 1, closed="neither")],
        "max_support": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), None],
        "solver": [StrOptions({"interior", "highs"})],
        "code": [StrOptions(set(CODES))],
        "delta": [Interval(Real, 0, 1, closed="right")],
    }

    # ---- fitting

    def _check_table(self, table: Table) -> None:
        if self.kernel != "linear":
            refuse_categories(table, self._names(), "a kernel", "Use kernel='linear', which weighs categories, or turn")

    def _validate_params(self) -> None:
        super()._validate_params()
        refuse_far_parameters(self)
        if self.code in ("digits", "thin") and self.kernel != "linear":
            raise ValueError(f"code={self.code!r} rounds weights of columns, so kernel must be 'linear'.")

    @in_one_thread
    def _fit(self, training: Training) -> Any:
        """Make a problem, solve it, send what was found, build it from nothing else, certify it and store it."""
        answers, weights = training.answers, training.weights
        problem = self._problem(Wide.of(training.table), answers, weights)
        found = self._solutions(problem)
        alone = encode(problem, found, getattr(self, "epsilon", None))
        encoding = problem.wide.named(alone, answers)
        try:
            models = reconstruct(encoding.examples, encoding.message)
        except ValueError as error:
            raise ValueError(f"{error} Rounding decides here: scale the columns, or widen the tube.") from error
        refuse_lost_weights(models, problem.wide.names(self._names()))
        hypothesis = models[0] if len(models) == 1 else Highest(models)
        support = support_of(models[0], problem, alone)
        hypothesis, encoding = self._shortened(problem, hypothesis, encoding, weights)
        certificate, state = self._certified(problem, found, hypothesis, encoding, support)
        encoding = replace(encoding, nats=certificate.message_nats)  # a regressor's has the tolerance in it
        self._store(training, hypothesis_=hypothesis, certificate_=certificate, _encoding=encoding)
        self.__dict__.update(state.attributes(self))  # what follows from it, as from a model file
        return self

    def _shortened(
        self, problem: Problem, hypothesis: Any, encoding: Encoding, weights: Floats
    ) -> tuple[Any, Encoding]:
        """Return a hypothesis that is sent otherwise, if that is better, and how it is sent."""
        del problem, weights
        return hypothesis, encoding

    def _unit(self, targets: NDArray[Any], weights: Floats) -> int:
        """Return the power of two that is the unit of what is predicted."""
        del targets, weights
        return 0

    @abstractmethod
    def _solutions(self, problem: Problem) -> list[Solution]:
        """Solve the programme of each machine."""

    @abstractmethod
    def _certified(
        self, problem: Problem, found: list[Solution], hypothesis: Any, encoding: Encoding, support: Integers
    ) -> tuple[Certificate, State]:
        """Certify the hypothesis; give what a model file keeps of it, too."""

    def _problem(self, wide: Wide, answers: NDArray[Any], weights: Floats) -> Problem:
        """Take the rows that count, choose the kernel and its points, and compute features as `reconstruct` will."""
        table = wide.numbers
        rows, counting = rows_that_count(table, answers, weights, pairwise=self.kernel == "precomputed")
        refuse_far_costs(self.C, counting)
        few, names = table.take(rows), wide.names(self._names())
        X, unit = few.matrix(), self._unit(answers[rows], counting)
        refuse_far_columns(X, names, unit if self.kernel == "linear" else 0)
        given = KernelSpec(self.kernel, self.gamma, self.degree, self.coef0)
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused
            spec = make_spec(given, X, counting, names)
            pivots = self._pivots(few, spec, rows, table.n_rows)
            features = Features.of(few, spec, pivots.tolist(), rows)
        if not np.isfinite(features.values).all():
            raise ValueError(f"The kernel's values are not all finite: NaN or infinity among them. {KERNEL_REMEDY}")
        return Problem(wide, table, answers, rows, counting, features, rows[pivots], unit)

    def _pivots(self, table: Table, spec: KernelSpec, names: Integers, n_rows: int) -> Integers:
        """Choose the rows that the kernel's columns are computed with, in the order in which a set arrives."""
        if spec.kernel is None:
            return np.empty(0, dtype=np.int64)
        X = table.matrix()
        if spec.kernel == "precomputed":
            if X.shape[1] <= names.max():
                raise ValueError(f"A precomputed kernel must be square; this one has {counted(X.shape[1], 'column')}.")
            X = X[:, names]
        elif spec.scale:
            X = np.ldexp(X, np.array(spec.scale))
        most = self.max_support
        if most == "auto":
            most = None if n_rows <= ALL_SUPPORT_ROWS else AUTO_SUPPORT
        if most is None:
            announce_kernel(n_rows)
        pivots = np.sort(support_rows(X, spec.kernel, spec.parameters, rank_tol=self.rank_tol, max_support=most))
        if self.max_support == "auto" and len(pivots) == most:
            warnings.warn(
                f"With {n_rows} rows, more than {ALL_SUPPORT_ROWS}, max_support='auto' takes {most} support rows, no "
                "more, so that the fit comes to an end. Set max_support to a number, or to None for no limit.",
                SizeWarning,
                stacklevel=6,
            )
        return pivots if spec.kernel == "precomputed" else pivots[order_by_value(table.take(pivots))]

    def _solve(self, programme: Programme) -> Solution:
        found = solve(programme, solver=self.solver)
        if found.duality_gap > _GAP:
            warnings.warn(
                f"The programme was solved to a relative duality gap of {found.duality_gap:.1g} only; the objective is "
                "that far from the best at most. Scale the columns, lower rank_tol's demands or use solver='highs'.",
                ConvergenceWarning,
                stacklevel=6,
            )
        return found

    # ---- reading

    def _scores(self, table: Table) -> Floats:
        return scores_of(self.hypothesis_, table)

    def _keys(self) -> tuple[str, ...]:
        flagged = any(getattr(model, "flags", ()) for _, model in self._sums())
        return ("column", "operator", "value", "kernel", "point") if flagged else super()._keys()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def rows_that_count(table: Table, answers: NDArray[Any], weights: Floats, *, pairwise: bool) -> tuple[Integers, Floats]:
    """Return the rows that count, by value and equal ones as one, and their weights: order and copies say nothing."""
    rows = np.flatnonzero(weights > 0)
    if pairwise:
        return rows, weights[rows]
    first, kinds = distinct_rows(table, answers, rows)
    order = np.argsort(kinds, kind="stable")
    return first, np.add.reduceat(weights[rows[order]], np.searchsorted(kinds[order], np.arange(len(first))))
