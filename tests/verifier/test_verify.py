"""The verifier, run by a Python without laconic and numpy, agrees with the library; what is spoiled is found out."""

import ast
import json
import math
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import laconic
from laconic import (
    LaconicClassifier,
    Promises,
    RuleListClassifier,
    ScoreCardClassifier,
    SetCoveringClassifier,
    SetCoveringClassifierCV,
)
from laconic.certificates import Nats, SampleCompression, SetApart
from laconic.cli import main
from laconic.covering import Clauses, Conditions, Literals, Stumps
from laconic.verifier import program, verify
from tests.golden.write_models import FOLDER
from tests.model_files.catalogue import CASES
from tests.verifier.tables import TARGET, table_of, write_table

YES, DIFFERS, UNABLE, ARITHMETIC_ONLY = range(4)
REBUILT = {
    "scm_stumps", "scm_bins", "scm_strict_balls", "scm_mixed", "scm_sparse", "scm_constant", "scm_cv", "scm_cv_bound",
    "decision_list", "decision_list_terms", "rule_list", "rule_list_bound", "score_card", "score_card_columns",
    "scm_clauses", "scm_frequent", "auto_mixed", "auto_many", "promised_cover", "promised_list",
    "promised_card", "promised_auto",
}  # fmt: skip
NO_CSV = {"scm_domain"}  # one of its columns holds 1 and "1", which no CSV file tells apart


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """Run the program as a stranger would: copied out, isolated, without site packages."""
    place = tmp_path_factory.mktemp("stranger") / "verify.py"
    place.write_text(program(), encoding="utf-8")

    def run(*words):
        command = [sys.executable, "-I", "-S", str(place), *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert not done.stderr
        return done.returncode, done.stdout

    return run


def golden(name):
    return FOLDER / f"{name}.v4.json"


@pytest.mark.parametrize("name", sorted(set(CASES) - NO_CSV))
def test_it_agrees_with_every_golden_file(name, alone, tmp_path):
    table = table_of(name, tmp_path / "table.csv")
    code, said = alone(golden(name), table, "--target", TARGET)
    assert code == (YES if name in REBUILT else ARITHMETIC_ONLY), said
    assert said.startswith("Yes" if name in REBUILT else "Arithmetic only")


def test_the_program_is_short_and_needs_nothing_else():
    text = program()
    assert text.count("\n") <= 760  # a third of it refuses what no honest file says
    imports = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {getattr(node, "module", None) or name.name for node in imports for name in node.names}
    assert len(modules) > 8
    assert modules <= set(sys.stdlib_module_names)


def test_older_files_are_not_verifiable(alone, tmp_path):
    table = table_of("scm_stumps", tmp_path / "table.csv")
    for version in (1, 2, 3):
        code, said = alone(FOLDER / f"scm_stumps.v{version}.json", table, "--target", TARGET)
        assert (code, "not verifiable" in said) == (UNABLE, True)


@pytest.mark.parametrize("odd", ["", "a,b\n1,2\n", "x0,x1,the target\n1,2\n", "x0,x1,the target\nred,2,True\n"])
def test_tables_that_are_another_one_are_refused(odd, alone, tmp_path):
    table = tmp_path / "odd.csv"
    table.write_text(odd)
    assert alone(golden("scm_stumps"), table, "--target", TARGET)[0] == UNABLE
    assert alone(tmp_path / "nothing.json", table, "--target", TARGET)[0] == UNABLE


# ---- spoiled files, each with a seal of its own


def sealed(content):
    rest = {key: value for key, value in content.items() if key != "sha256"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return json.dumps(rest | {"sha256": sha256(text.encode()).hexdigest()})


def bound_again(content):
    """Let bound and sums follow from what the spoiled statement says, as an honest program would compute them."""
    (said,) = content["certificate"]["statements"]
    nats = math.fsum(item["nats"] for item in said["message"])
    said["message_nats"] = content["certificate"]["message_nats"] = nats
    content["certificate"]["compression_size"] = said["size"]
    one = SampleCompression(said["n_samples"], said["size"], said["errors_outside"], nats)
    content["certificate"]["risk_bound"] = one.bound(content["certificate"]["delta"])


def spoil_errors(content, said):
    said["errors_outside"] -= 1


def spoil_price(content, said):
    said["message"] = [item for item in said["message"] if item["part"] != "what a rule asks, of which column"]


def spoil_one_price(content, said):
    said["message"][0]["nats"] /= 2


def spoil_choices(content, said):
    for item in said["message"]:
        if item["code"] == "choice":
            item["choices"], item["nats"] = [2], math.log(2)


def spoil_by_a_refund(content, said):
    refund = {"part": "how the table was read", "code": "order", "choices": [2], "nats": -math.log(2)}
    said["message"].append(refund)


def spoil_set(content, said):
    said["rows"][0]["row"] += 1


def spoil_size(content, said):
    said["rows"], said["size"] = said["rows"][1:], said["size"] - 1


def spoil_threshold(content, said):
    content["hypothesis"]["rules"][0]["threshold"] += 1e-9


def spoil_rules(content, said):
    content["hypothesis"]["rules"] = content["hypothesis"]["rules"][1:]


def spoil_rows(content, said):
    said["n_samples"] *= 2


def spoil_empirical(content, said):
    content["certificate"]["empirical_risk"] /= 2


SPOILERS = [value for name, value in sorted(globals().items()) if name.startswith("spoil_")]


@pytest.mark.parametrize("spoiler", SPOILERS, ids=lambda one: one.__name__.removeprefix("spoil_"))
def test_a_spoiled_file_is_found_out(spoiler, tmp_path):
    table = table_of("scm_stumps", tmp_path / "table.csv")
    content = json.loads(golden("scm_stumps").read_text())
    (said,) = content["certificate"]["statements"]
    spoiler(content, said)
    bound_again(content)
    (tmp_path / "spoiled.json").write_text(sealed(content))
    code, text = verify(tmp_path / "spoiled.json", table, TARGET)
    assert code == DIFFERS, text


def test_a_broken_seal_and_a_smaller_bound_are_found_out(tmp_path):
    table = table_of("rule_list", tmp_path / "table.csv")
    content = json.loads(golden("rule_list").read_text())
    (tmp_path / "broken.json").write_text(json.dumps(content | {"written_by": "me"}))
    assert verify(tmp_path / "broken.json", table, TARGET)[0] == DIFFERS
    content["certificate"]["risk_bound"] *= 1 - 1e-6
    (tmp_path / "smaller.json").write_text(sealed(content))
    assert verify(tmp_path / "smaller.json", table, TARGET)[0] == DIFFERS


# ---- rows set apart, promises beside the error, clauses and declared domains


def rows(n_rows=160, seed=3):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n_rows, 2)).round(2), columns=["a", "b"])
    X["sex"] = rng.choice(["f", "m", None], n_rows, p=[0.5, 0.4, 0.1])
    X["colour"] = rng.choice(["red", "blue", "green"], n_rows)
    y = np.where((X["a"] > 0.3) | (X["colour"] == "red"), "ill", "well")
    return X.astype({"sex": "category", "colour": "category"}), np.where(rng.random(n_rows) < 0.1, "well", y)


