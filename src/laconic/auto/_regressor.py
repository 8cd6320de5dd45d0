"""The regressor that chooses its machine, and the band around it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from textwrap import fill
from typing import Any, ClassVar, Literal

import numpy as np

from laconic._card import CardEntry
from laconic._kept import Text
from laconic._learners import Learner, State, register, require
from laconic._sklearn_compat import Interval, StrOptions
from laconic._sums import SumRegressor
from laconic._table import Booleans, Floats, Table
from laconic._validation import RandomStateLike
from laconic.auto._choosing import Candidate
from laconic.auto._regressor_search import FAMILIES, Found, search
from laconic.certificates import (
    BAND_ASSUMPTIONS,
    HELD_OUT_DRAWN,
    Nats,
    Residuals,
    SetApart,
    choice_nats,
    reading_nats,
    rows_apart,
)
from laconic.rules import TermSum, number_text

LEAST_ROWS = 4
MOST_WORDS = 50  # that are ever tried
_SHARE, _MOST_APART = 1 / 3, 2000
_ENOUGH = 1.6  # times as many rows as promise the wanted coverage if none is beyond the band


class LaconicRegressor(SumRegressor):
    r"""A sum of few terms that suits a table, chosen from several kinds, with a band that holds as often as promised.

    A third of the rows is set apart by a draw that looks at nothing but their number. On the others short sums of
    several kinds are tried over five folds that all share: lines, steps, bends (hinges), products of two of these, and
    bumps around rows, each found term by term by least squares at every length up to `max_words`; and the minimal
    complexity machine on few columns. Of those within one standard error of the least squared error (of the
    difference, row by row) the shortest is taken. The rows set apart then make the band prediction ± τ, as narrow as
    the wanted coverage allows.

    Parameters
    ----------
    max_words : int, default=10
        The longest sum; more than 50 are as 50. A line, a bend, a step, a flag, a category or a bump is one word, a
        product those of its parts.
    select : {"cv", "bound"}, default="cv"
        What decides: the error over folds, or the narrowest band, for which each candidate has an equal share of delta.
    coverage : float, default=0.9
        The share of new targets that the band should hold. Choose it before you look at the data.
    delta : float, default=0.05
        The certificate may fail with this probability. Choose it before you look at the data.
    random_state : int, RandomState instance or None, default=0
        Draws the rows that are set apart, and the folds. Choose it before you look at the data.

    Attributes
    ----------
    hypothesis_ : TermSum
        The sum.
    machine_ : str
        Which kind of sum it is.
    candidates_ : tuple of laconic.auto.Candidate
        All that was tried, or could not be: kind, error over the folds and its standard error, words, seconds, and why
        it was not taken.
    why_ : str
        One sentence: what was tried, and why this one.
    tolerance_ : float
        τ, half the width of the band.
    certificate_ : Certificate
        The bound on the chance that a new target is further than τ from the prediction; it says first if the wanted
        coverage cannot be promised.
    apart_ : ndarray of int
        The rows that were set apart, and make the band.
    random_state_ : int
        The whole number that drew: `random_state` itself, or one drawn from it. The model file has it.

    Notes
    -----
    Given the rows that choose, every sum is fixed before a row set apart is looked at, so that choosing among them by
    folds costs nothing; τ is the residual of one row set apart and costs nothing either
    (`laconic.certificates.Residuals` has the proof). The promise is marginal: over new rows, not for each x. It is void
    if rows are not independent, or if you fit with several values of `random_state` and keep the best.

    Frames may hold numbers, flags and categories. A category is a term if five rows that choose have it. A missing
    number counts as the median of its column among the rows that choose, and a missing flag or category satisfies no
    condition. Answers stay within the range of the targets that were seen.

    O(max_words · n · t) time for n rows that choose and t terms, at most 4 million values of terms at once: with more
    rows or columns there are fewer knots.

    Examples
    --------
    >>> from laconic import LaconicRegressor
    >>> from laconic.datasets import load_boston_housing
    >>> X, y = load_boston_housing(return_X_y=True)
    >>> model = LaconicRegressor(max_words=4).fit(X, y)
    >>> model.hypothesis_.n_words <= 4, model.certificate_.risk_bound <= 0.1
    (True, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_words": [Interval(Integral, 1, None, closed="left")],
        "select": [StrOptions({"cv", "bound"})],
        "coverage": [Interval(Real, 0, 1, closed="neither")],
        "delta": [Interval(Real, 0, 1, closed="right")],
        "random_state": ["random_state"],
    }

    _families: ClassVar[tuple[str, ...]] = FAMILIES
    hypothesis_: TermSum
    machine_: str
    candidates_: tuple[Candidate, ...]

    def __init__(
        self,
        max_words: int = 10,
        *,
        select: Literal["cv", "bound"] = "cv",
        coverage: float = 0.9,
        delta: float = 0.05,
        random_state: RandomStateLike = 0,
    ) -> None:
        self.max_words = max_words
        self.select = select
        self.coverage = coverage
        self.delta = delta
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> LaconicRegressor:
        """Choose a sum on some rows, and its band on those set apart.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The table: numbers, flags and categories, with or without missing values.
        y : array of shape (n_samples,)
            The targets.

        Returns
        -------
        self
            The fitted model.
        """
        training = self._read_training(X, y)
        self._draw_seed()
        table, targets = training.table, training.answers
        if table.n_rows < LEAST_ROWS:
            raise ValueError(
                f"Found {table.n_rows} sample(s); at least {LEAST_ROWS} rows are needed: some are set apart."
            )
        apart = self.set_apart(table.n_rows)
        found = search(table.take(~apart), targets[~apart], *self._settings())
        taken, why = found.chosen, "longer, or a larger error over the folds"
        hypothesis, nats = found.tried[taken].make(), reading_nats(table, apart)
        if self.select == "bound":
            taken, hypothesis, why = self._narrowest(found, table, targets, apart)
            nats += self._choice_nats()
        self.hypothesis_ = hypothesis
        self.machine_ = found.tried[taken].name
        self.candidates_, self.why_ = found.candidates(taken, why), self._why(found, taken)
        self._kinds, self._seen = table.kinds, training.categories(hypothesis.columns_used)
        self._residuals = self._measured(hypothesis, table, targets, apart, nats)
        certificate, self.tolerance_ = self._residuals.narrowest()
        self.certificate_ = certificate.assuming(*training.assumed)
        return self

    def _settings(self) -> tuple[int, int, tuple[str, ...]]:
        return min(int(self.max_words), MOST_WORDS), self._seed(), self._families

    def set_apart(self, n_rows: int) -> Booleans:
        """Return which rows are set apart: a draw that looks at nothing but their number.

        Parameters
        ----------
        n_rows : int
            How many rows there are.

        Returns
        -------
        ndarray of bool
            True for those that make the band, and do not choose: a third, and no more than 2,000; but up to a half
            where the wanted coverage needs more.
        """
        needed = math.ceil(_ENOUGH * math.log(self.delta) / math.log(self.coverage)) / n_rows
        share = max(min(_SHARE, _MOST_APART / n_rows), min(needed, 0.5))
        return rows_apart(n_rows, share, self._seed())

    def _measured(self, hypothesis: TermSum, table: Table, targets: Floats, apart: Booleans, nats: float) -> Residuals:
        with np.errstate(over="ignore"):
            distances = np.abs(hypothesis.evaluate(table) - targets)
        statement = SetApart(int(apart.sum()), 0, int((~apart).sum()), nats)
        assumptions = (*BAND_ASSUMPTIONS, HELD_OUT_DRAWN)
        return Residuals(distances, apart, statement, self.delta, self.coverage, assumptions)

    def _choice_nats(self) -> Nats:
        """Return what it costs that the rows set apart chose: of every kind and length there was one."""
        n_sums = len(self._families) * min(int(self.max_words), MOST_WORDS) + 1
        return choice_nats(n_sums).called("which of the sums it is")

    def _narrowest(self, found: Found, table: Table, targets: Floats, apart: Booleans) -> tuple[int, TermSum, str]:
        """Take the sum with the narrowest band, the shortest of equals."""
        best: tuple[tuple[float, int, int], int, TermSum] | None = None
        for place, each in enumerate(found.tried):
            hypothesis = each.make()
            _, tolerance = self._measured(hypothesis, table, targets, apart, self._choice_nats()).narrowest()
            rank = (tolerance, hypothesis.n_words, place)
            if best is None or rank < best[0]:
                best = rank, place, hypothesis
        assert best is not None
        return best[1], best[2], "a wider band"

    def _why(self, found: Found, taken: int) -> str:
        if self.select == "cv":
            return found.why(taken)
        n_kinds = len({each.name for each in found.tried})
        return (
            f"Of {len(found.tried)} short sums of {n_kinds} kinds this one ({found.tried[taken].name}) has the "
            "narrowest band; the choice is paid for."
        )

    def _allows(self) -> dict[str, Any]:
        return {"allow_nan": True, "accept_sparse": False}

    # ---- reading

    def _scores(self, table: Table) -> Floats:
        return self.hypothesis_.evaluate(table)[None, :]

    def _keys(self) -> tuple[str, ...]:
        return "column", "operator", "value", "parts"

    def _limits(self) -> str:
        low, high = (number_text(end, digits=4) for end in (self.hypothesis_.low, self.hypothesis_.high))
        return f" (not below {low}, not above {high})"

    def _card(self) -> str:
        return f"{super()._card()}\n\n{fill(self.why_, 76)}"

    def _card_entries(self) -> tuple[Sequence[str], Sequence[CardEntry]]:
        heading, entries = super()._card_entries()
        return heading, [*entries, CardEntry(self.why_, kind="note")]


@dataclass(frozen=True, eq=False)
class ChosenSum(State):
    """The band of a sum, and what the sum was chosen from."""

    tolerance: float
    machine: Text
    candidates: tuple[Candidate, ...]
    why: Text

    @classmethod
    def parts(cls, model: Any) -> dict[str, Any]:
        """Return band and table of candidates."""
        found = {name: getattr(model, f"{name}_") for name in ("tolerance", "machine", "why")}
        return found | {"candidates": tuple(each.untimed() for each in model.candidates_)}

    def attributes(self, model: Any) -> dict[str, Any]:
        """Return the same as fitted attributes."""
        del model
        return {f"{name}_": value for name, value in vars(self).items()}

    def check(self, n_columns: int, n_classes: int) -> None:
        """See that the band has a width."""
        del n_columns, n_classes
        require(0 <= self.tolerance < math.inf, f"Its band is {self.tolerance} wide.")


register(Learner(LaconicRegressor, ChosenSum, (TermSum,), name="auto", predicts="number"))
