"""Learners whose rows fit in memory, spread over a cluster by joblib: what they say there is what they say here."""

from __future__ import annotations

import os

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from laconic import Certified, PACBayesSetCoveringClassifierCV, SetCoveringClassifier, SetCoveringClassifierCV
from laconic.datasets import load_haberman


@pytest.fixture(scope="module")
def table():
    return load_haberman(return_X_y=True)


class Where(ClassifierMixin, BaseEstimator):
    """Says in which process it is fitted, by how wrong it is."""

    def fit(self, X, y):
        """Remember the process."""
        self.process_ = os.getpid()
        self.classes_ = np.unique(y)
        return self

    def score(self, X, y):
        """Return the process."""
        return self.process_


def test_folds_are_fitted_by_workers(client, table):
    workers = set(client.run(os.getpid).values())
    with joblib.parallel_config("dask"):
        found = cross_val_score(Where(), *table, cv=4, n_jobs=-1)
    assert set(found.astype(int)) <= workers


MODELS = {
    "certified": Certified(DecisionTreeClassifier(max_depth=2, random_state=0), batch=8),
    "cv": SetCoveringClassifierCV(["conjunction"], ["stumps"], penalties=[1, 2], max_rules=3, cv=3),
    "soft cv": PACBayesSetCoveringClassifierCV(penalties=[1.0], margins=[0.1], max_rules=3, cv=3),
}


@pytest.mark.parametrize("name", MODELS)
def test_scores_are_those_of_one_process(client, table, name):
    here = cross_val_score(MODELS[name], *table, cv=3)
    with joblib.parallel_config("dask"):
        there = cross_val_score(MODELS[name], *table, cv=3, n_jobs=-1)
    assert there.tolist() == here.tolist()


@pytest.mark.parametrize("name", ["cv", "soft cv"])
def test_folds_of_our_own_searches_go_to_workers(client, table, tmp_path, name):
    def finished(dask_scheduler):
        prefixes = dask_scheduler.task_prefixes.items()
        return sum(prefix.state_counts["memory"] for name, prefix in prefixes if "measure" in name)

    files, counted = [], [client.run_on_scheduler(finished)]
    for backend in ("threading", "dask"):
        with joblib.parallel_config(backend, n_jobs=2):
            MODELS[name].fit(*table).save(tmp_path / "model.json")
        files.append((tmp_path / "model.json").read_bytes())
        counted.append(client.run_on_scheduler(finished))
    assert files[0] == files[1]
    assert counted[0] == counted[1] < counted[2]


def test_a_grid_is_searched_by_workers(client, table, tmp_path):
    grid = {"penalty": [1.0, 2.0], "max_rules": [1, 2]}
    files = []
    for n_jobs, backend in ((None, "sequential"), (-1, "dask")):
        with joblib.parallel_config(backend):
            search = GridSearchCV(SetCoveringClassifier("conjunction", "stumps"), grid, cv=3, n_jobs=n_jobs)
            search.fit(*table).best_estimator_.save(tmp_path / "model.json")
        files.append((tmp_path / "model.json").read_bytes())
    assert files[0] == files[1]


def test_the_model_under_a_certificate_may_ask_the_cluster(client, table):
    def promised():
        return Certified(LogisticRegression(), batch=8).fit(*table).certificate_

    with joblib.parallel_config("dask"):
        there = promised()
    assert there.risk_bound == promised().risk_bound