EVERYTHING = Promises(classes=True, rules=True, groups="sex", costs=True, abstain=0.5)
KNOWN = {"colour": ("red", "blue", "green", "black"), "sex": ("f", "m")}
HEARD_OF = {"a": 2.5, "b": 0.5}
COVERS = {
    "a declared domain": SetCoveringClassifier("conjunction", ["stumps", Literals(categories=KNOWN)], penalty=0.7),
    "conditions with one": SetCoveringClassifier("conjunction", Conditions(categories=KNOWN), penalty=0.7, max_rules=3),
    "clauses": SetCoveringClassifier("conjunction", Clauses(2, binarize=0.25), penalty=0.7, max_rules=3),
    "clauses over one": SetCoveringClassifier("conjunction", Clauses(2, binarize=0.25, categories=KNOWN), penalty=0.7),
    "clauses and thresholds": SetCoveringClassifier(
        "conjunction", [Clauses(3, negated=False, binarize=0.5), "stumps"], penalty=0.7, max_rules=3
    ),
    "literals that are not negated": SetCoveringClassifier(
        "disjunction", Literals(negated=False, binarize=0.5), penalty=0.5
    ),
    "a prior": SetCoveringClassifier("conjunction", Conditions(categories=KNOWN, prior=HEARD_OF), penalty=0.7),
    "priors that compete": SetCoveringClassifierCV(
        features=[["conditions"], [Stumps(prior={0: 3.0, 1: 1e-9}), Literals(prior={"sex": 2.0})]],
        penalties=[0.7],
        max_rules=3,
        cv=2,
        select="bound",
    ),
    "auto": SetCoveringClassifier("auto", "auto", penalty=1.0),
    "all rows or half": SetCoveringClassifierCV(
        ["disjunction"], ["conditions"], penalties=[1], max_rules=2, cv=2, select="bound", apart=0.4, random_state=7
    ),
    "all rows or half, auto": SetCoveringClassifierCV(
        features="auto", penalties=[1], max_rules=2, cv=2, select="bound", apart=0.8
    ),
    "the default": LaconicClassifier(3, random_state=11),
    "the default by its bound": LaconicClassifier(2, select="bound"),
}


