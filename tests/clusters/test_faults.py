"""Workers and schedulers that die: the same model, or a clear error, and never a wait without end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.distributed import Client

import laconic
from laconic.covering import Clauses, Literals
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


@pytest.mark.parametrize("after", [0, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "features",
    [
        pytest.param(Literals(binarize=0.5), marks=pytest.mark.slow),
        Clauses(2, binarize=0.5),
        pytest.param("stumps", marks=pytest.mark.slow),
    ],
    ids=["literals", "clauses", "stumps"],
)
def test_a_killed_worker_changes_nothing_of_arrays_in_rows_and_columns(client, tmp_path, features, after):
    rng = np.random.default_rng(3)
    X = (rng.random((210, 9)) < 0.5).astype(float)
    y = (((X[:, 0] > 0) | (X[:, 4] == 0)) & (X[:, 7] > 0) ^ (rng.random(len(X)) < 0.05)).astype(int)
    machine = {"form": "conjunction", "features": features, "penalty": 1.0, "max_rules": 3}
    kill, killed = killing(client, after)
    with laconic.progress(kill, every=0):
        model = SetCoveringClassifier(**machine).fit(da.from_array(X, chunks=(30, 4)), da.from_array(y, chunks=30))
    assert killed
    assert file_of(model, tmp_path) == file_of(laconic.SetCoveringClassifier(**machine).fit(X, y), tmp_path)


def test_fits_inside_tasks_do_not_wait_for_each_other(client, rows):
    """There are twice as many as threads, and each asks the cluster that it runs on."""

    def fit(number):
        return SetCoveringClassifier(**MACHINE).fit(dd.from_pandas(rows, npartitions=3), "sick").rules_

    here = laconic.SetCoveringClassifier(**MACHINE).fit(rows.drop(columns="sick"), rows["sick"]).rules_
    assert client.gather(client.map(fit, range(4), pure=False)) == [here] * 4


@pytest.mark.parametrize(("by_scheduler", "by_us"), [(1, 300), pytest.param(None, 10, marks=pytest.mark.slow)])
def test_a_cluster_without_workers_ends_in_a_clear_error(rows, by_scheduler, by_us):
    """Who has waited long enough says so first: the scheduler, where it was told how long, or we."""
    patience = by_scheduler or by_us
    with make_cluster(0) as cluster, Client(cluster) as own:
        cluster.scheduler.no_workers_timeout = by_scheduler
        with (
            dask.config.set({"distributed.scheduler.no-workers-timeout": by_us}),
            pytest.raises(RuntimeError, match=f"For {patience} seconds the cluster has had no worker that runs"),
        ):
            SetCoveringClassifier(**MACHINE, client=own).fit(dd.from_pandas(rows, npartitions=2), "sick")


@pytest.mark.slow
def test_workers_may_come_late(rows, tmp_path):
    with make_cluster(0) as cluster, Client(cluster) as own:
        threading.Timer(0.5, cluster.scale, [1]).start()
        model = SetCoveringClassifier(**MACHINE, client=own).fit(dd.from_pandas(rows, npartitions=2), "sick")
    assert file_of(model, tmp_path) == local_file(rows, tmp_path)


@pytest.mark.parametrize("early", [pytest.param(True, marks=pytest.mark.slow), False], ids=["before", "meanwhile"])
def test_a_closed_client_ends_in_a_clear_error(client, rows, early):
    own = Client(client.scheduler.address, set_as_default=False)
    if early:
        own.close()

    def close(what, done, total):
        if what == "rules" and done == 1:
            own.close()

    with laconic.progress(close, every=0), pytest.raises(RuntimeError, match="or the client closed"):
        SetCoveringClassifier(**MACHINE, client=own).fit(dd.from_pandas(rows, npartitions=2), "sick")


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


@contextmanager
def processes(folder):
    """Start a scheduler and a worker as commands do, each a process of its own that nobody starts again."""
    file, environment = folder / "scheduler.json", os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    commands = {"scheduler": ["--port", "0", "--no-dashboard"], "worker": ["--no-nanny", "--nthreads", "1"]}
    started = {}
    try:
        for name, more in commands.items():
            words = [sys.executable, "-m", "dask", name, "--scheduler-file", str(file), *more]
            started[name] = subprocess.Popen(words, env=environment, cwd=folder, stderr=subprocess.DEVNULL)
            while not file.exists():
                time.sleep(0.05)
        with Client(scheduler_file=str(file)) as own:
            own.wait_for_workers(1, timeout=500)
            yield own, started
    finally:
        for process in started.values():
            process.kill()
            process.wait()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("who", "what", "patience", "expected"),
    [
        ("scheduler", signal.SIGKILL, 300, "scheduler of the cluster was lost"),
        ("scheduler", signal.SIGSTOP, 3, "scheduler of the cluster has said nothing for 3 seconds"),
        ("worker", signal.SIGKILL, 15, "For 15 seconds the cluster has had no worker that runs"),
    ],
    ids=["killed scheduler", "silent scheduler", "killed worker"],
)
def test_a_process_that_is_gone_for_good_ends_in_a_clear_error(rows, tmp_path, who, what, patience, expected):
    settings = {"distributed.scheduler.no-workers-timeout": patience, "distributed.comm.timeouts.connect": "3s"}
    with processes(tmp_path) as (own, started), dask.config.set(settings):

        def strike(word, done, total):
            if word == "rules" and done == 1:
                os.kill(started[who].pid, what)

        with laconic.progress(strike, every=0), pytest.raises(RuntimeError, match=expected):
            SetCoveringClassifier(**MACHINE, client=own).fit(dd.from_pandas(rows, npartitions=2), "sick")
        started["scheduler"].kill()  # a client that closes waits for one that is stopped


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
