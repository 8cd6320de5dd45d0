"""Tables on disk: the very model file of the same rows in memory, under a limit of memory, and clear faults."""

from __future__ import annotations

import csv
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import laconic
from laconic import SetCoveringClassifier
from laconic.cli import main
from laconic.covering import Clauses, Conditions, Literals, Stumps
from laconic.covering.core import _reading_rows as reading_rows
from laconic.exceptions import NoConsistentConcept

N_ROWS = 3000


@pytest.fixture(scope="module")
def rows():
    """A table with every kind of column: real numbers, few numbers, gaps, flags, texts."""
    rng = np.random.default_rng(4)
    n = N_ROWS
    size, steps = rng.normal(size=n), rng.integers(0, 40, size=n)
    gaps = np.where(rng.random(n) < 0.2, np.nan, np.exp(5 * rng.normal(size=n)))
    flag = rng.random(n) < 0.4
    text = rng.choice(["red", "green", "blue", "grün"], size=n)
    y = (size > -0.5) & (steps < 30) & ((text != "red") | flag) ^ (rng.random(n) < 0.05)
    return pa.table(
        {
            "size": size,
            "steps": steps,
            "gaps": pa.array(gaps, mask=np.isnan(gaps)),
            "flag": pa.array(flag, mask=rng.random(n) < 0.1),
            "text": pa.array(text, mask=rng.random(n) < 0.1),
            "empty": pa.array([None] * n, pa.bool_()),
            "sick": np.where(y, "yes", "no"),
        }
    )


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch):
    monkeypatch.setattr(reading_rows, "_LEAST_BATCH", 64)
    monkeypatch.setattr(reading_rows, "_MOST_BATCH", 700)


def labels_of(table):
    return table["sick"].to_numpy()


def file_of(model, folder, name):
    model.save(folder / name)
    return (folder / name).read_bytes()


def same_files(one, other, folder):
    return file_of(one, folder, "one.json") == file_of(other, folder, "other.json")


MACHINES = {
    "thresholds": (SetCoveringClassifier("conjunction", Stumps(), penalty=1.0), ["size", "steps", "gaps"]),
    "many": (SetCoveringClassifier("disjunction", Stumps(), penalty=0.5, max_rules=None), ["size", "steps", "gaps"]),
    "promised": (
        SetCoveringClassifier("disjunction", "stumps", penalty=1.0, promises=["classes", "rules"]),
        ["size", "steps", "gaps"],
    ),
    "priced": (
        SetCoveringClassifier("auto", "stumps", penalty=1.0, promises=laconic.Promises(costs=[[0, 3], [1, 0]])),
        ["size", "steps"],
    ),
    "flags": (SetCoveringClassifier("disjunction", Literals(), penalty=1.5), ["flag", "text"]),
    "plain": (SetCoveringClassifier("conjunction", Literals(negated=False), penalty=2.0), ["flag", "text", "empty"]),
    "binarized": (SetCoveringClassifier("conjunction", Literals(binarize=0.5), penalty=2.0), ["size", "gaps", "flag"]),
    "known": (SetCoveringClassifier(features=Literals(categories={0: ["red", "mauve"]}), penalty=2.0), ["text"]),
    "clauses": (SetCoveringClassifier(features=Clauses(2, categories={"flag": [0, 1]}), penalty=1.0), ["flag", "text"]),
    "terms": (SetCoveringClassifier("disjunction", Clauses(3, binarize=0.0), max_rules=3), ["size", "gaps", "text"]),
    "mixed": (SetCoveringClassifier(features=Conditions(), max_rules=4), None),
    "together": (SetCoveringClassifier(features=["stumps", "literals"], penalty=1.0), None),
    "balanced": (SetCoveringClassifier(features=Conditions(), penalty=1.0, class_weight="balanced"), None),
    "weighed": (SetCoveringClassifier(features=Conditions(), max_rules=3, class_weight={"no": 0.3, "yes": 2}), None),
}


