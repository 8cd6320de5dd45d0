"""Workers and schedulers that die: the same model, or a clear error, and never a wait without end."""

from __future__ import annotations

import os
import signal

import dask
import dask.dataframe as dd
import pandas as pd
import pytest
from dask.distributed import Client

import laconic
from laconic.dask import SetCoveringClassifier
from tests.clusters.conftest import make_cluster
from tests.clusters.machines import MACHINE, file_of, local_file


def killing(client, after):
    """Listen to a fit, and kill a worker when it has so many rules."""
    victims, killed = list(client.run(os.getpid).values()), []

    def kill(what, done, total):
        if what == "rules" and done == after and not killed:
            killed.append(victims[0])
            os.kill(victims[0], signal.SIGKILL)

    return kill, killed


@pytest.mark.parametrize("n_partitions", [5, pytest.param(64, marks=pytest.mark.slow)])
def test_a_killed_worker_changes_nothing(client, rows, tmp_path, n_partitions):
    kill, killed = killing(client, 1)
    with laconic.progress(kill, every=0):
        model = SetCoveringClassifier(**MACHINE, client=client).fit(
            dd.from_pandas(rows, npartitions=n_partitions), "sick"
        )
    assert killed
    assert file_of(model, tmp_path) == local_file(rows, tmp_path)


@pytest.mark.slow
def test_a_worker_that_dies_again_and_again_ends_in_a_clear_error():
    rows = pd.DataFrame({"size": [0.0, 1.0], "sick": [0, 1]})
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        make_cluster(1) as cluster,
        Client(cluster) as own,
    ):
        deadly = dd.from_delayed([dask.delayed(os._exit)(1)], meta=rows.iloc[:0], verify_meta=False)
        with pytest.raises(RuntimeError, match="died again and again"):
            SetCoveringClassifier(**MACHINE, client=own).fit(deadly, "sick")


@pytest.mark.slow
def test_a_lost_scheduler_ends_in_a_clear_error(rows):
    cluster = make_cluster(1)
    own = Client(cluster)

    def lose(what, done, total):
        if what == "rules" and done == 1:
            cluster.close()

    with laconic.progress(lose, every=0), pytest.raises(RuntimeError, match="scheduler of the cluster was lost"):
        SetCoveringClassifier(**MACHINE, client=own).fit(dd.from_pandas(rows, npartitions=2), "sick")
    own.close()
