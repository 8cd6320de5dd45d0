"""``laconic export``."""

import json
import sys

import pytest
from tests.golden.write_models import FOLDER

from laconic.cli import main

PLACE = FOLDER / "scm_bins.v4.json"


def run(monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["laconic", "export", *map(str, words)])
    with pytest.raises(SystemExit) as left:
        main()
    return left.value.code


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["--to", "sql", "--dialect", "sqlite", "--table", "s.t", "--rule"], 'FROM "s"."t"'),
        (["--to", "pmml"], "<RuleSetModel"),
        (["--to", "python"], "def predict(row):"),
        (["--to", "json-rules"], '"format": "laconic rules"'),
    ],
)
def test_a_model_file_is_written_in_another_language(monkeypatch, capsys, tmp_path, words, shown):
    assert run(monkeypatch, PLACE, *words) == 0
    printed = capsys.readouterr().out
    assert shown in printed
    assert json.loads(PLACE.read_text())["sha256"] in printed
    place = tmp_path / "written"
    assert run(monkeypatch, PLACE, *words, "--out", place) == 0
    assert place.read_text(encoding="utf-8") == printed


def test_onnx_goes_to_a_file(monkeypatch, capsys, tmp_path):
    onnx = pytest.importorskip("onnx")
    place = tmp_path / "model.onnx"
    assert run(monkeypatch, PLACE, "--to", "onnx") == 2
    assert "--out" in capsys.readouterr().err
    assert run(monkeypatch, PLACE, "--to", "onnx", "--out", place) == 0
    assert onnx.load(place).producer_name == "laconic"


def test_refusals_say_why_and_write_nothing(monkeypatch, capsys, tmp_path):
    place = tmp_path / "model.sql"
    assert run(monkeypatch, FOLDER / "scm_precomputed.v4.json", "--to", "sql", "--out", place) == 1
    assert "Precomputed distances are not exported" in capsys.readouterr().err
    assert not place.exists()
    assert run(monkeypatch, PLACE, "--to", "cobol") == 2
    assert run(monkeypatch, PLACE, "--to", "sql", "--out", PLACE) == 1