@pytest.mark.parametrize("name", COVERS)
def test_schemes_that_no_golden_file_has(name, alone, tmp_path):
    X, y = rows()
    model = clone(COVERS[name]).set_params(promises=EVERYTHING).fit(X, y)
    model.save(tmp_path / "model.json")
    code, said = alone(tmp_path / "model.json", write_table(tmp_path / "table.csv", X, y), "--target", TARGET)
    assert code == YES, said
    kinds = {type(rule).__name__ for rule in model.rules_}
    assert ("Clause" in kinds) == name.startswith("clauses")
    assert ("Literal" in kinds) >= ("domain" in name or "with one" in name)
    assert ("no row that was held out helped" in said) == model.certificate_.held_out


@pytest.mark.parametrize("weight", [0.5, 1e9])
def test_a_prior_that_was_changed_afterwards_is_found_out(weight, tmp_path):
    X, y = rows()
    SetCoveringClassifier("conjunction", Conditions(prior=HEARD_OF), penalty=0.7).fit(X, y).save(
        tmp_path / "model.json"
    )
    content = json.loads((tmp_path / "model.json").read_text())
    content["parameters"]["features"]["parameters"]["prior"]["items"][0][1] = weight
    (tmp_path / "model.json").write_text(sealed(content))
    code, said = verify(tmp_path / "model.json", write_table(tmp_path / "table.csv", X, y), TARGET)
    assert (code, "The scheme asks for" in said) == (DIFFERS, True)


def test_rows_that_a_chosen_machine_cannot_read(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2)).round(2)
    y = X.sum(axis=1) > 0
    X[rng.random(X.shape) < 0.1] = np.nan
    entries = tuple(entry for entry in LaconicClassifier._by_bound if entry.name == "pocket")
    pocket = type("Pocket", (LaconicClassifier,), {"_portfolio": entries})
    model = pocket(promises=("classes", "rules")).fit(X, y)
    chosen = LaconicClassifier(promises=("classes", "rules"))
    chosen.__dict__.update(model.__dict__)
    chosen.save(tmp_path / "model.json")
    code, said = verify(tmp_path / "model.json", write_table(tmp_path / "table.csv", X, y), TARGET)
    assert code == YES, said


def fewer_errors(content, said):
    said["errors_outside"] += 1
    content["certificate"]["empirical_risk"] += 1 / content["certificate"]["n_samples"]


def another_draw(content, said):
    content["parameters"]["random_state"] += 1


def fewer_rows(content, said):
    said["n_samples"] -= 1


def free_ways(content, said):
    said["message"] = []


def other_confusion(content, said):
    promised = content["certificate"]["promised"]
    promised["confusion"][0][0] -= 1
    promised["confusion"][1][1] += 1


def other_lines(content, said):
    first, second = content["certificate"]["promised"]["lines"][:2]
    first[0], second[0] = first[0] + 1, second[0] - 1


def other_groups(content, said):
    counts = content["certificate"]["promised"]["group_counts"]
    counts[0][1], counts[1][1] = counts[0][1] + 1, counts[1][1] - 1


@pytest.mark.parametrize(
    "spoiler", [fewer_errors, another_draw, fewer_rows, free_ways, other_confusion, other_lines, other_groups]
)
def test_a_spoiled_hold_out_is_found_out(spoiler, tmp_path):
    X, y = rows()
    model = clone(COVERS["all rows or half, auto"]).set_params(promises=EVERYTHING).fit(X, y)
    assert model.certificate_.held_out
    model.save(tmp_path / "model.json")
    table = write_table(tmp_path / "table.csv", X, y)
    content = json.loads((tmp_path / "model.json").read_text())
    (said,) = content["certificate"]["statements"]
    spoiler(content, said)
    nats = math.fsum(item["nats"] for item in said["message"])
    said["message_nats"] = content["certificate"]["message_nats"] = nats
    one = SetApart(said["n_samples"], said["errors_outside"], said["n_fitted"], nats)
    content["certificate"]["risk_bound"] = one.bound(content["certificate"]["delta"] / 2)
    (tmp_path / "spoiled.json").write_text(sealed(content))
    code, text = verify(tmp_path / "spoiled.json", table, TARGET)
    assert code == DIFFERS, text


