"""Packed bits are a table: what is fitted to them is what is fitted to the same rows and names in memory."""

import pickle
import re
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_predict, cross_val_score

from laconic import (
    DecisionListClassifier,
    NormalFormClassifier,
    SetCoveringClassifier,
    SetCoveringClassifierCV,
    load,
    progress,
)
from laconic.covering import Balls, Conditions, Literals, PackedBits, Stumps, pack
from laconic.covering.packed import _bits, _columns, _writer
from laconic.covering.packed._store import Store
from laconic.rules import Literal

INF = float("inf")


def flags(seed=0, n_rows=150, n_columns=23):
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, n_columns)) < rng.uniform(0.1, 0.9, n_columns)
    X[:, 5], X[:, 9] = X[:, 3], ~X[:, 3]
    y = np.where((X[:, 3] & ~X[:, 7]) ^ (rng.random(n_rows) < 0.08), "ill", "well")
    return pd.DataFrame(X, columns=[f"flag {j}" for j in range(n_columns)]), y


@pytest.fixture
def small_pieces(monkeypatch):
    """Let a table of a few columns take several blocks, appends and pieces of rows."""
    monkeypatch.setattr(_writer, "_BLOCK_BYTES", 8 * 3 * 4)
    monkeypatch.setattr(_bits, "_MOST_AT_ONCE", 7)
    monkeypatch.setattr(_columns, "_CELLS", 7 * 64)


@pytest.fixture
def packed(tmp_path, small_pieces):
    frame, y = flags()
    return frame, pack(frame, tmp_path / "flags.bits"), y


def same_files(tmp_path, model, one, other, y, **more):
    written = []
    for X in (one, other):
        model.fit(X, y, **more).save(tmp_path / "model.json")
        written.append((tmp_path / "model.json").read_bytes())
    return written[0] == written[1]


