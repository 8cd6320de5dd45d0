"""Rows set apart: what can be promised of a model that was chosen in any way at all on the other rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from sklearn.utils import check_random_state

from laconic._kept import Count, typed
from laconic._table import Booleans, Table, kinds_shown
from laconic._words import are, counted

from ._bounds import occam_bound
from ._codes import kinds_nats, left_out_nats
from ._prices import Message, Nats, bill
from ._statements import Sending


@typed
@dataclass(frozen=True, slots=True)
class SetApart(Sending):
    r"""The binomial tail over rows that were set apart, for a model that the other rows chose: a hold-out.

    .. math:: \overline{\mathrm{Bin}}\left(k, n, \delta e^{-\mathrm{nats}}\right)

    The rows were split without a look at their values (`rows_apart`). Given the rows of the first part, whatever was
    made of these alone is fixed: models, settings, scales, and for every message μ the model h(μ) that μ finishes. The
    n rows set apart are independent of all that, so the errors of each h(μ) on them are binomial, and its bound fails
    with a probability of at most δ·exp(−nats(μ)). The code is prefix-free and was fixed beforehand, so that these sum
    to at most δ, and the bound holds for all h(μ) at once, also for the one that the rows set apart chose. Averaged
    over the first part, it fails with a probability of at most δ. Void if anything that decides h(μ) looked at a row
    set apart and is not in the message: a scale, a choice of columns, weights that balance the classes of all rows.

    Parameters
    ----------
    n_samples : int
        The number of rows set apart (n).
    errors_outside : int
        Errors on them (k).
    n_fitted : int
        The number of the other rows, on which all may be chosen freely; the bound does not depend on it.
    message_nats : float
        What the rows set apart chose, or what share of delta this statement has; 0 for a plain hold-out.
    message : tuple of Item
        The items of the message, where they are known; they follow from a price that has them.

    Examples
    --------
    >>> round(SetApart(342, 12, 341).bound(0.05), 3)
    0.056
    """

    n_samples: Count
    errors_outside: Count
    n_fitted: Count
    message_nats: float = 0.0
    message: Message = field(default=(), compare=False)

    method: ClassVar[str] = "rows set apart (a hold-out), binomial tail"
    size: ClassVar[int] = 0
    held_out: ClassVar[bool] = True

    def bound(self, delta: float) -> float:
        """Bound the risk, with probability at least 1 − delta."""
        return occam_bound(self.n_samples, self.message_nats, self.errors_outside, delta)

    def paid(self) -> Iterator[tuple[str, float]]:
        """List what was paid, in nats, beside delta."""
        if self.message_nats:
            yield from bill(self, "the message: what the rows set apart chose, or its share of delta")

    def counted(self) -> str:
        """Return what was seen on the rows set apart."""
        rows, errors = counted(self.n_samples, "row"), self.errors_outside
        return (
            f"{errors} of the {rows} set apart {are(errors)} wrong; "
            f"the model was chosen on the other {self.n_fitted}, and no other row decides what it is"
        )

    def made_from(self) -> str:
        """Return what the model was made from."""
        return f"the model was chosen on the other {counted(self.n_fitted, 'row')}"

    def held_out_errors(self) -> tuple[int, int]:
        """Return how many of the held-out rows are wrong, and how many there are."""
        return self.errors_outside, self.n_samples

    def improvements(self) -> Iterator[tuple[str, SetApart]]:
        """List what would make the bound smaller, as the statement that it would then be."""
        twice = replace(self, n_samples=2 * self.n_samples, errors_outside=2 * self.errors_outside)
        yield f"twice the rows set apart ({twice.n_samples}), with the same share of errors", twice
        if self.errors_outside:
            fewer = self.errors_outside // 2
            yield f"half the errors ({fewer})", replace(self, errors_outside=fewer)
        if self.message_nats:
            yield "all of delta, and nothing for these rows to choose", replace(self, message_nats=0.0, message=())


def rows_apart(n_rows: int, share: float = 0.5, random_state: int | np.random.RandomState | None = 0) -> Booleans:
    """Draw the rows that are set apart: by their number alone, without a look at values, classes or weights.

    Parameters
    ----------
    n_rows : int
        How many rows there are.
    share : float
        Which share of them is set apart, more than 0 and less than 1; rounded down, and at least one row stays on each
        side if there are two.
    random_state : int, RandomState instance or None, default=0
        Draws them; chosen before the data is seen. Only a whole number draws the same rows again.

    Returns
    -------
    ndarray of bool
        True for the rows set apart.

    Examples
    --------
    >>> rows_apart(10).sum()
    np.int64(5)
    """
    if not 0 < share < 1:
        raise ValueError(f"The share of the rows that are set apart must lie between 0 and 1; found {share!r}.")
    if n_rows < 2:
        raise ValueError(f"At least two rows are needed to set some apart; found {n_rows}.")
    n_apart = min(max(math.floor(share * n_rows), 1), n_rows - 1)
    apart = np.zeros(n_rows, dtype=bool)
    apart[check_random_state(random_state).permutation(n_rows)[:n_apart]] = True
    return apart


def reading_nats(table: Table, apart: Booleans) -> Nats:
    """Return what it costs that all rows showed what columns hold whose type does not say it.

    A model that the other rows made reads a column as a number, a flag or a category, and the rows set apart had a say
    in that. As a rule the others alone would have shown the same, and for that are nine tenths of the prior; else the
    columns that they show otherwise are named, and said to hold numbers, flags or categories.

    Parameters
    ----------
    table : Table
        All rows.
    apart : ndarray of bool
        Which of them are set apart.

    Returns
    -------
    Nats
        The price; nothing where types declare every column.
    """
    if not table.undeclared:
        return Nats()
    n_other = sum(one != other for one, other in zip(kinds_shown(table, ~apart), table.kinds, strict=True))
    paid = left_out_nats(table.n_columns, n_other) + kinds_nats(n_other)
    return paid.called("which columns the rows set apart show otherwise")
