"""What was known of columns before the data: code lengths that tighten a bound, and never void it."""

import itertools

import numpy as np
import pandas as pd
import pytest

import laconic
from laconic import SetCoveringClassifier, SetCoveringClassifierCV
from laconic.covering import Conditions, Literals, Stumps, pack, read_prior
from laconic.covering.families._known import column_nats
from laconic.rules import Literal, Stump

FAMILIES = {"stumps": Stumps, "literals": Literals, "conditions": Conditions}


def flags(n_rows=60, n_columns=40, cause=7, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_rows, n_columns))
    return X, X[:, cause] == 1


@pytest.mark.parametrize("prior", [None, {0: 1.0}, {3: 2.0, 1: 0.5, 7: 1e-9}, {0: 1e300, 1: 1e-300}])
@pytest.mark.parametrize("n_columns", [8, 1000])
def test_the_code_sums_to_one(prior, n_columns):
    nats = np.array([column_nats(prior, column, n_columns) for column in range(n_columns)])
    assert np.exp(-nats).sum() == pytest.approx(1.0)
    assert (nats <= np.log(2 * n_columns) + 1e-12).all()


@pytest.mark.parametrize("name", FAMILIES)
def test_knowledge_tightens_and_wrong_knowledge_costs_ln_2(name):
    X, y = flags()
    family = FAMILIES[name]

    def fit(prior):
        return SetCoveringClassifier("conjunction", family(prior=prior), penalty=1.0).fit(X, y).certificate_

    plain, right, wrong = fit(None), fit({7: 3.0, 2: 1.0}), fit({2: 1.0})
    assert right.risk_bound < plain.risk_bound < wrong.risk_bound
    assert wrong.message_nats - plain.message_nats == pytest.approx(np.log(2))
    assert right.message_nats - plain.message_nats == pytest.approx(-np.log(0.75 / 2 + 1 / 80) - np.log(40))


@pytest.mark.parametrize("name", ["stumps", "literals", "conditions"])
def test_listed_columns_win_ties(name):
    X, y = flags()
    X = X.astype(float)
    X[:, 30] = X[:, 7]
    machine = SetCoveringClassifier("conjunction", FAMILIES[name](), penalty=1.0)
    assert machine.fit(X, y).rules_[0].feature == 7
    machine.set_params(features__prior={30: 1.0})
    assert machine.fit(X, y).rules_[0].feature == 30
    assert machine.fit(X, y).certificate_.risk_bound < 0.2


@pytest.mark.parametrize("listed", [{30: 1.0}, {"extra": 1.0}, {30: 1.0, "extra": 1.0}])
def test_packed_columns_and_others_are_ranked_alike(tmp_path, listed):
    X, y = flags()
    X[:, 30] = X[:, 7]
    frame = pd.DataFrame(X[:, :31], columns=[f"c{j}" for j in range(31)])
    packed = pack(frame, tmp_path / "x.bits")
    extra = pd.DataFrame({"extra": X[:, 7].astype(bool)})
    whole = pd.concat([frame.astype(bool), extra], axis=1)
    prior = {31 if key == "extra" else key: weight for key, weight in listed.items()}
    family = Literals(prior=prior)
    on_disk = laconic.covering.PackedBits.open(packed._table.store.path, columns=extra)
    models = [SetCoveringClassifier("conjunction", family, penalty=1.0).fit(table, y) for table in (on_disk, whole)]
    assert [model.rules_[0].feature for model in models] == [min(prior)] * 2
    assert models[0].certificate_.risk_bound == models[1].certificate_.risk_bound


@pytest.mark.parametrize("family", [Stumps, Conditions])
def test_rows_on_disk_give_the_same_model(tmp_path, family):
    X, y = flags()
    X = X + np.random.default_rng(1).random(X.shape).round(1)
    X[:, 30] = X[:, 7]
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(40)])
    frame.assign(y=y).to_parquet(tmp_path / "x.parquet")
    machine = SetCoveringClassifier("auto", family(prior={"c30": 2.0, "c5": 1.0}), penalty=1.0)
    here, there = tmp_path / "here.json", tmp_path / "there.json"
    machine.fit(frame, y).save(here)
    assert machine.rules_[0].feature == 30
    machine.fit(tmp_path / "x.parquet", "y").save(there)
    assert here.read_bytes() == there.read_bytes()


def test_names_files_and_model_files(tmp_path):
    X, y = flags()
    frame = pd.DataFrame(X, columns=["age of onset", *(f"c{j}" for j in range(1, 40))]).rename(columns={"c7": "blood"})
    (tmp_path / "prior.txt").write_text("# from the literature\nblood 2\nage of onset, 0.5\n\nblood\t1\n")
    prior = read_prior(tmp_path / "prior.txt")
    assert prior == {"blood": 3.0, "age of onset": 0.5}
    model = SetCoveringClassifierCV(features=[Conditions(prior=prior)], penalties=[1.0], cv=3).fit(frame, y)
    assert model.feature_names_in_[model.rules_[0].feature] == "blood"
    model.save(tmp_path / "model.json")
    opened = laconic.load(tmp_path / "model.json")
    assert opened.features[0].prior == prior
    assert opened.certificate_ == model.certificate_
    with pytest.raises(ValueError, match="prior lists the column 'height', and there is none of that name"):
        SetCoveringClassifier(features=Stumps(prior={"height": 1.0})).fit(frame, y)


@pytest.mark.parametrize("line", ["age", "age -1", "age 0", "age inf", "age nan", "3.0"])
def test_lines_that_say_nothing_are_named(tmp_path, line):
    (tmp_path / "prior.txt").write_text(f"a 1\n{line}\n")
    with pytest.raises(ValueError, match=r"prior.txt', line 2: expected a column or a k-mer, and a weight above zero"):
        read_prior(tmp_path / "prior.txt")


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ({0: 0.0}, "weights are numbers above zero"),
        ({0: -1.0}, "weights are numbers above zero"),
        ({0: float("nan")}, "weights are numbers above zero"),
        ({0: float("inf")}, "weights are numbers above zero"),
        ({0: True}, "weights are numbers above zero"),
        ({0: "much"}, "weights are numbers above zero"),
        ({40: 1.0}, "prior lists column 40, and the table has 40, counted from 0"),
        ({-1: 1.0}, "prior lists column -1"),
        ({"x": 1.0}, "have no names: list it by its position"),
        ([1.0], "prior"),
    ],
)
@pytest.mark.parametrize("name", FAMILIES)
def test_wrong_priors_are_refused(name, prior, message):
    X, y = flags()
    with pytest.raises(ValueError, match=message):
        SetCoveringClassifier(features=FAMILIES[name](prior=prior), penalty=1.0).fit(X, y)


def test_templates_of_all_kinds_have_their_price():
    prior = {0: 1.0}
    for family, rule in itertools.product((Conditions(prior=prior), Literals(prior=prior)), (Literal(0, True),)):
        assert family.template_nats(family.template(rule), 10) == pytest.approx(-np.log(0.55) + np.log(2))
    family = Literals(negated=False, binarize=0.5, prior=prior)
    assert family.template_nats(family.template(Stump(0, 0.5, True)), 10) == pytest.approx(-np.log(0.55))
    assert family.template_nats(family.template(Stump(1, 0.5, True)), 10) == pytest.approx(np.log(20))
