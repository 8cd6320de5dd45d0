"""The four programmes of this room, each with its way to a reduced programme and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from laconic._table import Floats, Integers
from laconic._words import counted
from laconic.exceptions import NoConsistentConcept
from laconic.minimal._programme import ClassifierProgramme, Kind, Programme, RegressorProgramme, Tight
from laconic.minimal._reduced import Basis, Prices, Reduced, orthogonal_basis

_LARGEST_RATIO = 1e9  # of the largest and the smallest margin: beyond it rounding decides whether classes separate
_ROUNDING = 1e-13  # a part of the targets outside the span that is smaller is none
_BOTH = np.array([[1.0], [-1.0]])


@dataclass(frozen=True, eq=False)
class Bound:
    """Dual variables of the programme itself, and the lower bound that they prove; see `Solution`."""

    upper: Floats
    margin: Floats
    h: float
    eta: float
    value: float


class Form(Protocol):
    """A programme, reduced."""

    reduced: Reduced
    basis: Basis

    def point(self, v: Floats) -> tuple[Floats, float, float]:
        """Give coefficients, bias and η of a point."""

    def bound(self, prices: Prices, value: float) -> Bound:
        """Give the programme's own dual variables, from those of the reduced programme and what they prove there."""

    def tight(self, borders: Integers) -> Tight:
        """Give the tight constraints of a vertex."""


def make_form(programme: Programme) -> Form:
    """Reduce a programme: orthogonal columns, and a feasible and bounded problem where margins are hard."""
    basis = orthogonal_basis(programme.features)
    if isinstance(programme, ClassifierProgramme):
        return HardClassifier(programme, basis) if np.isinf(programme.C) else SoftClassifier(programme, basis)
    return HardRegressor(programme, basis) if np.isinf(programme.C) else SoftRegressor(programme, basis)


class SoftClassifier:
    """Minimise ``h + C Σ s q``: it is a reduced programme as it stands."""

    def __init__(self, programme: ClassifierProgramme, basis: Basis) -> None:
        self.basis = basis
        self.reduced = Reduced(
            design=_with_constant(basis),
            signs=programme.signs[None, :],
            offsets=np.zeros((1, 1)),
            lift=0.0,
            eta_last=False,
            level=1.0,
            costs=programme.C * programme.weights[None, :],
            floor=1.0,
        )

    def point(self, v: Floats) -> tuple[Floats, float, float]:
        """Give coefficients, bias and 1."""
        return (*self.basis.to_coefficients(v[:-1], float(v[-1])), 1.0)

    def bound(self, prices: Prices, value: float) -> Bound:
        """Give the same."""
        return Bound(prices.upper, prices.margin, prices.h, 0.0, value)

    def tight(self, borders: Integers) -> Tight:
        """Give the same, by row."""
        return _tight(self, borders, Kind.UPPER, Kind.MARGIN)


class HardClassifier:
    """Maximise τ where ``τ <= y f <= 1``: then h = 1/τ, and coefficients over τ have margins from 1 to h."""

    def __init__(self, programme: ClassifierProgramme, basis: Basis) -> None:
        self.programme, self.basis = programme, basis
        self.reduced = Reduced(
            design=_with_constant(basis),
            signs=-programme.signs[None, :],
            offsets=np.zeros((1, 1)),
            lift=0.0,
            eta_last=False,
            level=-1.0,
            costs=None,
            floor=None,
        )

    def point(self, v: Floats) -> tuple[Floats, float, float]:
        """Scale coefficients and bias so that the smallest margin is 1, as the features themselves give it."""
        coefficients, bias = self.basis.to_coefficients(v[:-1], float(v[-1]))
        margins = self.programme.margins(coefficients, bias)
        smallest, largest = float(margins.min()), float(margins.max())
        if smallest <= 0 or smallest * _LARGEST_RATIO < largest:
            raise NoConsistentConcept(
                f"No halfspace over {counted(len(coefficients), 'column')} separates the two classes with margins of "
                f"which the largest is at most {_LARGEST_RATIO:g} times the smallest. Use a finite C or another kernel."
            )
        return coefficients / smallest, bias / smallest, 1.0

    def bound(self, prices: Prices, value: float) -> Bound:
        """Let the two kinds change places, and divide all by the bound on τ."""
        largest = max(-value, 1e-300)
        return Bound(prices.margin / largest, prices.upper / largest, 0.0, 0.0, 1.0 / largest)

    def tight(self, borders: Integers) -> Tight:
        """Let the two kinds change places."""
        return _tight(self, borders, Kind.MARGIN, Kind.UPPER)


