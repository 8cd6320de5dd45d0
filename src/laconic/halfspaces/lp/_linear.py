"""Small dense matrices: no BLAS, whose threads cost more than they save here, and the same bits everywhere."""

from __future__ import annotations

from typing import Any

from numba import njit


@njit(cache=True, nogil=True)
def invert(matrix: Any, inverse: Any) -> bool:
    """Invert a matrix by Gauss and Jordan with the largest pivot of each column; False where there is none."""
    size = len(matrix)
    left = matrix.copy()
    for k in range(size):
        for j in range(size):
            inverse[k, j] = 1.0 if j == k else 0.0
    for k in range(size):
        top = k
        for i in range(k + 1, size):
            if abs(left[i, k]) > abs(left[top, k]):
                top = i
        if not abs(left[top, k]) > 1e-13:
            return False
        for j in range(size):
            left[k, j], left[top, j] = left[top, j], left[k, j]
            inverse[k, j], inverse[top, j] = inverse[top, j], inverse[k, j]
        factor = 1.0 / left[k, k]
        for j in range(size):
            left[k, j] *= factor
            inverse[k, j] *= factor
        for i in range(size):
            factor = left[i, k]
            if i != k and factor != 0.0:
                for j in range(size):
                    left[i, j] -= factor * left[k, j]
                    inverse[i, j] -= factor * inverse[k, j]
    return True
