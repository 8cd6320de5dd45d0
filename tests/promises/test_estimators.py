"""Every classifier promises what was declared, counted on its own rows outside the set; nothing is promised else."""

import copy
import csv
import json
import math
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score
from tests.oracles import promises as oracle

import laconic
from laconic import Promises
from laconic.certificates import SetApart
from laconic.exceptions import BadModelFile, CeilingNotMet

ALL = Promises(classes=True, rules=True, groups=3, costs=True, abstain=0.6)
KINDS = ("classes", "rules", "groups", "costs", "abstain")
NO_LINES = Promises(classes=True, groups=3, costs=True)


def table(n_classes=2, n_rows=160, seed=0):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(n_rows, 3)).round(2), rng.integers(3, size=n_rows)])
    y = (X[:, 0] > 0).astype(int) + (n_classes > 2) * (X[:, 1] > 0.5)
    return X, np.where(rng.random(n_rows) < 0.1, rng.integers(n_classes, size=n_rows), y)


BINARY = {
    "stumps": laconic.SetCoveringClassifier("disjunction", "stumps", penalty=0.6, max_rules=3),
    "the default": laconic.SetCoveringClassifier(),
    "by folds": laconic.SetCoveringClassifierCV(features=["stumps"], penalties=[1], max_rules=3, cv=2),
    "by the bound": laconic.SetCoveringClassifierCV(
        features=["stumps"], penalties=[1], max_rules=3, cv=2, select="bound", apart=0.5
    ),
    "soft": laconic.PACBayesSetCoveringClassifier(max_rules=2),
    "soft by folds": laconic.PACBayesSetCoveringClassifierCV(penalties=[1], margins=[0.1], max_rules=2, cv=2),
    "normal form": laconic.NormalFormClassifier(binarize=0.5, penalty=1.0, max_rules=3),
    "intersection": laconic.HalfspaceIntersectionClassifier(max_halfspaces=2, code="rows"),
    "pocket": laconic.PocketClassifier(2, random_state=0),
    "card": laconic.ScoreCardClassifier(max_terms=2, random_state=0),
    "card list": laconic.ScoreCardListClassifier(max_terms=2, cv=None, random_state=0),
    "rule list": laconic.RuleListClassifier(3, select="bound"),
    "decision list": laconic.DecisionListClassifier(binarize=0.5, penalty=2.0, max_rules=3),
    "neural list": laconic.NeuralDecisionListClassifier(max_halfspaces=2, code="rows"),
}
THREE = {name: BINARY[name] for name in ("card list", "rule list", "decision list", "neural list")}
WITHOUT_LINES = {
    "votes": laconic.RuleVoteClassifier(3, 4, random_state=0),
    "minimal": laconic.MinimalComplexityClassifier(),
    "table of points": laconic.ScoreTableClassifier(max_words=3, cv=None, random_state=0),
}
CASES = [(name, 2) for name in BINARY] + [(name, 3) for name in THREE]


