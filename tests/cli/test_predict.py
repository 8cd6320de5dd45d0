"""``laconic predict``: rows are read as what the model knows, and asked for no more than its rules look at."""

import csv
import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import laconic
from laconic.cli import main


def here(*words):
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(out), redirect_stderr(err):
        patched.setattr(sys, "argv", ["laconic", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            main()
    return SimpleNamespace(returncode=left.value.code, stdout=out.getvalue(), stderr=err.getvalue())


def predicted(model, path, *words):
    done = here("predict", model, path, *words)
    assert done.returncode == 0, done.stderr
    return [row["prediction"] for row in csv.DictReader(io.StringIO(done.stdout))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("predict")


@pytest.fixture(scope="module")
def table(folder):
    """Write a table in which one column decides everything, for each kind of column; the others mean nothing."""
    rng = np.random.default_rng(0)
    codes = rng.choice(["003", "1.0", "true", "B7"], 120)
    frame = pl.DataFrame(
        {
            "code": codes,
            "mass": rng.integers(40, 120, 120),
            "flag": rng.random(120) < 0.5,
            "noise": rng.integers(0, 9, 120),
        }
    ).with_columns(
        by_code=pl.when(pl.col("code").is_in(["003", "1.0"])).then(pl.lit("yes")).otherwise(pl.lit("no")),
        by_mass=pl.when(pl.col("mass") > 80).then(pl.lit("yes")).otherwise(pl.lit("no")),
        by_flag=pl.when("flag").then(pl.lit("yes")).otherwise(pl.lit("no")),
    )
    path = folder / "table.csv"
    frame.write_csv(path)
    return path


@pytest.fixture(scope="module")
def fitted(table, folder):
    """Fit a model to one of the targets, once."""

    def fit(target, *words):
        path = folder / f"{target}{len(words)}.json"
        if not path.exists():
            others = [f"by_{each}" for each in ("code", "mass", "flag") if f"by_{each}" != target]
            done = here("fit", table, "-l", "scm", "-t", target, "--drop", ",".join(others), "--out", path, *words)
            assert done.returncode == 0, done.stderr
        return path

    return fit


@pytest.fixture
def new(tmp_path):
    def write(text, name="new.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize(("code", "answer"), [("003", "yes"), ("1.0", "yes"), ("true", "no"), ("3", "no"), ("1", "no")])
def test_texts_that_look_like_something_else_stay_texts(code, answer, fitted, new):
    model = fitted("by_code", "--set", "form=disjunction")
    assert predicted(model, new(f"code\n{code}\n")) == [answer]


def test_only_the_columns_that_rules_look_at_are_needed(fitted, new):
    model = fitted("by_mass")
    assert predicted(model, new("mass\n50\n100\n")) == ["no", "yes"]
    assert predicted(model, new("noise,mass\nnot even a number,50\n,100\n")) == ["no", "yes"]
    done = here("predict", model, new("masss\n50\n"))
    assert "The table has no column 'mass', which the model needs. Did you mean 'masss'?" in done.stderr


def test_columns_of_weight_zero_are_not_needed_by_learners_of_complete_rows(folder, new):
    rng = np.random.default_rng(1)
    X = pl.DataFrame({"a": rng.normal(size=80), "b": np.zeros(80), "c": rng.normal(size=80)})
    model = laconic.MinimalComplexityClassifier(C=np.inf).fit(X, X["a"].to_numpy() + X["c"].to_numpy() > 0.1)
    assert model.hypothesis_.columns_used == {0, 2}
    model.save(folder / "sum.json")
    done = here("predict", folder / "sum.json", new("b,c,a\n,2,1\n,-2,-1\n,,1\n"), "--explain")
    answers = [row["prediction"] for row in csv.DictReader(io.StringIO(done.stdout))]
    assert answers == ["true", "false", ""]
    assert "is missing in 1 of 3 rows; these get no prediction" in done.stderr


def test_missing_values_are_counted_where_rules_look(fitted, new):
    model = fitted("by_mass")
    done = here("predict", model, new("mass,noise\n,1\n50,\n?,2\n100,3\n"))
    assert done.stdout.split() == ["prediction", "no", "no", "no", "yes"]
    assert "A value that the rules look at is missing in 2 of 4 rows; no condition holds for it" in done.stderr
    assert here("predict", model, new("mass,noise\n50,\n")).stderr == ""


def test_what_is_no_number_is_refused_by_column_value_and_row(fitted, new):
    done = here("predict", fitted("by_mass"), new("mass\n50\nheavy\n"))
    assert done.returncode == 1
    assert "Column 'mass' holds 'heavy' in row 2, and the model knows it as numbers." in done.stderr
    done = here("predict", fitted("by_flag"), new("flag\ntrue\nFALSE\n1\n2\n"))
    assert "Column 'flag' holds '2' in row 4, and the model knows it as true and false." in done.stderr
    assert predicted(fitted("by_flag"), new("flag\ntrue\nFALSE\n1\n0\n")) == ["yes", "no", "yes", "no"]


def test_typed_files_are_read_as_what_the_model_knows_too(fitted, tmp_path):
    path = tmp_path / "new.parquet"
    pl.DataFrame({"code": [1.0, 3.0], "mass": ["50", "100"], "flag": [1, 0]}).write_parquet(path)
    assert predicted(fitted("by_mass"), path) == ["no", "yes"]
    assert predicted(fitted("by_flag"), path) == ["yes", "no"]
    assert predicted(fitted("by_code", "--set", "form=disjunction"), path) == ["no", "no"]
    pl.DataFrame({"mass": [[1], [2]]}).write_parquet(path)
    assert "Column 'mass' holds List(Int64)" in here("predict", fitted("by_mass"), path).stderr


def test_what_is_missing_at_fit_is_missing_at_predict(folder, new):
    lines = [f"{'unknown' if i % 5 == 0 else i % 17},{'yes' if i % 17 > 8 else 'no'}" for i in range(100)]
    model = folder / "na.json"
    done = here("fit", new("\n".join(["x,ill", *lines])), "-l", "scm", "-t", "ill", "--na", "unknown", "--out", model)
    assert done.returncode == 0, done.stderr
    assert predicted(model, new("x\n12\nunknown\n")) == ["yes", "no"]


def test_identifiers_come_first(fitted, new):
    path = new("mass,no,when\n50,003,2020-01-01\n100,NA,2020-01-02\n")
    done = here("predict", fitted("by_mass"), path, "--id", "no,when")
    assert done.stdout == "no,when,prediction\n003,2020-01-01,no\nNA,2020-01-02,yes\n"
    rows = json.loads(here("predict", fitted("by_mass"), path, "--id", "no", "--json", "--explain").stdout)
    assert list(rows[0]) == ["no", "prediction", "reason"]
    done = here("predict", fitted("by_mass"), new("mass,prediction\n50,1\n"), "--id", "prediction")
    assert "--id names 'prediction', and a column of the predictions is called that" in done.stderr
    done = here("predict", fitted("by_mass"), path, "--id", "predicton")
    assert "Did you mean 'prediction'?" in done.stderr


def test_other_writings_are_read(fitted, new):
    assert predicted(fitted("by_mass"), new("mass;x\n80,5;1\n80;1\n")) == ["yes", "no"]
    assert predicted(fitted("by_mass"), new("mass\tx\n80,5\t1\n"), "--decimal", ",") == ["yes"]
    assert predicted(fitted("by_mass"), new("x~mass\n1~80.5\n"), "--sep", "~") == ["yes"]


def test_a_model_without_names_goes_by_position(folder, new):
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = laconic.SetCoveringClassifier("conjunction", "stumps", penalty=1.0).fit(X, X[:, 1] > 0)
    model.save(folder / "unnamed.json")
    assert predicted(folder / "unnamed.json", new("p,q\nx,1\n,-1\n")) == ["true", "false"]
    done = here("predict", folder / "unnamed.json", new("q\n1\n"))
    assert "fitted on 2 columns without names; this table has 1 column." in done.stderr


def test_predictions_of_booleans_agree_with_the_card(table, folder):
    path = folder / "flag.json"
    done = here("fit", table, "-l", "scm", "-t", "flag", "--only", "mass,by_flag", "--out", path)
    assert "true if all of these hold, else false" in done.stdout
    assert set(predicted(path, table)) == {"true", "false"}
    assert {row["prediction"] for row in json.loads(here("predict", path, table, "--json").stdout)} == {"true", "false"}


def test_one_prediction_after_many_empty_ones(folder, new):
    path = folder / "mpg.json"
    assert here("fit", "auto_mpg", "-l", "mcm", "--out", path).returncode == 0
    names = laconic.load(path).feature_names_in_
    empty, full = "," * (len(names) - 1), ",".join(["1"] * len(names))
    answers = predicted(path, new("\n".join([",".join(names), *[empty] * 150, full])))
    assert answers[:150] == [""] * 150
    assert float(answers[150])


@pytest.mark.parametrize("learner", ["scm", "pac-bayes"])
def test_chosen_parameters_come_with_their_error(learner, table):
    words = ["fit", table, "-t", "by_mass", "--only", "mass,noise", "--learner", learner, "--cv", "3"]
    done = here(*words, "--set", "max_rules=2", "--json")
    notes = json.loads(done.stdout)["notes"]
    (error,) = [note for note in notes if note.startswith("error by cross-validation over 3 folds: ")]
    assert 0 <= float(error.split(":")[1].split("%")[0]) < 20
    if learner == "scm":
        bound = here(*words, "--set", "max_rules=2", "--select", "bound", "--json")
        assert any(
            note.startswith("error by cross-validation over 3 folds: ") for note in json.loads(bound.stdout)["notes"]
        )


def test_one_row_is_a_row(table, new):
    done = here("fit", new("x,y\n1,yes\n2,no\n3,\n"), "-l", "scm", "-t", "y")
    assert "2 rows, 1 column, predicting y" in done.stdout
    assert "1 row without y left out" in done.stdout


def test_compare_reads_as_fit_does(table):
    done = here("compare", table, "-t", "by_mass", "--drop", "by_code,by_flag,code", "--id", "noise", "--cv", "2")
    assert done.returncode == 0, done.stderr
    assert "120 rows, 2 columns, predicting by_mass; 2 folds" in done.stdout
    assert "laconic: mass alone tells by_mass without an error" in done.stderr
