"""One estimator, its state and one registration: everything else of the house follows, and nothing else is touched."""

import io
import json
import re
import sys
from contextlib import redirect_stdout

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from sklearn.utils.estimator_checks import parametrize_with_checks

import laconic
from laconic import _learners
from laconic._table import as_table
from laconic.certificates import carried_certificates, certify
from laconic.cli import main
from laconic.exceptions import BadModelFile
from laconic.model_file import _io, json_schema
from laconic.plotting import CertificateDisplay, CoverageDisplay, RulesDisplay
from tests.model_files.mutations import exercise, mutate
from tests.simulation import test_schemes, test_simulation, worlds
from tests.simulation.harness import Cell, Registration, simulate
from tests.simulation.registered import CELLS, REGISTERED
from tests.toy_learner import LEARNER, ThresholdClassifier, reconstruct

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _registered():
    _learners.register(LEARNER)
    yield
    _learners.forget(LEARNER)
    plt.close("all")


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 2)).round(2), columns=["mass", "age"])
    return X, np.where((X["mass"] > 0.3) ^ (rng.random(60) < 0.05), "ill", "well")


@pytest.fixture
def model(rows):
    return ThresholdClassifier().fit(*rows)


# ---- the registration


def test_it_is_undone_and_not_done_twice():
    with pytest.raises(ValueError, match="There is a learner ThresholdClassifier"):
        _learners.register(LEARNER)
    _learners.forget(LEARNER)
    assert "ThresholdClassifier" not in _learners.registered()
    assert "ThresholdClassifier" not in json_schema()["$defs"]
    taken = _learners.Learner(ThresholdClassifier, LEARNER.state, LEARNER.hypothesis, name="pocket")
    with pytest.raises(ValueError, match="or 'pocket' already"):
        _learners.register(taken)
    _learners.register(LEARNER)


def test_what_is_not_registered_is_neither_saved_nor_opened(model):
    data = _io.to_bytes(model)
    _learners.forget(LEARNER)
    with pytest.raises(ValueError, match="ThresholdClassifier is not a learner that laconic.load knows"):
        _io.to_bytes(model)
    with pytest.raises(BadModelFile, match="Invalid value 'ThresholdClassifier'"):
        _io.from_bytes(data)
    _learners.register(LEARNER)


# ---- model files


def test_a_saved_model_is_the_same_when_it_is_opened(model, rows, tmp_path):
    model.save(tmp_path / "model.json")
    loaded = laconic.load(tmp_path / "model.json")
    assert type(loaded) is ThresholdClassifier
    assert (loaded.predict(rows[0]) == model.predict(rows[0])).all()
    assert loaded.to_text() == model.to_text()
    assert loaded.certificate_ == model.certificate_
    assert loaded.n_tried_ == model.n_tried_
    assert vars(model).keys() - vars(loaded).keys() == {"_encoding", "_parameters"}
    assert _io.to_bytes(loaded) == _io.to_bytes(model)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda c: c["fitted"].update(n_tried=-1), "Expected `int` >= 0 - at `\\$.fitted.n_tried`"),
        (lambda c: c["fitted"].pop("n_tried"), "missing required field `n_tried`"),
        (lambda c: c["fitted"].update(more=1), "unknown field `more`"),
        (lambda c: c["fitted"]["support"].append(0), "support has 3 entries for 1 rules"),
        (lambda c: c["fitted"]["rules"][0].update(threshold=9.0), "not those of its hypothesis"),
        (lambda c: c["hypothesis"].update(type="Disjunction"), "Invalid value 'Disjunction'"),
        (lambda c: c["hypothesis"]["rules"][0].update(feature=2), "reads column 2, and there are 2"),
        (lambda c: c["certificate"].update(risk_bound=0.001), "promises 0.001"),
        (lambda c: c["classes"]["values"].append("unknown"), "3 classes; two are possible"),
        (lambda c: c["parameters"].update(delta=3), "Its parameters are not those"),
    ],
)
def test_spoilt_files_are_refused(model, change, match):
    content = json.loads(_io.to_bytes(model))
    change(content)
    with pytest.raises(BadModelFile, match="altered"):
        _io.from_bytes(json.dumps(content).encode())
    content["sha256"] = _io._digest(content)
    with pytest.raises(BadModelFile, match=match):
        _io.from_bytes(json.dumps(content).encode())


def test_files_spoilt_at_random_are_refused_or_harmless(model):
    rng, n_refused = np.random.default_rng(0), 0
    original = json.loads(_io.to_bytes(model))
    for _ in range(200):
        content = mutate(original, lambda n: int(rng.integers(n)))
        content["sha256"] = _io._digest(content)
        try:
            exercise(_io.from_bytes(json.dumps(content).encode()))
        except BadModelFile:
            n_refused += 1
    assert n_refused > 100


