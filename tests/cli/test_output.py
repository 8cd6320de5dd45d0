"""What the command line writes: no file is lost, no work is lost, and the exit code says what happened."""

import io
import json
import os
import stat
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from types import SimpleNamespace

import pytest
from numba.core import event
from rich.console import Console

import laconic
from laconic import datasets
from laconic.certificates import compression_bound, occam_bound
from laconic.cli import _console, fit, main
from laconic.cli._learners import learners

FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no full device")


def here(*words):
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(out), redirect_stderr(err):
        patched.setattr(sys, "argv", ["laconic", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            main()
    return SimpleNamespace(returncode=left.value.code, stdout=out.getvalue(), stderr=err.getvalue())


def process(*words, code="from laconic.cli import main; main()", **options):
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "timeout": 120} | options
    return subprocess.run([sys.executable, "-c", code, *map(str, words)], **options)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "own.csv"
    datasets.load("haberman", as_frame="polars").frame.write_csv(path)
    return path


@pytest.fixture
def model(table):
    path = table.with_name("model.json")
    assert here("fit", table, "-l", "scm", "-t", "survival_status", "-o", path).returncode == 0
    return path


@pytest.fixture
def nothing_is_done(monkeypatch):
    def work(*_, **__):
        raise AssertionError("the place of the output comes first")

    for verb in ("_fitting.fit_table", "_sources.read_source", "_tables.read_target", "_predicting.predictions"):
        monkeypatch.setattr(f"laconic.cli.{verb}", work)


@pytest.mark.parametrize("kind", ["itself", "symbolic link", "hard link"])
@pytest.mark.usefixtures("nothing_is_done")
def test_fit_does_not_write_over_its_table(table, kind):
    path = table if kind == "itself" else table.with_name("link")
    if kind == "symbolic link":
        path.symlink_to(table)
    elif kind == "hard link":
        path.hardlink_to(table)
    before = table.read_bytes()
    done = here("fit", table, "-l", "scm", "-t", "survival_status", "-o", path, "--force")
    assert done.returncode == 1
    assert "is read, too, and would be replaced" in done.stderr
    assert table.read_bytes() == before


def test_fit_does_not_write_over_the_table_on_standard_input(table):
    before = table.read_bytes()
    with table.open() as file:
        done = process("fit", "-", "-l", "scm", "-t", "survival_status", "-o", table, stdin=file)
    assert (done.returncode, table.read_bytes()) == (1, before)
    assert "is read, too" in done.stderr


def test_predict_does_not_write_over_what_it_reads(table, model, nothing_is_done):
    for path in (table, model):
        before = path.read_bytes()
        done = here("predict", model, table, "-o", path)
        assert (done.returncode, path.read_bytes()) == (1, before)
        assert "is read, too" in done.stderr


def test_read_only_files_are_replaced_by_force_alone(table, model, monkeypatch):
    model.chmod(0o440)
    before = model.read_bytes()
    words = ["fit", table, "-l", "scm", "-t", "survival_status", "--set", "max_rules=1", "-o", model]
    done = here(*words)
    assert (done.returncode, model.read_bytes()) == (1, before)
    assert "is read-only" in done.stderr
    assert here(*words, "--force").returncode == 0
    assert model.read_bytes() != before
    assert stat.S_IMODE(model.stat().st_mode) == 0o440
    predicted = table.with_name("predicted.csv")
    predicted.touch(0o400)
    assert here("predict", model, table, "-o", predicted).returncode == 1
    assert predicted.read_bytes() == b""
    assert here("predict", model, table, "-o", predicted, "--force").returncode == 0
    assert len(predicted.read_text().splitlines()) == 307


@pytest.mark.parametrize("place", ["folder", "folder/", "new/", "missing/model.json", "loop"])
@pytest.mark.usefixtures("nothing_is_done")
def test_a_place_that_cannot_be_written_to_is_refused_before_the_work(table, place):
    folder = table.parent
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to("loop")
    before = sorted(folder.rglob("*"))
    for words in (["fit", table, "-l", "scm", "-t", "survival_status"], ["predict", "model.json", table]):
        done = here(*words, "-o", f"{folder}/{place}")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("laconic: ")
    assert sorted(folder.rglob("*")) == before


@FULL
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_what_was_fitted_is_shown_even_where_it_cannot_be_kept(table, form):
    words = ["fit", table, "-l", "scm", "-t", "survival_status", *form]
    done = here(*words, "-o", "/dev/full")
    assert done.returncode == 1
    assert "The model could not be written to '/dev/full': No space left on device." in done.stderr
    assert done.stdout == here(*words).stdout
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@FULL
def test_predictions_that_cannot_be_written_are_an_error(table, model):
    done = here("predict", model, table, "-o", "/dev/full")
    assert done.returncode == 1
    assert "The predictions could not be written to '/dev/full': No space left on device." in done.stderr


def test_a_broken_pipe_is_an_error_in_words(table, model):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = here("predict", model, table, "-o", f"/dev/fd/{writing}")
    finally:
        os.close(writing)
    assert done.returncode == 1
    assert f"The predictions could not be written to '/dev/fd/{writing}': Broken pipe." in done.stderr


@FULL
@pytest.mark.sampled(1)
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("verb", ["show", "predict"])
def test_a_full_standard_output_is_an_error_too(table, model, verb, unbuffered):
    words = [verb, model, *([table] if verb == "predict" else [])]
    with open("/dev/full", "w") as full:
        done = process(*words, stdout=full, env=os.environ | {"PYTHONUNBUFFERED": unbuffered})
    assert done.returncode == 1
    assert done.stderr == "laconic: No space left on device: standard input or output\n"


def test_standard_output_has_a_name(table, model):
    log = table.with_name("log")
    log.write_text("older\n")
    with log.open("a") as file:
        assert process("predict", model, table, "-o", "/dev/stdout", stdout=file).returncode == 0
    lines = log.read_text().splitlines()
    assert (lines[:2], len(lines)) == (["older", "prediction"], 308)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("True", True),
        ("False", False),
        ("null", None),
        ("None", None),
        ("inf", float("inf")),
        ("a", "a"),
    ],
)
def test_settings_are_spelt_as_in_python_or_in_json(text, value):
    assert fit.parse_settings([f"x={text}"]) == {"x": value}


