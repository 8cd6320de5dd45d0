"""Certificates assume what was declared, and state which choices among several fits are free."""

import itertools
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.golden.write_models import FOLDER

import laconic
from laconic import LaconicClassifier, NormalFormClassifier, Promises, RuleVoteClassifier, SetCoveringClassifier
from laconic.certificates import COUNTS_FUNCTIONS, HELD_OUT_DRAWN
from laconic.covering import Clauses, Conditions, FiniteFamily, Literals, Stumps
from laconic.monitor._lines import certified_lines
from laconic.rules import Stump

PAGES = Path(__file__).parents[2] / "docs"


@dataclass(frozen=True)
class Task:
    X: pd.DataFrame
    y: np.ndarray


@pytest.fixture(scope="module")
def task():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"age": rng.normal(50, 10, 120).round(1), "smokes": rng.random(120) < 0.4, "site": rng.choice(["a", "b"], 120)}
    )
    return Task(X, np.where((X.age > 52) ^ (rng.random(120) < 0.1), "ill", "well"))


# ---- what was declared is assumed, and repeated wherever the certificate is shown


class RoundCuts(FiniteFamily):
    def candidates(self, n_columns):
        return [Stump(0, float(cut), True) for cut in (40, 50, 60)]


PRIOR = "The prior, which favours age, was fixed before the data was seen."
DOMAINS = "The categories of site were listed before the data was seen."
OWN = "The rules that RoundCuts offers were fixed before the data was seen."
DECLARED = {
    "stumps": (["age"], Stumps(prior={"age": 2.0}), (PRIOR,)),
    "literals": (["smokes", "site"], Literals(categories={"site": ["a", "b"]}), (DOMAINS,)),
    "clauses": (["smokes", "site"], Clauses(categories={"site": ["a", "b"]}), (DOMAINS,)),
    "conditions": (
        ["age", "smokes", "site"],
        Conditions(categories={"site": ["a", "b"]}, prior={"age": 2.0}),
        (PRIOR, DOMAINS),
    ),
    "own": (["age"], RoundCuts(), (OWN,)),
    "nothing": (["age"], Stumps(), ()),
}


@pytest.mark.parametrize("name", DECLARED)
def test_declared_parameters_are_assumptions_on_the_card_and_in_the_file(name, task, tmp_path):
    columns, family, sentences = DECLARED[name]
    model = SetCoveringClassifier("conjunction", family, penalty=1.0).fit(task.X[columns], task.y)
    assert set(model.certificate_.declared) == set(sentences)
    assert set(sentences) < set(model.certificate_.assumptions)
    notes = [entry.words for entry in model.card().entries if entry.kind == "note"]
    text = " ".join(model.to_text().split())
    for sentence in sentences:
        assert f"Assumed: {sentence}" in notes
        assert sentence in text
        assert sentence in model.certificate_.paying(1.0).one_of(3).assumptions
        assert sentence in model.report(task.X[columns], task.y).html()
    if not sentences:
        assert "Assumed:" not in text
    if name != "own":  # a family of a user's own cannot be saved
        model.save(tmp_path / "model.json")
        assert laconic.load(tmp_path / "model.json").certificate_.declared == model.certificate_.declared


@pytest.mark.parametrize("key", ["age", 0, np.int64(0)])
def test_columns_are_declared_by_their_names_however_they_were_listed(key, task):
    model = SetCoveringClassifier("conjunction", Stumps(prior={key: 2.0}), penalty=1.0)
    assert model.fit(task.X[["age"]], task.y).certificate_.declared == (PRIOR,)
    (sentence,) = model.fit(task.X[["age"]].to_numpy(), task.y).certificate_.declared if key != "age" else (PRIOR,)
    assert sentence == PRIOR.replace("age", "age" if key == "age" else "x0")


def test_files_of_before_declare_nothing_that_nobody_declared():
    for name in ("scm_stumps", "auto_mixed", "short_sum_band", "regressor"):
        assert laconic.load(FOLDER / f"{name}.v4.json").certificate_.declared == ()


def test_declared_promises_are_assumed(task):
    model = SetCoveringClassifier("conjunction", "stumps", penalty=1.0, promises=("classes",)).fit(
        task.X[["age"]], task.y
    )
    assert model.certificate_.declared == ("What is promised beside the error was declared before the data was seen.",)


@pytest.mark.parametrize(
    "estimator", [LaconicClassifier(), RuleVoteClassifier(n_lists=3)], ids=lambda e: type(e).__name__
)
def test_held_out_rows_are_assumed_to_be_drawn_beforehand(estimator, task):
    assert HELD_OUT_DRAWN in estimator.fit(task.X, task.y).certificate_.assumptions


