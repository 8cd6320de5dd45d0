"""How often does a certificate fail? Draw, fit, compare with the true risk; count.

An estimator with a ``certificate_`` joins by one entry of `REGISTERED` in ``tests/simulation/registered.py``;
everything in this directory then runs for it, and ``make simulation`` has its rows.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import binomtest
from sklearn.base import BaseEstimator

import laconic

DELTAS = (0.05, 0.5)
LEVEL = 1e-4  # so small that many cells do not cry wolf


@dataclass(frozen=True)
class Cell:
    """An estimator in a world.

    Parameters
    ----------
    name : str
        What is tried.
    world : object
        Has ``draw(n_samples, rng)`` and ``risk(model)``.
    n_samples : int
        Rows of each draw.
    make : callable
        From delta to an estimator.
    weigh : callable or None
        From labels to weights.
    delta_matters : bool
        Whether the estimator chooses by its bound; if not, one fit serves every delta.
    view : callable
        From the fitted model to what is judged: something with ``predict`` and ``certificate_``.
    attribute : str
        Under which name the model carries that certificate; ``[]`` stands for every place in a list.
    fits : callable or None
        From delta, labels and a generator to several estimators, each with further arguments of its ``fit``; all are
        fitted to each draw: an adversary who keeps the fit whose promise is broken, if there is one.
    """

    name: str
    world: Any
    n_samples: int
    make: Callable[[float], Any]
    weigh: Callable[[Any], Any] | None = None
    delta_matters: bool = False
    view: Callable[[Any], Any] = lambda model: model
    attribute: str = "certificate_"
    fits: Callable[[float, Any, Any], Any] | None = None

    def draw(self, rng):
        """Draw rows, labels and the further arguments of ``fit``."""
        X, y = self.world.draw(self.n_samples, rng)
        return X, y, self.others(y)

    def others(self, y):
        """Return the further arguments of ``fit``."""
        return {} if self.weigh is None else {"sample_weight": self.weigh(y)}

    def fit(self, rng, delta=0.05):
        """Draw a sample and fit it."""
        X, y, others = self.draw(rng)
        return X, y, self.make(delta).fit(X, y, **others)

    def worst(self, rng, deltas):
        """Draw a sample; give, for each delta, bound and risk of the fit that is nearest to breaking its promise."""
        X, y, others = self.draw(rng)
        fits = [(self.make(deltas[0]), others)] if self.fits is None else self.fits(deltas[0], y, rng)
        views = [self.view(estimator.fit(X, y, **further)) for estimator, further in fits]
        risks = [self.world.risk(view) for view in views]
        found = [
            [(bound_at(view.certificate_, delta), risk) for view, risk in zip(views, risks, strict=True)]
            for delta in deltas
        ]
        return [max(pairs, key=lambda pair: pair[1] - pair[0]) for pairs in found]


def bound_at(certificate, delta):
    """Read a bound; one that says nothing of what it rests on can be read at its own delta only."""
    return (certificate if delta == certificate.delta else certificate.at(delta)).risk_bound


@dataclass(frozen=True)
class Registration:
    """What the harness knows about an estimator class.

    Parameters
    ----------
    cells : list of Cell
        Its worlds.
    reconstruct : callable
        The room's module function of (examples, message).
    stored : callable
        From a fitted model to the hypothesis that it uses.
    same : callable
        Whether two hypotheses are the same, on some rows.
    recertify : callable
        From a fitted model, rows and labels to the certificate that these rows would give its hypothesis.
    encodings : callable
        From a fitted model to the encoding behind each statement of its certificate.
    """

    cells: list[Cell]
    reconstruct: Callable[[Any, Any], Any]
    stored: Callable[[Any], Any]
    same: Callable[[Any, Any, Any], bool]
    recertify: Callable[[Any, Any, Any], Any]
    encodings: Callable[[Any], Any] = lambda model: [model._encoding] * len(model.certificate_.statements)


def certified_estimators() -> set[type]:
    """Find the public estimators of laconic that have a ``certificate_``.

    Those of a cluster are left out: `tests.clusters` compares their files with those of the local ones, byte for byte.
    """
    found = set()
    names = [module.name for module in pkgutil.walk_packages(laconic.__path__, "laconic.")]
    for name in names:
        if name.endswith("__main__") or name.startswith("laconic.dask"):
            continue
        for _, member in inspect.getmembers(importlib.import_module(name), inspect.isclass):
            if is_certified(member):
                found.add(member)
    return found


def is_certified(member: type) -> bool:
    """Whether a class is a concrete public estimator whose code, or that of a parent, speaks of ``certificate_``."""
    return (
        issubclass(member, BaseEstimator)
        and not member.__name__.startswith("_")
        and hasattr(member, "fit")
        and not getattr(member, "__abstractmethods__", None)
        and any("certificate_" in _source(parent) for parent in member.__mro__)
    )


def _source(member: type) -> str:
    try:
        return inspect.getsource(member)
    except (OSError, TypeError):
        return ""


@dataclass(frozen=True)
class Count:
    """What a simulation found for one cell and one delta."""

    cell: str
    delta: float
    draws: int
    violations: int
    median_bound: float
    median_risk: float

    @property
    def p_value(self) -> float:
        """The chance of so many violations if they came with probability delta."""
        return float(binomtest(self.violations, self.draws, self.delta, alternative="greater").pvalue)

    @property
    def holds(self) -> bool:
        return self.p_value >= LEVEL


def draws(name: str, cell: Cell, n_draws: int) -> dict[float, Any]:
    """Draw and fit; return bound and risk of each draw, for each delta. Each cell has its own seed."""
    results = {delta: np.empty((n_draws, 2)) for delta in DELTAS}
    for delta in DELTAS if cell.delta_matters else DELTAS[:1]:
        rng = np.random.default_rng([zlib.crc32(name.encode()), int(1000 * delta)])
        read = (delta,) if cell.delta_matters else DELTAS
        for draw in range(n_draws):
            for each, found in zip(read, cell.worst(rng, read), strict=True):
                results[each][draw] = found
    return results


def fingerprint(name: str, cell: Cell) -> str:
    """Return what tells whether a cell's figures are still those of the code: a digest of its first draws."""
    first = draws(name, cell, 4)
    return f"{zlib.crc32(repr([np.round(first[delta], 9).tolist() for delta in DELTAS]).encode()):08x}"


def simulate(name: str, cell: Cell, n_draws: int) -> list[Count]:
    """Draw, fit and compare."""
    results = draws(name, cell, n_draws)
    return [
        Count(name, delta, n_draws, int((found[:, 1] > found[:, 0]).sum()), *map(float, np.median(found, axis=0)))
        for delta, found in results.items()
    ]
