"""What is not as it should be gets a clear error, and what only looks odd the right model."""

from __future__ import annotations

import asyncio

import dask
import dask.array as da
import dask.bag
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from dask.distributed import Client
from sklearn.exceptions import NotFittedError

import laconic
from laconic.covering import Balls
from laconic.dask import SetCoveringClassifier
from tests.clusters.conftest import N_ROWS
from tests.clusters.machines import MACHINE, file_of, local_file

STUMPS = MACHINE | {"features": "stumps"}


def from_frames(*frames):
    """Make a collection of frames that need not look alike."""
    return dd.from_delayed([dask.delayed(frame) for frame in frames], meta=frames[0].iloc[:0], verify_meta=False)


@pytest.fixture
def arrays(rows):
    return da.from_array(rows[["size", "flag"]].to_numpy(float), chunks=(250, 1)), da.from_array(rows["sick"], 250)


@pytest.mark.parametrize(
    "renamed", [{"size": "size < 2 & more", "text": " spaced\nout"}, {"size": 0, "gaps": 1}], ids=["words", "numbers"]
)
def test_names_may_be_odd(client, rows, tmp_path, renamed):
    odd = rows.rename(columns=renamed)
    odd.columns = odd.columns.map(str)
    model = SetCoveringClassifier(**MACHINE).fit(dd.from_pandas(rows.rename(columns=renamed), npartitions=3), "sick")
    assert file_of(model, tmp_path) == local_file(odd, tmp_path)


def test_the_index_means_nothing(client, rows, tmp_path):
    shuffled = rows.sample(frac=1, random_state=0)
    for odd in (shuffled, rows.set_index(np.zeros(N_ROWS, dtype=int))):
        spread = from_frames(odd[:250], odd[250:])
        model = SetCoveringClassifier(**MACHINE).fit(spread.drop(columns="sick"), spread["sick"])
        assert file_of(model, tmp_path) == local_file(odd, tmp_path)


def test_the_lengths_of_blocks_may_be_unknown(client, arrays, tmp_path):
    X, y = arrays
    local = laconic.SetCoveringClassifier(**STUMPS).fit(X.compute(), y.compute())
    kept = da.from_array(np.ones(N_ROWS, dtype=bool), 250)
    unknown = X[kept], y[kept]
    assert np.isnan(unknown[0].shape[0])
    model = SetCoveringClassifier(**STUMPS).fit(*unknown)
    assert file_of(model, tmp_path) == file_of(local, tmp_path)
    assert model.predict(unknown[0]).compute().tolist() == local.predict(X.compute()).tolist()
    assert np.array_equal(model.predict_proba(unknown[0]).compute(), local.predict_proba(X.compute()))


@pytest.mark.parametrize(
    "dtype", ["float32", "object", *(pytest.param(t, marks=pytest.mark.slow) for t in ("int8", "?"))]
)
def test_types_of_arrays(client, arrays, tmp_path, dtype):
    X, y = arrays
    X = (4 * X).astype(dtype)
    model = SetCoveringClassifier(**STUMPS).fit(X, y)
    local = laconic.SetCoveringClassifier(**STUMPS).fit(X.compute().astype(float), y.compute())
    assert file_of(model, tmp_path) == file_of(local, tmp_path)


def test_arrays_that_are_no_plain_numbers_are_refused(client, arrays):
    X, y = arrays
    whole = X.rechunk((250, 2))
    for odd, error, words in (
        (X.astype(complex), TypeError, "ndarray of complex128; it must be a plain array"),
        (X.astype("M8[s]"), TypeError, "datetime64"),
        (X.astype(str), TypeError, "plain array of numbers"),
        (da.ma.masked_array(X, X > 1), TypeError, "da.ma.filled"),
        (whole.map_blocks(scipy.sparse.csr_matrix), TypeError, "csr_matrix of float64.*toarray"),
        (X[:, 0], ValueError, "X has 1 dimensions and must have 2"),
        (X[:, :, None], ValueError, "X has 3 dimensions"),
        (X[:, :0], ValueError, "Found 600 rows and 0 columns"),
        (dask.bag.from_sequence([1, 2]), TypeError, "X must be a dask DataFrame or Array"),
        (dask.delayed(X.compute()), TypeError, "X must be a dask DataFrame or Array"),
    ):
        with pytest.raises(error, match=words):
            SetCoveringClassifier(**STUMPS).fit(odd, y)


