"""Digests of rows are those of their texts, however many rows there are."""

import hashlib

import numpy as np

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
