"""The pocket as a score card: whole numbers of few digits, each of which is paid for."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import NotFittedError

from laconic import PocketClassifier
from laconic._rounding import most_wrong
from laconic.certificates import FiniteClass, occam_bound
from laconic.halfspaces import pocket
from laconic.halfspaces.pocket._estimators import reconstruct, unit_exponents
from laconic.rules import Conjunction, Halfspace, from_dict


def learner(max_epochs=20, **parameters):
    return PocketClassifier(max_epochs, **{"random_state": 0, **parameters})


def overlapping(seed, n_rows=120, n_columns=3, scales=True):
    """Draw two classes that overlap, in columns of different sizes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    y = (X @ rng.normal(size=n_columns) + 0.3 > 0) ^ (rng.random(n_rows) < 0.1)
    y[:2] = [False, True]
    return X * 10.0 ** rng.integers(-3, 4, n_columns) if scales else X, y


def gathered(seed=0, n_rows=80):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 2))
    return X[np.abs(X[:, 0] - X[:, 1]) > 0.5], (X[:, 0] > X[:, 1])[np.abs(X[:, 0] - X[:, 1]) > 0.5]


# ---- what is sent


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), n_columns=st.integers(1, 5), scales=st.booleans())
def test_the_message_gives_back_the_very_hypothesis(seed, n_columns, scales):
    X, y = overlapping(seed, 60, n_columns, scales)
    model = learner(3, random_state=seed).fit(X, y)
    encoding = model._encoding
    examples, message = pickle.loads(pickle.dumps((encoding.examples, encoding.message)))
    assert reconstruct(examples, message) == model.hypothesis_
    assert reconstruct(None, message) == model.hypothesis_, "no example is needed"
    assert len(encoding.rows) == len(examples) == 0
    assert from_dict(model.hypothesis_.to_dict()) == model.hypothesis_
    assert all(weight.is_integer() for weight in model.rules_[0].weights), "whole numbers"
    assert model.rules_[0].bias.is_integer()
    assert model.n_digits_ == message.digits.digits


# ---- the certificate, and the choice of the digits


@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_the_certificate_is_occams(delta):
    for seed in range(4):
        X, y = overlapping(seed)
        model = learner(delta=delta).fit(X, y)
        errors = int((model.hypothesis_.evaluate(X) != y).sum())
        nats = model._encoding.message.digits.nats
        assert model.certificate_.statements == (FiniteClass(len(y), errors, nats),)
        assert model.certificate_.risk_bound == pytest.approx(occam_bound(len(y), nats, errors, delta))
        assert model.certificate_.empirical_risk == errors / len(y) == pytest.approx(1 - model.score(X, y))
        assert model.certificate_.compression_size == 0


def test_rounding_costs_few_errors():
    for seed in range(4):
        X, y = overlapping(seed, 80, 2)
        model = learner(delta=0.1).fit(X, y)
        exponents = unit_exponents(X)
        found = pocket(np.ldexp(X, exponents), y, max_iterations=20 * len(y), random_state=0)
        assert model.n_iter_ == found.n_iterations
        assert (model.predict(X) != y).sum() <= most_wrong(len(y) - found.n_right)


def test_columns_that_say_nothing_have_no_weight():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    y = X[:, 0] - X[:, 1] + rng.normal(scale=0.1, size=300) > 0
    model = learner().fit(X, y)
    assert set(np.flatnonzero(model.coef_[0])) == {0, 1}
    assert len(model._encoding.message.digits.exponents) == 2


# ---- a class that is protected


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), label=st.booleans(), ratchet=st.booleans())
def test_rows_of_the_class_protected_are_never_wrong(seed, label, ratchet):
    X, y = overlapping(seed, 50, 2)
    model = learner(10, protected=label, ratchet=ratchet, random_state=seed).fit(X, y)
    assert (model.predict(X)[y == label] == label).all()


def test_a_rule_that_costs_nothing_keeps_all_rows_right():
    X, y = gathered()
    for label in (None, False, True):
        assert learner(200, protected=label).fit(X, y).score(X, y) == 1.0