@pytest.mark.parametrize("name", MACHINES)
def test_the_model_file_is_that_of_the_rows_in_memory(rows, tmp_path, name):
    machine, columns = MACHINES[name]
    columns = columns or [each for each in rows.column_names if each != "sick"]
    table = rows.select([*columns, "sick"])
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=512)
    in_memory = machine.fit(table.select(columns), labels_of(table))
    on_disk = laconic.covering.SetCoveringClassifier(**machine.get_params(deep=False))
    on_disk.fit(tmp_path / "rows.parquet", "sick")
    assert on_disk.rules_ == in_memory.rules_
    assert on_disk.path_ == in_memory.path_
    assert on_disk._encoding.rows.tolist() == in_memory._encoding.rows.tolist()
    assert same_files(in_memory, on_disk, tmp_path)


@pytest.mark.parametrize("kind", ["whole", "real"])
def test_weights(rows, tmp_path, kind):
    rng = np.random.default_rng(1)
    weights = rng.integers(0, 4, size=N_ROWS).astype(float) if kind == "whole" else rng.gamma(2.0, size=N_ROWS)
    weights[rng.random(N_ROWS) < 0.1] = 0.0
    X = rows.drop_columns(["sick"])
    pq.write_table(X, tmp_path / "rows.parquet", row_group_size=1000)
    models = [
        SetCoveringClassifier(features="conditions", max_rules=4).fit(source, labels_of(rows), sample_weight=weights)
        for source in (X, tmp_path / "rows.parquet")
    ]
    assert same_files(*models, tmp_path)


def test_files_folders_datasets_row_groups_and_room_change_nothing(rows, tmp_path, monkeypatch):
    X, y = rows.drop_columns(["sick"]), labels_of(rows)
    machine = {"features": "conditions", "penalty": 1.0, "max_rules": 4}
    expected = file_of(SetCoveringClassifier(**machine).fit(X, y), tmp_path, "expected.json")
    folder = tmp_path / "parts"
    folder.mkdir()
    for i, start in enumerate(range(0, N_ROWS, 1300)):
        pq.write_table(X.slice(start, 1300), folder / f"part-{i}.parquet", row_group_size=200 + 150 * i)
    pa.feather.write_feather(X, tmp_path / "rows.arrow", compression="lz4", chunksize=999)
    sources = [folder, str(folder), pa.dataset.dataset(folder), tmp_path / "rows.arrow"]
    for n, source in enumerate(sources):
        monkeypatch.setattr(reading_rows, "_MOST_BATCH", 100 + 450 * n)
        model = SetCoveringClassifier(**machine, n_jobs=1 + n % 2, max_memory="8GB").fit(source, y)
        assert file_of(model, tmp_path, "found.json") == expected


def test_little_room_opens_bins_one_after_the_other(rows, tmp_path, monkeypatch):
    X, y = rows.select(["size", "gaps"]), labels_of(rows)
    pq.write_table(X, tmp_path / "rows.parquet")
    monkeypatch.setattr(reading_rows, "BYTES_OF_OPENED", 2**50)
    models = [
        SetCoveringClassifier("disjunction", "stumps", penalty=1.0).fit(each, y)
        for each in (X, tmp_path / "rows.parquet")
    ]
    assert same_files(*models, tmp_path)


def test_families_that_need_the_table_have_it_where_it_fits(rows, tmp_path):
    X, y = rows.select(["size", "steps"]), labels_of(rows)
    pq.write_table(rows.select(["size", "steps", "sick"]), tmp_path / "rows.parquet")
    models = [
        SetCoveringClassifier(features=Stumps(bins=16), penalty=1.0, max_rules=2).fit(X, y),
        SetCoveringClassifier(features="stumps", penalty=1.0, max_rules=2).fit(tmp_path / "rows.parquet", "sick"),
    ]
    assert models[0].rules_[0].feature == models[1].rules_[0].feature
    with pytest.raises(ValueError, match="needs the table in memory"):
        SetCoveringClassifier(features=Stumps(bins=16)).fit(tmp_path / "rows.parquet", "sick")


