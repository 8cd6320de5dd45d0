"""The certificate as a bar, beside the error that was seen."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from laconic._table import Booleans
from laconic._words import counted
from laconic.certificates import Certificate, beyond, binomial_tail_inversion, confidence, percent, percent_up
from laconic.plotting._colours import BLUE, GREEN, GREY, VERMILLION, ink, paper
from laconic.plotting._read import read_answers, read_table, tolerance_of
from laconic.plotting._style import Display, add_title, escaped, in_percent, letters, name_bars, past_bars


@dataclass(eq=False)
class CertificateDisplay(Display):
    """The error on the training rows, the bound and, if there are other rows, the error on them with its interval.

    Parameters
    ----------
    certificate : Certificate
        The promise; the numbers below are read off it.
    holdout_error : float or None
        The share of the other rows that is wrong.
    holdout_interval : tuple of two floats or None
        Where the true error lies by these rows alone (Clopper and Pearson), with the certificate's confidence.
    n_holdout : int
        How many rows these are.

    Attributes
    ----------
    empirical_risk, risk_bound, delta : float
        The error on the training rows, what is promised, and the chance that the promise fails.
    majority_error : float or None
        What always answering the most frequent class gets wrong of the training rows.
    ax_, figure_ : Axes and Figure
        What was drawn on.

    Examples
    --------
    >>> from laconic import SetCoveringClassifier
    >>> from laconic.datasets import load_breast_cancer_wisconsin
    >>> from laconic.plotting import CertificateDisplay
    >>> X, y = load_breast_cancer_wisconsin(return_X_y=True, paper=True)
    >>> model = SetCoveringClassifier("disjunction", "stumps", max_rules=2, penalty=1.0).fit(X[::2], y[::2])
    >>> shown = CertificateDisplay.compute(model, X[1::2], y[1::2])
    >>> round(shown.empirical_risk, 3), round(shown.risk_bound, 3), round(shown.holdout_error, 3)
    (0.041, 0.125, 0.056)
    """

    certificate: Certificate
    holdout_error: float | None = None
    holdout_interval: tuple[float, float] | None = None
    n_holdout: int = 0

    @property
    def empirical_risk(self) -> float:
        """The error on the training rows."""
        return float(self.certificate.empirical_risk)

    @property
    def risk_bound(self) -> float:
        """What is promised."""
        return float(self.certificate.risk_bound)

    @property
    def majority_error(self) -> float | None:
        """What always answering the most frequent class gets wrong of the training rows."""
        return self.certificate.majority_error

    @property
    def delta(self) -> float:
        """The chance that the promise fails."""
        return float(self.certificate.delta)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, y: Any = None, *, ax: Any = None) -> CertificateDisplay:
        """Read the certificate, count the errors on other rows, and draw both.

        Parameters
        ----------
        estimator : fitted estimator
            One with a ``certificate_``.
        X, y : table and labels or targets, default=None
            Rows that had no part in fitting or choosing the model, if there are any. Rows of ``fit`` would make the
            interval void.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        CertificateDisplay
            The picture.
        """
        return cls.compute(estimator, X, y).plot(ax)

    @classmethod
    def compute(cls, estimator: Any, X: Any = None, y: Any = None) -> CertificateDisplay:
        """Read and count, and draw nothing; the parameters are those of `from_estimator`."""
        check_is_fitted(estimator)
        certificate = getattr(estimator, "certificate_", None)
        if not isinstance(certificate, Certificate):
            raise TypeError(
                f"{type(estimator).__name__} has no certificate_. Learners of laconic have one (not after partial_fit, "
                "which keeps no rows), and Certified gives one to any scikit-learn model."
            )
        if (X is None) != (y is None):
            raise ValueError("Rows held out need both X and y.")
        if X is None:
            return cls(certificate)
        wrong = _wrong(estimator, X, y)
        n_wrong, n_rows, half = int(wrong.sum()), len(wrong), certificate.delta / 2
        low = 1 - binomial_tail_inversion(n_rows - n_wrong, n_rows, half)
        interval = (max(low, 0.0), binomial_tail_inversion(n_wrong, n_rows, half))
        return cls(certificate, n_wrong / n_rows, interval, n_rows)

    def _draw(self, ax: Any) -> None:
        """Draw the bars."""
        rows = counted(self.certificate.n_samples, "row")
        bars = [(f"training error\n({rows})", self.empirical_risk, BLUE, percent(self.empirical_risk))]
        if self.holdout_error is not None:
            held_out = f"hold-out error\n({counted(self.n_holdout, 'row')})"
            bars.append((held_out, self.holdout_error, GREEN, percent(self.holdout_error)))
        if self.majority_error is not None:
            always = f"always the most\nfrequent class ({rows})"
            bars.append((always, self.majority_error, GREY, percent(self.majority_error)))
        bound = f"certified bound\n({confidence(self.delta)} confidence)"
        bars.append((bound, self.risk_bound, VERMILLION, f"at most {percent_up(self.risk_bound)}"))
        ax = self._start(ax, 7.0, 1.3 + 0.62 * len(bars))
        largest = max(self.risk_bound, *(self.holdout_interval or (0.0,)), self.majority_error or 0.0, 1e-3)
        for place, (_, share, colour, text) in enumerate(bars):
            is_bound = place == len(bars) - 1
            fill = {"alpha": 0.35, "hatch": "////", "edgecolor": colour} if is_bound else {"edgecolor": paper(ax)}
            ax.barh(place, share, height=0.6, color=colour, **fill)
            end = share
            if colour == GREEN and self.holdout_interval is not None:
                low, end = self.holdout_interval
                reach = [[max(share - low, 0.0)], [max(end - share, 0.0)]]
                ax.errorbar(share, place, xerr=reach, color=ink(ax), capsize=4, linewidth=1.3)
                text += f", {confidence(self.delta)} interval {percent(low)} to {percent(end)}"
            words = {"va": "center", "fontsize": "small", "color": ink(ax)}
            behind = {"boxstyle": "square,pad=0.1", "facecolor": paper(ax), "edgecolor": "none"}
            ax.annotate(text, (end, place), (6, 0), textcoords="offset points", bbox=behind, **words)
        ax.axvline(self.risk_bound, color=VERMILLION, linewidth=1.2, linestyle="--", zorder=0)
        name_bars(ax, [name for name, _, _, _ in bars])
        end = past_bars(0.36) * largest
        ax.set(xlim=(0, end), xlabel=f"share of rows {escaped(self.certificate.outcome)}")
        ax.set_xticks([tick for tick in ax.get_xticks() if 0 <= tick <= min(1.0, end)])
        in_percent(ax.xaxis)
        add_title(ax, _in_lines(str(self.certificate)))


def _in_lines(sentence: str) -> str:
    """Break a sentence into lines that fit above the bars."""
    lines = [line for part in sentence.split("\n") for line in textwrap.wrap(part, letters(64))]
    return "\n".join(map(escaped, lines))


def _wrong(estimator: Any, X: Any, y: Any) -> Booleans:
    """Return which rows the certificate would count as wrong."""
    truth = read_answers(read_table(estimator, X), y)
    if len(truth) == 0:
        raise ValueError("There are no rows to count errors on.")
    answers = estimator.predict(X)
    if not is_regressor(estimator):
        return np.asarray(answers != truth)
    return beyond(answers, truth, tolerance_of(estimator))
