"""One exact function for distances, and one for weighted sums, that fit and predict share.

Distances of all rows to one point, or their weighted sums, computed row by row in a fixed order: a row's number never
depends on which other rows are asked about, so a training row cannot change sides when it is predicted.

A weighted sum begins with the constant, and then the products are added in the order of the columns: one product and
one addition at a time, each rounded to a float64, without BLAS, fused steps or wider numbers. Every processor, and
every language that an export speaks, gives the same bits.

Both are finite for every finite row. Where a square or a sum passes the largest number on the way, the row is computed
again in units of its own largest term, a power of two; what is too large even then is the largest number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from scipy.spatial.distance import cdist

from laconic._compiling import njit
from laconic._table import Floats

Metric: TypeAlias = str | Callable[..., float]

_NATIVE = {"manhattan": 1, "l1": 1, "cityblock": 1, "euclidean": 2, "l2": 2, "chebyshev": 0, "infinity": 0}
HAIR = 2.0**-36  # how far, relatively, a radius keeps from the example that sets it
HAIR_FLOOR = 2.0**-60
ULPS = 4  # units in the last place: what libraries promise of exp, tanh and powers, and a little more
LARGEST = float(np.finfo(np.float64).max)


@njit(cache=True, nogil=True)
def _add_up(columns: Any, center: Any, power: int, out: Any) -> None:
    """Sum |x − c|, (x − c)² or take the largest |x − c|, column by column: the same order for every row."""
    out[:] = 0.0
    for j in range(columns.shape[0]):
        c = center[j]
        if power == 1:
            for i in range(columns.shape[1]):
                out[i] += abs(columns[j, i] - c)
        elif power == 2:
            for i in range(columns.shape[1]):
                out[i] += (columns[j, i] - c) * (columns[j, i] - c)
        else:
            for i in range(columns.shape[1]):
                out[i] = max(out[i], abs(columns[j, i] - c))
    if power == 2:
        for i in range(columns.shape[1]):
            out[i] = np.sqrt(out[i])


@njit(cache=True, nogil=True)
def _weigh(columns: Any, weights: Any, out: Any) -> None:
    """Add w·x to what is there, column by column: the same order for every row."""
    for j in range(columns.shape[0]):
        for i in range(columns.shape[1]):
            out[i] += columns[j, i] * weights[j]


def weighted_sums(columns: Floats, weights: Floats, bias: float) -> Floats:
    """Return bias + w·x for every row; the rows as `as_columns` gives them.

    Examples
    --------
    >>> weighted_sums(as_columns(np.array([[1.0, 2.0], [0.0, 4.0]])), np.array([3.0, -1.0]), bias=0.5)
    array([ 1.5, -3.5])
    """
    out, weights = np.full(columns.shape[1], bias, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    _weigh(columns, weights, out)
    far = np.flatnonzero(~np.isfinite(out))
    if len(far):
        out[far] = _far_sums(columns[:, far], weights, bias)
    return out


def rounding_of_sums(columns: Floats, weights: Sequence[float], bias: float, more_ulps: int = 0) -> Floats:
    """Bound how far two evaluations of bias + Σ w·k differ, whose k agree but for a few units in their last place.

    Library functions such as ``exp`` are off by `ULPS` of such units at the most, whichever processor or language
    computes them. Half a unit is added by each product and by each addition of the n terms. With u = 2⁻⁵³, and to first
    order, each of both evaluations is off by ``(2·ULPS + n + 1)·u·(|bias| + Σ|w·k|)``. What underflows has an absolute
    error instead, of `ULPS` of the smallest number.

    Parameters
    ----------
    columns : ndarray of shape (n_terms, n_samples)
        The k, as one of the two has them.
    weights, bias : sequence of float and float
        The sum's.
    more_ulps : int
        By how many units more the k may be off.

    Returns
    -------
    ndarray of shape (n_samples,)
        The bound for each row.

    Examples
    --------
    >>> bound = rounding_of_sums(np.array([[1.0], [1.0]]), (1e4, -1e4), bias=0.0)
    >>> bool(bound[0] < 1e-10)
    True
    """
    ulps = ULPS + more_ulps
    heights = np.abs(np.asarray(weights, dtype=np.float64))
    with np.errstate(over="ignore", invalid="ignore"):
        sizes = weighted_sums(np.abs(columns), heights, abs(bias))
        floor = ulps * np.nextafter(0.0, 1.0) * (1.0 + heights.sum())
        return (2 * ulps + len(heights) + 1) * 2.0**-52 * sizes + 2 * floor


def _far_sums(columns: Floats, weights: Floats, bias: float) -> Floats:
    """Return bias + w·x where that overflows on the way: each row in units of the power of two of its largest term."""
    factors, sizes = np.frexp(np.vstack([columns, np.ones(columns.shape[1])]))
    more, larger = np.frexp(np.append(weights, bias)[:, None])
    terms, exponents = factors * more, sizes + larger
    unit = np.where(terms == 0, np.iinfo(np.int32).min, exponents).max(axis=0)
    total = np.zeros(columns.shape[1])
    for each, exponent in zip(terms, exponents, strict=True):
        total += np.ldexp(each, np.maximum(exponent - unit, -2000))
    return times_power(total, unit)


def times_power(values: Any, exponents: Any) -> Floats:
    """Multiply by powers of two; what would pass the largest number stays at it.

    Examples
    --------
    >>> times_power(np.array([1.5, -1.5]), [1, 2000])
    array([ 3.00000000e+000, -1.79769313e+308])
    """
    with np.errstate(over="ignore"):
        return np.clip(np.ldexp(values, exponents), -LARGEST, LARGEST)


def as_columns(X: Floats, scale: tuple[int, ...] = ()) -> Floats:
    """Turn rows into contiguous columns, times powers of two if there is a scale."""
    columns = np.ascontiguousarray(X.T, dtype=np.float64)
    return times_power(columns, np.asarray(scale)[:, None]) if scale else columns


def distances_to(columns: Floats, center: Floats, metric: Metric) -> Floats:
    """Return the distance of every row to one point.

    Parameters
    ----------
    columns : ndarray of shape (n_features, n_samples)
        The rows, as `as_columns` gives them.
    center : ndarray of shape (n_features,)
        The point.
    metric : str or callable
        "euclidean", "manhattan", "chebyshev", any other name that scikit-learn's ``pairwise_distances`` takes, or a
        function of two rows.

    Returns
    -------
    ndarray of shape (n_samples,)
        The distances; the largest number where there is none (the direction of a row of zeros, for instance).

    Examples
    --------
    >>> distances_to(as_columns(np.array([[0.0, 0.0], [3.0, 4.0]])), np.zeros(2), "euclidean")
    array([0., 5.])
    """
    power = norm_of(metric)
    if power is None:
        return np.nan_to_num(_other_distances(columns, center, metric), nan=LARGEST, posinf=LARGEST)
    out = np.empty(columns.shape[1])
    _add_up(columns, center, power, out)
    far = np.flatnonzero(~np.isfinite(out))
    if len(far):
        out[far] = _far_distances(columns[:, far], center, power)
    return out


def _other_distances(columns: Floats, center: Floats, metric: Metric) -> Floats:
    """Let others compute the distances that we do not."""
    if isinstance(metric, str) and metric == "cosine":
        # scikit-learn's goes through a matrix product, whose last bits depend on the other rows
        return cdist(columns.T, center[None, :], metric)[:, 0]
    from sklearn.metrics import pairwise_distances  # not at the top: it takes longer to import than all of laconic

    with np.errstate(over="ignore", invalid="ignore"):
        return pairwise_distances(columns.T, center[None, :], metric=metric)[:, 0]


def _far_distances(columns: Floats, center: Floats, power: int) -> Floats:
    """Return the distances of rows for which `_add_up` overflows: halves, in units of the largest difference."""
    halves = np.abs(columns / 2 - center[:, None] / 2)
    unit = np.frexp(halves.max(axis=0, initial=0.0))[1]
    out = np.empty(columns.shape[1])
    _add_up(np.ldexp(halves, -unit), np.zeros(len(center)), power, out)
    return times_power(out, unit + 1)


def relative_distance(values: Floats, border: float) -> Floats:
    """Return how far values are from a border, relative to the sizes of both, so that units do not matter: 0 to 1.

    Examples
    --------
    >>> relative_distance(np.array([1.0, 3.0, -1e308]), 1.0)
    array([0. , 0.5, 1. ])
    """
    with np.errstate(invalid="ignore"):
        size = np.abs(values / 2) + abs(border / 2)  # halves do not overflow
        return np.divide(np.abs(values / 2 - border / 2), size, out=np.zeros_like(size), where=size > 0)


def norm_of(metric: Metric) -> int | None:
    """Return 1 or 2 for the sum of absolute or squared differences, 0 for the largest, None for any other metric."""
    return _NATIVE.get(metric) if isinstance(metric, str) else None


def is_precomputed(metric: Metric) -> bool:
    """Return whether the table itself holds the distances."""
    return isinstance(metric, str) and metric == "precomputed"


def beside(distance: Any, *, outside: bool) -> Any:
    """Return a radius a hair off a distance (or off each of many): above it, so that the point is inside, or below it.

    Examples
    --------
    >>> beside(1.0, outside=False) > 1.0 > beside(1.0, outside=True)
    True
    """
    hair = HAIR * distance + HAIR_FLOOR
    if outside:
        return distance - hair
    with np.errstate(over="ignore"):
        return min(distance + hair, LARGEST) if isinstance(distance, float) else np.minimum(distance + hair, LARGEST)
