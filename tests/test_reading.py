"""What a fitted model says of itself: reasons, rules as data, cards, and the majority beside the bound."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression

from laconic import (
    Certified,
    DecisionListClassifier,
    MinimalComplexityClassifier,
    NeuralDecisionListClassifier,
    NormalFormClassifier,
    SetCoveringClassifier,
    load,
)
from laconic._reading import MOST_LINES
from laconic._table import as_table
from laconic.certificates import Certificate, SampleCompression
from laconic.covering import Clauses
from laconic.rules import Clause, Literal, Stump, Term
from tests.model_files.catalogue import CASES, NAMES, fitted

# ---- rules as data


def native(value):
    if isinstance(value, dict):
        return all(type(key) is str and native(each) for key, each in value.items())
    if isinstance(value, list | tuple):
        return all(map(native, value))
    return value is None or type(value) in (bool, int, float, str)


@pytest.mark.parametrize("name", NAMES)
def test_rules_and_reasons_can_be_written_as_json(name):
    model, rows = fitted(name)
    for said in (model.get_rules(), model.explain(rows)):
        assert native(said)
        assert json.loads(json.dumps(said, allow_nan=False)) == json.loads(json.dumps(said))


def test_a_rule_that_decides_nothing_has_no_precision():
    model = DecisionListClassifier().fit([[1, 0], [0, 1], [0, 0]], [0, 1, 1])
    model._support[0], model._right[0] = 0, 0
    assert model.get_rules()[0]["precision"] is None


HOLDS = {
    ">": lambda x, value: x > value,
    "<=": lambda x, value: x <= value,
    "is": lambda x, value: x is not None and x == value,
    "is not": lambda x, value: x is not None and x != value,
}


def holds(line, row, names):
    """Read the facts of a rule as a program would that has nothing else."""
    if line["column"] is not None:
        value = row[line["column"] if names is None else names.index(line["column"])]
        missing = value is None or value != value
        return not missing and HOLDS[line["operator"]](value, line["value"])
    parts = line["parts"]
    if "any" in parts or "all" in parts:
        (word, literals) = next(iter(parts.items()))
        return (any if word == "any" else all)(holds(each, row, names) for each in literals)
    if "weights" in parts:
        place = (lambda column: column) if names is None else names.index
        return sum(each["weight"] * row[place(each["column"])] for each in parts["weights"]) + parts["bias"] > 0
    centre = [each["value"] for each in parts["center"]]
    radius = parts["radius"] if "radius" in parts else (parts["inner"] + parts["outer"]) / 2
    scale = np.exp2(parts.get("scale") or [0.0] * len(centre))
    order = {"euclidean": 2, "manhattan": 1}[parts["metric"]]
    return (np.linalg.norm((np.array(row) - centre) * scale, order) <= radius) == parts["inside"]


SCM = ["scm_stumps", "scm_bins", "scm_balls", "scm_mixed", "scm_clauses", "pac_bayes"]
FORMS = ["normal_form", "normal_form_binarized", "decision_list", "decision_list_terms"]
LINEAR = ["intersection", "union", "neural_list", "perceptron", "pocket"]


@pytest.mark.parametrize("name", [*SCM, *FORMS, *LINEAR])
def test_the_facts_say_all_that_a_rule_does(name):
    model, rows = fitted(name)
    names = list(model.feature_names_in_) if hasattr(model, "feature_names_in_") else None
    for rule, line in zip(model.rules_, model.get_rules(), strict=True):
        plain = rows.astype(object).to_numpy() if hasattr(rows, "columns") else rows
        said = [bool(holds(line, list(row), names)) for row in plain]
        assert said == rule.evaluate(rows).tolist()


def test_no_digit_of_a_threshold_is_cut():
    X = [[1 / 3], [2 / 3], [1.0]]
    (line,) = SetCoveringClassifier("conjunction", "stumps", penalty=1.0).fit(X, [0, 1, 1]).get_rules()
    assert line["rule"] == "x0 > 0.333333…"
    assert (line["column"], line["operator"], line["value"]) == (0, ">", 1 / 3)


def test_the_terms_of_a_sum_are_data_too():
    model, _ = fitted("mcm")
    assert [line["column"] for line in model.get_rules()] == ["width, cm", "height", None]
    model, _ = fitted("mcm_poly")
    line = model.get_rules()[0]
    assert line["kernel"] == "poly"
    assert [each["value"] for each in line["point"]] in [list(point) for point in model.hypothesis_.points]


# ---- missing values


FRAME = pd.DataFrame({"age": [60.0, 40.0, np.nan, 70.0], "side": ["left", "right", "left", None]})


def test_a_negation_says_that_there_must_be_a_value():
    assert Literal(1, True, "left").describe(["age", "side"]) == "side is known and not left"
    assert Literal(0, True).describe(["smoker"]) == "smoker is false"
    assert Literal(0).describe(["smoker"]) == "smoker is true"
    assert Term((Literal(0), Literal(1, True))).describe() == "(x0 is true and x1 is false)"


def reasons(model, frame=FRAME):
    return [line["reason"] for line in model.explain(frame)]


def conjunction():
    X = pd.DataFrame({"age": [60.0, 70.0, 20.0, 30.0], "side": ["left", "right", "left", "right"]})
    return SetCoveringClassifier("conjunction", ["stumps", "literals"], penalty=1.0).fit(X, [1, 1, 0, 0])


def test_a_row_ruled_out_by_a_missing_value_says_so():
    model = conjunction()
    assert model.rules_ == (Stump(0, 30.0, True),)
    young = FRAME.assign(age=[60.0, 20.0, np.nan, 70.0])
    assert reasons(model, young) == [
        "every rule holds",
        "age > 30 does not hold",
        "age is missing, so age > 30 does not hold",
        "every rule holds",
    ]


def test_where_no_rule_holds_the_missing_values_of_all_rules_are_named():
    X = pd.DataFrame({"age": [60.0, 20.0, 20.0, 30.0, 25.0], "side": ["left", "right", "left", "left", "left"]})
    model = SetCoveringClassifier("disjunction", ["stumps", "literals"], penalty=1.0).fit(X, [1, 1, 0, 0, 0])
    assert set(model.rules_) == {Stump(0, 30.0, True), Literal(1, False, "right")}
    new = pd.DataFrame({"age": [np.nan, np.nan, 20.0, 20.0, 60.0], "side": ["left", None, None, "left", None]})
    assert [text.partition("(")[2] for text in reasons(model, new)[2:4]] == ["side is missing)", ""]
    assert reasons(model, new)[0] == "no rule holds (age is missing)"
    assert sorted(reasons(model, new)[1][15:].rstrip(")").split(" are ")[0].split(", ")) == ["age", "side"]
    assert reasons(model, new)[4] == "age > 30 holds"  # whatever the side was, the answer is the same


def test_a_list_says_which_earlier_rule_a_missing_value_passed_by():
    frame = pd.DataFrame({"fever": [True, True, False, False, False], "cough": [False, True, True, True, False]})
    model = DecisionListClassifier().fit(frame, ["bed", "bed", "tea", "tea", "out"])
    assert [str(rule) for rule in model.rules_] == ["x0 is true", "x1 is true"]
    new = pd.DataFrame({"fever": [None, None, True, False], "cough": [True, None, None, None]}, dtype=object)
    assert reasons(model, new) == [
        "cough is true holds (fever is missing)",
        "no rule holds (fever, cough are missing)",
        "fever is true holds",
        "no rule holds (cough is missing)",
    ]


def missed(rule, rows):
    """Return the columns by which a rule fails in each row."""
    table = as_table(np.array(rows, dtype=float))
    found = [set() for _ in rows]
    for column, mask in rule.missed(table):
        for row in np.flatnonzero(mask):
            found[row].add(column)
    return found


def test_clauses_and_terms_fail_by_what_could_have_made_them_hold():
    nan, either, both = np.nan, Clause((Literal(0), Literal(1))), Term((Literal(0), Literal(1)))
    rows = [[nan, 0], [nan, 1], [nan, nan], [0, 0]]
    assert missed(either, rows) == [{0}, set(), {0, 1}, set()]
    assert missed(both, rows) == [set(), {0}, {0, 1}, set()]
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    model = SetCoveringClassifier("conjunction", Clauses(2), penalty=1.0).fit(X, [0, 1, 1, 1])
    assert [line["reason"] for line in model.explain([[nan, 0.0], [nan, 1.0]])] == [
        "x0 is missing, so (x0 is true or x1 is true) does not hold",
        "every rule holds",
    ]


def test_many_missing_columns_are_counted():
    flags = np.eye(8)
    model = DecisionListClassifier().fit(np.vstack([flags, np.zeros((9, 8))]), [1] * 8 + [0] * 9)
    (line,) = model.explain(np.full((1, 8), np.nan))
    assert line["reason"] == "no rule holds (x0, x1, x2, x3, x4 and 3 more are missing)"


# ---- cards


def test_a_position_is_the_number_on_the_card():
    for name in ("scm_stumps", "decision_list", "intersection"):
        model, rows = fitted(name)
        for line in model.explain(rows):
            assert (line["position"] is None) == (line["rule"] is None)
            if line["position"] is not None:
                assert line["rule"] == model.get_rules()[line["position"] - 1]["rule"]
                assert f"  {line['position']}. " in model.rules_text()


def test_one_row_is_no_rows():
    X = [[1, 0], [1, 1], [0, 1], [0, 0]]
    text = DecisionListClassifier().fit(X, ["stay", "stay", "go", "stay"]).rules_text()
    assert "1 rows" not in text
    assert text.count("1 row ") == 2
    statement = SampleCompression(2, 1, 1, 0.0)
    assert statement.counted() == "1 of the 1 row that it is not rebuilt from is wrong"
    assert (
        Certificate(0.5, 0.05, 0.0, 1, 0, 0.0, "none")
        .summary()
        .startswith("Training error: 0 % of 1 row is misclassified;")
    )


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(0)
    return rng.normal(size=(400, 3)), rng.integers(0, 2, 400)


def long_models(X, y):
    flags = np.eye(80)
    few, answers = X[:120], y[:120]
    yield SetCoveringClassifier(features="balls", penalty=np.inf, max_rules=None).fit(X, y)
    yield DecisionListClassifier().fit(np.vstack([flags, np.zeros((9, 80))]), [1, 2] * 40 + [0] * 9)
    yield NormalFormClassifier("dnf").fit(np.vstack([flags, np.zeros((99, 80))]), [1] * 80 + [0] * 99)
    yield MinimalComplexityClassifier(kernel="rbf", max_support=60).fit(few, answers)
    yield MinimalComplexityClassifier(kernel="rbf", max_support=60).fit(few, np.arange(120) % 4)
    yield NeuralDecisionListClassifier(dichotomies=True).fit(few, np.arange(120) % 4)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_card_stays_a_card(many):
    for model in long_models(*many):
        n_sums = max(len(getattr(model, "lists_", ())), len(getattr(model.hypothesis_, "models", ())), 1)
        text = model.rules_text()
        assert len(model.get_rules()) > MOST_LINES
        assert len(text.splitlines()) <= MOST_LINES + 5 * n_sums + 2
        assert text.count("more; get_rules() lists all") == n_sums
        assert model._repr_html_().count("<tr>") <= MOST_LINES + 4 * n_sums + 2
        assert "more; get_rules() lists all" in model._repr_html_()
        last = [line for line in text.splitlines() if not line.startswith("Counted on ")][-1]
        assert last.startswith(("all hold", "none holds", "else")) or last.strip(" -…").replace(".", "").isdigit()


def test_the_number_left_out_is_right():
    model = DecisionListClassifier().fit(np.vstack([np.eye(80), np.zeros((9, 80))]), [1, 2] * 40 + [0] * 9)
    shown = sum(line.lstrip()[:1].isdigit() for line in model.rules_text().splitlines())
    assert f"… and {len(model.rules_) - shown} more; get_rules() lists all" in model.rules_text()


def test_a_centre_of_many_columns_does_not_fill_the_card():
    X = np.random.default_rng(0).normal(size=(60, 700))
    text = SetCoveringClassifier("conjunction", "balls", penalty=1.0).fit(X, X[:, 0] > 0).rules_text()
    assert len(text.splitlines()) <= MOST_LINES + 4


# ---- the majority beside the bound


@pytest.mark.parametrize("name", [name for name in CASES if not name.startswith(("regressor", "short_sum"))])
def test_every_classifier_says_what_the_majority_gets_wrong(name):
    model, _ = fitted(name)
    _, counts = np.unique(CASES[name][2], return_counts=True)
    assert model.certificate_.majority_error == pytest.approx(1 - counts.max() / counts.sum())
    assert "by always answering their most frequent class" in model.certificate_.summary()
    if hasattr(model, "gibbs_certificate_"):
        assert model.gibbs_certificate_.majority_error == model.certificate_.majority_error


def test_numbers_have_no_majority():
    certificate = fitted("regressor")[0].certificate_
    assert certificate.majority_error is None
    assert "frequent" not in certificate.summary() + str(certificate)


def test_a_bound_that_is_not_below_the_majority_says_so():
    certificate = Certificate(0.3, 0.05, 0.2, 90, 2, 9.1, "sample compression", majority_error=0.345)
    assert "frequent" not in str(certificate)
    for bound in (0.345, 0.4):
        assert "not below the 34.5 % of these rows that always answering" in str(replace(certificate, risk_bound=bound))
    assert str(replace(certificate, risk_bound=1.0)).startswith("No useful bound")


def test_a_choice_and_another_delta_keep_the_majority():
    certificate = fitted("scm_stumps")[0].certificate_
    assert certificate.one_of(3).majority_error == certificate.at(0.2).majority_error == certificate.majority_error


def test_files_keep_the_majority_and_old_ones_have_none(tmp_path):
    from tests.golden.write_models import FOLDER

    model = fitted("scm_stumps")[0]
    model.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json").certificate_ == model.certificate_
    assert load(FOLDER / "scm_stumps.v1.json").certificate_.majority_error is None
    assert load(FOLDER / "scm_stumps.v2.json").certificate_.majority_error == model.certificate_.majority_error


# ---- Certified


def test_certified_has_a_card():
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = Certified(LogisticRegression(C=10)).fit(X, X[:, 0] > 0.4)
    text = model.to_text()
    assert text.startswith("LogisticRegression(C=10)\ntrained on ")
    assert f"trained on {len(model.picks_)} of 60 rows" in text
    assert str(model.certificate_)[:60] in text
    assert all(len(line) <= 80 for line in text.splitlines())
    card = model._repr_html_()
    assert "laconic-card" in card
    assert "LogisticRegression(C=10)" in card
    assert f"trained on {len(model.picks_)} of 60 rows" in card
    assert "laconic-card" not in Certified(LogisticRegression())._repr_html_()
    assert model.certificate_.majority_error == pytest.approx(min((X[:, 0] > 0.4).mean(), (X[:, 0] <= 0.4).mean()))


def test_certified_regressors_have_no_majority():
    X = np.arange(40.0)[:, None]
    model = Certified(LinearRegression(), tolerance=1.0).fit(X, X[:, 0])
    assert model.certificate_.majority_error is None
    assert "LinearRegression()" in model.to_text()


def test_certified_counts_one_row_set_apart():
    model = Certified(DummyClassifier(), seed_size=1).fit(np.zeros((30, 1)), [0, 1] * 15)
    assert "It starts from 1 row set apart at random, " in model.certificate_.summary()