def test_contradictions_are_refused_and_named(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    y = np.arange(500) % 2
    X[300], X[411] = X[7], X[10]
    table = pa.table({"a": X[:, 0], "b": X[:, 1]})
    pq.write_table(table, tmp_path / "rows.parquet")
    messages = []
    for source in (table, tmp_path / "rows.parquet"):
        with pytest.raises(NoConsistentConcept) as caught:
            SetCoveringClassifier(features="stumps", penalty=math.inf).fit(source, y)
        messages.append((str(caught.value), caught.value.rows))
    assert messages[0] == messages[1]
    X[300], X[411] = 50.0, 60.0
    pq.write_table(pa.table({"a": X[:, 0], "b": X[:, 1]}), tmp_path / "rows.parquet")
    machine = {"form": "conjunction", "features": "stumps", "penalty": math.inf, "max_rules": 3}
    sources = pa.table({"a": X[:, 0], "b": X[:, 1]}), tmp_path / "rows.parquet"
    assert same_files(*(SetCoveringClassifier(**machine).fit(source, y) for source in sources), tmp_path)


# ---- predicting


def test_predictions_stream(rows, tmp_path):
    X = rows.drop_columns(["sick"])
    pq.write_table(X, tmp_path / "rows.parquet", row_group_size=500)
    model = SetCoveringClassifier(features="conditions", penalty=1.0).fit(X, labels_of(rows))
    path = tmp_path / "rows.parquet"
    assert model.predict(path).tolist() == model.predict(X).tolist()
    assert model.decision_function(path).tolist() == model.decision_function(X).tolist()
    assert list(model.explain(path)) == model.explain(X)
    other = tmp_path / "other.parquet"
    pq.write_table(X.rename_columns(["a", *X.column_names[1:]]), other)
    with pytest.raises(ValueError, match="size"):
        model.predict(other)


# ---- faults


def machine():
    return SetCoveringClassifier("conjunction", "stumps", penalty=1.0, max_rules=3)


def test_bad_files_are_refused(rows, tmp_path):
    path = tmp_path / "rows.parquet"
    table = rows.select(["size", "gaps", "sick"])
    pq.write_table(table, path, row_group_size=400, write_page_checksum=True)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"Cannot read .*cut short"):
        machine().fit(path, "sick")
    broken = bytearray(whole)
    broken[len(whole) // 3] ^= 0xFF
    path.write_bytes(broken)
    with pytest.raises(ValueError, match=r"Cannot read .*damaged"):
        machine().fit(path, "sick")
    with pytest.raises(FileNotFoundError, match="no file"):
        machine().fit(tmp_path / "nothing.parquet", "sick")
    path.write_bytes(whole)
    with pytest.raises(ValueError, match="no column 'ill'"):
        machine().fit(path, "ill")
    with pytest.raises(ValueError, match="2 labels for 3000 rows"):
        machine().fit(path, ["a", "b"])
    pq.write_table(table.slice(0, 0), path)
    with pytest.raises(ValueError, match="Found 0 rows"):
        machine().fit(path, "sick")


def test_odd_values_are_refused_as_in_memory(tmp_path):
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"a": [1.0, math.inf], "y": [0, 1]}), path)
    with pytest.raises(ValueError, match="infinity"):
        machine().fit(path, "y")
    pq.write_table(pa.table({"a": [1.0, 2.0, 3.0], "y": [0, 1, 2]}), path)
    with pytest.raises(ValueError, match="Only binary"):
        machine().fit(path, "y")
    pq.write_table(pa.table({"a": [1.0, 2.0], "y": pa.array([0, None])}), path)
    with pytest.raises(ValueError, match="lacks a value"):
        machine().fit(path, "y")
    pq.write_table(pa.table({"a": [1.0, 2.0, 1.0], "y": [0, 1, 1]}), path)
    with pytest.raises(ValueError, match="literals need 0 and 1"):
        SetCoveringClassifier(features="literals").fit(path, "y")
    with pytest.raises(ValueError, match="max_memory must be"):
        SetCoveringClassifier(features="stumps", max_memory="plenty").fit(path, "y")
    with pytest.raises(MemoryError, match="Raise it"):
        SetCoveringClassifier(features="stumps", max_memory=1000).fit(path, "y")


def test_a_file_that_changes_between_two_readings_is_refused(rows, tmp_path):
    path = tmp_path / "rows.parquet"
    pq.write_table(rows.select(["size", "gaps", "sick"]), path, row_group_size=400)
    n_told = 0

    def touch(what, done, total):
        nonlocal n_told
        n_told += what == "rules"
        if n_told == 1:
            os.utime(path, ns=(1, 1))

    with laconic.progress(touch, every=0), pytest.raises(ValueError, match="changed while it was in use"):
        machine().fit(path, "sick")


