"""``laconic predict`` of tables on disk: piece by piece, with the bytes of a table in memory, and little memory."""

import datetime
import subprocess
import sys

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from tests.cli.test_predict import here

import laconic
from laconic.cli import _sources

N_ROWS = 1000
PIECE = 128


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write a table in several ways, and models of a number, a category and a sum."""
    folder = tmp_path_factory.mktemp("disk")
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "when": [datetime.date(2020, 1, 1)] * N_ROWS,  # no rule can read it
            "no": np.arange(N_ROWS) + np.where(np.arange(N_ROWS) == 900, 0.5, 0.0),  # whole, save in a late piece
            "mass": np.where(rng.random(N_ROWS) < 0.1, np.nan, rng.normal(size=N_ROWS)),
            "ward": rng.choice(["a", 'b "x", y', "c"], N_ROWS),
            "code": rng.choice([1.0, 2.0], N_ROWS),
        }
    ).with_columns(code=pl.when(pl.arange(N_ROWS) == 700).then(2.5).otherwise("code"))
    table = frame.to_arrow()
    pq.write_table(table, folder / "rows.parquet", row_group_size=300)
    pyarrow.feather.write_feather(table, folder / "rows.arrow", chunksize=333)
    (folder / "parts").mkdir()
    for i, start in enumerate(range(0, N_ROWS, 350)):
        pq.write_table(table.slice(start, 350), folder / "parts" / f"{i}.parquet")
    sick = np.asarray((frame["mass"].fill_nan(0) > 0.3) | (frame["ward"] == "c"))
    X, texts = frame.select("mass", "ward"), frame.select(code=pl.col("code").cast(pl.String))
    laconic.SetCoveringClassifier("disjunction", "conditions", penalty=1.0).fit(X, sick).save(folder / "rules.json")
    laconic.SetCoveringClassifier("conjunction", "conditions", penalty=1.0).fit(
        texts, texts["code"].to_numpy() == "2.0"
    ).save(folder / "code.json")
    complete = np.nan_to_num(frame["mass"].to_numpy())
    laconic.MinimalComplexityRegressor().fit(pl.DataFrame({"mass": complete}), 2 * complete).save(folder / "sum.json")
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ("rules.json", "--explain", "--id", "no,when"),
        ("rules.json", "--json", "--id", "no"),
        ("code.json",),
        ("sum.json", "--explain"),
        ("sum.json", "--json"),
    ],
)
def test_pieces_give_the_bytes_of_the_whole(words, folder, monkeypatch, tmp_path):
    model, *options = words
    monkeypatch.setattr(_sources, "_stays_on_disk", lambda name: False)
    whole = here("predict", folder / model, folder / "rows.parquet", *options)
    monkeypatch.undo()
    assert whole.returncode == 0, whole.stderr
    assert len(whole.stdout) > 2 * N_ROWS
    monkeypatch.setattr(_sources, "PIECE_ROWS", PIECE)
    monkeypatch.setattr(_sources, "_read", None)  # nothing is read into memory
    for name in ("rows.parquet", "rows.arrow", "parts"):
        done = here("predict", folder / model, folder / name, *options)
        assert (done.returncode, done.stdout, done.stderr) == (0, whole.stdout, whole.stderr)
    here("predict", folder / model, folder / "parts", *options, "--out", tmp_path / "out")
    assert (tmp_path / "out").read_bytes().decode() == whole.stdout


def test_what_is_wrong_is_said_with_its_row_before_anything_is_written(folder, monkeypatch, tmp_path):
    monkeypatch.setattr(_sources, "PIECE_ROWS", PIECE)
    path, out = tmp_path / "new.parquet", tmp_path / "out.csv"
    out.write_text("older")
    pq.write_table(pa.table({"weight": [1.0], "ward": ["a"]}), path)
    done = here("predict", folder / "rules.json", path, "--out", out)
    assert (done.returncode, done.stdout) == (1, "")
    assert "The table has no column 'mass', which the model needs." in done.stderr
    mass = ["1"] * 500 + ["heavy"] + ["2"] * 200
    pq.write_table(pa.table({"mass": mass, "ward": ["a"] * 701}), path)
    done = here("predict", folder / "rules.json", path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "Column 'mass' holds 'heavy' in row 501, and the model knows it as numbers." in done.stderr
    pq.write_table(pa.table({"mass": [1.0] * 300 + [np.inf], "ward": ["a"] * 301}), path)
    assert "holds inf in row 301" in here("predict", folder / "rules.json", path).stderr
    path.write_bytes((folder / "rows.parquet").read_bytes()[:5000])
    done = here("predict", folder / "rules.json", path, "--out", out)
    assert "cut short, or damaged" in done.stderr
    pq.write_table(pa.table({"mass": pa.array([], pa.float64()), "ward": pa.array([], pa.string())}), path)
    assert "Found 0 rows" in here("predict", folder / "rules.json", path).stderr
    assert out.read_text() == "older"
    done = here("predict", folder / "rules.json", folder / "parts", "--out", folder / "parts" / "0.parquet")
    assert "is in the folder" in done.stderr


def test_nothing_is_written_where_a_late_piece_fails(folder, monkeypatch, tmp_path):
    monkeypatch.setattr(_sources, "PIECE_ROWS", PIECE)
    n_asked, predict = 0, laconic.SetCoveringClassifier.predict

    def fails(self, X):
        nonlocal n_asked
        n_asked += 1
        if n_asked == 4:
            raise ValueError("the fourth piece")
        return predict(self, X)

    monkeypatch.setattr(laconic.SetCoveringClassifier, "predict", fails)
    out = tmp_path / "out.csv"
    out.write_text("older")
    done = here("predict", folder / "rules.json", folder / "rows.parquet", "--out", out)
    assert (done.returncode, n_asked) == (1, 4)
    assert "the fourth piece" in done.stderr
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("out.csv", "older")]


def test_predict_of_a_path_asks_nothing_of_columns_that_no_rule_looks_at(folder):
    model = laconic.load(folder / "rules.json")
    frame = pl.read_parquet(folder / "rows.parquet").select("mass", "ward")
    assert model.predict(folder / "rows.parquet").tolist() == model.predict(frame).tolist()


MEASURED = """
import sys
from laconic.cli import main
try:
    main()
except SystemExit as left:
    peak = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
    print(left.code, *peak, file=sys.stderr)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of a program is read from Linux's own file")
def test_many_rows_take_little_memory(folder, tmp_path):
    X = np.random.default_rng(0).normal(size=300_000)
    wide = {"ward": pa.array(["a"] * len(X)).dictionary_encode()} | {f"other {i}": X for i in range(3)}
    few, many = tmp_path / "few.parquet", tmp_path / "many.parquet"
    pq.write_table(pa.table({"mass": X[:50_000], **{name: each[:50_000] for name, each in wide.items()}}), few)
    pq.write_table(pa.table({"mass": X, **wide}), many, row_group_size=50_000)
    peaks = []
    for path in (few, many):
        words = ["predict", folder / "rules.json", path, "--out", tmp_path / "out.csv"]
        done = subprocess.run([sys.executable, "-c", MEASURED, *words], capture_output=True, text=True, check=True)
        code, peak = done.stderr.split()
        assert code == "0"
        peaks.append(1024 * int(peak))
    with open(tmp_path / "out.csv") as lines:
        assert sum(1 for _ in lines) == 300_001
    assert peaks[1] - peaks[0] < 40 * 2**20  # answers of all rows at once take several times that
