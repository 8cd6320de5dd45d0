"""Digests of rows are those of their texts, however many rows there are."""

import copy
import hashlib
import json
import pickle
from dataclasses import asdict

import numpy as np

from laconic import SetCoveringClassifier
from laconic._row_texts import row_digests, row_texts
from laconic._table import Table


def test_many_rows_have_the_digests_that_each_has_alone():
    table = Table.from_array(np.arange(10_001.0)[:, None])
    labels = np.arange(10_001) % 3
    digests = row_digests(table, labels)
    assert digests == [hashlib.sha256(text.encode()).hexdigest() for text in row_texts(table, labels)]
    last = np.array([10_000])
    assert digests[-1:] == row_digests(table.take(last), labels[last])
    assert row_digests(table.take(last[:0]), labels[:0]) == []


def test_digests_are_made_when_they_are_looked_at_and_once(monkeypatch):
    X = np.random.default_rng(0).normal(size=(60, 3))
    asked = []
    monkeypatch.setattr(
        "laconic.certificates._scheme.row_digests", lambda *rows: asked.append(rows) or row_digests(*rows)
    )
    model = SetCoveringClassifier("conjunction", "stumps", penalty=1.0, max_rules=2).fit(X, X[:, 0] + X[:, 1] > 0)
    rows = model.certificate_.statements[0].rows
    assert len(rows) > 1
    assert not asked
    kept = json.loads(json.dumps(asdict(model.certificate_)))["statements"][0]["rows"]
    assert kept == [{"row": row.row, "sha256": row.sha256} for row in rows]
    assert pickle.loads(pickle.dumps(rows)) == copy.deepcopy(rows) == rows
    assert len(asked) == 1
    digests = dict(zip(model._encoding.rows.tolist(), row_digests(*asked[0]), strict=True))
    assert {row.row: row.sha256 for row in rows} == digests
