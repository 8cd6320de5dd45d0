"""The four programmes of this room, each with its way to a reduced programme and back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from laconic._table import Floats, Integers
from laconic._words import counted
from laconic.exceptions import NoConsistentConcept
from laconic.minimal._programme import Border, ClassifierProgramme, Programme, RegressorProgramme, Tight
from laconic.minimal._reduced import Basis, Prices, Reduced, orthogonal_basis

_LARGEST_RATIO = 1e9  # of the largest and the smallest margin: beyond it rounding decides whether classes separate
_ROUNDING = 1e-13  # a part of the targets outside the span that is smaller is none
_BOTH = np.array([[1.0], [-1.0]])


class ReducedForm(ABC):
    """A programme, reduced."""

    programme: Any
    basis: Basis
    reduced: Reduced
    kinds: ClassVar[tuple[Border, Border]] = (
        Border.UPPER,
        Border.MARGIN,
    )  # what borders of ``m = h`` and ``m = level`` say

    @abstractmethod
    def point(self, v: Floats) -> tuple[Floats, float, float]:
        """Return coefficients, bias and η of a point."""

    def bound(self, prices: Prices, value: float) -> tuple[Prices, float]:
        """Return the programme's own dual variables, and what they prove, from those of the reduced programme."""
        return prices, value

    def tight(self, borders: Integers) -> Tight:
        """Return the tight constraints of a vertex, by row."""
        upper, margin, floor, eta, _ = self.reduced.pairs
        numbers = borders[borders < margin.stop]
        side, rows = self.reduced.rows(numbers)
        kinds = np.where(numbers < upper.stop, *map(int, self.kinds)) + 2 * side
        order = np.lexsort([kinds, rows])
        return Tight(
            rows=rows[order].astype(np.int64),
            kinds=kinds[order].astype(np.int64),
            h_is_one=bool(self.reduced.floor is not None and floor.start in borders),
            eta_is_zero=bool(self.reduced.eta_last and eta.start in borders),
            columns=np.sort(self.basis.kept),
        )


def make_form(programme: Programme) -> ReducedForm:
    """Reduce a programme: orthogonal columns, and a feasible and bounded problem where margins are hard."""
    basis = orthogonal_basis(programme.features)
    if isinstance(programme, ClassifierProgramme):
        return HardClassifier(programme, basis) if np.isinf(programme.C) else SoftClassifier(programme, basis)
    return HardRegressor(programme, basis) if np.isinf(programme.C) else SoftRegressor(programme, basis)


class SoftClassifier(ReducedForm):
    """Minimise ``h + C Σ s q``: it is a reduced programme as it stands."""

    def __init__(self, programme: ClassifierProgramme, basis: Basis) -> None:
        self.programme, self.basis = programme, basis
        costs = programme.C * programme.weights[None, :]
        self.reduced = Reduced(_with_constant(basis), programme.signs[None, :], level=1.0, costs=costs, floor=1.0)

    def point(self, v: Floats) -> tuple[Floats, float, float]:
        """Return coefficients, bias and 1."""
        return (*self.basis.to_coefficients(v[:-1], float(v[-1])), 1.0)


class HardClassifier(ReducedForm):
    """Maximise τ where ``τ <= y f <= 1``: then h = 1/τ, and coefficients over τ have margins from 1 to h."""

    kinds = (Border.MARGIN, Border.UPPER)  # they change places

    def __init__(self, programme: ClassifierProgramme, basis: Basis) -> None:
        self.programme, self.basis = programme, basis
        self.reduced = Reduced(_with_constant(basis), -programme.signs[None, :], level=-1.0)

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

    def bound(self, prices: Prices, value: float) -> tuple[Prices, float]:
        """Let the two kinds change places, and divide all by the bound on τ."""
        largest = max(-value, 1e-300)
        return Prices(prices.margin / largest, prices.upper / largest, 0.0, 0.0), 1.0 / largest


class SoftRegressor(ReducedForm):
    """Minimise ``h + C Σ s (q⁺ + q⁻)`` over ``g = columns @ t + b + η r``, r the targets' part outside the span."""

    def __init__(self, programme: RegressorProgramme, basis: Basis) -> None:
        self.programme, self.basis = programme, basis
        self._inside, self._mean, rest = _split(programme.targets, basis)
        # η is of the order of 1/ε or of 1/residual: in these units it is of the order of 1
        self._unit = max(programme.epsilon, float(np.sqrt(np.mean(rest**2))))
        self.reduced = Reduced(
            design=np.column_stack([_with_constant(basis), rest / self._unit]),
            signs=_BOTH,
            lift=programme.epsilon / self._unit,
            eta_last=True,
            level=1.0,
            costs=np.broadcast_to(programme.C * programme.weights, (2, len(rest))),
        )

    def point(self, v: Floats) -> tuple[Floats, float, float]:
        """Take the targets' part inside the span out again: ``f = g - η y``."""
        eta = max(float(v[-1]), 0.0) / self._unit
        values, constant = v[:-2] - eta * self._inside, float(v[-2]) - eta * self._mean
        return (*self.basis.to_coefficients(values, constant), eta)

    def bound(self, prices: Prices, value: float) -> tuple[Prices, float]:
        """Return the same, but for the unit of η."""
        return replace(prices, eta=prices.eta * self._unit), value


class HardRegressor(ReducedForm):
    """Minimise the largest residual: with E∞ for it, η = 1/(ε − E∞), h = (ε + E∞)/(ε − E∞), and ``f = -η`` times it."""

    def __init__(self, programme: RegressorProgramme, basis: Basis) -> None:
        self.programme, self.basis = programme, basis
        self._inside, self._mean, rest = _split(programme.targets, basis)
        self._unit = float(np.sqrt(np.mean(rest**2))) or 1.0
        self.reduced = Reduced(_with_constant(basis), _BOTH, offsets=_BOTH * rest / self._unit)

    def fit(self, v: Floats) -> tuple[Floats, float, float]:
        """Return coefficients and bias of predictions, and their largest residual: v is what g has besides the rest."""
        values, constant = self._inside - self._unit * v[:-1], self._mean - self._unit * float(v[-1])
        coefficients, bias = self.basis.to_coefficients(values, constant)
        residuals = self.programme.targets - self.programme.features @ coefficients - bias
        return coefficients, bias, float(np.abs(residuals).max())

    def smallest_residual(self, value: float) -> float:
        """Return what the largest residual is at least, by a dual value."""
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

    def bound(self, prices: Prices, value: float) -> tuple[Prices, float]:
        """Every price is shared by a row's upper side and, h times, by the margin on its other side."""
        epsilon = self.programme.epsilon
        least = min(self.smallest_residual(value), float(np.nextafter(epsilon, 0.0)))  # a machine exists
        ratio = (epsilon + least) / (epsilon - least)
        return replace(prices, margin=ratio * prices.upper[::-1]), ratio

    def tight(self, borders: Integers) -> Tight:
        """One of the residuals that are E∞ says what η is; all of them say what h is."""
        found = super().tight(borders)
        other = Border.MARGIN_BELOW if found.kinds[0] == Border.UPPER else Border.MARGIN
        return replace(found, rows=np.append(found.rows[0], found.rows), kinds=np.append(other, found.kinds))


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