def test_a_class_that_is_not_there_cannot_be_protected():
    X, y = gathered()
    for labels, wrong in ((y, "yes"), (np.where(y, "yes", "no"), 1), (np.where(y, "yes", "no"), "perhaps")):
        with pytest.raises(ValueError, match="protected must be None or one of the classes"):
            learner(protected=wrong).fit(X, labels)
    assert (learner(protected="yes").fit(X, np.where(y, "yes", "no")).predict(X)[y] == "yes").all()


def test_the_former_name_is_read_with_a_warning():
    X, y = overlapping(1)
    with pytest.warns(FutureWarning, match="rules is called protected now"):
        former = learner(rules=True, random_state=0).fit(X, y)
    assert former.hypothesis_ == learner(protected=True, random_state=0).fit(X, y).hypothesis_


# ---- what a user does with it


def test_the_seed_decides():
    X, y = overlapping(3)
    one, same = learner(2, random_state=5).fit(X, y), learner(2, random_state=5).fit(X, y)
    assert one.hypothesis_ == same.hypothesis_
    assert one.certificate_ == same.certificate_
    X, y = overlapping(3, n_columns=6)
    assert len({learner(1, random_state=seed).fit(X, y).hypothesis_ for seed in range(4)}) > 1


def test_it_reads_as_a_score_card():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 10, size=(200, 3)), columns=["age", "dose", "noise"])
    y = np.where(2 * X["age"] + X["dose"] + rng.normal(size=200) > 14, "ill", "well")
    model = learner(50).fit(X, y)
    (line,) = model.get_rules()
    assert "age" in line["rule"].partition("dose")[0], "largest weights first"
    assert "." not in line["rule"] + model.rules_text().partition("rules out")[0]
    assert "e+" not in line["rule"]
    assert "…" not in line["rule"]
    text = model.to_text()
    assert line["rule"] in text
    assert "well if all of these hold, else ill" in text
    assert "With 95 % confidence" in text
    assert "laconic-card" in model._repr_html_()
    for reason, answer in zip(model.explain(X), model.predict(X), strict=True):
        assert reason["prediction"] == answer
        assert (reason["position"] is None) == (answer == "well")
    assert isinstance(model.hypothesis_, Conjunction)
    assert isinstance(model.rules_[0], Halfspace)
    assert (next(model.staged_predict(X)) == model.predict(X)).all()


def test_the_decision_function_is_the_score():
    X, y = overlapping(1)
    model = learner().fit(X, y)
    scores = model.decision_function(X)
    assert np.allclose(scores, X @ model.coef_[0] + model.intercept_[0])
    assert ((scores > 0) == model.predict(X)).all()
    assert model.coef_.shape == (1, 3)
    assert model.intercept_.shape == (1,)


def test_it_stops_early_where_all_rows_are_right():
    X, y = gathered()
    model = learner(1000).fit(X, y)
    assert model.n_iter_ < 1000 * len(y)
    assert learner(3, ratchet=False).fit(X, y).n_iter_ == 3 * len(y)


@pytest.mark.parametrize(
    "parameters", [{"max_epochs": 0}, {"max_epochs": 1.5}, {"ratchet": "no"}, {"delta": 0.0}, {"random_state": "x"}]
)
def test_nonsense_is_refused(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        PocketClassifier(**parameters).fit([[0.0], [1.0]], [0, 1])


def test_input_that_cannot_be_used_is_refused():
    X, y = gathered()
    with pytest.raises(ValueError, match="NaN"):
        learner().fit(np.where(X > 1, np.nan, X), y)
    with pytest.raises((TypeError, ValueError), match=r"[Ss]parse"):
        learner().fit(sparse.csr_array(X), y)
    with pytest.raises(ValueError, match="one class"):
        learner().fit(X, np.ones(len(y)))
    with pytest.raises(ValueError, match="binary"):
        learner().fit(X, np.arange(len(y)) % 3)
    with pytest.raises(ValueError, match="missing categories"):
        learner().fit(pd.DataFrame({"size": X[:, 0], "colour": np.where(y, "a", None)}), y)
    for call in (learner().predict, learner().decision_function, learner().explain):
        with pytest.raises(NotFittedError):
            call(X)


def test_columns_of_very_different_sizes_have_finite_weights():
    X, y = gathered()
    model = learner().fit(X * [1e-180, 1e180], y)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.intercept_).all()
    assert model.score(X * [1e-180, 1e180], y) > 0.9