def test_help_names_every_learner():
    assert fit.NAMES.split(", ") == list(learners())


def test_a_set_of_no_rows_is_paid_for_where_there_could_have_been_some():
    words = ["certify", "--rows", "100", "--errors", "3", "--message", "2", "--json"]
    bound = json.loads(here(*words).stdout)["risk_bound"]
    assert bound == occam_bound(100, 2.0, 3, 0.05)
    paid = json.loads(here(*words, "--size", "0").stdout)["risk_bound"]
    assert paid == compression_bound(100, 0, 3, 2.0, 0.05) > bound
    needed = [json.loads(here("certify", "-e", "0.1", "--json", *more).stdout)["rows_needed"] for more in ([], ["-d0"])]
    assert needed[0] < needed[1]


@pytest.mark.parametrize(("seconds", "said"), [((0.4,), 1), ((0.15, 0.15, 0.4), 1), ((0.05,), 0), ((), 0)])
def test_compiling_is_said_once_it_takes_long_and_once_only(monkeypatch, seconds, said):
    monkeypatch.setattr(_console, "_PATIENCE", 0.2)
    console = Console(file=io.StringIO())
    with _console.compiling_said(console):
        time.sleep(0.25)  # other work does not count
        for each in seconds:
            with event.trigger_event("numba:compile", data={}), event.trigger_event("numba:compile", data={}):
                time.sleep(each)
    assert console.file.getvalue() == f"laconic: {_console.COMPILING}\n" * said


def test_the_first_use_says_that_it_compiles_and_the_second_does_not(tmp_path):
    code = "from laconic.cli import _console, main; _console._PATIENCE = 0.05; main()"
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    words = ["fit", "haberman", "-l", "mcm"]
    first, second = (process(*words, code=code, env=environment) for _ in range(2))
    assert first.stderr == f"laconic: {_console.COMPILING}\n"
    assert (second.returncode, second.stderr) == (0, "")
    assert first.stdout == second.stdout


def test_help_waits_for_nothing():
    verbs = ["fit", "predict", "show", "compare", "certify", "export", "datasets", "pack"]
    code = f"""
import sys
from laconic.cli import main
for words in (["--version"], ["--help"], *([verb, "--help"] for verb in {verbs!r})):
    sys.argv = ["laconic", *words]
    try:
        main()
    except SystemExit as left:
        assert left.code == 0
    found = [name for name in ("numpy", "scipy", "sklearn", "numba", "polars") if name in sys.modules]
    assert not found, (words, found)
"""
    done = process(code=code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(laconic.__version__)
    assert done.stdout.count("Usage") == 1 + len(verbs)


def test_a_warning_is_one_line_without_the_code_that_warned(table):
    done = process("fit", table, "-t", "survival_status", "--learner", "halfspaces", "--set", "max_rows=100")
    assert done.returncode == 0
    (said,) = [line for line in done.stderr.splitlines() if "max_rows" in line]
    assert said.startswith("laconic: Halfspaces were searched in")
    assert "Warning" not in done.stderr
