"""A certificate, watched: batches of new rows go in, and it says whether the promise can still be believed."""

from __future__ import annotations

import hashlib
import math
import os
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, column_or_1d

from laconic._files import write_whole
from laconic._row_texts import MOST_COLUMNS, row_texts
from laconic._table import as_table
from laconic._words import counted
from laconic.certificates import percent, percent_up
from laconic.monitor._evidence import Evidence, running_mean
from laconic.monitor._lines import LineEvidence, certified_lines, decided_counts, log_mean_wealth
from laconic.monitor._state import Look, WatchFile, read_state, written_state

LEAST_RECOGNISED = 10
"""Batches of fewer rows may be equal by chance, and are not taken for one that came before."""


class CertificateMonitor:
    r"""Watch whether a certificate's promise still holds on new rows, at a level of its own, as often as one likes.

    The hypothesis is that every row, given those before it, is an error with a chance of at most ``risk_bound``. A
    gambler bets against it (see `laconic.monitor.Evidence`): a mixture over alternatives and over times of change,
    whose stakes are fixed before each batch. As long as the hypothesis holds, the wealth ever reaches 1/α with a
    probability of at most α, however often one looks. So an alarm means that something changed, or that the certificate
    was an unlucky one; together these have a probability of at most δ + α while nothing changes.

    Labels must be complete, or missing independently of whether the model is right. Without labels the monitor looks at
    which line decides each row: where the certificate rests on a set of rows or a message, every line has an interval
    in which the share of rows that it decides was certified to lie, with a further δ; evidence is averaged over lines.

    Parameters
    ----------
    model : estimator
        A fitted classifier of laconic, or one opened by `laconic.load`, with a ``certificate_``.
    alpha : float, default=0.05
        The probability with which an alarm may be false; chosen before any row is seen.

    Attributes
    ----------
    n_rows_, n_errors_ : int
        The rows with labels so far, and the errors among them.
    evidence_ : float
        The wealth: at least 1/alpha is an alarm.
    alarm_ : bool
        Whether it has ever been so; an alarm stays.
    line_evidence_ : float or None
        The same for lines that fire; None where their intervals cannot be certified.
    line_alarm_ : bool
        Whether that has ever reached 1/alpha.
    history_ : list of Look
        What was seen after each batch.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import SetCoveringClassifier
    >>> from laconic.datasets import load_breast_cancer_wisconsin
    >>> X, y = load_breast_cancer_wisconsin(return_X_y=True)
    >>> model = SetCoveringClassifier("conjunction", "stumps", penalty=1.0, max_rules=2).fit(X[:400], y[:400])
    >>> monitor = CertificateMonitor(model, alpha=0.05)
    >>> print(monitor.update(X[400:], y[400:]))
    No alarm after 299 rows: the promise (at most 17.4 %) stands. Evidence 0.00334 of 20.
    >>> print(monitor.update(X[:400], np.roll(y[:400], 7)))
    Alarm after 699 rows: more errors than promised (at most 17.4 %). Evidence ... of 20.
    """

    def __init__(self, model: Any, alpha: float = 0.05) -> None:
        if not 0 < alpha < 1:
            raise ValueError(f"alpha must lie between 0 and 1; found {alpha!r}.")
        check_is_fitted(model)
        if not hasattr(model, "certificate_") or not hasattr(model, "classes_"):
            raise ValueError(f"{type(model).__name__} has no certificate of its error on classes, so none to watch.")
        if model.certificate_.promised_delta is not None:
            raise ValueError("The certificate was read at another delta, in hindsight: it promises nothing to watch.")
        self.model, self.alpha = model, float(alpha)
        self._errors = Evidence(float(model.certificate_.risk_bound))
        self._lines: tuple[LineEvidence, ...] = certified_lines(model, model.certificate_.delta)
        self._lines_largest = 0.0
        self._seen: set[str] = set()
        self.history_: list[Look] = []

    # ---- feeding

    def update(self, X: Any, y: Any = None, ids: Any = None) -> CertificateMonitor:
        """Look at a batch of new rows.

        Parameters
        ----------
        X : table
            The rows, as ``predict`` takes them; how many is settled before their labels are seen.
        y : array or None, default=None
            Their labels; None looks at which lines decide, alone.
        ids : array or None, default=None
            Names of the rows: a name that came before is refused.

        Returns
        -------
        self
            The monitor; printing it says how things stand.

        Raises
        ------
        ValueError
            If rows were fed before: by their names or, where they have none, a batch of ten rows or more that is equal
            to an earlier one. Nothing is counted then.
        """
        predicted = self.model.predict(X)
        n_rows = len(predicted)
        labels = None if y is None else column_or_1d(y)
        if labels is not None and len(labels) != n_rows:
            raise ValueError(f"There are {len(labels)} labels for {counted(n_rows, 'row')}.")
        if labels is not None and len(unknown := np.setdiff1d(labels, self.model.classes_)):
            raise ValueError(f"The label {unknown[0]!r} is not among the classes {self.model.classes_.tolist()}.")
        ids = None if ids is None else list(ids)
        bare = self._marks(X, None, ids)
        new_lines = not bare & self._seen
        marks = bare
        if labels is not None:
            marks = self._marks(X, labels, ids)
        if (labels is None and not new_lines) or marks & self._seen - bare:
            raise ValueError(f"Of these {counted(n_rows, 'row')}, some or all were fed before: rows count once.")
        lines = tuple(self._after_lines(X, n_rows)) if new_lines else self._lines
        if labels is not None:
            self._errors = self._errors.after(n_rows, int((predicted != labels).sum()))
        self._lines = lines
        if lines:
            self._lines_largest = max(self._lines_largest, log_mean_wealth(lines))
        self._seen |= bare | marks
        self.history_.append(self._look())
        return self

    def _after_lines(self, X: Any, n_rows: int) -> list[LineEvidence]:
        if not self._lines:
            return []
        counts = decided_counts(self.model, X).tolist()
        return [line.after(n_rows, count) for line, count in zip(self._lines, counts, strict=True)]

    def _marks(self, X: Any, labels: Any, ids: Any) -> set[str]:
        """Return digests by which rows are known again: of their names, and of a batch that is long enough.

        Rows may come without labels first and with them later, so that the two have marks of their own.
        """
        table = self.model.reading().read(X) if hasattr(self.model, "reading") else as_table(X)
        kind = "lines" if labels is None else "errors"
        marks = set()
        if table.n_rows >= LEAST_RECOGNISED and table.n_columns <= MOST_COLUMNS:
            codes = None if labels is None else np.searchsorted(self.model.classes_, labels)
            marks.add(_digest("\n".join([kind, *sorted(row_texts(table, codes))])))
        if ids is not None:
            names = {_digest(f"{kind}: {name}") for name in ids}
            if len(names) != table.n_rows:
                raise ValueError(
                    f"Each of {counted(table.n_rows, 'row')} needs one name of its own; found {len(names)}."
                )
            marks |= names
        return marks

    # ---- reading

    @property
    def n_rows_(self) -> int:
        """How many rows with labels were seen."""
        return self._errors.n_rows

    @property
    def n_errors_(self) -> int:
        """How many of them the model got wrong."""
        return self._errors.n_errors

    @property
    def evidence_(self) -> float:
        """The wealth of who bets against the promise."""
        return math.exp(min(self._errors.log_wealth, 700.0))

    @property
    def alarm_(self) -> bool:
        """Whether the wealth has ever reached 1/alpha."""
        return self._errors.alarms(self.alpha)

    @property
    def line_evidence_(self) -> float | None:
        """The mean wealth over lines and ends."""
        return math.exp(min(log_mean_wealth(self._lines), 700.0)) if self._lines else None

    @property
    def line_alarm_(self) -> bool:
        """Whether that has ever reached 1/alpha."""
        return self._lines_largest >= -math.log(self.alpha)

    @property
    def line_intervals_(self) -> tuple[tuple[float, float], ...]:
        """For each line, and last for the rest, where the share of rows that it decides was certified to lie."""
        return tuple(line.interval for line in self._lines)

    def risk_interval(self) -> tuple[float, float]:
        """Bound the mean of the risk over the rows so far, at all times at once, with confidence 1 − alpha.

        Returns
        -------
        low, high : float
            The ends; see `laconic.monitor.running_mean`. Its alpha is another one than that of the alarm.
        """
        return running_mean(self.n_rows_, self.n_errors_, self.alpha)

    def _look(self) -> Look:
        low, high = self.risk_interval()
        lines = log_mean_wealth(self._lines) if self._lines else None
        return Look(self.n_rows_, self.n_errors_, self._errors.log_wealth, low, high, lines)

    def __str__(self) -> str:
        promise = percent_up(self._errors.rate)
        needed = f"{1 / self.alpha:g}"
        rows = counted(self.n_rows_, "row")
        if self._errors.rate >= 1:
            said = f"Nothing was promised, so that after {rows} nothing can be broken."
        elif self.alarm_:
            said = f"Alarm after {rows}: more errors than promised (at most {promise}). "
            said += f"Evidence {self.evidence_:.3g} of {needed}."
        else:
            said = f"No alarm after {rows}: the promise (at most {promise}) stands. "
            said += f"Evidence {self.evidence_:.3g} of {needed}."
        if self.n_rows_ == 0:
            said = "No labels yet."
        if self.line_alarm_:
            said += f" Alarm: lines decide other shares than they did. Evidence {self.line_evidence_:.3g} of {needed}."
        return said

    def summary(self) -> str:
        """Return how things stand, with the interval for the risk so far.

        Returns
        -------
        str
            Two sentences or more.
        """
        if self.n_rows_ == 0:
            lines = (
                "" if self.line_evidence_ is None else f" Evidence of lines that changed: {self.line_evidence_:.3g}."
            )
            return f"{self}{lines}"
        low, high = self.risk_interval()
        seen = f"{self.n_errors_} of {counted(self.n_rows_, 'row')} were wrong"
        return f"{self} {seen}; on average their risk was between {percent(low)} and {percent_up(high)}."

    # ---- keeping

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a file, whole or not at all.

        Parameters
        ----------
        path : str or path
            Where; JSON, without the model and without any row.
        """
        content = WatchFile(
            alpha=self.alpha,
            model=fingerprint(self.model),
            errors=self._errors,
            lines=self._lines,
            lines_largest=self._lines_largest,
            seen=tuple(sorted(self._seen)),
            history=tuple(self.history_),
        )
        write_whole(path, written_state(content))

    @classmethod
    def open(cls, path: str | os.PathLike[str], model: Any) -> CertificateMonitor:
        """Go on watching where a file left off.

        Parameters
        ----------
        path : str or path
            What `save` wrote.
        model : estimator
            The model that was watched; another one is refused.

        Returns
        -------
        CertificateMonitor
            The monitor.
        """
        state = read_state(path)
        if state.model != fingerprint(model):
            raise ValueError(f"{os.fspath(path)} watches another model than this one; name another file for the state.")
        monitor = cls(model, state.alpha)
        if len(state.lines) != len(monitor._lines) or state.errors.rate != monitor._errors.rate:
            raise ValueError(f"{os.fspath(path)} does not fit the certificate of this model.")
        monitor._errors, monitor._lines, monitor._lines_largest = state.errors, state.lines, state.lines_largest
        monitor._seen = set(state.seen)
        monitor.history_ = list(state.history)
        return monitor


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def fingerprint(model: Any) -> str:
    """Return what tells the watched model from others: the digest of what it predicts by and of what it promises."""
    certificate = model.certificate_
    made = model.hypothesis_ if hasattr(model, "hypothesis_") else (model.estimator, model.picks_.tolist())
    told = (repr(made), model.classes_.tolist(), certificate.risk_bound, certificate.delta)
    return hashlib.sha256(repr(told).encode()).hexdigest()
