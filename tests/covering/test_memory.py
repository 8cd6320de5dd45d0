"""``max_memory`` is kept to: the peak of a process of its own, for each way to use a table that has no room in it."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from laconic import SetCoveringClassifier
from laconic.covering.packed._format import words_for
from laconic.covering.packed._writer import PackedWriter

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the peak of a program is read from Linux's own file")

# Everything is compiled first, on few rows; then the peak is forgotten, and the room begins at what is held.
MEASURED = """
import sys
from collections import deque
from pathlib import Path
import numpy as np
import laconic
from laconic import SetCoveringClassifier, SetCoveringClassifierCV
from laconic._memory import held_memory
from laconic.covering import Balls, Clauses, PackedBits

few, many, labels, room, work = sys.argv[1:]
y = np.load(labels)

def use(path, y, **limit):
    target = "y" if path.endswith("parquet") else y
    eval(work)

use(few, y if few.endswith("bits") else y[:200])
Path("/proc/self/clear_refs").write_text("5")
limit = held_memory() + int(room)
use(many, y, max_memory=limit)
(peak,) = [int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM")]
print((peak - limit + int(room)) / int(room))
"""

RULES = 'SetCoveringClassifier("conjunction", {}, penalty=1.0, max_rules=2, **limit).fit(path, target)'
FOLDS = "SetCoveringClassifierCV(features=[{}], penalties=[0.5, 1.0], max_rules=2, cv=3, **limit).fit(path, target)"
FITS = {
    "thresholds": RULES.format('"stumps"'),
    "threads": RULES.format('"stumps", n_jobs=3'),
    "weights": RULES.format('"stumps"').replace("target)", "target, sample_weight=1.0 + y)"),
    "no errors": RULES.format('"stumps"').replace("penalty=1.0", "penalty=np.inf"),
    "clauses": RULES.format("Clauses(2, binarize=0.0)"),
    "balls": RULES.format("Balls(max_centers=20)"),
    "folds": FOLDS.format('"stumps"'),
}
MODEL = 'SetCoveringClassifier("conjunction", {}, penalty=1.0, max_rules=2).fit(few, {})'
ANSWERS = "(m.predict(path), m.decision_function(path), deque(m.explain(path), maxlen=1))"
ROOM = 96 * 2**20


def peak(folder, work, room, model="None"):
    """Return the most that was held, as a share of the room."""
    code = MEASURED.replace("def use", f"m = {model}\n\ndef use")
    (few,), (many,) = folder.glob("few.*"), folder.glob("many.*")
    words = [sys.executable, "-c", code, few, many, folder / "y.npy", room, work]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return float(done.stdout)


def write_rows(folder, n_groups):
    rng = np.random.default_rng(0)
    n_rows, n_columns, y = 50_000, 8, []
    schema = pa.schema([*((f"x{j}", pa.float64()) for j in range(n_columns)), ("y", pa.bool_())])
    with pq.ParquetWriter(folder / "many.parquet", schema, compression="none") as writer:
        for _ in range(n_groups):
            X = rng.normal(size=(n_columns, n_rows))
            y.append((X[0] > 0) & (X[1] < 1))
            writer.write_table(pa.table([*X, y[-1]], schema=schema))
    pq.write_table(pq.ParquetFile(folder / "many.parquet").read_row_group(0)[:200], folder / "few.parquet")
    np.save(folder / "y.npy", np.concatenate(y))
    return folder


@pytest.fixture(scope="module")
def many_rows(tmp_path_factory):
    folder = write_rows(tmp_path_factory.mktemp("rows"), 50)
    assert (folder / "many.parquet").stat().st_size > 1.5 * ROOM
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", FITS)
def test_fits_of_a_table_on_disk(many_rows, name):
    assert peak(many_rows, FITS[name], ROOM) < 1


def test_answers_for_a_table_on_disk(tmp_path):
    folder = write_rows(tmp_path, 8)
    model = MODEL.format('"stumps"', '"y"')
    assert peak(folder, ANSWERS, 2**26, model) < 1
    # what is said of all rows at once has no room
    assert peak(folder, "list(m.explain(path))", 2**26, model) > 1


@pytest.mark.slow
def test_packing_holds_no_unpacked_table(tmp_path):
    rng = np.random.default_rng(0)
    n_rows, n_columns, room = 2**20, 2**9, 400 * 2**20  # whatever the number of rows
    columns = [pa.Array.from_buffers(pa.bool_(), n_rows, [None, pa.py_buffer(rng.bytes(n_rows // 8))])] * n_columns
    flags = pa.table(columns, [f"c{j}" for j in range(n_columns)])
    pq.write_table(flags, tmp_path / "many.parquet", row_group_size=2**16)
    pq.write_table(flags.slice(0, 10), tmp_path / "few.parquet")
    np.save(tmp_path / "y.npy", np.zeros(200))
    assert n_rows * n_columns > 1.25 * room  # a byte for each truth
    assert peak(tmp_path, "laconic.covering.pack(path, path + '.bits')", room) < 1


@pytest.fixture(scope="module")
def flags(tmp_path_factory):
    """Write 64 MiB of bits, and the same of a few rows."""
    folder = tmp_path_factory.mktemp("flags")
    rng = np.random.default_rng(0)
    n_rows, n_columns = 2**14, 2**15
    bits = rng.integers(2**64, size=(n_columns, words_for(n_rows)), dtype=np.uint64)
    for name, some in (("many", slice(None)), ("few", slice(0, 64))):
        with PackedWriter(folder / f"{name}.bits", n_rows) as writer:
            writer.append(bits[some])
            writer.finish()
    first = np.unpackbits(bits[0].view(np.uint8), bitorder="little")
    np.save(folder / "y.npy", first[:n_rows] == 1)
    model = SetCoveringClassifier("conjunction", "literals", penalty=1.0, max_rules=2)
    model.fit(folder / "many.bits", first[:n_rows] == 1).save(folder / "model.json")
    return folder


LITERALS = {
    "rules": RULES.format('"literals"'),
    "folds": FOLDS.format('"literals"'),
    # the few have other columns than the model
    "answers": "(m.predict(path), m.explain(path)) if path == many else PackedBits.open(path).verify()",
}


@pytest.mark.parametrize("name", [pytest.param("folds", marks=pytest.mark.slow), "rules", "answers"])
def test_packed_bits(flags, name):
    model = f"laconic.load({str(flags / 'model.json')!r})"
    assert peak(flags, LITERALS[name], 2**25, model) < 1
