from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from laconic import LaconicClassifier, MinimalComplexityClassifier, SetCoveringClassifier
from laconic._sklearn_compat import safe_indexing
from laconic._table import Column, as_table, kinds_shown

COLUMNS = {
    "number": [1.5, None, -0.0],
    "whole": [3, 2, 1],
    "flag": [True, None, False],
    "text": ["b", None, "a"],
}


@pytest.mark.parametrize(
    "frame", [pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS), pa.table(COLUMNS)], ids=["pandas", "polars", "arrow"]
)
def test_frames_are_read_alike(frame):
    table = as_table(frame)
    assert table.kinds == ("number", "number", "boolean", "category")
    assert np.array_equal(table.numbers(0), [1.5, np.nan, 0.0], equal_nan=True)
    assert np.array_equal(table.numbers(2), [1.0, np.nan, 0.0], equal_nan=True)
    text = table.column(3)
    assert text.categories == ("a", "b")
    assert text.values.tolist() == [1, -1, 0]
    assert text.at(0) == "b"
    assert text.equals("b").tolist() == [True, False, False]
    assert text.equals("unheard of").tolist() == [False] * 3
    assert text.missing().tolist() == [False, True, False]
    assert table.take([2, 0]).column(3).values.tolist() == [0, 1]
    with pytest.raises(ValueError, match="categories, not numbers"):
        table.numbers(3)


@pytest.mark.parametrize("kind", [pl.Int128, getattr(pl, "UInt128", pl.Int128)])
def test_whole_numbers_of_128_bits_are_read_as_floats(kind):
    frame = pl.DataFrame({"n": pl.Series([2**70, 3, None], dtype=kind)})
    assert as_table(frame).numbers(0).tolist()[:2] == [2.0**70, 3.0]
    assert np.isnan(as_table(frame).numbers(0)[2])


@pytest.mark.parametrize(
    ("X", "match"),
    [
        (
            pd.DataFrame({"n": pd.Series([10**400, 1, 2, 3], dtype=object)}),
            "Column 'n' holds a whole number that no float",
        ),
        (np.array([[10**400], [1], [2], [3]], dtype=object), "holds a whole number that no float"),
        ([[10**400], [1], [2], [3]], "holds a whole number that no float"),
    ],
)
def test_whole_numbers_beyond_floats_are_refused(X, match):
    with pytest.raises(ValueError, match=match):
        SetCoveringClassifier(features="stumps").fit(X, [0, 1, 1, 1])


def test_views_of_arrow_on_texts_are_texts():
    size = np.random.default_rng(0).normal(size=60)
    texts = ["x", "y", "z"] * 20
    views, plain = (
        pa.table({"kind": pa.array(texts, type=kind), "size": size}) for kind in (pa.string_view(), pa.string())
    )
    model = LaconicClassifier(2).fit(views, size > 0)
    assert (model.predict(views) == model.predict(plain)).all()
    assert safe_indexing(views, [0, 2]).column("kind").to_pylist() == ["x", "z"]


def test_pandas_has_many_ways_to_say_missing():
    frame = pd.DataFrame(
        {
            "nullable": pd.array([1, None, 3], dtype="Int64"),
            "objects": pd.Series([1, 2.5, None], dtype=object),
            "flags": pd.array([True, None, False], dtype="boolean"),
            "loose flags": pd.Series([True, None, False], dtype=object),
            "coded": pd.Categorical([10, 20, None]),
            "strings": pd.Series(["a", pd.NA, "b"], dtype="string"),
            "nothing": pd.Series([None, None, None], dtype=object),
        }
    )
    table = as_table(frame)
    assert table.kinds == ("number", "number", "boolean", "boolean", "category", "category", "number")
    assert table.column(4).categories == (10, 20)
    assert [table.column(j).missing().sum() for j in range(7)] == [1, 1, 1, 1, 1, 1, 3]


def test_polars_has_categories_and_nulls():
    frame = pl.DataFrame({"e": pl.Series(["x", "y", None], dtype=pl.Enum(["y", "x", "z"])), "n": [None, None, None]})
    table = as_table(frame)
    assert table.column(0).categories == ("x", "y")
    assert np.isnan(table.numbers(1)).all()


