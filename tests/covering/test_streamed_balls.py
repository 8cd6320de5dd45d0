"""Balls around rows that stay on disk: the very model file of the rows in memory, whatever the parts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic import SetCoveringClassifier, SetCoveringClassifierCV
from laconic._table import Table
from laconic.covering import Balls
from laconic.covering.core import _reading_rows as reading_rows
from laconic.covering.core._problem import Sample
from laconic.covering.core._tasks import Part
from laconic.covering.families import _ball_centers as ball_centers
from laconic.covering.families import _streamed_balls as streamed_balls


@pytest.fixture(autouse=True)
def _stay_on_disk(monkeypatch):
    monkeypatch.setattr(reading_rows, "_LEAST_BATCH", 64)
    monkeypatch.setattr(reading_rows, "_MOST_BATCH", 150)
    monkeypatch.setattr(reading_rows.Opened, "fits", lambda *_: False)


def table_of(kind, n=500, seed=0):
    """Make rows whose distances are all different, tied but for rounding, or equal."""
    rng = np.random.default_rng(seed)
    X = {
        "real": rng.normal(size=(n, 3)) * [1, 10, 0.01],
        "rounded": np.round(rng.normal(size=(n, 3)), 1),
        "few": rng.integers(0, 5, size=(n, 3)).astype(float),
    }[kind]
    y = (np.abs(X - np.median(X, axis=0)).sum(axis=1) < np.median(np.abs(X).sum(axis=1))) ^ (rng.random(n) < 0.1)
    return pa.table(dict(zip("abc", X.T, strict=True))), y


def same_files(machine, X, y, folder, **more):
    pq.write_table(X, folder / "rows.parquet", row_group_size=180)
    files = []
    for source in (X, folder / "rows.parquet"):
        machine.fit(source, y, **more).save(folder / "model.json")
        files.append((folder / "model.json").read_bytes())
    return files[0] == files[1]


BALLS = {
    "reach": {"max_centers": 25},
    "tight": {"max_centers": 25, "radius": "tight", "scale": "dyadic"},
    "cosine": {"max_centers": 20, "metric": "cosine", "scale": "dyadic"},
    "manhattan": {"max_centers": 1000, "metric": "manhattan", "centers": "positive"},
    "chebyshev": {"max_centers": 15, "metric": "chebyshev", "centers": "negative"},
}


@pytest.mark.parametrize("kind", ["real", "rounded", "few"])
@pytest.mark.parametrize("name", BALLS)
def test_the_model_file_is_that_of_the_rows_in_memory(tmp_path, kind, name):
    X, y = table_of(kind, 300 if name == "manhattan" else 500)
    form, penalty = ("auto", 1.0) if name in ("reach", "cosine") else ("disjunction", 2.0)
    assert same_files(SetCoveringClassifier(form, Balls(**BALLS[name]), penalty=penalty, max_rules=5), X, y, tmp_path)


def test_weights_and_machines_that_may_not_err(tmp_path):
    rng = np.random.default_rng(2)
    X, y = table_of("rounded", seed=1)
    weights = rng.integers(0, 3, size=len(y)) * 0.7
    machine = SetCoveringClassifier("conjunction", Balls(max_centers=30), penalty=0.5, max_rules=None)
    assert same_files(machine, X, y, tmp_path, sample_weight=weights)
    clean = np.asarray(X["a"]) > 0
    strict = SetCoveringClassifier("conjunction", Balls(max_centers=30), penalty=np.inf, max_rules=3)
    assert same_files(strict, X, clean, tmp_path)


def test_balls_compete_and_are_cross_validated(tmp_path):
    X, y = table_of("real")
    own = [Balls(max_centers=12, scale="dyadic"), ["stumps", Balls(max_centers=12)]]
    assert same_files(SetCoveringClassifierCV(features=own, penalties=[1.0], max_rules=2, cv=3), X, y, tmp_path)


def test_little_room_opens_bins_one_after_the_other(tmp_path, monkeypatch):
    monkeypatch.setattr(reading_rows, "BYTES_OF_OPENED", 2**50)
    X, y = table_of("rounded")
    machine = SetCoveringClassifier("auto", Balls(max_centers=10), penalty=1.0, max_rules=3)
    assert same_files(machine, X, y, tmp_path)


def test_few_bins_change_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(streamed_balls, "_SAMPLED", 40)
    X, y = table_of("rounded", seed=4)
    machine = SetCoveringClassifier("disjunction", Balls(max_centers=10), penalty=1.0, max_rules=3)
    assert same_files(machine, X, y, tmp_path)


def test_what_balls_cannot_read_is_refused_as_in_memory(tmp_path):
    X, y = table_of("real", 200)
    pq.write_table(X.append_column("gaps", pa.array([None, *[1.0] * 199])), tmp_path / "rows.parquet")
    with pytest.raises(ValueError, match="balls need every value"):
        SetCoveringClassifier(features=Balls(max_centers=10)).fit(tmp_path / "rows.parquet", y)
    pq.write_table(X, tmp_path / "rows.parquet")
    with pytest.raises(ValueError, match="max_centers"):
        SetCoveringClassifier(features=Balls()).fit(tmp_path / "rows.parquet", y)


# ---- centres and scales


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 2**32), st.integers(1, 12), st.lists(st.integers(0, 40), max_size=3))
def test_centres_depend_on_values_alone(seed, most, ends):
    rng = np.random.default_rng(seed)
    X, positive = rng.integers(0, 4, size=(40, 2)).astype(float), rng.random(40) < 0.5
    weights = rng.integers(0, 2, size=40).astype(float)
    task = ball_centers.ChooseCenters(2, "both", most)

    def chosen(order, ends):
        bounds = [0, *sorted(ends), 40]
        parts = [order[a:b] for a, b in pairwise(bounds)]
        answers = [task(Part(Sample(Table.from_array(X[p]), positive[p], weights[p]), 0)) for p in parts]
        found = answers[0]
        for answer in answers[1:]:
            found = task.add(found, answer)
        return found.table.matrix().tolist(), found.positive.tolist()

    once, again = chosen(np.arange(40), []), chosen(rng.permutation(40), ends)
    assert once == again
    counted = {(*row, label) for row, label, w in zip(X.tolist(), positive.tolist(), weights, strict=True) if w}
    assert len(once[0]) == min(most, len(counted))


def test_each_row_is_as_likely_a_centre():
    n_rows, n_wanted = 20_000, 2_000
    X = np.arange(n_rows, dtype=float)[:, None]
    chosen = ball_centers.smallest_keys(Table.from_array(X), np.zeros(n_rows, dtype=bool), n_wanted)
    assert len(chosen) == n_wanted
    in_each = np.bincount(chosen // (n_rows // 20), minlength=20)
    assert abs(in_each - n_wanted / 20).max() < 5 * np.sqrt(n_wanted / 20)
