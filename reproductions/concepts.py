"""What the trials of paper 5 share: the concepts to learn, and samples of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from laconic._table import Booleans, Floats


class Concept(Protocol):
    """Something to learn: where it can be drawn from, and which rows it holds for."""

    def draw(self, n_samples: int, random: np.random.Generator) -> Floats:
        """Draw rows from the whole space."""

    def holds(self, X: Floats) -> Booleans:
        """Return which rows are positive."""


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
        """Return which rows lie in all halfspaces."""
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
        """Return which corners are symmetric."""
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
