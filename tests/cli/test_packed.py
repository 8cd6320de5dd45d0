"""Packed bits on the command line: labels from a table of their own, the model of the same rows in memory."""

import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from tests.cli.test_predict import here

import laconic
from laconic import SetCoveringClassifier
from laconic.covering import PackedBits
from laconic.covering.packed._format import words_for
from laconic.covering.packed._writer import PackedWriter

N_ROWS = 200


@pytest.fixture(scope="module")
def flags():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(rng.random((N_ROWS, 30)) < 0.4, schema=[f"gene {j}" for j in range(30)])
    ill = np.where(frame["gene 3"].to_numpy() & ~frame["gene 7"].to_numpy(), "yes", "no")
    return frame.with_columns(ill=pl.Series(ill))


@pytest.fixture(scope="module")
def folder(tmp_path_factory, flags):
    folder = tmp_path_factory.mktemp("packed")
    flags.write_parquet(folder / "flags.parquet")
    flags.select("ill").write_csv(folder / "ill.csv")
    done = here("pack", folder / "flags.parquet", folder / "flags.bits", "--drop", "ill")
    assert done.returncode == 0, done.stderr
    return folder


def fit(folder, *words):
    return here("fit", folder / "flags.bits", *words)


def test_fit_and_predict(folder, flags, tmp_path):
    options = ["--learner", "scm", "--set", "features=literals", "--set", "form=conjunction"]
    tables = {"csv": ["--labels", folder / "ill.csv"], "parquet": ["--labels", folder / "flags.parquet", "-t", "ill"]}
    for name, labels in tables.items():
        done = fit(folder, *labels, *options, "--out", tmp_path / f"{name}.json", "--max-memory", "8GB")
        assert done.returncode == 0, done.stderr
        assert "200 rows, 30 columns, predicting ill" in done.stdout
    expected = SetCoveringClassifier("conjunction", "literals").fit(flags.drop("ill"), flags["ill"].to_numpy())
    expected.about_ = {"target": "ill"}
    expected.save(tmp_path / "memory.json")
    found = [json.loads((tmp_path / f"{name}.json").read_text()) for name in ("csv", "parquet", "memory")]
    commands = [(one.pop("sha256"), one["about"].pop("command", None))[1] for one in found]
    assert found[0] == found[1] == found[2]
    assert [None if one is None else one.split()[:2] for one in commands] == [["laconic", "fit"]] * 2 + [None]
    for words in ([], ["--explain"], ["--json"]):
        packed, table = (
            here("predict", tmp_path / "csv.json", folder / name, *words) for name in ("flags.bits", "flags.parquet")
        )
        assert packed.returncode == 0, packed.stderr
        assert packed.stdout == table.stdout
    assert here("predict", tmp_path / "csv.json", folder / "flags.bits", "--id", "gene 3").returncode == 2


def test_rows_without_a_label_are_left_out(folder, flags, tmp_path):
    kept = np.arange(N_ROWS) % 10 != 0
    labels = flags.select(pl.when(pl.Series(kept)).then("ill").alias("ill"))
    labels.write_parquet(tmp_path / "some.parquet")
    done = fit(folder, "--labels", tmp_path / "some.parquet", "-l", "scm", "--out", tmp_path / "model.json")
    assert "20 rows without ill left out" in done.stdout
    expected = SetCoveringClassifier().fit(PackedBits.open(folder / "flags.bits")[kept], flags["ill"].to_numpy()[kept])
    assert laconic.load(tmp_path / "model.json").rules_ == expected.rules_


def test_wrong_calls_say_what_to_do(folder, flags, tmp_path):
    flags.select("ill", "gene 3").head(10).write_csv(tmp_path / "few.csv")
    pl.DataFrame({"number": np.arange(N_ROWS) / 7}).write_csv(tmp_path / "numbers.csv")
    labels = ["--labels", folder / "ill.csv"]
    for words, code, said in [
        ([], 2, "name a table that has it by --labels"),
        (["--labels", tmp_path / "few.csv"], 2, "--target COLUMN, one of ill, gene 3"),
        (["--labels", tmp_path / "few.csv", "-t", "il"], 1, "Did you mean 'ill'?"),
        (["--labels", tmp_path / "few.csv", "-t", "ill"], 1, "has 10 rows, and"),
        ([*labels, "--set", "features=literals"], 2, "The learner auto has no parameter 'features'"),
        ([*labels, "--drop", "gene 3"], 2, "leave out columns when you pack it (laconic pack --drop)"),
        ([*labels, "-l", "mcm"], 2, "the learner is auto or scm, and not mcm"),
        ([*labels, "--promise", "everything"], 2, "--promise does not know 'everything'"),
        (["--labels", tmp_path / "numbers.csv"], 1, "number has 200 different numbers, and packed bits tell classes"),
        ([*labels, "--dask", "tcp://nowhere"], 2, "packed bits are fitted here"),
        ([*labels, "--max-memory", "1MB"], 1, "Raise it"),
        ([*labels, "--out", folder / "flags.bits" / "bits"], 1, "is in the folder"),
    ]:
        done = fit(folder, *words)
        assert (done.returncode, done.stdout) == (code, ""), (words, done.stderr)
        assert said in done.stderr
    done = here("fit", folder / "flags.parquet", "-t", "ill", *labels)
    assert done.returncode == 2
    assert "--labels goes with packed bits" in done.stderr
    done = here("fit", folder / "flags.parquet", "-t", "ill", "--max-memory", "1GB", "--drop", "gene 3")
    assert "--drop needs the rows in memory: it does not go with --max-memory or --dask." in done.stderr
    words = ["--dask", "tcp://nowhere", "--cv", "3"]
    assert "--cv does not go with --dask." in here("fit", folder / "flags.parquet", "-t", "ill", *words).stderr


