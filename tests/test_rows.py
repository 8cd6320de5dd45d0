import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from laconic._rows import (
    contradictions,
    distinct_rows,
    first_by_value,
    moved_back,
    order_by_value,
    places_by_value,
)
from laconic._table import Table, as_table
from tests.oracles import rows as oracle

VALUES = st.tuples(
    st.sampled_from([-0.0, 0.0, 1.0, -2.5, 1e308, np.nan]),
    st.sampled_from(["a", "b", "c", None]),
    st.sampled_from([True, False, None]),
)
ROWS = st.lists(st.tuples(VALUES, st.integers(0, 2)), max_size=14)


def table_of(rows):
    numbers, texts, truths = ([row[j] for row, _ in rows] for j in range(3))
    frame = {
        "number": np.array(numbers, dtype=float),
        "text": pd.Categorical(texts, ["c", "a", "b"]),
        "truth": pd.array(truths, dtype="boolean"),
    }
    return as_table(pd.DataFrame(frame)), np.array([label for _, label in rows], dtype=np.int64)


@given(ROWS)
def test_rows_compare_as_their_slow_twins_do(rows):
    table, labels = table_of(rows)
    keys = [oracle.key(row) for row, _ in rows]
    labelled = [oracle.key(row, label) for row, label in rows]
    assert places_by_value(table).tolist() == oracle.places(keys)
    assert places_by_value(table, labels).tolist() == oracle.places(labelled)
    assert order_by_value(table).tolist() == oracle.order(keys)
    assert order_by_value(table, labels).tolist() == oracle.order(labelled)
    assert tuple(found.tolist() for found in distinct_rows(table, labels)) == oracle.distinct(labelled)
    found = contradictions(table, labels, np.arange(len(rows)))
    assert [group.tolist() for group in found] == oracle.contradictions(keys, labels.tolist())
    if rows:
        assert first_by_value(table, labels, np.arange(len(rows))) == oracle.first(keys, labels.tolist())


WHOLE = st.sampled_from([0.0, 1.0, 2.0, 7.0, 2.0**31 - 1, 2.0**31, np.inf, np.nan])
TABLES = st.integers(1, 5).flatmap(lambda d: st.lists(st.tuples(*[WHOLE] * d), min_size=1, max_size=14))


@given(TABLES, st.data())
def test_whole_numbers_compare_as_others_do(rows, data):
    labels = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=len(rows), max_size=len(rows))))
    table = Table.from_array(np.array(rows))
    assert places_by_value(table).tolist() == oracle.places([oracle.key(row) for row in rows])
    labelled = [oracle.key(row, label) for row, label in zip(rows, labels.tolist(), strict=True)]
    assert places_by_value(table, labels).tolist() == oracle.places(labelled)
    wanted = oracle.places([oracle.key(row, label > 0) for row, label in zip(rows, labels.tolist(), strict=True)])
    assert places_by_value(table, labels > 0).tolist() == wanted


@given(ROWS, st.randoms())
def test_some_rows_compare_as_a_table_of_them(rows, random):
    table, labels = table_of(rows)
    some = np.array(random.sample(range(len(rows)), len(rows) // 2), dtype=np.int64)
    alone, theirs, every = table.take(some), labels[some], np.arange(len(some))
    assert (places_by_value(table, labels, some) == places_by_value(alone, theirs)).all()
    first, kinds = distinct_rows(table, labels, some)
    assert (first == some[distinct_rows(alone, theirs)[0]]).all()
    assert (kinds == distinct_rows(alone, theirs)[1]).all()
    groups = contradictions(table, labels, some)
    assert [group.tolist() for group in groups] == [
        some[group].tolist() for group in contradictions(alone, theirs, every)
    ]
    if len(some):
        assert first_by_value(table, labels, some) == some[first_by_value(alone, theirs, every)]


@given(ROWS, st.randoms())
def test_the_order_in_which_rows_came_changes_nothing(rows, random):
    shuffled = rows.copy()
    random.shuffle(shuffled)
    one, other = ([rows[i] for i in distinct_rows(*table_of(rows))[0]] for rows in (rows, shuffled))
    assert str(one).replace("-0.0", "0.0") == str(other).replace("-0.0", "0.0")
    if rows:
        chosen = [first_by_value(*table_of(each), np.arange(len(each))) for each in (rows, shuffled)]
        one, other = (oracle.key(*each[row]) for row, each in zip(chosen, (rows, shuffled), strict=True))
        assert one == other


@given(st.permutations(range(7)))
def test_what_was_put_in_order_moves_back(order):
    values, order = np.arange(10.0, 17.0), np.array(order)
    assert (moved_back(values[order], order) == values).all()


def test_sparse_tables_compare_as_dense_ones():
    X = np.random.default_rng(0).integers(0, 2, (40, 4)).astype(float)
    assert (order_by_value(Table.from_array(sparse.csr_array(X))) == order_by_value(Table.from_array(X))).all()


def test_of_equal_rows_the_first_one_asked_for_stands_for_all():
    X = np.array([[2.0, 1.0], [0.0, 5.0], [2.0, 1.0], [-0.0, 5.0]])
    assert distinct_rows(Table.from_array(X), rows=np.array([3, 2, 1, 0]))[0].tolist() == [3, 2]


def test_missing_labels_are_equal_and_come_last():
    table, labels = Table.from_array(np.zeros((4, 1))), np.array([np.nan, 1.0, np.nan, 0.0])
    assert places_by_value(table, labels).tolist() == [2, 1, 2, 0]


def test_columns_are_read_only_while_rows_tie():
    class Watched(Table):
        def column(self, index):
            assert index == 0, "the first column tells all rows apart"
            return super().column(index)

    X = np.array([[2.0, 1.0], [1.0, 1.0], [3.0, 1.0]])
    assert order_by_value(Watched(X, *X.shape), np.zeros(3)).tolist() == [1, 0, 2]
    with pytest.raises(AssertionError, match="tells all rows apart"):
        order_by_value(Watched(X[[0, 0]], 2, 2), np.zeros(2))


def test_flags_are_sorted_together_and_rows_that_agree_make_no_groups(monkeypatch):
    X = np.random.default_rng(0).integers(0, 2, (5000, 12)).astype(float)
    sorts, splits = [], []
    lexsort, split = np.lexsort, np.split
    monkeypatch.setattr(np, "lexsort", lambda keys: [sorts.append(len(keys)), lexsort(keys)][1])
    monkeypatch.setattr(np, "split", lambda rows, places: [splits.append(len(places)), split(rows, places)][1])
    places = places_by_value(Table.from_array(X), X[:, 0])
    assert sorts == [1]
    assert len(np.unique(places)) > 2500
    assert contradictions(Table.from_array(X), X[:, 0], np.arange(5000)) == []
    assert splits in ([], [0])
    once = np.arange(5000) == 17
    assert [17 in group for group in contradictions(Table.from_array(X), once, np.arange(5000))] == [True]
