"""The scikit-learn face of minimal complexity regressors."""

from __future__ import annotations

import math
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from laconic._learners import Learner, register
from laconic._rounding import Code
from laconic._sklearn_compat import Interval
from laconic._sums import SumRegressor
from laconic._table import Floats, Integers
from laconic.certificates import Certificate, Encoding, Residuals, choice_nats
from laconic.exceptions import NoConsistentConcept
from laconic.minimal._features import nearest_power, spread
from laconic.minimal._machine import MinimalMachine
from laconic.minimal._measuring import measured, width_of
from laconic.minimal._programme import RegressorProgramme, Solution
from laconic.minimal._ranges import refuse_far_targets
from laconic.minimal._regimes import regime_of
from laconic.minimal._scheme import Problem, reconstruct
from laconic.minimal._solving import Solver
from laconic.minimal._states import MinimalRegression
from laconic.minimal._thinning import narrowest_in_digits
from laconic.rules import KernelExpansion, LinearModel, number_text


class MinimalComplexityRegressor(SumRegressor, MinimalMachine):
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
    code : {"auto", "rows", "digits"}, default="auto"
        How a linear machine is sent, which decides what is promised: by the rows on its borders, as it was solved; or
        rounded to few digits and columns, and the rounded machine is the model. Of all roundings whose mean absolute
        error is at most one standard error larger, the one with the narrowest band is taken; "auto" takes it where its
        band is narrower than by rows, and where all rows weigh the same. Other kernels have the rows only.
    coverage : float, default=0.9
        The band ± τ is the narrowest that is promised to hold at least this share of new targets: τ is the residual of
        a row (see `laconic.certificates.Residuals`). Where no band can be promised, certificate and card say so first,
        and τ is what all rows keep. Chosen before the data is seen, or the certificate is void.
    delta : float, default=0.05
        The probability with which the certificate may fail.

    Attributes
    ----------
    hypothesis_ : LinearModel or KernelExpansion
        The function; rounded, if that is how it is sent. `h_`, `eta_`, `support_` and the figures of the programme
        describe its solution, before it is rounded.
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

    `predict_interval` gives prediction ± τ. What is certified is marginal: over new rows, not for each x. It is one of
    sample compression, by the rows on the borders, or Occam's bound for a function of few digits, whose residuals are
    those after rounding; that the data chose between the two costs ln 2, and the digits are paid for one by one.
    Categories of a data frame have an indicator each in a linear machine, and training rows name them.

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
    (3.0, 'off by more than 0.199951')
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
        max_support: int | Literal["auto"] | None = "auto",
        solver: Solver = "interior",
        code: Code = "auto",
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
        self.code = code
        self.coverage = coverage
        self.delta = delta

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MinimalComplexityRegressor:
        """Solve the programme and certify what came out.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The table: numbers, Booleans and, in a data frame, categories, which only a linear machine reads; or the
            kernel matrix.
        y : array of shape (n_samples,)
            The targets.
        sample_weight : array of shape (n_samples,), default=None
            How much each row's slack costs; rows of weight zero take no part. The certificate does not use it.

        Returns
        -------
        self
            The fitted model.

        Raises
        ------
        NoConsistentConcept
            If ε or C is so small that the programme's optimum is no regressor; it says from which on there is one.
        """
        return self._fit(self._read_training(X, y, sample_weight))

    def _unit(self, targets: NDArray[Any], weights: Floats) -> int:
        unit = nearest_power(spread(targets, weights))
        refuse_far_targets(targets, unit, float(self.epsilon))
        return unit

    def _solutions(self, problem: Problem) -> list[Solution]:
        targets = np.ldexp(problem.targets, -problem.unit)
        programme = RegressorProgramme(
            problem.features.values, targets, float(self.epsilon), float(self.C), problem.weights
        )
        total = float(problem.weights.sum())
        if 1 / (2 * total) >= programme.C:
            raise NoConsistentConcept(
                f"C={self.C:g} is too small for {total:g} rows: below 1/(2·{total:g}) the programme has no solution "
                "that is a regressor. Raise C."
            )
        try:
            found = [self._solve(programme)]
        except NoConsistentConcept:
            found = []
        if not found or found[0].eta == 0:  # say from which ε on there is a regressor
            smallest = regime_of(programme).smallest_epsilon
            raise NoConsistentConcept(
                f"With epsilon={self.epsilon:g} the programme's optimum is no regressor (η = 0). "
                f"epsilon must be larger than {number_text(smallest, 4)} (in units of {2.0**problem.unit:g})"
                f"{', or C finite' if math.isinf(programme.C) else ', or C larger'}."
            )
        return found

    def _certified(
        self, problem: Problem, found: list[Solution], hypothesis: Any, encoding: Encoding, support: Integers
    ) -> tuple[Certificate, MinimalRegression]:
        (one,) = found
        self._residuals = self._measured(problem, hypothesis, encoding)
        certificate, tolerance = self._residuals.narrowest()
        eta, unit = math.ldexp(one.eta, -problem.unit), math.ldexp(1.0, problem.unit)
        return certificate, MinimalRegression(
            support, one.h, one.objective, one.duality_gap, eta=eta, target_unit=unit, tolerance=tolerance
        )

    def _measured(self, problem: Problem, hypothesis: Any, encoding: Encoding) -> Residuals:
        """Measure how far rows are from what was sent, and which of them it does not depend on."""
        return measured(hypothesis, problem.wide.table, problem.answers, encoding, self.delta, self.coverage)

    def _shortened(
        self, problem: Problem, hypothesis: Any, encoding: Encoding, weights: Floats
    ) -> tuple[Any, Encoding]:
        if self.kernel != "linear" or self.code == "rows":
            return hypothesis, encoding
        choice = choice_nats(2 if self.code == "auto" else 1).called("by rows, or in few digits")
        encoding = replace(encoding, nats=encoding.nats + choice)
        if self.code == "auto" and weights.min() < weights.max():
            return hypothesis, encoding  # rounding looks at all rows alike, and would undo what the weights did
        rounded = narrowest_in_digits(hypothesis, problem, self.delta, self.coverage)
        rounded = replace(rounded, nats=rounded.nats + choice)
        (shorter,) = reconstruct(rounded.examples, rounded.message)
        if self.code == "auto":
            widths = [width_of(self._measured(problem, *sent)) for sent in ((hypothesis, encoding), (shorter, rounded))]
            if not widths[1] < widths[0]:
                return hypothesis, encoding
        return shorter, rounded


register(
    Learner(
        MinimalComplexityRegressor,
        MinimalRegression,
        (LinearModel, KernelExpansion),
        name="mcm",
        reads="numbers and categories",
        predicts="number",
        compared_with={"epsilon": 0.5},
    )
)
