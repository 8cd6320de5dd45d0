"""Large tables are learnt from in samples: what that keeps, what it gives up, and that it says so."""

from itertools import pairwise

import numpy as np
import pytest

from laconic import HalfspaceIntersectionClassifier, NeuralDecisionListClassifier
from laconic.exceptions import SizeWarning
from laconic.halfspaces.intersection._samples import learn_from_samples

LEARNERS = [HalfspaceIntersectionClassifier, NeuralDecisionListClassifier]


def table(n_rows, n_columns=3, noise=0.0, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_columns))
    return X, X.sum(axis=1) + noise * random.normal(size=n_rows) > 0.3


@pytest.mark.parametrize("max_rows", [None, 50, 51])
def test_few_rows_are_learnt_from_at_once(max_rows):
    asked = []

    def learn(rows, thrifty):
        asked.append((rows.tolist(), thrifty))
        return "learnt", np.ones(50, dtype=bool)

    assert learn_from_samples(learn, np.arange(50) % 2, np.arange(50), max_rows) == "learnt"
    assert asked == [(list(range(50)), False)]


def test_wrong_rows_join_until_there_are_none():
    """A threshold between 699 and 700 of 1,000 rows: only rows near it can say where it is."""
    codes = (np.arange(1000) >= 700).astype(int)
    samples = []

    def learn(rows, thrifty):
        assert thrifty
        samples.append(rows)
        highest = rows[codes[rows] == 0].max()
        return highest, (np.arange(1000) > highest) != codes

    assert learn_from_samples(learn, codes, np.arange(1000), 20) == 699
    first, *_, last = samples
    assert len(first) <= 20
    assert (codes[first] == 1).sum() == 6, "each class by its share"
    assert len(last) < 60
    assert all(set(a) < set(b) for a, b in pairwise(samples))


def test_a_class_of_one_row_is_in_the_sample():
    codes = np.zeros(1000, dtype=int)
    codes[123] = 1

    def learn(rows, thrifty):
        assert 123 in rows
        return None, np.zeros(1000, dtype=bool)

    learn_from_samples(learn, codes, np.arange(1000), 10)


def test_rows_set_apart_are_never_learnt_from():
    allowed = np.arange(0, 1000, 2)

    def learn(rows, thrifty):
        assert not (rows % 2).any()
        return None, np.isin(np.arange(1000), [1, 3, 10, 999]) & (10 not in rows)

    assert learn_from_samples(learn, np.arange(1000) // 2 % 2, allowed, 100) is None


def test_the_round_with_the_fewest_errors_counts():
    n_wrong = iter([300, 140, 200])

    def learn(rows, thrifty):
        wrong = np.zeros(1000, dtype=bool)
        outside = np.setdiff1d(np.arange(1000), rows)
        wrong[outside[: next(n_wrong)]] = True
        return int(wrong.sum()), wrong

    with pytest.warns(SizeWarning, match="errors are left: 140,"):
        assert learn_from_samples(learn, np.arange(1000) % 2, np.arange(1000), 100) == 140


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_table_that_can_be_separated_is_separated(learner):
    X, y = table(3000)
    model = learner(max_rows=100).fit(X, y)
    assert model.score(X, y) == 1.0
    assert len(model.rules_) == 1
    assert model.certificate_.n_samples == 3000


@pytest.mark.parametrize("learner", LEARNERS)
def test_overlapping_classes_end_early_and_say_so(learner):
    X, y = table(1500, noise=1.0)
    with pytest.warns(SizeWarning, match=r"searched in .* of 1,500 rows \(max_rows=200\)"):
        model = learner(max_rows=200).fit(X, y)
    assert len(model.rules_) < 20
    wrong = model.predict(X) != y
    assert model.certificate_.empirical_risk == wrong.mean() > 0
    assert sum(line["support"] for line in model.get_rules()) <= 1500


@pytest.mark.parametrize("learner", LEARNERS)
def test_the_order_of_the_rows_changes_nothing(learner):
    X, y = table(1200, noise=0.5)
    order = np.random.default_rng(1).permutation(1200)
    with pytest.warns(SizeWarning):
        one, other = (learner(max_rows=150).fit(X[rows], y[rows]) for rows in (np.arange(1200), order))
    assert one.hypothesis_ == other.hypothesis_
    assert one.certificate_ == other.certificate_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("learner", LEARNERS)
def test_without_a_limit_all_rows_are_searched(learner):
    X, y = table(400, noise=0.5)
    with pytest.warns(SizeWarning):
        short = learner(max_rows=100, code="rows").fit(X, y)
    full = learner(max_rows=None, code="rows").fit(X, y)
    assert full.hypothesis_ == learner(max_rows=400, code="rows").fit(X, y).hypothesis_
    assert len(full.rules_) > len(short.rules_)
    assert full.score(X, y) > short.score(X, y)
