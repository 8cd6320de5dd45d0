"""What a user does with the set covering machine."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier

from laconic import SetCoveringClassifier, SetCoveringClassifierCV
from laconic.covering import Balls, Clauses, Conditions, Literals, Stumps
from laconic.covering.parts import known_families
from laconic.datasets import load_breast_cancer_wisconsin, load_credit, load_house_votes
from laconic.exceptions import NoConsistentConcept
from laconic.rules import Literal, Rule, Stump

COLUMNS = ["rule", "prediction", "support", "precision", "column", "operator", "value", "parts"]  # of get_rules


def machine(form="conjunction", features="stumps", **parameters):
    return SetCoveringClassifier(form, features, **{"penalty": 1.0} | parameters)


@pytest.fixture(scope="module")
def breast():
    return load_breast_cancer_wisconsin(return_X_y=True, as_frame=True)


# ---- the machine


def test_a_conjunction_is_found_and_read():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 5))
    y = np.where((X[:, 1] > 0.3) & (X[:, 3] <= 0.7), "in", "out")
    model = machine(penalty=np.inf, max_rules=None).fit(X, y)
    # "in" < "out", so "out" is positive and the concept is a disjunction; as a conjunction it takes more rules
    assert (model.predict(X)[y == "out"] == "out").all()
    model = machine("disjunction", penalty=np.inf, max_rules=None).fit(X, y)
    assert (model.predict(X) == y).all()
    assert {(r.feature, r.greater) for r in model.rules_} == {(1, False), (3, True)}
    assert model.certificate_.empirical_risk == 0
    assert [step.n_errors for step in model.path_] == [0, 0]


def test_the_larger_the_penalty_the_fewer_errors_on_p(breast):
    X, y = breast
    errors = []
    for penalty in (0.1, 1.0, 10.0, np.inf):
        if np.isinf(penalty):
            X, y = load_breast_cancer_wisconsin(return_X_y=True, paper=True)
        model = machine(penalty=penalty, max_rules=None).fit(X, y)
        errors.append(sum(step.n_errors for step in model.path_))
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] == 0 < errors[0]


def test_max_rules_cuts_the_path(breast):
    long = machine("disjunction", max_rules=None).fit(*breast)
    short = machine("disjunction", max_rules=2).fit(*breast)
    assert short.rules_ == long.rules_[:2]
    assert short.path_ == long.path_[:2]
    assert all(step.value > 0 for step in long.path_)


def test_auto_keeps_the_smaller_bound(breast):
    both = [machine(form).fit(*breast) for form in ("conjunction", "disjunction")]
    auto = machine("auto").fit(*breast)
    best = min(both, key=lambda model: model.certificate_.risk_bound)
    assert auto.rules_ == best.rules_
    assert best.certificate_.risk_bound < auto.certificate_.risk_bound


def test_contradictory_rows_are_named():
    X = [[1.0, 2.0], [3.0, 4.0], [1.0, 2.0], [5.0, 6.0], [3.0, 4.0]]
    y = [0, 0, 1, 1, 1]
    with pytest.raises(NoConsistentConcept, match=r"0 = 2, 1 = 4 \(counted from 0\)") as caught:
        machine(penalty=np.inf).fit(X, y)
    assert caught.value.rows == (0, 1, 2, 4)
    machine(penalty=1e9).fit(X, y)
    machine(penalty=np.inf).fit(X, y, sample_weight=[1, 1, 0, 1, 0])


# ---- weights


def test_weights_steer_the_choice_but_not_the_certificate():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 5, size=(100, 3)).astype(float)
    y = (X[:, 0] > 2) ^ (rng.random(100) < 0.2)
    weights = np.where(y, 5.0, 1.0)
    plain, weighted = machine().fit(X, y), machine().fit(X, y, sample_weight=weights)
    assert weighted.certificate_.n_samples == 100
    assert weighted.certificate_.empirical_risk == np.mean(weighted.predict(X) != y)
    by_class = machine(class_weight={False: 1.0, True: 5.0}).fit(X, y)
    assert by_class.rules_ == weighted.rules_ != plain.rules_
    scaled = machine().fit(X, y, sample_weight=weights * 1000)
    assert scaled.rules_ == weighted.rules_
    with pytest.raises(ValueError, match="zero"):
        machine().fit(X, y, sample_weight=np.zeros(100))
    with pytest.raises(ValueError, match="[Nn]egative"):
        machine().fit(X, y, sample_weight=-weights)


# ---- tables


def mixed_frame(library):
    columns = {
        "age": [30.0, 40.0, None, 60.0, 70.0, 20.0, 45.0, 50.0],
        "smoker": [True, False, True, True, False, False, None, True],
        "blood group": ["A", "B", "A", None, "0", "B", "A", "AB"],
    }
    if library == "pandas":
        frame = pd.DataFrame(columns)
        frame["blood group"] = frame["blood group"].astype("category")
        return frame
    return pl.DataFrame(columns) if library == "polars" else pa.table(columns)


MIXED_Y = ["ill", "well", "ill", "well", "well", "well", "ill", "well"]


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_mixed_frames_keep_names_and_categories(library):
    X = mixed_frame(library)
    model = machine("disjunction", features=["literals", "stumps"], max_rules=None, penalty=3.0).fit(X, MIXED_Y)
    assert list(model.feature_names_in_) == ["age", "smoker", "blood group"]
    assert model.n_features_in_ == 3
    assert Literal(2, negated=True, category="A") in model.rules_
    assert "blood group is known and not A" in model.to_text()
    # the row without a blood group satisfies no condition on it
    assert model.explain(X)[3]["rule"] != "blood group is known and not A"
    assert (
        model.predict(X).tolist()
        == machine("disjunction", features=["literals", "stumps"], max_rules=None, penalty=3.0)
        .fit(mixed_frame("pandas"), MIXED_Y)
        .predict(mixed_frame("pandas"))
        .tolist()
    )


def test_columns_that_no_family_can_use_are_refused():
    X = mixed_frame("pandas")
    with pytest.raises(ValueError, match=r"'blood group' holds categories and Stumps need numbers; .*literals"):
        machine(features="stumps").fit(X, MIXED_Y)
    with pytest.raises(ValueError, match="'age' holds 30, and literals need 0 and 1.*Literals.binarize=0.5.*Stumps"):
        machine(features="literals").fit(X, MIXED_Y)
    with pytest.raises(TypeError, match="dense"):
        machine(features="stumps").fit(sparse.eye(8), MIXED_Y)


def test_a_column_must_stay_of_its_kind():
    X = mixed_frame("pandas")
    model = machine(features=["literals", "stumps"]).fit(X, MIXED_Y)
    other = X.assign(**{"blood group": range(8)})
    with pytest.raises(ValueError, match="'blood group' holds numbers now and held categories"):
        model.predict(other)
    unknown = X.assign(**{"blood group": None})
    assert len(model.predict(unknown)) == 8
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X[["smoker", "age", "blood group"]])


def test_numbers_among_categories_are_read_as_categories():
    codes = pd.DataFrame({"code": pd.Series([1, "b", 2, 1, "b", 2] * 4, dtype=object)})
    model = machine(features="literals").fit(codes, codes["code"] == 1)
    assert model.predict(codes.loc[[0, 2]]).tolist() == [True, False]
    with pytest.raises(TypeError, match=r"'code' holds \[1\] \(list\)"):
        model.predict(pd.DataFrame({"code": [[1]]}))
    with pytest.raises(ValueError, match="'code' holds numbers now and held categories"):
        model.predict(pd.DataFrame({"code": [1, 2]}))


def test_dates_are_refused_with_advice():
    X = pd.DataFrame({"day": pd.to_datetime(["2020-01-01", "2020-01-02"])})
    with pytest.raises(TypeError, match="'day' has type .* days since a fixed day"):
        machine().fit(X, [0, 1])


@pytest.mark.parametrize("features", ["literals", Clauses(2)])
@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_sparse_flags_equal_dense_ones(features, make):
    rng = np.random.default_rng(2)
    X = (rng.random((200, 12)) < 0.3).astype(float)
    y = (X[:, 0] == 1) | (X[:, 3] == 0)
    dense = machine(features=features).fit(X, y)
    model = machine(features=features).fit(make(X), y)
    assert model.rules_ == dense.rules_
    assert model.certificate_ == dense.certificate_
    assert (model.predict(make(X)) == dense.predict(X)).all()
    assert model.__sklearn_tags__().input_tags.sparse


@pytest.mark.parametrize("form", ["conjunction", "disjunction"])
@pytest.mark.parametrize("features", ["stumps", Stumps(bins=3), "literals"])
def test_missing_values_satisfy_no_rule_that_is_shown(form, features):
    rng = np.random.default_rng(4)
    X = rng.integers(0, 2, size=(60, 4)).astype(float)
    y = (X[:, 0] == 1) ^ (rng.random(60) < 0.2)
    X[rng.random(X.shape) < 0.2] = np.nan
    model = machine(form, features=features, max_rules=None).fit(X, y)
    nothing = np.full((1, 4), np.nan)
    assert model.rules_
    assert not any(rule.evaluate(nothing)[0] for rule in model.rules_)
    assert model.predict(nothing)[0] == (form == "conjunction" and not model.rules_)


def test_missing_values_are_refused_by_balls_with_advice():
    for X in (np.array([[np.nan], [1.0]]), pd.DataFrame({"a": [None, 1.0]})):
        with pytest.raises(ValueError, match='contains NaN, and balls need every value.*features="stumps"'):
            machine(features="balls").fit(X, [0, 1])


def test_what_a_cell_says_is_not_taken_for_a_missing_value():
    with pytest.raises(ValueError, match="could not convert string to float: 'X contains NaN'"):
        machine(features="balls").fit([["X contains NaN"], ["1"]], [0, 1])


def test_infinity_and_text_are_refused():
    with pytest.raises(ValueError, match="infinity"):
        machine().fit([[np.inf], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="infinity"):
        machine().fit(pd.DataFrame({"a": [np.inf, 1.0]}), [0, 1])
    with pytest.raises(ValueError, match="could not convert"):
        machine().fit(np.array([["a"], ["b"]]), [0, 1])
    with pytest.raises(ValueError, match="one class"):
        machine().fit([[1.0], [2.0]], ["a", "a"])


# ---- parameters


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"penalty": -1}, "penalty"),
        ({"penalty": np.nan}, "penalty"),
        ({"max_rules": 0}, "max_rules"),
        ({"delta": 0}, "delta"),
        ({"delta": 1.5}, "delta"),
        ({"form": "both"}, "form"),
        ({"features": "trees"}, "features must be one of 'balls', 'conditions', 'kmers', 'literals', 'stumps'"),
        ({"features": []}, "empty list"),
        ({"features": [3]}, "got 3"),
        (
            {"features": Stumps(bins=1)},
            r"'bins' parameter of Stumps must be an int in the range \[2, 255\] or None. Got 1",
        ),
        ({"features": Clauses(0)}, r"'k' parameter of Clauses must be an int in the range \[1, inf\). Got 0"),
        ({"features": ["stumps", Literals(binarize=np.inf)]}, "'binarize' parameter of Literals must be .* Got inf"),
        ({"features": Literals(negated="no")}, "'negated' parameter of Literals must be .* Got 'no'"),
    ],
)
def test_nonsense_is_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        machine(**parameters).fit([[0, 1], [1, 0]], [0, 1])


@pytest.mark.parametrize("family", known_families().values())
def test_a_family_declares_the_range_of_every_parameter_and_what_it_makes(family):
    assert family._parameter_constraints.keys() == family().get_params(deep=False).keys()
    assert Rule not in family.makes


def test_too_many_clauses_are_counted_and_refused():
    X = np.random.default_rng(0).integers(0, 2, size=(10, 50))
    with pytest.raises(ValueError, match="100 literals make 166,750 combinations of up to 3, more than the 1,000 "):
        machine(features=Clauses(3, max_candidates=1000)).fit(X, [0, 1] * 5)


def test_families_are_nested_parameters(breast):
    X, y = load_breast_cancer_wisconsin(return_X_y=True)
    search = GridSearchCV(
        machine(features=Stumps(), max_rules=3), {"features__bins": [2, 8], "penalty": [0.5, 2.0]}, cv=3
    ).fit(X, y)
    assert search.best_params_["features__bins"] == 8
    assert clone(search.best_estimator_).features.bins == 8


# ---- scikit-learn's company


@pytest.mark.parametrize("form", ["conjunction", "disjunction"])
def test_decision_function_agrees_with_predict_and_orders_rows(form, breast):
    X, y = breast
    model = machine(form).fit(X, y)
    score = model.decision_function(X)
    assert ((score > 0) == (model.predict(X) == model.classes_[1])).all()
    assert (score != 0).all()
    held = np.column_stack([rule.evaluate(X) for rule in model.rules_]).sum(axis=1)
    whole = np.trunc(score)
    if form == "conjunction":
        assert (whole == np.where(held == len(model.rules_), 1, held - len(model.rules_))).all()
    else:
        assert (whole == np.where(held == 0, -1, held)).all()
    assert (np.abs(score - whole) <= 0.5).all()
    assert roc_auc_score(y == "malignant", score) > 0.93


def test_calibration_and_cross_validation(breast):
    X, y = breast
    calibrated = CalibratedClassifierCV(machine("disjunction"), cv=3).fit(X, y)
    assert np.allclose(calibrated.predict_proba(X).sum(axis=1), 1)
    assert cross_val_score(machine("disjunction"), X, y, cv=5).mean() > 0.9


def test_more_classes_by_one_vs_rest():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"Only binary.*OneVsRestClassifier"):
        machine().fit(X, y)
    model = OneVsRestClassifier(machine("conjunction")).fit(X, y)
    assert model.score(X, y) > 0.9
    assert len(model.estimators_) == 3


# ---- reading


def test_rules_count_what_they_decide(breast):
    X, y = breast
    for form in ("conjunction", "disjunction"):
        model = machine(form, max_rules=3).fit(X, y)
        explained = model.explain(X)
        decided = np.array([-1 if line["position"] is None else line["position"] - 1 for line in explained])
        assert [line["prediction"] for line in explained] == model.predict(X).tolist()
        for position, line in enumerate(model.get_rules()):
            mine = decided == position
            assert line["rule"] == model.rules_[position].describe(list(X.columns))
            assert line["support"] == mine.sum() == model.path_[position].n_covered + model.path_[position].n_errors
            assert line["precision"] == pytest.approx((y[mine] == line["prediction"]).mean())
            assert (model.predict(X)[mine] == line["prediction"]).all()
        frame = model.get_rules(as_frame=True)
        assert list(frame.columns) == COLUMNS
        assert len(frame) == len(model.rules_)
        assert len(model.explain(X, as_frame=True)) == len(X)


def test_stages_lead_to_the_prediction(breast):
    X, y = breast
    model = machine("disjunction").fit(X, y)
    stages = list(model.staged_predict(X))
    assert len(stages) == len(model.rules_)
    assert (stages[-1] == model.predict(X)).all()
    for n_rules, stage in enumerate(stages, start=1):
        assert (stage == machine("disjunction", max_rules=n_rules).fit(X, y).predict(X)).all()


def test_the_text_can_be_quoted(breast):
    text = machine("disjunction", max_rules=2).fit(*breast).to_text()
    assert text.startswith("malignant if any of these holds, else benign:")
    assert "1. cell_size_uniformity > 3" in text
    assert "With 95 % confidence" in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_the_notebook_card_is_escaped_and_has_two_themes():
    X = pd.DataFrame({"<script>alert(1)</script>": [0.0, 1.0, 2.0, 3.0] * 10})
    model = machine().fit(X, ["<b>no</b>", "<b>no</b>", "yes", "yes"] * 10)
    card = model._repr_html_()
    assert "<script>" not in card
    assert "<b>no" not in card
    assert "&lt;script&gt;" in card
    assert "prefers-color-scheme: dark" in card
    assert "With 95 % confidence" in card
    assert "laconic-card" not in machine()._repr_html_()


def test_shipped_tables_of_categories_work():
    X, y = load_credit(return_X_y=True, as_frame=True)
    model = machine("auto", features=["stumps", "literals"]).fit(X, y)
    assert model.score(X, y) > 0.85
    X, y = load_house_votes(return_X_y=True, as_frame=True)
    model = machine("conjunction", features=Literals(), max_rules=1).fit(X, y)
    assert str(model.rules_[0].describe(list(X.columns))) == "physician_fee_freeze is y"


def test_a_known_domain_needs_no_example():
    X, y = load_house_votes(return_X_y=True, as_frame=True)
    domain = {j: ["y", "n", "?"] for j in range(16)}
    known = machine(features=Literals(categories=domain), max_rules=1).fit(X, y)
    unknown = machine(features=Literals(), max_rules=1).fit(X, y)
    assert known.rules_ == unknown.rules_
    assert known.certificate_.compression_size == 0
    assert known.certificate_.risk_bound < unknown.certificate_.risk_bound


@pytest.mark.parametrize("family", [Literals, Conditions, Clauses])
def test_a_known_domain_may_be_told_by_name(family):
    X, y = load_house_votes(return_X_y=True, as_frame=True)
    domains = {name: ["y", "n", "?"] for name in X.columns[:4]}
    named = machine(features=family(categories=domains), max_rules=2).fit(X.iloc[:, :4], y)
    placed = machine(features=family(categories=dict(enumerate(domains.values()))), max_rules=2).fit(X.iloc[:, :4], y)
    assert named.hypothesis_ == placed.hypothesis_
    assert named.certificate_ == placed.certificate_
    assert named.certificate_.compression_size == 0
    with pytest.raises(ValueError, match="the column 'colour', and there is none of that name"):
        machine(features=family(categories={"colour": ["red"]})).fit(X, y)
    with pytest.raises(ValueError, match="list it by its position"):
        machine(features=family(categories=domains)).fit(np.zeros((4, 4)), [0, 1, 0, 1])


def test_float32_input_is_exact():
    X = np.random.default_rng(5).normal(size=(50, 2)).astype(np.float32)
    y = X[:, 0] > 0
    model = machine(penalty=np.inf).fit(X, y)
    assert (model.predict(X) == y).all()
    assert isinstance(model.rules_[0], Stump)
    assert model.rules_[0].threshold in X[:, 0].astype(float)


def test_columns_that_are_distances_to_rows_are_for_balls_alone():
    """A threshold on such a column would speak of a row that its certificate does not send."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2))
    distances = np.abs(X[:, None] - X).sum(axis=2)
    y = X[:, 0] > 0
    with pytest.raises(ValueError, match="Use balls alone"):
        machine(features=[Balls("precomputed"), "stumps"]).fit(distances, y)
    with pytest.raises(ValueError, match="Use balls alone"):
        SetCoveringClassifierCV(features=[Balls("precomputed"), "stumps"], cv=2).fit(distances, y)
    machine(features=[Balls("precomputed"), Balls("precomputed", radius="tight")]).fit(distances, y)
