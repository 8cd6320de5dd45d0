"""Small dense matrices: no BLAS, whose threads cost more than they save here, and the same bits everywhere."""

from __future__ import annotations

from typing import Any

from laconic._compiling import njit

LEAN = {"no_cfunc_wrapper": True, "no_rewrites": True}  # no kernel here needs either, and both take time to compile


@njit(cache=True, nogil=True, **LEAN)
def invert(pair: Any) -> bool:
    """Turn (A, anything) into (1, A⁻¹) by Gauss and Jordan, the largest pivot of each column; False without one."""
    size = len(pair)
    for k in range(size):
        for j in range(size):
            pair[k, size + j] = 0.0
        pair[k, size + k] = 1.0
    for k in range(size):
        top = k
        for i in range(k + 1, size):
            if abs(pair[i, k]) > abs(pair[top, k]):
                top = i
        pivot = pair[top, k]
        if not abs(pivot) > 1e-13:
            return False
        factor = 1.0 / pivot
        for j in range(2 * size):
            entry = pair[top, j]
            pair[top, j] = pair[k, j]
            pair[k, j] = entry * factor
        for i in range(size):
            factor = pair[i, k]
            if i != k and factor != 0.0:
                for j in range(2 * size):
                    pair[i, j] -= factor * pair[k, j]
    return True
