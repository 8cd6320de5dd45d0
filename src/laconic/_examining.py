"""What a fit warns of before any work: rows that repeat earlier ones, and columns that may not be what they seem."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from numpy.typing import NDArray

from laconic._copies import Repeated, repeated_rows
from laconic._estimates import callers
from laconic._suspicions import suspicious_columns
from laconic._table import Table
from laconic._words import counted
from laconic.exceptions import RepeatedRowsWarning, SuspiciousColumnWarning

_MOST_NAMED = 5
_EXAMINED = ContextVar("_EXAMINED", default=False)


@contextmanager
def examined() -> Iterator[None]:
    """Examine no table inside: a fit that makes others has examined the rows of all.

    Examples
    --------
    >>> import numpy as np
    >>> with examined():
    ...     examine(Table.from_array(np.ones((40, 2))), None, np.arange(40) % 2, number=False)
    ()
    """
    before = _EXAMINED.set(True)
    try:
        yield
    finally:
        _EXAMINED.reset(before)


def examine(
    table: Table, names: Sequence[str] | None, answers: NDArray[Any], *, number: bool, pairwise: bool = False
) -> tuple[str, ...]:
    """Warn of what a certificate could not survive, or a careful reader would ask about.

    Parameters
    ----------
    table : Table
        The rows, in memory.
    names : sequence of str or None
        The names of the columns.
    answers : ndarray
        The place of each row's class, or the number to predict.
    number : bool
        Which of the two.
    pairwise : bool, default=False
        Whether columns are distances to rows, and say nothing on their own.

    Returns
    -------
    tuple of str
        What a certificate therefore assumes, in sentences.

    Warns
    -----
    RepeatedRowsWarning
        If more than 1 % of the rows repeat earlier ones, and chance did not do it.
    SuspiciousColumnWarning
        If a column names the rows, or tells the target alone.
    """
    if _EXAMINED.get():
        return ()
    if not pairwise and (found := suspicious_columns(table, answers, number=number)):
        told = [each.text(_name(each.column, names)) for each in found[:_MOST_NAMED]]
        more = [f"{len(found) - _MOST_NAMED} more"] if len(found) > _MOST_NAMED else []
        lines = "\n- ".join(["Some columns may not be what they seem:", *told, *more])
        warnings.warn(lines, SuspiciousColumnWarning, callers())
    repeated = repeated_rows(table)
    if repeated is None:
        return ()
    warnings.warn(_of_copies(repeated, names), RepeatedRowsWarning, callers())
    return (
        f"The {counted(repeated.n_repeated, 'row')} of {repeated.n_rows} that repeat an earlier row are independent "
        "draws all the same.",
    )


def _of_copies(repeated: Repeated, names: Sequence[str] | None) -> str:
    but = ""
    if repeated.identifiers:
        named = [_name(column, names) for column in repeated.identifiers[:_MOST_NAMED]]
        but = f" but {', '.join(named)}{', ...' if len(repeated.identifiers) > _MOST_NAMED else ''}"
    return (
        f"{repeated.n_repeated} of {repeated.n_rows} rows repeat an earlier row in every column{but}. Copies, or "
        "visits of the same patients, are no independent draws, and no certificate holds for these: keep one row of "
        "each. The certificate says that it assumes independent draws."
    )


def _name(column: int, names: Sequence[str] | None) -> str:
    return f"column {column}" if names is None else repr(names[column])
