"""The machine on a cluster of real processes: one model file, whatever partitions look like."""

from __future__ import annotations

import pickle
import re
from concurrent.futures import ThreadPoolExecutor

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.distributed import Client
from dask.utils import key_split
from sklearn.base import clone

import laconic
from laconic._examining import examined
from laconic.dask import SetCoveringClassifier, SetCoveringClassifierCV
from laconic.dask._cluster import ClusterHolder, in_equal_shares
from tests.clusters.conftest import N_ROWS, make_cluster
from tests.clusters.machines import MACHINE, file_of, in_parts, local_file


@pytest.mark.parametrize("n_partitions", [1, 2, 7, 64])
def test_any_number_of_partitions_gives_the_local_file(client, rows, tmp_path, n_partitions):
    model = SetCoveringClassifier(**MACHINE).fit(dd.from_pandas(rows, npartitions=n_partitions), "sick")
    assert file_of(model, tmp_path) == local_file(rows, tmp_path)


def test_penalty_and_form_are_chosen_as_locally(client, rows, tmp_path):
    machine = {"form": "auto", "features": "conditions", "penalty": "auto", "max_rules": 2}
    model = SetCoveringClassifier(**machine).fit(dd.from_pandas(rows, npartitions=3), "sick")
    assert file_of(model, tmp_path) == local_file(rows, tmp_path, **machine)


def test_arrays_partitioned_by_rows_and_columns(client, rows, tmp_path):
    X, y = rows[["size", "gaps"]].to_numpy(), rows["sick"].to_numpy()
    weights = np.random.default_rng(1).gamma(2.0, size=N_ROWS)
    machine = MACHINE | {"features": "stumps", "class_weight": "balanced"}
    local = laconic.SetCoveringClassifier(**machine).fit(X, y, sample_weight=weights)
    for chunks, width in (((200, 250, 150), 1), ((N_ROWS,), 2)):
        model = SetCoveringClassifier(**machine).fit(
            da.from_array(X, chunks=(chunks, width)),
            da.from_array(y, chunks=(chunks,)),
            da.from_array(weights, chunks=(chunks,)),
        )
        assert file_of(model, tmp_path) == file_of(local, tmp_path)
    answers = model.predict(da.from_array(X, chunks=(100, 1)))
    assert isinstance(answers, da.Array)
    assert answers.compute().tolist() == local.predict(X).tolist()


def test_answers_are_lazy_and_the_local_model_is_ordinary(client, rows):
    X = rows.drop(columns="sick")
    spread = dd.from_pandas(X, npartitions=3)
    model = SetCoveringClassifier(**MACHINE).fit(dd.from_pandas(rows, npartitions=2), "sick")
    local = model.to_local()
    assert type(local) is laconic.SetCoveringClassifier
    chances = model.predict_proba(spread)
    assert isinstance(chances, dd.DataFrame)
    assert np.array_equal(chances.compute().to_numpy(), local.predict_proba(X))
    for name in ("predict", "decision_function"):
        answers = getattr(model, name)(spread)
        assert isinstance(answers, dd.Series)
        assert answers.compute().tolist() == getattr(local, name)(X).tolist()
        assert getattr(model, name)(X).tolist() == getattr(local, name)(X).tolist()  # what is in memory stays there
    explained = model.explain(spread)
    assert isinstance(explained, dd.DataFrame)
    found, said = explained.compute(), local.explain(X, as_frame=True)
    assert found.index.equals(X.index)
    for name in ("prediction", "position", "rule", "reason"):
        one, other = (frame[name].astype(object) for frame in (found, said))  # whichever texts these versions have
        assert one.fillna(-1).tolist() == other.fillna(-1).tolist()
    half = in_parts(X, [(0, 0), (0, 5)])
    assert model.predict(half).compute().tolist() == local.predict(X[:5]).tolist()
    assert len(model.predict_proba(half).compute()) == len(model.explain(half).compute()) == 5


def test_nothing_is_computed_before_it_is_asked_for(client, rows):
    model = SetCoveringClassifier(**MACHINE).fit(dd.from_pandas(rows, npartitions=2), "sick")

    def read(frame):
        raise OSError("nobody asked for this")

    X = rows.drop(columns="sick")
    broken = dd.from_pandas(X, npartitions=2).map_partitions(read, meta=X.iloc[:0])
    for name in ("predict", "predict_proba", "decision_function", "explain"):
        answers = getattr(model, name)(broken)
        with pytest.raises(OSError, match="nobody asked for this"):
            answers.compute()