@pytest.mark.parametrize(
    "model",
    [
        *(SetCoveringClassifier(form, "literals", penalty=1.5) for form in ("conjunction", "disjunction", "auto")),
        SetCoveringClassifier("auto", "literals", n_jobs=3),
        SetCoveringClassifier("disjunction", Literals(negated=False), penalty=1.0),
        SetCoveringClassifier("conjunction", Conditions(), class_weight="balanced"),
        SetCoveringClassifierCV(features=["literals"], penalties=[0.5, 1, INF], max_rules=4, n_jobs=2),
        SetCoveringClassifierCV(features=["literals"], penalties=[1], select="bound", apart=0.5),
        NormalFormClassifier("cnf", penalty=1.0),
        NormalFormClassifier("dnf", k=2, penalty=1.0, max_rules=2),
        DecisionListClassifier(penalty=1.0),
    ],
    ids=str,
)
def test_the_model_file_is_that_of_the_same_table_in_memory(tmp_path, packed, model):
    frame, bits, y = packed
    X, Z, truth = frame, bits, y
    if INF in getattr(model, "penalties", ()):
        _, kept = np.unique(frame.to_numpy(), axis=0, return_index=True)
        X, Z, truth = frame.iloc[kept].reset_index(drop=True), bits[kept], y[kept]
    assert same_files(tmp_path, model, X, Z, truth)
    assert len(model.rules_) > 0
    assert np.array_equal(model.predict(frame), model.predict(bits))
    assert model.explain(bits) == model.explain(frame)
    assert np.array_equal(load(tmp_path / "model.json").predict(bits), model.predict(frame))


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    shape=st.tuples(st.integers(4, 140), st.integers(1, 12)),
    form=st.sampled_from(["conjunction", "disjunction"]),
    penalty=st.sampled_from([0.0, 0.5, 1.0, 2.5, INF]),
    weighted=st.booleans(),
    chosen=st.sampled_from(["all", "some", "drawn"]),
    n_jobs=st.sampled_from([1, 3]),
)
def test_any_table_gives_the_same_path(tmp_path_factory, seed, shape, form, penalty, weighted, chosen, n_jobs):
    rng = np.random.default_rng(seed)
    X = (rng.random(shape) < rng.choice([0.1, 0.5, 0.95])).astype(int)
    y = np.r_[0, 1, rng.integers(0, 2, shape[0] - 2)]
    if penalty == INF:
        y = (X @ (2 ** np.arange(shape[1]) % 5) % 2).astype(int)
        X, y = np.vstack([X, 1 - X]), np.r_[y, (1 - X) @ (2 ** np.arange(shape[1]) % 5) % 2]
    bits = pack(X, tmp_path_factory.mktemp("bits") / "x")
    rows = {"all": np.arange(len(y)), "some": rng.permutation(len(y))[: 2 + len(y) // 2]}
    rows["drawn"] = rng.integers(0, len(y), len(y))
    some = rows[chosen]
    if len(set(y[some])) < 2:
        return
    weight = rng.integers(0, 4, len(some)) + (rng.random(len(some)) if rng.random() < 0.5 else 0.0) + 0.1
    more = {"sample_weight": weight} if weighted else {}
    models = [
        SetCoveringClassifier(form, "literals", penalty=penalty, n_jobs=n_jobs).fit(table[some], y[some], **more)
        for table in (X, bits)
    ]
    assert models[0].path_ == models[1].path_
    assert models[0].certificate_ == models[1].certificate_


@pytest.mark.parametrize(
    "kind",
    ["numbers", "truths", "sparse", "pandas", "polars", "arrow", "parquet", "ipc", "folder", "ipc folder", "dataset"],
)
def test_every_source_packs_the_same(tmp_path, small_pieces, kind):
    frame, y = flags(1)
    table = pa.Table.from_pandas(frame)
    names = {"parquet": "t.parquet", "ipc": "t.arrow", "folder": "parts", "ipc folder": "parts", "dataset": "parts"}
    file = tmp_path / names[kind] if kind in names else None
    if kind == "parquet":
        pa.parquet.write_table(table, file, row_group_size=37)
    elif kind == "ipc":
        pa.feather.write_feather(table, file, compression="uncompressed", chunksize=41)
    elif file is not None:
        file.mkdir()
        write = pa.feather.write_feather if kind == "ipc folder" else pa.parquet.write_table
        for number, start in enumerate(range(0, len(frame), 50)):
            write(table[start : start + 50], file / f"{number}")
    if kind == "dataset":
        file = pa.dataset.dataset(file)
    source = (
        file
        or {
            "numbers": frame.to_numpy().astype(np.int8),
            "truths": frame.to_numpy(),
            "sparse": sparse.csr_array(frame.to_numpy().astype(float)),
            "pandas": frame.astype({"flag 2": float}),
            "polars": pl.from_pandas(frame),
            "arrow": table,
        }[kind]
    )
    bits = pack(source, tmp_path / "x.bits")
    assert bits.shape == frame.shape
    assert np.array_equal(bits.__laconic_table__().matrix(), frame.to_numpy())
    assert bits.names == (None if kind in ("numbers", "truths", "sparse") else tuple(frame.columns))
    model = SetCoveringClassifier("conjunction", "literals", penalty=1.0)
    assert same_files(tmp_path, model, frame if file else source, bits, y)
    assert "label" not in (pack(frame.assign(label=1), tmp_path / "y", drop=["label"]).names or ())


def test_presence_and_absence_come_from_one_pass(packed, monkeypatch):
    _, bits, y = packed
    n_blocks, n_read = bits._table.store.n_blocks, 0
    block = Store.block

    def counted(self, number):
        nonlocal n_read
        n_read += 1
        return block(self, number)

    steps = []

    def tell(what, done, total):
        if what == "rules":
            steps.append(n_read)

    monkeypatch.setattr(Store, "block", counted)
    with progress(tell, every=0):
        model = SetCoveringClassifier("conjunction", "literals", penalty=1.0, max_rules=3).fit(bits, y == "ill")
    assert {rule.negated for rule in model.rules_} == {True, False}
    assert n_blocks > 3
    # a step looks at each block once, for presence and absence, and at the columns that its rule names again
    assert all(n_blocks <= after - before < 2 * n_blocks for before, after in pairwise(steps))


def test_ordinary_columns_stand_behind_packed_ones(tmp_path, packed):
    frame, _, y = packed
    rng = np.random.default_rng(0)
    more = pd.DataFrame({"age": rng.normal(size=len(y)) + (y == "ill"), "town": rng.choice(["A", "B"], len(y))})
    bits, whole = PackedBits.open(tmp_path / "flags.bits", columns=more), pd.concat([frame, more], axis=1)
    for features in ("conditions", ["literals", "stumps"], ["literals", Stumps(bins=9)]):  # of ties the first
        assert same_files(tmp_path, SetCoveringClassifier("conjunction", features), whole, bits, y)
    search = SetCoveringClassifierCV(features=[["literals", "stumps"]], penalties=[1], max_rules=3)
    assert same_files(tmp_path, search, whole, bits, y)
    with pytest.raises(ValueError, match="149 rows, and the packed bits 150"):
        PackedBits.open(tmp_path / "flags.bits", columns=more.iloc[1:])
    with pytest.raises(ValueError, match="Several columns are called 'flag 4'"):
        PackedBits.open(tmp_path / "flags.bits", columns=more.rename(columns={"age": "flag 4"}))
    with pytest.raises(ValueError, match="'flag 0' is a packed flag, and Stumps need numbers"):
        SetCoveringClassifier(features="stumps").fit(bits, y)
    with pytest.raises(ValueError, match="'flag 0' is a packed flag, and Balls need numbers"):
        SetCoveringClassifier(features=Balls()).fit(bits, y)
    with pytest.raises(ValueError, match="Column 2 is a packed flag; leave it out of categories"):
        SetCoveringClassifier(features=Literals(categories={2: [True]})).fit(
            PackedBits.open(tmp_path / "flags.bits"), y
        )


def test_rows_are_taken_as_scikit_learn_takes_them(packed):
    frame, bits, y = packed
    model = SetCoveringClassifier("conjunction", "literals", penalty=1.0)
    assert np.array_equal(cross_val_score(model, bits, y), cross_val_score(model, frame, y))
    assert np.array_equal(cross_val_predict(model, bits, y), cross_val_predict(model, frame, y))
    folds = {"cv": GroupKFold(3), "param_grid": {"penalty": [0.5, 2.0]}}
    groups = np.arange(len(y)) // 10
    scores = [GridSearchCV(model, **folds).fit(X, y, groups=groups).cv_results_ for X in (frame, bits)]
    assert scores[0]["mean_test_score"].tolist() == scores[1]["mean_test_score"].tolist()
    assert len(bits[10:20]) == 10
    assert bits[10:20][[1, 3]].shape == (2, 23)
    assert bits[y == "ill"].shape[0] == (y == "ill").sum()
    assert np.array_equal(pickle.loads(pickle.dumps(bits[5:]))._table.column(3).values, frame.iloc[5:, 3])
    for wrong in (4, (slice(None), 2)):
        with pytest.raises(IndexError, match="Packed bits give"):
            bits[wrong]
    with pytest.raises(IndexError):
        bits[[150]]


def test_a_fitted_model_compares_columns(tmp_path, packed):
    frame, bits, y = packed
    model = SetCoveringClassifier("conjunction", "literals").fit(bits, y)
    narrow = pack(frame.iloc[:, :4], tmp_path / "narrow")
    renamed = pack(frame.rename(columns={"flag 2": "two"}), tmp_path / "renamed")
    with pytest.raises(ValueError, match="X has 4 features, but SetCoveringClassifier is expecting 23"):
        model.predict(narrow)
    with pytest.raises(ValueError, match="Column 2 is called 'two', and was called 'flag 2'"):
        model.predict(renamed)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(bits, y[:-1])
    assert model.fit(pack(frame.to_numpy(), tmp_path / "plain"), y).n_features_in_ == 23
    assert not hasattr(model, "feature_names_in_")


def test_equal_columns_are_found_in_the_rows_that_are_there(tmp_path, packed):
    frame, bits, y = packed
    assert bits.equal_columns() == ((3, 5),)
    assert bits.equivalent_rules(Literal(3)) == (Literal(5), Literal(9, negated=True))
    assert bits.equivalent_rules(Literal(9)) == (Literal(3, negated=True), Literal(5, negated=True))
    few = bits[:6]
    columns = frame.to_numpy()[:6].T
    groups = {}
    for j, column in enumerate(columns):
        groups.setdefault(column.tobytes(), []).append(j)
    assert few.equal_columns() == tuple(sorted(tuple(group) for group in groups.values() if len(group) > 1))
    model = SetCoveringClassifier("conjunction", "literals", penalty=1.0).fit(bits, y)
    shown = next(rule for rule in model.rules_ if rule.feature in (3, 5, 9))
    assert shown.feature == 3  # of equals the smaller column
    for wrong in (Stumps(), Literal(23), Literal(3, category="a")):
        with pytest.raises(ValueError, match="no rule about a packed column"):
            bits.equivalent_rules(wrong)


def test_hashes_that_collide_are_told_apart(monkeypatch, packed):
    _, bits, _ = packed
    monkeypatch.setattr(_bits, "column_hashes", lambda some, mask: np.zeros(len(some), dtype=np.uint64))
    assert bits.equal_columns() == ((3, 5),)
    assert bits.equivalent_rules(Literal(5)) == (Literal(3), Literal(9, negated=True))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.array([[0.0, 1.0], [1.0, np.nan]]), "Column 'x1' has no value in row 1 (counted from 0), and packed bits"),
        (np.array([[0, 1], [2, 1]]), "Column 'x0' holds 2 in row 1"),
        (np.array([["a"]]), "Expected a table of truths"),
        (np.zeros(3), "Expected a table of truths"),
        (np.zeros((0, 3)), "A table of 0 rows and 3 columns cannot be packed"),
        (pd.DataFrame({"a": ["x"]}), "Column 'a' has type String"),
        (pd.DataFrame({"a": pd.array([True, None], dtype="boolean")}), "Column 'a' has no value in row 1"),
        (pl.DataFrame({"a": [True, None]}), "Column 'a' has no value in row 1"),
        (sparse.csr_array([[0.0, 3.0]]), "Column 'x1' holds 3 in row 0"),
    ],
)
def test_what_is_no_flag_is_refused_and_nothing_is_left(tmp_path, table, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        pack(table, tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_a_path_is_as_good_as_what_it_leads_to(tmp_path):
    rng = np.random.default_rng(3)
    flags = pd.DataFrame(rng.random((200, 20)) < 0.4, columns=[f"gene {j}" for j in range(20)])
    y = (flags["gene 3"] & ~flags["gene 4"]).to_numpy()
    pack(flags, tmp_path / "flags.bits")
    files = []
    for place, X in enumerate((flags, tmp_path / "flags.bits", str(tmp_path / "flags.bits"))):
        model = SetCoveringClassifierCV(features=["literals"], penalties=[1.0], max_rules=3).fit(X, y)
        model.save(tmp_path / f"{place}.json")
        files.append((tmp_path / f"{place}.json").read_bytes())
        assert model.predict(X).tolist() == y.tolist()
        assert model.explain(X) == model.explain(flags)
    assert files[0] == files[1] == files[2]
    with pytest.raises(ValueError, match="hold no labels"):
        SetCoveringClassifier(features="literals").fit(tmp_path / "flags.bits", "ill")