# ---- spoiled programs: the library with one promise broken


def all_counted(monkeypatch):
    """Count one error less, as a program would that forgets a row."""
    import laconic.certificates._sealing as sealing

    honest = sealing.SampleCompression
    monkeypatch.setattr(
        sealing, "SampleCompression", lambda m, d, k, nats, spent: honest(m, d, max(k - 1, 0), nats, spent=spent)
    )


def twice_delta(monkeypatch):
    import laconic.certificates._statements as statements

    honest = statements.compression_bound
    monkeypatch.setattr(statements, "compression_bound", lambda m, d, k, nats, delta: honest(m, d, k, nats, 2 * delta))


def free_size(monkeypatch):
    import laconic.certificates._statements as statements

    monkeypatch.setattr(
        statements,
        "compression_bound",
        lambda m, d, k, nats, delta: laconic.certificates.binomial_tail_inversion(k, m - d, delta * math.exp(-nats)),
    )


def free_pairing(monkeypatch):
    for room in ("covering.core._scheme", "lists._scheme", "scorecards._scheme"):
        monkeypatch.setattr(f"laconic.{room}.pairing_nats", lambda *_: Nats())


def free_columns(monkeypatch):
    for room in ("covering.families._known", "lists._conditions", "scorecards._scheme"):
        monkeypatch.setattr(f"laconic.{room}.choice_nats", lambda n: Nats())


def half_the_rows(monkeypatch):
    """Judge a machine on the rows that chose it."""
    import laconic.auto._classifier as chosen

    honest = chosen.certify_apart
    monkeypatch.setattr(chosen, "certify_apart", lambda wrong, apart, delta, nats: honest(wrong, ~apart, delta, nats))


def test_a_default_that_judges_itself_is_found_out(monkeypatch, tmp_path):
    X, y = rows()
    half_the_rows(monkeypatch)
    LaconicClassifier(2).fit(X, y).save(tmp_path / "spoiled.json")
    code, text = verify(tmp_path / "spoiled.json", write_table(tmp_path / "table.csv", X, y), TARGET)
    assert code == DIFFERS, text


def test_a_domain_that_is_not_paid_is_found_out(monkeypatch, tmp_path):
    X, y = rows()
    monkeypatch.setattr("laconic.covering.families._literals.Literals.domain_nats", lambda *_: Nats())
    for name in ("a declared domain", "clauses over one"):
        clone(COVERS[name]).fit(X, y).save(tmp_path / "spoiled.json")
        code, text = verify(tmp_path / "spoiled.json", write_table(tmp_path / "table.csv", X, y), TARGET)
        assert (code, "The scheme asks for" in text) == (DIFFERS, True)


def free_shares(monkeypatch):
    monkeypatch.setattr("laconic.covering.core._naming.share_nats", lambda *_: Nats())


def free_naming(monkeypatch):
    monkeypatch.setattr("laconic.covering.core._naming.choice_nats", lambda n: Nats())


def large_limits(monkeypatch):
    honest = laconic.certificates.share_nats
    monkeypatch.setattr("laconic.covering.core._naming.share_nats", lambda n, m, alpha: honest(n, m, 20 * alpha))


def other_counts(monkeypatch):
    honest = laconic.certificates.share_nats
    monkeypatch.setattr("laconic.covering.core._naming.share_nats", lambda n, m, alpha: honest(n + 1, m, alpha))


@pytest.mark.parametrize("spoiler", [free_shares, free_naming, large_limits, other_counts])
@pytest.mark.parametrize("learner", ["cover", "rules"])
def test_categories_that_are_not_paid_are_found_out(spoiler, learner, monkeypatch, tmp_path):
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"colour": pd.Categorical(rng.choice(["red", "green", "blue"], 90)), "size": rng.normal(size=90)})
    y = (X["colour"] == "red").to_numpy() ^ (rng.random(90) < 0.1)
    learners = {
        "cover": SetCoveringClassifier("conjunction", "conditions", penalty=1.0, max_rules=1),
        "rules": RuleListClassifier(max_words=2, select=None, cv=None),
    }
    table = tmp_path / "table.csv"
    X.assign(**{TARGET: y}).to_csv(table, index=False)
    model = learners[learner].fit(X, y)
    assert any(item.code == "share" for item in model.certificate_.statements[0].message)
    model.save(tmp_path / "honest.json")
    assert verify(tmp_path / "honest.json", table, TARGET)[0] == YES
    spoiler(monkeypatch)
    clone(model).fit(X, y).save(tmp_path / "spoiled.json")
    code, text = verify(tmp_path / "spoiled.json", table, TARGET)
    assert code == DIFFERS, text


