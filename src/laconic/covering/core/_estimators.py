"""The scikit-learn face of the set covering machine."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Literal, get_args

from joblib import effective_n_jobs

from laconic._learners import Learner, register
from laconic._sklearn_compat import Interval, StrOptions
from laconic.covering._states import Covered
from laconic.covering.core._candidates import Candidates, make_candidates
from laconic.covering.core._family import Family
from laconic.covering.core._grid import Grid
from laconic.covering.core._machine import SHARED_CONSTRAINTS, CoveringMachine
from laconic.covering.core._problem import Form
from laconic.rules import Conjunction, Disjunction

AUTO_PENALTIES = (1.0, 1.5, 2.0, 3.0, 5.0)


class SetCoveringClassifier(CoveringMachine):
    r"""The set covering machine: a short conjunction or disjunction of simple rules, with a certificate.

    Greedily chooses the rule of the highest value :math:`V = |Q| - p \cdot |R|`: Q are the rows of one class (N) that
    the rule turns away and no rule before it did, R the rows of the other class (P) that it wrongly turns away, p the
    penalty. For a conjunction P is the positive class ``classes_[1]``; for a disjunction it is the other one.

    Parameters
    ----------
    form : {"auto", "conjunction", "disjunction"}, default="auto"
        Whether a row is positive when all rules hold, or when any does. "auto" builds both, and keeps one; the
        certificate pays ln 2 for the choice.
    features : str, family, or list of these, default="auto"
        What rules are made of: "conditions" (on one column: thresholds on numbers, literals on flags and categories),
        "balls" (around examples), "stumps" (thresholds), "literals" (Boolean columns and categories), an instance such
        as ``Balls(metric="manhattan")``, ``Stumps(bins=255)`` or ``Clauses(2)``, or a list of families that compete for
        every rule. "auto" builds a machine of conditions and one of ``Balls(scale="dyadic", max_centers=1000)``, and
        keeps one; the certificate pays ln 2, also where balls are left out: for more than 20,000 rows, and where a
        column holds categories, or a value is missing.
    penalty : float or "auto", default="auto"
        What one row of P that is turned away costs, in rows of N (the paper's p). ``inf``: no such error is ever made
        (the Valiant step), and rows that contradict each other are refused. "auto" tries 1, 1.5, 2, 3 and 5 and every
        number of rules up to `max_rules`, and keeps what promises most (see Notes); the code of the certificate reads
        neither, so that both are free.
    max_rules : int or None, default=10
        Stop after this many rules; None goes on while a rule has a positive value.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied with ``sample_weight``.
    delta : float, default=0.05
        The certificate may fail with this probability. Choose it before you look at the data.
    promises : None, names or Promises, default=None
        What else is to be promised at the same time: "classes", "rules", "costs", or a `laconic.Promises`. The error
        then has half of delta. Choose it, too, before you look at the data.
    n_jobs : int or None, default=None
        Threads that search columns at the same time or, of a table on disk, batches of rows. The model does not depend
        on it.
    max_memory : str, int or None, default=None
        What this process may hold while it fits a table on disk: bytes, or a text such as ``"2GB"``. None takes half of
        what is free. The model does not depend on it.

    Attributes
    ----------
    rules_ : tuple of Rule
        The rules, in the order in which they were chosen.
    hypothesis_ : Conjunction or Disjunction
        What the compression scheme rebuilds; the same rules as a set. Without rules it is a constant: an empty
        conjunction is always true, an empty disjunction never.
    certificate_ : Certificate
        The bound on the risk and what it rests on. It concerns the unweighted risk, whatever the weights.
    path_ : tuple of laconic.covering.Step
        How the model was found, step by step: for each rule what it gained.
    classes_ : ndarray
        The two classes; the second is the positive one.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        Their names, if they had any.

    Notes
    -----
    With ``penalty="auto"`` form, features, penalty and size are chosen by one figure, without folds: the bound that the
    errors on all rows would give at a third of the price in nats and at even odds, which likes longer machines than
    the certified bound does. With a penalty of your own the path is gone to its end, and the certified bound chooses
    among forms and features. `SetCoveringClassifierCV` chooses by folds: five times the time, and fewer errors.

    The machine of paper 1 is ``SetCoveringClassifier("conjunction", "balls", penalty=1.0)``, or "disjunction", and
    ``penalty=inf, max_rules=None`` for the consistent one.

    Values are fixed-point integers, so the same rows in any order, with any number of threads, give the same rules.
    Ties go to the earlier family, then as the family says (for stumps: smaller column, smaller threshold, ``>``).

    A missing value satisfies no rule that is shown. Categories in data frames are read by "literals" under their own
    names.

    The certificate is the binomial tail bound for sample compression: each threshold is the value of one training row.
    It is void if anything was fitted on the same rows before (scaling, feature selection, oversampling), or if rows are
    not independent.

    References
    ----------
    M. Marchand and J. Shawe-Taylor, *Learning with the Set Covering Machine*, ICML 2001.

    Examples
    --------
    >>> from laconic import SetCoveringClassifier
    >>> from laconic.datasets import load_breast_cancer_wisconsin
    >>> X, y = load_breast_cancer_wisconsin(return_X_y=True, paper=True)
    >>> model = SetCoveringClassifier(form="disjunction", features="stumps", max_rules=2).fit(X, y)
    >>> for rule in model.rules_:
    ...     print(rule)
    x1 > 3
    x5 > 5
    >>> print(model.certificate_)
    With 95 % confidence over the draw of the data, the error on new data is at most 9.7 %.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "form": [StrOptions({"conjunction", "disjunction", "auto"})],
        "features": [str, Family, list, tuple],
        "penalty": [Interval(Real, 0, None, closed="both"), StrOptions({"auto"})],
        "n_jobs": [Integral, None],
        "max_memory": [Integral, str, None],
        **SHARED_CONSTRAINTS,
    }

    _rows_may_stay = True

    def __init__(
        self,
        form: Literal["auto", "conjunction", "disjunction"] = "auto",
        features: Any = "auto",
        *,
        penalty: float | Literal["auto"] = "auto",
        max_rules: int | None = 10,
        class_weight: Any = None,
        delta: float = 0.05,
        promises: Any = None,
        n_jobs: int | None = None,
        max_memory: str | int | None = None,
    ) -> None:
        self.form = form
        self.features = features
        self.penalty = penalty
        self.max_rules = max_rules
        self.class_weight = class_weight
        self.delta = delta
        self.promises = promises
        self.n_jobs = n_jobs
        self.max_memory = max_memory

    _reads_kmers = True

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SetCoveringClassifier:
        """Choose the rules and certify them.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features), or path
            The table; or a Parquet or Arrow file, a folder of them or a dataset of pyarrow, whose rows are read again
            and again, and stay on disk.
        y : array of shape (n_samples,) or str
            Labels of two classes; of a table on disk also the name of the column that holds them.
        sample_weight : array of shape (n_samples,), default=None
            How much each row counts in the choice of rules. A whole number counts as that many equal rows. The
            certificate does not use it.

        Returns
        -------
        self
            The fitted model.
        """
        sample, training = self._read_sample(X, y, sample_weight)
        forms: tuple[Form, ...] = get_args(Form) if self.form == "auto" else (self.form,)
        n_jobs = effective_n_jobs(self.n_jobs)
        candidates = self._offer().reading(sample.table, self._names())
        penalties = AUTO_PENALTIES if isinstance(self.penalty, str) else (self.penalty,)
        own = (self.max_rules, self._names(), n_jobs)
        grid = Grid(candidates.families, forms, penalties, *own, candidates.n_listed)
        grid.refuse_contradictions(sample)
        choose = grid.thriftiest if isinstance(self.penalty, str) else grid.smallest_bound
        sealed, solution = choose(sample, self.delta)
        return self._finish(training, sealed, solution.rules, solution.decided, solution.steps)

    def _candidates(self) -> Candidates:
        return make_candidates(self.features)


register(
    Learner(
        SetCoveringClassifier,
        Covered,
        (Conjunction, Disjunction),
        name="scm",
    )
)
