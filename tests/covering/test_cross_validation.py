"""The machine that chooses: against fitting every combination by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import KFold, StratifiedKFold

from laconic import SetCoveringClassifier, SetCoveringClassifierCV
from laconic.covering import Balls, Stumps
from laconic.covering.core._problem import weigh_wrong
from laconic.datasets import load_breast_cancer_wisconsin, load_glass2
from laconic.exceptions import NoConsistentConcept


@pytest.fixture(scope="module")
def glass():
    return load_glass2(return_X_y=True)


def errors_by_hand(X, y, form, features, penalty, n_rules, splits):
    """Fit one combination on each fold and count errors on the rest."""
    wrong = 0
    for train, test in splits:
        if n_rules == 0:
            classes, counts = np.unique(y[train], return_counts=True)
            wrong += (y[test] != classes[np.argmax(counts)]).sum()
        else:
            model = SetCoveringClassifier(form, features, penalty=penalty, max_rules=n_rules)
            wrong += (model.fit(X[train], y[train]).predict(X[test]) != y[test]).sum()
    return wrong


def test_every_score_is_what_fitting_by_hand_gives(glass):
    X, y = glass
    cv = KFold(4, shuffle=True, random_state=0)
    model = SetCoveringClassifierCV(features=["balls", "stumps"], penalties=[0.7, 2.0], max_rules=3, cv=cv).fit(X, y)
    results = pd.DataFrame(model.cv_results_)
    assert len(results) == 2 * 2 * 2 * 4
    splits = list(cv.split(X))
    for row in results.sample(14, random_state=1).itertuples():
        wrong = errors_by_hand(X, y, row.form, row.features, row.penalty, row.n_rules, splits)
        assert row.score == pytest.approx(wrong / len(y))


def test_the_choice_is_the_smallest_score_with_the_fewest_rules(glass):
    model = SetCoveringClassifierCV(features=["balls", "stumps"], penalties=[0.7, 2.0], max_rules=4, cv=4).fit(*glass)
    results = pd.DataFrame(model.cv_results_)
    best = results[results.score == results.score.min()].sort_values("n_rules", kind="stable").iloc[0]
    assert model.best_score_ == best.score
    assert model.best_params_ == {
        "form": best.form,
        "features": best.features,
        "penalty": best.penalty,
        "max_rules": best.n_rules,
    }


def test_the_chosen_machine_is_the_plain_one_and_pays_for_the_choice(glass):
    X, y = glass
    chosen = SetCoveringClassifierCV(features=["balls", "stumps"], penalties=[0.7, 2.0], max_rules=4, cv=4).fit(X, y)
    plain = SetCoveringClassifier(**chosen.best_params_).fit(X, y)
    assert chosen.rules_ == plain.rules_
    assert (chosen.predict(X) == plain.predict(X)).all()
    paid = chosen.certificate_.message_nats - plain.certificate_.message_nats
    assert paid == pytest.approx(math.log(2 * 2))
    assert len(list(chosen.staged_predict(X))) == chosen.best_params_["max_rules"]


def test_selection_by_the_bound_finds_the_smallest_bound(glass):
    X, y = glass
    grid = {"features": [Stumps(), Balls()], "penalties": [0.5, 1.0, 3.0], "max_rules": 3}
    model = SetCoveringClassifierCV(**grid, select="bound").fit(X, y)
    assert model.best_score_ == model.certificate_.risk_bound == min(model.cv_results_["score"])
    for form in ("conjunction", "disjunction"):
        for features in grid["features"]:
            plain = SetCoveringClassifier(form, features, penalty=1.0, max_rules=2).fit(X, y).certificate_
            assert plain.risk_bound >= model.best_score_ - 0.05  # all but ln 4 nats apart


def test_threads_change_nothing(glass):
    one, two = (
        SetCoveringClassifierCV(features=["balls", "stumps"], penalties=[1.0], max_rules=3, n_jobs=n).fit(*glass)
        for n in (1, 2)
    )
    assert one.rules_ == two.rules_
    assert one.certificate_ == two.certificate_
    assert one.cv_results_ == two.cv_results_


def test_precomputed_distances_are_split_on_both_sides(glass):
    X, y = glass
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    options = {"penalties": [1.0, 2.0], "max_rules": 3, "cv": cv}
    raw = SetCoveringClassifierCV(features=[Balls()], **options).fit(X, y)
    distances = pairwise_distances(X)
    given = SetCoveringClassifierCV(features=[Balls(metric="precomputed")], **options).fit(distances, y)
    assert given.best_score_ == pytest.approx(raw.best_score_, abs=0.03)
    assert (given.predict(distances) == raw.predict(X)).mean() > 0.95


def test_a_nested_list_competes_in_one_machine():
    X, y = load_breast_cancer_wisconsin(return_X_y=True, paper=True)
    model = SetCoveringClassifierCV(features=[["balls", "stumps"]], penalties=[1.0], max_rules=3, cv=3).fit(X, y)
    assert model.best_params_["features"] == ["balls", "stumps"]
    assert model.score(X, y) > 0.95


def test_weights_count_in_the_errors(glass):
    X, y = glass
    weights = np.where(y == "float", 20.0, 1.0)
    model = SetCoveringClassifierCV(features=["balls"], penalties=[1.0, 3.0], max_rules=3, cv=3).fit(
        X, y, sample_weight=weights
    )
    assert (model.predict(X)[y == "float"] == "float").mean() > 0.95
    assert model.certificate_.n_samples == len(y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"forms": []}, "forms must name"),
        ({"forms": ["auto"]}, "forms must name"),
        ({"penalties": []}, "penalties must be"),
        ({"penalties": [-1.0]}, "penalties must be"),
        ({"features": []}, "features is empty"),
        ({"features": ["trees"]}, "features must be one of"),
        ({"select": "aic"}, "select"),
        ({"max_rules": 0}, "max_rules"),
    ],
)
def test_nonsense_is_refused(parameters, message, glass):
    with pytest.raises(ValueError, match=message):
        SetCoveringClassifierCV(**parameters).fit(*glass)


def test_contradictions_are_refused_where_a_penalty_is_infinite():
    with pytest.raises(NoConsistentConcept):
        SetCoveringClassifierCV(penalties=[1.0, np.inf]).fit([[0.0], [0.0], [1.0], [2.0]] * 3, [0, 1, 0, 1] * 3)


@given(
    lines=st.lists(st.tuples(*[st.fractions(0, 9, max_denominator=16)] * 2), min_size=1, max_size=8),
    any_holds=st.booleans(),
)
def test_what_a_path_gets_wrong_is_added_up_along_it(lines, any_holds):
    # obviously: from line n on the answer is "no" of a disjunction and "yes" of a conjunction
    for n_rules, found in enumerate(weigh_wrong(lines, any_holds)):
        answers = [(line >= n_rules) != any_holds for line in range(len(lines))]
        assert found == float(sum(pair[not answer] for pair, answer in zip(lines, answers, strict=True)))
