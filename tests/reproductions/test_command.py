"""The command ``python -m reproductions``."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from reproductions.__main__ import main

from reproductions import REPRODUCTIONS


@pytest.fixture
def reproduced(capsys, monkeypatch):
    def run(*words):
        monkeypatch.setattr(sys, "argv", ["reproductions", *words])
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        return SimpleNamespace(returncode=left.value.code, stdout=printed.out, stderr=printed.err)

    return run


def test_the_list_names_everything_with_its_paper(reproduced):
    lines = reproduced("--list").stdout.splitlines()
    listed = dict(line.split()[:2] for line in lines[1:] if "/" in line.split()[0])
    assert listed == {name: str(each.paper) for name, each in REPRODUCTIONS.items()}
    assert all(len(line) <= 100 for line in lines)


def test_one_is_run_and_printed(reproduced, tmp_path):
    done = reproduced("halfspaces/table2", "--quick", "--seed", "1", "--out", str(tmp_path))
    assert done.returncode == 0
    assert re.search(r"n = 30, m = 600, batch: Gen, % +94.4 .* (met|better)", done.stdout)
    assert "A mean is met within the paper's standard deviation" in done.stdout
    assert all(len(line) <= 100 for line in done.stdout.splitlines())
    assert "\x1b" not in done.stdout
    assert {path.name for path in tmp_path.iterdir()} == {
        "cells",
        "run.json",
        "halfspaces-table2.csv",
        "halfspaces-table2.md",
    }
    assert json.loads((tmp_path / "run.json").read_text())["halfspaces/table2"]["seed"] == 1


def test_a_whole_paper_and_the_summary(reproduced, tmp_path, monkeypatch):
    few = {name: REPRODUCTIONS[name] for name in ("pac/mistake-bound", "halfspaces/mirror50")}
    monkeypatch.setattr("reproductions.__main__.REPRODUCTIONS", few)
    done = reproduced("pac", "--out", str(tmp_path))
    assert "pac/mistake-bound" in done.stdout
    assert "mirror50" not in done.stdout
    assert not (tmp_path / "README.md").exists()
    done = reproduced("all", "--out", str(tmp_path))
    assert done.returncode == 0
    assert "README.md" in done.stdout
    assert "Quick forms, which say little" in (tmp_path / "README.md").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["scm/tabel2"], "No table or figure 'scm/tabel2'. Did you mean 'scm/table2'?"),
        (["halfspace"], "Did you mean 'halfspaces'?"),
        ([], "Name a table or figure, a paper, or 'all'"),
    ],
)
def test_refusals_say_what_to_do(words, message, reproduced):
    done = reproduced(*words)
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stdout == ""


def test_the_place_of_the_output_is_looked_at_first(reproduced, tmp_path, monkeypatch):
    def work(*_, **__):
        raise AssertionError("the place of the output comes first")

    monkeypatch.setattr("reproductions.__main__.reproduce", work)
    (tmp_path / "file").touch()
    (tmp_path / "pac-mistake-bound.csv").touch(0o444)
    for place, message in (("file", "File exists"), ("file/below", "Not a directory"), (".", "is read-only")):
        done = reproduced("pac/mistake-bound", "--out", str(tmp_path / place))
        assert done.returncode == 1
        assert message in done.stderr


def test_help_has_an_example(reproduced):
    assert "Example: python -m reproductions scm/table2" in reproduced("--help").stdout


@pytest.mark.parametrize("jobs", [1, 2])
def test_after_ctrl_c_the_same_command_goes_on(tmp_path, jobs, reproduced):
    """A real process in a group of its own is interrupted as a terminal does it: everybody in the group is told."""
    words = ["halfspaces/table1", "--quick", "--out", str(tmp_path), "--jobs", str(jobs)]
    command = [sys.executable, "-m", "reproductions", *words]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    cells = tmp_path / "cells" / "quick-seed0" / "halfspaces-table1"
    deadline = time.monotonic() + 120
    while len(list(cells.glob("*.json"))) < 3 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, (stdout, stderr)
    n_tasks = len(REPRODUCTIONS["halfspaces/table1"].tasks("quick", 0))
    said = rf"Interrupted: \d+ of {n_tasks} tasks are done and kept, \d+ left. The same command goes on"
    assert re.search(said, stderr)
    assert "Traceback" not in stderr
    assert [path.name for path in tmp_path.iterdir()] == ["cells"]
    kept = {path.name: path.stat().st_mtime_ns for path in cells.iterdir()}
    assert 3 <= len(kept) < n_tasks
    for path in cells.iterdir():
        assert "result" in json.loads(path.read_text()), path
    done = reproduced(*words[:-1], "1")  # as many processes as you like
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "halfspaces-table1.csv").exists()
    assert {name: (cells / name).stat().st_mtime_ns for name in kept} == kept
