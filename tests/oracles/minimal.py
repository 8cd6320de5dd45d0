"""The programmes of paper 4 written down as they are printed, for scipy, and weak duality checked from nothing."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack, vstack


def scaled(F):
    """Move and scale columns: with a bias and free coefficients the optimum stays what it was, and scipy finds it."""
    F = F - F.mean(axis=0)
    sizes = np.abs(F).max(axis=0)
    return F / np.where(sizes > 0, sizes, 1.0)


def classifier(F, y, C, weights):
    """(6)–(8), or with slack: 1 <= y f + q <= h, h >= 1. Unknowns w, b, h, q. The objective, or None if infeasible."""
    m, n = F.shape
    margins = y[:, None] * np.column_stack([F, np.ones(m)])
    A = np.vstack([np.column_stack([margins, -np.ones(m)]), np.column_stack([-margins, np.zeros(m)])])
    b = np.append(np.zeros(m), -np.ones(m))
    cost = np.append(np.zeros(n + 1), 1.0)
    bounds = [(None, None)] * (n + 1) + [(1, None)]
    if np.isfinite(C):
        A = hstack([csr_array(A), vstack([eye_array(m), -eye_array(m)])])
        cost, bounds = np.append(cost, C * weights), bounds + [(0, None)] * m
    return _objective(cost, A, b, bounds)


def regressor(F, y, epsilon, C, weights, eta_free=False):
    """(11)–(15) or (16)–(21) and η >= 0. Unknowns w, b, η, h, q⁺, q⁻. The objective and η, or None if infeasible."""
    m, n = F.shape
    above = np.column_stack([F, np.ones(m), y + epsilon])
    below = -np.column_stack([F, np.ones(m), y - epsilon])
    h, zero = np.ones((m, 1)), np.zeros((m, 1))
    A = np.vstack(
        [np.hstack([above, -h]), np.hstack([-above, zero]), np.hstack([below, -h]), np.hstack([-below, zero])]
    )
    b = np.concatenate([np.zeros(m), -np.ones(m), np.zeros(m), -np.ones(m)])
    cost = np.append(np.zeros(n + 2), 1.0)
    bounds = [(None, None)] * (n + 1) + [(None if eta_free else 0, None), (None, None)]
    if np.isfinite(C):
        unit, none = eye_array(m), csr_array((m, m))
        slack = vstack([hstack([none, none]), hstack([-unit, none]), hstack([none, none]), hstack([none, -unit])])
        A = hstack([csr_array(A), slack])
        cost, bounds = np.concatenate([cost, C * weights, C * weights]), bounds + [(0, None)] * (2 * m)
    return _objective(cost, A, b, bounds, place=n + 1)


def largest_residual(F, y):
    """The smallest maximal residual: Chebyshev's problem."""
    m, n = F.shape
    A = np.column_stack([F, np.ones(m)])
    A = np.vstack([np.column_stack([A, -np.ones(m)]), np.column_stack([-A, -np.ones(m)])])
    return _objective(np.append(np.zeros(n + 1), 1.0), A, np.append(y, -y), [(None, None)] * (n + 2))


def _objective(cost, A, b, bounds, place=None):
    for method in ("highs", "highs-ipm", "highs-ds"):  # on singular kernel matrices one or the other gives up
        found = linprog(cost, A_ub=A, b_ub=b, bounds=bounds, method=method)
        if found.status in (0, 2, 3):
            break
    if found.status == 3:
        return -np.inf
    if found.status != 0:  # 4: unknown, which a test may not rest on
        assert found.status == 2, found.message
        return None
    return found.fun if place is None else (found.fun, found.x[place])


def classifier_bound(F, y, C, weights, upper, margin, h_price):
    """The dual value of prices, and by how much they fail to be feasible, relative to the sums that should vanish."""
    upper, margin = upper[0], margin[0]
    A = y[:, None] * np.column_stack([F, np.ones(len(F))])
    imbalance = np.abs((margin - upper) @ A) / ((margin + upper).sum() * np.abs(A).max(axis=0) + 1e-300)
    wrong = [imbalance.max(), abs(upper.sum() + h_price - 1.0), -upper.min(), -margin.min(), -h_price]
    if np.isfinite(C):
        wrong.append(((margin - C * weights) / (C * weights)).max())
    return margin.sum() + h_price, max(wrong)


def regressor_bound(F, y, epsilon, C, weights, upper, margin, eta_price):
    """The same for a regressor: prices of shape (2, m)."""
    above = np.column_stack([F, np.ones(len(F)), y + epsilon])
    below = -np.column_stack([F, np.ones(len(F)), y - epsilon])
    balance = (margin[0] - upper[0]) @ above + (margin[1] - upper[1]) @ below
    size = (margin + upper).sum() * np.maximum(np.abs(above).max(axis=0), np.abs(below).max(axis=0))
    balance[-1] += eta_price
    wrong = [(np.abs(balance) / (size + 1e-300)).max(), abs(upper.sum() - 1.0), -upper.min(), -margin.min(), -eta_price]
    if np.isfinite(C):
        wrong.append(((margin - C * weights) / (C * weights)).max())
    return margin.sum(), max(wrong)
