"""Whether the rows of a report are those that the model was fitted on, as far as the model can tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from laconic._words import are, counted
from laconic.certificates import Certificate, SentRow, row_digests
from laconic.report._record import Agreement, Decided, Errors
from laconic.report._rows import Rows


def agreement_of(model: Any, read: Rows, errors: Errors, decided: Sequence[Decided]) -> Agreement:
    """Compare what was counted on the rows with what the model remembers of its training rows.

    Parameters
    ----------
    model : fitted estimator
        The model.
    read : Rows
        The rows.
    errors : Errors
        What is wrong on the rows.
    decided : sequence of Decided
        What each line decides of them.

    Returns
    -------
    Agreement
        What can be said.
    """
    certificate = getattr(model, "certificate_", None)
    if certificate is None:
        return Agreement("unknown", "The model learnt from a stream and remembers no rows: these may be any.")
    fitted_wrong = round(certificate.empirical_risk * certificate.n_samples)
    before, now = _said(certificate.n_samples, fitted_wrong, errors), _said(errors.n_rows, errors.n_wrong, errors)
    if before != now:
        return Agreement(
            "differs",
            f"These rows are not those that the model was fitted on: those were {before}, and these are {now}.",
        )
    remembered = _remembered(model)
    found = [(line.n_right + line.n_wrong, line.n_right) for line in decided]
    if len(remembered) == len(found) and sum(rows for rows, _ in remembered) == errors.n_rows and remembered != found:
        return Agreement(
            "differs",
            f"These rows are not those that the model was fitted on: there are as many, and as many wrong ({now}), "
            "but its lines decide others of them.",
        )
    sent = _sent_rows(certificate)
    if sent and not _in_place(sent, model, read):
        return Agreement(
            "differs",
            f"These rows are not those that the model was fitted on, or not in their order: there are as many, and as "
            f"many wrong ({now}), but those that the model is rebuilt from are not in their places. (They would not be "
            "if columns were missing that it does not look at.)",
        )
    lines = ", every line decides as many and as many rightly" if remembered == found and found else ""
    in_place = (
        f", and the {counted(len(sent), 'row')} that it is rebuilt from {are(len(sent))} in place" if sent else ""
    )
    return Agreement(
        "agrees",
        f"These rows agree with those that the model was fitted on in all that it remembers of them: {now}{lines}"
        f"{in_place}. That is no proof that all others are the same.",
    )


def _sent_rows(certificate: Certificate) -> list[SentRow]:
    """Return the rows that the model is rebuilt from, where the certificate knows their digests."""
    found = {row.row: row for each in certificate.statements for row in getattr(each, "rows", ()) if row.sha256}
    return [found[number] for number in sorted(found)]


def _in_place(sent: Sequence[SentRow], model: Any, read: Rows) -> bool:
    """Return whether rows have the digests that the certificate keeps of them."""
    numbers = [row.row for row in sent]
    if max(numbers) >= read.table.n_rows:
        return False
    classes = getattr(model, "classes_", None)
    truth = read.truth[numbers]
    labels = truth if classes is None else np.searchsorted(classes, truth)
    return row_digests(read.table.take(numbers), labels) == [row.sha256 for row in sent]


def _said(n_rows: int, n_wrong: int, errors: Errors) -> str:
    return f"{counted(n_rows, 'row')}, {n_wrong} of which {are(n_wrong)} {errors.outcome}"


def _remembered(model: Any) -> list[tuple[int, int]]:
    """Return for each line how many training rows it decided, and how many of them rightly."""
    if not hasattr(model, "reading"):
        return []
    return [(line.support, line.right) for one in model.reading().lists for line in one.lines]
