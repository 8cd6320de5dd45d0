"""From terms to short sums: term after term, each the one that takes the most off the squares of what is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from laconic._table import Floats
from laconic.auto._regressor_terms import Dictionary
from laconic.rules import Product, TermSum

_ALIKE = 1e-6  # of a term's variance: less than this beside those chosen, and it says nothing new
_NOTHING = 1e-9  # of the targets' variance
DIGITS = 4  # of a weight


@dataclass(frozen=True, eq=False)
class Block:
    """Columns that may be chosen: standardised, and how much of each is not yet said by those that were.

    Parameters
    ----------
    columns : ndarray of shape (n_rows, n_terms)
        Mean 0, and squares that sum to the number of rows; 0 for a term that is constant.
    left : ndarray
        The squares of what is left of each.
    names : list of tuple of int
        The places of its factors in the dictionary.
    """

    columns: Floats
    left: Floats
    names: list[tuple[int, ...]]

    @classmethod
    def of(cls, values: Floats, names: list[tuple[int, ...]], chosen: Sequence[Floats]) -> Block:
        """Standardise columns."""
        with np.errstate(all="ignore"):
            centered = values - values.mean(axis=0)
            spread = np.sqrt((centered**2).mean(axis=0))
            fine = np.isfinite(spread) & (spread > 1e-12 * np.abs(values).max(axis=0, initial=0.0))
            columns = np.where(fine, centered / np.where(fine, spread, 1.0), 0.0)
        left = (columns**2).sum(axis=0)
        for direction in chosen:
            left -= (direction @ columns) ** 2
        return cls(columns, left, names)


def greedy_path(
    dictionary: Dictionary, rows: Any, targets: Floats, max_words: int
) -> list[tuple[tuple[int, ...], ...]]:
    """Choose terms one after the other (orthogonal least squares).

    Parameters
    ----------
    dictionary : Dictionary
        The terms.
    rows : ndarray or slice
        The rows to look at.
    targets : ndarray of float
        Their targets.
    max_words : int
        How long the sum may become.

    Returns
    -------
    list of tuple
        For every number of words, from none to the most, the terms: each the places of its factors.
    """
    values, words = dictionary.values[rows], [term.n_words for term in dictionary.terms]
    n_rows = len(values)
    # 1. what is left of the targets, and of each term
    rest = targets - targets.mean()
    enough = _NOTHING * float(rest @ rest)
    directions: list[Floats] = []
    blocks = [Block.of(values, [(place,) for place in range(values.shape[1])], directions)]
    chosen: list[tuple[int, ...]] = []
    stages: list[tuple[tuple[int, ...], ...]] = [()]
    used = 0
    while used < max_words:
        # 2. the term that takes the most off, of those that are short enough
        best: tuple[float, Block, int] | None = None
        for block in blocks:
            if not block.names or used + sum(words[place] for place in block.names[0]) > max_words:
                continue
            fresh = block.left > _ALIKE * n_rows
            gains = np.where(fresh, (rest @ block.columns) ** 2 / np.where(fresh, block.left, 1.0), 0.0)
            place = int(np.argmax(gains))
            if gains[place] > max(enough, 0.0 if best is None else best[0]):
                best = float(gains[place]), block, place
        if best is None:
            break
        # 3. what is new in it; all else without that
        _, block, place = best
        direction = block.columns[:, place].copy()
        for _ in range(2):  # twice is enough
            for before in directions:
                direction -= (before @ direction) * before
        direction /= np.sqrt(direction @ direction)
        rest = rest - (direction @ rest) * direction
        directions.append(direction)
        for each in blocks:
            each.left[:] -= (direction @ each.columns) ** 2
        name = block.names[place]
        chosen.append(name)
        used += sum(words[each] for each in name)
        stages += [stages[-1]] * (used - len(stages)) + [tuple(chosen)]
        # 4. its products with all terms may be chosen from now on
        if dictionary.products and len(name) == 1 and used + 2 <= max_words:
            with np.errstate(over="ignore", invalid="ignore"):  # a block leaves out what is not finite
                products = values * values[:, name]
            blocks.append(Block.of(products, [(*name, other) for other in range(len(words))], directions))
    return stages + [stages[-1]] * (max_words + 1 - len(stages))


def term_of(dictionary: Dictionary, name: tuple[int, ...]) -> Any:
    """Return the term with these factors."""
    factors = tuple(dictionary.terms[place] for place in name)
    return factors[0] if len(factors) == 1 else Product(factors)


def columns_of(dictionary: Dictionary, names: Sequence[tuple[int, ...]]) -> Floats:
    """Return the values of some terms on the dictionary's rows."""
    with np.errstate(over="ignore", invalid="ignore"):
        made = [np.multiply.reduce(dictionary.values[:, list(name)], axis=1) for name in names]
    return np.array(made).reshape(len(names), len(dictionary.values)).T


def least_squares(columns: Floats, targets: Floats, unit: int = 0) -> tuple[Floats, float]:
    """Return the weights, of a few digits once multiplied by the unit, and the constant that then suits best."""
    if columns.shape[1] == 0:
        return np.empty(0), float(targets.mean())
    with np.errstate(over="ignore", invalid="ignore"):
        centered = columns - columns.mean(axis=0)
        spread = np.sqrt((centered**2).mean(axis=0))
        usable = np.isfinite(spread) & (spread > 0)  # as for the rows that chose; other rows may be far away
        scaled = np.where(usable, centered / np.where(usable, spread, 1.0), 0.0)
        weights = np.linalg.lstsq(scaled, targets - targets.mean(), rcond=1e-10)[0]
        weights = np.ldexp(np.where(usable, weights / np.where(usable, spread, 1.0), 0.0), unit)
        weights = np.ldexp(rounded(np.where(np.isfinite(weights), weights, 0.0)), -unit)
        bias = float((targets - columns @ weights).mean())
    return weights, bias if np.isfinite(bias) else float(targets.mean())


def rounded(weights: Floats) -> Floats:
    """Round numbers to a few digits.

    Examples
    --------
    >>> rounded(np.array([0.123456, -98765.4321])).tolist()
    [0.1235, -98770.0]
    """
    return np.array([float(f"{weight:.{DIGITS - 1}e}") for weight in weights], dtype=np.float64)


def within(answers: Floats, targets: Floats) -> Floats:
    """Keep answers within the range of the targets."""
    return np.clip(np.nan_to_num(answers, nan=float(targets.mean())), targets.min(), targets.max())


def sum_of(terms: Sequence[Any], weights: Floats, bias: float, targets: Floats, unit: int) -> TermSum:
    """Make the sum, which answers within the range of the targets; terms of weight zero are left out.

    Weights, constant and targets are in units of two to the power of `unit`.
    """
    with np.errstate(over="ignore"):
        weights, constant = np.ldexp(weights, unit), float(np.ldexp(bias, unit))
    kept = [(term, float(weight)) for term, weight in zip(terms, weights, strict=True) if 0 < abs(weight) < np.inf]
    low, high = (float(np.ldexp(end, unit)) for end in (targets.min(), targets.max()))
    return TermSum(tuple(term for term, _ in kept), tuple(weight for _, weight in kept), constant, low, high)
