"""The chosen machine of packed bits and of tables on disk: the model file of the same rows in memory."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from laconic import LaconicClassifier, Promises, _sources, load
from laconic.auto import _answering
from laconic.covering import PackedBits, pack

N_ROWS = 160
METHODS = ("predict", "decision_function", "predict_proba")


def flags(n_columns=7, kind=bool):
    rng = np.random.default_rng(5)
    X = (rng.random((N_ROWS, n_columns)) < 0.4).astype(kind)
    noise = rng.random(N_ROWS) < 0.05
    y = np.where(((X[:, 0] == 1) | (X[:, 1] == 1) & (X[:, 2] == 0)) ^ noise, "ill", "well")
    return pd.DataFrame(X, columns=[f"flag {j}" for j in range(n_columns)]), y


def file_of(model, folder):
    model.save(folder / "model.json")
    return (folder / "model.json").read_bytes()


@pytest.fixture
def few_machines(monkeypatch):
    """Let few machines be tried, of each way of reading a table one."""
    for name in ("_portfolio", "_by_bound"):
        some = [one for one in getattr(LaconicClassifier, name) if one.name in ("thresholds", "balls", "score card")]
        monkeypatch.setattr(LaconicClassifier, name, tuple(some))


@pytest.mark.slow
def test_every_machine_is_tried_on_packed_bits(tmp_path):
    frame, y = flags(kind=float)
    models = [LaconicClassifier(max_words=4).fit(X, y) for X in (frame, pack(frame, tmp_path / "flags.bits"))]
    assert file_of(models[0], tmp_path) == file_of(models[1], tmp_path)
    assert {one.machine for one in models[1].candidates_} == {one.name for one in LaconicClassifier._portfolio}


@pytest.mark.usefixtures("few_machines")
@pytest.mark.parametrize("most_values", [_answering.MOST_VALUES, 100], ids=["unpacked", "packed"])
@pytest.mark.parametrize("given", [{}, {"select": "bound"}, {"promises": Promises(classes=True)}], ids=str)
def test_packed_bits_give_the_model_of_the_rows_in_memory(tmp_path, monkeypatch, most_values, given):
    monkeypatch.setattr(_answering, "MOST_VALUES", most_values)
    kind = float if given else bool
    frame, y = flags(kind=kind)
    bits = pack(frame, tmp_path / "flags.bits")
    expected = LaconicClassifier(max_words=4, **given).fit(frame, y)
    for X in (bits, tmp_path / "flags.bits"):
        model = LaconicClassifier(max_words=4, **given).fit(X, y)
        assert file_of(model, tmp_path) == file_of(expected, tmp_path)
    assert load(tmp_path / "model.json").predict(bits).tolist() == expected.predict(frame).tolist()
    left_out = [one.machine for one in model.candidates_ if "holds every value" in one.why_not]
    tried = {one.machine for one in model.candidates_ if one.error is not None}
    assert (left_out, tried == {"thresholds"}) == ([], False) if most_values > 100 else (tried == {"thresholds"})
    for machine in (model, expected):
        for method in METHODS:
            if hasattr(expected, method):
                assert getattr(machine, method)(bits).tolist() == getattr(expected, method)(frame).tolist()
        assert machine.explain(bits) == expected.explain(frame)


@pytest.mark.usefixtures("few_machines")
def test_columns_beside_packed_bits(tmp_path):
    frame, y = flags()
    rng = np.random.default_rng(0)
    more = pd.DataFrame({"age": rng.normal(size=N_ROWS) + 2 * (y == "ill"), "town": rng.choice(["A", "B"], N_ROWS)})
    more = more.astype({"town": "category"})
    pack(frame, tmp_path / "flags.bits")
    bits = PackedBits.open(tmp_path / "flags.bits", columns=more)
    models = [LaconicClassifier(max_words=3).fit(X, y) for X in (pd.concat([frame, more], axis=1), bits)]
    assert file_of(models[0], tmp_path) == file_of(models[1], tmp_path)
    untyped = PackedBits.open(tmp_path / "flags.bits", columns=more.astype({"town": object}))
    paid = LaconicClassifier(max_words=3).fit(untyped, y).certificate_
    assert paid.message_nats > models[1].certificate_.message_nats  # all rows showed what it holds
    assert paid.risk_bound >= models[1].certificate_.risk_bound


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    size, dose = rng.normal(size=N_ROWS), rng.gamma(2.0, size=N_ROWS)
    sick = np.where((size > 0) ^ (rng.random(N_ROWS) < 0.1), "yes", "no")
    return pa.table({"size": size, "dose": pa.array(dose, mask=rng.random(N_ROWS) < 0.1), "sick": sick})


@pytest.mark.usefixtures("few_machines")
def test_a_table_on_disk_is_that_in_memory(tmp_path, table, monkeypatch):
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=50)
    X, y = table.drop_columns(["sick"]), table["sick"].to_numpy()
    path = tmp_path / "rows.parquet"
    expected = file_of(LaconicClassifier(max_words=3).fit(X, y), tmp_path)
    assert file_of(LaconicClassifier(max_words=3).fit(str(path), "sick"), tmp_path) == expected
    pq.write_table(X, tmp_path / "alone.parquet")
    model = LaconicClassifier(max_words=3).fit(tmp_path / "alone.parquet", y)
    assert file_of(model, tmp_path) == expected
    monkeypatch.setattr(_sources, "BATCH_ROWS", 37)
    for method in METHODS:
        if hasattr(model, method):
            assert getattr(model, method)(path).tolist() == getattr(model, method)(X).tolist()
    assert list(model.explain(path)) == model.explain(X)


def test_a_table_that_does_not_fit_is_refused_before_it_is_read(tmp_path, table, monkeypatch):
    pq.write_table(table, tmp_path / "rows.parquet")
    monkeypatch.setattr(_sources, "free_memory", lambda: 1000)
    monkeypatch.setattr(_sources, "read_batches", None)
    with pytest.raises(MemoryError, match=r"160 rows are too many for that\. SetCoveringClassifier and SetCov"):
        LaconicClassifier().fit(tmp_path / "rows.parquet", "sick")
