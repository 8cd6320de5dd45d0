"""Balls around sampled centres on a cluster: the local model file, for partitions of rows and columns."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pytest

import laconic
from laconic.covering import Balls
from laconic.dask import SetCoveringClassifier, SetCoveringClassifierCV
from tests.clusters.machines import PARTITIONS, file_of
from tests.clusters.test_faults import killing

MACHINE = {"form": "auto", "features": Balls(max_centers=20, scale="dyadic"), "penalty": 1.0, "max_rules": 2}


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(1)
    X = np.round(rng.normal(size=(300, 3)), 1)
    return X, ((np.abs(X).sum(axis=1) < 2) ^ (rng.random(len(X)) < 0.1)).astype(int)


def spread(points, n_partitions):
    size = -(-len(points[0]) // n_partitions)
    return da.from_array(points[0], chunks=(size, 2)), da.from_array(points[1], chunks=size)


@pytest.mark.parametrize("n_partitions", PARTITIONS)
def test_any_number_of_partitions_gives_the_local_file(client, points, tmp_path, n_partitions):
    model = SetCoveringClassifier(**MACHINE).fit(*spread(points, n_partitions))
    local = laconic.SetCoveringClassifier(**MACHINE).fit(*points)
    assert model.rules_ == local.rules_
    assert file_of(model, tmp_path) == file_of(local, tmp_path)


def test_a_killed_worker_changes_nothing(client, points, tmp_path):
    kill, killed = killing(client, 1)
    with laconic.progress(kill, every=0):
        model = SetCoveringClassifier(**MACHINE).fit(*spread(points, 5))
    assert killed
    assert file_of(model, tmp_path) == file_of(laconic.SetCoveringClassifier(**MACHINE).fit(*points), tmp_path)


def test_chosen_by_folds(client, points, tmp_path):
    search = {"forms": ["conjunction"], "features": [MACHINE["features"], "stumps"], "penalties": [1.0], "cv": 3}
    search["max_rules"] = 2
    model = SetCoveringClassifierCV(**search).fit(*spread(points, 4))
    assert file_of(model, tmp_path) == file_of(laconic.SetCoveringClassifierCV(**search).fit(*points), tmp_path)


@pytest.mark.slow
def test_auto(client, points, tmp_path):
    model = SetCoveringClassifier(max_rules=2).fit(*spread(points, 4))
    assert file_of(model, tmp_path) == file_of(laconic.SetCoveringClassifier(max_rules=2).fit(*points), tmp_path)


def test_balls_around_all_rows_are_refused(client, points):
    with pytest.raises(ValueError, match="max_centers|in memory"):
        SetCoveringClassifier("conjunction", Balls(), penalty=1.0).fit(*spread(points, 2))
