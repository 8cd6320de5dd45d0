"""What the command line chose by looking at the rows is paid for, and what the user declared is not."""

import math
import warnings

import numpy as np
import polars as pl
import pytest

from laconic import (
    DecisionListClassifier,
    HalfspaceIntersectionClassifier,
    LaconicClassifier,
    MarginPerceptronClassifier,
    MinimalComplexityClassifier,
    PACBayesSetCoveringClassifier,
    PocketClassifier,
    ScoreTableClassifier,
    SetCoveringClassifier,
    SetCoveringClassifierCV,
)
from laconic.auto._classifier_portfolio import BY_BOUND
from laconic.certificates import SetApart, carried_certificates, left_out_nats, set_nats
from laconic.cli import _comparing as compare
from laconic.cli._fitting import fit_table
from laconic.cli._learners import Ready, learners
from laconic.cli._prices import reading_nats
from laconic.cli._tables import LeftOut, Task, read_target
from laconic.rules import Literal

LIMITS = -math.log1p(-(2.0**-10))  # of shares, where a table might have had categories


def table(n_rows=60, n_flags=4, n_numbers=3, n_words=2, seed=0):
    rng = np.random.default_rng(seed)
    flags = {f"flag{j}": rng.integers(0, 2, n_rows) for j in range(n_flags)}
    numbers = {f"number{j}": rng.normal(size=n_rows).round(2) for j in range(n_numbers)}
    words = {f"word{j}": rng.choice(["red", "green", "blue"], n_rows) for j in range(n_words)}
    y = (flags["flag0"] == 1) ^ (rng.random(n_rows) < 0.1)
    return pl.DataFrame(flags | numbers | words), y


def fit(X, y, learner, **given):
    return fit_table(Task(X, y, "label"), learner, given)[0]


def nats(model):
    return model.certificate_.statements[0].message_nats


@pytest.mark.parametrize("k", [1, 2])
def test_learners_of_flags_pay_for_the_width_of_the_whole_table_and_for_the_kinds(k):
    X, y = table()
    kept = [name for name in X.columns if not name.startswith("number")]
    alone = DecisionListClassifier(k, penalty=3.0, max_rules=3).fit(X.select(kept), y)
    model = fit(X, y, "decision-list", k=k, penalty=3.0, max_rules=3)
    assert model.rules_ == alone.rules_
    sizes = [len(getattr(rule, "literals", (rule,))) for rule in model.rules_]
    columns = {part.feature for rule in model.rules_ for part in getattr(rule, "literals", (rule,))}
    width = sum(set_nats(9, size) - set_nats(6, size) for size in sizes)
    assert sizes
    assert nats(model) == pytest.approx(nats(alone) + width + len(columns) * math.log(3))


def test_a_list_that_is_rebuilt_from_its_message_alone_pays_for_that_too():
    X, y = table(n_words=0, n_numbers=0)
    settings = {"penalty": 3.0, "max_rules": 1}
    model, alone = fit(X, y, "decision-list", **settings), DecisionListClassifier(**settings).fit(X, y)
    assert nats(model) == pytest.approx(nats(alone) + math.log(3) + math.log(2) + LIMITS)


def test_tables_of_points_pay_for_all_columns_and_their_kinds():
    X, y = table(n_words=0)
    several = np.where(X["number0"].to_numpy() > 0, "high", np.where(y, "yes", "no"))
    settings = {"max_words": 3, "cv": None, "random_state": 0}
    model, alone = fit(X, several, "score-table", **settings), ScoreTableClassifier(**settings).fit(X, several)
    unaided = math.log(2) * model.certificate_.statements[0].by_message
    assert nats(model) == pytest.approx(nats(alone) + left_out_nats(7, 0) + 7 * math.log(3) + unaided)


def test_learners_of_numbers_pay_for_which_columns_hold_numbers():
    for n_words in (0, 3):
        X, y = table(n_words=n_words)
        kept = X.select([name for name in X.columns if not name.startswith("word")])
        settings = {"max_rules": 2, "penalty": 1.0}
        model, alone = fit(X, y, "pac-bayes", **settings), PACBayesSetCoveringClassifier(**settings).fit(kept, y)
        assert nats(model) == pytest.approx(nats(alone) + left_out_nats(7 + n_words, n_words))


