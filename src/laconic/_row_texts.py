"""Rows as text that any program can write again, and digests of them: so a row is known without being shown.

The text of a row is one JSON array, without white space and in ASCII: a value for each column of the table in its
order, then the label. A number is a float as Python's ``repr`` writes it (minus zero is zero), a flag is ``true`` or
``false``, a category is its text, and what is missing is ``null``. The label is a class's position among the classes of
the model, or the number to predict.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic._table import Column, Table

MOST_COLUMNS = 10_000
"""Rows of more columns have no digest: they are in no CSV file, and writing them takes longer than fitting a model."""

_BLOCK = 4096  # rows that are text at once


def row_texts(table: Table, labels: NDArray[Any] | None = None) -> list[str]:
    """Write rows as text.

    Parameters
    ----------
    table : Table
        The rows.
    labels : ndarray or None
        Positions of classes (or Booleans), or the numbers to predict; None for rows without labels.

    Returns
    -------
    list of str
        One text for each row.

    Examples
    --------
    >>> import numpy as np
    >>> row_texts(Table.from_array([[1.5, -0.0], [2, np.nan]]), np.array([True, False]))
    ['[1.5,0.0,1]', '[2.0,null,0]']
    """
    columns = [_cells(table.column(place)) for place in range(table.n_columns)]
    if labels is not None:
        columns.append([float(label) if labels.dtype.kind == "f" else int(label) for label in labels.tolist()])
    rows = zip(*columns, strict=True) if columns else [()] * table.n_rows
    return [json.dumps(row, separators=(",", ":")) for row in rows]


def row_digests(table: Table, labels: NDArray[Any] | None = None) -> list[str]:
    """Return the sha256 of each row's text, in hexadecimal digits; empty where rows are wider than 10,000 columns.

    Parameters
    ----------
    table, labels
        As in `row_texts`.

    Examples
    --------
    >>> import numpy as np
    >>> [digest[:8] for digest in row_digests(Table.from_array([[1.5, -0.0], [2, np.nan]]))]
    ['edee3f55', '8a972e36']
    """
    if table.n_columns > MOST_COLUMNS:
        return [""] * table.n_rows
    blocks = (np.arange(start, min(start + _BLOCK, table.n_rows)) for start in range(0, table.n_rows, _BLOCK))
    return [
        hashlib.sha256(text.encode("ascii")).hexdigest()
        for block in blocks
        for text in row_texts(table.take(block), None if labels is None else labels[block])
    ]


def _cells(column: Column) -> list[Any]:
    missing, values = column.missing().tolist(), column.values.tolist()
    if column.kind == "category":
        return [None if gone else str(column.categories[code]) for gone, code in zip(missing, values, strict=True)]
    read = bool if column.kind == "boolean" else (0.0).__add__  # minus zero is zero
    return [None if gone else read(value) for gone, value in zip(missing, values, strict=True)]
