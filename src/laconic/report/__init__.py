"""A report on a fitted model and a table: one page, Markdown, JSON, or a model card.

``model.report(X, y)`` makes one, and ``laconic report model.json table.csv --out report.html`` writes its page. What is
said is a `Record` of plain values; the page is drawn from it. Pages need the extra ``report``: matplotlib and jinja2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from laconic._unseen import remarked_once
from laconic.report._displays import displays_of
from laconic.report._making import make_record
from laconic.report._pages import Report
from laconic.report._record import Record

__all__ = ["Record", "Report", "report"]


@remarked_once()
def report(model: Any, X: Any, y: Any, *, rows: bool = False, path: bool = True, notes: Sequence[str] = ()) -> Report:
    """Say everything that is to be said of a fitted model and a table.

    Parameters
    ----------
    model : fitted estimator
        A learner of laconic, or `laconic.Certified`.
    X, y : table and target
        The rows to report on: those that the model was fitted on, or others. The report says which they seem to be.
    rows : bool, default=False
        Whether to show values of rows: which are wrong and why, how columns are spread, and pictures with points.
        Without them the report holds counts, and the values that the model itself names.
    path : bool, default=True
        Whether to fit the model again with one rule, two rules and so on, to show the bounds along the way. This is
        done only where the rows agree with those that it was fitted on.
    notes : sequence of str, default=()
        What was left out of the table before, in sentences.

    Returns
    -------
    Report
        It writes itself: ``write_html(path)``, ``html()``, ``markdown()``, ``json()``, ``card()``.

    Examples
    --------
    >>> from laconic import SetCoveringClassifier
    >>> from laconic.datasets import load_breast_cancer_wisconsin
    >>> X, y = load_breast_cancer_wisconsin(return_X_y=True, as_frame=True)
    >>> model = SetCoveringClassifier("disjunction", "stumps", max_rules=2).fit(X, y)
    >>> made = model.report(X, y)
    >>> made
    <report on a SetCoveringClassifier and 699 rows, 31 wrong>
    >>> made.record.agreement.verdict
    'agrees'
    >>> "<script" in made.html()
    False
    """
    record, used = make_record(model, X, y, rows=rows, path=path, notes=notes)
    return Report(record, displays_of(model, X, y, record, used))
