"""Choosing among machines: folds that all share, what each reaches on them, and the shortest of those that are best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from laconic._kept import Count, Fraction, Text
from laconic._table import Floats, Integers

N_FOLDS = 5


@dataclass(frozen=True)
class Candidate:
    """A machine that was tried, or could not be: a line of the table of all candidates."""

    machine: Text
    settings: dict[str, Any]
    error: float | None = None
    standard_error: float | None = None
    words: Count | None = None
    bound: Fraction | None = None
    seconds: float = 0.0
    why_not: Text = ""


def draw_folds(groups: Integers, random_state: int, n_folds: int = N_FOLDS) -> Integers:
    """Deal rows to folds at random, those of each group evenly; no fold is empty if there are rows enough."""
    n_folds = max(2, min(n_folds, len(groups)))
    shuffled = np.random.RandomState(random_state).permutation(len(groups))
    by_group = shuffled[np.argsort(groups[shuffled], kind="stable")]
    folds = np.empty(len(groups), dtype=np.int64)
    folds[by_group] = np.arange(len(groups)) % n_folds
    return folds


def nearly_best(tried: Sequence[Any]) -> list[int]:
    """Name those that lose no more than the best, but for one standard error of the difference, row by row."""
    losses = np.array([each.losses for each in tried])
    best = min(range(len(tried)), key=lambda i: (losses[i].sum(), tried[i].words, i))
    more = losses - losses[best]
    spread = more.std(axis=1, ddof=min(1, more.shape[1] - 1)) / np.sqrt(more.shape[1])
    return [int(i) for i in np.flatnonzero(more.mean(axis=1) <= spread)]


def standard_error(losses: Floats) -> float:
    """Give the standard error of a mean."""
    return float(losses.std(ddof=1) / np.sqrt(len(losses))) if len(losses) > 1 else 0.0
