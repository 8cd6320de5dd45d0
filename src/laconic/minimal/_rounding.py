"""A linear classifier in few digits instead of the rows on its margins: see `laconic._digits`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from laconic._rounding import MOST_DIGITS, Candidate, Rounding, most_wrong
from laconic._table import Floats, Integers, Table
from laconic.certificates import Encoding, Examples
from laconic.minimal._values import class_codes


def in_few_digits(
    hypothesis: Any, table: Table, codes: Integers, delta: float, *, hard: bool = False
) -> Iterator[Encoding]:
    """Round a linear machine, the smallest bound first; last, with digits that change next to nothing.

    Parameters
    ----------
    hypothesis : LinearModel or Highest
        The machine.
    table : Table
        The rows.
    codes : ndarray of int64
        Their classes.
    delta : float
        The probability with which the promise may fail.
    hard : bool
        Whether not one more row may be wrong.
    """
    models = getattr(hypothesis, "models", (hypothesis,))

    def costs(places: Sequence[int], values: Floats) -> Integers:
        del places
        found = np.argmax(values, axis=0) if len(models) > 1 else values[0] > 0
        return (found != codes).astype(np.int64)

    rounding = Rounding(
        np.array([model.weights for model in models]),
        np.array([model.bias for model in models]),
        table.matrix(),
        costs,
        lambda message, _: message.nats,
        delta,
        compared=len(models) > 1,
    )
    n_wrong = int((class_codes(hypothesis, table) != codes).sum())
    rows = np.empty(0, dtype=np.int64)
    examples = Examples.chosen(table, codes, rows)
    found: list[Candidate] = [*rounding.search(n_wrong if hard else most_wrong(n_wrong)), rounding.plain(MOST_DIGITS)]
    return (Encoding(rows, examples, one.message, one.nats) for one in found)
