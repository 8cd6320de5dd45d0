"""One watch, several who feed it: rows count once and alarms stay, whoever comes first."""

import json
import os
import subprocess
import sys
from contextlib import ExitStack

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import laconic
from laconic import CertificateMonitor, SetCoveringClassifier
from laconic._journal import locked
from laconic.cli import _sources
from laconic.exceptions import DamagedFile, RowsFedBefore
from tests.monitor.common import NAMES, NEW, TRUE, fitted, run
from tests.test_journal import check_chain

TURNED = np.where(TRUE == "yes", "no", "yes")
TABLES = {"one": (NEW[:200], TRUE[:200]), "two": (NEW[200:400], TRUE[200:400]), "bad": (NEW[400:], TURNED[400:])}


@pytest.fixture
def model():
    return fitted()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fitted(named=True).save("model.json")
    for name, (X, y) in TABLES.items():
        pd.DataFrame(X, columns=NAMES).assign(y=y).to_csv(f"{name}.csv", index=False)
    return tmp_path


def standing(monitor):
    return monitor.n_rows_, monitor.n_errors_, monitor.evidence_, monitor.line_evidence_, monitor.alarm_


def counts(path):
    """Return the rows and errors of each batch that a journal holds."""
    return [(batch["n_rows"], batch["n_errors"]) for batch in check_chain(path.read_bytes())[1:]]


# ---- the command

WATCH = "watch model.json {} --target y --state watch.jsonl"


def test_an_alarm_stays_though_a_slow_call_began_before_it(folder, monkeypatch, capsys):
    read_source, within = _sources.read_source, []

    def slowly(table, *further):
        source = read_source(table, *further)
        if table == "one.csv":  # while its rows are read, another call raises the alarm
            within.append(run(WATCH.format("bad.csv"), monkeypatch, capsys)[0])
        return source

    monkeypatch.setattr(_sources, "read_source", slowly)
    code, said = run(WATCH.format("one.csv"), monkeypatch, capsys)
    assert within == [4]
    assert (code, "Alarm after 400 rows" in said) == (4, True)
    assert run(WATCH.format("two.csv"), monkeypatch, capsys)[0] == 4
    assert [n for n, _ in counts(folder / "watch.jsonl")] == [200, 200, 200]


def test_rows_that_two_calls_read_at_once_count_once(folder, monkeypatch, capsys):
    read_source, within = _sources.read_source, []

    def slowly(*asked):
        source = read_source(*asked)
        if not within:
            within.append(None)
            within[0] = run(WATCH.format("one.csv"), monkeypatch, capsys)[0]
        return source

    monkeypatch.setattr(_sources, "read_source", slowly)
    code, said = run(WATCH.format("one.csv"), monkeypatch, capsys)
    assert (within, code, "fed before" in said) == ([0], 1, True)
    assert len(counts(folder / "watch.jsonl")) == 1


@pytest.mark.slow
def test_processes_feed_one_watch_at_once(folder):
    command = [sys.executable, "-m", "laconic", "watch", "model.json", "-", "--target", "y", "--state", "watch.jsonl"]
    environment = os.environ | {"PYTHONPATH": os.path.dirname(os.path.dirname(laconic.__file__))}
    names = ["one", "one", "two", "bad"]
    with ExitStack() as stack:
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        programs = [stack.enter_context(subprocess.Popen(command, env=environment, **pipes)) for _ in names]
        for program, name in zip(programs, names, strict=True):  # each waits for the end of its rows
            with program.stdin:
                program.stdin.write((folder / f"{name}.csv").read_bytes())
        said = [(program.stdout.read() + program.stderr.read()).decode() for program in programs]
    assert ["fed before" in each for each in said] in ([True, False, False, False], [False, True, False, False]), said
    assert programs[-1].returncode == 4
    wrong = {name: (200, int((fitted().predict(X) != y).sum())) for name, (X, y) in TABLES.items()}
    assert sorted(counts(folder / "watch.jsonl")) == sorted(wrong.values())
    monitor = CertificateMonitor.open("watch.jsonl", laconic.load("model.json"))
    assert (monitor.n_rows_, monitor.alarm_) == (600, True)


def test_a_damaged_state_is_refused_and_left_alone(folder, monkeypatch, capsys):
    assert run(WATCH.format("bad.csv"), monkeypatch, capsys)[0] == 4
    place = folder / "watch.jsonl"
    spoilt = place.read_bytes().replace(b'"alarm":true', b'"alarm":false')
    place.write_bytes(spoilt)
    code, said = run(WATCH.format("one.csv"), monkeypatch, capsys)
    assert (code, "its line 2 was altered" in said) == (1, True)
    assert place.read_bytes() == spoilt
    place.chmod(0o444)
    assert "read-only" in run(WATCH.format("one.csv"), monkeypatch, capsys)[1]
    code, said = run(WATCH.format("one.csv").replace("watch.jsonl", "no/watch.jsonl"), monkeypatch, capsys)
    assert (code, "no directory 'no'" in said) == (1, True)


# ---- from Python


def batch(number):
    part = slice(25 * number, 25 * number + 25)
    return NEW[part], (TURNED if number >= 8 else TRUE)[part]


STEPS = st.tuples(st.integers(0, 2), st.sampled_from(["open", "rows", "labels"]), st.integers(0, 11))


