"""Files of other people: the model of the same rows in memory, or an error before any work that names what is odd."""

from __future__ import annotations

import datetime
import decimal
import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

from laconic import LaconicClassifier, SetCoveringClassifier, _sources, progress
from laconic.covering import pack
from laconic.covering.core import _reading_rows as reading_rows
from laconic.covering.packed import _bits

N_ROWS = 200
RNG = np.random.default_rng(0)
Y = RNG.random(N_ROWS) < 0.5
NOISE = np.where(Y, 1.5, -1.5) + RNG.normal(size=N_ROWS)
TEXT = np.where(Y ^ (RNG.random(N_ROWS) < 0.1), "u", "v")
GAPS = RNG.random(N_ROWS) < 0.2


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch):
    monkeypatch.setattr(reading_rows, "_LEAST_BATCH", 16)
    monkeypatch.setattr(reading_rows, "_MOST_BATCH", 50)


def machine(**given):
    return SetCoveringClassifier(features="conditions", penalty=1.0, max_rules=3, **given)


def file_of(folder, X, y, **given):
    machine(**given).fit(X, y).save(folder / "model.json")
    return (folder / "model.json").read_bytes()


def rows():
    return pa.table({"a": NOISE, "b": RNG.normal(size=N_ROWS), "t": pa.array(TEXT).dictionary_encode()})


TABLE = rows()


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "parts"
    place.mkdir()
    pq.write_table(TABLE[:100], place / "0.parquet", row_group_size=30)
    pq.write_table(TABLE[100:], place / "1.parquet")
    return place


# ---- what columns hold

WHOLE = 2**53 + np.where(Y, 0, 3) + RNG.integers(0, 3, N_ROWS)
EXACT = [decimal.Decimal(f"{value:.3f}") for value in NOISE]
READ = {
    "half floats": pa.array(NOISE.astype(np.float16)),
    "large numbers": pa.array(WHOLE),
    "large numbers with gaps": pa.array(WHOLE, mask=GAPS),
    "unsigned": pa.array((WHOLE * 16).astype(np.uint64)),
    "decimals": pa.array(EXACT, pa.decimal128(10, 3)),
    "decimals with gaps": pa.array([None if gap else each for each, gap in zip(EXACT, GAPS, strict=True)]),
    "texts with gaps": pa.array(TEXT, mask=GAPS),
    "long texts": pa.array(TEXT.tolist(), pa.large_string()),
    "views of texts": pa.array(TEXT.tolist(), pa.string_view()),
    "empty texts": pa.array(np.where(Y, "", "v").tolist()),
    "a dictionary with gaps": pa.array(TEXT, mask=GAPS).dictionary_encode(),
    "truths with gaps": pa.array(Y, mask=GAPS),
    "NaN and gaps": pa.array(np.where(RNG.random(N_ROWS) < 0.1, np.nan, NOISE), mask=GAPS),
    "minus zero": pa.array(np.where(Y, -0.0, 0.0)),
    "tiny": pa.array(NOISE * 5e-323),
    "huge": pa.array(NOISE * 1e307),
    "nothing": pa.nulls(N_ROWS),
    "truths that come late": pa.array([None] * 150 + [True] * 50, pa.bool_()),
    "texts that come late": pa.array([None] * 150 + ["x"] * 50, pa.string()),
}


@pytest.mark.parametrize("name", READ)
def test_columns_are_those_in_memory(tmp_path, name):
    X = pa.table({"z": RNG.normal(size=N_ROWS), "c": READ[name], "c.d": NOISE})
    pq.write_table(X, tmp_path / "x.parquet", row_group_size=60)
    pa.feather.write_feather(X, tmp_path / "x.arrow", chunksize=60)
    expected = file_of(tmp_path, X, Y)
    fitted = machine().fit(X, Y)
    for path in (tmp_path / "x.parquet", tmp_path / "x.arrow"):
        assert file_of(tmp_path, path, Y) == expected
        assert fitted.predict(path).tolist() == fitted.predict(X).tolist()
        assert list(fitted.explain(path)) == fitted.explain(X)


DAYS = [datetime.date(2020, 1, 1 + flag) for flag in Y.tolist()]
REFUSED = {
    "dates": pa.array(DAYS),
    "times": pa.array([datetime.datetime(2020, 1, 1)] * N_ROWS),
    "lists": pa.array([[1.0]] * N_ROWS),
    "records": pa.array([{"a": 1.0}] * N_ROWS),
    "bytes": pa.array([b"u"] * N_ROWS),
}