def no_order(monkeypatch):
    for room in ("covering.core._scheme", "lists._scheme", "scorecards._scheme"):
        monkeypatch.setattr(
            f"laconic.{room}.unordered_nats",
            lambda each: (
                laconic.certificates.total(each) + laconic.certificates.priced("order", 5, nats=-math.log(120))
            ),
        )


LEARNERS = {
    "cover": lambda: SetCoveringClassifier("disjunction", "stumps", penalty=1.0, max_rules=3),
    "rules": lambda: RuleListClassifier(max_words=4, select=None, cv=None),
    "card": lambda: ScoreCardClassifier(max_terms=3, terms="thresholds"),
}


@pytest.mark.parametrize("spoiler", [all_counted, twice_delta, free_size, free_pairing, free_columns, no_order])
@pytest.mark.parametrize("learner", LEARNERS)
def test_a_spoiled_program_is_found_out(spoiler, learner, monkeypatch, tmp_path):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(90, 3)).round(2)
    y = (X[:, 0] + X[:, 1] > 0.3) ^ (rng.random(90) < 0.15)
    table = write_table(tmp_path / "table.csv", X, y)
    LEARNERS[learner]().fit(X, y).save(tmp_path / "honest.json")
    assert verify(tmp_path / "honest.json", table, TARGET)[0] == YES
    spoiler(monkeypatch)
    model = LEARNERS[learner]().fit(X, y)
    model.save(tmp_path / "spoiled.json")
    code, text = verify(tmp_path / "spoiled.json", table, TARGET)
    assert code == DIFFERS, text


def test_a_choice_of_forms_must_be_paid(monkeypatch, tmp_path):
    learner, X, y, _ = CASES["scm_mixed"]
    honest = laconic.covering.core._scheme.encode
    monkeypatch.setattr(
        "laconic.covering.core._scheme.encode",
        lambda *given, n_choices=1, strict=False: honest(*given, n_choices=1, strict=strict),
    )
    learner.fit(X, y).save(tmp_path / "spoiled.json")
    table = write_table(Path(tmp_path / "table.csv"), X, y)
    code, text = verify(tmp_path / "spoiled.json", table, TARGET)
    assert (code, "forms and features" in text) == (DIFFERS, True)


def test_what_was_paid_beside_the_scheme_is_taken_as_stated(tmp_path):
    learner, X, y, _ = CASES["scm_stumps"]
    model = learner.fit(X, y)
    model.certificate_ = replace(model.certificate_.paying(1.5), notes=())
    model.save(tmp_path / "model.json")
    assert verify(tmp_path / "model.json", write_table(tmp_path / "table.csv", X, y), TARGET)[0] == YES


def test_a_model_that_promises_more_keeps_half_of_delta_for_its_error(tmp_path):
    _, X, y, _ = CASES["scm_stumps"]
    learner = SetCoveringClassifier("disjunction", "stumps", penalty=1.0, promises=("classes", "rules"))
    learner.fit(X, y).save(tmp_path / "model.json")
    assert verify(tmp_path / "model.json", write_table(tmp_path / "table.csv", X, y), TARGET)[0] == YES


