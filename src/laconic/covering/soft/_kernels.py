"""The hot loops of the soft greedy search: plain arrays in, plain arrays out.

Every centre is scanned by one thread from its nearest row to its farthest, so sums, and with them the answer, depend on
nothing else.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic._compiling import njit

ROUNDING = 1e-13  # what sums of gains may be off by, relative to the sum of their sizes


@njit(cache=True, nogil=True)
def interval_ends(distances: Any, width: float, limit: float, ends: Any, usable: Any) -> None:
    """Count, for each centre and each place, the rows up to that distance plus ``width``.

    ``usable`` counts the places whose interval ends at or before ``limit`` and starts before the farthest row: a ball
    that holds every row for sure is no candidate, since a constant is the machine without balls.
    """
    n_centers, n_rows = distances.shape
    for i in range(n_centers):
        end = 0
        usable[i] = 0
        for k in range(n_rows):
            edge = distances[i, k] + width
            while end < n_rows and distances[i, end] <= edge:
                end += 1
            ends[i, k] = end
            if edge <= limit and distances[i, k] < distances[i, n_rows - 1]:
                usable[i] = k + 1


@njit(cache=True, nogil=True)
def small_unit(farthest: float) -> float:
    """Return a power of two that makes far distances small, so that sums of gains times distances are numbers."""
    return 2.0**-900 if farthest > 2.0**900 else 2.0**-500 if farthest > 2.0**500 else 1.0


@njit(cache=True, nogil=True)
def best_intervals(
    orders: Any, distances: Any, ends: Any, usable: Any, outward: Any, gains: Any, width: float, extra: Any, found: Any
) -> None:
    """Find the largest utility of an interval [a, a + width] around each centre.

    With prefix sums of the gains and of gains times distances, each interval costs the same: the rows up to a count in
    full, those up to a + width by (a + width − distance) / width. A centre that is not ``outward`` turns away what is
    outside. ``extra`` is a centre's own term; minus infinity forbids it.
    """
    n_centers, n_rows = orders.shape
    sums = np.zeros(n_rows + 1)
    moments = np.zeros(n_rows + 1)
    for i in range(n_centers):
        found[i] = -np.inf
        if extra[i] == -np.inf:
            continue
        unit = small_unit(distances[i, n_rows - 1])
        slope = 1.0 / (width * unit) if width > 0.0 else 0.0
        mass = 0.0
        moment = 0.0
        for k in range(n_rows):
            gain = gains[orders[i, k]]
            mass += gain
            moment += gain * (distances[i, k] * unit)
            sums[k + 1] = mass
            moments[k + 1] = moment
        sign = 1.0 if outward[i] else -1.0
        base = extra[i] if outward[i] else extra[i] + mass
        top = -np.inf
        for k in range(usable[i]):
            end = ends[i, k]
            if width > 0.0:
                edge = (distances[i, k] + width) * unit
                partly = edge * (sums[end] - sums[k + 1]) - (moments[end] - moments[k + 1])
                value = base + sign * (sums[k + 1] + partly * slope)
            else:
                value = base + sign * sums[end]
            top = max(top, value)
        found[i] = top


@njit(cache=True, nogil=True)
def utilities(order: Any, distances: Any, ends: Any, outward: bool, gains: Any, width: float, values: Any) -> None:
    """Write the utility of every interval around one centre, from the same prefix sums as `best_intervals`."""
    n_rows = len(order)
    sums = np.zeros(n_rows + 1)
    moments = np.zeros(n_rows + 1)
    unit = small_unit(distances[n_rows - 1])
    for k in range(n_rows):
        sums[k + 1] = sums[k] + gains[order[k]]
        moments[k + 1] = moments[k] + gains[order[k]] * (distances[k] * unit)
    for k in range(n_rows):
        end = ends[k]
        inside = sums[end]
        if width > 0.0:
            edge = (distances[k] + width) * unit
            partly = edge * (sums[end] - sums[k + 1]) - (moments[end] - moments[k + 1])
            inside = sums[k + 1] + partly / (width * unit)
        values[k] = inside if outward else sums[n_rows] - inside
