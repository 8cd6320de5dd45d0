"""The machine on a cluster of real processes: one model file, whatever happens to partitions and workers."""

from __future__ import annotations

import os
import pickle
import signal
from concurrent.futures import ThreadPoolExecutor

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.distributed import Client, LocalCluster

import laconic
from laconic.covering import Conditions
from laconic.dask import SetCoveringClassifier

pytestmark = pytest.mark.filterwarnings("ignore")  # what Dask warns of is not ours
N_ROWS = 600
MACHINE = {"form": "conjunction", "features": Conditions(), "penalty": 1.0, "max_rules": 3}


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=N_ROWS),
            "gaps": np.where(rng.random(N_ROWS) < 0.2, np.nan, rng.normal(size=N_ROWS)),
            "text": pd.array(rng.choice(["red", "green", "blue"], size=N_ROWS), dtype="string"),
            "flag": rng.random(N_ROWS) < 0.5,
        }
    )
    sick = (frame["size"] > -0.5) & ((frame["text"] != "red") | frame["flag"]) ^ (rng.random(N_ROWS) < 0.05)
    return frame.assign(sick=sick.astype(int))


def file_of(model, folder):
    model.save(folder / "model.json")
    return (folder / "model.json").read_bytes()


def local_file(rows, folder, **machine):
    X, y = rows.drop(columns="sick"), rows["sick"]
    return file_of(laconic.SetCoveringClassifier(**(MACHINE | machine)).fit(X, y), folder)


def in_parts(rows, bounds):
    """Make a collection of parts of any sizes."""
    return dd.from_delayed([dask.delayed(rows.iloc[a:b]) for a, b in bounds], meta=rows.iloc[:0], verify_meta=False)


def test_any_number_of_partitions_gives_the_local_file(client, rows, tmp_path):
    expected = local_file(rows, tmp_path)
    for n_partitions in (1, 2, 7, 64):
        model = SetCoveringClassifier(**MACHINE).fit(dd.from_pandas(rows, npartitions=n_partitions), "sick")
        assert file_of(model, tmp_path) == expected


def test_penalty_and_form_are_chosen_as_locally(client, rows, tmp_path):
    machine = {"form": "auto", "features": "conditions", "penalty": "auto", "max_rules": 2}
    model = SetCoveringClassifier(**machine).fit(dd.from_pandas(rows, npartitions=3), "sick")
    assert file_of(model, tmp_path) == local_file(rows, tmp_path, **machine)


def test_arrays_partitioned_by_rows_and_columns(client, rows, tmp_path):
    X, y = rows[["size", "gaps"]].to_numpy(), rows["sick"].to_numpy()
    weights = np.random.default_rng(1).gamma(2.0, size=N_ROWS)
    machine = MACHINE | {"features": "stumps"}
    local = laconic.SetCoveringClassifier(**machine).fit(X, y, sample_weight=weights)
    chunks = (200, 250, 150)
    model = SetCoveringClassifier(**machine).fit(
        da.from_array(X, chunks=(chunks, 1)),
        da.from_array(y, chunks=(chunks,)),
        da.from_array(weights, chunks=(chunks,)),
    )
    assert file_of(model, tmp_path) == file_of(local, tmp_path)
    answers = model.predict(da.from_array(X, chunks=(chunks, 1)))
    assert isinstance(answers, da.Array)
    assert answers.compute().tolist() == local.predict(X).tolist()


def test_answers_are_lazy_and_the_local_model_is_ordinary(client, rows):
    X = rows.drop(columns="sick")
    spread = dd.from_pandas(X, npartitions=3)
    model = SetCoveringClassifier(**MACHINE).fit(dd.from_pandas(rows, npartitions=2), "sick")
    local = model.to_local()
    assert type(local) is laconic.SetCoveringClassifier
    assert model.predict(spread).compute().tolist() == local.predict(X).tolist()
    assert model.decision_function(spread).compute().tolist() == local.decision_function(X).tolist()
    assert model.explain(spread).compute()["reason"].tolist() == local.explain(X, as_frame=True)["reason"].tolist()
    named = SetCoveringClassifier(**MACHINE, client=client).fit(spread, dd.from_pandas(rows["sick"], npartitions=3))
    assert pickle.loads(pickle.dumps(named)).client is None
    assert named.rules_ == local.rules_


