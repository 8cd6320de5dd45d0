"""Every line of code in the README runs and prints what it says."""

import csv
import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from laconic.cli import main

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_python_blocks_are_true():
    sessions = blocks("pycon")
    assert sessions
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    names = {}
    for number, session in enumerate(sessions):
        test = parser.get_doctest(session, names, f"README block {number}", None, None)
        runner.run(test, clear_globs=False)
        names = test.globs
    assert runner.summarize(verbose=False).failed == 0


def shell_lines():
    return [line for block in blocks("console") for line in re.findall(r"^\$ (laconic .*)$", block, flags=re.MULTILINE)]


def test_shell_lines_run_one_after_the_other(tmp_path, monkeypatch, capsys):
    lines = shell_lines()
    assert len(lines) > 3
    monkeypatch.chdir(tmp_path)
    for line in lines:
        monkeypatch.setattr(sys, "argv", shlex.split(line))
        with pytest.raises(SystemExit) as left:
            main()
        assert left.value.code == 0, capsys.readouterr().err


def test_shown_output_is_the_real_one():
    block = next(block for block in blocks("console") if "With 95 %" in block)
    command, _, shown = block.partition("\n")
    words = shlex.split(command.removeprefix("$ "))[1:]
    done = subprocess.run([sys.executable, "-m", "laconic", *words], capture_output=True, text=True, timeout=120)
    assert [line.rstrip() for line in done.stdout.splitlines()] == [line.rstrip() for line in shown.splitlines()]


def test_the_make_commands_exist():
    targets = re.findall(r"^([a-z-]+):", (Path(__file__).parents[1] / "Makefile").read_text(), flags=re.MULTILINE)
    for command in re.findall(r"make ([a-z-]+)", README):
        assert command in targets


def results(name):
    with open(Path(__file__).parents[1] / "benchmarks" / "results" / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_speed_claims_come_from_the_benchmark():
    for row in results("stumps"):
        line = next(line for line in README.splitlines() if line.startswith(f"| {int(row['rows']):,} ×"))
        assert f"**{row['exact_vs_pyscm']} times faster**" in line
        assert f"exact takes {row['bins_vs_exact']} times as long" in line
    row = next(row for row in results("soft") if row["rows"] == "2000")
    text = re.sub(r"\s+", " ", README)
    assert f"{row['ns_per_pair']} ns for each pair of 2,000 rows" in text
    assert f"{row['times_faster_than_definition']} times faster than the definition" in text
    assert (
        f"takes {row['cv_seconds']} s, a tuned RBF SVM with as many pairs of parameters {row['svm_cv_seconds']} s"
        in text
    )
    rows = results("halfspaces")
    decision = next(row for row in rows if row["what"] == "decision" and row["n"] == "10")
    assert f"takes {decision['us_per_lp']} µs at 10 columns and 3,000 rows, {decision['times_highs']} times" in text
    assert f"{decision['times_linprog']} times faster than scipy's `linprog`" in text
    whole = next(row for row in rows if row["what"] == "nearest" and row["n"] == "50")
    assert f"takes {float(whole['learner_s']):.1f} s (36 hours in the paper)" in text
    assert f"right on {whole['gen_percent']} % of new rows" in text
    linear, classifier, kernel, against_svr, fit, _ = results("minimal")
    assert f"{linear['times_linprog']} and {classifier['times_linprog']} times faster than scipy's `linprog`" in text
    assert f"200 kernel columns {kernel['times_linprog']} times." in text
    assert f"`LinearSVR` {against_svr['times_linear_svr']} times as long" in text
    assert f"certificate included, {fit['times_of_svr']} times as long as `SVR`" in text
    row = next(row for row in results("balls") if row["rows"] == "5000")
    assert f"{row['whole_ratio']} times faster, its greedy part {row['greedy_ratio']} times" in README


def test_the_record_of_the_papers_is_quoted_as_it_is():
    record = (Path(__file__).parents[1] / "reproductions" / "README.md").read_text(encoding="utf-8")
    (opening,) = re.findall(r"Of \d+ figures that are judged, \d+ \(\d+ %\) are met or better", record)
    assert opening in re.sub(r"\s+", " ", README)


def test_claims_about_certificates_come_from_the_tables():
    chosen = [row for row in results("tightness") if row["learner"].endswith("the bound chooses")]
    ratios = [float(row["ratio"]) for row in chosen]
    assert len({row["data"] for row in chosen}) == 7
    assert f"{min(ratios):.2f} to {max(ratios):.2f} times those" in re.sub(r"\s+", " ", README)
    assert all(float(row["certificate"]) <= float(row["paper"]) for row in results("tightness") if row["paper"])
    simulated = results("simulation")
    assert all(int(row["draws"]) >= 2000 for row in simulated)
    assert all(int(row["violations"]) <= float(row["delta"]) * int(row["draws"]) for row in simulated)
