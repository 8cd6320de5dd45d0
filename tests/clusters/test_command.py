"""``laconic fit --dask``: a cluster fits what a file holds."""

from __future__ import annotations

import json
import sys

import dask
import pytest

import laconic
from laconic.cli import main


def run(monkeypatch, capsys, *words):
    monkeypatch.setattr(sys, "argv", ["laconic", *words])
    with pytest.raises(SystemExit) as left:
        main()
    return left.value.code, capsys.readouterr()


def test_fit_by_a_cluster_writes_the_file_of_a_fit_on_disk(client, rows, tmp_path, monkeypatch, capsys):
    rows.to_parquet(tmp_path / "rows.parquet", row_group_size=100, index=False)
    words = ["fit", str(tmp_path / "rows.parquet"), "--target", "sick", "--set", "features=conditions"]
    words += ["--set", "max_rules=2", "--json"]
    files = [tmp_path / "cluster.json", tmp_path / "disk.json"]
    where = ["--dask", client.scheduler.address], ["--max-memory", "4GB"]
    shown = []
    for file, option in zip(files, where, strict=True):
        code, printed = run(monkeypatch, capsys, *words, *option, "--out", str(file))
        assert code == 0, printed.err
        shown.append(json.loads(printed.out))
    assert shown[0] == shown[1]
    models = list(map(laconic.load, files))
    assert models[0].rules_
    commands = [model.about_.pop("command") for model in models]
    assert [where[0] in command for where, command in zip(where, commands, strict=True)] == [True, True]
    for model, file in zip(models, files, strict=True):
        model.save(file)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_what_a_cluster_cannot_do_is_said(client, rows, tmp_path, monkeypatch, capsys):
    rows.to_parquet(tmp_path / "rows.parquet", index=False)
    table, address = str(tmp_path / "rows.parquet"), client.scheduler.address
    for words, expected in (
        ((table,), "name the column to predict"),
        ((table, "-t", "sick", "-l", "votes"), "the learner is scm"),
        ((table, "-t", "ill"), "There is no column 'ill'"),
        ((str(tmp_path / "none.parquet"), "-t", "sick"), "No file"),
    ):
        code, printed = run(monkeypatch, capsys, "fit", *words, "--dask", address)
        assert code != 0
        assert expected in printed.err.replace("\n", " ")


def test_a_scheduler_that_is_not_there_is_said(rows, tmp_path, monkeypatch, capsys):
    rows.to_parquet(tmp_path / "rows.parquet", index=False)
    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}):
        words = ("fit", str(tmp_path / "rows.parquet"), "-t", "sick", "--dask", "tcp://127.0.0.1:9")
        code, printed = run(monkeypatch, capsys, *words)
    assert code != 0
    assert "no Dask scheduler at tcp://127.0.0.1:9" in printed.err.replace("\n", " ")
    assert "Traceback" not in printed.err


@pytest.mark.slow
def test_compare_by_a_cluster_says_what_it_says_here(client, monkeypatch, capsys):
    words = ["compare", "haberman", "--cv", "2", "--only", "positive_nodes", "--json"]
    found = []
    for option in ((), ("--dask", client.scheduler.address)):
        code, printed = run(monkeypatch, capsys, *words, *option)
        assert code == 0, printed.err
        lines = json.loads(printed.out)
        found.append([{name: value for name, value in line.items() if name != "seconds"} for line in lines])
    assert found[0] == found[1]
