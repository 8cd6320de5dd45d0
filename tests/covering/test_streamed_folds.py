"""Cross-validation of tables on disk: the same folds, the very model file of the rows in memory, and shared looks."""

from __future__ import annotations

import threading

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold

from laconic import SetCoveringClassifierCV
from laconic._table import Table
from laconic.covering.core import _reading_rows as reading_rows
from laconic.covering.core._folds import split_rows, take_rows
from laconic.covering.core._looks import Looks
from laconic.covering.core._problem import Sample
from laconic.covering.core._tasks import Part
from laconic.covering.core._totals import CountRows


class Cut:
    """Rows in memory, cut into parts of any sizes."""

    def __init__(self, sample, ends):
        self.sample, self.n_looks = sample, 0
        self.bounds = [0, *sorted(ends), len(sample.positive)]

    def total(self, task):
        self.n_looks += 1
        answers, rows = [], np.arange(len(self.sample.positive))
        for start, end in zip(self.bounds[:-1], self.bounds[1:], strict=True):
            if start < end:
                some = take_rows(self.sample, rows[start:end])
                answers.append(task(Part(some, start, None, int(self.sample.positive[:start].sum()))))
        found = answers[0]
        for answer in answers[1:]:
            found = task.add(found, answer)
        return found


def streamed_from(sample, ends=()):
    kinds = ("number",) * sample.table.n_columns
    return reading_rows.streamed(Cut(sample, ends), sample.table.n_rows, kinds, 2**20)


def rows_of(rows, sample):
    return rows.within(Part(sample, 0)).tolist()


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.booleans(), min_size=6, max_size=60),
    st.integers(2, 6),
    st.lists(st.integers(0, 60), max_size=4),
    st.sampled_from([StratifiedKFold, lambda n: StratifiedKFold(n, shuffle=True, random_state=3), KFold]),
)
@pytest.mark.filterwarnings("ignore:The least populated class")
def test_folds_hold_out_the_rows_that_scikit_learn_does(labels, n_folds, ends, splitter):
    positive = np.array(labels)
    if min(positive.sum(), (~positive).sum()) < 2:
        positive[:4] = [True, False, True, False]
    sample = Sample(Table.from_array(np.arange(len(positive))[:, None]), positive, np.ones(len(positive)))
    elsewhere = streamed_from(sample, [min(end, len(positive)) for end in ends])
    cv = splitter(n_folds)
    if max(positive.sum(), (~positive).sum()) < n_folds:
        return
    for (train, test), (own_train, own_test) in zip(
        cv.split(positive, positive), split_rows(elsewhere, cv), strict=True
    ):
        assert rows_of(own_train, sample) == sorted(train.tolist())
        assert rows_of(own_test, sample) == sorted(test.tolist())
        held_out = take_rows(elsewhere, own_test)
        assert held_out.table.n_rows == len(test)
        assert held_out.totals.n_rows == (int((~positive[test]).sum()), int(positive[test].sum()))


def test_searches_side_by_side_share_their_looks_and_one_that_fails_ends_the_others():
    sample = Sample(Table.from_array([[0.0], [1.0]]), np.array([True, False]), np.ones(2))
    holder = Cut(sample, [1])
    looks = Looks(holder, 2**20)

    def ask(n_times):
        def inner(_):
            return [looks.total(CountRows()).n_rows for _ in range(n_times)]

        return looks.map(inner, range(3))

    found = looks.map(ask, [1, 2, 3])
    assert [len(inner) for each in found for inner in each] == [1] * 3 + [2] * 3 + [3] * 3
    assert {answer for each in found for inner in each for answer in inner} == {(1, 1)}
    assert holder.n_looks == 3

    def fail(n_times):
        looks.total(CountRows())
        if n_times == 2:
            raise KeyError("two")
        return ask(n_times)

    with pytest.raises(KeyError, match="two"):
        looks.map(fail, [3, 2, 1])
    assert threading.active_count() < 10
    assert looks.total(CountRows()).n_rows == (1, 1)
    assert looks.map(ask, [1, 1])[0][0] == [(1, 1)]


# ---- model files


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """A table with numbers, gaps, flags and texts; some categories are rare, so that folds lack them."""
    rng = np.random.default_rng(4)
    n = 900
    size, flag = rng.normal(size=n), rng.random(n) < 0.4
    text = rng.choice(["red", "green", "blue", "rare"], p=[0.5, 0.3, 0.196, 0.004], size=n)
    y = (size > -0.5) & ((text != "red") | flag) ^ (rng.random(n) < 0.1)
    table = pa.table(
        {
            "size": size,
            "gaps": pa.array(np.exp(size + rng.normal(size=n)), mask=rng.random(n) < 0.2),
            "flag": pa.array(flag, mask=rng.random(n) < 0.1),
            "text": pa.array(text, mask=rng.random(n) < 0.1),
            "sick": np.where(y, "yes", "no"),
        }
    )
    path = tmp_path_factory.mktemp("folds") / "rows.parquet"
    pq.write_table(table, path, row_group_size=200)
    return table, path


SEARCHES = {
    "folds": {"features": ["conditions"], "penalties": [1.0, 2.0]},
    "candidates": {"features": [["stumps", "literals"], "conditions"], "penalties": [1.0], "class_weight": "balanced"},
    "drawn": {"features": ["conditions"], "penalties": [1.0], "cv": ShuffleSplit(2, random_state=1)},
    "bound": {"features": ["conditions"], "penalties": [0.5, 1.0], "select": "bound"},
    "apart": {"features": ["conditions"], "penalties": [1.0], "select": "bound", "apart": 0.5},
}


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("weighed", [False, True])
def test_the_model_file_is_that_of_the_rows_in_memory(rows, tmp_path, monkeypatch, name, weighed):
    table, path = rows
    rng = np.random.default_rng(1)
    weights = rng.gamma(2.0, size=len(table)) * (rng.random(len(table)) < 0.9) if weighed else None
    monkeypatch.setattr(reading_rows, "_MOST_BATCH", 170)
    monkeypatch.setattr(reading_rows, "_LEAST_BATCH", 170)
    models = [
        SetCoveringClassifierCV(**{"max_rules": 2} | SEARCHES[name]).fit(X, y, sample_weight=weights)
        for X, y in ((table.drop_columns(["sick"]), table["sick"].to_numpy()), (path, "sick"))
    ]
    assert models[0].cv_results_ == models[1].cv_results_
    files = []
    for place, model in enumerate(models):
        model.set_params(cv=None).save(tmp_path / f"{place}.json")
        files.append((tmp_path / f"{place}.json").read_bytes())
    assert files[0] == files[1]


def test_folds_of_a_splitter_need_room_and_are_refused_without_it(rows, monkeypatch):
    _, path = rows
    monkeypatch.setattr(reading_rows, "_LEAST_BATCH", 100)
    monkeypatch.setattr("laconic.covering.core._folds._BYTES_OF_ROW", 2**40)
    with pytest.raises(MemoryError, match="Let cv be a number"):
        SetCoveringClassifierCV(features=["conditions"], cv=KFold(3)).fit(path, "sick")
    twice = [(np.array([0, 0, 1, 2, 3]), np.array([4, 5]))]
    monkeypatch.undo()
    with pytest.raises(ValueError, match="same row twice"):
        SetCoveringClassifierCV(features=["conditions"], cv=twice).fit(path, "sick")
