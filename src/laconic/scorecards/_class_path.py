"""Which terms bring points to which classes: one pair after the other, by the logistic loss of all classes together.

With the values z of the terms, a weight w for each chosen pair of term and class and a constant b for each class, row i
has the sums s(i, a) = b(a) + Σ w(j, a)·z(i, j), the chances p(i, a) = exp s(i, a) / Σ exp s(i, ·), and

    L(w, b) = −Σ ln p(i, yᵢ) + ½ Σ λ(j) w(j, a)²        (the constants are hardly held back).

A pair's next Newton step, with the constant of its class moving along, lowers it by about g² / 2(h + λ), where
g = Σ zᵢⱼ (1[yᵢ = a] − pᵢₐ), and h is what z varies, rows weighing p(1 − p). The best pair joins; once there are twenty,
a tenth as many at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from laconic._progress import heed
from laconic._table import Floats, Integers
from laconic._threads import in_one_thread
from laconic.scorecards._path import stepped

_FEW = 10  # pairs for each one that joins at the same time
_LEAST = 1e-3  # by how much the loss must fall
_FIRST_STEPS, _LAST_STEPS = 2, 10  # of Newton's method: after each pair that joins, and before weights are rounded
_HELD = 1e-3  # by how much constants are held back


@dataclass(frozen=True, eq=False)
class Pairs:
    """Terms with classes, and the weight of each.

    Parameters
    ----------
    terms, classes : ndarray of int64
        The term and the class of each pair.
    weights : ndarray of float
        What the term brings to the class.
    constants : ndarray of float
        One for each class.
    """

    terms: Integers
    classes: Integers
    weights: Floats
    constants: Floats

    def __len__(self) -> int:
        return len(self.terms)

    def sums(self, values: Floats) -> Floats:
        """Add up what each class gets on each row."""
        found = np.tile(self.constants, (len(values), 1))
        for term, code, weight in zip(self.terms, self.classes, self.weights, strict=True):
            found[:, code] += weight * values[:, term]
        return found


def n_joining(n_chosen: int) -> int:
    """Return how many pairs join so many at once: the same whatever the limit, so that short tables begin longer ones.

    Examples
    --------
    >>> [n_joining(n_chosen) for n_chosen in (0, 10, 20, 39)]
    [1, 1, 2, 3]
    """
    return max(1, n_chosen // _FEW)


@in_one_thread
def class_path(values: Floats, held: Floats, codes: Integers, n_classes: int, most: int) -> list[Pairs]:
    """Choose 0, 1, 2, ... pairs; it ends where none lowers the loss.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_terms)
        What the terms are on the rows.
    held : ndarray of float
        λ, by how much the weights of each term are held back.
    codes : ndarray of int64
        The class of each row.
    n_classes, most : int
        How many classes there are, and how many pairs there may be.
    """
    return list(_stops(values, held, codes, n_classes, most))


def _stops(values: Floats, held: Floats, codes: Integers, n_classes: int, most: int) -> Iterator[Pairs]:
    labels = np.eye(n_classes)[codes]
    none = np.empty(0, dtype=np.int64)
    chosen = fitted(Pairs(none, none, np.empty(0), np.log(labels.mean(axis=0) + _HELD)), values, held, labels)
    squares = values**2
    while True:
        yield chosen
        n_more = n_joining(len(chosen))
        if len(chosen) + n_more > most:
            return
        heed()
        gains = _gains(chosen, values, squares, held, labels)
        best = np.argsort(-gains, axis=None, kind="stable")[:n_more]
        best = best[gains.ravel()[best] > _LEAST]
        if not len(best):
            return
        longer = Pairs(
            np.append(chosen.terms, best // n_classes),
            np.append(chosen.classes, best % n_classes),
            np.append(chosen.weights, np.zeros(len(best))),
            chosen.constants,
        )
        chosen = fitted(longer, values, held, labels, _FIRST_STEPS)


def _gains(chosen: Pairs, values: Floats, squares: Floats, held: Floats, labels: Floats) -> Floats:
    """Return by how much each pair of term and class would lower the loss, about; nothing for those that are there."""
    chances = chances_of(chosen.sums(values))
    bent = chances * (1 - chances) + 1e-9
    mixed = values.T @ bent
    varies = squares.T @ bent - mixed**2 / bent.sum(axis=0)
    gains = (values.T @ (labels - chances)) ** 2 / (np.maximum(varies, 0.0) + held[:, None]) / 2
    gains[chosen.terms, chosen.classes] = 0.0
    if labels.shape[1] == 2:  # what is said for one speaks against the other
        gains[:, 0] = 0.0
    return np.asarray(gains)


def fitted(chosen: Pairs, values: Floats, held: Floats, labels: Floats, steps: int = _LAST_STEPS) -> Pairs:
    """Fit weights and constants of chosen pairs by Newton's method; a step that would raise the loss is halved."""
    n_classes = labels.shape[1]
    of_class = np.concatenate([np.arange(n_classes), chosen.classes])
    design = np.column_stack([np.ones((len(values), n_classes)), values[:, chosen.terms]])
    back = np.append(np.full(n_classes, _HELD), held[chosen.terms])
    same, codes = of_class[:, None] == of_class, labels.argmax(axis=1)

    def sums(weights: Floats) -> Floats:
        return Pairs(chosen.terms, chosen.classes, weights[n_classes:], weights[:n_classes]).sums(values)

    def losing(weights: Floats) -> float:
        return class_loss(sums(weights), codes) + float(back @ weights**2) / 2

    weights = np.append(chosen.constants, chosen.weights)
    lost = losing(weights)
    for _ in range(steps):
        chances = chances_of(sums(weights))
        slope = (design * (labels - chances)[:, of_class]).sum(axis=0) - back * weights
        weighed = design * chances[:, of_class]
        bend = np.where(same, weighed.T @ design, 0.0) - weighed.T @ weighed
        step = np.linalg.solve(bend + np.diag(back + 1e-9), slope)
        weights, lost = stepped(weights, step, lost, losing)
        if np.abs(step).max() < 1e-5:
            break
    return Pairs(chosen.terms, chosen.classes, weights[n_classes:], weights[:n_classes])


def chances_of(sums: Floats) -> Floats:
    """Turn sums into chances: those of a row add up to one.

    Examples
    --------
    >>> chances_of(np.array([[0.0, 0.0], [1000.0, 0.0]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    raised = np.exp(sums - sums.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def class_loss(sums: Floats, codes: Integers) -> float:
    """Add up −ln of the chance of each row's class.

    Examples
    --------
    >>> round(class_loss(np.zeros((2, 4)), np.array([0, 3])), 3)
    2.773
    """
    highest = sums.max(axis=1)
    spread = np.log(np.exp(sums - highest[:, None]).sum(axis=1))
    return float((spread + highest - sums[np.arange(len(sums)), codes]).sum())
