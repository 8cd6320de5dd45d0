"""What may be promised of a regressor: how far rows are from what was sent, and how wide a band that makes."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic._digits import Digits
from laconic._table import Floats, Table
from laconic.certificates import Encoding, FiniteClass, Residuals, SampleCompression
from laconic.minimal._scheme import InUnits
from laconic.minimal._values import scores_of


def measured(
    hypothesis: Any, table: Table, targets: Floats, encoding: Encoding, delta: float, coverage: float
) -> Residuals:
    """Measure how far rows are from what was sent.

    A sum in few digits that needs no example is one of a countable class, and no row is in a set; whether examples are
    needed follows from parameters and the types of the columns alone.

    Parameters
    ----------
    hypothesis : LinearModel or KernelExpansion
        What `reconstruct` gave.
    table, targets : Table and ndarray
        The rows.
    encoding : Encoding
        What was sent.
    delta, coverage : float
        As in `laconic.certificates.Residuals`.
    """
    with np.errstate(over="ignore"):
        distances = np.abs(scores_of(hypothesis, table)[0] - targets)
    outside = np.ones(len(distances), dtype=bool)
    statement: FiniteClass | SampleCompression = FiniteClass(len(distances), 0, encoding.nats)
    if not (isinstance(encoding.message, InUnits) and isinstance(encoding.message.digits, Digits)):
        outside[encoding.rows] = False
        sent = encoding.sent_rows()
        statement = SampleCompression(len(distances), len(sent), 0, encoding.nats, rows=sent)
    return Residuals(distances, outside, statement, delta, coverage)


def width_of(residuals: Residuals) -> tuple[bool, float]:
    """Return what bands are compared by: one that keeps the wanted coverage comes first, and the narrower one."""
    certificate, tolerance = residuals.narrowest()
    kept = certificate.risk_bound <= 1 - residuals.coverage
    return not kept, tolerance if kept else certificate.risk_bound
