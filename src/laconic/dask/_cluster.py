"""Rows in the memory of a Dask cluster: partitions become parts once, and tasks are run on every part."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from laconic._progress import report
from laconic._table import Kind, Table, as_table
from laconic.covering.parts import Part, part_of

_AT_ONCE = 8  # answers that are joined in one task


class Peeked(NamedTuple):
    """What a partition shows at first sight.

    Parameters
    ----------
    n_rows : int
        How many rows it has.
    classes, counts : ndarray
        Its labels, and how many rows have each.
    kinds : tuple of str
        What its columns hold, by their types and, of columns without a value, by nothing.
    undeclared : frozenset of int
        Columns whose type does not say what they hold.
    """

    n_rows: int
    classes: NDArray[Any]
    counts: NDArray[np.int64]
    kinds: tuple[Kind, ...]
    undeclared: frozenset[int]


def read_block(blocks: Any, target: str | None, drop: bool) -> tuple[Any, Any]:
    """Join the blocks of some rows, and take the column to predict apart, if it is one of theirs."""
    block: Any = np.hstack(blocks) if isinstance(blocks, list) else blocks
    if target is None:
        return block, None
    return block.drop(columns=target) if drop else block, np.asarray(block[target])


def peek(blocks: Any, labels: Any, target: str | None) -> Peeked:
    """Look at a partition for the first time."""
    X, own = read_block(blocks, target, drop=True)
    labels = own if labels is None else np.asarray(labels)
    if len(labels) != len(X):
        raise ValueError(f"A partition of {len(X)} rows has {len(labels)} labels; X and y must be partitioned alike.")
    if labels.dtype == object and any(label is None or label != label for label in labels):
        raise ValueError("Input y contains NaN.")
    table = as_table(X)
    return Peeked(len(X), *np.unique(labels, return_counts=True), table.kinds, table.undeclared)


def load(
    pieces: Sequence[tuple[Any, Any, Any]],
    target: str | None,
    classes: NDArray[Any],
    factors: tuple[float, float],
    starts: Sequence[tuple[int, int]],
) -> list[Part]:
    """Read some partitions into parts, each with how many rows, and how many positive ones, come before it."""
    parts = []
    for (blocks, labels, weights), (start, n_positive) in zip(pieces, starts, strict=True):
        X, own = read_block(blocks, target, drop=True)
        codes = np.searchsorted(classes, own if labels is None else np.asarray(labels)).astype(np.uint8)
        given = None if weights is None else np.asarray(weights, dtype=np.float64)
        parts.append(Part(part_of(_by_columns(as_table(X)), codes, given, factors), start, given, n_positive))
    return parts


def _by_columns(table: Table) -> Table:
    """Hold a table by its columns, which tasks look at one after the other."""
    columns = tuple(table.column(index) for index in range(table.n_columns))
    return Table(columns, table.n_rows, table.n_columns)


def told(task: Any) -> Any:
    """Hand a task over; so the scheduler keeps it once, and not with each part."""
    return task


def ask(task: Any, parts: Sequence[Part]) -> Any:
    """Run a task on some parts, and add up the answers."""
    return reduce(task.add, map(task, parts))


def join(task: Any, *answers: Any) -> Any:
    """Add up answers."""
    return reduce(task.add, answers)


@dataclass(frozen=True, eq=False)
class ClusterHolder:
    """Rows in the memory of a cluster.

    Parameters
    ----------
    client : distributed.Client
        Who speaks to the cluster.
    packs : list of Future
        Lists of parts, in the order of their rows. Dask knows how each was made, and makes lost ones again.
    """

    client: Any
    packs: list[Any]

    def total(self, task: Any) -> Any:
        """Run a task on every part, and add up the answers in a tree."""
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(task).__name__).lower()
        run = uuid4().hex
        report("tasks", 0, len(self.packs))
        handed = self.client.submit(told, task, key=f"{name}_told-{run}")
        answers = [self.client.submit(ask, handed, pack, key=(f"{name}-{run}", i)) for i, pack in enumerate(self.packs)]
        level = 0
        while len(answers) > 1:
            level += 1
            groups = [answers[i : i + _AT_ONCE] for i in range(0, len(answers), _AT_ONCE)]
            answers = [
                self.client.submit(join, handed, *group, key=(f"{name}_sum-{run}", level, i))
                for i, group in enumerate(groups)
            ]
        return answers[0].result()
