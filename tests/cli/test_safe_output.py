"""Printing: literally, without anything that a terminal obeys, and to readers who leave early or are not there."""

import csv
import io
import json
import os
import subprocess
import sys
import unicodedata
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import pytest

import laconic
from laconic.cli import main
from laconic.cli._console import visible
from laconic.model_file import _io

HOSTILE = [
    "\x1b]52;c;aGk=\x07",  # the clipboard
    "\x1b]0;title\x07",
    "\x1b[8mhidden",
    "a\u202eb\u2066c",  # from right to left
    "\x9b31m",  # a control sequence of one byte
    "two\nlines",
    "back\rspace\x08",
    "hid\u200bden\ufeff",
    "[red]x[/red][link=http://example.org]y[/link]:skull:",
]
LABELS = {True: f"ill{''.join(HOSTILE)}", False: "well\x1b[2J[bold]"}
COMMAND = [sys.executable, "-m", "laconic"]


class Terminal(io.StringIO):
    """Looks like a terminal, and keeps what it gets."""

    def isatty(self):
        return True


def on_terminal(*words, out=None):
    """Run words in this process; return the exit code, and what a terminal got."""
    terminal = Terminal()
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(out or terminal), redirect_stderr(terminal):
        patched.setattr(sys, "argv", ["laconic", *words])
        patched.setenv("TERM", "dumb")
        with pytest.raises(SystemExit) as left:
            main()
    return left.value.code, terminal.getvalue()


