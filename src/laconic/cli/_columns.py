"""From a column as it stands in a file to one that rules can read: by what it holds, or by what a model knows it as."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from laconic._optional import require
from laconic._table import Booleans, Kind
from laconic._words import counted
from laconic.cli._options import MISSING
from laconic.cli._stacks import Stack, as_flags, as_numbers, stacked
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
        return self.known_numbers(column)

    def known_numbers(self, numbers: Any) -> Any:
        """Return a column of numbers with null where a number stands for a missing value, however it is written."""
        import polars

        missing = [float(text) for text in self.missing if _is_number(text)]
        return numbers.set(numbers.cast(polars.Float64).is_in(missing).fill_null(False), None) if missing else numbers


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


def guess(columns: Iterable[Any], writing: Writing) -> Iterator[Guess]:
    """Tell what columns hold: numbers, true and false, or texts; dates and what is none of these cannot be read.

    Parameters
    ----------
    columns : iterable of polars.Series
        As they stand in the file, all of one length.
    writing : Writing
        How the file is written.

    Yields
    ------
    Guess
        The values of each.
    """
    if writing.is_text:
        return stacked(columns, lambda stack: _guess_texts(stack, writing))
    return (_guess_declared(column, writing) for column in columns)


def _guess_declared(column: Any, writing: Writing) -> Guess:
    polars = require("polars", "Reading tables")
    column = writing.known(column)
    if column.null_count() == len(column):
        return Guess(polars.Series(column.name, [None] * len(column), dtype=polars.Float64))
    if column.dtype.is_temporal():
        return Guess(None, _DATES)
    if column.dtype.is_numeric():
        return Guess(_finite(column.cast(polars.Float64) if column.dtype.is_decimal() else column))
    if column.dtype in (polars.Boolean, polars.String, polars.Categorical, polars.Enum):
        return Guess(column)
    return Guess(None, f"holds {column.dtype}, which no rule can read: turn it into numbers or texts")


_DATES = "holds dates or times: turn it into a number, such as days since a fixed day"


def _guess_texts(stack: Stack, writing: Writing) -> Iterator[Guess]:
    """Read columns of numbers, whole ones where all are, and hand those of other texts on."""
    import polars

    stack = replace(stack, values=writing.known(stack.values))
    numbers, odd = as_numbers(stack, writing.decimals)
    numbers = writing.known_numbers(numbers)
    whole = stack.values.str.strip_chars().cast(polars.Int64, strict=False)
    whole = whole.set(numbers.is_null(), None)
    n_numbers, n_whole = stack.count(numbers.is_not_null()), stack.count(whole.is_not_null())
    are_words, are_whole = stack.count(odd) > 0, (n_whole == n_numbers) & (n_numbers > 0)
    texts = (part for part, is_words in zip(stack.parts(stack.values), are_words, strict=True) if is_words)
    words = stacked(texts, lambda some: _guess_words(some, writing))
    parts = zip(stack.parts(whole), stack.parts(numbers), strict=True)
    for part, is_words, is_whole in zip(parts, are_words, are_whole, strict=True):
        yield next(words) if is_words else Guess(part[0] if is_whole else part[1])


def _guess_words(stack: Stack, writing: Writing) -> Iterator[Guess]:
    """Read columns that hold texts which are no numbers."""
    unknown, texts = stack.values.is_null(), stack.values.str.strip_chars()
    n_rows, flags = len(texts) // len(stack.names), as_flags(stack.values)
    are_flags = stack.count(flags.is_not_null() | unknown) == n_rows
    are_dates = stack.count(texts.str.contains(_DATE).fill_null(True)) == n_rows
    nearly = _nearly_numbers(stack, writing)
    parts = zip(stack.parts(stack.values), stack.parts(flags), strict=True)
    for (part, flag), is_flags, is_dates, is_nearly in zip(parts, are_flags, are_dates, nearly, strict=True):
        if is_flags:
            yield Guess(flag)
        elif is_dates:
            yield Guess(None, _DATES)
        else:
            yield Guess(part, note=_why_text(part, writing) if is_nearly else "")


def _nearly_numbers(stack: Stack, writing: Writing) -> Booleans:
    """Tell of columns of texts which look so much like numbers that `_why_text` may have something to say."""
    numbers, odd = as_numbers(stack, writing.decimals)
    n_odd = stack.count(odd)
    thousands = stack.values.str.strip_chars().str.contains(_THOUSANDS).fill_null(False)
    with_comma = as_numbers(stack, (",",))[0].is_not_null()
    all_thousands, all_with_comma = (stack.count(odd & each) == n_odd for each in (thousands, with_comma))
    return np.asarray(all_thousands | all_with_comma | (stack.count(numbers.is_not_null()) > n_odd))


def _why_text(column: Any, writing: Writing) -> str:
    """Return why a column that looks like numbers is read as text."""
    numbers, odd = as_numbers(Stack.of([column]), writing.decimals)
    others = column.filter(odd)
    value, row = quoted(others[0]), int(odd.arg_max()) + 1
    stripped = others.str.strip_chars()
    because = f"{column.name} is read as text because of {value} in row {row}"
    if stripped.str.contains(_THOUSANDS).all():
        return f"{because}: write numbers without a mark between thousands"
    if not as_numbers(Stack.of([others]), (",",))[1].any():
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
    (known,) = all_as_known([column], kind, writing, n_before)
    if isinstance(known, ValueError):
        raise known
    return known


def all_as_known(columns: Iterable[Any], kind: Kind, writing: Writing, n_before: int = 0) -> Iterator[Any]:
    """Read several columns of one kind and length; yield the error where `as_known` raises one."""
    polars = require("polars", "Reading tables")
    if kind != "category":
        named = (polars.Categorical, polars.Enum)
        columns = (column.cast(polars.String) if column.dtype in named else column for column in columns)
    for is_text, alike in groupby(columns, key=lambda column: column.dtype == polars.String):
        if is_text:
            yield from stacked(alike, lambda stack: _texts_as_known(stack, kind, writing, n_before))
        else:
            yield from (_declared_as_known(column, kind, writing, n_before) for column in alike)


def _texts_as_known(stack: Stack, kind: Kind, writing: Writing, n_before: int) -> Iterator[Any]:
    import polars

    stack = replace(stack, values=writing.known(stack.values))
    values = read = stack.values
    odd = polars.repeat(False, len(values), eager=True)
    if kind != "category":
        written, _ = as_numbers(stack, writing.decimals)
        read = writing.known_numbers(written)
        values = values.set(written.is_not_null() & read.is_null(), None)
        read = read.fill_null(as_flags(values).cast(polars.Float64))
        odd = values.is_not_null() & ~_fine(read, kind)
        read = read.set(odd, None).cast(polars.Boolean) if kind == "boolean" else read
    parts = zip(stack.parts(values), stack.parts(read), stack.parts(odd), stack.count(odd), strict=True)
    for value, part, is_odd, n_odd in parts:
        if n_odd:
            yield _no_such(value, int(is_odd.arg_max()), kind, n_before)
        else:
            yield part if part.null_count() < len(part) else part.cast(polars.Float64)


def _declared_as_known(column: Any, kind: Kind, writing: Writing, n_before: int) -> Any:
    import polars

    column = writing.known(column)
    if column.null_count() == len(column):
        return polars.Series(column.name, [None] * len(column), dtype=polars.Float64)
    try:
        if kind == "category":
            return as_texts(column, writing)
        if not (column.dtype.is_numeric() or column.dtype == polars.Boolean):
            raise ValueError(f"Column {column.name!r} holds {column.dtype}, and the model knows it as {_WORDS[kind]}.")
        numbers = column.cast(polars.Float64)
        odd = column.is_not_null() & ~_fine(numbers, kind)
        if odd.any():
            return _no_such(column, int(odd.arg_max()), kind, n_before)
        return numbers.cast(polars.Boolean) if kind == "boolean" else _finite(numbers, n_before)
    except ValueError as error:
        return error


def _fine(numbers: Any, kind: Kind) -> Any:
    """Tell where numbers are of a kind."""
    return numbers.is_in([0.0, 1.0]).fill_null(False) if kind == "boolean" else numbers.is_not_null()


def _no_such(column: Any, row: int, kind: Kind, n_before: int) -> ValueError:
    return ValueError(
        f"Column {column.name!r} holds {quoted(column[row])} in row {n_before + row + 1}, and the model knows it "
        f"as {_WORDS[kind]}. If that stands for a missing value: --na {shlex.quote(str(column[row]))}."
    )


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
