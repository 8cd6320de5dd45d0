"""The evidence against a promise, over time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from laconic._table import Floats, Integers
from laconic.certificates import percent_up
from laconic.plotting._colours import BLUE, GREY, VERMILLION
from laconic.plotting._style import Display, add_title


@dataclass(eq=False)
class EvidenceDisplay(Display):
    """The wealth of who bets against a promise after every batch, and the line at which the alarm is raised.

    Parameters
    ----------
    rows : ndarray of int64
        How many rows with labels had been seen at each look.
    evidence : ndarray of float64
        ln of the wealth.
    lines : ndarray of float64
        ln of the mean wealth over lines; NaN where there is none.
    risk, low, high : ndarray of float64
        The share of errors so far, and the interval for the mean risk.
    promised : float
        The bound.
    alpha : float
        The level of the alarm.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure
        What was drawn on.
    """

    rows: Integers
    evidence: Floats
    lines: Floats
    risk: Floats
    low: Floats
    high: Floats
    promised: float
    alpha: float

    @classmethod
    def compute(cls, monitor: Any) -> EvidenceDisplay:
        """Read what a monitor saw.

        Parameters
        ----------
        monitor : CertificateMonitor
            One that was fed at least once.

        Returns
        -------
        EvidenceDisplay
            What is to be drawn.
        """
        looks = monitor.history_
        if not looks:
            raise ValueError("The monitor has seen no rows yet; feed it by update(X, y) first.")
        rows = np.array([look.n_rows for look in looks], dtype=np.int64)
        errors = np.array([look.n_errors for look in looks], dtype=np.float64)
        low, high = np.array([look.interval for look in looks]).T
        lines = [math.nan if look.log_line_evidence is None else look.log_line_evidence for look in looks]
        return cls(
            rows,
            np.array([look.log_evidence for look in looks]),
            np.array(lines),
            errors / np.maximum(rows, 1),
            low,
            high,
            float(monitor.model.certificate_.risk_bound),
            monitor.alpha,
        )

    @classmethod
    def from_monitor(cls, monitor: Any, ax: Any = None) -> EvidenceDisplay:
        """Read what a monitor saw, and draw it.

        Parameters
        ----------
        monitor : CertificateMonitor
            One that was fed at least once.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        EvidenceDisplay
            The picture.
        """
        return cls.compute(monitor).plot(ax)

    def _draw(self, ax: Any) -> None:
        ax = self._start(ax, 6.4, 3.6)
        to_tens = 1 / math.log(10)
        ax.plot(self.rows, self.evidence * to_tens, color=BLUE, marker="o", markersize=3, label="errors")
        if np.isfinite(self.lines).any():
            ax.plot(self.rows, self.lines * to_tens, color=GREY, linestyle="--", label="lines that decide")
        alarm = f"alarm: {1 / self.alpha:,.1f}".removesuffix(".0")
        ax.axhline(-math.log(self.alpha) * to_tens, color=VERMILLION, linewidth=1, label=alarm)
        ax.set_xlabel("rows seen")
        ax.set_ylabel("evidence (powers of ten)")
        ax.legend(frameon=False)
        add_title(ax, f"Evidence against a risk of at most {percent_up(self.promised)}")
