"""A linear classifier in few digits instead of the rows on its margins: see `laconic._digits`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from laconic._distances import as_columns, weighted_sums
from laconic._progress import heed
from laconic._rounding import MOST_DIGITS, Rounding, most_wrong
from laconic._table import Floats, Integers
from laconic.certificates import Encoding, occam_bound
from laconic.minimal._scheme import Problem
from laconic.minimal._thinning import thinner
from laconic.minimal._values import class_codes
from laconic.rules import LinearModel

_PATIENCE = 2  # so many steps may have no smaller bound


def in_few_digits(
    hypothesis: Any, problem: Problem, delta: float, *, hard: bool = False, thin: bool = False
) -> Encoding:
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
    thin : bool
        Whether sums of ever fewer columns are rounded, too, until two in turn had no smaller bound.
    """
    wide, table, codes = problem.wide, problem.table, problem.answers
    models = getattr(hypothesis, "models", (hypothesis,))
    X = table.matrix()

    def costs(places: Sequence[int], values: Floats) -> Integers:
        del places
        found = np.argmax(values, axis=0) if len(models) > 1 else values[0] > 0
        return (found != codes).astype(np.int64)

    def rounding(weights: Floats, constants: Floats) -> Rounding:
        price = lambda message, _: wide.price(message)  # noqa: E731
        return Rounding(weights, constants, X, costs, price, delta, compared=len(models) > 1)

    n_wrong = int((class_codes(hypothesis, wide.table) != codes).sum())
    most = n_wrong if hard else most_wrong(n_wrong)
    plain = rounding(np.array([model.weights for model in models]), np.array([model.bias for model in models]))
    best, bound, worse = None, math.inf, 0
    given = plain.weights, plain.constants
    for weights, constants in _thinned(*given, X) if thin else [given]:
        heed()
        for one in rounding(weights, constants).search(most)[:1]:
            tried = occam_bound(len(X), one.nats, one.cost, delta)
            if tried < bound:
                best, bound, worse = one, tried, -1
        worse += 1
        if best and worse > _PATIENCE:
            break
    taken = best or plain.plain(MOST_DIGITS)
    values = [LinearModel(*terms).evaluate(table) for terms in taken.message.whole_terms()]
    return wide.in_digits(taken.message, codes, costs((), np.array(values)) > 0)


def _thinned(weights: Floats, constants: Floats, X: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Yield weights and constants of the machine itself, and of those of ever fewer columns that come nearest to it."""
    columns = as_columns(X)
    values = [weighted_sums(columns, *one) for one in zip(weights, constants.tolist(), strict=True)]
    yield weights, constants
    paths = [thinner(one, X, value)[1:] for one, value in zip(weights, values, strict=True)]
    for fewer in zip(*paths, strict=False):
        means = [np.mean(value - weighted_sums(columns, one, 0.0)) for one, value in zip(fewer, values, strict=True)]
        yield np.array(fewer), np.array(means)
