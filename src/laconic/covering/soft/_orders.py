"""The counted rows around each allowed centre of a soft ball, nearest first, and how far the classes are apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from laconic._distances import Metric
from laconic._progress import pieces, report
from laconic._rows import places_by_value
from laconic._table import Floats, Integers
from laconic.covering.core._problem import Sample
from laconic.covering.families._ball_blocks import Points, at_most, refuse_too_many
from laconic.covering.soft import _kernels as kernels

Centers = Literal["covered", "spared", "both"]


@dataclass(frozen=True, eq=False)
class SoftOrders:
    """The counted rows around each allowed centre, nearest first; every margin, penalty and step uses them.

    Parameters
    ----------
    points : Points
        The rows and their distances.
    centers : ndarray of int64
        The rows that may be centres.
    orders : ndarray of uint16 or uint32 of shape (n_centers, n_rows)
        For each centre the rows, nearest first.
    distances : ndarray of float64 of the same shape
        How far they are.
    """

    points: Points
    centers: Integers
    orders: NDArray[Any]
    distances: Floats
    _intervals: dict[tuple[float, float], Any] = field(default_factory=dict)

    def intervals(self, width: float, limit: float) -> tuple[NDArray[Any], Integers]:
        """Return where the intervals of one width end; the last answer is kept."""
        found = self._intervals.get((width, limit))
        if found is None:
            ends = np.empty(self.orders.shape, dtype=self.orders.dtype)
            usable = np.empty(len(self.centers), dtype=np.int64)
            for some in pieces(len(usable), 2 * ends.shape[1]):
                kernels.interval_ends(self.distances[some], width, limit, ends[some], usable[some])
            found = ends, usable
            self._intervals.clear()
            self._intervals[width, limit] = found
        return found


def allowed_centers(
    sample: Sample, centers: Centers = "covered", any_holds: bool = False, max_centers: int | None = None
) -> Integers:
    """Choose the rows that may be centres, and refuse where their orders would not fit; no distance is needed.

    Parameters
    ----------
    sample : Sample
        The rows.
    centers : {"covered", "spared", "both"}
        N-examples, P-examples or all.
    any_holds : bool
        Whether the machine holds where any rule does, as a disjunction: then N are the positive rows.
    max_centers : int or None
        How many centres there may be; of more, a sample is taken.
    """
    rows = sample.rows
    in_p = ~sample.positive if any_holds else sample.positive
    chosen = at_most(rows if centers == "both" else rows[in_p[rows] == (centers == "spared")], max_centers)
    bytes_each = 2 * _order_type(sample)().itemsize + 8  # where each row stands, where its interval ends, how far it is
    refuse_too_many(len(chosen), sample, bytes_each, "Set max_centers={most} or less.")
    return chosen


def _order_type(sample: Sample) -> type[np.uint16 | np.uint32]:
    return np.uint16 if sample.table.n_rows < 2**16 else np.uint32


def soft_orders(sample: Sample, chosen: Integers, metric: Metric = "euclidean") -> SoftOrders:
    """Sort the counted rows around each centre.

    Parameters
    ----------
    sample : Sample
        The rows.
    chosen : ndarray of int64
        The rows that may be centres.
    metric : str or callable
        The distance; see `laconic.covering.Balls`.

    Returns
    -------
    SoftOrders
        Twelve bytes for each pair, or sixteen from 65,536 rows on.
    """
    rows = sample.rows  # by value, so that no rounded sum depends on how they came
    rows = rows[np.lexsort((sample.weights[rows], places_by_value(sample.table, sample.positive, rows)))]
    points = Points(sample, metric, ())
    orders = np.empty((len(chosen), len(rows)), dtype=_order_type(sample))
    distances = np.empty((len(chosen), len(rows)))
    for place, center in enumerate(chosen):
        report("centres", place, len(chosen))
        around = points.distances(int(center))[rows]
        if around.min(initial=0.0) < 0 or not np.all(np.isfinite(around)):
            raise ValueError(f"The distances to row {center} are not all finite and at least zero.")
        order = np.argsort(around)
        if np.any(np.diff(around[order]) == 0):
            order = np.argsort(around, kind="stable")  # slower; it leaves rows at the same distance in their order
        orders[place], distances[place] = rows[order], around[order]
    return SoftOrders(points, chosen, orders, distances)


def class_distance(sample: Sample, metric: Metric = "euclidean", most: int | None = None) -> float:
    """Average the distance between the counted rows of the smaller class, or a sample of them, and those of the other.

    Parameters
    ----------
    sample : Sample
        The rows.
    metric : str or callable
        The distance.
    most : int or None
        How many rows of the smaller class are enough.
    """
    rows = sample.rows
    of_class = [rows[sample.positive[rows] == label] for label in (False, True)]
    few, many = sorted(of_class, key=len)
    if len(few) == 0:
        return 0.0
    points = Points(sample, metric, ())
    return _mean([_mean(points.distances(int(row))[many]) for row in at_most(few, most)])


def _mean(values: Any) -> float:
    """Average some numbers, also where their sum would overflow."""
    with np.errstate(over="ignore"):
        mean = float(np.mean(values))
    return mean if np.isfinite(mean) else float(np.ldexp(np.mean(np.ldexp(values, -64)), 64))
