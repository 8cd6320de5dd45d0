"""A table by columns: the one thing that rules are evaluated on.

Arrays, sparse matrices and data frames all become a `Table`. A column is a *number* (float64, NaN where missing),
a *boolean* (0.0 or 1.0, NaN where missing) or a *category* (codes into a tuple of Python values, -1 where missing).
Tables of genomes have one of *kmers*, whose values are sets: rules ask `Table.has_kmer`, and a number for each row, the
same for equal sets, serves to compare rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats: TypeAlias = NDArray[np.float64]
Booleans: TypeAlias = NDArray[np.bool_]
Integers: TypeAlias = NDArray[np.int64]
Kind: TypeAlias = Literal["number", "boolean", "category", "kmers"]
Category: TypeAlias = str | int | float | bool

_COPIED_AT_ONCE = 4096  # rows, which are read as they stand in memory
_LARGEST = np.finfo(np.float64).max  # infinity sorts as this, so that a missing value comes after it


@dataclass(frozen=True, eq=False)
class Column:
    """One column: its values and what kind of values they are.

    Parameters
    ----------
    kind : {"number", "boolean", "category", "kmers"}
        How to read `values`.
    values : ndarray
        float64 with NaN where missing or, for a category, int64 codes with -1 where missing.
    categories : tuple
        The category of each code, sorted by their text.
    shown : ndarray of int8 or None
        Where the column's type does not say of which kind it is: the kind that each value shows, 0 for a number, 1 for
        a Boolean and 2 for a text. None where the type says it.
    """

    kind: Kind
    values: NDArray[Any]
    categories: tuple[Category, ...] = ()
    shown: NDArray[np.int8] | None = None

    def take(self, rows: Integers) -> Column:
        """Return the column of some of the rows."""
        shown = None if self.shown is None else self.shown[rows]
        return replace(self, values=self.values[rows], shown=shown)

    def missing(self) -> Booleans:
        """Return which rows have no value."""
        return self.values < 0 if self.kind == "category" else np.isnan(self.values)

    def equals(self, value: Category) -> Booleans:
        """Return which rows have this value (a missing one never does)."""
        if self.kind != "category" and not isinstance(value, str):
            return np.asarray(self.values == value)
        if value not in self._codes:
            return np.zeros(len(self.values), dtype=bool)
        return np.asarray(self.values == self._codes[value])

    @cached_property
    def _codes(self) -> dict[Category, int]:
        """The code of each category: a table of identifiers has as many as rows, and asks for every one."""
        return {category: code for code, category in enumerate(self.categories)}

    def at(self, row: int) -> Category:
        """Return the value in one row, as a Python value."""
        value = self.values[row]
        return self.categories[value] if self.kind == "category" else float(value)

    def sort_keys(self, rows: Integers) -> Floats:
        """Return numbers that order some rows by value, missing values last."""
        values = self.values[rows].astype(np.float64)
        missing = values < 0 if self.kind == "category" else np.isnan(values)
        return np.where(missing, np.inf, np.minimum(values, _LARGEST))


@dataclass(frozen=True, eq=False)
class Table:
    """Rows and columns, held as one dense array, one sparse matrix or a tuple of columns.

    Parameters
    ----------
    source : ndarray of float64, csc_array or tuple of Column
        The values.
    n_rows : int
        The number of rows.
    n_columns : int
        The number of columns.
    copies : mapping of int to ndarray
        Columns of a dense array that are at hand, each in one piece; see `at_hand`.

    Examples
    --------
    >>> table = Table.from_array([[1.0, 5.0], [2.0, 7.0]])
    >>> table.numbers(1)
    array([5., 7.])
    >>> table.take([1]).numbers(0)
    array([2.])
    """

    source: Floats | sparse.csc_array | tuple[Column, ...]
    n_rows: int
    n_columns: int
    copies: Mapping[int, Floats] = field(default_factory=dict, kw_only=True, repr=False)

    @classmethod
    def from_array(cls, array: Any) -> Table:
        """Hold a two-dimensional array of numbers, or a sparse matrix."""
        if sparse.issparse(array):
            matrix = sparse.csc_array(array, dtype=np.float64)
            return cls(matrix, *matrix.shape)
        dense = np.asarray(array, dtype=np.float64)
        if dense.ndim != 2:
            raise ValueError(f"Expected a table with rows and columns, got an array of shape {dense.shape}.")
        return cls(dense, *dense.shape)

    @classmethod
    def from_frame(cls, frame: Any, kinds: Sequence[Kind] | None = None) -> Table:
        """Hold a pandas, polars or Arrow frame, column by column.

        A column whose type does not say what it holds is read as categories if it is known to hold them: `kinds`, those
        of the columns when a model was fitted.
        """
        native = nw.from_native(frame, eager_only=True)
        names = tuple(str(series.name) for series in native.iter_columns())
        known = (None,) * len(names) if kinds is None else kinds
        columns = tuple(map(_read_series, native.iter_columns(), names, known))
        return NamedTable(columns, len(native), len(columns), names)

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the columns, where the table itself remembers them."""
        return None

    @property
    def n_packed(self) -> int:
        """How many columns, the first ones, are flags that are packed into bits: what is true of one is true of all."""
        return 0

    def keep_within(self, room: int | None) -> None:
        """Hold at most so many bytes of what is on disk, None for any number; a table in memory holds nothing more."""

    @property
    def is_sparse(self) -> bool:
        """Whether the values are held as a sparse matrix."""
        return sparse.issparse(self.source)

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kind of every column."""
        if isinstance(self.source, tuple):
            return tuple(column.kind for column in self.source)
        kind: Kind = "number"
        return (kind,) * self.n_columns

    @cached_property
    def undeclared(self) -> frozenset[int]:
        """The columns whose values said what kind they are, since their type does not."""
        columns = self.source if isinstance(self.source, tuple) else ()
        return frozenset(place for place, column in enumerate(columns) if column.shown is not None)

    @property
    def has_missing(self) -> bool:
        """Whether any value is missing."""
        return any(bool(self.column(index).missing().any()) for index in range(self.n_columns))

    def column(self, index: int) -> Column:
        """Return one column."""
        if isinstance(self.source, tuple):
            return self.source[index]
        if isinstance(self.source, np.ndarray):
            copied = self.copies.get(index)
            return Column("number", self.source[:, index] if copied is None else copied)
        return Column("number", self.source[:, [index]].toarray().ravel())

    def numbers(self, index: int) -> Floats:
        """Return the values of a column of numbers or Booleans."""
        column = self.column(index)
        if column.kind == "category":
            raise ValueError(f"Column {index} holds categories, not numbers.")
        return column.values

    def has_kmer(self, index: int, sequence: str) -> Booleans:
        """Return which rows of a column of k-mers have one of them."""
        raise ValueError(f"Column {index} holds no k-mers, so that {sequence} cannot be looked for.")

    def kmer_at(self, row: int, rank: int) -> str:
        """Return the k-mer of a genome that comes after so many others in the alphabet."""
        raise ValueError(f"The table holds no k-mers, so that row {row} has none at {rank}.")

    def stored(self, index: int) -> Floats:
        """Return the values of a column of numbers; of a sparse one only those that are written down."""
        if isinstance(self.source, np.ndarray | tuple):
            return self.numbers(index)
        start, stop = self.source.indptr[index : index + 2]
        return self.source.data[start:stop]

    def matrix(self, indices: Sequence[int] | None = None) -> Floats:
        """Return several columns of numbers (by default all) as one array, without a copy where possible."""
        indices = range(self.n_columns) if indices is None else indices
        if isinstance(self.source, np.ndarray):
            return self.source if len(indices) == self.n_columns else self.source[:, list(indices)]
        return np.column_stack([self.numbers(index) for index in indices])

    def at_hand(self, indices: Iterable[int]) -> Table:
        """Return the same table, with a few columns copied out of it, so that they are read fast again and again."""
        chosen = sorted(indices)
        if not isinstance(self.source, np.ndarray) or self.source.flags.f_contiguous:
            return self
        if 2 * len(chosen) > self.n_columns:
            return self
        copied = np.empty((len(chosen), self.n_rows))
        for start in range(0, self.n_rows, _COPIED_AT_ONCE):
            some = slice(start, start + _COPIED_AT_ONCE)
            copied[:, some] = self.source[some][:, chosen].T
        return replace(self, copies=dict(zip(chosen, copied, strict=True)))

    def point(self, row: int) -> tuple[float, ...]:
        """Return one row of numbers; minus zero is zero, so that rows that are equal are the same point."""
        return tuple(float(self.numbers(index)[row]) + 0.0 for index in range(self.n_columns))

    def take(self, rows: Sequence[int] | NDArray[Any]) -> Self:
        """Return a table of some of the rows, in the order asked for."""
        rows = np.asarray(rows)
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.int64)
        if isinstance(self.source, tuple):
            columns = tuple(
                column if column.values is None else column.take(rows)  # None: was not read
                for column in self.source
            )
            return replace(self, source=columns, n_rows=len(rows))
        if isinstance(self.source, np.ndarray):
            return replace(self, source=self.source[rows], n_rows=len(rows), copies={})
        return replace(self, source=self.source.tocsr()[rows].tocsc(), n_rows=len(rows))

    def in_memory(self) -> Table:
        """Return the same table with all values in memory."""
        return self


@dataclass(frozen=True, eq=False)
class NamedTable(Table):
    """A table in memory that remembers the names of its columns, if they have any; see `Table`."""

    names: tuple[str, ...] | None = None


def stacked(tables: Sequence[Table]) -> Table:
    """Put tables of the same columns under each other.

    Examples
    --------
    >>> stacked([Table.from_array([[1.0]]), Table.from_array([[2.0]])]).numbers(0)
    array([1., 2.])
    """
    columns = tuple(_joined([table.column(index) for table in tables]) for index in range(tables[0].n_columns))
    return Table(columns, sum(table.n_rows for table in tables), len(columns))


def _joined(parts: Sequence[Column]) -> Column:
    if parts[0].kind != "category":
        kind: Kind = "boolean" if any(part.kind == "boolean" for part in parts) else "number"
        return Column(kind, np.concatenate([part.values for part in parts]))
    found = {category for part in parts for category in part.categories}
    categories = tuple(sorted(found, key=_by_text))
    code = {category: place for place, category in enumerate(categories)} | {None: -1}
    renamed = [np.array([*map(code.__getitem__, part.categories), -1], dtype=np.int64) for part in parts]
    values = [names[part.values] for names, part in zip(renamed, parts, strict=True)]
    return Column("category", np.concatenate(values), categories)


def _by_text(value: Category) -> tuple[str, str]:
    """Return where a category stands among the others."""
    return str(value), str(type(value))


def as_table(X: Any) -> Table:
    """Turn whatever a rule is asked to look at into a `Table`."""
    if isinstance(X, Table):
        return X
    if hasattr(X, "__laconic_table__"):  # as packed bits have
        own: Table = X.__laconic_table__()
        return own
    return Table.from_frame(native(X)) if is_frame(X) else Table.from_array(X)


def native(X: Any) -> Any:
    """Return the data frame inside a frame of narwhals, in which scikit-learn finds no names; all else as it is."""
    return X.to_native() if nw.dependencies.is_narwhals_dataframe(X) else X


def is_frame(X: Any) -> bool:
    """Return whether X is a data frame that narwhals can read; refuse one whose rows have not been computed."""
    X = native(X)
    if nw.dependencies.is_narwhals_lazyframe(X):
        X = X.to_native()
    if nw.dependencies.is_polars_lazyframe(X):
        raise TypeError("X is a lazy frame, whose rows are not there yet: call collect() on it first.")
    if nw.dependencies.is_dask_dataframe(X):
        raise TypeError(
            "X is a dask DataFrame, whose rows are elsewhere: call compute() on it first, or use a machine of "
            "laconic.dask, which leaves rows where they are."
        )
    return not isinstance(X, np.ndarray) and nw.dependencies.is_into_dataframe(X)


def read_column(values: Any, name: str) -> Column:
    """Read one column that narwhals knows, such as an array of Arrow."""
    if type(values).__module__.startswith("pyarrow") and not hasattr(values, "chunks"):
        import pyarrow

        values = pyarrow.chunked_array([values])
    return _read_series(nw.from_native(values, series_only=True), name)


def _read_series(series: nw.Series[Any], name: str, known: Kind | None = None) -> Column:
    dtype = series.dtype
    native_type = getattr(series.to_native(), "dtype", None)
    anything = dtype == nw.Object or native_type == np.dtype(object)
    texts = dtype in (nw.String, nw.Categorical, nw.Enum) and not anything
    if len(series) and series.null_count() == len(series) and not texts:
        return Column("number", np.full(len(series), np.nan))
    if dtype.is_numeric():
        return Column("number", _floats(series, name))
    if dtype == nw.Boolean:
        return Column("boolean", _floats(series.cast(nw.Float64), name))
    if anything:
        return _read_objects(series, name, known)
    if texts:
        return _read_categories(_readable(series.to_list(), name))
    raise TypeError(
        f"Column {name!r} has type {dtype}, which no rule can read. "
        "Turn it into a number (for a date: days since a fixed day), a Boolean or text."
    )


def _floats(series: nw.Series[Any], name: str) -> Floats:
    if series.dtype in (nw.Int128, nw.UInt128):  # NumPy has no such integers
        series = series.cast(nw.Float64)
    values = series.to_numpy()
    if values.dtype == object:  # pandas' nullable numbers arrive as objects with NA inside
        values = np.array([np.nan if is_missing(v) else v for v in values])
    return _numbers(values, name)


def _numbers(values: Any, name: str) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except OverflowError:
        raise ValueError(f"Column {name!r} holds a whole number that no float can hold, beyond 1.8e308.") from None


def _read_objects(series: nw.Series[Any], name: str, known: Kind | None) -> Column:
    """Read a column that may hold anything: categories if it is known to, else numbers, Booleans or categories."""
    values = _readable(series.to_list(), name)
    shown = np.array([_shown(value) for value in values], dtype=np.int8)
    kind = _kind_shown(shown[[value is not None for value in values]])
    if "category" in (known, kind):
        return replace(_read_categories(values), shown=shown)
    return Column(kind, _numbers([np.nan if value is None else value for value in values], name), shown=shown)


def _shown(value: Any) -> int:
    """Return of which kind a value is, as `Column` numbers them; a missing value may be of any."""
    if isinstance(value, str):
        return 2
    return 1 if isinstance(value, bool | np.bool_) else 0


def _kind_shown(shown: NDArray[np.int8]) -> Kind:
    """Return of which kind a column is whose known values are of these."""
    if (shown == 0).all():
        return "number"
    return "boolean" if (shown == 1).all() else "category"


def kinds_shown(table: Table, rows: Booleans) -> tuple[Kind, ...]:
    """Return of which kinds the columns of a table would be if some of its rows alone had been read.

    Examples
    --------
    >>> import pandas
    >>> table = Table.from_frame(pandas.DataFrame({"size": pandas.Series([1, 2, "large"], dtype=object)}))
    >>> table.kinds, kinds_shown(table, np.array([True, True, False]))
    (('category',), ('number',))
    """
    kinds = list(table.kinds)
    for place in table.undeclared:
        column = table.column(place)
        assert column.shown is not None
        kinds[place] = _kind_shown(column.shown[rows & ~column.missing()])
    return tuple(kinds)


def _readable(values: list[Any], name: str) -> list[Any]:
    """Refuse what is neither text nor a number; None stands for what is missing."""
    readable = (str, int, float, np.bool_, np.integer, np.floating)
    for value in values:
        if not (isinstance(value, readable) or is_missing(value)):
            raise TypeError(
                f"Column {name!r} holds {value!r} ({type(value).__name__}): argument must be a string or a number."
            )
    return [None if is_missing(value) else value for value in values]


def _read_categories(values: list[Any]) -> Column:
    """Read categories; values that are equal, such as 1, 1.0 and True, are one, whichever comes first."""
    found = set(values) - {None}
    plain = {value: _plain(value) for value in found}
    categories = tuple(sorted(plain.values(), key=_by_text))
    position = {category: code for code, category in enumerate(categories)}
    codes = {value: position[plain[value]] for value in found} | {None: -1}
    return Column("category", np.fromiter(map(codes.__getitem__, values), np.int64, len(values)), categories)


def _plain(value: Any) -> Category:
    """Return a category as a Python value, the same for all that are equal: a whole number is an int."""
    own: Category = value.item() if isinstance(value, np.generic) else value
    return own if isinstance(own, str) or own != own // 1 else int(own)


def is_missing(value: Any) -> bool:
    """Return whether a value of some library stands for none."""
    # pandas.NA has no truth value, so it must be asked for by name before anything is compared with it
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    differs = value != value
    return isinstance(differs, bool | np.bool_) and bool(differs)  # an array compares value by value