def obeyed(text):
    """Return the characters that a terminal obeys, or that nobody sees."""
    return {each for each in text if unicodedata.category(each) in ("Cc", "Cf", "Zl", "Zp") and each != "\n"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write a table whose names and values are hostile, and a model file made by hand from an honest one."""
    folder = tmp_path_factory.mktemp("hostile")
    names = [f"c{place}{text}" for place, text in enumerate(HOSTILE)]
    rows = np.random.default_rng(0).integers(10, size=(80, len(names))).tolist()
    for name, header, labels, side in (
        ("honest.csv", [f"c{place}" for place in range(len(names))], {True: "ill", False: "well"}, ["A", "B"]),
        ("x\x1b[8m.csv", names, LABELS, ["A\x1b[8m", f"B{HOSTILE[0]}"]),
    ):
        with open(folder / name, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow([*header, "side", "outcome\x1b[8m"])
            writer.writerows([*row, side[i % 2], labels[row[5] > 4]] for i, row in enumerate(rows))
    words = ["-t", "outcome\x1b[8m", "-l", "scm", "-o", str(folder / "honest.json")]
    assert on_terminal("fit", str(folder / "honest.csv"), *words)[0] == 0
    content = json.loads((folder / "honest.json").read_text())
    content["columns"]["names"] = [*names, "side"]
    content["classes"]["values"] = [LABELS[each == "ill"] for each in content["classes"]["values"]]
    content["about"]["notes"] = content["about"]["target"] = "outcome\x1b[8m"
    content["certificate"]["assumptions"] = [*content["certificate"]["assumptions"], HOSTILE[0]]
    content["sha256"] = _io._digest(content)
    (folder / "x\x1b[8m.json").write_text(json.dumps(content))
    laconic.load(folder / "x\x1b[8m.json")
    return folder


@pytest.fixture(autouse=True)
def _inside(folder, monkeypatch):
    monkeypatch.chdir(folder)


TABLE, MODEL, TARGET = "x\x1b[8m.csv", "x\x1b[8m.json", "outcome\x1b[8m"


@pytest.mark.parametrize(
    "words",
    [
        ["fit", TABLE, "-t", TARGET, "-l", "scm", "-o", "new\x1b[8m.json"],
        ["fit", TABLE, "-t", TARGET, "-l", "scm", "--json"],
        ["fit", TABLE, "-t", "no\x1b[8m"],
        ["fit", TABLE, "no\x1b[8m"],
        ["fit", "no\x1b[8m.csv", "-t", "x"],
        ["show", MODEL, "--explain"],
        ["show", "no\x1b[8m.json"],
        ["predict", MODEL, TABLE, "--explain"],
        ["predict", MODEL, TABLE, "--json"],
        ["predict", MODEL, "honest.csv"],
        ["report", MODEL, TABLE, "--format", "markdown"],
        ["report", MODEL, TABLE],
        ["watch", MODEL, TABLE, "--state", "watch\x1b[8m.jsonl", "--target", TARGET],
        ["verify", MODEL, TABLE],
        ["verify", MODEL, "honest.csv"],
        ["export", MODEL, "--to", "sql", "--rule"],
        ["export", MODEL, "--to", "python"],
        ["export", MODEL, "--to", "json-rules"],
        ["datasets", "no\x1b[8m"],
        ["no\x1b[8m"],
        ["--verbose", "fit", TABLE, "-t", "no\x1b[8m"],
        ["pack", TABLE, "place\x1b[8m"],
        pytest.param(["compare", TABLE, "-t", TARGET, "--cv", "2"], marks=pytest.mark.slow),
    ],
    ids=lambda words: visible(" ".join(words)),
)
def test_nothing_that_a_terminal_obeys_reaches_it(words, folder):
    code, got = on_terminal(*words)
    assert code in (0, 1, 2, 3, 4)
    assert ("Traceback" in got) == ("--verbose" in words)
    assert got
    assert not obeyed(got.replace("\x1b[?25l", "").replace("\x1b[?25h", ""))


def test_markup_and_emoji_are_texts():
    assert HOSTILE[8] in on_terminal("fit", TABLE, "-t", "nothing")[1]
    assert "[bold]" in on_terminal("show", MODEL)[1]


def test_a_line_of_a_name_is_no_line_of_ours(folder):
    table = folder / "lines.csv"
    table.write_text('"x\nThe error is at most 0 %.",ill\n' + "".join(f"{i % 7},{'yn'[i % 2]}\n" for i in range(40)))
    _, got = on_terminal("fit", "lines.csv", "-t", "x\nThe error is at most 0 %.")
    assert "The error is at most 0 %." not in got.splitlines()


def test_data_stay_data(folder):
    words = [*COMMAND, "predict", MODEL, TABLE]
    piped = subprocess.run(words, cwd=folder, capture_output=True, timeout=120, check=True).stdout.decode()
    assert on_terminal(*words[3:], "--out", "p.csv")[0] == 0
    assert piped == (folder / "p.csv").read_bytes().decode()
    assert {row["prediction"] for row in csv.DictReader(io.StringIO(piped, newline=""))} == set(LABELS.values())


VERBS = [
    ["fit", "honest.csv", "-t", TARGET, "-l", "scm"],
    ["show", "honest.json", "--explain"],
    ["show", "honest.json", "--json"],
    ["predict", "honest.json", "honest.csv"],
    ["predict", "honest.json", "honest.csv", "--json"],
    ["report", "honest.json", "honest.csv"],
    ["verify", "honest.json", "honest.csv"],
    ["verify", "--program"],
    ["export", "honest.json", "--to", "sql"],
    ["certify", "--rows", "100"],
    ["datasets"],
    ["fit", "--help"],
    ["--version"],
]


@pytest.fixture
def unread():
    """Open a pipe that nobody reads any more, as `| true` does."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as file:
        yield file


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_a_reader_may_leave_early(words, folder, unread):
    assert on_terminal(*words, out=unread) == (0, "")


def test_a_process_whose_reader_left_ends_well(folder, unread):
    words = [*COMMAND, "predict", "honest.json", "honest.csv"]
    done = subprocess.run(words, cwd=folder, stdout=unread, stderr=subprocess.PIPE, timeout=120)
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_alarm_is_told_by_the_exit_code_even_if_nobody_reads(folder, unread):
    rows = (folder / "honest.csv").read_text().splitlines()
    other = {"ill": "well", "well": "ill"}
    wrong = [f"{row.rpartition(',')[0]},{other[row.rpartition(',')[2]]}" for row in rows[1:]]
    (folder / "wrong.csv").write_text("\n".join([rows[0], *wrong]))
    words = ["watch", "honest.json", "wrong.csv", "--state", "alarm.jsonl", "--target", TARGET]
    assert on_terminal(*words, out=unread)[0] == 4


@pytest.mark.parametrize("words", [VERBS[3], ["--help"]], ids=" ".join)
def test_a_closed_standard_output_is_one_line(words, folder):
    shell = ["sh", "-c", 'exec "$@" >&-', "sh", *COMMAND, *words]
    done = subprocess.run(shell, cwd=folder, stderr=subprocess.PIPE, timeout=120)
    assert done.returncode == 1
    assert done.stderr == b"laconic: Standard output is closed: send it to a file, or to /dev/null.\n"


def test_scripts_stay_as_they_are():
    assert visible("می\u200cخواهم Größe 温度 🙂\n") == "می\u200cخواهم Größe 温度 🙂\n"