def test_odd_partitions(client, tmp_path, rows):
    """Empty ones, one row, very different sizes, gaps, a category or a label in one of them alone."""
    odd = rows.sort_values(["sick", "text"]).reset_index(drop=True)
    odd["gaps"] = np.where(np.arange(N_ROWS) < 40, np.nan, odd["size"])
    bounds = [(0, 0), (0, 1), (1, 40), (40, 40), (40, 590), (590, 600), (600, 600)]
    model = SetCoveringClassifier(**MACHINE).fit(in_parts(odd, bounds), "sick")
    assert file_of(model, tmp_path) == local_file(odd, tmp_path)


def test_fewer_rows_than_workers(client, tmp_path):
    one = pd.DataFrame({"size": [0.0, 1.0], "sick": [0, 1]})
    model = SetCoveringClassifier(**MACHINE).fit(in_parts(one, [(0, 1), (1, 2), (2, 2), (2, 2)]), "sick")
    assert file_of(model, tmp_path) == local_file(one, tmp_path)


def test_two_fits_at_once(client, rows, tmp_path):
    spread = dd.from_pandas(rows, npartitions=3)

    def fit(form):
        return SetCoveringClassifier(**(MACHINE | {"form": form}), client=client).fit(spread, "sick")

    with ThreadPoolExecutor(2) as pool:
        models = list(pool.map(fit, ["conjunction", "disjunction"]))
    for model in models:
        assert file_of(model, tmp_path) == local_file(rows, tmp_path, form=model.form)


def test_a_killed_worker_changes_nothing(client, rows, tmp_path):
    victims = list(client.run(os.getpid).values())
    killed = []

    def kill(what, done, total):
        if what == "rules" and done == 1 and not killed:
            killed.append(victims[0])
            os.kill(victims[0], signal.SIGKILL)

    with laconic.progress(kill, every=0):
        model = SetCoveringClassifier(**MACHINE, client=client).fit(dd.from_pandas(rows, npartitions=5), "sick")
    assert killed
    assert file_of(model, tmp_path) == local_file(rows, tmp_path)


def test_what_cannot_be_read_is_refused(client, rows):
    with pytest.raises(TypeError, match="dask DataFrame or Array"):
        SetCoveringClassifier(**MACHINE).fit(rows, rows["sick"])
    with pytest.raises(ValueError, match="no column 'ill'"):
        SetCoveringClassifier(**MACHINE).fit(dd.from_pandas(rows, npartitions=2), "ill")
    with pytest.raises(ValueError, match="partitioned alike"):
        SetCoveringClassifier(**MACHINE).fit(
            dd.from_pandas(rows[["size"]], npartitions=2), dd.from_pandas(rows["sick"], npartitions=3)
        )


@pytest.mark.slow
def test_a_worker_that_dies_again_and_again_ends_in_a_clear_error():
    rows = pd.DataFrame({"size": [0.0, 1.0], "sick": [0, 1]})
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as own,
    ):
        deadly = dd.from_delayed([dask.delayed(os._exit)(1)], meta=rows.iloc[:0], verify_meta=False)
        with pytest.raises(RuntimeError, match="died again and again"):
            SetCoveringClassifier(**MACHINE, client=own).fit(deadly, "sick")


@pytest.mark.slow
def test_a_lost_scheduler_ends_in_a_clear_error(rows):
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None)
    own = Client(cluster)

    def lose(what, done, total):
        if what == "rules" and done == 1:
            cluster.close()

    with laconic.progress(lose, every=0), pytest.raises(RuntimeError, match="scheduler of the cluster was lost"):
        SetCoveringClassifier(**MACHINE, client=own).fit(dd.from_pandas(rows, npartitions=2), "sick")
    own.close()
