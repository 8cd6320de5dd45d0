"""Balls around examples: the data-dependent features of paper 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from laconic._distances import HAIR, HAIR_FLOOR, Metric, as_columns, beside, distances_to, is_precomputed
from laconic._table import Booleans, Floats, Integers, Table
from laconic.certificates import Examples, order_by_value, repeats_nats
from laconic.covering.core._family import Family
from laconic.covering.core._greedy import Block, Offer
from laconic.covering.core._problem import Problem, Sample
from laconic.covering.families import _kernels as kernels
from laconic.covering.families._blocks import COMPACT_BELOW, compacted, narrow, presort
from laconic.rules import Ball, SoftBall, column_name

MEMORY_LIMIT = 2**31  # bytes of orders that are kept at most
_SEED = 0  # of the sample of centres: fixed, so that the candidates depend on the rows alone


class Balls(Family):
    """Generalised balls, centred on examples: each gives its centre's class inside and the other outside.

    For a conjunction a ball around an N-example turns away what is inside, one around a P-example what is outside;
    every radius at which the value changes is a candidate. Ties between centres go to the smaller one by (x, y).

    Parameters
    ----------
    metric : str or callable, default="euclidean"
        "euclidean", "manhattan", "chebyshev", any metric that scikit-learn's ``pairwise_distances`` takes, a function
        of two rows, or "precomputed": X is then the matrix of distances to the training rows.
    centers : {"both", "positive", "negative"}, default="both"
        Which class the centres come from; "positive" is ``classes_[1]``.
    radius : {"reach", "tight"}, default="reach"
        "reach" extends a ball's grip to the next example that it must not turn away, as the paper does: around an
        N-example to just below the nearest P-example, around a P-example to the farthest P-example that it keeps.
        "tight" stops at the last example that it turns away.
    scale : {None, "dyadic"}, default=None
        "dyadic" multiplies every column by the power of two that brings its spread nearest to one, and charges the
        exponents in the message. Scaling by training statistics beforehand would void the certificate: the distances,
        and so the hypothesis, would depend on all rows, and not only on those that are sent.
    max_centers : int or None, default=None
        Take no more than this many centres, a sample drawn with a fixed seed. Without it the orders of all rows around
        all rows are kept, m² numbers of two (up to 32,768 rows) or four bytes, 2 GiB at the most.

    Notes
    -----
    A radius sits a hair (2^-36, relatively) off the example that sets it, and distances that differ by less are ties.
    O(m²·n) for the distances and O(m² log m) for their order once, then at most O(m²) for each rule; bounds from the
    rule before spare most of it.

    Examples
    --------
    >>> from laconic import SetCoveringClassifier
    >>> from laconic.covering import Balls
    >>> X, y = [[0.0, 0.0], [0.1, 0.2], [3.0, 3.0], [3.1, 2.9]], [1, 1, 0, 0]
    >>> print(SetCoveringClassifier(features=Balls()).fit(X, y).rules_[0])
    within 0.223606… of (x0 0, x1 0)
    """

    max_slots = 2

    def __init__(
        self,
        metric: Metric = "euclidean",
        centers: Literal["both", "positive", "negative"] = "both",
        radius: Literal["reach", "tight"] = "reach",
        scale: Literal["dyadic"] | None = None,
        max_centers: int | None = None,
    ) -> None:
        self.metric = metric
        self.centers = centers
        self.radius = radius
        self.scale = scale
        self.max_centers = max_centers

    @property
    def pairwise(self) -> bool:  # type: ignore[override]
        """Whether X holds distances."""
        return is_precomputed(self.metric)

    def complaint(self, table: Table, column: int, names: Sequence[str] | None) -> str | None:
        """Refuse categories and sparse tables."""
        if table.is_sparse:
            return "Balls need a dense table: X.toarray()."
        if table.kinds[column] == "category":
            return (
                f"Column {column_name(column, names)!r} holds categories and Balls need numbers; "
                "drop it, or code it as numbers by a rule that was fixed beforehand."
            )
        return None

    def blocks(self, sample: Sample, columns: Sequence[int], n_blocks: int) -> Sequence[Block]:
        """Order the rows around each centre."""
        self._check(sample)
        if len(columns) < sample.table.n_columns:
            raise ValueError("Balls measure distances over all columns; code or drop the columns that are not numbers.")
        points = Points(sample, self.metric, self._exponents(sample))
        centers = self._centers(sample)
        wide = sample.table.n_rows > 2**15
        n_bytes = len(centers) * len(sample.rows) * (4 if wide else 2)
        if n_bytes > MEMORY_LIMIT:
            most = MEMORY_LIMIT // (len(sample.rows) * (4 if wide else 2))
            raise ValueError(
                f"{len(centers)} centres and {len(sample.rows)} rows need {n_bytes / 2**30:.1f} GiB, more than the "
                f"limit of {MEMORY_LIMIT / 2**30:.0f} GiB. Set max_centers={most} or less: Balls(max_centers=...)."
            )
        parts = np.array_split(np.arange(len(centers)), n_blocks)
        return [
            BallBlock(points, centers[part], int(part[0]), self.radius == "reach") for part in parts if len(part) > 0
        ]

    def template(self, rule: Ball) -> BallTemplate:
        """Leave centre and border to two examples."""
        return BallTemplate(rule.metric, rule.scale, self.radius == "reach")

    def template_nats(self, template: BallTemplate, n_columns: int) -> float:
        """Charge nothing: examples say everything, and `shared_nats` pays for the scale once."""
        del template, n_columns
        return 0.0

    def shared_nats(self, templates: Sequence[BallTemplate]) -> float:
        """Charge the exponents of the scale, which all balls share."""
        return repeats_nats(templates[0].scale) if templates else 0.0

    def slots(self, rule: Ball, problem: Problem) -> list[Booleans]:
        """Tell which rows are the centre, and which are as far from it as the border."""
        outside = border_is_outside(rule.label, problem.swapped, self.radius == "reach")
        distances = rule.distances(problem.table)
        return [centers_of(rule, problem), beside(distances, outside=outside) == rule.radius]

    def _check(self, sample: Sample) -> None:
        for name, allowed in (("centers", ("both", "positive", "negative")), ("radius", ("reach", "tight"))):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}; got {getattr(self, name)!r}.")
        if self.scale not in (None, "dyadic"):
            raise ValueError(f"scale must be None or 'dyadic'; got {self.scale!r}.")
        if self.max_centers is not None and not (
            isinstance(self.max_centers, int | np.integer) and self.max_centers > 0
        ):
            raise ValueError(f"max_centers must be None or a whole number from 1 on; got {self.max_centers!r}.")
        if self.pairwise and sample.table.n_rows != sample.table.n_columns:
            raise ValueError(
                f"Precomputed distances must be a square matrix, got {sample.table.n_rows} rows and "
                f"{sample.table.n_columns} columns."
            )

    def _exponents(self, sample: Sample) -> tuple[int, ...]:
        if self.scale is None or self.pairwise:
            return ()
        X = sample.table.matrix()[sample.rows]
        # by the interquartile range where there is one: it does not depend on the order of the rows, as sums do
        low, high = np.quantile(X, [0.25, 0.75], axis=0, method="inverted_cdf")
        spread = np.where(high > low, high - low, X.max(axis=0) - X.min(axis=0))
        return tuple(int(-np.rint(np.log2(width))) if width > 0 else 0 for width in spread)

    def _centers(self, sample: Sample) -> Integers:
        """Choose the centres, in order of value."""
        rows = sample.rows
        if self.centers != "both":
            rows = rows[sample.positive[rows] == (self.centers == "positive")]
        if not self.pairwise:
            rows = rows[order_by_value(sample.table.take(rows), sample.positive[rows])]
        if self.max_centers is not None and len(rows) > self.max_centers:
            chosen = np.random.default_rng(_SEED).choice(len(rows), size=self.max_centers, replace=False)
            rows = rows[np.sort(chosen)]
        return rows


@dataclass(frozen=True, slots=True)
class BallTemplate:
    """A ball without centre and border."""

    metric: Any
    scale: tuple[int, ...]
    reach: bool

    @property
    def n_slots(self) -> int:
        """How many examples it takes: centre and border."""
        return 2

    def fill(self, examples: Examples, places: tuple[int, ...], disjunction: bool) -> Ball:
        """Make the rule: the radius lies a hair off the border's distance."""
        center, border = places
        return self.around(examples, center, self.distances(examples, center)[border], disjunction)

    def distances(self, examples: Examples, center: int) -> Floats:
        """Give the distances of the examples to one of them."""
        return self._point(examples, center).distances(examples.table)

    def around(self, examples: Examples, center: int, distance: float, disjunction: bool) -> Ball:
        """Make the ball around an example that has its border at a distance."""
        point = self._point(examples, center)
        radius = beside(float(distance), outside=border_is_outside(point.label, disjunction, self.reach))
        return replace(point, radius=radius)

    def _point(self, examples: Examples, place: int) -> Ball:
        label = bool(examples.labels[place])
        if is_precomputed(self.metric):
            return Ball(int(examples.rows[place]), 0.0, label, self.metric)
        return Ball(examples.table.point(place), 0.0, label, self.metric, self.scale)