@pytest.mark.parametrize("name", REFUSED)
def test_columns_that_no_rule_reads_are_refused_before_any_row_is_read(tmp_path, name, monkeypatch):
    pq.write_table(pa.table({"z": NOISE, "c": REFUSED[name], "y": Y}), tmp_path / "x.parquet")
    monkeypatch.setattr(_sources, "read_batches", None)
    with pytest.raises(TypeError, match="Column 'c' has type .*, which no rule can read"):
        machine().fit(tmp_path / "x.parquet", "y")
    with pytest.raises(ValueError, match="Column 'c' is of type .*, and cannot be predicted"):
        machine().fit(tmp_path / "x.parquet", "c")


def test_infinite_values_are_named(tmp_path):
    pq.write_table(pa.table({"z": NOISE, "mass": np.where(np.arange(N_ROWS) == 77, np.inf, NOISE)}), tmp_path / "x")
    with pytest.raises(ValueError, match=r"infinity: 'mass' in row 77 \(counted from 0\)"):
        machine().fit(tmp_path / "x", Y)


LABELS = {
    "truths": pa.array(Y),
    "small": pa.array(Y.astype(np.int8)),
    "large": pa.array(2**60 + Y.astype(np.int64)),
    "floats": pa.array(Y.astype(np.float16)),
    "texts": pa.array(TEXT),
    "views": pa.array(TEXT.tolist(), pa.string_view()),
    "dictionary": pa.array(TEXT).dictionary_encode(),
}


@pytest.mark.parametrize("name", LABELS)
def test_labels_of_every_type(tmp_path, name):
    column = LABELS[name]
    pq.write_table(pa.table({"a": NOISE, "y": column}), tmp_path / "x.parquet", row_group_size=60)
    plain = column.dictionary_decode() if name == "dictionary" else column
    given = plain.to_numpy(zero_copy_only=False)
    expected = file_of(tmp_path, pa.table({"a": NOISE}), given)
    assert file_of(tmp_path, tmp_path / "x.parquet", "y") == expected


def test_labels_that_are_none(tmp_path):
    path = tmp_path / "x.parquet"
    for labels, message in [
        (pa.array(TEXT, mask=GAPS), "The column 'y' lacks a value in some rows"),
        (pa.nulls(N_ROWS), "The column 'y' lacks a value in some rows"),
        (np.where(GAPS, np.nan, Y), r"Input y \('y'\) contains NaN"),
        (["u"] * N_ROWS, r"one class only \('u'\)"),
        (RNG.choice(["u", "v", "w"], N_ROWS), "Only binary classification"),
        (NOISE, "Unknown label type: y holds 200 different numbers, some with decimals"),
    ]:
        pq.write_table(pa.table({"a": NOISE, "y": labels}), path, row_group_size=60)
        with pytest.raises(ValueError, match=message):
            machine().fit(path, "y")


# ---- files of a folder


def put(table, folder, name="1.parquet"):
    pq.write_table(table, folder / name)


HALF = TABLE[100:]
PLAIN = HALF["t"].combine_chunks().dictionary_decode()
ALIKE = {
    "as they are": lambda folder: None,
    "no rows": lambda folder: put(TABLE[:0], folder, "00.parquet"),
    "other dictionaries": lambda folder: put(
        HALF.set_column(2, "t", pa.concat_arrays([pa.array(["zz"]), PLAIN]).dictionary_encode()[1:]), folder
    ),
    "plain texts": lambda folder: put(HALF.set_column(2, "t", PLAIN), folder),
    "what pandas writes": lambda folder: HALF.to_pandas().to_parquet(folder / "1.parquet"),
    "no gaps allowed": lambda folder: put(
        HALF.cast(pa.schema([TABLE.schema.field(0).with_nullable(False), *list(TABLE.schema)[1:]])), folder
    ),
    "notes": lambda folder: put(HALF.replace_schema_metadata({"by": "me"}), folder),
    "an Arrow file": lambda folder: pa.feather.write_feather(HALF, folder / "1.parquet"),
    "a folder inside": lambda folder: (folder / "1.parquet").replace(mkdir(folder / "more") / "1.parquet"),
    "marks of other programs": lambda folder: [(folder / each).write_text("x") for each in ("_SUCCESS", ".0.crc")],
}


def mkdir(path):
    path.mkdir()
    return path


@pytest.mark.parametrize("name", ALIKE)
def test_folders_that_hold_the_same_rows(folder, tmp_path, name):
    ALIKE[name](folder)
    expected = file_of(tmp_path, TABLE, Y)
    assert file_of(tmp_path, folder, Y) == expected
    assert file_of(tmp_path, folder, Y, n_jobs=3) == expected
    brought, _ = _sources.read_whole(folder, Y)
    assert file_of(tmp_path, brought, Y) == expected


