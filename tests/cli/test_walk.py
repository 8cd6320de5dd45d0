"""A walk through the command line as a new user takes it: real processes, a mixed table, odd names, missing values."""

import csv
import io
import json
import os
import pty
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import laconic
from laconic.cli import main

COMMAND = [sys.executable, "-m", "laconic"]


def process(*words, **options):
    return subprocess.run([*COMMAND, *words], capture_output=True, text=True, timeout=120, **options)


def here(*words, given=""):
    """Run the same words in this process: starting one takes longer than most verbs."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(out), redirect_stderr(err):
        patched.setattr(sys, "argv", ["laconic", *words])
        patched.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        with pytest.raises(SystemExit) as left:
            main()
    return SimpleNamespace(returncode=left.value.code, stdout=out.getvalue(), stderr=err.getvalue())


@pytest.fixture(scope="module")
def ward(tmp_path_factory):
    """Write a table of 240 patients: numbers, flags, categories, values and labels that are missing."""
    rng = np.random.default_rng(0)
    mass, fever = rng.normal(75, 12, 240).round(1), rng.random(240) < 0.3
    ill = np.where((mass > 85) | fever, "ill", "well")
    lines = [["Body mass, kg", "fever?", "ward & bed", "€ paid", "outcome"]]
    for i in range(240):
        bed = ["A", "B", "<b>", "Ü"][rng.integers(4)]
        lines.append([mass[i], "true" if fever[i] else "false", bed, rng.integers(0, 900), ill[i]])
    for row in rng.choice(np.arange(1, 241), 12, replace=False):
        lines[row][rng.integers(3)] = ""
    lines[7][4] = ""
    path = tmp_path_factory.mktemp("ward") / "patients of today.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(lines)
    return path


@pytest.fixture(scope="module")
def model(ward):
    path = ward.with_name("model.json")
    done = process("fit", str(ward), "-l", "scm", "--target", "outcome", "--set", "form=auto", "--out", str(path))
    assert done.returncode == 0, done.stderr
    return path, done.stdout


def test_fit_says_what_it_did_and_writes_the_model(ward, model):
    path, printed = model
    assert "239 rows, 4 columns, predicting outcome" in printed
    assert "1 row without outcome left out" in printed
    assert "Body mass, kg <= 84.4" in printed
    assert "fever?" in printed
    assert f"laconic show {path}" in printed
    assert "With 95 % confidence" in printed
    assert [each.name for each in path.parent.iterdir() if each.name.startswith(".")] == []
    assert all(len(line) <= 80 for line in printed.splitlines() if str(path) not in line and str(ward) not in line)


def test_show_is_what_fit_printed(model):
    path, printed = model
    shown = here("show", str(path))
    assert shown.returncode == 0
    assert shown.stdout.split("╭")[1] == printed.split("╭")[1].split("\n\nThe model is in")[0] + "\n"
    explained = here("show", str(path), "--explain").stdout
    assert "Paid, in nats" in explained
    assert json.loads(here("show", str(path), "--json").stdout)["learner"] == "SetCoveringClassifier"


def test_predictions_are_the_same_before_and_after_the_file(ward, model, tmp_path):
    path, _ = model
    frame = pl.read_csv(ward).filter(pl.col("outcome").is_not_null())
    X = frame.drop("outcome")
    fitted = laconic.SetCoveringClassifier("auto", ["literals", "stumps"], penalty=1.0).fit(
        X, frame["outcome"].to_numpy()
    )
    new = tmp_path / "new.csv"
    X.select(reversed(X.columns)).with_columns(another=pl.lit(1)).write_csv(new)  # other order, one column more
    done = process("predict", str(path), str(new))
    answers = [row["prediction"] for row in csv.DictReader(io.StringIO(done.stdout))]
    assert answers == fitted.predict(X).tolist()
    written = tmp_path / "predicted.csv"
    done = here("predict", str(path), str(new), "--explain", "--out", str(written))
    assert (done.returncode, done.stdout) == (0, "")
    rows = list(csv.DictReader(io.StringIO(written.read_text(encoding="utf-8"))))
    assert [row["reason"] for row in rows] == [line["reason"] for line in fitted.explain(X)]
    rows = json.loads(here("predict", str(path), str(new), "--json").stdout)
    assert [row["prediction"] for row in rows] == answers


def test_words_that_look_like_numbers_stay_words(tmp_path):
    lines = [f"{50 + i},{'A1' if i % 3 == 0 else i % 3},{'ill' if i % 3 == 0 else 'well'}" for i in range(60)]
    table, new = tmp_path / "table.csv", tmp_path / "new.csv"
    table.write_text("\n".join(["mass,code,state", *lines]))
    new.write_text("mass,code\n51,1\n,2\n")
    path = tmp_path / "model.json"
    assert here("fit", str(table), "-l", "scm", "-t", "state", "--out", str(path)).returncode == 0
    done = here("predict", str(path), str(new))
    assert done.stdout == "prediction\nwell\nwell\n", done.stderr


def test_standard_input_is_a_table(ward, model):
    text = ward.read_text(encoding="utf-8")
    done = process("fit", "-", "-l", "scm", "-t", "outcome", "--set", "form=auto", "--json", input=text)
    assert json.loads(done.stdout)["certificate"]["n_samples"] == 239
    done = here("predict", str(model[0]), "-", given=text)
    assert len(done.stdout.splitlines()) == 241


def test_learners_of_numbers_leave_out_the_rest_and_say_so(ward, tmp_path):
    path = tmp_path / "sum.json"
    done = here("fit", str(ward), "-t", "outcome", "-l", "pac-bayes", "--set", "max_rules=1")
    assert done.returncode == 0, done.stderr
    assert "left out, since pac-bayes reads numbers: ward & bed" in done.stdout
    done = here("fit", str(ward), "-t", "outcome", "-l", "mcm", "--out", str(path))
    assert done.returncode == 0, done.stderr
    assert "left out, since" not in done.stdout, "a sum weighs categories, too"
    assert "with missing values left out" in done.stdout
    assert "New rows are complete" in done.stdout
    done = here("predict", str(path), str(ward), "--explain")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    empty = [row for row in rows if not row["prediction"]]
    assert f"{len(empty)} of 240 rows; these get no prediction" in done.stderr
    assert {row["reason"] for row in empty} == {"a value is missing"}
    assert all(row["reason"].startswith("the sum is ") for row in rows if row["prediction"])


def test_a_target_of_many_numbers_is_predicted_as_one(tmp_path):
    path = tmp_path / "mpg.json"
    done = here("fit", "auto_mpg", "--out", str(path))
    assert done.returncode == 0, done.stderr
    assert "mpg has 129 different numbers, so it is predicted as a number" in done.stdout
    rows = list(csv.DictReader(io.StringIO(here("predict", str(path), "auto_mpg").stdout)))
    assert len(rows) == 398, "missing values are no hindrance"
    assert all(float(row["low"]) < float(row["prediction"]) < float(row["high"]) for row in rows)


def test_a_band_that_cannot_be_promised_is_said_before_anything_else(tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("a,y\n" + "".join(f"{i % 7},{i * i / 8}\n" for i in range(30)))
    done = here("fit", str(path), "-t", "y", "--set", "max_words=2")
    assert done.returncode == 0, done.stderr
    heading, first, *_ = done.stdout.splitlines()
    assert heading.endswith("30 rows, 1 column, predicting y")
    assert first == "- No band that holds 90 % of new targets can be promised from 30 rows."


def test_compare_and_certify(ward):
    lines = json.loads(here("compare", str(ward), "-t", "outcome", "--cv", "3", "--json").stdout)
    by_name = {line["learner"]: line for line in lines}
    assert {"scm", "mcm", "decision tree", "SVM", "logistic regression", "nearest neighbour"} <= by_name.keys()
    assert by_name["scm"]["error"] < 0.15
    assert by_name["scm"]["bound"] < 0.3
    assert by_name["decision tree"]["bound"] is None
    assert by_name["decision tree, depth 3"]["size"] <= 8
    others = [line for line in lines if line["bound"] is None and line["error"] is not None]
    tried, peers = (
        [line["learner"] for line in others if line["learner"].startswith("auto: ") == ours] for ours in (True, False)
    )
    assert "auto: thresholds" in tried  # what the default chooses from; its promise is that of the choice
    assert peers[0] == "most frequent class"
    outcomes = [row["outcome"] for row in csv.DictReader(io.StringIO(ward.read_text(encoding="utf-8")))]
    known = [outcome for outcome in outcomes if outcome]
    fewer = min(known.count("ill"), known.count("well")) / len(known)
    assert by_name["most frequent class"]["error"] == pytest.approx(fewer, abs=0.01)
    assert by_name["most frequent class"]["size"] == 0
    assert by_name["pac-bayes"]["note"].startswith("1 column, ")
    assert "column" not in by_name["mcm"]["note"]
    done = here("certify", "--rows", "683", "--size", "2", "--errors", "13", "--message", "2.1", "--wanted", "0.05")
    assert "at most\n6.9 %." in done.stdout
    assert "rows would promise 5 %" in done.stdout
    needed = json.loads(here("certify", "--wanted", "0.1", "--message", "10", "--json").stdout)["rows_needed"]
    bounds = [
        json.loads(here("certify", "-m", str(m), "--message", "10", "--json").stdout)["risk_bound"]
        for m in (needed - 1, needed)
    ]
    assert bounds[0] > 0.1 >= bounds[1]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["certify"], 2, "Give --rows for a bound"),
        (["certify", "-m", "10", "-d", "11"], 1, "are too many"),
        (["certify", "-e", "0.1", "--share", "0.2"], 1, "No number of rows promises 10 %"),
        (["fit", "haberman", "--learner", "smc"], 2, "Did you mean 'scm'?"),
        (["fit", "haberman", "--set", "form=auto"], 2, "--learner scm has it"),
        (["fit", "haberman", "--out", "nowhere/model.json"], 1, "There is no directory 'nowhere'"),
        (["fit", "auto_mpg", "--learner", "halfspaces"], 1, "which only auto and mcm predict"),
        (["fit", "glass", "--select", "bound", "-l", "mcm"], 2, "--select works with auto and scm"),
        (["show", "nowhere.json"], 1, "nowhere.json"),
        (["predict", "nowhere.json", "haberman"], 1, "nowhere.json"),
        (["compare", "haberman", "-t", "ages"], 1, "Did you mean 'age'?"),
        (["certify", "--rows", "many"], 2, "Invalid value"),
        (["predcit"], 2, "No such command"),
        (["fit", "house_votes", "--learner", "normal-form"], 3, "--set penalty=3"),
    ],
)
def test_exit_codes_mean_something(words, code, message):
    done = here(*words)
    assert done.returncode == code, done.stderr
    assert message in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr


def test_verbose_shows_the_traceback():
    assert "Traceback" in process("--verbose", "show", "nowhere.json").stderr


def test_help_says_what_exit_codes_mean():
    text = " ".join(here("--help").stdout.split())
    for words in (
        "0 done",
        "1 the input was refused",
        "output not written",
        "2 the command was wrong",
        "3 no such model",
        "130 interrupted",
    ):
        assert words in text


def test_every_verb_helps_with_an_example():
    for verb in ("fit", "predict", "show", "compare", "certify", "datasets", "pack"):
        done = here(verb, "--help")
        assert done.returncode == 0
        assert f"Example: laconic {verb}" in " ".join(done.stdout.split())


def said_until(screen, words=None):
    """Read what a process writes to a terminal, until it says some words or ends."""
    said = b""
    while words is None or words.encode() not in said:
        try:
            said += os.read(screen, 1024)
        except OSError:  # as Linux says that nobody has the terminal any more
            assert words is None, said.decode()
            break
    return said.decode()


def test_an_interrupted_fit_leaves_nothing_behind(tmp_path):
    rng = np.random.default_rng(0)
    table = pl.DataFrame({f"x{j}": rng.normal(size=60_000) for j in range(40)} | {"y": rng.integers(0, 2, 60_000)})
    words = [*COMMAND, "fit", "-", "-l", "scm", "-t", "y", "--out", str(tmp_path / "model.json"), "--cv", "10"]
    screen, terminal = pty.openpty()
    places = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": terminal}
    with subprocess.Popen(words, **places, env=os.environ | {"TERM": "xterm"}) as running:
        os.close(terminal)
        running.stdin.write(table.write_csv().encode())
        running.stdin.close()
        begun = said_until(screen, "rules")  # it tells how far it has come
        os.kill(running.pid, signal.SIGINT)
        complaint = begun + said_until(screen)
        running.wait(timeout=60)
    os.close(screen)
    assert running.returncode == 130, complaint
    assert "interrupted; nothing was half-written" in complaint
    assert list(tmp_path.iterdir()) == []
