"""Clauses, literals, packed bits and k-mers on a cluster: the local model file, for partitions of rows and columns."""

from __future__ import annotations

import os
import signal

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import laconic
from laconic.covering import Clauses, Kmers, Literals, pack
from laconic.covering.packed import _writer
from laconic.dask import SetCoveringClassifier
from laconic.dask._columns import ClusterSearchers, open_columns
from laconic.datasets import make_genomes
from laconic.genomics import build_kmers
from tests.clusters.machines import PARTITIONS, file_of

FAMILIES = {
    "clauses": Clauses(2, binarize=0.5),
    "literals": Literals(binarize=0.5),
    "both": ["stumps", Clauses(2, negated=False, binarize=0.5)],
}


@pytest.fixture(scope="module")
def flags():
    rng = np.random.default_rng(3)
    X = (rng.random((210, 9)) < 0.5).astype(float)
    y = ((X[:, 0] > 0) | (X[:, 4] == 0)) & (X[:, 7] > 0) ^ (rng.random(len(X)) < 0.05)
    return X, y.astype(int)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("n_partitions", PARTITIONS)
def test_families_on_arrays_in_rows_and_columns(client, flags, tmp_path, name, n_partitions):
    X, y = flags
    machine = {"form": "auto", "features": FAMILIES[name], "penalty": 1.0, "max_rules": 3}
    local = laconic.SetCoveringClassifier(**machine).fit(X, y)
    size = -(-len(X) // n_partitions)
    model = SetCoveringClassifier(**machine).fit(da.from_array(X, chunks=(size, 4)), da.from_array(y, chunks=size))
    assert file_of(model, tmp_path) == file_of(local, tmp_path)


def test_clauses_of_categories(client, rows, tmp_path):
    some = rows[["text", "flag", "sick"]]
    machine = {"form": "conjunction", "features": Clauses(2), "penalty": 1.0, "max_rules": 2}
    local = laconic.SetCoveringClassifier(**machine).fit(some.drop(columns="sick"), some["sick"])
    model = SetCoveringClassifier(**machine).fit(dd.from_pandas(some, npartitions=3), "sick")
    assert file_of(model, tmp_path) == file_of(local, tmp_path)


@pytest.fixture
def packed(tmp_path, monkeypatch):
    """Packed bits in many blocks."""
    monkeypatch.setattr(_writer, "_BLOCK_BYTES", 8 * 3 * 2)
    rng = np.random.default_rng(5)
    X = rng.random((150, 140)) < rng.uniform(0.1, 0.9, 140)
    X[:, 5], X[:, 90] = X[:, 3], X[:, 3]  # a tie goes to the smaller column, wherever it is searched
    y = np.where((X[:, 3] & ~X[:, 70]) ^ (rng.random(len(X)) < 0.08), "ill", "well")
    frame = pd.DataFrame(X, columns=[f"flag {j}" for j in range(X.shape[1])])
    return pack(frame, tmp_path / "flags.bits"), y


@pytest.mark.parametrize("n_parts", PARTITIONS)
def test_packed_bits_are_searched_by_the_workers(client, packed, tmp_path, monkeypatch, n_parts):
    bits, y = packed
    monkeypatch.setattr(ClusterSearchers, "n_parts", n_parts)
    asked = []
    searched = ClusterSearchers.block
    monkeypatch.setattr(
        ClusterSearchers, "block", lambda self, blocks: asked.append(len(blocks)) or searched(self, blocks)
    )
    machine = {"form": "auto", "features": "literals", "penalty": 1.0, "max_rules": 4}
    weights = np.random.default_rng(0).integers(0, 3, size=len(y)).astype(float)
    local = laconic.SetCoveringClassifier(**machine).fit(bits, y, sample_weight=weights)
    assert not asked
    model = SetCoveringClassifier(**machine, client=client).fit(bits, y, weights)
    assert asked == [n_parts]
    assert file_of(model, tmp_path) == file_of(local, tmp_path)
    assert model.predict(bits).tolist() == local.predict(bits).tolist()


def test_packed_bits_outlive_a_worker(client, packed, tmp_path):
    bits, y = packed
    machine = {"form": "conjunction", "features": "literals", "penalty": 1.0, "max_rules": 4}
    victim = next(iter(client.run(os.getpid).values()))
    killed = []

    def kill(what, done, total):
        if what == "rules" and done == 1 and not killed:
            killed.append(victim)
            os.kill(victim, signal.SIGKILL)

    with laconic.progress(kill, every=0):
        model = SetCoveringClassifier(**machine).fit(bits, y)
    assert killed
    assert file_of(model, tmp_path) == file_of(laconic.SetCoveringClassifier(**machine).fit(bits, y), tmp_path)


def test_packed_bits_that_workers_cannot_see_are_said(tmp_path):
    with pytest.raises(FileNotFoundError, match="All workers must share the disk"):
        open_columns(str(tmp_path / "flags.bits"), range(1), None, {})


def test_k_mers_are_searched_by_the_workers(client, tmp_path):
    drawn = make_genomes(30, 400, n_lineages=2, random_state=1)
    bits = build_kmers(drawn.write(tmp_path), tmp_path / "x.kmers")
    machine = {"form": "auto", "features": Kmers(), "penalty": 1.0, "max_rules": 2}
    model = SetCoveringClassifier(**machine).fit(bits, drawn.y)
    assert file_of(model, tmp_path) == file_of(laconic.SetCoveringClassifier(**machine).fit(bits, drawn.y), tmp_path)
