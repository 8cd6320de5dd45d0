"""What every covering machine shares: how balls read, and the steps from rows to blocks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic._base import CombinationClassifier
from laconic._distances import as_columns, norm_of
from laconic._table import Table
from laconic._validation import read_training, read_weights, two_classes
from laconic.certificates import percent
from laconic.covering.ball_scheme import may_follow
from laconic.covering.balls import centers_of
from laconic.covering.family import Family
from laconic.covering.greedy import Block, Solution
from laconic.covering.problem import Sample
from laconic.covering.scheme import Sealed
from laconic.rules import Ball, Rule, SoftBall, column_name, number_text


class CoveringMachine(CombinationClassifier):
    """A conjunction or disjunction of rules that families of features offer."""

    class_weight: Any

    @abstractmethod
    def _families(self) -> tuple[Family, ...]:
        """Give all families that may take part."""

    def _read_sample(self, X: Any, y: Any, sample_weight: Any) -> tuple[Sample, NDArray[Any]]:
        """Check what was passed to ``fit``; give the rows and the two classes."""
        if len({family.pairwise for family in self._families()}) > 1:
            raise ValueError(
                "With precomputed distances a column is the distance to a row, so thresholds and literals would speak "
                "of rows that their certificate does not pay for. Use balls alone, or pass the table instead."
            )
        allows = self._allows()
        table, labels = read_training(self, X, y, **allows | {"allow_nan": True})
        if not allows["allow_nan"] and any(table.column(j).missing().any() for j in range(table.n_columns)):
            raise ValueError(
                "Input X contains NaN, and balls need every value to measure a distance. Drop the rows that have "
                'missing values, or use SetCoveringClassifier with features="stumps" or "literals", which take them.'
            )
        classes, positive = two_classes(labels)
        return Sample(table, positive, read_weights(sample_weight, self.class_weight, table, labels)), classes

    def _finish(self, sample: Sample, classes: NDArray[Any], sealed: Sealed, path: Solution) -> Any:
        """Store what was fitted, and remember what is needed to speak about balls."""
        names = self._names()
        self._ball_notes = {
            rule: note_on(rule, sample, names) for rule in path.rules if isinstance(rule, Ball | SoftBall)
        }
        return self._store(
            sample.table.kinds,
            sample.positive.astype(np.int64),
            path.decided,
            hypothesis_=sealed.hypothesis,
            certificate_=sealed.certificate,
            _encoding=sealed.encoding,
            classes_=classes,
            rules_=path.rules,
            path_=path.steps,
        )

    def _short(self, rule: Rule) -> str:
        if not isinstance(rule, Ball | SoftBall):
            return super()._short(rule)
        side = "within" if rule.label else "not within"
        radius = (rule.radius,) if isinstance(rule, Ball) else (rule.inner, rule.outer)
        return f"{side} {' to '.join(map(number_text, radius))} of row {self._ball_notes[rule][0]}"

    def _details(self, rule: Rule) -> str:
        return self._ball_notes[rule][1] if isinstance(rule, Ball | SoftBall) else super()._details(rule)

    def _allows(self) -> dict[str, bool]:
        families = self._families()
        return {
            "allow_nan": all(family.accepts_missing for family in families),
            "accept_sparse": all(family.accepts_sparse for family in families),
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            allowed = self._allows()
        except ValueError:  # a wrong parameter is fit's to report
            return tags
        tags.input_tags.allow_nan = allowed["allow_nan"]
        tags.input_tags.sparse = allowed["accept_sparse"]
        tags.input_tags.pairwise = any(family.pairwise for family in self._families())
        return tags


def note_on(ball: Ball | SoftBall, sample: Sample, names: Sequence[str] | None) -> tuple[int, str]:
    """Find a ball's centre among the rows, and say where it is and which columns its distances are made of.

    The share of a column is its part of the distance (of its square, for the Euclidean one; for the largest difference,
    how often it is the largest), on average over the rows inside.
    """
    if isinstance(ball.center, int):
        return ball.center, ""
    row = int(np.argmax(centers_of(ball, sample)))
    where = ", ".join(f"{column_name(j, names)} {number_text(value)}" for j, value in enumerate(ball.center))
    norm = norm_of(ball.metric)
    if norm is None:
        return row, f"at {where}"
    radius, scale = (ball.radius, ball.scale) if isinstance(ball, Ball) else (ball.outer, ())
    inside = sample.table.matrix()[ball.distances(sample.table) <= radius]
    parts = np.abs(as_columns(inside - np.asarray(ball.center), scale).T)
    if norm == 2:
        parts = parts**2
    elif norm == 0:
        parts = (parts == parts.max(axis=1, keepdims=True)) & (parts > 0)
    total = parts.sum(axis=1, keepdims=True)
    apart = total[:, 0] > 0
    if not apart.any():
        return row, f"at {where}"
    shares = (parts[apart] / total[apart]).mean(axis=0)
    most = np.argsort(-shares, kind="stable")[:3]
    columns = ", ".join(f"{column_name(j, names)} {percent(round(shares[j], 2))}" for j in most if shares[j] > 0)
    return row, f"at {where}; distances inside are made of {columns}"


def make_blocks(
    sample: Sample, families: Sequence[Family], names: Sequence[str] | None, n_jobs: int
) -> list[tuple[int, Block]]:
    """Give the candidates of all families, each block with the position of its family."""
    usable = columns_of(families, sample.table, names)
    return [
        (position, block)
        for position, family in enumerate(families)
        for block in family.blocks(sample, usable[position], n_jobs)
    ]


def theorem_52_applies(families: Sequence[Family], penalties: Sequence[float]) -> bool:
    """Tell from the constructor's parameters alone whether balls that reach are all there is, and never err on P."""
    return may_follow(families) and bool(np.isinf(penalties).all())


def columns_of(families: Sequence[Family], table: Table, names: Sequence[str] | None) -> list[list[int]]:
    """Find the columns that each family can use; a column that none can use is refused."""
    usable: list[list[int]] = [[] for _ in families]
    for column in range(table.n_columns):
        complaints = [family.complaint(table, column, names) for family in families]
        if all(complaints):
            raise ValueError(complaints[0])
        for position, complaint in enumerate(complaints):
            if complaint is None:
                usable[position].append(column)
    return usable
