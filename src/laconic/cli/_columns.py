"""From a column as it stands in a file to one that rules can read: by what it holds, or by what a model knows it as."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from laconic._optional import require
from laconic._table import Kind
from laconic._words import counted
from laconic.cli._options import MISSING
from laconic.cli._words import quoted

# what stands for a missing value in a text file; not "None" or "-", which can be values like any other
MANY_DIFFERENT = 0.5  # text of which a larger share is different is left out: the average value occurs less than twice
FEW_VALUES = 20  # fewer say nothing about what a column is
_MOST_QUOTED = 3
_DATE = r"^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$|^\d{2}:\d{2}(:\d{2}(\.\d+)?)?$"
_THOUSANDS = r"^[-+]?\d{1,3}(,\d{3})+(\.\d+)?$"
_WORDS = {"number": "numbers", "boolean": "true and false"}


@dataclass(frozen=True)
class Writing:
    """How the values of a file are written.

    Parameters
    ----------
    is_text : bool
        Whether the file is text, so that what its columns are is told from their values.
    decimals : tuple of str
        What may stand before the fraction of a number; one column has one of them.
    missing : tuple of str
        Texts that stand for a missing value.
    fractions : frozenset of str
        Columns that have a fraction somewhere in the file, perhaps not in the rows at hand.
    """

    is_text: bool
    decimals: tuple[str, ...] = (".",)
    missing: tuple[str, ...] = MISSING
    fractions: frozenset[str] = frozenset()

    def known(self, column: Any) -> Any:
        """Return a column with null where a value is missing."""
        import polars

        if column.dtype == polars.String:
            return column.set(column.str.strip_chars().is_in(list(self.missing)).fill_null(False), None)
        if not column.dtype.is_numeric():
            return column
        numbers = [float(text) for text in self.missing if _is_number(text)]
        return column.set(column.cast(polars.Float64).is_in(numbers).fill_null(False), None) if numbers else column


@dataclass(frozen=True, eq=False)
class Guess:
    """A column with the type that its values suggest.

    Parameters
    ----------
    values : polars.Series or None
        Numbers, Booleans or texts; None where no rule can read the column.
    unread : str
        Why not, as what to say after the column's name.
    note : str
        What else there is to say about it.
    """

    values: Any
    unread: str = ""
    note: str = ""


def guess(column: Any, writing: Writing) -> Guess:
    """Return what a column holds: numbers, true and false, or texts; dates and what is none of these cannot be read.

    Parameters
    ----------
    column : polars.Series
        As it stands in the file.
    writing : Writing
        How the file is written.

    Returns
    -------
    Guess
        The values.
    """
    polars = require("polars", "Reading tables")
    column = writing.known(column)
    if column.null_count() == len(column):
        return Guess(polars.Series(column.name, [None] * len(column), dtype=polars.Float64))
    if writing.is_text:
        return _guess_text(column, writing)
    if column.dtype.is_temporal():
        return Guess(None, _DATES)
    if column.dtype.is_numeric():
        return Guess(_finite(column.cast(polars.Float64) if column.dtype.is_decimal() else column))
    if column.dtype in (polars.Boolean, polars.String, polars.Categorical, polars.Enum):
        return Guess(column)
    return Guess(None, f"holds {column.dtype}, which no rule can read: turn it into numbers or texts")


_DATES = "holds dates or times: turn it into a number, such as days since a fixed day"


def _guess_text(column: Any, writing: Writing) -> Guess:
    import polars

    numbers, odd = as_numbers(column, writing.decimals)
    if not odd.any():
        whole = column.str.strip_chars().cast(polars.Int64, strict=False)
        return Guess(whole if whole.null_count() == column.null_count() else numbers)
    flags = as_flags(column)
    if flags.null_count() == column.null_count():
        return Guess(flags)
    if column.str.strip_chars().str.contains(_DATE).all():
        return Guess(None, _DATES)
    return Guess(column, note=_why_text(column, numbers, odd))


def as_numbers(column: Any, decimals: Sequence[str]) -> tuple[Any, Any]:
    """Read texts as numbers, with the mark before fractions that suits the most of them.

    Returns
    -------
    numbers : polars.Series
        The numbers; null where there is none.
    odd : polars.Series of bool
        Where there is a text that is no finite number.
    """
    import polars

    read = []
    for decimal in decimals:
        texts = column.str.strip_chars()
        if decimal != ".":
            texts = texts.set(texts.str.contains(".", literal=True).fill_null(False), "?")
            texts = texts.str.replace(decimal, ".", literal=True)
        numbers = texts.cast(polars.Float64, strict=False)
        numbers = numbers.set(~numbers.is_finite().fill_null(True), None)
        read.append((numbers, column.is_not_null() & numbers.is_null()))
    return min(read, key=lambda each: each[1].sum())


def as_flags(column: Any) -> Any:
    """Read texts as Booleans, null where they are none."""
    import polars

    texts = column.str.strip_chars().str.to_lowercase()
    return texts.replace_strict({"true": True, "false": False}, default=None, return_dtype=polars.Boolean)


def _why_text(column: Any, numbers: Any, odd: Any) -> str:
    """Return why a column that looks like numbers is read as text."""
    others = column.filter(odd)
    value, row = quoted(others[0]), int(odd.arg_max()) + 1
    stripped = others.str.strip_chars()
    because = f"{column.name} is read as text because of {value} in row {row}"
    if stripped.str.contains(_THOUSANDS).all():
        return f"{because}: write numbers without a mark between thousands"
    if not as_numbers(others, (",",))[1].any():
        return f"{because}; --decimal , reads it as numbers"
    if numbers.count() <= len(others):
        return ""
    different = stripped.unique(maintain_order=True).to_list()
    if len(different) > _MOST_QUOTED:
        return f"{because} and {counted(len(different) - 1, 'other text')}"
    more = f" and of {', '.join(map(quoted, different[1:]))}" if different[1:] else ""
    return f"{because}{more}; {' '.join(f'--na {shlex.quote(each)}' for each in different)} reads it as numbers"


def nearly_unique(column: Any) -> bool:
    """Return whether texts are so different that they name rows rather than kinds of rows."""
    import polars

    if column.dtype not in (polars.String, polars.Categorical, polars.Enum) or column.count() < FEW_VALUES:
        return False
    return bool(column.drop_nulls().n_unique() > MANY_DIFFERENT * column.count())


def as_known(column: Any, kind: Kind, writing: Writing, n_before: int = 0) -> Any:
    """Read a column as what a model knows it as.

    Parameters
    ----------
    column : polars.Series
        As it stands in the file.
    kind : {"number", "boolean", "category"}
        What the model knows.
    writing : Writing
        How the file is written.
    n_before : int, default=0
        How many rows of the file come before these.

    Returns
    -------
    polars.Series
        Numbers, Booleans or texts.

    Raises
    ------
    ValueError
        If a value is something else, with the row where.
    """
    polars = require("polars", "Reading tables")
    column = writing.known(column)
    if column.null_count() == len(column):
        return polars.Series(column.name, [None] * len(column), dtype=polars.Float64)
    if kind == "category":
        return as_texts(column, writing)
    if column.dtype in (polars.Categorical, polars.Enum):
        column = column.cast(polars.String)
    if column.dtype == polars.String:
        numbers, _ = as_numbers(column, writing.decimals)
        numbers = numbers.fill_null(as_flags(column).cast(polars.Float64))
    elif column.dtype.is_numeric() or column.dtype == polars.Boolean:
        numbers = column.cast(polars.Float64)
    else:
        raise ValueError(f"Column {column.name!r} holds {column.dtype}, and the model knows it as {_WORDS[kind]}.")
    fine = numbers.is_in([0.0, 1.0]) if kind == "boolean" else numbers.is_not_null()
    odd = column.is_not_null() & ~fine.fill_null(False)
    if odd.any():
        row = int(odd.arg_max())
        raise ValueError(
            f"Column {column.name!r} holds {quoted(column[row])} in row {n_before + row + 1}, and the model knows it "
            f"as {_WORDS[kind]}. If that stands for a missing value: --na {shlex.quote(str(column[row]))}."
        )
    return numbers.cast(polars.Boolean) if kind == "boolean" else _finite(numbers, n_before)


def has_fractions(column: Any) -> bool:
    """Return whether some value of a column is no whole number."""
    return bool(column.dtype.is_float() and (column.fill_nan(None).drop_nulls() % 1 != 0).any())


def as_texts(column: Any, writing: Writing) -> Any:
    """Write values as the texts that a text file would hold: whole numbers without a point, where all are whole."""
    import polars

    if column.dtype.is_float():
        column = column.fill_nan(None)
        if column.name not in writing.fractions and not has_fractions(column):
            column = column.cast(polars.Int64, strict=False)
    try:
        return column.cast(polars.String)
    except polars.exceptions.PolarsError:
        raise ValueError(f"Column {column.name!r} holds {column.dtype}, which cannot be written as text.") from None


def _finite(column: Any, n_before: int = 0) -> Any:
    """Refuse infinity, which no rule can be fitted to."""
    if column.dtype.is_float():
        endless = column.is_infinite().fill_null(False)
        if endless.any():
            row = int(endless.arg_max())
            raise ValueError(
                f"Column {column.name!r} holds {column[row]} in row {n_before + row + 1}; "
                "write a number, or nothing where it is missing."
            )
    return column


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False