def test_the_client_is_neither_kept_nor_copied(client, rows):
    spread = dd.from_pandas(rows.drop(columns="sick"), npartitions=3)
    named = SetCoveringClassifier(**MACHINE, client=client).fit(spread, dd.from_pandas(rows["sick"], npartitions=3))
    assert pickle.loads(pickle.dumps(named)).client is None
    assert clone(named).client is client
    assert "client" not in named.to_local().get_params()
    assert named.rules_ == SetCoveringClassifier(**MACHINE).fit(dd.from_pandas(rows, npartitions=2), "sick").rules_


def test_parquet_files_are_read_in_the_order_of_their_names(client, rows, tmp_path):
    twelve = rows.copy()
    twelve["maybe"] = pd.array(np.where(np.arange(N_ROWS) % 7 == 0, None, rows["flag"]), dtype="boolean")
    twelve = twelve.drop(columns="sick").assign(sick=rows["sick"])
    (tmp_path / "rows").mkdir()
    for i in range(12):  # "10" comes before "2"
        twelve.iloc[50 * i : 50 * (i + 1)].to_parquet(tmp_path / "rows" / f"{i}.parquet", index=False)
    local = laconic.SetCoveringClassifier(**MACHINE).fit(tmp_path / "rows", "sick")
    model = SetCoveringClassifier(**MACHINE).fit(tmp_path / "rows", "sick")
    assert file_of(model, tmp_path) == file_of(local, tmp_path)
    answers = model.predict(tmp_path / "rows")  # the column to predict is still there
    assert isinstance(answers, dd.Series)
    assert answers.compute().tolist() == local.predict(tmp_path / "rows").tolist()
    assert len(model.explain(str(tmp_path / "rows")).compute()) == N_ROWS


def test_odd_partitions(client, tmp_path, rows):
    """Empty ones, one row, very different sizes, gaps, a category or a label in one of them alone."""
    odd = rows.sort_values(["sick", "text"]).reset_index(drop=True)
    odd["gaps"] = np.where(np.arange(N_ROWS) < 40, np.nan, odd["size"])
    bounds = [(0, 0), (0, 1), (1, 40), (40, 40), (40, 590), (590, 600), (600, 600)]
    model = SetCoveringClassifier(**MACHINE).fit(in_parts(odd, bounds), "sick")
    assert file_of(model, tmp_path) == local_file(odd, tmp_path)


def test_a_partition_may_weigh_nothing(client, rows, tmp_path):
    weights = np.where(np.arange(N_ROWS) < 200, 0.0, 2.5)
    X, y = rows.drop(columns="sick"), rows["sick"]
    local = laconic.SetCoveringClassifier(**MACHINE).fit(X, y, sample_weight=weights)
    spread = dd.from_pandas(rows.assign(weight=weights), npartitions=3)
    model = SetCoveringClassifier(**MACHINE).fit(spread.drop(columns="weight"), "sick", spread["weight"])
    assert file_of(model, tmp_path) == file_of(local, tmp_path)


@pytest.mark.parametrize(
    "promises",
    [
        ("classes", "rules"),
        laconic.Promises(costs=[[0, 1], [5, 0]], ceilings={1: 0.5}),
        laconic.Promises(classes=True, abstain=0.9),
    ],
    ids=["kinds", "costs", "abstain"],
)
def test_promises_are_those_of_rows_in_memory(client, rows, tmp_path, promises):
    machine = {"form": "auto", "promises": promises}
    model = SetCoveringClassifier(**(MACHINE | machine)).fit(dd.from_pandas(rows, npartitions=3), "sick")
    assert model.certificate_.promised is not None
    assert file_of(model, tmp_path) == local_file(rows, tmp_path, **machine)


def test_equal_rows_in_several_partitions_are_the_same_examples(client, rows, tmp_path):
    """Whichever worker holds the first of them."""
    few = pd.concat([rows.iloc[:40]] * 8, ignore_index=True)
    model = SetCoveringClassifier(**MACHINE).fit(dd.from_pandas(few, npartitions=8), "sick")
    with examined():  # rows elsewhere are not compared with each other
        assert file_of(model, tmp_path) == local_file(few, tmp_path)


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