def test_the_schema_has_its_files(model):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json_schema()
    own = {"$ref": "#/$defs/ThresholdClassifier", "$defs": schema["$defs"]}
    content = json.loads(_io.to_bytes(model))
    jsonschema.Draft202012Validator(own).validate(content)
    assert jsonschema.Draft202012Validator(schema).is_valid(content)
    content["fitted"]["n_tried"] = -1
    assert not jsonschema.Draft202012Validator(schema).is_valid(content)


# ---- the command line


def run(monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["laconic", *map(str, words)])
    with redirect_stdout(io.StringIO()) as out, pytest.raises(SystemExit) as left:
        main()
    assert not left.value.code
    return out.getvalue()


def test_the_command_line_knows_it_by_its_name(rows, model, tmp_path, monkeypatch):
    table, file = tmp_path / "ward.csv", tmp_path / "model.json"
    rows[0].assign(state=rows[1]).to_csv(table, index=False)
    said = run(monkeypatch, "fit", table, "--target", "state", "--learner", "threshold", "--out", file)
    assert "mass <= " in said
    assert laconic.load(file).rules_ == model.rules_
    assert "mass <= " in run(monkeypatch, "show", file)
    predicted = tmp_path / "predicted.csv"
    run(monkeypatch, "predict", file, table, "--out", predicted)
    assert pd.read_csv(predicted).iloc[:, -1].isin(["ill", "well"]).all()
    compared = run(monkeypatch, "compare", table, "--target", "state", "--cv", "2")
    (line,) = [line for line in compared.splitlines() if line.startswith("threshold ")]
    assert re.search(r"\d %", line)


def test_a_name_that_is_nearly_its_own_is_pointed_out(rows, tmp_path, monkeypatch, capsys):
    rows[0].assign(state=rows[1]).to_csv(tmp_path / "ward.csv", index=False)
    monkeypatch.setattr(sys, "argv", ["laconic", "fit", str(tmp_path / "ward.csv"), "-t", "state", "-l", "treshold"])
    with pytest.raises(SystemExit):
        main()
    assert "Did you mean 'threshold'?" in " ".join(capsys.readouterr().err.split())


# ---- what people see


def test_it_has_a_card_in_text_and_html(model):
    assert "well if all of these hold, else ill:" in model.to_text()
    assert "mass &lt;= " in model._repr_html_()
    for card in (model.to_text(), model._repr_html_()):
        assert "With 95 % confidence" in " ".join(card.split())


def test_it_has_displays(model, rows):
    assert CertificateDisplay.from_estimator(model, *rows).ax_ is not None
    assert CoverageDisplay.from_estimator(model, *rows).ax_ is not None
    assert RulesDisplay.from_estimator(model, *rows).ax_ is not None


@parametrize_with_checks([ThresholdClassifier()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


# ---- its certificate


def recertify(model, X, y):
    return certify(model.hypothesis_, as_table(X), np.asarray(y) == model.classes_[1], model._encoding, model.delta)


def make(delta):
    return ThresholdClassifier(delta=delta)


ENTRY = Registration(
    [
        Cell("numbers", worlds.NUMBERS, 40, make),
        Cell("real numbers", worlds.REALS, 40, make),
        Cell("useless columns", worlds.PURE_NOISE, 30, make),
    ],
    reconstruct,
    lambda model: model.hypothesis_,
    lambda one, other, _: one == other,
    recertify,
)
BY_NAME = {f"ThresholdClassifier: {cell.name}": cell for cell in ENTRY.cells}


@pytest.fixture
def harness(monkeypatch):
    """Let the checks of all certificates find this one."""
    monkeypatch.setitem(REGISTERED, ThresholdClassifier, ENTRY)
    for name, cell in BY_NAME.items():
        monkeypatch.setitem(CELLS, name, cell)
        monkeypatch.setitem(test_schemes.BY_CELL, name, ENTRY)


@pytest.mark.parametrize("name", BY_NAME)
def test_its_certificate_holds(name):
    for count in simulate(name, BY_NAME[name], n_draws=40):
        assert count.holds, count


@pytest.mark.parametrize("name", BY_NAME)
def test_its_scheme_is_one(harness, name):
    test_schemes.test_set_and_message_give_back_what_is_stored(name)
    test_schemes.test_the_set_is_in_an_order_that_says_nothing(name)
    test_schemes.test_the_count_is_honest_and_the_bound_is_that_of_the_theorem(name)
    test_schemes.test_the_order_of_the_rows_changes_nothing(name)
    test_schemes.test_other_rows_with_the_same_outcome_give_the_same_certificate(name)
    test_simulation.test_the_risk_of_a_world_is_what_a_large_sample_shows(name)


def test_the_harness_knows_all_that_it_promises(harness, model):
    test_schemes.test_reconstruct_is_a_module_function_of_set_and_message(ThresholdClassifier)
    test_simulation.test_every_attribute_that_holds_a_certificate_is_simulated(ThresholdClassifier)
    assert [way for way, _ in carried_certificates(model)] == ["certificate_"]
