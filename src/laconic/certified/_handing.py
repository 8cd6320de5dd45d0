"""Frames as an estimator may see them: rows that know only themselves.

A slice of a frame remembers the table that it was cut from: its index, notes attached to it, and every category that
any row of the table had. A model that looks at these has seen rows that were never picked, and no certificate would
hold. So rows are handed over without index and notes, with the categories of the rows that the model is fitted on, and
rows to be predicted with the same categories, others being missing. Of columns whose categories have an order (pandas
``ordered``, polars ``Enum``) the order is kept: it was declared with the type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals.stable.v2 as nw

from laconic._optional import require
from laconic._table import is_frame

Categories = Mapping[str, Any]
"""For each column of categories the type that lists those of some rows."""


def own_categories(X: Any) -> Categories:
    """Find the categories that occur in the rows of a frame, column by column; nothing for other tables."""
    return {name: library.own(X[name]) for name, library in _columns(X)}


def handed_over(X: Any, categories: Categories) -> Any:
    """Return the rows as their own table, with the given categories; other values of these columns are missing."""
    if not is_frame(X):
        return X
    library = _library(X)
    return library.bare(X, {name: library.cast(X[name], kind) for name, kind in categories.items()})


def _columns(X: Any) -> list[tuple[str, Any]]:
    if not is_frame(X):
        return []
    library = _library(X)
    return [(name, library) for name in nw.from_native(X, eager_only=True).columns if library.lists_categories(X[name])]


class _Pandas:
    @staticmethod
    def lists_categories(column: Any) -> bool:
        return nw.from_native(column, series_only=True).dtype in (nw.Categorical, nw.Enum)

    @staticmethod
    def own(column: Any) -> Any:
        pandas = require("pandas", "A frame of categories")
        listed = _Pandas.listed(column).cat
        seen, ordered = listed.remove_unused_categories().cat.categories, bool(listed.ordered)
        return pandas.CategoricalDtype(seen if ordered else sorted(seen, key=_by_value), ordered)

    @staticmethod
    def cast(column: Any, kind: Any) -> Any:
        return _Pandas.listed(column).cat.set_categories(kind.categories, ordered=kind.ordered)

    @staticmethod
    def listed(column: Any) -> Any:
        """Return a column of pandas' own categories; text and Arrow's dictionaries become one."""
        return column if hasattr(column, "cat") else column.astype(object).astype("category")

    @staticmethod
    def bare(X: Any, columns: dict[str, Any]) -> Any:
        bare = X.copy(deep=False)
        for name, column in columns.items():  # `assign` takes names that are text alone
            bare[name] = column
        bare = bare.reset_index(drop=True)
        bare.attrs = {}
        return bare


class _Polars:
    @staticmethod
    def lists_categories(column: Any) -> bool:
        polars = require("polars", "A frame of categories")
        return isinstance(column.dtype, polars.Categorical | polars.Enum)

    @staticmethod
    def own(column: Any) -> Any:
        polars = require("polars", "A frame of categories")
        seen = set(column.cast(polars.String).drop_nulls().to_list())
        declared = column.dtype.categories.to_list() if isinstance(column.dtype, polars.Enum) else sorted(seen)
        return polars.Enum([value for value in declared if value in seen])

    @staticmethod
    def cast(column: Any, kind: Any) -> Any:
        polars = require("polars", "A frame of categories")
        return column.cast(polars.String).cast(kind, strict=False)

    @staticmethod
    def bare(X: Any, columns: dict[str, Any]) -> Any:
        return X.with_columns(**columns)


class _Arrow:
    @staticmethod
    def lists_categories(column: Any) -> bool:
        pyarrow = require("pyarrow", "A table of categories")
        return bool(pyarrow.types.is_dictionary(column.type))

    @staticmethod
    def own(column: Any) -> Any:
        pyarrow = require("pyarrow", "A table of categories")
        seen = column.cast(column.type.value_type).unique().drop_null().to_pylist()
        return pyarrow.array(sorted(seen, key=_by_value), column.type.value_type)

    @staticmethod
    def cast(column: Any, kind: Any) -> Any:
        pyarrow, compute = require("pyarrow", "A table"), require("pyarrow.compute", "A table")
        places = compute.index_in(column.cast(kind.type).combine_chunks(), value_set=kind)
        return pyarrow.DictionaryArray.from_arrays(places, kind)

    @staticmethod
    def bare(X: Any, columns: dict[str, Any]) -> Any:
        for name, column in columns.items():
            X = X.set_column(X.column_names.index(name), name, column)
        return X.replace_schema_metadata(None)


class _Others:
    @staticmethod
    def lists_categories(column: Any) -> bool:
        if nw.from_native(column, series_only=True).dtype not in (nw.Categorical, nw.Enum):
            return False
        raise TypeError("Certified takes columns of categories in pandas, polars and Arrow frames only.")

    @staticmethod
    def bare(X: Any, columns: dict[str, Any]) -> Any:
        del columns
        return X


def _library(X: Any) -> Any:
    native = nw.from_native(X, eager_only=True).implementation
    known = {nw.Implementation.PANDAS: _Pandas, nw.Implementation.POLARS: _Polars, nw.Implementation.PYARROW: _Arrow}
    return known.get(native, _Others)


def _by_value(value: Any) -> tuple[str, str]:
    return str(value), str(type(value))
