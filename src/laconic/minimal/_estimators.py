"""The scikit-learn face of minimal complexity classifiers."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np

from laconic._base import PROMISES, AnswerChances
from laconic._digits import Digits
from laconic._learners import Learner, register
from laconic._rounding import CODES, Code, is_worth_it
from laconic._sklearn_compat import StrOptions
from laconic._table import Floats, Integers, Table
from laconic.certificates import Certificate, Encoding, certify_errors, choice_nats
from laconic.minimal._machine import MinimalMachine
from laconic.minimal._programme import ClassifierProgramme, Solution
from laconic.minimal._rounding import in_few_digits
from laconic.minimal._scheme import Problem, reconstruct
from laconic.minimal._solving import Solver
from laconic.minimal._states import Minimal
from laconic.minimal._values import class_codes, scores_of
from laconic.rules import Highest, KernelExpansion, LinearModel


class MinimalComplexityClassifier(AnswerChances, MinimalMachine):
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
    max_support : int, "auto" or None, default="auto"
        The most support rows: the knob for sparsity. "auto" goes by the number of rows alone: no limit up to 1,000
        rows, and 300 support rows beyond, with a `laconic.exceptions.SizeWarning` where that stops the choice. None: no
        limit, which takes minutes from some thousand rows on.
    solver : {"interior", "highs"}, default="interior"
        Our interior point method, or HiGHS.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, times the weights of the rows.
    code : {"auto", "rows", "digits", "thin"}, default="auto"
        How a linear machine is sent, which decides what is promised: by the rows on its margins, as it was solved; or
        rounded to few digits and columns, and the rounded machine is the model. "auto" takes the rounded one where its
        bound is smaller, by more than it errs more on these rows, and says more than a guess would, and where all rows
        weigh the same; at the most half a standard deviation more rows are wrong then, and none more if C is infinite.
        Other kernels have the rows only. "thin" rounds sums of ever fewer columns, too, and takes the smallest bound:
        promises are tighter, and rules shorter, for a few times the time.
    delta : float, default=0.05
        The probability with which the certificate may fail.
    promises : None, names or Promises, default=None
        What else is to be promised at the same time: "classes", "rules", "costs", or a `laconic.Promises`. The error
        then has half of delta. Choose it, too, before you look at the data.

    Attributes
    ----------
    hypothesis_ : LinearModel, KernelExpansion or Highest
        The function whose sign is the answer; with more than two classes one for each, and the highest wins. Rounded,
        if that is how it is sent: then weights are whole numbers, and only signs and order of the sums mean something.
    coef_, intercept_ : ndarray
        Of a linear machine, as in scikit-learn: those of `hypothesis_`.
    support_ : ndarray of int
        The rows that carry coefficients (of a linear machine: those on a margin).
    dual_coef_ : ndarray of shape (n_machines, n_support)
        λ, of a kernel machine.
    h_ : ndarray of float
        The largest margin of each machine; h² is a proxy for its VC dimension, no bound that anyone has proved tight.
        Like `support_`, `objective_` and `duality_gap_` it describes the programme's solution, before it is rounded.
    objective_, duality_gap_ : ndarray of float
        What was minimised, and how far from the best it may be, relatively; before rounding by large coefficients.
    certificate_ : Certificate
        The bound on the error.
    classes_, n_features_in_, feature_names_in_
        As in every scikit-learn classifier.

    Notes
    -----
    The certificate is one of sample compression: the machine is the solution of the linear system of the rows on its
    margins, and, with a kernel, of its support rows. Or it is Occam's bound for a machine of few digits, whose errors
    are counted after rounding; that the data chose between the two costs ln 2. C is free; the kernel's parameters and
    the powers of two that scale the columns are paid for. It is void if anything was fitted on the same rows before, or
    if rows are not independent. (39) of the paper, errors at most support vectors over rows, holds in expectation only.

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

    _several_classes = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MinimalMachine._shared_constraints,
        "code": [StrOptions({*CODES, "thin"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "promises": PROMISES,
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
        max_support: int | Literal["auto"] | None = "auto",
        solver: Solver = "interior",
        class_weight: Any = None,
        code: Code | Literal["thin"] = "auto",
        delta: float = 0.05,
        promises: Any = None,
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
        self.code = code
        self.delta = delta
        self.promises = promises

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MinimalComplexityClassifier:
        """Solve the programme and certify what came out.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The table: numbers, Booleans and, in a data frame, categories, which only a linear machine reads; or the
            kernel matrix.
        y : array of shape (n_samples,)
            Labels of two or more classes.
        sample_weight : array of shape (n_samples,), default=None
            How much each row's slack costs; rows of weight zero take no part. The certificate does not use it.

        Returns
        -------
        self
            The fitted model.
        """
        training = self._read_training(X, y, sample_weight)
        self._fit(training)
        self._promise_answers(training, self._encoding.rows)
        return self

    def _solutions(self, problem: Problem) -> list[Solution]:
        n_classes = int(problem.answers.max()) + 1
        found = []
        for positive in (1,) if n_classes == 2 else range(n_classes):
            signs = np.where(problem.targets == positive, 1.0, -1.0)
            programme = ClassifierProgramme(problem.features.values, signs, float(self.C), problem.weights)
            found.append(self._solve(programme))
        return found

    def _shortened(
        self, problem: Problem, hypothesis: Any, encoding: Encoding, weights: Floats
    ) -> tuple[Any, Encoding]:
        if self.kernel != "linear" or self.code == "rows":
            return hypothesis, encoding
        table, codes = problem.wide.table, problem.answers
        choice = choice_nats(2 if self.code == "auto" else 1).called("by rows, or in few digits")
        encoding = replace(encoding, nats=encoding.nats + choice)
        if self.code == "auto" and weights.min() < weights.max():
            return hypothesis, encoding  # rounding looks at plain errors, and would undo what the weights did
        rounded = in_few_digits(hypothesis, problem, self.delta, hard=math.isinf(self.C), thin=self.code == "thin")
        rounded = replace(rounded, nats=rounded.nats + choice)
        models = reconstruct(rounded.examples, rounded.message)
        shorter = models[0] if len(models) == 1 else Highest(models)
        if self.code == "auto":
            certificates = [
                certify_classifier(one, table, codes, sent, self.delta)
                for one, sent in ((hypothesis, encoding), (shorter, rounded))
            ]
            if not is_worth_it(certificates[0], certificates[1], codes):
                return hypothesis, encoding
        return shorter, rounded

    def _certified(
        self, problem: Problem, found: list[Solution], hypothesis: Any, encoding: Encoding, support: Integers
    ) -> tuple[Certificate, Minimal]:
        certificate = certify_classifier(hypothesis, problem.wide.table, problem.answers, encoding, self.delta)
        h, objective, gap = (
            np.array([getattr(one, name) for one in found]) for name in ("h", "objective", "duality_gap")
        )
        return certificate.attested(encoding), Minimal(support, h, objective, gap)

    def decision_function(self, X: Any) -> Floats:
        """Return f(x); with more than two classes, one column for each.

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
        scores = scores_of(self.hypothesis_, table)
        return scores[0] if len(scores) == 1 else np.ascontiguousarray(scores.T)

    def _codes(self, table: Table) -> Integers:
        return class_codes(self.hypothesis_, table)

    def _sums(self) -> list[tuple[Any, Any]]:
        if isinstance(self.hypothesis_, Highest):
            return list(zip(self.classes_, self.hypothesis_.models, strict=True))
        return [(self.classes_[1], self.hypothesis_)]

    def _heading(self) -> str:
        if isinstance(self.hypothesis_, Highest):
            return "the class with the highest sum:"
        return f"{self.classes_[1]} if this sum is above 0, else {self.classes_[0]}:"


def certify_classifier(hypothesis: Any, table: Table, codes: Integers, encoding: Any, delta: float) -> Certificate:
    """Bound the risk of what `reconstruct` gave, counting its errors by row, outside the set."""
    wrong = class_codes(hypothesis, table) != codes
    return certify_errors(wrong, encoding, delta, examples=not isinstance(encoding.message, Digits))


register(
    Learner(
        MinimalComplexityClassifier,
        Minimal,
        (LinearModel, KernelExpansion, Highest),
        name="mcm",
        reads="numbers and categories",
        several=True,
    )
)