def test_odd_columns_are_refused_by_name():
    with pytest.raises(TypeError, match="Column 'when' has type"):
        as_table(pd.DataFrame({"when": pd.to_datetime(["2020-01-01"])}))
    with pytest.raises(TypeError, match="Column 'odd' holds"):
        as_table(pd.DataFrame({"odd": [{"a": 1}, "b"]}))
    with pytest.raises(ValueError, match="rows and columns"):
        as_table([1.0, 2.0])


@pytest.mark.parametrize(
    "learner", [SetCoveringClassifier("conjunction", "stumps", penalty=1.0), MinimalComplexityClassifier()]
)
def test_lazy_frames_are_to_be_collected(learner):
    frame = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]})
    with pytest.raises(TypeError, match=r"lazy frame.* call collect\(\)"):
        learner.fit(frame.lazy(), [0, 0, 1, 1])
    fitted = learner.fit(frame, [0, 0, 1, 1])
    with pytest.raises(TypeError, match=r"call collect\(\)"):
        fitted.predict(frame.lazy())


def test_looking_for_a_category_does_not_walk_through_all():
    asked = []

    class Text(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other):
            asked.append(other)
            return str.__eq__(self, other)

    n = 200
    column = Column("category", np.arange(n), tuple(Text(f"n{i:03}") for i in range(n)))
    for code in range(n):
        assert np.flatnonzero(column.equals(f"n{code:03}")).tolist() == [code]
    assert len(asked) <= 4 * n


def test_sparse_tables_give_columns():
    X = np.array([[0, 1], [1, 0], [0, 1]])
    table = as_table(sparse.csr_matrix(X))
    assert table.is_sparse
    assert table.numbers(1).tolist() == [1, 0, 1]
    assert table.stored(1).tolist() == [1, 1]
    assert table.take([1]).numbers(0).tolist() == [1]


@pytest.mark.parametrize("values", [[1, True, 0, 2], [True, 1, 0, 2], [2, 0, 1, True]])
def test_truths_among_numbers_are_categories_in_any_order(values):
    assert as_table(pd.DataFrame({"held": pd.Series(values, dtype=object)})).kinds == ("category",)


@pytest.mark.parametrize("values", [[1, True, "x", 1.0], [True, "x", 1.0, 1], [1.0, np.True_, np.int64(1), "x"]])
def test_values_that_are_equal_are_one_category_whichever_comes_first(values):
    column = as_table(pd.DataFrame({"held": pd.Series(values, dtype=object)})).column(0)
    assert [(each, type(each)) for each in column.categories] == [(1, int), ("x", str)]
    same = column.values == column.values[values.index(1)]
    assert [value != "x" for value in values] == same.tolist()
    for one in (1, 1.0, True):
        assert (column.equals(one) == same).all()


def test_some_rows_show_a_column_by_their_own_values_though_others_hold_equal_ones():
    held = pd.Series([1, True, True, 0, False, None], dtype=object)
    for order in ([0, 1, 2, 3, 4, 5], [4, 2, 3, 0, 1, 5]):
        values = held.iloc[order]
        table = as_table(pd.DataFrame({"held": values}))
        truths = np.array([isinstance(value, bool) for value in values])
        assert table.kinds == ("category",)
        assert kinds_shown(table, truths) == ("boolean",)
        assert kinds_shown(table, ~truths) == ("number",)
        assert kinds_shown(table, np.ones(6, dtype=bool)) == ("category",)
        assert kinds_shown(table.take([0, 5]), np.array([True, True])) == kinds_shown(table, np.arange(6) % 5 == 0)


@pytest.mark.parametrize("odd", [Decimal(0), Decimal(1), [], [1], (), {}, b"", np.datetime64("2020"), np.zeros(2), 0j])
def test_what_is_neither_text_nor_number_is_refused_whatever_its_truth_value(odd):
    values = pd.Series([odd, odd, "a", 1], dtype=object)
    with pytest.raises(TypeError, match="Column 'odd' holds .* must be a string or a number"):
        as_table(pd.DataFrame({"odd": values}))