@pytest.mark.parametrize(("code", "price"), [("rows", left_out_nats(7, 0)), ("digits", math.log(2))])
def test_sums_pay_for_which_columns_hold_categories(code, price):
    for n_words in (0, 2):
        X, y = table(n_words=n_words)
        model = fit(X, y, "mcm", C=0.5, code=code)
        alone = MinimalComplexityClassifier(0.5, code=code).fit(X, y)
        assert model.hypothesis_ == alone.hypothesis_
        assert nats(model) == pytest.approx(nats(alone) + left_out_nats(7 + n_words, 0) + (0.0 if n_words else price))


def test_halfspaces_pay_for_which_columns_hold_categories():
    for code, price in (("rows", left_out_nats(7, 0)), ("digits", math.log(2))):
        settings = {"random_state": 0, "max_halfspaces": 1, "code": code}
        for n_words in (0, 2):
            X, y = table(n_words=n_words)
            model, alone = fit(X, y, "halfspaces", **settings), HalfspaceIntersectionClassifier(**settings).fit(X, y)
            assert model.rules_ == alone.rules_
            assert nats(model) == pytest.approx(
                nats(alone) + left_out_nats(7 + n_words, 0) + (0.0 if n_words else price)
            )


def test_learners_of_numbers_and_categories_pay_for_going_without_examples():
    settings = {"random_state": 0, "max_epochs": 5}
    for n_words, price in ((0, math.log(2)), (2, 0.0)):
        X, y = table(n_words=n_words)
        model, alone = fit(X, y, "pocket", **settings), PocketClassifier(**settings).fit(X, y)
        assert model.rules_ == alone.rules_
        assert nats(model) == pytest.approx(nats(alone) + left_out_nats(7 + n_words, 0) + price)


def test_columns_that_the_values_left_out_on_reading_count_for_the_width_and_declared_ones_do_not():
    X, y = table()
    unread = (LeftOut("id", "nearly all different", True), LeftOut("day", "a date", False))
    model = fit(X, y, "scm", max_rules=2)
    wider, _, _ = fit_table(Task(X, y, "label", left_out=unread), "scm", {"max_rules": 2})
    assert wider.rules_ == model.rules_
    assert nats(wider) == pytest.approx(nats(model) + len(model.rules_) * math.log(10 / 9))
    balls = {"features": "balls"}
    numbers = X.select([name for name in X.columns if not name.startswith("word")])
    wider, _, _ = fit_table(Task(numbers, y, "label", left_out=unread), "scm", balls)
    assert nats(wider) == pytest.approx(
        nats(fit(numbers, y, "scm", **balls)) + left_out_nats(8, 1) - left_out_nats(7, 0)
    )


def test_the_codes_for_columns_left_out_sum_to_at_most_one():
    for n in (1, 2, 5, 30):
        assert sum(math.comb(n, r) * math.exp(-left_out_nats(n, r)) for r in range(n + 1)) <= 1 + 1e-12


def test_every_certificate_that_a_model_carries_is_paid_for():
    X, y = table()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, alone = fit(X, y, "perceptron", max_epochs=3), MarginPerceptronClassifier(3).fit(X, y)
    before = dict(carried_certificates(alone))
    after = dict(carried_certificates(model))
    assert set(before) == set(after) == {"certificate_", "online_certificate_"}
    for name in before:
        paid = after[name].statements[0].message_nats - before[name].statements[0].message_nats
        assert paid == pytest.approx(left_out_nats(9, 0))


@pytest.mark.parametrize("n_words", [0, 2])
def test_conditions_that_the_kinds_of_the_columns_chose_are_paid_for_and_thresholds_of_the_user_are_not(n_words):
    X, y = table(n_flags=1, n_words=n_words)
    y = y if n_words == 0 else (X["word0"] == "red").to_numpy()
    settings = {"form": "disjunction", "penalty": 1.0, "max_rules": 2}
    model = fit(X, y, "scm", features="conditions", **settings)
    alone = SetCoveringClassifier(features="conditions", **settings).fit(X, y)
    assert model.rules_ == alone.rules_
    columns = {rule.feature for rule in model.rules_}
    literals = any(isinstance(rule, Literal) for rule in model.rules_)
    assert literals == (n_words > 0)
    kinds = len(columns) * math.log(3) if literals else LIMITS
    assert nats(model) == pytest.approx(nats(alone) + math.log(2) + kinds)
    numbers = X.select([name for name in X.columns if not name.startswith("word")])
    declared = fit(numbers, y, "scm", features=["stumps"], **settings)
    assert nats(declared) == nats(SetCoveringClassifier(features=["stumps"], **settings).fit(numbers, y))