def test_the_command_checks_and_prints_the_program(tmp_path, monkeypatch, capsys):
    def run(*words):
        monkeypatch.setattr(sys, "argv", ["laconic", "verify", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            main()
        return left.value.code, capsys.readouterr().out

    table = table_of("rule_list", tmp_path / "table.csv")
    assert run(golden("rule_list"), table, "--target", TARGET)[0] == YES
    assert run(golden("auto"), table_of("auto", tmp_path / "other.csv"), "--target", TARGET)[0] == ARITHMETIC_ONLY
    assert run(golden("rule_list"), tmp_path / "other.csv", "--target", TARGET)[0] == UNABLE
    assert run("--program") == (0, program())
    assert run()[0] == 2


# ---- how a table is read


@pytest.fixture
def small(tmp_path):
    """Save a model, and return its file with the names and labels of its rows."""
    X = pd.DataFrame({"größe": [1.0, 2.0, 3.0, 4.0] * 8})
    y = np.where(X["größe"] > 2, "über", "unter")
    SetCoveringClassifier("conjunction", "stumps", penalty=1.0).fit(X, y).save(tmp_path / "model.json")
    return tmp_path / "model.json", X, y


def test_a_table_may_have_another_encoding(small, alone, tmp_path, monkeypatch, capsys):
    model, X, y = small
    table = tmp_path / "table.csv"
    X.assign(**{TARGET: y}).to_csv(table, index=False, encoding="latin-1")
    code, said = alone(model, table, "--target", TARGET)
    assert (code, "It cannot be checked" in said) == (UNABLE, True)
    assert alone(model, table, "--target", TARGET, "--encoding", "latin-1")[0] == YES
    assert alone(model, table, "--target", TARGET, "--encoding", "no-such")[0] == UNABLE
    words = ["laconic", "verify", str(model), str(table), "--target", TARGET, "--encoding", "latin-1"]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as left:
        main()
    assert (left.value.code, "Yes" in capsys.readouterr().out) == (YES, True)


def test_rows_without_a_label_are_told_and_only_the_command_line_says_which(small, alone, tmp_path):
    model, X, y = small
    table = tmp_path / "table.csv"
    more = pd.DataFrame({"größe": [1.0, 2.0, 3.0], TARGET: ["", "none", "none"]})
    pd.concat([X.assign(**{TARGET: y}), more]).to_csv(table, index=False)
    content = json.loads(model.read_text())
    model.write_text(sealed(content | {"about": {"na": "none"}}))
    code, said = alone(model, table, "--target", TARGET)
    assert (code, "by --na if you agree" in said) == (UNABLE, True)
    code, said = alone(model, table, "--target", TARGET, "--na", "none, never")
    assert code == YES
    assert "3 rows without a label were left out: {'': 1, 'none': 2}" in said
    assert "'none', 'never' stood for missing values, too" in said


@pytest.mark.parametrize("cell", ["2", "inf", "NAN", "maybe"])
def test_cells_that_a_column_cannot_hold_are_refused(cell, alone, tmp_path):
    X = pd.DataFrame({"flag": [True, False] * 20})
    SetCoveringClassifier("conjunction", "literals", penalty=1.0).fit(X, X["flag"]).save(tmp_path / "model.json")
    table = write_table(tmp_path / "table.csv", X, X["flag"])
    assert alone(tmp_path / "model.json", table, "--target", TARGET)[0] == YES
    table.write_text(table.read_text().replace("true,", f"{cell},", 1))
    assert alone(tmp_path / "model.json", table, "--target", TARGET)[0] == UNABLE


# ---- what it cannot check it says


def test_numbers_that_are_read_as_categories_are_told(alone, tmp_path):
    X = pd.DataFrame({"code": pd.Categorical(["1", "2"] * 20), "name": pd.Categorical(["a", "b"] * 20)})
    SetCoveringClassifier("conjunction", "conditions", penalty=1.0).fit(X, X["code"] == "1").save(
        tmp_path / "model.json"
    )
    table = write_table(tmp_path / "table.csv", X, X["code"] == "1")
    code, said = alone(tmp_path / "model.json", table, "--target", TARGET)
    assert (code, "column 'code', whose values are numbers" in said, "column 'name'" in said) == (YES, True, False)


def test_what_was_declared_is_repeated_whatever_the_file_lists(alone, tmp_path):
    X, y = rows()
    model = clone(COVERS["a prior"]).set_params(promises=EVERYTHING).fit(X, y)
    model.save(tmp_path / "model.json")
    table = write_table(tmp_path / "table.csv", X.assign(id=1.0), y)
    content = json.loads((tmp_path / "model.json").read_text())
    content["certificate"]["assumptions"] = []
    for text in ((tmp_path / "model.json").read_text(), sealed(content)):
        (tmp_path / "model.json").write_text(text)
        code, said = alone(tmp_path / "model.json", table, "--target", TARGET)
        assert code == YES
        assert "Yes: a risk of at most" in said
        for declared in (
            "the prior of 'a', 'b' was fixed before",
            "the categories of 'sex', 'colour' were listed before",
            "what is promised beside the error was declared before",
            "the columns 'id' were left out",
            f"the target, {TARGET!r}, delta",
        ):
            assert declared in said
