"""The command line as a user meets it: a real process where that matters, else the same words in this one."""

import gzip
import json
import re
import subprocess
import sys
from types import SimpleNamespace

import polars as pl
import pytest

import laconic as package
from laconic.cli import main
from laconic.cli._console import COMPILING


@pytest.fixture
def laconic(capsys, monkeypatch):
    def run(*words):
        monkeypatch.setattr(sys, "argv", ["laconic", *words])
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        return SimpleNamespace(returncode=left.value.code, stdout=printed.out, stderr=printed.err)

    return run


def process(*words):
    command = [sys.executable, "-m", "laconic", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.fixture
def patients(tmp_path):
    lines = ["Body mass,smoker,group,ill"]
    for i in range(60):
        mass = 18 + (i * 7) % 23
        ill = "yes" if mass > 30 or i % 3 == 0 else "no"
        lines.append(
            f"{'' if i == 5 else mass},{'true' if i % 3 == 0 else 'false'},{'ABC'[i % 3]},{'' if i == 7 else ill}"
        )
    path = tmp_path / "patients.csv"
    path.write_text("\n".join(lines))
    return path


def test_fit_prints_rules_and_certificate_within_80_columns():
    done = process("fit", "breast_cancer_wisconsin", "-l", "scm", "--set", "form=disjunction", "--set", "max_rules=2")
    assert done.returncode == 0
    assert done.stderr in ("", f"laconic: {COMPILING}\n")
    assert "malignant if any of these holds" in done.stdout
    assert "1. cell_size_uniformity > 3" in done.stdout
    assert "With 95 % confidence" in done.stdout
    assert "This holds if:" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert "\x1b" not in done.stdout


def test_fit_reads_a_mixed_file_and_says_what_it_left_out(patients, laconic):
    done = laconic(
        "fit", str(patients), "-l", "scm", "--target", "ill", "--set", "form=disjunction", "--set", "penalty=1"
    )
    assert done.returncode == 0, done.stderr
    assert "59 rows, 3 columns" in done.stdout
    assert "1. Body mass > 28 " in done.stdout
    assert "2. smoker " in done.stdout


@pytest.mark.parametrize("kind", ["tsv", "parquet", "csv.gz"])
def test_other_formats_give_the_same_model(patients, kind, laconic):
    frame = pl.read_csv(patients)
    other = patients.with_suffix(f".{kind}")
    if kind == "tsv":
        frame.write_csv(other, separator="\t")
    elif kind == "parquet":
        frame.write_parquet(other)
    else:
        other.write_bytes(gzip.compress(patients.read_bytes()))
    models = [
        json.loads(laconic("fit", str(path), "-l", "scm", "-t", "ill", "--json").stdout) for path in (patients, other)
    ]
    assert models[0] == models[1]


def test_json_is_one_object(laconic):
    done = laconic("fit", "haberman", "-l", "scm", "--json", "--set", "penalty=inf", "--set", "max_rules=null")
    assert done.returncode == 3  # the raw table has contradictory rows
    assert "equal but differ in class" in done.stderr
    model = json.loads(
        laconic("fit", "haberman", "-l", "scm", "--json", "--set", "form=conjunction", "--set", "penalty=1").stdout
    )
    assert model["certificate"]["n_samples"] == 306
    assert model["classes"] == [1, 2]
    assert model["rules"][0]["support"] > 0
    assert model["hypothesis"]["type"] == "Conjunction"


def test_fit_with_soft_balls(laconic):
    done = laconic("fit", "haberman", "--learner", "pac-bayes", "--set", "max_rules=1")
    assert done.returncode == 0
    assert re.search(r"within [\d.…]+ to [\d.…]+ of row", done.stdout)
    assert "With 95 % confidence" in done.stdout


def test_fit_with_a_minimal_complexity_machine(laconic):
    done = laconic("fit", "haberman", "--learner", "mcm")
    assert done.returncode == 0
    assert re.search(r"2 if this sum is above 0, else 1:", done.stdout)
    assert "95 % confidence" in done.stdout
    model = json.loads(laconic("fit", "haberman", "--learner", "mcm", "--json").stdout)
    assert {rule["prediction"] for rule in model["rules"]} == {2}


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["fit", "nowhere.csv"], 1, "No file 'nowhere.csv', and no shipped data set of that name; those are breast"),
        (
            ["fit", "pima", "-l", "scm", "--target", "clas"],
            1,
            "No column 'clas'; the columns are .* Did you mean 'class'?",
        ),
        (["fit", "pima", "-l", "scm", "--set", "penalty"], 2, "--set takes name=value"),
        (["fit", "pima", "-l", "scm", "--set", "depth=3"], 2, "no parameter 'depth'; it has class_weight, delta"),
        (["fit", "pima", "-l", "scm", "--set", "penalty=-1"], 2, "'penalty' parameter .* must be a float"),
        (["fit", "pima", "--learner", "svm"], 2, "Unknown learner 'svm'"),
        (["datasets", "pimas"], 1, "pima"),
        (["fit", "auto_mpg", "-l", "mcm", "--set", "epsilon=1e-9"], 3, "no regressor .* epsilon must be larger than"),
        (["fit", "auto_mpg", "-l", "mcm", "--set", "C=1e-9"], 3, "C=1e-09 is too small for"),
        (["fit"], 2, "Missing argument"),
        (["foretell"], 2, "No such command"),
    ],
)
def test_refusals_are_one_readable_line(words, code, message, laconic):
    done = laconic(*words)
    assert done.returncode == code
    assert done.stdout == ""
    assert re.search(message, done.stderr), done.stderr
    assert "Traceback" not in done.stderr


def test_verbose_shows_the_traceback():
    done = process("--verbose", "fit", "nowhere.csv")
    assert "Traceback" in done.stderr
    assert done.returncode == 1


def test_a_file_without_a_target_asks_for_one(patients, laconic):
    done = laconic("fit", str(patients), "-l", "scm")
    assert done.returncode == 1
    assert "--target COLUMN, one of Body mass, smoker, group, ill" in done.stderr


def test_broken_files_are_refused(tmp_path, laconic):
    broken = tmp_path / "broken.csv"
    broken.write_bytes(b"a,b\n1,2,3,4\n\xff\xfe")
    done = laconic("fit", str(broken), "-l", "scm", "--target", "b")
    assert done.returncode == 1
    assert "is not UTF-8: byte 0xff at offset 12 (line 3)" in done.stderr


def test_datasets_lists_and_describes(laconic):
    listed = laconic("datasets")
    assert listed.returncode == 0
    assert "breast_cancer_wisconsin" in listed.stdout
    assert all(len(line) <= 80 for line in listed.stdout.splitlines())
    assert "294" in laconic("datasets", "haberman").stdout
    assert {entry["name"] for entry in json.loads(laconic("datasets", "--json").stdout)} >= {"pima", "credit"}


def test_version_and_help(laconic):
    assert laconic("--version").stdout.strip() == package.__version__
    for words in ([], ["fit"], ["datasets"]):
        done = laconic(*words, "--help")
        assert done.returncode == 0
        assert "Usage" in done.stdout
    assert "Example:" in laconic("fit", "--help").stdout
