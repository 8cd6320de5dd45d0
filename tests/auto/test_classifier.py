"""The classifier that chooses its machine: what may choose, what certifies, and what it says."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from tests.golden.write_models import FOLDER

from laconic import LaconicClassifier, LaconicRegressor, MinimalComplexityClassifier, SetCoveringClassifier, load
from laconic.certificates import OneOf, SetApart, binomial_tail_inversion, kinds_nats, left_out_nats
from laconic.rules import Literal, Stump

N_ROWS = 80


class Small(LaconicClassifier):
    """Thresholds and a linear machine alone."""

    _portfolio = tuple(
        replace(entry, settings=entry.settings[:2])
        for entry in (LaconicClassifier._portfolio[0], *LaconicClassifier._by_bound)
        if entry.name == "linear" or entry.estimator is SetCoveringClassifier
    )


def numbers(seed=0, n_rows=N_ROWS):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3)).round(2)
    return X, np.where(X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=n_rows) > 0, "up", "down")


def test_the_certificate_is_the_binomial_tail_of_the_rows_set_apart():
    X, y = numbers()
    model = Small().fit(X, y)
    apart = model.set_apart(N_ROWS)
    wrong = model.predict(X) != y
    assert apart.sum() == N_ROWS // 4
    assert model.certificate_.statements == (SetApart(20, int(wrong[apart].sum()), 60),)
    assert model.certificate_.risk_bound == binomial_tail_inversion(int(wrong[apart].sum()), 20, 0.05)
    assert model.certificate_.empirical_risk == wrong.mean()
    assert model.certificate_.n_samples == N_ROWS
    assert model.machine_.certificate_ is model.certificate_


def test_rows_set_apart_choose_nothing():
    X, y = numbers()
    model = Small().fit(X, y)
    apart = model.set_apart(N_ROWS)
    rng = np.random.default_rng(1)
    for _ in range(3):
        others, labels = X.copy(), y.copy()
        others[apart] = 1e3 * rng.normal(size=(apart.sum(), 3))
        labels[apart] = rng.permutation(y[apart]) if rng.random() < 0.5 else y[apart][::-1]
        again = Small().fit(others, labels)
        assert again.hypothesis_ == model.hypothesis_
        assert [c.error for c in again.candidates_] == [c.error for c in model.candidates_]


def test_which_rows_are_set_apart_follows_from_their_number_alone():
    one, other = Small(random_state=3), Small(max_words=2, delta=0.5, random_state=3)
    assert (one.set_apart(50) == other.set_apart(50)).all()
    assert (one.set_apart(50) != Small(random_state=4).set_apart(50)).any()


@pytest.mark.parametrize("max_words", [1, 2, 5])
def test_no_machine_is_longer_than_it_may_be(max_words):
    X, y = numbers()
    model = Small(max_words).fit(X, y)
    assert model.hypothesis_.n_words <= max_words
    assert all(c.words is None or c.words <= max_words for c in model.candidates_)
    linear = [c for c in model.candidates_ if c.machine == "linear"]  # two of three columns have weights
    assert all((c.error is None) == (max_words < 2) for c in linear)
    assert max_words >= 2 or all("longer than" in c.why_not for c in linear)


def test_the_table_says_of_all_but_one_why_not_and_the_sentence_why():
    X, y = numbers()
    model = Small().fit(X, y)
    (chosen,) = [c for c in model.candidates_ if not c.why_not]
    assert chosen.machine in model.why_
    assert chosen.words == model.hypothesis_.n_words
    assert {c.machine for c in model.candidates_} == {"thresholds", "linear"}
    assert model.why_.split()[0] in model.rules_text()
    assert model.why_ in model._repr_html_()


def test_the_machine_is_what_the_settings_of_the_table_make_of_the_rows_that_chose():
    X, y = numbers(2)
    model = Small().fit(X, y)
    (chosen,) = [c for c in model.candidates_ if not c.why_not]
    kept = ~model.set_apart(N_ROWS)
    again = type(model.machine_)(**chosen.settings).fit(X[kept], y[kept])
    assert again.hypothesis_ == model.hypothesis_


def mixed(n_rows=N_ROWS, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "colour": pd.Series(rng.choice(["red", "green", "blue"], n_rows), dtype="category"),
            "flag": rng.random(n_rows) < 0.5,
            "size": np.where(rng.random(n_rows) < 0.1, np.nan, rng.normal(size=n_rows)),
        }
    )
    return X, np.where((X["colour"] == "red") | (X["size"] > 1), 1, 0)


class Kernels(LaconicClassifier):
    """Thresholds, and a machine that reads numbers alone."""

    _portfolio = tuple(entry for entry in LaconicClassifier._portfolio if entry.name in ("thresholds", "kernels"))


def test_mixed_frames_are_read_as_they_are():
    X, y = mixed()
    model = Kernels().fit(X, y)
    assert {type(rule) for rule in model.rules_} <= {Literal, Stump}
    assert model.score(X, y) > 0.8
    assert {c.machine: c.why_not for c in model.candidates_}["kernels"] == "reads numbers alone"
    assert [set(each) >= {"prediction", "reason"} for each in model.explain(X)] == [True] * N_ROWS
    assert model.reading().kinds == ("category", "boolean", "number")


def test_columns_that_may_hold_anything_are_paid_for():
    X, y = mixed()
    X["code"] = np.arange(N_ROWS).astype(object)
    assert Small().fit(X, y).certificate_.message_nats == left_out_nats(4, 0)
    (rare,) = np.flatnonzero(Small().set_apart(N_ROWS))[:1]
    X.loc[rare, "code"] = "many"  # among the rows set apart alone
    model = Small().fit(X, y)
    assert model.certificate_.message_nats == pytest.approx(left_out_nats(4, 1) + np.log(3))
    assert model.predict(X.iloc[:5]).shape == (5,)  # where the column looks like numbers


class Linear(LaconicClassifier):
    _portfolio = tuple(entry for entry in LaconicClassifier._by_bound if entry.name == "linear")


@pytest.mark.parametrize("first", [True, False])
def test_held_out_rows_that_alone_make_a_column_of_booleans_one_of_categories_are_paid_for(first):
    X, y = numbers()
    held = pd.Series(X[:, 1] > 0, dtype=object)
    apart = np.flatnonzero(LaconicClassifier().set_apart(N_ROWS))
    held[apart[0 if first else -1]] = 1
    model = Small().fit(pd.DataFrame({"size": X[:, 0], "held": held, "other": X[:, 2]}), y)
    nats = model.certificate_.statements[0].message_nats
    assert nats == pytest.approx(left_out_nats(3, 1) + kinds_nats(1))
    assert nats > 4


@pytest.mark.parametrize("kind", [Small, LaconicRegressor])
def test_truths_among_numbers_are_refused_in_words_where_there_were_truths(kind):
    X = pd.DataFrame({"held": np.arange(N_ROWS) % 2 == 0}, dtype=object)
    model = kind().fit(X, np.where(X["held"], 1, 0))
    assert (model.predict(X[:4]) == model.predict(X.astype(float)[:4])).all()
    with pytest.raises(ValueError, match="'held' holds categories now and held Booleans"):
        model.predict(pd.DataFrame({"held": [1, True]}, dtype=object))


def test_rows_that_the_machine_cannot_read_get_the_most_frequent_class():
    X, y = numbers()
    X[::7, 1] = np.nan
    model = Linear().fit(X, y)
    kept = ~model.set_apart(N_ROWS)
    classes, counts = np.unique(y[kept], return_counts=True)
    usual = classes[np.argmax(counts)]
    assert set(model.predict(X[::7])) == {usual}
    assert (model.predict(X[1:7]) == model.machine_.predict(X[1:7])).all()
    wrong = model.predict(X) != y
    assert model.certificate_.statements[0].errors_outside == wrong[~kept].sum()
    assert model.explain(X[:1])[0]["reason"].startswith("a value is missing")
    assert len(model.explain(X)) == N_ROWS


def test_three_classes():
    X, _ = numbers()
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    model = Linear().fit(X, y)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.score(X, y) > 0.6


def test_the_smallest_bound_pays_for_all_that_could_have_been_tried():
    X, y = numbers()
    model = Small(2, select="bound").fit(X, y)
    among = 1 + sum(len(entry.settings) for entry in LaconicClassifier._by_bound)
    assert all(isinstance(each, OneOf) and each.among == among for each in model.certificate_.statements)
    bounds = [c.bound for c in model.candidates_ if c.bound is not None and c.why_not in ("", "its bound is larger")]
    assert model.certificate_.risk_bound == min(bounds)
    assert model.machine_.certificate_ == model.certificate_


def test_rows_of_one_class_cannot_choose():
    X, _ = numbers()
    y = np.zeros(N_ROWS, dtype=int)
    y[np.flatnonzero(Small().set_apart(N_ROWS))[0]] = 1
    with pytest.raises(ValueError, match="All 60 rows that choose the machine are of class"):
        Small().fit(X, y)


def test_where_nothing_is_short_enough_it_says_what_was_tried():
    X, y = numbers()
    with pytest.raises(ValueError, match="No machine of at most 1 word could be fitted. linear: longer than 1 word"):
        Linear(1).fit(X, y)


def test_a_solver_that_finds_no_end_leaves_its_machine_out(monkeypatch):
    def stops(self, X, y):
        raise RuntimeError("HiGHS stopped with 'Unknown'.")

    monkeypatch.setattr(MinimalComplexityClassifier, "fit", stops)
    model = Kernels().fit(*numbers())
    assert {c.why_not for c in model.candidates_ if c.machine == "kernels"} == {"HiGHS stopped with 'Unknown'."}
    assert isinstance(model.machine_, SetCoveringClassifier)


def test_the_portfolio_is_made_of_registered_learners():
    for entry in (*LaconicClassifier._portfolio, *LaconicClassifier._by_bound):
        assert entry.learner.estimator is entry.estimator
        assert entry.settings
        known = entry.estimator().get_params()
        assert all(settings.keys() <= known.keys() for settings in entry.settings)
        assert entry.size is None or entry.size in known


def test_the_share_set_apart_is_kept_and_older_files_mean_a_quarter(tmp_path):
    X, y = numbers()
    model = LaconicClassifier(max_words=2, apart=0.4).fit(X, y)
    assert len(model.apart_) == 0.4 * N_ROWS
    model.save(tmp_path / "model.json")
    assert np.array_equal(load(tmp_path / "model.json").apart_, model.apart_)
    older = load(FOLDER / "auto.v4.json")
    assert older.apart == 0.25
    assert len(older.apart_) == older.certificate_.n_samples // 4
