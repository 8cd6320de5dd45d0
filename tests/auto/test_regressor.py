"""The regressor that chooses: what it tries, what it takes, what it promises, and how it reads."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.oracles import sums as oracle

import laconic
from laconic import LaconicRegressor
from laconic._table import as_table
from laconic.auto import _regressor_path as path
from laconic.auto import _regressor_search as sums
from laconic.auto import _regressor_terms as terms
from laconic.certificates import Band, SetApart
from laconic.exceptions import UnseenCategoryWarning
from laconic.rules import Hinge, Literal, Product, Slope, Stump, from_dict


@pytest.fixture(scope="module")
def bent():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(240, 4)).round(3)
    return X, 3 * np.maximum(X[:, 0] - 0.5, 0) - X[:, 1] + rng.normal(scale=0.2, size=240)


@pytest.fixture(scope="module")
def model(bent):
    return LaconicRegressor(max_words=4).fit(*bent)


def mixed(n_rows=200, seed=1):
    rng = np.random.default_rng(seed)
    kind = rng.choice(["oak", "fir", "ash"], size=n_rows).astype(object)
    tall = rng.random(n_rows) < 0.4
    age = rng.uniform(0, 50, size=n_rows)
    y = 5.0 * (kind == "oak") + 0.2 * age + 3.0 * tall + rng.normal(scale=0.3, size=n_rows)
    kind[rng.random(n_rows) < 0.1] = None
    return pd.DataFrame({"kind": kind, "tall": tall, "age": np.where(rng.random(n_rows) < 0.1, np.nan, age)}), y


# ---- terms and paths


@pytest.mark.parametrize("seed", range(8))
def test_the_path_is_that_of_the_slow_twin(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(40, 5)).round(2)
    values[:, 3] = rng.random(40) < 0.5
    values[:, 4] = [values[:, 0] * 2, np.full(40, 7.0)][seed % 2]
    targets = values[:, 0] * values[:, 3] + values[:, 1] + rng.normal(scale=0.1, size=40)
    dictionary = terms.Dictionary([SimpleNamespace(n_words=1)] * 5, values, products=seed % 3 > 0)
    stages = path.greedy_path(dictionary, slice(None), targets, 5)
    chosen, left = oracle.greedy_path(values, [1] * 5, targets, 5, dictionary.products)
    assert len(stages) == 6
    assert stages[0] == ()
    for step in range(1, min(len(chosen), 3) + 1):  # later ones differ by rounding among terms that say nothing
        name = next(stage for stage in stages if len(stage) == step)
        columns = [np.prod(values[:, list(each)], axis=1) for each in name]
        assert oracle.left_over(columns, targets) == pytest.approx(left[step], rel=1e-6)


def test_weights_are_those_of_least_squares_in_few_digits(bent):
    X, y = bent
    weights, bias = path.least_squares(X, y)
    exact = np.linalg.lstsq(np.column_stack([X, np.ones(len(y))]), y, rcond=None)[0]
    assert weights == pytest.approx(exact[:-1], rel=1e-3)
    assert all(len(f"{abs(weight):.15g}".replace(".", "").strip("0")) <= 4 for weight in weights)
    assert bias == pytest.approx((y - X @ weights).mean())


def test_terms_are_read_off_the_rows_that_are_shown():
    frame, _ = mixed()
    table = as_table(frame)
    assert {type(term) for term in terms.lines(table)} == {Literal, Slope}
    assert {term.category for term in terms.lines(table) if term.feature == 0} == {"oak", "fir", "ash"}
    assert {type(term) for term in terms.bends(table)} == {Literal, Slope, Hinge}
    assert {type(term) for term in terms.steps(table)} == {Literal, Stump}
    rare = as_table(pd.DataFrame({"kind": ["a"] * 9 + ["b"] * 4}))
    assert [term.category for term in terms.lines(rare)] == ["a"], "a category needs five rows"
    seen = frame["age"].dropna().to_numpy()
    for term in terms.bends(table):
        if isinstance(term, Hinge):
            assert term.knot in seen
            assert seen.min() < term.knot < seen.max()
            assert term.missing in seen


def test_with_more_rows_and_columns_there_are_fewer_knots():
    assert terms.n_knots(100, 10, 2) == terms.MOST_KNOTS
    assert terms.n_knots(10**5, 10, 2) < terms.MOST_KNOTS
    assert terms.n_knots(10**9, 10, 2) == 1


def test_constant_columns_and_targets_have_an_answer():
    level = LaconicRegressor(max_words=2).fit(np.ones((40, 2)), np.arange(40.0))
    assert level.hypothesis_.n_words == 0
    assert level.machine_ == "constant"
    same = LaconicRegressor(max_words=2).fit(np.arange(80.0).reshape(40, 2), np.full(40, 3.0))
    assert (same.predict([[1.0, 2.0]]), same.tolerance_) == (3.0, 0.0)


# ---- choosing


def test_it_finds_what_is_there_and_says_why(bent, model):
    X, y = bent
    assert model.hypothesis_.n_words <= 4
    assert model.hypothesis_.columns_used == {0, 1}
    assert np.sqrt(np.mean((model.predict(X) - y) ** 2)) < 0.3
    assert model.machine_ in {"bends", "bends and products"}
    assert "one standard error" in model.why_
    assert model.why_ in " ".join(model.to_text().split())


def test_the_table_of_candidates_has_all(model):
    tried = [each for each in model.candidates_ if each.error is not None]
    assert {each.machine for each in tried} == {"constant", *sums.FAMILIES}
    assert [each.machine for each in tried if not each.why_not] == [model.machine_]
    taken = next(each for each in tried if not each.why_not)
    least = min(tried, key=lambda each: each.error)
    assert least.error <= taken.error <= least.error + 3 * least.standard_error
    assert all(0 <= each.words <= 4 and each.seconds > 0 for each in tried)


def test_no_sum_is_longer_than_allowed(bent):
    for most in (1, 2, 7):
        found = sums.search(as_table(bent[0][:80]), bent[1][:80], most, 0)
        for each in found.tried:
            assert each.make().n_words <= each.words <= most
            assert (each.words == 0) == (each.name == "constant")


def test_products_are_found_and_count_twice():
    rng = np.random.default_rng(3)
    X = rng.uniform(1, 3, size=(300, 3))
    model = LaconicRegressor(max_words=4).fit(X, X[:, 0] * X[:, 1])
    assert any(isinstance(shape, Product) and shape.n_words == 2 for shape in model.hypothesis_.shapes)
    assert model.tolerance_ < 0.3


def test_of_very_many_values_some_rows_choose(monkeypatch):
    monkeypatch.setattr(sums, "MOST_VALUES", 4000)
    X = np.random.default_rng(4).normal(size=(3000, 3))
    found = sums.Search.of(as_table(X), X[:, 0], 2, 0)
    assert found.table.n_rows == 4000 // 3
    assert len(np.unique(found.folds)) == 5


def test_the_minimal_machine_is_left_out_of_very_many_rows(monkeypatch, bent):
    monkeypatch.setattr(sums, "MINIMAL_ROWS", 50)
    model = LaconicRegressor(max_words=2).fit(*bent)
    (left,) = [each for each in model.candidates_ if each.machine == "minimal"]
    assert left.error is None
    assert "more than 50 rows" in left.why_not


# ---- the promise


def test_rows_set_apart_choose_nothing(bent, model):
    X, y = bent
    apart = model.set_apart(len(y))
    other = X.copy(), y.copy()
    other[0][apart], other[1][apart] = 9.0, -5.0
    again = LaconicRegressor(max_words=4).fit(*other)
    assert again.hypothesis_ == model.hypothesis_
    assert again.why_ == model.why_
    assert again.tolerance_ > model.tolerance_


def test_the_certificate_counts_the_rows_set_apart(bent, model):
    X, y = bent
    apart = model.set_apart(len(y))
    off = np.abs(model.predict(X) - y) > model.tolerance_
    (band,) = model.certificate_.statements
    assert isinstance(band, Band)
    assert band.statement == SetApart(int(apart.sum()), band.statement.errors_outside, int((~apart).sum()), 0.0)
    assert band.errors_outside == off[apart].sum() == band.statement.errors_outside
    assert model.certificate_.empirical_risk == off.mean()
    assert model.certificate_.risk_bound <= 0.1
    one_more = SetApart(int(apart.sum()), band.statement.errors_outside + 1, int((~apart).sum()))
    assert one_more.bound(0.05) > 0.1, "no narrower band could be promised"


def test_choosing_by_the_band_is_paid_for(bent, model):
    narrow = LaconicRegressor(max_words=4, select="bound").fit(*bent)
    price = math.log(len(sums.FAMILIES) * 4 + 1)
    assert narrow.certificate_.message_nats == pytest.approx(price)
    assert narrow.certificate_.risk_bound <= 0.1
    assert "narrowest band" in narrow.why_
    assert len([each for each in narrow.candidates_ if each.error is not None]) <= math.exp(price)


def test_columns_that_may_hold_anything_are_paid_for():
    frame, y = mixed()
    declared = frame.assign(kind=frame["kind"].astype("category"))
    anything = frame.assign(kind=frame["kind"].astype(object))
    paid = LaconicRegressor(max_words=3).fit(anything, y).certificate_.message_nats
    assert paid == pytest.approx(-math.log(0.9))
    assert LaconicRegressor(max_words=3).fit(declared, y).certificate_.message_nats == 0


def test_where_no_band_can_be_promised_that_is_said_first(bent):
    X, y = bent[0][:40], bent[1][:40]
    few = LaconicRegressor(max_words=2).fit(X, y)
    first = "No band that holds 90 % of new targets can be promised from 40 rows."
    assert few.to_text().startswith(first)
    assert str(few.certificate_).startswith(first)
    assert few.tolerance_ == np.abs(few.predict(X) - y).max()
    with pytest.raises(ValueError, match="at least 4 rows"):
        LaconicRegressor().fit(X[:3], y[:3])


def test_how_many_rows_are_set_apart_depends_on_their_number_alone():
    model = LaconicRegressor()
    assert [int(model.set_apart(n).sum()) for n in (4, 40, 120, 600, 30_000)] == [2, 20, 46, 200, 2000]
    assert int(LaconicRegressor(coverage=0.99).set_apart(3000).sum()) == 1000
    assert int(LaconicRegressor(coverage=0.99).set_apart(900).sum()) == 450


def test_a_band_covers_new_rows(bent):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(3600, 2))
    y = np.abs(X[:, 0]) + rng.standard_t(3, size=3600)
    model = LaconicRegressor(max_words=3).fit(X[:600], y[:600])
    low, high = model.predict_interval(X[600:])
    assert 0.88 <= ((low <= y[600:]) & (y[600:] <= high)).mean() <= 0.97


# ---- frames, and reading


def test_mixed_frames_with_missing_values():
    frame, y = mixed()
    model = LaconicRegressor(max_words=4).fit(frame, y)
    assert np.sqrt(np.mean((model.predict(frame) - y) ** 2)) < 2.0
    assert model.hypothesis_.columns_used == {0, 1, 2}
    strange = pd.DataFrame({"kind": ["yew", None], "tall": [None, True], "age": [np.nan, 10.0]})
    with pytest.warns(UnseenCategoryWarning, match="'kind' in 1 row: 'yew'"):
        assert np.isfinite(model.predict(strange)).all()
    other = LaconicRegressor(max_words=4).fit(pl.from_pandas(frame), y)
    assert (other.predict(frame) == model.predict(frame)).all()


def test_a_missing_number_counts_as_the_middle():
    X = np.array([[1.0], [2.0], [30.0], [np.nan]] * 20)
    assert Slope(0, terms.known_middle(X[:, 0])).values(as_table(X))[3] == 2.0
    assert terms.known_middle(np.full(3, np.nan)) == 0.0


def test_answers_stay_within_what_was_seen(bent, model):
    assert model.hypothesis_.low <= model.predict([[1e308, -1e308, 0, 0]])[0] <= model.hypothesis_.high
    apart = model.set_apart(240)
    assert (model.hypothesis_.low, model.hypothesis_.high) == (bent[1][~apart].min(), bent[1][~apart].max())


def test_it_reads_as_a_sum(bent, model):
    rules = model.get_rules()
    assert rules[-1]["term"] == "1"
    assert {"column", "operator", "value", "parts", "weight"} <= rules[0].keys()
    reasons = model.explain(bent[0][:2])
    assert [each["prediction"] for each in reasons] == model.predict(bent[0][:2]).tolist()
    assert "constant" in reasons[0]["reason"]
    assert "give or take" in model.reading().heading
    assert from_dict(model.hypothesis_.to_dict()) == model.hypothesis_
    assert model.why_ in model._repr_html_()


def test_a_file_holds_it(tmp_path, bent, model):
    model.save(tmp_path / "model.json")
    opened = laconic.load(tmp_path / "model.json")
    assert opened.candidates_ == model.candidates_
    assert (opened.predict(bent[0]) == model.predict(bent[0])).all()
    assert opened.to_text() == model.to_text()