def centers_of(ball: Ball | SoftBall, sample: Sample) -> Booleans:
    """Tell which rows could be the centre of a ball: equal to it, and of its label."""
    if isinstance(ball.center, int):
        return np.arange(sample.table.n_rows) == ball.center
    return np.all(np.asarray(ball.center) == sample.table.matrix(), axis=1) & (sample.positive == ball.label)


def border_is_outside(label: bool, swapped: bool, reach: bool) -> bool:
    """Tell whether the example that sets a ball's radius lies outside the ball.

    The border of "reach" is kept, that of "tight" turned away; a ball around an N-example turns away what is inside.
    """
    around_n = label == swapped
    return around_n == reach


@dataclass(frozen=True, eq=False)
class Points:
    """The rows of a sample in a metric space.

    Parameters
    ----------
    sample : Sample
        The rows.
    metric : str or callable
        The distance.
    scale : tuple of int
        Exponents of two, or empty.
    """

    sample: Sample
    metric: Metric
    scale: tuple[int, ...]

    @cached_property
    def columns(self) -> Floats:
        """The scaled values by column."""
        return as_columns(self.sample.table.matrix(), self.scale)

    def distances(self, row: int) -> Floats:
        """Give the distances of all rows to one of them."""
        if is_precomputed(self.metric):
            return self.sample.table.numbers(row)
        return distances_to(self.columns, np.ascontiguousarray(self.columns[:, row]), self.metric)

    def ball(self, row: int, radius: float) -> Ball:
        """Make a ball around a row."""
        center = row if is_precomputed(self.metric) else self.sample.table.point(row)
        return Ball(center, radius, bool(self.sample.positive[row]), self.metric, self.scale)