def single(folder):
    """Change one of the values inside a page, so that its checksum fails."""
    path = folder / "1.parquet"
    pq.write_table(HALF, path, write_page_checksum=True, compression="none", use_dictionary=False)
    data = bytearray(path.read_bytes())
    data[data.find(NOISE[150].tobytes())] ^= 1
    path.write_bytes(data)


def stream(folder):
    with pa.ipc.new_stream(folder / "1.parquet", TABLE.schema) as writer:
        writer.write_table(HALF)


def partitions(folder):
    (folder / "year=2020").mkdir()
    (folder / "1.parquet").replace(folder / "year=2020" / "1.parquet")


UNLIKE = {
    "other type": (
        lambda folder: put(HALF.set_column(0, "a", HALF["a"].cast(pa.float32())), folder),
        "Column 'a' is of type float in '.*1.parquet', and of type double in '.*0.parquet'",
    ),
    "other names": (
        lambda folder: put(HALF.rename_columns(["a", "c", "t"]), folder),
        "1.parquet' has no column 'b', which '.*0.parquet' has",
    ),
    "more columns": (
        lambda folder: put(HALF.append_column("d", HALF["a"]), folder),
        "1.parquet' has a column 'd', which '.*0.parquet' lacks",
    ),
    "other order": (
        lambda folder: put(HALF.select(["b", "a", "t"]), folder),
        "1.parquet' has its columns in another order than '.*0.parquet'",
    ),
    "no bytes": (lambda folder: (folder / "1.parquet").write_bytes(b""), "1.parquet' is empty: it has no bytes"),
    "a text beside": (lambda folder: (folder / "README.txt").write_text("x"), "README.txt' is neither a Parquet nor"),
    "a stream": (stream, "1.parquet' is a stream of Arrow, which can be read only once"),
    "folders with values": (partitions, "The folder 'year=2020' in '.*' names a value of a column"),
    "cut short": (
        lambda folder: (folder / "1.parquet").write_bytes((folder / "1.parquet").read_bytes()[:-9]),
        "Cannot read '.*1.parquet' as Parquet or Arrow: .*cut short, or damaged",
    ),
}


@pytest.mark.parametrize("name", UNLIKE)
def test_folders_that_are_no_table_are_refused_before_any_row_is_read(folder, name, monkeypatch, tmp_path):
    spoil, message = UNLIKE[name]
    spoil(folder)
    monkeypatch.setattr(_sources, "read_batches", None)
    for fit in (machine().fit, LaconicClassifier().fit):
        with pytest.raises(ValueError, match=message):
            fit(folder, Y)
    with pytest.raises(ValueError, match=message):
        pack(folder, tmp_path / "x.bits")
    assert not list(tmp_path.glob("x.bits*"))


def test_a_page_that_fails_its_checksum(folder, tmp_path):
    single(folder)
    with pytest.raises(ValueError, match=r"Cannot read '.*1.parquet' as Parquet or Arrow: .*damaged"):
        machine().fit(folder, Y)


def test_datasets_that_are_more_or_less_than_their_files(folder, tmp_path):
    dataset = pa.dataset.dataset(folder)
    assert file_of(tmp_path, dataset, Y) == file_of(tmp_path, TABLE, Y)
    for wrong, message in [
        (dataset.filter(pc.field("a") > 0), f"leaves out rows of its files by a filter: {(NOISE > 0).sum()} of 200"),
        (pa.dataset.dataset(folder, schema=TABLE.schema.remove(1)), "The dataset has no column 'b'"),
        (pa.dataset.dataset(TABLE), "must be one of Parquet or Arrow files on a disk"),
        (pa.dataset.dataset([dataset, dataset]), "must be one of Parquet or Arrow files on a disk"),
    ]:
        with pytest.raises(ValueError, match=re.escape(message)):
            machine().fit(wrong, Y)


def test_a_table_that_changes_while_it_is_packed(tmp_path, monkeypatch):
    flags = pa.table({f"c{j}": RNG.random(N_ROWS) < 0.5 for j in range(20)})
    path = tmp_path / "t.parquet"
    pq.write_table(flags, path)
    monkeypatch.setattr(_bits, "_MOST_AT_ONCE", 8)
    n_told = 0

    def change(what, done, total):
        nonlocal n_told
        n_told += what == "columns"
        assert (done, total) == (8 * (n_told - 1), 20)
        if n_told == 2:
            pq.write_table(flags.set_column(19, "c19", flags["c0"]), path)

    with progress(change, every=0), pytest.raises(ValueError, match=r"t.parquet' changed while it was in use"):
        pack(path, tmp_path / "x.bits")
    assert not (tmp_path / "x.bits").exists()