def test_folds_selection_and_promises(folder, flags, tmp_path, monkeypatch):
    some = [one for one in laconic.LaconicClassifier._portfolio if one.name in ("thresholds", "score card")]
    monkeypatch.setattr(laconic.LaconicClassifier, "_portfolio", tuple(some))
    labels = ["--labels", folder / "ill.csv"]
    X, y = flags.drop("ill"), flags["ill"].to_numpy()
    scm = ["-l", "scm", "--set", 'features=["literals"]', "--set", "penalties=[1.0]"]
    machines = {"features": ["literals"], "penalties": [1.0]}
    promises = laconic.Promises(classes=True, ceilings={"yes": 0.5})
    said = ["--promise", "classes", "--promise", 'ceilings={"yes": 0.5}']
    for words, model in [
        ([*scm, "--cv", "3"], laconic.SetCoveringClassifierCV(**machines, cv=3)),
        ([*scm, "--cv", "3", "--max-memory", "8GB"], laconic.SetCoveringClassifierCV(**machines, cv=3)),
        ([*scm, "--select", "bound"], laconic.SetCoveringClassifierCV(**machines, select="bound")),
        (["-l", "scm", *said], SetCoveringClassifier(promises=promises)),
        (said, laconic.LaconicClassifier(promises=promises)),
        (["--cv", "2"], laconic.LaconicClassifier()),
    ]:
        done = fit(folder, *labels, *words, "--out", tmp_path / "found.json", "--force")
        assert done.returncode == 0, done.stderr
        found = laconic.load(tmp_path / "found.json")
        assert ("notes" in found.about_) == ("--cv" in words or "--select" in words)
        expected = model.fit(X, y)
        expected.about_ = found.about_
        expected.save(tmp_path / "expected.json")
        assert (found.hypothesis_, found.certificate_) == (expected.hypothesis_, expected.certificate_)
        if not isinstance(model, laconic.LaconicClassifier):  # which notes how long each machine took
            assert (tmp_path / "found.json").read_bytes() == (tmp_path / "expected.json").read_bytes()
        shown = here("show", tmp_path / "found.json", "--explain")
        assert shown.returncode == 0, shown.stderr
        packed, table = (
            here("predict", tmp_path / "found.json", folder / name, "--explain")
            for name in ("flags.bits", "flags.parquet")
        )
        assert packed.returncode == 0, packed.stderr
        assert packed.stdout == table.stdout


def test_folds_of_a_table_that_stays_on_disk(folder, flags, tmp_path):
    words = ["--cv", "3", "--set", 'features=["literals"]', "--set", "penalties=[1]", "--max-memory", "8GB"]
    done = here("fit", folder / "flags.parquet", "-t", "ill", *words, "--out", tmp_path / "found.json")
    assert done.returncode == 0, done.stderr
    assert "the least of all settings tried" in done.stdout
    model = laconic.SetCoveringClassifierCV(features=["literals"], penalties=[1], cv=3)
    expected = model.fit(flags.drop("ill"), flags["ill"].to_numpy())
    found = laconic.load(tmp_path / "found.json")
    assert (found.path_, found.certificate_) == (expected.path_, expected.certificate_)


def test_verbs_that_read_no_packed_bits_say_so(folder, tmp_path):
    model = tmp_path / "model.json"
    assert fit(folder, "--labels", folder / "ill.csv", "-l", "scm", "--out", model).returncode == 0
    bits = folder / "flags.bits"
    for words in (
        ["report", model, bits],
        ["verify", model, bits],
        ["compare", bits, "-t", "ill"],
        ["watch", model, bits, "--state", tmp_path / "state.json"],
    ):
        done = here(*words)
        assert done.returncode == 1, (words, done.stdout, done.stderr)
        assert "holds packed bits, which 'laconic fit' and 'laconic predict' read" in " ".join(done.stderr.split())
        assert list(tmp_path.iterdir()) == [model]


LIMITED = """
import sys
import numpy as np
import laconic
from laconic._memory import held_memory
y = np.load(sys.argv[2])
bits = laconic.covering.PackedBits.open(sys.argv[1])
laconic.SetCoveringClassifier("conjunction", "literals", penalty=1.0, max_rules=1).fit(np.eye(8)[:, :2] == 1, y[:8])
limit = held_memory() + int(sys.argv[3])
given = {} if sys.argv[4] == "any" else {"max_memory": limit}
laconic.SetCoveringClassifier("conjunction", "literals", penalty=1.0, max_rules=2, **given).fit(bits, y)
(peak,) = [int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(peak - limit)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of a program is read from Linux's own file")
def test_the_limit_of_memory_is_kept_to(tmp_path):
    rng = np.random.default_rng(0)
    n_rows, n_columns, room = 2**15, 2**15, 64 * 2**20
    with PackedWriter(tmp_path / "wide.bits", n_rows) as writer:
        for _ in range(4):
            writer.append(rng.integers(2**64, size=(n_columns // 4, words_for(n_rows)), dtype=np.uint64))
        writer.finish()
    np.save(tmp_path / "y.npy", np.arange(n_rows) % 2 == 0)
    over = []
    for limit in ("some", "any"):
        words = [sys.executable, "-c", LIMITED, tmp_path / "wide.bits", tmp_path / "y.npy", str(room), limit]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        over.append(int(done.stdout))
    assert over[0] < 0 < over[1]  # without a limit the process holds the whole file, which is twice the room