def fit(estimator, wanted, n_classes=2):
    X, y = table(n_classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(estimator).set_params(promises=wanted).fit(X, y), X, y


@pytest.fixture(scope="module")
def fitted():
    made = {}

    def give(name, n_classes):
        if (name, n_classes) not in made:
            made[name, n_classes] = fit(BINARY[name], ALL, n_classes)
        return made[name, n_classes]

    return give


@pytest.mark.parametrize(("name", "n_classes"), CASES)
def test_the_figures_are_those_of_a_slow_count_on_the_rows_outside(fitted, name, n_classes):
    model, X, y = fitted(name, n_classes)
    certificate = model.certificate_
    held_out = isinstance(certificate.rests_on, SetApart)
    inside = set(model._encoding.rows.tolist())
    outside = model.apart_.tolist() if held_out else [row for row in range(len(y)) if row not in inside]
    (said,) = [one for one in certificate.statements if one is certificate.rests_on]
    m, d = said.n_samples, said.size
    price = said.message_nats
    if not held_out and type(said).__name__ == "SampleCompression":
        price += math.log(math.comb(m, d)) + math.log((d + 1) * (d + 2))
    labels, predicted, decided = y[outside], model.predict(X)[outside], deciding(model, X)[outside]
    expected = oracle.class_bounds(labels, predicted, n_classes, KINDS, price, 0.05)
    for code, (missed, _, wrong, _) in enumerate(expected):
        found = certificate.for_class(code)
        assert (found.missed.high, found.wrong_answers.high) == pytest.approx((missed, wrong), rel=1e-8)
    n_lines = len(model.rules_) + 1
    limits = oracle.line_bounds(labels, decided, n_lines, n_classes, KINDS, price, 0.05, unordered(model, held_out))
    for number, pairs in zip([*range(1, n_lines), None], limits, strict=True):
        chances = certificate.for_rule(number).chances
        assert [(one.low, one.high) for one in chances] == [pytest.approx(pair, abs=1e-8) for pair in pairs]
    share = oracle.share_of("groups", KINDS, 3, price, 0.05)
    for value in range(3):
        here = X[outside, 3] == value
        error = oracle.upper(int((labels != predicted)[here].sum()), int(here.sum()), share)
        assert certificate.by_group(value).high == pytest.approx(error, rel=1e-8)


def unordered(model, held_out):
    """Rules of a set, and those of a list that answer the same one after the other, are sent without their order."""
    answers = [line["prediction"] for line in model.get_rules()]
    if held_out:
        return [1] * len(answers)
    runs = []
    for place, answer in enumerate(answers):
        if place and answer == answers[place - 1]:
            runs[-1] += 1
        else:
            runs.append(1)
    return runs


def deciding(model, X):
    """Which line decides each row, as `explain` says."""
    found = [line["position"] for line in model.explain(X)]
    return np.array([len(model.rules_) if place is None else place - 1 for place in found])


@pytest.mark.parametrize(("name", "n_classes"), CASES)
def test_the_most_likely_class_is_the_answer_and_limits_are_those_of_the_line(fitted, name, n_classes):
    model, X, _ = fitted(name, n_classes)
    chances = model.predict_proba(X)
    assert (model.classes_[chances.argmax(axis=1)] == model.predict(X)).all()
    assert chances.sum(axis=1) == pytest.approx(1.0)
    limits = model.predict_proba_interval(X)
    assert limits.shape == (len(X), n_classes, 2)
    lines = [model.certificate_.for_rule(number) for number in (*range(1, len(model.rules_) + 1), None)]
    decided = deciding(model, X)
    for row in range(0, len(X), 7):
        assert limits[row].tolist() == [[one.low, one.high] for one in lines[decided[row]].chances]
    answering = model.certificate_.answered().lines
    assert model.answers(X).tolist() == [answering[line] for line in decided]


@pytest.mark.parametrize(("name", "n_classes"), [("stumps", 2), ("rule list", 3)])
def test_shares_of_a_line_are_laplaces(fitted, name, n_classes):
    model, X, y = fitted(name, n_classes)
    decided = deciding(model, X)
    for row in range(0, len(X), 11):
        here = y[decided == decided[row]]
        shares = [(np.sum(here == c) + 1) / (len(here) + n_classes) for c in range(n_classes)]
        if np.argmax(shares) == model.predict(X[row : row + 1])[0]:
            assert model.predict_proba(X[row : row + 1])[0] == pytest.approx(shares)


def test_an_answer_that_weights_chose_is_ahead_of_what_most_rows_have():
    X, y = np.zeros((10, 1)), np.array([0] * 6 + [1] * 4)
    X[-1] = 1
    model = laconic.SetCoveringClassifier("conjunction", "stumps", penalty=1.0, class_weight={0: 1, 1: 9}).fit(X, y)
    chances = model.predict_proba(X)
    assert (model.predict(X)[:-1] == 1).all()
    assert (chances[:, 1] > 0.5).all()


@pytest.mark.parametrize("name", WITHOUT_LINES)
def test_models_without_lines_promise_the_rest(name):
    model, *_ = fit(WITHOUT_LINES[name], NO_LINES)
    promised = model.certificate_.promised
    assert promised.kinds == ("classes", "groups", "costs")
    assert model.certificate_.for_class(1).missed.high < 1.0
    with pytest.raises(ValueError, match="No single line decides.*how often each answer is right.*abstain"):
        fit(WITHOUT_LINES[name], ("rules",))


def test_votes_of_all_rows_promise_nothing_else():
    with pytest.raises(ValueError, match=r"without rows set apart \(apart=0\)"):
        fit(laconic.RuleVoteClassifier(3, 4, apart=0, random_state=0), ("classes",))


# ---- the machine that was chosen


def holes(n_classes=2, n_rows=240):
    """Rows some of which lack a value."""
    X, y = table(n_classes, n_rows)
    X[np.random.default_rng(1).random(X.shape) < 0.04] = np.nan
    return X, y


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_default_promises_by_line_on_the_rows_set_apart(n_classes, tmp_path):
    X, y = table(n_classes, 240)
    model = laconic.LaconicClassifier(3, promises=ALL).fit(X, y)
    tried = {each.machine: each.why_not for each in model.candidates_}
    assert tried["kernels"] == tried["score table"] == "no single line decides"
    apart, certificate = model.apart_, model.certificate_
    decided, n_lines = deciding(model, X), len(model.rules_) + 1
    limits = oracle.line_bounds(y[apart], decided[apart], n_lines, n_classes, KINDS, 0.0, 0.05, [1] * (n_lines - 1))
    assert limits == [
        [pytest.approx((one.low, one.high), abs=1e-8) for one in certificate.for_rule(number).chances]
        for number in (*range(1, n_lines), None)
    ]
    notes = [entry.words for entry in model.card().entries if entry.words.startswith("Promised, too")]
    assert notes == [f"Promised, too: {line}." for line in certificate.promise_lines()]
    found = model.predict_proba_interval(X)
    assert found.tolist() == [[list(each) for each in pairs(certificate, line, n_lines)] for line in decided]
    assert model.answers(X).tolist() == [certificate.answered().lines[line] for line in decided]
    model.save(tmp_path / "model.json")
    again = laconic.load(tmp_path / "model.json")
    assert again.predict_proba_interval(X).tolist() == found.tolist()
    assert again.predict_proba(X).tolist() == model.predict_proba(X).tolist()


def pairs(certificate, line, n_lines):
    return [(one.low, one.high) for one in certificate.for_rule(None if line == n_lines - 1 else line + 1).chances]


class Linear(laconic.LaconicClassifier):
    """Has but one machine to choose from, which needs every value."""

    _portfolio = tuple(entry for entry in laconic.LaconicClassifier._by_bound if entry.name == "linear")


class Pocket(laconic.LaconicClassifier):
    _portfolio = tuple(entry for entry in laconic.LaconicClassifier._by_bound if entry.name == "pocket")


def test_rows_that_the_machine_cannot_read_have_no_line_and_the_shares_of_all():
    X, y = holes()
    model = Pocket(promises=ALL).fit(X, y)
    lacking = np.isnan(X).any(axis=1)
    chose = np.setdiff1d(np.arange(len(y)), model.apart_)
    shares = (np.bincount(y[chose]) + 1) / (len(chose) + 2)
    assert model.predict_proba(X)[lacking] == pytest.approx(np.tile(shares, (lacking.sum(), 1)))
    assert (model.predict_proba_interval(X)[lacking] == [0.0, 1.0]).all()
    assert not model.answers(X)[lacking].any()
    lines = np.array(model.certificate_.promised.lines)
    assert lines.sum() == (~lacking)[model.apart_].sum()
    assert (model.predict_proba(X).argmax(axis=1) == model.predict(X)).all()
    assert model.predict_proba(X[~lacking]).tolist() == model.predict_proba(X)[~lacking].tolist()


def test_sums_give_the_shares_of_their_answers(tmp_path):
    X, y = table(3)
    weights = np.random.default_rng(0).integers(1, 4, size=len(y)).astype(float)
    model = laconic.MinimalComplexityClassifier().fit(X, y, weights)
    answers, chances = model.predict(X), model.predict_proba(X)
    for answer in np.unique(answers):
        here = answers == answer
        sums = np.bincount(y[here], weights[here], minlength=3)
        assert chances[here] == pytest.approx(np.tile((sums + 1) / (sums.sum() + 3), (here.sum(), 1)))
    assert (chances.argmax(axis=1) == answers).all()
    model.save(tmp_path / "model.json")
    assert laconic.load(tmp_path / "model.json").predict_proba(X).tolist() == chances.tolist()
    assert not hasattr(model, "predict_proba_interval")


def test_every_learner_of_classes_has_shares_or_says_why_not():
    X, y = table(n_rows=80)
    for estimator in [*BINARY.values(), *WITHOUT_LINES.values(), laconic.MarginPerceptronClassifier(3), Linear()]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = clone(estimator).fit(X, y)
        chances = model.predict_proba(X)
        assert chances.shape == (len(X), 2)
        assert chances.sum(axis=1) == pytest.approx(1.0)
        assert (model.classes_[chances.argmax(axis=1)] == model.predict(X)).all()
    with pytest.raises(AttributeError) as refused:
        laconic.NeuralDecisionListClassifier(dichotomies=True, max_halfspaces=1).fit(*table(3)).predict_proba(X)
    assert "No single line decides" in str(refused.value.__cause__)


def test_ceilings_choose_where_the_bound_does():
    X, y = table(n_rows=600)
    loose = laconic.LaconicClassifier(3, select="bound", promises=("classes",)).fit(X, y)
    cost = Promises(costs={1: {0: 30.0}, 0: {1: 1.0}})
    dear = laconic.LaconicClassifier(3, select="bound", promises=cost).fit(X, y)
    confusion = np.array(dear.certificate_.promised.confusion)
    assert confusion[1, 0] <= np.array(loose.certificate_.promised.confusion)[1, 0]
    with pytest.raises(CeilingNotMet):
        laconic.LaconicClassifier(3, select="bound", promises=Promises(ceilings={1: 0.001})).fit(X, y)


def test_the_chosen_machine_by_the_bound_pays_for_the_choice_in_every_promise():
    model, *_ = fit(laconic.LaconicClassifier(2, select="bound"), ("classes",))
    (statement,) = model.certificate_.statements
    assert statement.among > 1
    plain = statement.statement
    price = math.fsum(nats for _, nats in plain.paid()) + math.log(statement.among)
    missed = model.certificate_.for_class(1).missed
    assert missed.high == pytest.approx(oracle.upper(missed.events, missed.rows, 0.05 / 8 * math.exp(-price)))


def test_nothing_is_promised_where_nothing_was_declared():
    for name in ("stumps", "rule list"):
        model, X, y = fit(BINARY[name], None)
        other = clone(BINARY[name]).fit(X, y)
        assert model.certificate_ == other.certificate_
        assert model.certificate_.promised is None
        with pytest.raises(ValueError, match="Declare it before fitting"):
            model.predict_proba_interval(X)
        with pytest.raises(ValueError, match="Declare it before fitting"):
            model.answers(X)


def test_dichotomies_have_no_deciding_line():
    X, y = table(3)
    model = laconic.NeuralDecisionListClassifier(max_halfspaces=1, dichotomies=True)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(ValueError, match="No single line decides"):
        model.set_params(promises=("rules",)).fit(X, y)
    model.set_params(promises=("classes",)).fit(X, y)
    assert len(model.certificate_.promised.labels) == 3
    assert all(one.certificate_.promised is None for one in model.lists_)


def test_theorem_two_alone_refuses_before_it_promises():
    with pytest.raises(ValueError, match="Nothing beside the error"):
        fit(laconic.PACBayesSetCoveringClassifier(refine=False, margin=0.4, max_rules=1), ("classes",))


# ---- groups


def test_groups_by_name_with_missing_values():
    X, y = table()
    frame = pd.DataFrame(X, columns=["a", "b", "c", "g"])
    frame["sex"] = np.where(X[:, 3] == 0, None, np.where(X[:, 3] == 1, "f", "m"))
    wanted = Promises(groups="sex")
    model = laconic.SetCoveringClassifier("conjunction", ["stumps", "literals"], penalty=1.0, promises=wanted)
    certificate = model.fit(frame, y).certificate_
    assert certificate.promised.groups == ("f", "m", None)
    rows = [certificate.by_group(value).rows for value in ("f", "m", None)]
    assert sum(rows) == len(y) - certificate.compression_size
    assert certificate.by_group("x").high == 1.0
    assert certificate.by_group(float("nan")) == certificate.by_group(None)
    assert "group f: the error" in model.to_text()
    assert "group without a value" in model.to_text()


@pytest.mark.parametrize(
    ("wanted", "match"),
    [
        (Promises(groups="sex"), "have no names"),
        (Promises(groups=17), "there are 4"),
        (Promises(groups=0), "at most 100"),
        (Promises(ceilings={"ill": 0.1}), "there are \\[0, 1\\]"),
        (Promises(costs={0: {7: 1}}), "name the class 7"),
        (Promises(costs=[[0, 1, 2]]), "2 rows and columns"),
        (Promises(costs=[[0, np.inf], [1, 0]]), "finite"),
        (("groups",), "by which column"),
        ("everything", "names out of"),
    ],
)
def test_what_does_not_fit_the_table_is_refused_before_any_work(wanted, match):
    with pytest.raises(ValueError, match=match):
        fit(BINARY["stumps"], wanted)


def test_the_page_has_the_figures_of_the_benchmark():
    root = Path(__file__).parents[2]
    page = (root / "docs" / "promises.md").read_text(encoding="utf-8")
    with open(root / "benchmarks" / "results" / "promises-mapie.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    ours, own, logistic = ("laconic", "MAPIE, our probabilities", "MAPIE, logistic regression")
    for row in lines:
        figures = " | ".join(f"{float(row[name]):.2f}" for name in (ours, own, logistic))
        assert f"| {row['data']} | {row['rows']} | {figures} |" in page
    wins = [sum(float(row[ours]) < float(row[name]) for row in lines) for name in (own, logistic)]
    assert wins == [9, 6]
    assert "smaller on nine" in page
    assert "it is smaller on six" in page


# ---- ceilings and costs


def test_a_ceiling_that_cannot_be_met_is_refused_with_what_would_be_needed():
    X, y = table()
    model = laconic.SetCoveringClassifier("conjunction", "stumps", penalty=1.0, promises=Promises(ceilings={1: 0.02}))
    with pytest.raises(
        CeilingNotMet, match=r"At most 2 % of the rows of class 1 may be missed, and at most .* is what"
    ):
        model.fit(X, y)
    with pytest.raises(AttributeError):
        model.predict(X)
    with pytest.raises(CeilingNotMet, match="would be needed"):
        model.set_params(promises=Promises(ceilings={1: 0.2})).fit(X, y)
    with pytest.raises(CeilingNotMet, match="never to happen"):
        model.set_params(promises=Promises(ceilings={1: 0})).fit(X, y)


def chosen(**promises):
    X, y = table(n_rows=1500)
    model = laconic.SetCoveringClassifierCV(
        features=["stumps"],
        penalties=[0.05, 0.25, 1, 4, 20],
        max_rules=3,
        select="bound",
        promises=Promises(**promises) if promises else None,
    )
    return model.fit(X, y)


def test_a_ceiling_steers_the_choice_and_the_rest_has_as_few_false_alarms_as_can_be():
    plain = chosen(classes=True)
    free = plain.certificate_.for_class(1).missed.high
    ceiling = 0.75 * free
    strict = chosen(ceilings={1: ceiling})
    assert strict.certificate_.for_class(1).missed.high <= ceiling
    assert strict.best_score_ == strict.certificate_.for_class(0).missed.high
    loose = chosen(ceilings={1: 0.95})
    assert loose.certificate_.for_class(0).missed.high <= strict.certificate_.for_class(0).missed.high
    with pytest.raises(CeilingNotMet):
        chosen(ceilings={1: 0.01})


def test_a_cost_steers_the_choice():
    costs = {1: {0: 20}, 0: {1: 1}}
    dear, error = chosen(costs=costs), chosen(costs=True)
    assert dear.best_score_ == dear.certificate_.cost()
    assert dear.certificate_.cost() < error.certificate_.cost(costs)
    confusion = np.array(dear.certificate_.promised.confusion)
    assert confusion[1, 0] < confusion[0, 1]


def test_choosing_by_what_was_declared_costs_nothing_more_than_choosing_by_the_error():
    assert chosen(costs=[[0, 1], [9, 0]]).certificate_.message_nats == pytest.approx(
        chosen(classes=True).certificate_.message_nats, abs=3.0
    )


# ---- what people see, and keep


def test_card_explanation_and_file_say_what_is_promised(tmp_path, fitted):
    model, X, _ = fitted("rule list", 3)
    text = model.to_text()
    assert "Promised at the same time:" in text
    for number in range(1, len(model.rules_) + 1):
        assert f"rule {number} (" in text
    assert "of its rows are missed" in model.card().to_html()
    assert "Promised at the same time" in model.certificate_.explain()
    model.save(tmp_path / "model.json")
    again = laconic.load(tmp_path / "model.json")
    assert again.certificate_ == model.certificate_
    assert again.promises == model.promises
    assert again.predict_proba(X).tolist() == model.predict_proba(X).tolist()
    assert again.predict_proba_interval(X).tolist() == model.predict_proba_interval(X).tolist()
    assert again.answers(X).tolist() == model.answers(X).tolist()
    assert clone(again).promises == model.promises


def test_weights_are_kept_for_shares(tmp_path):
    X, y = table()
    weights = np.random.default_rng(0).integers(0, 4, size=len(y)).astype(float)
    model = clone(BINARY["stumps"]).fit(X, y, weights)
    model.save(tmp_path / "model.json")
    assert laconic.load(tmp_path / "model.json").predict_proba(X).tolist() == model.predict_proba(X).tolist()


def test_a_file_with_other_promises_is_refused(tmp_path, fitted):
    model, *_ = fitted("stumps", 2)
    for spoil in (spoil_share, spoil_lines, spoil_kinds):
        other = copy.copy(model)
        other.certificate_ = spoil(model.certificate_)
        with pytest.raises(BadModelFile):
            other.save(tmp_path / "model.json")  # what cannot be opened is not written


def spoil_share(certificate):
    return replace(certificate, promised=None)  # the error would have half of delta for nothing


def spoil_lines(certificate):
    promised = certificate.promised
    one_less = {name: getattr(promised, name)[1:] for name in ("answers", "lines")}
    return replace(certificate, promised=replace(promised, runs=(len(promised.lines) - 2,), **one_less))


def spoil_kinds(certificate):
    promised = copy.copy(certificate.promised)
    object.__setattr__(promised, "kinds", ("classes", "classes"))
    return replace(certificate, promised=promised)


def test_parameters_of_all_kinds_come_back(tmp_path):
    X, y = table()
    wanted = Promises(costs={1: {0: 5.0}, 0: {1: 1.0}}, ceilings={1: 0.9}, groups=3, abstain=0.5)
    model = clone(BINARY["stumps"]).set_params(promises=wanted).fit(X, y)
    model.save(tmp_path / "model.json")
    assert laconic.load(tmp_path / "model.json").promises == wanted
    assert json.loads((tmp_path / "model.json").read_text())["parameters"]["promises"]["type"] == "promises"


def test_soft_voting_calibration_and_roc_curves_work():
    X, y = table(n_rows=300)
    model = laconic.SetCoveringClassifier("disjunction", "stumps", penalty=0.6, max_rules=3)
    assert roc_auc_score(y, model.fit(X, y).predict_proba(X)[:, 1]) > 0.7
    vote = VotingClassifier([("a", model), ("b", laconic.RuleListClassifier(2, select=None))], voting="soft")
    assert vote.fit(X, y).score(X, y) > 0.7
    for estimator in (laconic.RuleListClassifier(2, select=None), laconic.LaconicClassifier(2)):
        calibrated = CalibratedClassifierCV(estimator, cv=2).fit(X, y)
        assert calibrated.predict_proba(X).shape == (300, 2)
    chosen = laconic.LaconicClassifier(2)
    assert hasattr(chosen, "predict_proba")
    with pytest.raises(NotFittedError):
        chosen.predict_proba(X)
    assert roc_auc_score(y, chosen.fit(X, y).predict_proba(X)[:, 1]) > 0.7
    both = VotingClassifier([("a", model), ("b", laconic.LaconicClassifier(2))], voting="soft")
    assert both.fit(X, y).score(X, y) > 0.7