def test_labels_that_do_not_go_with_the_rows_are_refused(client, arrays, rows):
    X, y = arrays
    spread = dd.from_pandas(rows, npartitions=2)
    maybe = rows.assign(sick=rows["sick"].astype("Int64").mask(rows["size"] > 1))
    for table, labels, words in (
        (X, y.rechunk(100), "X has 3 partitions and y 6"),
        (X, y.rechunk(((200, 300, 100),)), "A partition of [0-9]+ rows has [0-9]+ labels"),
        (X, y[:, None], "y has 2 dimensions and must have 1"),
        (spread[["size"]], spread[["sick"]], "y has 2 dimensions and must have 1"),
        (dd.from_pandas(maybe, npartitions=2), "sick", "Input y contains NaN"),
        (from_frames(rows[:300], rows[300:].astype({"sick": str})), "sick", "Labels have one type in some partitions"),
        (spread[spread["sick"] == 1], "sick", "one class only"),
    ):
        with pytest.raises(ValueError, match=words):
            SetCoveringClassifier(**STUMPS).fit(table, labels)


def test_partitions_that_differ_are_refused(client, rows):
    first, last = rows[:300], rows[300:]
    for other, error, words in (
        (last[["gaps", "size", "text", "flag", "sick"]], ValueError, r"Partition 1 has the columns \['gaps', 'size'"),
        (last.drop(columns="flag"), ValueError, "Partition 1 has the columns"),
        (last.assign(size=last["text"]), TypeError, "Column 'size' holds category, number values"),
        (last.assign(flag=2.0), TypeError, "Column 'flag' holds boolean, number values"),
        (last.assign(size=pd.Timestamp(0)), TypeError, "Column 'size' has type Datetime"),
        (last.assign(size=np.inf), ValueError, "infinity"),
    ):
        with pytest.raises(error, match=words):
            SetCoveringClassifier(**MACHINE).fit(from_frames(first, other), "sick")


def test_what_a_partition_raises_is_said(client, rows):
    def read(frame):
        raise OSError("the disk is on fire")

    broken = dd.from_pandas(rows, npartitions=2).map_partitions(read, meta=rows.iloc[:0])
    with pytest.raises(OSError, match="the disk is on fire"):
        SetCoveringClassifier(**MACHINE).fit(broken, "sick")


def test_missing_values_and_balls_do_not_go_together(client, rows):
    numbers = dd.from_pandas(rows[["size", "gaps", "sick"]], npartitions=3)
    with pytest.raises(ValueError, match="Input X contains NaN, and balls need every value"):
        SetCoveringClassifier("conjunction", Balls(max_centers=20), penalty=1.0).fit(numbers, "sick")


def test_what_is_no_client_is_refused(client, rows):
    spread = dd.from_pandas(rows, npartitions=2)
    for odd in (client.scheduler.address, 3, client.cluster):
        with pytest.raises(TypeError, match="client must be a dask.distributed.Client or None"):
            SetCoveringClassifier(**MACHINE, client=odd).fit(spread, "sick")

    async def fit():
        async with Client(client.scheduler.address, asynchronous=True) as own:
            SetCoveringClassifier(**MACHINE, client=own).fit(spread, "sick")

    with pytest.raises(TypeError, match="client is asynchronous"):
        asyncio.run(fit())


def test_models_that_were_not_fitted_say_so(client, rows):
    for method in ("predict", "decision_function", "predict_proba", "explain"):
        with pytest.raises(NotFittedError):
            getattr(SetCoveringClassifier(**MACHINE), method)(dd.from_pandas(rows, npartitions=2))


def test_the_local_machine_refuses_rows_elsewhere(client, rows):
    spread = dd.from_pandas(rows.drop(columns="sick"), npartitions=2)
    with pytest.raises(TypeError, match="dask DataFrame, whose rows are elsewhere"):
        laconic.SetCoveringClassifier(**MACHINE).fit(spread, rows["sick"])
    model = SetCoveringClassifier(**MACHINE).fit(dd.from_pandas(rows, npartitions=2), "sick")
    with pytest.raises(TypeError, match="dask DataFrame, whose rows are elsewhere"):
        next(model.staged_predict(spread))
