"""A linear classifier in few digits instead of the rows on its margins: see `laconic._digits`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from laconic._rounding import MOST_DIGITS, Rounding, most_wrong
from laconic._table import Floats, Integers
from laconic.certificates import Encoding
from laconic.minimal._scheme import Problem
from laconic.minimal._values import class_codes
from laconic.rules import LinearModel


def in_few_digits(hypothesis: Any, problem: Problem, delta: float, *, hard: bool = False) -> Encoding:
    """Round a linear classifier for the smallest bound; if all roundings err too much, with digits that change nothing.

    Parameters
    ----------
    hypothesis : LinearModel or Highest
        The machine.
    problem : Problem
        What it was made from.
    delta : float
        The probability with which the promise may fail.
    hard : bool
        Whether not one more row may be wrong.
    """
    wide, table, codes = problem.wide, problem.table, problem.answers
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
        lambda message, _: wide.price(message),
        delta,
        compared=len(models) > 1,
    )
    n_wrong = int((class_codes(hypothesis, wide.table) != codes).sum())
    found = rounding.search(n_wrong if hard else most_wrong(n_wrong))
    best = found[0] if found else rounding.plain(MOST_DIGITS)
    values = [LinearModel(*terms).evaluate(table) for terms in best.message.whole_terms()]
    return wide.in_digits(best.message, codes, costs((), np.array(values)) > 0)
