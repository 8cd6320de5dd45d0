"""Normal forms in the consistency model of paper 2: elimination, and a greedy cover to make it short."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from laconic._learners import Learner, register
from laconic._sklearn_compat import Interval, StrOptions
from laconic._table import Table
from laconic._words import some_of
from laconic.certificates import COUNTS_FUNCTIONS, Sealed, either_nats, ln_normal_forms, seal
from laconic.covering._states import Covered
from laconic.covering.core._candidates import Candidates, one_candidate
from laconic.covering.core._family import Family
from laconic.covering.core._greedy import Block, Solution, cover
from laconic.covering.core._machine import SHARED_CONSTRAINTS, CoveringMachine, columns_of
from laconic.covering.core._naming import may_need_examples
from laconic.covering.core._problem import Problem, refuse_contradictions
from laconic.covering.core._scheme import CoverMessage, encode, reconstruct
from laconic.covering.families._clauses import Clauses
from laconic.covering.families._literals import Literals
from laconic.covering.normal_forms._elimination import eliminate, keep_all
from laconic.exceptions import NoConsistentConcept
from laconic.rules import Conjunction, Disjunction

MOST_RULES = 100_000  # that elimination may leave and that are then held, with their literals: about 50 MB
MOST_BYTES = 2**27  # for their answers on all rows


class NormalFormClassifier(CoveringMachine):
    r"""A Boolean formula in normal form that agrees with every row, as short as greed can make it.

    Learning in the consistency model: of all clauses (for "dnf": terms) of at most k literals, those that turn a row of
    the positive class away (terms: that let in a row of the other) are thrown out, since no consistent formula can have
    them. If what is left agrees with every row it is a consistent concept, and if not there is none, which is said with
    a witness. Of what is left a greedy cover then keeps a few,

    .. math:: V = |Q| - p \cdot |R|,

    each the one that turns away the most rows Q of the other class that are still there.

    Parameters
    ----------
    form : {"cnf", "dnf"}, default="cnf"
        A conjunction of clauses, or a disjunction of terms.
    k : int, default=1
        The largest number of literals in a clause or term. With 1 the formula is a conjunction or a disjunction.
    monotone : bool, default=False
        Whether to leave out negations.
    minimize : bool, default=True
        Whether to keep few rules by a greedy cover (at most ln m + 1 times as many as the shortest formula). False
        keeps everything that elimination leaves: of all consistent formulas the one that says yes the least often (for
        "dnf": the most often).
    penalty : float, default=inf
        What a row of P that is turned away costs, in rows of N: the p above. ``inf`` never allows it.
    max_rules : int or None, default=None
        Stop after this many rules, even if some rows are still wrong. None: no limit. Equal rows of different classes
        are refused all the same where the penalty is infinite.
    binarize : float or None, default=None
        Read a column of numbers as whether it is above this. None takes columns of 0 and 1, Booleans and categories.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, times the weights of the rows.
    delta : float, default=0.05
        The probability with which the certificate may fail.
    promises : None, names or Promises, default=None
        What else is to be promised at the same time: "classes", "rules", "costs", or a `laconic.Promises`. The error
        then has half of delta. Choose it, too, before you look at the data.

    Attributes
    ----------
    hypothesis_ : Conjunction or Disjunction
        The formula, as its message orders it.
    rules_ : tuple of Rule
        Its clauses or terms, in greedy order.
    certificate_ : Certificate
        The bound on its error.
    path_ : tuple of laconic.covering.Step
        How the model was found, step by step: for each rule what it gained.
    classes_ : ndarray
        The two classes; the second is the positive one.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        Their names, if they had any.

    Raises
    ------
    NoConsistentConcept
        With an infinite penalty, where no formula of the class agrees with every row. Its ``rows`` prove it: rows that
        are equal but differ in class, or rows that every rule that could be kept gets wrong.

    Notes
    -----
    For N literals, O(N^k·m/64) once, and O(m/64) for each rule that elimination left in each greedy step. The literals
    take N·m/8 bytes (with k = 1 a column of categories takes 8·m, however many it has), and what elimination left up to
    200 MB; where 100,000 rules or 128 MiB are not enough each greedy step runs through all combinations again (and
    ``minimize=False`` refuses). More than 100 million combinations are refused, with the count.

    The certificate is theorem 1 of the lecture where no row is wrong, and the binomial tail otherwise. A formula's
    prior is the mean of two: equal shares for all functions of the class, and one by length, for short formulas.
    Categories are named by examples; where the type of a column allows them, the certificate is one of sample
    compression, by length alone. So it is where ``promises`` ask for single lines, which a function does not determine.
    It is void if anything was fitted on the same rows before, or if rows are not independent.

    References
    ----------
    L. G. Valiant, *A Theory of the Learnable*, CACM 1984. D. Haussler, *Quantifying Inductive Bias*, Artificial
    Intelligence 1988. M.-F. Balcan, *8803 Machine Learning Theory*, lecture 2, 2010.

    Examples
    --------
    >>> from laconic import NormalFormClassifier
    >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 1], [1, 1, 0]]
    >>> model = NormalFormClassifier(k=2).fit(X, [False, True, True, False, False])
    >>> [str(rule) for rule in model.rules_]
    ['(x0 is false or x1 is false)', '(x0 is true or x1 is true)']
    >>> NormalFormClassifier(k=1).fit(X, [False, True, True, False, False])
    Traceback (most recent call last):
    laconic.exceptions.NoConsistentConcept: No conjunction agrees with every row: rows 0, 3, 4 (of class False, counted
    from 0) satisfy every literal that all rows of class True satisfy. Try a larger k, or set a finite penalty.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "form": [StrOptions({"cnf", "dnf"})],
        "k": [Interval(Integral, 1, None, closed="left")],
        "monotone": ["boolean"],
        "minimize": ["boolean"],
        "penalty": [Interval(Real, 0, None, closed="both")],
        "binarize": [Interval(Real, None, None, closed="neither"), None],
        **SHARED_CONSTRAINTS,
    }

    def __init__(
        self,
        form: Literal["cnf", "dnf"] = "cnf",
        k: int = 1,
        *,
        monotone: bool = False,
        minimize: bool = True,
        penalty: float = np.inf,
        max_rules: int | None = None,
        binarize: float | None = None,
        class_weight: Any = None,
        delta: float = 0.05,
        promises: Any = None,
    ) -> None:
        self.form = form
        self.k = k
        self.monotone = monotone
        self.minimize = minimize
        self.penalty = penalty
        self.max_rules = max_rules
        self.binarize = binarize
        self.class_weight = class_weight
        self.delta = delta
        self.promises = promises

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NormalFormClassifier:
        """Find the formula and certify it.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            The table: 0 and 1, Booleans or categories, unless `binarize` is set. A missing value satisfies nothing.
        y : array of shape (n_samples,)
            Labels of two classes.
        sample_weight : array of shape (n_samples,), default=None
            How much each row counts in the choice of rules; a row of weight zero need not be right. The certificate
            does not use it.

        Returns
        -------
        self
            The fitted model.
        """
        sample, training = self._read_sample(X, y, sample_weight)
        strict = bool(np.isinf(self.penalty))
        if not self.minimize and not (strict and self.max_rules is None):
            raise ValueError("minimize=False keeps all that elimination leaves: it needs penalty=inf, max_rules=None.")
        (family,) = self._families()
        columns = columns_of((family,), sample.table, self._names())[0]
        if strict:
            refuse_contradictions(sample.table, sample.positive, sample.rows)
        form: Literal["conjunction", "disjunction"] = "conjunction" if self.form == "cnf" else "disjunction"
        problem = sample.pose(self.penalty, form)
        solution = self._solve(problem, family.blocks(sample, columns, 1), strict)
        if strict and (self.max_rules is None or len(solution.steps) < self.max_rules):
            self._refuse_uncovered(problem, solution, training.classes)
        sealed = self._seal(solution, problem, family)
        return self._finish(training, sealed, solution.rules, solution.decided, solution.steps)

    def _solve(self, problem: Problem, blocks: Sequence[Block], strict: bool) -> Solution:
        """Eliminate, then cover; where too many rules are left to hold their answers, search all combinations."""
        held = MOST_BYTES // (8 * -(-problem.table.n_rows // 64))
        left = eliminate(problem, blocks, min(held, MOST_RULES) if self.minimize else MOST_RULES) if strict else None
        if self.minimize:
            searched = blocks if left is None else left.blocks()
            return cover(problem, [(0, block) for block in searched], self.max_rules)
        if left is None:
            raise ValueError(
                f"Elimination leaves more than {MOST_RULES:,} rules of up to {self.k} literals, too many to keep. "
                "Set minimize=True for a few of them that decide the rows just as well, or lower k."
            )
        return keep_all(problem, left.rules)

    def _refuse_uncovered(self, problem: Problem, solution: Solution, classes: NDArray[Any]) -> None:
        """Raise if some N-row is turned away by no rule that spares all of P."""
        left = np.flatnonzero((solution.decided == len(solution.steps)) & ~problem.in_p & (problem.weights > 0))
        if len(left) == 0:
            return
        size = "" if self.k == 1 else f" of at most {self.k} literals"
        what = {("cnf", True): "conjunction", ("dnf", True): "disjunction"}.get(
            (self.form, self.k == 1), f"{self.k}-{self.form.upper()}"
        )
        part = "literal" if self.k == 1 else "clause" if self.form == "cnf" else "term"
        one = len(left) == 1
        does, other = ("satisf" + ("ies" if one else "y"), "all") if self.form == "cnf" else ("fail" + "s" * one, "no")
        n_class, p_class = (classes[0], classes[1])[:: -1 if problem.any_holds else 1]
        raise NoConsistentConcept(
            f"No {'monotone ' if self.monotone else ''}{what} agrees with every row: row{'s' * (not one)} "
            f"{some_of(left)} (of class {n_class}, counted from 0) {does} every {part}{size} that {other} rows of "
            f"class {p_class} satisfy. Try a larger k, or set a finite penalty.",
            rows=left.tolist(),
        )

    def _seal(self, solution: Solution, problem: Problem, family: Family) -> Sealed:
        """Send the formula, rebuild it, and certify what came out."""
        encoding = encode(solution, problem, (family,), self.delta)
        table = problem.table
        if not self._sends_formula(table):
            class_nats = self._class_nats(encoding.message, family, table.n_columns)
            encoding = replace(encoding, nats=either_nats(encoding.nats, class_nats, COUNTS_FUNCTIONS))
        return seal(reconstruct, encoding, table, problem.positive, self.delta, examples=may_need_examples(table))

    def _sends_formula(self, table: Table) -> bool:
        """Decide from types and parameters alone whether a formula is sent by its length, and by that code alone.

        The other code counts functions: it has no name for categories, which a column of any type may turn out to hold,
        and says nothing of the lines, since formulas of one function decide rows by different lines.
        """
        wanted = self._wanted()
        return may_need_examples(table) or (wanted is not None and "rules" in wanted.kinds)

    def _class_nats(self, message: CoverMessage, family: Family, n_columns: int) -> float:
        """Return what a formula costs if all of the class, and the two constants, are equally likely."""
        ln_class = ln_normal_forms(n_columns, int(self.k), monotone=self.monotone, missing=True, form=self.form)
        return float(np.logaddexp(ln_class, np.log(2))) + float(family.shared_nats(message.templates))

    def _candidates(self) -> Candidates:
        if self.k == 1:
            return one_candidate(Literals(negated=not self.monotone, binarize=self.binarize))
        return one_candidate(Clauses(int(self.k), negated=not self.monotone, binarize=self.binarize))


register(
    Learner(
        NormalFormClassifier,
        Covered,
        (Conjunction, Disjunction),
        name="normal-form",
        reads="flags",
        compared_with={"penalty": 3.0, "max_rules": 5},
    )
)