@pytest.mark.parametrize(("n_workers", "n_threads"), [(1, 3), pytest.param(3, 2, marks=pytest.mark.slow)])
def test_a_look_is_one_task_for_a_worker_however_many_threads_it_has(rows, tmp_path, monkeypatch, n_workers, n_threads):
    asked = []
    ask = ClusterHolder.total
    monkeypatch.setattr(ClusterHolder, "total", lambda self, task: asked.append(self.packs) or ask(self, task))
    with make_cluster(n_workers, threads_per_worker=n_threads) as cluster, Client(cluster) as own:
        model = SetCoveringClassifier(**MACHINE, client=own).fit(dd.from_pandas(rows, npartitions=17), "sick")
        packs = own.gather(asked[0])
    assert {len(packs) for packs in asked} == {len(packs)}
    assert len(packs) <= n_workers  # one may have read nothing
    assert {len(shares) for shares in packs} <= set(range(1, n_threads + 1))
    assert n_workers > 1 or [len(shares) for shares in packs] == [n_threads]
    assert file_of(model, tmp_path) == local_file(rows, tmp_path)


def test_contradictions_are_named_by_their_rows(client):
    one = pd.DataFrame({"size": [0.0, 1.0, 2.0, 1.0], "sick": [0, 1, 1, 0]})
    machine = MACHINE | {"penalty": float("inf")}
    with pytest.raises(laconic.exceptions.NoConsistentConcept, match="1 = 3"):
        SetCoveringClassifier(**machine).fit(dd.from_pandas(one, npartitions=4), "sick")


def test_the_dashboard_shows_words(client, rows):
    SetCoveringClassifier(**MACHINE).fit(dd.from_pandas(rows, npartitions=2), "sick")

    def names(dask_scheduler):
        return list(dask_scheduler.task_prefixes)

    shown = set(client.run_on_scheduler(names))
    assert {"read_partition", "peek", "make_pack", "look_around", "sum_in_bins", "open_bins", "find_examples"} <= shown
    assert not [name for name in shown if re.search("[0-9a-f]{8}", name)]  # no hashes
    assert key_split(("sum_in_bins-" + "0f" * 16, 3)) == "sum_in_bins"


def test_shares_are_equal():
    assert in_equal_shares(list(range(6)), [1] * 6, 3) == [[0, 1], [2, 3], [4, 5]]
    assert in_equal_shares([4, 7], [0, 0], 2) in ([[4, 7]], [[4], [7]])
    assert in_equal_shares([2], [5], 4) == [[2]]
    shares = in_equal_shares(list(range(9)), [100, 1, 1, 1, 1, 1, 1, 1, 93], 2)
    assert [place for share in shares for place in share] == list(range(9))
    assert len(shares) == 2


def test_what_cannot_be_read_is_refused(client, rows, tmp_path):
    spread = dd.from_pandas(rows, npartitions=2)
    machine = SetCoveringClassifier(**MACHINE)
    for X, y, weights, error, words in (
        (rows, rows["sick"], None, TypeError, "dask DataFrame or Array"),
        (spread, "ill", None, ValueError, "no column 'ill'"),
        (spread, rows["sick"].to_numpy(), None, TypeError, "y must be a dask Series or Array"),
        (spread[["size"]], dd.from_pandas(rows["sick"], npartitions=3), None, ValueError, "partitioned alike"),
        (spread, "sick", -spread["sick"], ValueError, "[Nn]egative"),
        (spread, "sick", 0 * spread["sick"], ValueError, "All sample weights are zero"),
        (spread, "gaps", None, ValueError, "NaN|looks like a number to predict"),
        (spread, "text", None, ValueError, "Only binary"),
        (spread[spread["size"] > 99], "sick", None, ValueError, "Found 0 rows"),
        (spread[["size", "sick"]].replace(0.0, np.inf), "size", None, ValueError, "inf|looks like a number to predict"),
    ):
        with pytest.raises(error, match=words):
            machine.fit(X, y, weights)
    with pytest.raises(ValueError, match="Groups are made by a column of a table in memory"):
        SetCoveringClassifier(**MACHINE, promises=laconic.Promises(groups="flag")).fit(spread, "sick")
    with pytest.raises(ValueError, match="SetCoveringClassifierCV needs the table in memory for promises"):
        SetCoveringClassifierCV(promises="classes").fit(spread, "sick")
    rows[["size"]].to_feather(tmp_path / "rows.feather")
    with pytest.raises(ValueError, match="Dask reads Parquet files"):
        machine.fit(tmp_path / "rows.feather", "size")


@pytest.mark.parametrize("name", ["MinimalComplexityClassifier", "MinimalComplexityRegressor"])
def test_minimal_machines_say_why_they_are_not_here(name):
    with pytest.raises(ImportError, match=f"Fit laconic.{name} to a sample"):
        getattr(laconic.dask, name)
    with pytest.raises(AttributeError, match="no attribute 'Ridge'"):
        _ = laconic.dask.Ridge