# ---- normal forms: one code for all tables of a type, and lines need formulas


def items(model):
    return {item.part for statement in model.certificate_.statements for item in statement.message}


def test_a_column_that_may_hold_categories_gets_one_code_whatever_it_holds():
    flags = np.random.default_rng(1).random((40, 3)) < 0.5
    y = flags[:, 0] & flags[:, 1]
    typed = NormalFormClassifier().fit(pd.DataFrame(flags), y)
    untyped = NormalFormClassifier().fit(pd.DataFrame(flags.astype(object)), y)
    assert COUNTS_FUNCTIONS in items(typed)
    assert COUNTS_FUNCTIONS not in items(untyped)


def test_lines_are_promised_and_watched_only_with_a_code_of_formulas():
    flags = np.random.default_rng(1).random((200, 3)) < 0.5
    y = (flags[:, 0] | flags[:, 1]) & flags[:, 2]
    plain, by_line, by_class = (
        NormalFormClassifier(k=2, promises=promises).fit(flags, y)
        for promises in (None, Promises(rules=True), Promises(classes=True))
    )
    assert COUNTS_FUNCTIONS in items(plain) & items(by_class)
    assert COUNTS_FUNCTIONS not in items(by_line)
    assert certified_lines(plain, 0.05) == ()
    assert certified_lines(by_line, 0.05)


# ---- choices among several fits


def free_choices():
    """Read the table of the page: by learner, the parameters that are free to vary."""
    page = (PAGES / "certificates.md").read_text()
    table = page.split("| learner | free to vary |")[1].split("\n\n")[0]
    rows = (line.strip("|").split("|") for line in table.splitlines()[2:])
    return {learner.strip(" `"): re.findall(r"`(\w+)`", free) for learner, free in rows}


VALUES = {
    "penalty": [0.5, 1.0, 2.0],
    "max_rules": [1, 2, 4],
    "class_weight": [None, "balanced"],
    "minimize": [True, False],
    "max_words": [1, 2, 12],
    "max_conditions": [1, 2],
    "cv": [3, 4],
    "select": ["cv", "bound"],
    "max_terms": [1, 2, 12],
    "max_points": [2, 5, 6],
    "C": [0.1, 1.0],
    "solver": ["highs", "interior"],
    "max_support": [5, 10],
}
NEEDED = {"SetCoveringClassifier": {"form": "conjunction", "features": "stumps"}}


def tasks(flags_only):
    rng = np.random.default_rng(0)
    numbers, flags = rng.normal(size=(80, 3)).round(1), rng.integers(0, 2, (80, 4))
    y = numbers[:, 0] > 0.3
    noisy = (flags[:, 0] == 1) ^ (rng.random(80) < 0.05)
    if flags_only:
        return [(flags, flags[:, 0] == 1), (flags, (flags[:, 0] == 1) & (flags[:, 1] == 1))]
    return [(numbers, y), (flags.astype(float), noisy), (flags[:, :1].astype(float), flags[:, 0] == 1)]


@pytest.mark.parametrize(
    ("learner", "parameter"), [(name, each) for name, free in free_choices().items() for each in free]
)
def test_a_model_has_one_certificate_whichever_free_parameter_found_it(learner, parameter):
    estimator = getattr(laconic, learner)
    n_equal = 0
    for X, y in tasks(learner in ("NormalFormClassifier", "DecisionListClassifier")):
        models = [estimator(**NEEDED.get(learner, {}), **{parameter: value}).fit(X, y) for value in VALUES[parameter]]
        for one, other in itertools.combinations(models, 2):
            if one.hypothesis_ == other.hypothesis_:
                n_equal += 1
                assert one.certificate_.statements == other.certificate_.statements
                assert one.certificate_.risk_bound == other.certificate_.risk_bound
    assert n_equal, "no two fits gave one model, so that nothing was compared"


def test_the_assumption_is_weaker_where_the_bound_holds_for_a_whole_code(task):
    numbers = task.X[["age"]]
    compressed = SetCoveringClassifier("conjunction", "stumps", penalty=1.0).fit(numbers, task.y).certificate_
    held_out = LaconicClassifier().fit(numbers, task.y).certificate_
    picked = laconic.MarginPerceptronClassifier().fit(numbers, numbers.age > 50).certificate_
    assert any("share its code and delta" in assumption for assumption in compressed.assumptions)
    for certificate in (held_out, picked):
        assert any("not the best of several fits" in assumption for assumption in certificate.assumptions)
        assert not any("share its code" in assumption for assumption in certificate.assumptions)
