"""Kernel columns that are worth a coefficient: a pivoted Cholesky factor, whose columns are computed as pivots ask.

A function ``Σ λ_j k(x, x_j)`` over all rows is one over the pivots alone, up to the tolerance, since each other column
depends on theirs. So the optimum over their span is the optimum, and only they carry coefficients. (What is left is
small but not nothing: with coefficients of the order of 1/`rank_tol` it can still be fitted with, as a programme that
interpolates would. A smaller tolerance, or a cap, decides.)

The method, with K the kernel matrix and L (`factor`) the columns so far, keeps ``left``, the diagonal of K − L Lᵀ: what
each row has outside the span of the pivots. For a positive semidefinite kernel it bounds the rest, |K − L Lᵀ|_ij being
at most √(left_i left_j). Each step

1. takes as pivot p the row with the largest left, the first of equals;
2. ends if that is at most rank_tol times the largest |K_ii|, and gives up if some left is far below zero;
3. appends the column ``ℓ = (K_p − L L_pᵀ) / √left_p``, for which one column of K is computed (and a few that are
   likely to be next);
4. subtracts ℓ² from left, and sets left_p to zero, so that no row is a pivot twice: there are at most n_samples steps.

5. At the end, unless a cap came first, a few columns of K are held against L Lᵀ: an indefinite kernel may hide where
   the diagonal shows nothing. An indefinite one is given to a pivoted QR of the whole matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.linalg import qr, solve_triangular

from laconic._table import Floats, Integers

Kernel: TypeAlias = str | Callable[[Floats, Floats], float]
_FIRST = 64  # columns there is room for at first; room is doubled as they come
_AHEAD = 16  # columns that are computed at once
_PROBES = 16  # columns that are looked at to tell whether a kernel is indefinite where pivots saw nothing of it
_INDEFINITE = 100.0  # how many tolerances a residual may be on the wrong side


@dataclass(frozen=True, eq=False)
class SupportColumns:
    """The rows whose kernel columns span all columns.

    Parameters
    ----------
    support : ndarray of int64 of shape (n_support,)
        The rows, in the order in which they were chosen.
    columns : ndarray of shape (n_samples, n_support)
        ``k(x_i, x_j)`` for each row i and each support j.
    features : ndarray of shape (n_samples, n_support)
        Other columns with the same span, far better conditioned: the Cholesky factor. Where there is none, the columns.
    triangle : ndarray of shape (n_support, n_support) or None
        ``columns = features @ triangle.T``, lower triangular: the factor's own rows. None where there is no factor.
    residual : float
        The largest ``k(x, x)`` that is left outside the span, relative to the largest of all. At most `rank_tol` if
        no cap stopped the search.
    """

    support: Integers
    columns: Floats
    features: Floats
    triangle: Floats | None
    residual: float

    def to_features(self, columns: Floats) -> Floats:
        """Give the features of new rows from their ``k(x, x_j)``: exact to rounding, where coefficients are not."""
        if self.triangle is None or not len(self.support):
            return columns
        return np.asarray(solve_triangular(self.triangle, columns.T, lower=True).T)

    def to_kernel_coefficients(self, coefficients: Floats) -> Floats:
        """Give the λ_j that belong to coefficients of the features. They can be large and cancel each other."""
        if self.triangle is None or not len(self.support):
            return coefficients
        return np.asarray(solve_triangular(self.triangle, coefficients, lower=True, trans=1))


def support_columns(
    X: Floats,
    kernel: Kernel = "rbf",
    *,
    parameters: Mapping[str, Any] | None = None,
    rank_tol: float = 1e-8,
    max_support: int | None = None,
) -> SupportColumns:
    """Choose rows by pivoted Cholesky: next comes the row of which most is left outside the span; ties to the first.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features) or (n_samples, n_samples)
        The rows, or the kernel matrix if the kernel is "precomputed".
    kernel : {"linear", "rbf", "poly", "sigmoid", "precomputed"} or callable, default="rbf"
        As in `sklearn.metrics.pairwise.pairwise_kernels`; a callable takes two rows and gives a number.
    parameters : mapping or None, default=None
        The kernel's parameters: gamma, degree, coef0.
    rank_tol : float, default=1e-8
        Stop where every residual ``k(x, x)`` is at most this, relative to the largest at first.
    max_support : int or None, default=None
        The most rows.

    Returns
    -------
    SupportColumns
        The rows and their columns.

    Notes
    -----
    O(n_samples n_support²) time and O(n_samples n_support) memory. A kernel that turns out to be indefinite (as
    "sigmoid" may be) has no Cholesky factor: the whole matrix is computed then and a pivoted QR factor chooses, whose
    diagonal is held against `rank_tol`.

    Examples
    --------
    >>> found = support_columns(np.array([[0.0], [1.0], [1.0], [2.0]]), "linear")
    >>> found.support
    array([3])
    """
    oracle = _Oracle(X, kernel, parameters)
    most = len(X) if max_support is None else min(max_support, len(X))
    found = _cholesky(oracle, rank_tol, most)
    return _orthogonal(oracle, rank_tol, most) if found is None else found


class _Oracle:
    """Gives the diagonal and the columns of a kernel matrix."""

    def __init__(self, X: Floats, kernel: Kernel, parameters: Mapping[str, Any] | None) -> None:
        self._X, self._kernel, self._parameters = X, kernel, dict(parameters or {})
        self._ahead: dict[int, Floats] = {}
        if kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(f"A precomputed kernel must be square; this is {X.shape[0]} by {X.shape[1]}.")

    def __len__(self) -> int:
        return len(self._X)

    def columns(self, rows: Integers) -> Floats:
        """Give the columns of some rows."""
        from sklearn.metrics.pairwise import pairwise_kernels  # not at the top: linear machines need no kernel

        if self._kernel == "precomputed":
            return np.asarray(self._X[:, rows], dtype=np.float64)
        return np.asarray(pairwise_kernels(self._X, self._X[rows], metric=self._kernel, **self._parameters))

    def column(self, pivot: int, left: Floats) -> Floats:
        """Give one column, and compute those that are likely to be next with it: a call costs more than a column."""
        if pivot not in self._ahead:
            rows = np.argpartition(-left, min(_AHEAD, len(left) - 1))[:_AHEAD]
            rows = np.append(rows[rows != pivot], pivot)
            self._ahead = dict(zip(rows.tolist(), self.columns(rows).T, strict=True))
        return self._ahead[pivot]

    def diagonal(self) -> Floats:
        """Give ``k(x, x)`` for each row, without the matrix."""
        if self._kernel == "precomputed":
            return np.diag(self._X).astype(np.float64)
        if self._kernel == "rbf":
            return np.ones(len(self))
        if callable(self._kernel):
            return np.array([float(self._kernel(x, x, **self._parameters)) for x in self._X])
        from sklearn.metrics.pairwise import pairwise_kernels

        if self._kernel in ("linear", "poly", "polynomial", "sigmoid"):
            # functions of x·x alone: one column with the length in it gives them, with the gamma that X would have
            lengths = np.sqrt(np.einsum("ij,ij->i", self._X, self._X))[:, None]
            parameters = dict(self._parameters)
            if self._kernel != "linear" and parameters.get("gamma") is None:
                parameters["gamma"] = 1.0 / self._X.shape[1]
            return self._one_by_one(pairwise_kernels, lengths, parameters)
        return self._one_by_one(pairwise_kernels, self._X, self._parameters)

    def _one_by_one(self, kernels: Callable[..., Any], X: Floats, parameters: Mapping[str, Any]) -> Floats:
        """Blocks of rows against themselves: a diagonal of small squares."""
        parts = [X[start : start + 64] for start in range(0, len(X), 64)]
        return np.concatenate([np.diag(kernels(part, metric=self._kernel, **parameters)) for part in parts])


def _cholesky(oracle: _Oracle, rank_tol: float, most: int) -> SupportColumns | None:
    """Choose by pivoted Cholesky; None if the kernel is seen to be indefinite."""
    left = oracle.diagonal()
    if not np.isfinite(left).all():
        raise ValueError("The kernel of a row with itself is NaN or infinite.")
    largest = float(np.abs(left).max())
    factor = np.empty((len(left), min(_FIRST, most)), order="F")
    columns = np.empty_like(factor)
    support: list[int] = []
    while len(support) < most:
        pivot = int(np.argmax(left))  # 1.
        if left.min() < -_INDEFINITE * rank_tol * largest:  # 2.
            return None
        if not left[pivot] > rank_tol * largest:
            break
        k = len(support)
        if k == factor.shape[1]:
            factor, columns = (_wider(table, min(2 * k, most)) for table in (factor, columns))
        columns[:, k] = oracle.column(pivot, left)  # 3.
        factor[:, k] = (columns[:, k] - factor[:, :k] @ factor[pivot, :k]) / np.sqrt(left[pivot])
        left = left - factor[:, k] ** 2  # 4.
        left[pivot] = 0.0
        support.append(pivot)
    k = len(support)
    residual = max(float(left.max()), 0.0) / largest if largest > 0 else 0.0
    # 5.
    if k < most and _is_indefinite(oracle, factor[:, :k], _INDEFINITE * rank_tol * largest):
        return None
    factor = np.asarray(factor[:, :k])
    return SupportColumns(np.array(support, dtype=np.int64), columns[:, :k], factor, np.tril(factor[support]), residual)


def _wider(table: Floats, width: int) -> Floats:
    wide = np.empty((len(table), width), order="F")
    wide[:, : table.shape[1]] = table
    return wide


def _is_indefinite(oracle: _Oracle, factor: Floats, limit: float) -> bool:
    """Look at some columns: a positive definite rest with a small diagonal is small everywhere, another need not be."""
    rows = np.unique(np.linspace(0, len(oracle) - 1, _PROBES).astype(np.int64))
    rest = oracle.columns(rows) - factor @ factor[rows].T
    return bool(np.abs(rest).max() > limit)


def _orthogonal(oracle: _Oracle, rank_tol: float, most: int) -> SupportColumns:
    """Choose by pivoted QR of the whole matrix."""
    matrix = oracle.columns(np.arange(len(oracle)))
    triangle, order = qr(matrix, mode="r", pivoting=True)
    lengths = np.abs(np.diag(triangle))
    if not lengths[0] > 0:
        return SupportColumns(np.array([], dtype=np.int64), matrix[:, :0], matrix[:, :0], None, 0.0)
    rank = min(int(np.sum(lengths > rank_tol * lengths[0])), most)
    residual = float(lengths[rank] / lengths[0]) if rank < len(lengths) else 0.0
    support = order[:rank].astype(np.int64)
    return SupportColumns(support, matrix[:, support], matrix[:, support], None, residual)
