"""Score cards: terms, points, prices and words."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.tree import DecisionTreeClassifier
from tests.oracles import scorecards as oracle

import laconic
from laconic import ScoreCardClassifier
from laconic._table import Table
from laconic.certificates import FiniteClass, SampleCompression, signed_nats
from laconic.exceptions import UnseenCategoryWarning
from laconic.rules import Literal, Stump
from laconic.scorecards import _learning
from laconic.scorecards import _point_kernels as kernels
from laconic.scorecards._path import forward_path, loss, newton
from laconic.scorecards._points import Card, Draft, best_card, cards, simplest, unit
from laconic.scorecards._pool import Pool, countable
from laconic.scorecards._scheme import CardMessage, ColumnTemplate, LiteralTemplate, StumpTemplate, encode, message_nats

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4)).round(1)
Y = X[:, 0] + 0.5 * (X[:, 1] > 0.3) + 0.3 * RNG.normal(size=120) > 0.2
FRAME = pd.DataFrame(
    {
        "age": np.where(RNG.random(120) < 0.1, np.nan, RNG.integers(20, 80, 120)),
        "colour": np.where(RNG.random(120) < 0.1, None, RNG.choice(["red", "green", "blue"], 120)),
        "fit": pd.array(np.where(RNG.random(120) < 0.1, None, RNG.random(120) < 0.5), dtype="boolean"),
    }
)
WANTED = np.where(
    (FRAME["age"].fillna(0) > 50) * 2.0 + (FRAME["colour"] == "red") + FRAME["fit"].fillna(False) > 1.5, "ill", "well"
)


def pool_of(table, terms):
    return Pool.of(table, terms, countable(table))


# ---- choosing


@pytest.mark.parametrize("seed", range(3))
def test_newton_finds_what_small_steps_find(seed):
    rng = np.random.default_rng(seed)
    values, y = rng.normal(size=(40, 3)), (rng.random(40) < 0.4).astype(float)
    lowest, weights = oracle.logistic(values, y)
    design = np.column_stack([np.ones(40), values])
    np.testing.assert_allclose(newton(design, y), weights, atol=1e-5)
    assert loss(design, y, newton(design, y)) == pytest.approx(lowest, abs=1e-6)


@pytest.mark.parametrize(("n_rows", "n_positive", "n_usual", "n_both"), [(500, 10, 480, 0), (600, 25, 590, 20)])
def test_newton_does_not_go_astray_where_few_rows_are_positive_and_few_values_unusual(
    n_rows, n_positive, n_usual, n_both
):
    y, usual = np.zeros(n_rows), np.zeros(n_rows)
    y[:n_positive] = usual[:n_both] = usual[n_positive : n_positive + n_usual - n_both] = 1
    design = np.column_stack([np.ones(n_rows), (usual - usual.mean()) / usual.std()])
    weights = newton(design, y, np.append(newton(design[:, :1], y), 0.0))
    assert loss(design, y, weights) == pytest.approx(oracle.logistic(design[:, 1:], y)[0], abs=1e-3)


def test_each_step_lowers_the_loss_and_takes_nearly_the_best():
    pool = pool_of(Table.from_array(X[:60]), "auto")
    path = forward_path(pool.values, Y[:60], 3)
    y = Y[:60].astype(float)
    losses = [
        loss(np.column_stack([np.ones(60), pool.values[:, list(each.support)]]), y, each.weights) for each in path
    ]
    assert [len(each.support) for each in path] == [0, 1, 2, 3]
    assert losses == sorted(losses, reverse=True)
    every = [oracle.logistic(pool.values[:, [j]], y)[0] for j in range(pool.values.shape[1])]
    assert losses[1] <= min(every) + 0.05 * (losses[0] - min(every))
    chosen = [len(set(each.support)) == len(each.support) for each in path]
    assert all(chosen)


def test_candidates_are_values_of_rows_and_conditions_on_missing_values_come_in_pairs():
    table = Table.from_frame(FRAME)
    pool = pool_of(table, "auto")
    stumps = [each for each in pool.candidates if isinstance(each, Stump)]
    assert {each.threshold for each in stumps} <= set(FRAME["age"].dropna())
    assert {each.greater for each in stumps} == {True, False}
    assert {each.category for each in pool.candidates if isinstance(each, Literal)} == {"red", "green", "blue", None}
    assert 0 not in pool.candidates  # some rows lack the age
    assert 0 in pool_of(Table.from_frame(FRAME[FRAME["age"].notna()]), "auto").candidates
    assert all(isinstance(each, int) for each in pool_of(Table.from_array(X), "columns").candidates)
    assert all(isinstance(each, Stump) for each in pool_of(Table.from_array(X), "thresholds").candidates)


# ---- points


@pytest.mark.parametrize("seed", range(20))
def test_the_simplest_card_decides_the_same(seed):
    rng = np.random.default_rng(seed)
    terms = tuple(rng.permutation([0, 1, Stump(2, 0.3, True), Stump(3, -0.5, False), Stump(2, 1.0, True)]).tolist())
    terms = terms[: rng.integers(1, 6)] if seed % 2 else tuple(t for t in terms if not isinstance(t, int))
    points = tuple((rng.integers(1, 7, len(terms)) * rng.choice([-1, 1], len(terms)) * rng.integers(1, 3)).tolist())
    units = tuple(int(rng.integers(-6, 7)) if isinstance(term, int) else 0 for term in terms)
    card = Card(terms, points, units, int(rng.integers(-30, 30)))
    simple = simplest(card)
    assert np.array_equal(simple.halfspace(4).evaluate(X), card.halfspace(4).evaluate(X))
    assert max(map(abs, simple.points)) <= max(map(abs, card.points))
    assert simplest(simple) == simple


def test_points_are_small_whole_numbers_and_no_worse_than_rounding():
    task = _learning.Task.of(Table.from_array(X), Y, 0, countable(Table.from_array(X)), "auto", 4, 5)
    pool, path = task.path()
    draft = task.draft(pool, path[-1])
    found = cards(draft, task.positive, 5)
    for lost, card in found:
        assert all(isinstance(each, int) and 1 <= abs(each) <= 5 for each in card.points)
        assert math.isfinite(lost)
    rounded = dict(enumerate(lost for lost, _ in found))
    assert best_card(found) == found[min(rounded, key=rounded.get)][1]
    wrong = (best_card(found).halfspace(4).evaluate(X) != Y).sum()
    real = ((draft.values @ draft.weights + draft.bias > 0) != task.positive).sum()
    assert wrong <= real + 3


def test_conditions_bring_points_where_no_value_is_missing():
    table = Table.from_array(X)
    pool = pool_of(table, "thresholds")
    weighed = forward_path(pool.values, ~Y, 3)[-1]
    draft = Draft.of(pool, weighed, table)
    assert (draft.weights >= 0).all()
    np.testing.assert_allclose(
        draft.values @ draft.weights + draft.bias,
        weighed.weights[0] + pool.values[:, list(weighed.support)] @ weighed.weights[1:],
    )


# ---- the certificate


@pytest.mark.parametrize("seed", range(30))
def test_the_price_is_what_a_decoder_pays(seed):
    rng = np.random.default_rng(seed)
    n_columns, kinds = 4, ("number", "number", "boolean", "category")
    columns = rng.permutation(2)[: rng.integers(0, 3)].tolist()
    conditions = [
        (StumpTemplate(1, True), LiteralTemplate(2, False, False), LiteralTemplate(3, True, True))[i]
        for i in rng.integers(0, 3, rng.integers(0, 4))
    ]
    templates = [*(ColumnTemplate(int(j), int(rng.integers(-5, 6))) for j in columns), *conditions]
    points = rng.integers(1, 6, len(templates)) * rng.choice([1, -1], len(templates), p=[0.8, 0.2])
    n_slots = sum(getattr(each, "n_slots", 0) for each in templates)
    n_examples = int(rng.integers(min(n_slots, 1), n_slots + 1))
    bias = int(rng.integers(-3, 4))
    pairing = tuple(i % max(n_examples, 1) for i in range(n_slots))
    message = CardMessage(n_columns, tuple(templates), tuple(points.tolist()), bias, pairing)
    forms = [{"number": 5}.get(kinds[each.feature], 2) for each in templates]
    units = [each.unit for each in templates if isinstance(each, ColumnTemplate)]
    is_column = [isinstance(each, ColumnTemplate) for each in templates]
    paid = oracle.price(forms, points.tolist(), units, is_column, bias, n_columns, n_slots, n_examples)
    assert message_nats(message, kinds, n_examples) == pytest.approx(paid)


def test_all_cards_of_a_small_world_together_have_a_chance_of_at_most_one():
    kinds, total = ("boolean",), 0.0
    weighed = [(LiteralTemplate(0, sign, False), points) for sign in (False, True) for points in (-2, -1, 1, 2)]
    weighed += [(LiteralTemplate(0, sign, False), 30) for sign in (False, True)]
    for size in (0, 1, 2, 3):
        for chosen in itertools.combinations(weighed, size):
            templates, points = (tuple(each) for each in zip(*chosen, strict=True)) if chosen else ((), ())
            cost = message_nats(CardMessage(1, templates, points, 0, ()), kinds, 0)
            total += math.exp(-cost) * (2 * max(sum(map(abs, points)), 1) + 2)  # all constants cost the same
    assert 0.2 < total <= 1


def test_all_columns_with_their_units_together_have_a_chance_of_at_most_one():
    places, biases = range(-40, 41), range(-100, 101)
    every = [CardMessage(1, (ColumnTemplate(0, place),), (1,), 0, ()) for place in places]
    extra = [signed_nats(bias) - signed_nats(0) for bias in biases]
    total = 2 * sum(math.exp(-message_nats(each, ("number",), 0)) for each in every)
    total *= sum(math.exp(-each) for each in extra)
    # one term of four sizes, of five forms, with one of two marks, and one point at the most: 1/6 * 1/5 * 1/2 * 1/2
    assert 0.9 < total * 120 <= 1


def test_without_thresholds_and_categories_no_example_is_needed():
    model = ScoreCardClassifier(terms="columns", random_state=0).fit(X, Y)
    assert isinstance(model.certificate_.statements[0], FiniteClass)
    model = ScoreCardClassifier(random_state=0).fit(X, Y)
    assert isinstance(model.certificate_.statements[0], SampleCompression)
    mixed = ScoreCardClassifier(terms="columns", random_state=0).fit(FRAME, WANTED)
    assert isinstance(mixed.certificate_.statements[0], SampleCompression)


def test_thresholds_and_categories_are_values_of_examples():
    model = ScoreCardClassifier(random_state=0).fit(FRAME, WANTED)
    examples = model._encoding.examples.table
    for flag in model.rules_[0].flags:
        named = flag.threshold if isinstance(flag, Stump) else flag.category
        assert named is None or examples.column(flag.feature).equals(named).any()
    assert any(isinstance(flag, Stump) for flag in model.rules_[0].flags)
    assert any(getattr(flag, "category", None) for flag in model.rules_[0].flags)


def test_kinds_that_values_showed_are_paid():
    declared = pd.DataFrame({"a": pd.Categorical(["x", "y"] * 20), "b": np.arange(40.0)})
    shown = declared.astype({"a": object})
    card = Card((Literal(0, category="x"), 1), (2, 1), (0, 3), -3)
    y = np.arange(40) % 2 == 0
    nats = [encode(card, Table.from_frame(frame), y).nats for frame in (declared, shown)]
    assert nats[1] - nats[0] == pytest.approx(math.log(3))


def test_the_bound_chooses_no_larger_one_than_folds_do():
    bound, folds = (ScoreCardClassifier(select=how, random_state=0).fit(X, Y) for how in ("bound", "cv"))
    assert bound.certificate_.risk_bound <= folds.certificate_.risk_bound
    assert bound.n_terms_ <= folds.n_terms_ <= 10


# ---- the estimator


def test_mixed_frames_with_missing_values_and_new_categories():
    model = ScoreCardClassifier(random_state=0).fit(FRAME, WANTED)
    assert (model.predict(FRAME) == WANTED).mean() > 0.9
    empty = pd.DataFrame({"age": [np.nan, 99.0], "colour": ["violet", None], "fit": pd.array([None, True], "boolean")})
    with pytest.warns(UnseenCategoryWarning, match="'colour' in 1 row: 'violet'"):
        assert np.isfinite(model.decision_function(empty)).all()
    lone = pd.DataFrame({"age": [np.nan], "colour": [None], "fit": pd.array([None], "boolean")})
    assert model.decision_function(lone).tolist() == [model.rules_[0].bias]


def test_the_order_of_the_rows_changes_nothing():
    order = np.random.default_rng(1).permutation(120)
    one = ScoreCardClassifier(random_state=0).fit(X, Y)
    assert ScoreCardClassifier(random_state=0).fit(X[order], Y[order]).hypothesis_ == one.hypothesis_


def test_of_many_rows_some_are_enough(monkeypatch):
    monkeypatch.setattr(_learning, "_MOST_ROWS", 60)
    model = ScoreCardClassifier(random_state=0).fit(X, Y)
    assert model.certificate_.n_samples == 120
    assert (model.predict(X) == Y).mean() > 0.8


@pytest.mark.parametrize("estimator", ["logistic", "pocket", "minimal", RidgeClassifier()], ids=str)
def test_linear_machines_give_the_weights(estimator):
    model = ScoreCardClassifier(estimator, "columns", max_terms=3, random_state=0).fit(X, Y)
    assert (model.predict(X) == Y).mean() > 0.8
    assert 0 < model.n_terms_ <= 3


def test_machines_without_weights_are_refused():
    with pytest.raises(TypeError, match="DecisionTreeClassifier has none"):
        ScoreCardClassifier(DecisionTreeClassifier()).fit(X, Y)


def test_no_terms_are_allowed_and_none_may_help():
    model = ScoreCardClassifier(max_terms=0).fit(X, np.arange(120) < 100)
    assert model.n_terms_ == 0
    assert model.predict(X).all()
    assert model.to_text().startswith("always True")
    assert ScoreCardClassifier().fit(np.ones((9, 1)), np.arange(9) > 2).n_terms_ == 0


def test_cards_read_as_points():
    model = ScoreCardClassifier(max_terms=3, random_state=0).fit(FRAME, WANTED)
    text = model.rules_text()
    assert text.splitlines()[0].startswith("well if the points add up to more than ")
    listed = model.points()
    assert [each["points"] for each in listed if each["unit"] is None] == sorted(
        (each["points"] for each in listed if each["unit"] is None), reverse=True
    )
    for each in listed:
        assert f"{each['points']:+g}  " in text
        assert each["term"] in text
        assert each["term"] in model._repr_html_().replace("&gt;", ">").replace("&lt;", "<")
    line = model.explain(FRAME[:1])[0]
    total = model.decision_function(FRAME[:1])[0] - model.rules_[0].bias
    assert line["reason"].startswith(f"{total:.4g} points, ")
    assert line["prediction"] == model.predict(FRAME[:1])[0]
    assert len(model.points(as_frame=True)) == model.n_terms_


def test_points_of_columns_are_for_round_numbers():
    table = np.column_stack([X[:, 0] * 1000, X[:, 1] / 1000])
    model = ScoreCardClassifier(terms="columns", random_state=0).fit(table, table[:, 0] + table[:, 1] * 2e6 > 100)
    for each in model.points():
        assert each["unit"] in {unit(place) for place in range(-20, 20)}
        assert each["points"] == int(each["points"])
        assert abs(each["points"]) <= 5


def test_files_keep_cards(tmp_path):
    model = ScoreCardClassifier(max_terms=3, random_state=0).fit(FRAME, WANTED)
    model.save(tmp_path / "card.json")
    opened = laconic.load(tmp_path / "card.json")
    assert opened.hypothesis_ == model.hypothesis_
    assert opened.to_text() == model.to_text()
    assert opened.n_terms_ == model.n_terms_


# ---- the kernel of points


def test_constant_and_slope_are_those_that_newton_finds():
    rng = np.random.default_rng(5)
    sums, y = rng.normal(0, 4, 60), (rng.random(60) < 0.4).astype(float)
    for size in (1.0, 3.0):
        design = np.column_stack([np.ones(60), sums / size])
        slow = newton(design, y, np.array([0.1, 0.2 * size]), steps=3)
        fitted = np.array([0.1, 0.2])
        lost = kernels.refitted(sums, y, size, fitted)
        assert fitted * (1.0, size) == pytest.approx(slow, abs=1e-9)
        assert lost == pytest.approx(loss(design, y, slow), abs=1e-9)


def test_a_sweep_moves_points_only_where_that_lowers_the_loss():
    rng = np.random.default_rng(6)
    values = np.asfortranarray(rng.normal(size=(80, 3)))
    y = (values @ [2.0, -1.0, 0.0] + rng.normal(size=80) > 0).astype(float)
    points, fitted, spreads = np.array([1.0, -1.0, 0.0]), np.array([0.0, 1.0]), values.std(axis=0)
    sums = values @ points
    before = kernels.refitted(sums, y, kernels.size_of(points, spreads), fitted)
    after = kernels.sweep(values, y, points, np.array([1.0, -1.0, 1.0]), spreads, 2, sums, fitted, before)
    again = np.array([0.0, 1.0])
    assert after < before
    assert np.abs(points).max() <= 2
    assert (points * [1, -1, 1] >= 0).all()
    assert sums == pytest.approx(values @ points)
    for _ in range(5):
        lost = kernels.refitted(sums, y, kernels.size_of(points, spreads), again)
    assert lost <= after + 1e-9
