"""Rows whose kernel columns are worth a coefficient: pivots of a Cholesky factor, computed column by column.

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
from typing import Any, TypeAlias

import numpy as np
from scipy.linalg import qr

from laconic._progress import report
from laconic._table import Floats, Integers
from laconic.minimal._features import KERNEL_REMEDY

Kernel: TypeAlias = str | Callable[[Floats, Floats], float]
_FIRST = 64  # columns there is room for at first; room is doubled as they come
_AHEAD = 16  # columns that are computed at once
_PROBES = 16  # columns that are looked at to tell whether a kernel is indefinite where pivots saw nothing of it
_INDEFINITE = 100.0  # how many tolerances a residual may be on the wrong side


def support_rows(
    X: Floats,
    kernel: Kernel = "rbf",
    parameters: Mapping[str, Any] | None = None,
    *,
    rank_tol: float = 1e-8,
    max_support: int | None = None,
) -> Integers:
    """Choose rows by pivoted Cholesky: next comes the row of which most is left outside the span; ties to the first.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features) or (n_samples, n_samples)
        The rows, or the kernel matrix if the kernel is "precomputed".
    kernel : {"linear", "rbf", "poly", "sigmoid", "precomputed"} or callable, default="rbf"
        As in `sklearn.metrics.pairwise.pairwise_kernels`; a callable takes two rows and gives a number.
    parameters : mapping or None, default=None
        What the kernel reads of gamma, degree and coef0.
    rank_tol : float, default=1e-8
        Stop where every residual ``k(x, x)`` is at most this, relative to the largest at first.
    max_support : int or None, default=None
        The most rows.

    Returns
    -------
    ndarray of int64
        The rows whose kernel columns span all columns, in the order in which they were chosen.

    Notes
    -----
    O(n_samples n_support²) time and O(n_samples n_support) memory. A kernel that turns out to be indefinite (as
    "sigmoid" may be) has no Cholesky factor: the whole matrix is computed then and a pivoted QR factor chooses, whose
    diagonal is held against `rank_tol`.

    Examples
    --------
    >>> support_rows(np.array([[0.0], [1.0], [1.0], [2.0]]), "linear")
    array([3])
    """
    oracle = _Oracle(X, kernel, parameters)
    most = len(X) if max_support is None else min(max_support, len(X))
    found = _cholesky(oracle, rank_tol, most)
    return _orthogonal(oracle, rank_tol, most) if found is None else found


class _Oracle:
    """Gives the diagonal and the columns of a kernel matrix."""

    def __init__(self, X: Floats, kernel: Kernel, parameters: Mapping[str, Any] | None) -> None:
        self.X, self._kernel, self._parameters = X, kernel, dict(parameters or {})
        self._ahead: dict[int, Floats] = {}

    def _computed(self, X: Floats, Y: Floats) -> Floats:
        from sklearn.metrics.pairwise import pairwise_kernels  # not at the top: linear machines need no kernel

        return np.asarray(pairwise_kernels(X, Y, metric=self._kernel, **self._parameters))

    def columns(self, rows: Integers) -> Floats:
        """Return the columns of some rows."""
        if self._kernel == "precomputed":
            return np.asarray(self.X[:, rows], dtype=np.float64)
        return self._computed(self.X, self.X[rows])

    def column(self, pivot: int, left: Floats) -> Floats:
        """Return one column, and compute those that are likely to be next with it: a call costs more than a column."""
        if pivot not in self._ahead:
            rows = np.argpartition(-left, min(_AHEAD, len(left) - 1))[:_AHEAD]
            rows = np.append(rows[rows != pivot], pivot)
            self._ahead = dict(zip(rows.tolist(), self.columns(rows).T, strict=True))
        return self._ahead[pivot]

    def diagonal(self) -> Floats:
        """Give ``k(x, x)`` for each row, without the matrix."""
        if self._kernel == "precomputed":
            return np.diag(self.X).astype(np.float64)
        if self._kernel == "rbf":
            return np.ones(len(self.X))
        if callable(self._kernel):
            return np.array([float(self._kernel(x, x, **self._parameters)) for x in self.X])
        # functions of x·x alone: one column with the length in it gives them, as the diagonal of small squares
        lengths = np.sqrt(np.einsum("ij,ij->i", self.X, self.X))[:, None]
        parts = [lengths[start : start + 64] for start in range(0, len(lengths), 64)]
        return np.concatenate([np.diag(self._computed(part, part)) for part in parts])


def _cholesky(oracle: _Oracle, rank_tol: float, most: int) -> Integers | None:
    """Choose by pivoted Cholesky; None if the kernel is seen to be indefinite."""
    left = oracle.diagonal()
    if not np.isfinite(left).all():
        raise ValueError(f"The kernel of a row with itself is NaN or infinite. {KERNEL_REMEDY}")
    largest = float(np.abs(left).max())
    factor = np.empty((len(left), min(_FIRST, most)), order="F")
    support: list[int] = []
    while (k := len(support)) < most:
        report("support rows", k, most)
        pivot = int(np.argmax(left))  # 1.
        if left.min() < -_INDEFINITE * rank_tol * largest:  # 2.
            return None
        if not left[pivot] > rank_tol * largest:
            break
        if k == factor.shape[1]:
            factor = np.hstack([factor, np.empty_like(factor)[:, : most - k]])
        column = oracle.column(pivot, left)  # 3.
        factor[:, k] = (column - factor[:, :k] @ factor[pivot, :k]) / np.sqrt(left[pivot])
        left = left - factor[:, k] ** 2  # 4.
        left[pivot] = 0.0
        support.append(pivot)
    # 5.
    if k < most and _is_indefinite(oracle, factor[:, :k], _INDEFINITE * rank_tol * largest):
        return None
    return np.array(support, dtype=np.int64)


def _is_indefinite(oracle: _Oracle, factor: Floats, limit: float) -> bool:
    """Look at some columns: a positive definite rest with a small diagonal is small everywhere, another need not be."""
    rows = np.unique(np.linspace(0, len(oracle.X) - 1, _PROBES).astype(np.int64))
    rest = oracle.columns(rows) - factor @ factor[rows].T
    return bool(np.abs(rest).max() > limit)


def _orthogonal(oracle: _Oracle, rank_tol: float, most: int) -> Integers:
    """Choose by pivoted QR of the whole matrix."""
    triangle, order = qr(oracle.columns(np.arange(len(oracle.X))), mode="r", pivoting=True)
    lengths = np.abs(np.diag(triangle))
    rank = min(int(np.sum(lengths > rank_tol * lengths[0])), most)
    return order[:rank].astype(np.int64)