@settings(max_examples=25, deadline=None)
@given(st.lists(STEPS, max_size=30))
def test_any_interleaving_counts_rows_once_and_keeps_alarms(tmp_path_factory, steps):
    place, watched = tmp_path_factory.mktemp("watch") / "watch.jsonl", fitted()
    monitors = [CertificateMonitor.open(place, watched) for _ in range(3)]
    alone, alarm = CertificateMonitor(watched), False
    for who, verb, number in steps:
        if verb == "open":
            monitors[who] = CertificateMonitor.open(place, watched)
            assert standing(monitors[who]) == standing(alone)
            continue
        X, y = batch(number)
        y = y if verb == "labels" else None
        try:
            alone.update(X, y)
        except RowsFedBefore:
            with pytest.raises(RowsFedBefore):
                monitors[who].update(X, y)
        else:
            monitors[who].update(X, y)
        assert standing(monitors[who]) == standing(alone)  # as if one process had fed all
        assert monitors[who].history_ == alone.history_
        assert monitors[who].alarm_ >= alarm
        alarm = monitors[who].alarm_
    labelled = {number for _, verb, number in steps if verb == "labels"}
    assert CertificateMonitor.open(place, watched).n_rows_ == 25 * len(labelled)


def test_the_state_comes_back_and_belongs_to_its_model(model, tmp_path):
    place = tmp_path / "watch.jsonl"
    monitor = CertificateMonitor(model, 0.01).update(NEW[:100], TRUE[:100])
    monitor.save(place)
    again = CertificateMonitor.open(place, model)
    assert (again.alpha, standing(again), again.history_) == (0.01, standing(monitor), monitor.history_)
    with pytest.raises(RowsFedBefore, match="fed before"):
        again.update(NEW[:100], TRUE[:100])
    again.update(NEW[100:], TRUE[100:])
    monitor.update(NEW[:9], TRUE[:9])  # it follows what the other one fed
    assert monitor.n_rows_ == 609
    monitor.save(place)  # all of it is there
    assert standing(CertificateMonitor.open(place, model)) == standing(monitor)
    other = SetCoveringClassifier("disjunction", "stumps", penalty=1.0).fit(NEW[:300], TRUE[:300])
    with pytest.raises(ValueError, match="watches another model"):
        CertificateMonitor.open(place, other)
    with pytest.raises(ValueError, match=r"alpha 0.01, settled by its first batch"):
        CertificateMonitor.open(place, model, 0.05)
    with pytest.raises(FileExistsError, match="holds a watch already"):
        CertificateMonitor(model).save(place)


def test_who_begins_second_follows_the_first(model, tmp_path):
    place = tmp_path / "watch.jsonl"
    first, second, third = (CertificateMonitor.open(place, model, alpha) for alpha in (0.05, 0.05, 0.01))
    assert not place.exists()
    first.update(NEW[:100], TRUE[:100])
    assert second.update(NEW[100:200], TRUE[100:200]).n_rows_ == 200
    with pytest.raises(ValueError, match=r"alpha 0.05, settled"):
        third.update(NEW[200:300], TRUE[200:300])
    assert counts(place) == counts(place)[:2]


def test_an_alarm_that_was_raised_stays_whatever_the_counts_give_elsewhere(model, tmp_path):
    place = tmp_path / "watch.jsonl"
    CertificateMonitor.open(place, model).update(NEW[:100], TRUE[:100])
    told = {"n_rows": 5, "n_errors": 0, "decided": None, "marks": [], "label_marks": []}
    with locked(place) as journal:
        journal.append(told | {"alarm": True, "line_alarm": True})
    monitor = CertificateMonitor.open(place, model)
    assert (monitor.alarm_, monitor.line_alarm_) == (True, True)
    assert "reached 20.0, where 20 raises an alarm" in str(monitor)


@pytest.mark.parametrize(
    "changed", [{"n_rows": -1}, {"n_errors": 9}, {"decided": [1, 2, 3, 4, 5, 6, 7]}, {"marks": ["x"]}, {"more": 1}]
)
def test_entries_that_fit_no_watch_are_refused(model, tmp_path, changed):
    place = tmp_path / "watch.jsonl"
    told = {"n_rows": 5, "n_errors": 0, "decided": None, "marks": [], "label_marks": []}
    CertificateMonitor.open(place, model).update(NEW[:100], TRUE[:100])
    with locked(place) as journal:
        journal.append(told | {"alarm": False, "line_alarm": False} | changed)
    with pytest.raises(DamagedFile, match="line 3"):
        CertificateMonitor.open(place, model)


def test_a_journal_of_something_else_is_refused(model, tmp_path):
    for number, payload in enumerate(({}, {"format": "laconic fits", "version": 1}, [1])):
        place = tmp_path / f"{number}.jsonl"
        with locked(place) as journal:
            journal.append(payload)
        with pytest.raises(DamagedFile, match="no state of a monitor: line 1"):
            CertificateMonitor.open(place, model)
    (tmp_path / "old.json").write_text(json.dumps({"format": "laconic watch", "version": 1}, indent=1))
    with pytest.raises(DamagedFile, match="is no journal"):
        CertificateMonitor.open(tmp_path / "old.json", model)


def test_a_disk_that_is_full_counts_nothing(model, tmp_path, monkeypatch):
    place = tmp_path / "watch.jsonl"
    monitor = CertificateMonitor.open(place, model).update(NEW[:100], TRUE[:100])
    before = place.read_bytes(), standing(monitor)
    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(OSError, match=r"No space left on device: .*watch\.jsonl"):
            monitor.update(NEW[100:200], TRUE[100:200])
    assert (place.read_bytes(), standing(monitor)) == before
    assert monitor.update(NEW[100:200], TRUE[100:200]).n_rows_ == 200
    assert standing(CertificateMonitor.open(place, model)) == standing(monitor)
    assert list(tmp_path.iterdir()) == [place]