def test_a_machine_that_rows_set_apart_hold_pays_for_what_the_others_would_have_shown_otherwise():
    X, y = table(300, n_flags=1)
    settings = {"features": ["conditions"], "penalties": [1.0], "max_rules": 2, "apart": 0.5}
    model, _, _ = fit_table(Task(X, y, "label"), "scm", settings, None, "bound")
    alone = SetCoveringClassifierCV(**settings, select="bound").fit(X, y)
    (statement,) = alone.certificate_.statements
    assert isinstance(statement, SetApart)
    assert len(model.apart_) == 150
    assert nats(model) == pytest.approx(nats(alone) + left_out_nats(6, 0))


def test_a_machine_that_a_part_of_the_rows_chose_pays_where_that_part_shows_columns_otherwise():
    X, y = table(n_numbers=1, n_words=1, n_flags=1)
    settings = {"max_words": 1}
    alone = LaconicClassifier(**settings).fit(X, y)
    assert nats(alone) == 0.0
    for n_other in (0, 1, 2):
        task = Task(X, y, "label", left_out=(LeftOut("id", "", True),), otherwise=lambda part, n=n_other: n)
        model, _, _ = fit_table(task, "auto", settings)
        assert model.hypothesis_ == alone.hypothesis_
        assert model.machine_.certificate_ == model.certificate_
        assert nats(model) == pytest.approx(left_out_nats(4, n_other) + n_other * math.log(4))


def test_the_part_that_chooses_shows_columns_otherwise_where_a_value_elsewhere_decided(tmp_path):
    rows = [f"{i % 2},{i},{i / 2},{'red' if i % 3 else 'blue'}" for i in range(12)]
    rows[-1] = "1,many,5.5,"
    (tmp_path / "table.csv").write_text("label,a,b,c\n" + "\n".join(rows) + "\n")
    task = read_target(str(tmp_path / "table.csv"), "label")
    assert task.otherwise(np.ones(12, dtype=bool)) == 0
    assert task.otherwise(np.arange(12) < 11) == 1  # a: numbers, but for one text
    assert task.otherwise(np.arange(12) < 1) == 1
    assert task.otherwise(np.arange(12) == 11) == 1  # c is empty


def test_auto_pays_as_the_machine_does_that_all_rows_made():
    X, y = table(n_words=0, n_numbers=0)
    model = fit(X, y, "auto", select="bound", max_words=1)
    (statement,) = model.certificate_.statements
    assert statement.among == 1 + sum(len(entry.settings) for entry in BY_BOUND)
    alone = LaconicClassifier(1, select="bound").fit(X, y)
    assert model.hypothesis_ == alone.hypothesis_
    kind = math.log(3)  # of the column that its rule names
    assert nats(model) == pytest.approx(nats(alone) + kind + LIMITS)


def test_being_chosen_does_not_hide_that_a_model_goes_without_examples():
    X, y = table(n_words=0)
    model = PocketClassifier(random_state=0, max_epochs=5).fit(X, y)
    price = reading_nats(model, learners()["pocket"], Ready(X, y, 7))
    model.certificate_ = model.certificate_.one_of(6)
    assert reading_nats(model, learners()["pocket"], Ready(X, y, 7)) == price > math.log(2)


def test_compare_shows_the_bounds_of_fit():
    X, y = table(n_words=1)
    entries = {entry.name: entry for entry in compare.all_entries(Task(X, y, "label"), number=False)}
    for name in ("scm", "decision-list", "pocket"):
        line, *_ = compare.measure(entries[name], cv=3, seed=0)
        assert line.bound == fit(X, y, name, **learners()[name].compared_with).certificate_.risk_bound
    assert set(learners()) < set(entries)
