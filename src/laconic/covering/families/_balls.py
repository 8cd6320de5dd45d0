"""Balls around examples: the data-dependent features of paper 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np

from laconic._distances import Metric, beside, is_precomputed
from laconic._sklearn_compat import Interval, StrOptions
from laconic._table import Booleans, Integers, Table
from laconic.certificates import Encoding, order_by_value, percent, repeats_nats
from laconic.covering.core._family import Family, Paired, register
from laconic.covering.core._greedy import Block, Solution
from laconic.covering.core._problem import Problem, Sample
from laconic.covering.core._streams import StreamedSample
from laconic.covering.core._tasks import Part
from laconic.covering.families._ball_blocks import BallBlock, Points, at_most, refuse_too_many
from laconic.covering.families._ball_centers import (
    Centers,
    ChooseCenters,
    dyadic,
    exponents_elsewhere,
    rows_of_class,
    smallest_keys,
)
from laconic.covering.families._ball_notes import Inside, LookInside
from laconic.covering.families._ball_scheme import (
    BallTemplate,
    border_is_outside,
    centers_of,
    encode_reaching,
    theorem_52,
)
from laconic.covering.families._streamed_balls import StreamedBalls
from laconic.rules import Ball, Combination, SoftBall, column_name, number_text


@register
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
        Take no more than this many centres: the different rows whose values and class give the smallest keys, which
        are as good as drawn, and do not depend on where rows stand (with precomputed distances: a sample drawn with a
        fixed seed). A table on disk needs it. Without it the orders of all rows around all rows are kept, m² numbers
        of two (up to 32,768 rows) or four bytes, 2 GiB at the most.

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
    >>> print(SetCoveringClassifier("conjunction", Balls(), penalty=1.0).fit(X, y).rules_[0])
    within 0.223606… of (x0 0, x1 0)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "metric": [str, callable],
        "centers": [StrOptions({"both", "positive", "negative"})],
        "radius": [StrOptions({"reach", "tight"})],
        "scale": [StrOptions({"dyadic"}), None],
        "max_centers": [Interval(Integral, 1, None, closed="left"), None],
    }
    name = "balls"
    makes = (Ball, SoftBall)
    max_slots = 2
    kinds_are_paid = False  # where a column holds anything but numbers there are no balls
    noted = True
    missing_advice = (
        "balls need every value to measure a distance. Drop the rows that have missing values, or use "
        'SetCoveringClassifier with features="stumps" or "literals", which take them.'
    )

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
    def streams(self) -> bool:  # type: ignore[override]
        """Whether rows may stay where they are: with so many centres at the most."""
        return self.max_centers is not None and not self.pairwise

    @property
    def held_of_row(self) -> int:  # type: ignore[override]
        """Bytes that are held of a row in memory: its place in the order around each centre, and while it is found."""
        return 8 * (self.max_centers or 0)

    @property
    def pairwise(self) -> bool:  # type: ignore[override]
        """Whether X holds distances."""
        return is_precomputed(self.metric)

    def complaint(self, table: Table, column: int, names: Sequence[str] | None) -> str | None:
        """Refuse categories, sparse tables and packed flags."""
        if column < table.n_packed:
            return f"Column {column_name(column, names)!r} is a packed flag, and Balls need numbers; use Literals."
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
        if self.pairwise and sample.table.n_rows != sample.table.n_columns:
            raise ValueError(
                f"Precomputed distances must be a square matrix, got {sample.table.n_rows} rows and "
                f"{sample.table.n_columns} columns."
            )
        if len(columns) < sample.table.n_columns:
            raise ValueError("Balls measure distances over all columns; code or drop the columns that are not numbers.")
        if isinstance(sample, StreamedSample):
            return [self._streamed_block(sample)]
        points = Points(sample, self.metric, self._exponents(sample))
        centers = self._centers(sample)
        bytes_each = 4 if sample.table.n_rows > 2**15 else 2
        advice = "Set max_centers={most} or less: Balls(max_centers=...)."
        refuse_too_many(len(centers), sample, bytes_each, advice)
        parts = np.array_split(np.arange(len(centers)), n_blocks)
        return [
            BallBlock(points, centers[part], int(part[0]), self.radius == "reach") for part in parts if len(part) > 0
        ]

    def _streamed_block(self, sample: StreamedSample) -> StreamedBalls:
        """Leave the rows where they are."""
        most = int(self.max_centers or 0)  # without it, nothing streams
        chosen: Centers = sample.holder.total(ChooseCenters(sample.table.n_columns, self.centers, most))
        first = np.arange(len(chosen.positive))[:most]
        centers = Centers(chosen.table.take(first), chosen.positive[first])
        return StreamedBalls(sample, centers, self.metric, self._exponents(sample), self.radius == "reach")

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
        """Return which rows are the centre, and which are as far from it as the border."""
        outside = border_is_outside(rule.label, problem.any_holds, self.radius == "reach")
        distances = rule.distances(problem.table)
        return [centers_of(rule, problem), beside(distances, outside=outside) == rule.radius]

    def encode_alone(
        self, solution: Solution, problem: Problem, wrong: Booleans, paired: Paired, strict: bool
    ) -> Encoding:
        """Let borders follow from the set and its labels, where balls reach."""
        if self.radius != "reach":
            return paired()
        return encode_reaching(solution, problem, self, wrong, paired, strict)

    def certificate_notes(
        self, hypothesis: Combination, problem: Problem, encoding: Encoding, delta: float, fixed: bool
    ) -> tuple[str, ...]:
        """Return what theorem 5.2 would give."""
        return theorem_52(hypothesis, problem, encoding, delta, fixed)

    def note_on(self, rule: Ball | SoftBall, sample: Sample, names: Sequence[str] | None) -> tuple[int, str]:
        """Find the centre among the rows, and say where it is and which columns its distances are made of.

        The share of a column is its part of the distance (of its square, for the Euclidean one; for the largest
        difference, how often it is the largest), on average over the rows inside.
        """
        if isinstance(rule.center, int):
            return rule.center, ""
        task = LookInside(rule, sample.table.n_columns)
        found: Inside = sample.holder.total(task) if isinstance(sample, StreamedSample) else task(Part(sample, 0))
        where = ", ".join(f"{column_name(j, names)} {number_text(value)}" for j, value in enumerate(rule.center))
        if found.n_rows == 0:
            return found.row, f"at {where}"
        shares = np.array([float(share / found.n_rows) for share in found.shares])
        most = np.argsort(-shares, kind="stable")[:3]
        columns = ", ".join(f"{column_name(j, names)} {percent(round(shares[j], 2))}" for j in most if shares[j] > 0)
        return found.row, f"at {where}; distances inside are made of {columns}"

    def by_row(self, rule: Ball | SoftBall, row: int) -> str:
        """Name the row of the centre instead of its coordinates."""
        return replace(rule, center=row).describe()

    def _exponents(self, sample: Sample) -> tuple[int, ...]:
        if self.scale is None or self.pairwise:
            return ()
        if isinstance(sample, StreamedSample):
            return exponents_elsewhere(sample)
        X = sample.table.matrix()[sample.rows]
        if len(X) == 0:  # a fold may hold no row that counts
            return (0,) * X.shape[1]
        # by the interquartile range where there is one: it does not depend on the order of the rows, as sums do
        low, high = np.quantile(X, [0.25, 0.75], axis=0, method="inverted_cdf")
        return dyadic(low, high, X.min(axis=0), X.max(axis=0))

    def _centers(self, sample: Sample) -> Integers:
        """Choose the centres, in order of value."""
        rows = rows_of_class(sample, self.centers)
        if self.pairwise:
            return at_most(rows, self.max_centers)
        table, positive = sample.table.take(rows), sample.positive[rows]
        if self.max_centers is None or len(rows) <= self.max_centers:
            return rows[order_by_value(table, positive)]
        return rows[smallest_keys(table, positive, self.max_centers)[: self.max_centers]]