LIMITED = """
import sys
import laconic
model = laconic.SetCoveringClassifier("conjunction", "stumps", penalty=1.0, max_rules=2, max_memory=int(sys.argv[2]))
model.fit(sys.argv[1], "y")
print(*[line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of a program is read from Linux's own file")
def test_the_limit_of_memory_is_kept_to(tmp_path):
    rng = np.random.default_rng(0)
    path, limit = tmp_path / "rows.parquet", 500 * 2**20
    n_rows, n_columns, n_groups = 100_000, 16, 20
    schema = pa.schema([*((f"x{j}", pa.float64()) for j in range(n_columns)), ("y", pa.bool_())])
    with pq.ParquetWriter(path, schema, compression="none") as writer:
        for _ in range(n_groups):
            X = rng.normal(size=(n_columns, n_rows))
            writer.write_table(pa.table([*X, (X[0] > 0) & (X[1] < 1)], schema=schema))
    assert n_rows * n_groups * n_columns * 8 > 0.45 * limit  # with what Python needs, there would not be room
    done = subprocess.run([sys.executable, "-c", LIMITED, path, str(limit)], capture_output=True, text=True, check=True)
    assert int(done.stdout) * 1024 < limit  # of this program: what `resource` says holds that of the one that began it


def test_the_command_line_leaves_rows_on_disk(rows, tmp_path, capsys, monkeypatch):
    path, out = tmp_path / "rows.parquet", tmp_path / "model.json"
    table = rows.select(["size", "steps", "sick"])
    pq.write_table(table, path, row_group_size=500)
    words = [
        "fit",
        path,
        "-t",
        "sick",
        "--max-memory",
        "8GB",
        "--set",
        "features=stumps",
        "--set",
        "penalty=1.0",
        "-o",
        out,
    ]
    monkeypatch.setattr(sys, "argv", ["laconic", *map(str, words)])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 0
    assert "3000 rows, 2 columns, predicting sick" in capsys.readouterr().out
    model = SetCoveringClassifier(features="stumps", penalty=1.0).fit(table.select(["size", "steps"]), labels_of(table))
    model.about_ = {"target": "sick", "command": laconic.load(out).about_["command"]}
    assert file_of(model, tmp_path, "same.json") == out.read_bytes()
    monkeypatch.setattr(sys, "argv", ["laconic", "fit", str(path), "--max-memory", "8GB"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code != 0
    assert "--target" in capsys.readouterr().err


def test_figures_of_the_page_come_from_the_benchmark():
    root = Path(__file__).parents[2]
    with open(root / "benchmarks" / "results" / "disk.csv", newline="") as file:
        (row,) = csv.DictReader(file)
    page = " ".join((root / "docs" / "scale.md").read_text(encoding="utf-8").split())
    assert f"{int(row['rows']):,} rows of 20 columns" in page
    assert f"held {row['peak_mib']} MiB under a limit of {row['limit']}" in page
    assert f"took {row['look_vs_read']} times the processor time of a plain read" in page
    assert f"the whole fit of {row['rules']} rules {row['fit_seconds']} s" in page


def test_figures_of_balls_come_from_the_benchmark():
    root = Path(__file__).parents[2]
    with open(root / "benchmarks" / "results" / "balls_disk.csv", newline="") as file:
        (row,) = csv.DictReader(file)
    assert int(row["peak_mib"]) < int(row["limit_mib"])
    page = " ".join((root / "docs" / "scale.md").read_text(encoding="utf-8").split())
    assert f"of {int(row['rows']):,} rows and {row['centers']} centres" in page
    assert f"{row['look_vs_distances']} times the processor time of reading them and of numpy's distances alone" in page
    assert f"{row['look_vs_read']} times that of reading alone" in page


def test_learners_in_memory_say_who_reads_tables_on_disk(tmp_path):
    with pytest.raises(
        ValueError, match=r"PocketClassifier takes rows in memory, not '.*rows.parquet': read the table first"
    ):
        laconic.PocketClassifier().fit(str(tmp_path / "rows.parquet"), "y")
