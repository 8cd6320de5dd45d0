"""A cluster of two real processes, and a table for it."""

from __future__ import annotations

import dask
import numpy as np
import pandas as pd
import pytest
from dask.distributed import Client, LocalCluster

N_ROWS = 600
PATIENT = ("deploy.lost-worker-timeout", "comm.timeouts.connect")


def make_cluster(n_workers=2, **more):
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": None} | more
    return LocalCluster(n_workers=n_workers, **options)


@pytest.fixture(scope="session", autouse=True)
def patience():
    """Let processes start slowly: beside other work, one that was killed is back after a minute, and not at once.

    A local cluster gives up a worker for good that is not back in 15 seconds.
    """
    with dask.config.set({f"distributed.{name}": "10 minutes" for name in PATIENT}):
        yield


@pytest.fixture(scope="session")
def session_client(patience):
    with make_cluster() as cluster, Client(cluster) as client:
        yield client


@pytest.fixture
def client(session_client):
    """Speak to two workers, also where the last test killed one of them."""
    session_client.wait_for_workers(2, timeout=500)
    return session_client


@pytest.fixture(scope="session")
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
