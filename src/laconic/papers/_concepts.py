"""What the trials of paper 5 share: the concepts to learn, samples of them, and rows that judge what came out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from laconic._table import Booleans, Floats


@dataclass(frozen=True)
class Row:
    """One figure of the paper beside ours, and whether it was reached.

    Parameters
    ----------
    what : str
        The table or figure, the problem, and what was measured.
    order : str
        In which order negatives are tried: "nearest", or "random" as in the paper.
    paper, tolerance : float
        The paper's figure, and how far on the wrong side of it ours may be: one standard deviation of the paper's,
        where it gives one.
    ours, spread : float
        Mean and standard deviation over our runs.
    runs : int
        How many runs.
    fewer_is_better : bool
        Whether a smaller figure is the better one.
    note : str
        Why it is worse, or in which reading it holds.
    """

    what: str
    order: str
    paper: float
    tolerance: float
    ours: float
    spread: float
    runs: int
    fewer_is_better: bool = False
    note: str = ""

    @property
    def verdict(self) -> str:
        """Say "better" (by more than the tolerance), "met" (within it) or "worse"."""
        lead = (self.paper - self.ours) if self.fewer_is_better else (self.ours - self.paper)
        return "better" if lead > self.tolerance else "met" if lead >= -self.tolerance else "worse"

    def __str__(self) -> str:
        text = f"{self.what:58} {self.order:8} {self.paper:7.4g}  {self.ours:8.2f} ± {self.spread:5.2f} {self.runs:5}"
        return f"{text}  {self.verdict}" + (f": {self.note}" if self.note else "")


def make_row(
    what: str,
    order: str,
    paper: float,
    values: Sequence[float],
    tolerance: float = 0.5,
    fewer_is_better: bool = False,
    note: str = "",
) -> Row:
    """Put the mean of some runs beside the paper's figure; the note is kept where it is worse."""
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    row = Row(what, order, paper, tolerance, float(np.mean(values)), spread, len(values), fewer_is_better, note)
    return row if row.verdict == "worse" else Row(**{**vars(row), "note": ""})


class Concept(Protocol):
    """Something to learn: where it can be drawn from, and which rows it holds for."""

    def draw(self, n_samples: int, random: np.random.Generator) -> Floats:
        """Draw rows from the whole space."""

    def holds(self, X: Floats) -> Booleans:
        """Tell which rows are positive."""


@dataclass(frozen=True, eq=False)
class Intersection:
    """Rows x of the cube [−1, 1]ⁿ with w·x + b > 0 for each of some halfspaces.

    Parameters
    ----------
    weights : ndarray of shape (n_halfspaces, n_features)
        Their weights.
    biases : ndarray of shape (n_halfspaces,)
        Their biases.
    """

    weights: Floats
    biases: Floats

    @classmethod
    def uniform(cls, n_features: int, n_halfspaces: int, random: np.random.Generator) -> Intersection:
        """Draw weights and biases from [−1, 1], as for figures 3, 5 and 6."""
        return cls(random.uniform(-1, 1, (n_halfspaces, n_features)), random.uniform(-1, 1, n_halfspaces))

    @classmethod
    def orthogonal(cls, n_features: int, random: np.random.Generator) -> Intersection:
        """Draw two orthogonal halfspaces through the origin, as for table 1."""
        directions, _ = np.linalg.qr(random.standard_normal((n_features, 2)))
        return cls(directions.T, np.zeros(2))

    @classmethod
    def slab(cls, n_features: int, distance: float, random: np.random.Generator) -> Intersection:
        """Draw two parallel planes at a distance from the origin, one on either side, as for figure 4."""
        direction = random.standard_normal(n_features)
        direction /= np.linalg.norm(direction)
        return cls(np.stack([direction, -direction]), np.full(2, distance))

    def draw(self, n_samples: int, random: np.random.Generator) -> Floats:
        """Draw rows from the cube."""
        return random.uniform(-1, 1, (n_samples, self.weights.shape[1]))

    def holds(self, X: Floats) -> Booleans:
        """Tell which rows lie in all halfspaces."""
        return np.asarray((X @ self.weights.T + self.biases > 0).all(axis=1))


@dataclass(frozen=True)
class Mirror:
    """Corners of the hypercube {−1, 1}ⁿ whose second half is the first half reversed.

    Parameters
    ----------
    n_features : int
        The dimension, an even number.
    """

    n_features: int

    def draw(self, n_samples: int, random: np.random.Generator) -> Floats:
        """Draw corners, one half of them from the symmetric ones, which chance would hardly ever give."""
        X = random.choice([-1.0, 1.0], size=(n_samples, self.n_features))
        half = self.n_features // 2
        symmetric = random.random(n_samples) < 0.5
        X[symmetric, half:] = X[symmetric, :half][:, ::-1]
        return X

    def holds(self, X: Floats) -> Booleans:
        """Tell which corners are symmetric."""
        return np.asarray((X[:, ::-1] == X).all(axis=1))


def balanced(concept: Concept, n_samples: int, random: np.random.Generator) -> tuple[Floats, Booleans]:
    """Draw as many positive as negative rows, the positive ones first.

    Examples
    --------
    >>> X, y = balanced(Mirror(6), 10, np.random.default_rng(0))
    >>> X.shape, int(y.sum()), bool((X[0] == X[0][::-1]).all())
    ((10, 6), 5, True)
    """
    parts: list[list[Floats]] = [[], []]
    while any(sum(map(len, part)) < n_samples // 2 for part in parts):
        X = concept.draw(n_samples, random)
        positive = concept.holds(X)
        parts[0].append(X[positive])
        parts[1].append(X[~positive])
    X = np.concatenate([np.concatenate(part)[: n_samples // 2] for part in parts])
    return X, np.arange(len(X)) < n_samples // 2


def balanced_score(predicted: Any, positive: Booleans) -> float:
    """Average the two rates, of positive and of negative rows that are right, in per cent."""
    right = predicted == positive
    return float(100 * (right[positive].mean() + right[~positive].mean()) / 2)


def growth(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Fit the exponent e of values ~ sizes^e.

    Examples
    --------
    >>> round(growth([1, 2, 4], [3, 12, 48]), 6)
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def in_parallel(trial: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], n_jobs: int) -> list[Any]:
    """Run a trial for each task, in so many processes; results in the order of the tasks."""
    if n_jobs == 1:
        return [trial(*task) for task in tasks]
    from joblib import Parallel, delayed

    return list(Parallel(n_jobs=n_jobs)(delayed(trial)(*task) for task in tasks))
