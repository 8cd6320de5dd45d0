"""Categories and few digits: linear machines over mixed tables, how they are sent, and what that costs."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import laconic
from laconic import MinimalComplexityClassifier, MinimalComplexityRegressor
from laconic._digits import Digits
from laconic._indicators import NamedDigits
from laconic._rounding import most_wrong
from laconic._wide import NamedMessage
from laconic.certificates import FiniteClass, SampleCompression, choice_nats, signed_nats
from laconic.datasets import load_bupa
from laconic.minimal._scheme import InUnits, reconstruct
from laconic.minimal._thinning import thinner
from laconic.rules import LinearModel

RNG = np.random.default_rng(5)
X = pd.DataFrame(
    {
        "size": RNG.normal(size=150).round(2),
        "colour": pd.Categorical(RNG.choice(["red", "green", "blue"], 150)),
        "weight": RNG.normal(size=150).round(2),
    }
)
RED, BLUE = X["colour"] == "red", X["colour"] == "blue"
TWO = np.where(X["size"] + 2.0 * RED > 0.9, "yes", "no")
THREE = np.where(X["size"] + 2.0 * RED > 0.9, "a", np.where(X["weight"] > 1.5 * BLUE, "b", "c"))
TARGETS = 10.0 * X["size"] + 25.0 * RED + RNG.normal(size=150)
NUMBERS = X[["size", "weight"]]


def makers(code):
    return [
        (MinimalComplexityClassifier(code=code), TWO),
        (MinimalComplexityClassifier(code=code), THREE),
        (MinimalComplexityRegressor(epsilon=0.5, code=code), TARGETS),
    ]


@pytest.fixture(scope="module", params=["rows", "digits", "auto"])
def fitted(request):
    return [(model.fit(X, y), y) for model, y in makers(request.param)]


def machines_of(model):
    return getattr(model.hypothesis_, "models", (model.hypothesis_,))


def test_categories_weigh(fitted):
    for model, y in fitted:
        alone = type(model)(**model.get_params()).fit(NUMBERS, y)
        assert model.score(X, y) > alone.score(NUMBERS, y) + 0.1
        assert "(colour is red)" in model.to_text()
        for machine in machines_of(model):
            assert machine.weights[1] == 0, "a column of categories has no weight of its own"
            assert len(machine.weights) == 3 + len(machine.flags)
        assert model.coef_.shape[-1] == len(machines_of(model)[0].weights)


def test_examples_and_message_alone_rebuild_it(fitted):
    for model, _ in fitted:
        encoding = model._encoding
        assert reconstruct(encoding.examples, encoding.message) == machines_of(model)
        named = {encoding.examples.table.column(1).at(place) for place in range(len(encoding.rows))}
        assert {flag.category for flag in machines_of(model)[0].flags} <= named


def test_by_rows_or_in_digits_examples_name_the_categories(fitted):
    for model, _ in fitted:
        sent = model._encoding.message
        assert isinstance(sent.digits if isinstance(sent, InUnits) else sent, NamedMessage | NamedDigits)
        (statement,) = model.certificate_.statements
        assert isinstance(getattr(statement, "statement", statement), SampleCompression)


def test_what_is_sent_in_digits_has_no_indicator_without_a_weight():
    for model, y in makers("digits"):
        machines = machines_of(model.fit(X, y))
        assert any(machines[0].flags)
        for place in range(len(machines[0].flags)):
            assert any(machine.weights[3 + place] for machine in machines)


def test_the_order_of_rows_changes_nothing(fitted):
    order = RNG.permutation(len(X))
    for model, y in fitted:
        other = type(model)(**model.get_params()).fit(X.iloc[order].reset_index(drop=True), np.asarray(y)[order])
        assert other.hypothesis_ == model.hypothesis_
        assert other.certificate_.risk_bound == model.certificate_.risk_bound


def test_model_files_and_words(fitted, tmp_path):
    for model, _ in fitted:
        model.save(tmp_path / "model.json")
        again = laconic.load(tmp_path / "model.json")
        assert (again.predict(X) == model.predict(X)).all()
        assert again.hypothesis_ == model.hypothesis_
        assert (again.coef_ == model.coef_).all()
        rules = again.get_rules(as_frame=True)
        red = rules[rules["term"] == "(colour is red)"].iloc[0]
        assert (red["column"], red["operator"], red["value"]) == ("colour", "is", "red")
        assert set(model.explain(X[:2])[0]) == {"prediction", "value", "reason"}


def test_a_category_that_was_never_seen_weighs_nothing(fitted):
    new = X[:6].astype({"colour": object}).assign(colour="grey")
    for model, _ in fitted:
        plain = machines_of(model)[0]
        numbers = np.array(plain.weights)[[0, 2]]
        expected = new[["size", "weight"]].to_numpy() @ numbers + plain.bias
        assert plain.evaluate(new) == pytest.approx(expected)


def test_kernels_refuse_categories_in_words():
    for make in (MinimalComplexityClassifier, MinimalComplexityRegressor):
        with pytest.raises(ValueError, match="'colour' holds categories, and a kernel needs numbers.*kernel='linear'"):
            make(kernel="rbf").fit(X, TARGETS > 3)


def test_a_column_of_nothing_but_rare_categories_weighs_nothing():
    rare = X.assign(name=[f"n{i}" for i in range(150)])
    for model, y in makers("auto"):
        machine = machines_of(model.fit(rare, y))[0]
        assert machine.weights[3] == 0
        assert not {flag.feature for flag in machine.flags} & {3}
        model.predict(rare.assign(name="new"))


# ---- few digits of a regressor


def test_a_narrower_band_in_fewer_words():
    slope = np.array([1.0, 2.0, 0.0, 0.0, 0.1])
    wide = RNG.normal(size=(300, 5))
    targets = wide @ slope + RNG.normal(scale=0.3, size=300)
    rows, digits, auto = (
        MinimalComplexityRegressor(epsilon=0.5, code=code).fit(wide, targets) for code in ("rows", "digits", "auto")
    )
    assert rows.certificate_.refusal, "five columns cost more than 300 rows pay for"
    assert not digits.certificate_.refusal
    assert not auto.certificate_.refusal
    assert digits.hypothesis_.n_words < 5 == rows.hypothesis_.n_words
    errors = np.abs(rows.predict(wide) - targets)
    limit = errors.mean() + errors.std() / math.sqrt(300)
    assert np.abs(digits.predict(wide) - targets).mean() <= limit * (1 + 1e-9)
    (band,) = digits.certificate_.statements
    assert isinstance(band.statement, FiniteClass)
    assert digits.certificate_.compression_size == 0


def test_the_price_of_digits_and_of_the_choice():
    targets = 3.0 * X["size"] + RNG.normal(scale=0.2, size=150)
    digits, auto = (
        MinimalComplexityRegressor(epsilon=0.5, code=code).fit(NUMBERS, targets) for code in ("digits", "auto")
    )
    sent = digits._encoding.message
    assert isinstance(sent, InUnits)
    assert isinstance(sent.digits, Digits)
    assert digits.certificate_.message_nats == pytest.approx(sent.digits.nats + signed_nats(sent.unit))
    sent = auto._encoding.message
    paid = sent.digits.nats + signed_nats(sent.unit) + choice_nats(2)
    assert auto.certificate_.message_nats == pytest.approx(paid)
    rows = MinimalComplexityRegressor(epsilon=0.5, code="rows").fit(NUMBERS, targets)
    nats = rows._encoding.message.nats(len(rows._encoding.rows))
    assert rows.certificate_.message_nats == pytest.approx(nats), "who chose beforehand pays for no choice"


def test_the_unit_is_part_of_the_message():
    sent = MinimalComplexityRegressor(epsilon=0.5, code="digits").fit(NUMBERS, TARGETS)._encoding
    (first,) = reconstruct(sent.examples, sent.message)
    (twice,) = reconstruct(sent.examples, InUnits(sent.message.digits, sent.message.unit + 1))
    assert twice == LinearModel(tuple(2 * weight for weight in first.weights), 2 * first.bias)


def test_weights_of_rows_are_not_undone_by_rounding():
    weights = np.where(RED, 3.0, 1.0)
    model = MinimalComplexityRegressor(epsilon=0.5).fit(NUMBERS, TARGETS, weights)
    solved = MinimalComplexityRegressor(epsilon=0.5, code="rows").fit(NUMBERS, TARGETS, weights)
    assert model.hypothesis_ == solved.hypothesis_


@pytest.mark.parametrize(
    "targets",
    [np.full(150, 7.0), np.asarray(2.0 * X["size"]), np.where(RED, 1e9, -1e9), np.asarray(TARGETS) * 2.0**900],
)
def test_odd_targets_in_digits(targets):
    model = MinimalComplexityRegressor(epsilon=0.5, code="digits").fit(NUMBERS, targets)
    assert np.isfinite(model.predict(NUMBERS)).all()
    exact = MinimalComplexityRegressor(epsilon=0.5, code="rows").fit(NUMBERS, targets)
    spread = np.ldexp(np.ldexp(targets, -900).std(), 900) if np.abs(targets).max() > 1e200 else targets.std()
    assert np.abs(model.predict(NUMBERS) - exact.predict(NUMBERS)).mean() <= spread + 1e-9
    if exact.predict(NUMBERS) == pytest.approx(targets, rel=1e-9):
        assert model.predict(NUMBERS) == pytest.approx(targets, rel=1e-9, abs=1e-9)


def test_thinner_sums_come_near_to_the_same_values():
    wide = RNG.normal(size=(80, 20))
    weights = np.append(RNG.normal(size=19), 0.0)
    found = thinner(weights, wide, wide @ weights)
    sizes = [np.count_nonzero(each) for each in found]
    assert (sizes[0], sizes[-1]) == (19, 1)
    assert sizes == sorted(set(sizes), reverse=True)
    for each in found[1:]:
        kept = np.flatnonzero(each)
        columns = wide[:, kept] - wide[:, kept].mean(axis=0)
        values = wide @ weights
        expected = np.linalg.lstsq(columns, values - values.mean(), rcond=None)[0]
        assert each[kept] == pytest.approx(expected)


def test_kernels_have_no_digits():
    with pytest.raises(ValueError, match="kernel must be 'linear'"):
        MinimalComplexityRegressor(kernel="rbf", code="digits").fit(NUMBERS, TARGETS)


@pytest.mark.filterwarnings("ignore::laconic.exceptions.RepeatedRowsWarning")
def test_a_thin_classifier_has_fewer_columns_and_a_smaller_bound():
    rows, y = load_bupa(return_X_y=True)
    plain = MinimalComplexityClassifier(code="digits").fit(rows, y)
    thin = MinimalComplexityClassifier(code="thin").fit(rows, y)
    assert np.count_nonzero(thin.coef_) < np.count_nonzero(plain.coef_)
    assert thin.certificate_.risk_bound < plain.certificate_.risk_bound
    wrong = (thin.predict(rows) != y).sum()
    assert thin.certificate_.statements[0].errors_outside == wrong
    as_solved = MinimalComplexityClassifier(code="rows").fit(rows, y)
    assert wrong <= most_wrong(int((as_solved.predict(rows) != y).sum()))
    with pytest.raises(ValueError, match="code='thin' rounds weights"):
        MinimalComplexityClassifier(kernel="rbf", code="thin").fit(rows, y)


def test_thin_sums_of_several_classes_are_rounded_together():
    rows, y = load_iris(return_X_y=True)
    plain, thin = (MinimalComplexityClassifier(code=code).fit(rows, y) for code in ("digits", "thin"))
    assert thin.certificate_.risk_bound < plain.certificate_.risk_bound
    assert np.count_nonzero(thin.coef_) < np.count_nonzero(plain.coef_)
