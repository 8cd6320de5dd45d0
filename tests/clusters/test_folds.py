"""Cross-validation on a cluster: the folds, the choice and the file of the same rows in memory."""

from __future__ import annotations

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

import laconic
from laconic.covering import pack
from laconic.dask import SetCoveringClassifierCV
from tests.clusters.machines import PARTITIONS, file_of, in_parts
from tests.clusters.test_faults import killing

SEARCH = {"features": ["conditions"], "penalties": [0.5, 2.0], "max_rules": 2, "cv": 3}


def here(rows, **search):
    return laconic.SetCoveringClassifierCV(**(SEARCH | search)).fit(rows.drop(columns="sick"), rows["sick"])


@pytest.mark.parametrize("n_partitions", PARTITIONS)
def test_any_number_of_partitions_gives_the_local_file(client, rows, tmp_path, n_partitions):
    model = SetCoveringClassifierCV(**SEARCH).fit(dd.from_pandas(rows, npartitions=n_partitions), "sick")
    local = here(rows)
    assert model.cv_results_ == local.cv_results_
    assert file_of(model, tmp_path) == file_of(local, tmp_path)
    assert type(model.to_local()) is laconic.SetCoveringClassifierCV


def test_arrays_in_rows_and_columns_with_weights(client, rows, tmp_path):
    X, y = rows[["size", "gaps"]].to_numpy(), rows["sick"].to_numpy()
    weights = np.random.default_rng(1).integers(0, 4, size=len(y)).astype(float)
    search = SEARCH | {"features": ["stumps"]}
    local = laconic.SetCoveringClassifierCV(**search).fit(X, y, sample_weight=weights)
    chunks = (200, 250, 150)
    parts = [da.from_array(each, chunks=(chunks, 1)[: each.ndim]) for each in (X, y, weights)]
    assert file_of(SetCoveringClassifierCV(**search).fit(*parts), tmp_path) == file_of(local, tmp_path)


@pytest.mark.parametrize(
    "search",
    [
        {"cv": StratifiedKFold(3, shuffle=True, random_state=1)},
        {"select": "bound"},
        {"select": "bound", "apart": 0.5},
    ],
    ids=["shuffled", "bound", "apart"],
)
def test_other_ways_to_choose(client, rows, tmp_path, search):
    model = SetCoveringClassifierCV(**(SEARCH | search)).fit(dd.from_pandas(rows, npartitions=5), "sick")
    models = [each.set_params(cv=3) for each in (model, here(rows, **search))]  # no file holds a splitter
    assert file_of(models[0], tmp_path) == file_of(models[1], tmp_path)


def test_odd_partitions(client, rows, tmp_path):
    odd = rows.sort_values(["sick", "text"]).reset_index(drop=True)
    bounds = [(0, 0), (0, 1), (1, 40), (40, 40), (40, 590), (590, 600), (600, 600)]
    model = SetCoveringClassifierCV(**SEARCH).fit(in_parts(odd, bounds), "sick")
    assert file_of(model, tmp_path) == file_of(here(odd), tmp_path)


@pytest.mark.slow
def test_a_killed_worker_changes_nothing(client, rows, tmp_path):
    kill, killed = killing(client, 1)
    with laconic.progress(kill, every=0):
        model = SetCoveringClassifierCV(**SEARCH).fit(dd.from_pandas(rows, npartitions=5), "sick")
    assert killed
    assert file_of(model, tmp_path) == file_of(here(rows), tmp_path)


def test_packed_bits(client, tmp_path):
    rng = np.random.default_rng(5)
    X = rng.random((120, 40)) < 0.5
    y = (X[:, 3] & ~X[:, 30]).astype(int)
    bits = pack(X, tmp_path / "flags.bits")
    search = SEARCH | {"features": ["literals"]}
    local = laconic.SetCoveringClassifierCV(**search).fit(bits, y)
    assert file_of(SetCoveringClassifierCV(**search).fit(bits, y), tmp_path) == file_of(local, tmp_path)
