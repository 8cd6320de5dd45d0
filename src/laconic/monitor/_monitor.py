"""A certificate, watched: batches of new rows go in, and it says whether the promise can still be believed."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import msgspec
import numpy as np
from sklearn.utils.validation import check_is_fitted, column_or_1d

from laconic._files import same_file
from laconic._journal import START, Entry, locked, read
from laconic._row_texts import MOST_COLUMNS, row_texts
from laconic._table import as_table
from laconic._unseen import remarked_once
from laconic._words import counted
from laconic.certificates import percent, percent_up
from laconic.exceptions import DamagedFile
from laconic.monitor._evidence import Evidence, evidence_text, running_mean
from laconic.monitor._lines import certified_lines, decided_counts, log_mean_wealth
from laconic.monitor._state import Batch, Look, State, Watched, held

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

    A monitor that `open` or `save` has given a file appends each batch to it, after those that others appended
    meanwhile, so that several processes can feed one watch. The file is a journal: nothing in it is ever replaced.

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
    No alarm after 299 rows: the promise (at most 17.4 %) stands. Evidence against the promise: less than
    0.01, where 20 raises an alarm.
    >>> print(monitor.update(X[:400], np.roll(y[:400], 7)))
    Alarm after 699 rows: more errors than promised (at most 17.4 %). Evidence against the promise
    reached more than 1,000,000, where 20 raises an alarm.
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
        certificate = model.certificate_
        self._state = State(Evidence(float(certificate.risk_bound)), certified_lines(model, certificate.delta))
        self._batches: list[Batch] = []
        self._seen: set[str] = set()
        self._path: str | None = None
        self._last = START
        self.history_: list[Look] = []

    # ---- feeding

    @remarked_once()
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
        RowsFedBefore
            If rows were fed before: by their names or, where they have none, a batch of ten rows or more that is equal
            to an earlier one. Nothing is counted then.
        """
        fed = self._measured(X, y, None if ids is None else list(ids))
        with nullcontext() if self._path is None else locked(self._path, self._last) as journal:
            if journal is None:
                self._count(self._admitted(fed))
            else:
                self._follow(journal.entries)
                batch = self._admitted(fed)
                journal.append(*([] if self._last.number else [self._watched()]), batch)
                self._count(batch)
                self._last = journal.last
        return self

    def _measured(self, X: Any, y: Any, ids: list[Any] | None) -> Batch:
        """Return all that is counted of a batch, whatever came before it."""
        predicted = self.model.predict(X)
        n_rows = len(predicted)
        labels = None if y is None else column_or_1d(y)
        if labels is not None and len(labels) != n_rows:
            raise ValueError(f"There are {len(labels)} labels for {counted(n_rows, 'row')}.")
        if labels is not None and len(unknown := np.setdiff1d(labels, self.model.classes_)):
            raise ValueError(f"The label {unknown[0]!r} is not among the classes {self.model.classes_.tolist()}.")
        return Batch(
            n_rows=n_rows,
            n_errors=None if labels is None else int((predicted != labels).sum()),
            decided=tuple(decided_counts(self.model, X).tolist()) if self._state.lines else None,
            marks=self._marks(X, None, ids),
            label_marks=() if labels is None else self._marks(X, labels, ids),
            alarm=False,
            line_alarm=False,
        )

    def _marks(self, X: Any, labels: Any, ids: list[Any] | None) -> tuple[str, ...]:
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
        return tuple(sorted(marks))

    def _admitted(self, fed: Batch) -> Batch:
        """Return a batch as it counts after those so far, with the alarms that it leads to."""
        batch = fed.admitted(self._seen)
        state = self._state.after(batch, self.alpha)
        alarms = state.errors.alarms(self.alpha), state.lines_largest >= -math.log(self.alpha)
        return msgspec.structs.replace(batch, alarm=alarms[0], line_alarm=alarms[1])

    def _count(self, batch: Batch) -> None:
        self._state = self._state.after(batch, self.alpha)
        self._seen.update(batch.marks, batch.label_marks)
        self._batches.append(batch)
        self.history_.append(self._state.look(self.alpha))

    def _follow(self, entries: Sequence[Entry]) -> None:
        """Count what a journal holds after the last entry that is known."""
        name = str(self._path)
        for entry in entries:
            if entry.number == 1:
                self._check_watched(held(entry, Watched, name), name)
            else:
                batch = held(entry, Batch, name)
                try:
                    self._count(batch)
                except ValueError as error:
                    raise DamagedFile(f"{name!r} does not fit this model: line {entry.number}: {error}") from None
            self._last = entry

    # ---- reading

    @property
    def n_rows_(self) -> int:
        """How many rows with labels were seen."""
        return self._state.errors.n_rows

    @property
    def n_errors_(self) -> int:
        """How many of them the model got wrong."""
        return self._state.errors.n_errors

    @property
    def evidence_(self) -> float:
        """The wealth of who bets against the promise."""
        return math.exp(min(self._state.errors.log_wealth, 700.0))

    @property
    def alarm_(self) -> bool:
        """Whether the wealth has ever reached 1/alpha."""
        return self._state.errors.alarms(self.alpha)

    @property
    def line_evidence_(self) -> float | None:
        """The mean wealth over lines and ends."""
        return math.exp(min(log_mean_wealth(self._state.lines), 700.0)) if self._state.lines else None

    @property
    def line_alarm_(self) -> bool:
        """Whether that has ever reached 1/alpha."""
        return self._state.lines_largest >= -math.log(self.alpha)

    @property
    def line_intervals_(self) -> tuple[tuple[float, float], ...]:
        """For each line, and last for the rest, where the share of rows that it decides was certified to lie."""
        return tuple(line.interval for line in self._state.lines)

    def risk_interval(self) -> tuple[float, float]:
        """Bound the mean of the risk over the rows so far, at all times at once, with confidence 1 − alpha.

        Returns
        -------
        low, high : float
            The ends; see `laconic.monitor.running_mean`. Its alpha is another one than that of the alarm.
        """
        return running_mean(self.n_rows_, self.n_errors_, self.alpha)

    def __str__(self) -> str:
        errors, promise, rows = self._state.errors, percent_up(self._state.errors.rate), counted(self.n_rows_, "row")
        if self.n_rows_ == 0:
            said = "No labels yet."
        elif errors.rate >= 1:
            said = f"Nothing was promised, so that after {rows} nothing can be broken."
        elif self.alarm_:
            said = f"Alarm after {rows}: more errors than promised (at most {promise}). "
            said += f"Evidence against the promise reached {evidence_text(errors.largest, self.alpha)}."
        else:
            said = f"No alarm after {rows}: the promise (at most {promise}) stands. "
            said += f"Evidence against the promise: {evidence_text(errors.log_wealth, self.alpha)}."
        if self.line_alarm_:
            reached = evidence_text(self._state.lines_largest, self.alpha)
            said += f" Alarm: lines decide other shares than they did. Evidence of that reached {reached}."
        return said

    def summary(self) -> str:
        """Return how things stand, with the interval for the risk so far.

        Returns
        -------
        str
            Two sentences or more.
        """
        if self.n_rows_ == 0:
            if self.line_alarm_ or not self._state.lines:
                return str(self)
            found = evidence_text(log_mean_wealth(self._state.lines), self.alpha)
            return f"{self} Evidence that lines decide other shares than they did: {found}."
        low, high = self.risk_interval()
        seen = f"{self.n_errors_} of {counted(self.n_rows_, 'row')} were wrong"
        return f"{self} {seen}; on average their risk was between {percent(low)} and {percent_up(high)}."

    # ---- keeping

    def save(self, path: str | os.PathLike[str]) -> None:
        """Keep the state in a file: what was seen so far and, from now on, each batch as it is fed.

        Parameters
        ----------
        path : str or path
            A new file, a journal of JSON lines, without the model and without any row; or the one in which this
            monitor's state is already, which has all of it.

        Raises
        ------
        FileExistsError
            If there is another watch: go on with it by `open`.
        """
        place = os.path.abspath(path)
        if self._path is not None and same_file(place, self._path):
            return
        with locked(place) as journal:
            if journal.entries:
                raise FileExistsError(f"{place!r} holds a watch already; go on with it by open, or name another file.")
            journal.append(self._watched(), *self._batches)
        self._path, self._last = place, journal.last

    @classmethod
    def open(cls, path: str | os.PathLike[str], model: Any, alpha: float | None = None) -> CertificateMonitor:
        """Go on watching where a file left off, or begin one; each batch that is fed is appended to it.

        Parameters
        ----------
        path : str or path
            The file; if there is none, it is made when the first batch is fed.
        model : estimator
            The model that was watched; another one is refused.
        alpha : float or None, default=None
            The level of the watch; None is that of the file, or 0.05 where there is none.

        Returns
        -------
        CertificateMonitor
            The monitor.
        """
        place = os.path.abspath(path)
        entries = read(place) if os.path.exists(place) else ()
        if alpha is None:
            alpha = held(entries[0], Watched, place).alpha if entries else 0.05
        monitor = cls(model, alpha)
        monitor._path = place
        monitor._follow(entries)
        return monitor

    def _watched(self) -> Watched:
        return Watched("laconic watch", 1, fingerprint(self.model), self.alpha)

    def _check_watched(self, found: Watched, name: str) -> None:
        if found.model != fingerprint(self.model):
            raise ValueError(f"{name!r} watches another model than this one; name another file for the state.")
        if found.alpha != self.alpha:
            raise ValueError(f"{name!r} has alpha {found.alpha:g}, settled by its first batch; leave alpha out.")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def fingerprint(model: Any) -> str:
    """Return what tells the watched model from others: the digest of what it predicts by and of what it promises."""
    certificate = model.certificate_
    made = model.hypothesis_ if hasattr(model, "hypothesis_") else (model.estimator, model.picks_.tolist())
    told = (repr(made), model.classes_.tolist(), certificate.risk_bound, certificate.delta)
    return hashlib.sha256(repr(told).encode()).hexdigest()