@dataclass(frozen=True, eq=False)
class BallBlock:
    """Every radius around some centres: the rows in order of their distance from each, 2 or 4 bytes a pair.

    Parameters
    ----------
    points : Points
        The rows and their distances.
    centers : ndarray of int64
        The rows that are centres, in order.
    first : int
        The place of the first one among all of the family.
    reach : bool
        Where radii end; see `Balls`.
    """

    points: Points
    centers: Integers
    first: int
    reach: bool

    @cached_property
    def orders(self) -> NDArray[Any]:
        """The rows around each centre, nearest first; the top bit marks the last of rows that are equally far."""
        sample = self.points.sample
        rows, wide = sample.rows, sample.table.n_rows > 2**15
        orders = np.empty((len(self.centers), len(rows)), dtype=np.uint32 if wide else np.uint16)
        last = 1 << (31 if wide else 15)
        exact = np.empty(len(rows), dtype=np.uint32)
        for j, center in enumerate(self.centers):
            distances = self.points.distances(int(center))
            if distances.min() < 0 or not np.all(np.isfinite(distances)):
                raise ValueError(f"The distances to row {center} are not all finite and at least zero.")
            with np.errstate(over="ignore"):  # distances that float32 cannot hold are told apart by their exact values
                keys = (distances[rows] + 0.0).astype(np.float32).view(np.uint32)
            presort(keys, rows, distances, exact)
            kernels.merge_near(exact, distances, 4 * HAIR, 4 * HAIR_FLOOR, last, orders[j])
        return orders

    def search(self, problem: Problem, gains: Integers) -> BallSearch:
        """Start a run."""
        return BallSearch(self, problem, gains)


