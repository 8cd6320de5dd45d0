"""``laconic report``: from a model file and a table to a page."""

import csv
import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from types import SimpleNamespace

import numpy as np
import pytest

from laconic.cli import main


def here(*words):
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(out), redirect_stderr(err):
        patched.setattr(sys, "argv", ["laconic", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            main()
    return SimpleNamespace(returncode=left.value.code, stdout=out.getvalue(), stderr=err.getvalue())


@pytest.fixture(scope="module")
def ward(tmp_path_factory):
    """Write a table with a missing value, a column that is left out and rows without a target; fit two models to it."""
    folder = tmp_path_factory.mktemp("report")
    rng = np.random.default_rng(0)
    dose, age = rng.normal(size=(2, 120)).round(2)
    rows = [[f"n{i}", dose[i], age[i] if i % 9 else "", "ill" if dose[i] > 0.2 else "well"] for i in range(120)]
    rows[5][3] = ""
    with open(folder / "ward.csv", "w", newline="") as file:
        csv.writer(file).writerows([["name", "dose", "age", "state"], *rows])
    for learner in ("scm", "pocket"):
        done = here("fit", folder / "ward.csv", "-t", "state", "-l", learner, "--out", folder / f"{learner}.json")
        assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("learner", ["scm", "pocket"])
def test_the_table_of_fit_agrees_whatever_was_left_out_of_it(ward, learner):
    done = here("report", ward / f"{learner}.json", ward / "ward.csv", "--format", "json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["agreement"]["verdict"] == "agrees"
    assert said["target"] == "state"
    assert any("name left out" in note for note in said["notes"])
    assert "1 row without state" in done.stderr


def test_the_ending_of_the_file_says_what_is_written(ward):
    for ending, start in (("html", "<!doctype html>"), ("md", "# Predicting state"), ("json", "{")):
        place = ward / f"report.{ending}"
        assert here("report", ward / "scm.json", ward / "ward.csv", "--out", place).returncode == 0
        assert place.read_text(encoding="utf-8").startswith(start)
    done = here("report", ward / "scm.json", ward / "ward.csv", "--format", "card")
    assert done.stdout.startswith("# Model card: state")


def test_the_page_repeats_the_command_and_shows_rows_when_asked(ward, tmp_path):
    table, place = ward / "ward.csv", tmp_path / "model.json"
    command = [
        "fit",
        table,
        "--target",
        "state",
        "--learner",
        "scm",
        "--set",
        "max_rules=1",
        "--na=-9",
        "--drop",
        "age",
    ]
    assert here(*command, "--force", "-o", place).returncode == 0
    made = [here("report", place, table, *words, "--format", "json") for words in ((), ("--rows",))]
    plain, with_rows = (json.loads(each.stdout) for each in made)
    assert plain["reproduction"]["command"] == f"laconic {' '.join(map(str, command))}"
    assert not plain["wrong"]
    assert not plain["columns"][0]["bars"]
    assert with_rows["columns"][0]["bars"]
    assert plain["reproduction"]["command"] in here("report", place, table, "--format", "html").stdout


def test_refusals_name_what_is_wrong_and_write_nothing(ward):
    model, table, place = ward / "scm.json", ward / "ward.csv", ward / "none.html"
    for words, message in (
        ((model, table, "--target", "stat"), "Did you mean"),
        ((model, table, "--out", table), "is read, too"),
        ((model, ward / "no.csv", "--out", place), "No file"),
        ((model, table, "--out", ward / "no" / "r.html"), "no directory"),
    ):
        done = here("report", *words)
        assert done.returncode == 1
        assert message in done.stderr, done.stderr
    assert not place.exists()


def test_the_target_is_read_as_the_model_knows_it(tmp_path):
    lines = ["a,y", *(f"{i},{int(i > 20):02d}" for i in range(40))]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    assert here("fit", tmp_path / "t.csv", "-t", "y", "-l", "scm", "--out", tmp_path / "m.json").returncode == 0
    (tmp_path / "new.csv").write_text("a,y\n3,0\n30,1\n")
    done = here("report", tmp_path / "m.json", tmp_path / "new.csv", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["errors"]["n_wrong"] in (0, 2)  # numbers where the model knows numbers, else texts