class SoftRegressor:
    """Minimise ``h + C Σ s (q⁺ + q⁻)`` over ``g = columns @ t + b + η r``, r the targets' part outside the span."""

    def __init__(self, programme: RegressorProgramme, basis: Basis) -> None:
        self.basis = basis
        self._inside, self._mean, rest = _split(programme.targets, basis)
        # η is of the order of 1/ε or of 1/residual: in these units it is of the order of 1
        self._unit = max(programme.epsilon, float(np.sqrt(np.mean(rest**2))))
        self.reduced = Reduced(
            design=np.column_stack([_with_constant(basis), rest / self._unit]),
            signs=_BOTH,
            offsets=np.zeros((2, 1)),
            lift=programme.epsilon / self._unit,
            eta_last=True,
            level=1.0,
            costs=np.broadcast_to(programme.C * programme.weights, (2, len(rest))),
            floor=None,
        )

    def point(self, v: Floats) -> tuple[Floats, float, float]:
        """Take the targets' part inside the span out again: ``f = g - η y``."""
        eta = max(float(v[-1]), 0.0) / self._unit
        values, constant = v[:-2] - eta * self._inside, float(v[-2]) - eta * self._mean
        return (*self.basis.to_coefficients(values, constant), eta)

    def bound(self, prices: Prices, value: float) -> Bound:
        """Give the same, but for the unit of η."""
        return Bound(prices.upper, prices.margin, 0.0, prices.eta * self._unit, value)

    def tight(self, borders: Integers) -> Tight:
        """Give the same, by row."""
        return _tight(self, borders, Kind.UPPER, Kind.MARGIN)


class HardRegressor:
    """Minimise the largest residual: with E∞ for it, η = 1/(ε − E∞), h = (ε + E∞)/(ε − E∞), and ``f = -η`` times it."""

    def __init__(self, programme: RegressorProgramme, basis: Basis) -> None:
        self.programme, self.basis = programme, basis
        self._inside, self._mean, rest = _split(programme.targets, basis)
        self._unit = float(np.sqrt(np.mean(rest**2))) or 1.0
        self.reduced = Reduced(
            design=_with_constant(basis),
            signs=_BOTH,
            offsets=_BOTH * rest / self._unit,
            lift=0.0,
            eta_last=False,
            level=None,
            costs=None,
            floor=None,
        )

    def fit(self, v: Floats) -> tuple[Floats, float, float]:
        """Give coefficients and bias of predictions, and their largest residual: v is what g has besides the rest."""
        values, constant = self._inside - self._unit * v[:-1], self._mean - self._unit * float(v[-1])
        coefficients, bias = self.basis.to_coefficients(values, constant)
        residuals = self.programme.targets - self.programme.features @ coefficients - bias
        return coefficients, bias, float(np.abs(residuals).max())

    def smallest_residual(self, value: float) -> float:
        """Give what the largest residual is at least, by a dual value."""
        return max(self._unit * value, 0.0)

    def point(self, v: Floats) -> tuple[Floats, float, float]:
        """Turn the fit into a machine; there is none unless ε is larger than E∞."""
        coefficients, bias, largest = self.fit(v)
        if not self.programme.epsilon > largest:
            raise NoConsistentConcept(
                f"No function of these columns is within epsilon = {self.programme.epsilon:.6g} of all targets: the "
                f"smallest largest residual is {largest:.6g}. Use a larger epsilon, a finite C or another kernel."
            )
        eta = 1.0 / (self.programme.epsilon - largest)
        return -eta * coefficients, -eta * bias, eta

    def bound(self, prices: Prices, value: float) -> Bound:
        """Every price is shared by a row's upper side and, h times, by the margin on its other side."""
        epsilon = self.programme.epsilon
        least = min(self.smallest_residual(value), float(np.nextafter(epsilon, 0.0)))  # a machine exists
        ratio = (epsilon + least) / (epsilon - least)
        return Bound(prices.upper, ratio * prices.upper[::-1], 0.0, 0.0, ratio)

    def tight(self, borders: Integers) -> Tight:
        """One of the residuals that are E∞ says what η is; all of them say what h is."""
        found = _tight(self, borders, Kind.UPPER, Kind.MARGIN)
        other = Kind.MARGIN_BELOW if found.kinds[0] == Kind.UPPER else Kind.MARGIN
        rows, kinds = np.append(found.rows[0], found.rows), np.append(other, found.kinds)
        return Tight(rows, kinds, h_is_one=False, eta_is_zero=False, columns=found.columns)


def _with_constant(basis: Basis) -> Floats:
    return np.column_stack([basis.columns, np.ones(len(basis.columns))])


def _split(targets: Floats, basis: Basis) -> tuple[Floats, float, Floats]:
    """Write the targets as columns @ inside + mean + rest, the rest orthogonal to all columns."""
    mean = float(targets.mean())
    rest = targets - mean
    inside = np.zeros(basis.columns.shape[1])
    for _ in range(2):  # twice, for rounding's sake
        part = basis.columns.T @ rest / len(rest)
        inside, rest = inside + part, rest - basis.columns @ part
        shift = float(rest.mean())
        mean, rest = mean + shift, rest - shift
    if np.abs(rest).max() <= _ROUNDING * float(np.abs(targets).max()):
        rest = np.zeros_like(rest)
    return inside, mean, rest


def _tight(form: Form, borders: Integers, upper: Kind, margin: Kind) -> Tight:
    reduced = form.reduced
    n_sides, n_samples = reduced.shape
    size = n_sides * n_samples
    floor = size if reduced.level is None else 2 * size
    eta = floor + (reduced.floor is not None)
    numbers = borders[borders < floor]
    side, rows = np.divmod(numbers % size, n_samples)
    kinds = np.where(numbers < size, int(upper), int(margin)) + 2 * side
    order = np.lexsort([kinds, rows])
    return Tight(
        rows=rows[order].astype(np.int64),
        kinds=kinds[order].astype(np.int64),
        h_is_one=bool(reduced.floor is not None and floor in borders),
        eta_is_zero=bool(reduced.eta_last and eta in borders),
        columns=np.sort(form.basis.kept),
    )