class BallSearch:
    """A run over balls: a centre's last value, plus what P has lost since, bounds its next one."""

    def __init__(self, block: BallBlock, problem: Problem, gains: Integers) -> None:
        self._block = block
        self._orders = block.orders
        self._last = 1 << (self._orders.itemsize * 8 - 1)
        self._outward = problem.positive[block.centers] == problem.swapped
        self._gains = narrow(gains)
        self._lengths = np.full(len(block.centers), self._orders.shape[1])
        self._bounds = np.full(len(block.centers), np.iinfo(np.int64).max // 2)

    def best(self) -> Offer | None:
        """Find the best centre and radius."""
        hope = int(np.maximum(self._gains, 0).sum(dtype=np.int64))
        sequence = np.argsort(-self._bounds, kind="stable")
        value, j = kernels.best_ball(
            self._orders, self._lengths, self._last, self._outward, self._gains, hope, sequence, self._bounds
        )
        if j < 0:
            return None
        return Offer(int(value), (self._block.first + int(j),), self._ball(int(j), int(value)))

    def _ball(self, j: int, value: int) -> Ball:
        outward, reach = bool(self._outward[j]), self._block.reach
        order = self._orders[j, : self._lengths[j]]
        size = kernels.ball_size(order, self._last, outward, self._gains, value, reach)
        # in the order of rejection; of rows that are equally far, a border that must be kept is a P-row
        rows = (order if outward else order[::-1]) & (self._last - 1)
        border = int(rows[size - 1])
        if reach:
            tied = rows[size : self._end_of_group(j, size)]
            costly = tied[self._gains[tied] < 0]
            border = int(costly[0] if len(costly) else tied[0])
        center = int(self._block.centers[j])
        distance = float(self._block.points.distances(center)[border])
        return self._block.points.ball(center, beside(distance, outside=outward == reach))

    def _end_of_group(self, j: int, start: int) -> int:
        """Find where the group of equally far rows ends that starts at a place in the order of rejection."""
        order = self._orders[j, : self._lengths[j]]
        marked = (order & self._last) != 0
        ends = marked if self._outward[j] else np.append(marked[-2::-1], True)
        return start + 1 + int(np.argmax(ends[start:]))

    def drop(self, rejected: Booleans) -> None:
        """Forget rows: a ball that turned away P-rows in vain gains their cost back at most."""
        self._bounds -= min(0, int(np.minimum(self._gains[rejected], 0).sum(dtype=np.int64)))
        self._gains[rejected] = 0
        n_alive = int(np.count_nonzero(self._gains))
        if n_alive < COMPACT_BELOW * self._lengths[0]:
            shared = self._orders is self._block.orders
            self._orders, self._lengths = compacted(
                self._orders, self._lengths, self._gains, self._last, n_alive, shared
            )
