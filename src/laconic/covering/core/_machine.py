"""What every covering machine shares: how balls read, and the steps from rows to blocks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from laconic._base import CombinationClassifier
from laconic._distances import as_columns, norm_of
from laconic._table import Table
from laconic._validation import Training
from laconic.certificates import percent
from laconic.covering.core._family import Family
from laconic.covering.core._greedy import Block
from laconic.covering.core._problem import Sample
from laconic.covering.families._ball_scheme import may_follow
from laconic.covering.families._balls import centers_of
from laconic.rules import Ball, Rule, SoftBall, column_name, number_text


class CoveringMachine(CombinationClassifier):
    """A conjunction or disjunction of rules that families of features offer."""

    _missing_advice = (
        "balls need every value to measure a distance. Drop the rows that have missing values, or use "
        'SetCoveringClassifier with features="stumps" or "literals", which take them.'
    )

    @abstractmethod
    def _families(self) -> tuple[Family, ...]:
        """Give all families that may take part."""

    def _check_table(self, table: Table) -> None:
        if len({family.pairwise for family in self._families()}) > 1:
            raise ValueError(
                "With precomputed distances a column is the distance to a row, so thresholds and literals would speak "
                "of rows that their certificate does not pay for. Use balls alone, or pass the table instead."
            )

    def _read_sample(self, X: Any, y: Any, sample_weight: Any) -> tuple[Sample, Training]:
        """Check what was passed to ``fit``; give what candidates are made from, and all that was read."""
        training = self._read_training(X, y, sample_weight)
        return Sample(training.table, training.positive, training.weights), training

    def _finish(self, training: Training, sealed: Any, rules: Sequence[Rule], *decided: Any, **more: Any) -> Any:
        """Remember, too, what is needed to speak about balls."""
        sample = Sample(training.table, training.positive, training.weights)
        balls = [rule for rule in rules if isinstance(rule, Ball | SoftBall)]
        self._ball_notes = {ball: note_on(ball, sample, self._names()) for ball in balls}
        return super()._finish(training, sealed, rules, *decided, **more)

    def _short(self, rule: Rule) -> str:
        if not isinstance(rule, Ball | SoftBall):
            return super()._short(rule)
        side = "within" if rule.label else "not within"
        radius = (rule.radius,) if isinstance(rule, Ball) else (rule.inner, rule.outer)
        return f"{side} {' to '.join(map(number_text, radius))} of row {self._ball_notes[rule][0]}"

    def _details(self, rule: Rule) -> str:
        return self._ball_notes[rule][1] if isinstance(rule, Ball | SoftBall) else super()._details(rule)

    def _allows(self) -> dict[str, Any]:
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
