"""Disks fill up, processes are killed and files are damaged; nothing half-written is taken for whole."""

import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from tests.cli.test_walk import here

from laconic import SetCoveringClassifier
from laconic.covering import PackedBits, pack
from laconic.covering.packed import _bits, _columns, _writer
from laconic.exceptions import DamagedFile

N_ROWS, N_COLUMNS = 130, 40


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(_writer, "_BLOCK_BYTES", 8 * 3 * 4)
    monkeypatch.setattr(_bits, "_MOST_AT_ONCE", 8)


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((N_ROWS, N_COLUMNS)) < 0.3, columns=[f"c{j}" for j in range(N_COLUMNS)])
    frame.to_parquet(tmp_path / "t.parquet")
    return frame


def content(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def fit(bits):
    return SetCoveringClassifier("conjunction", "literals", penalty=1.0).fit(bits, np.arange(N_ROWS) % 2)


@contextmanager
def files_up_to(n_bytes):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class Killed(BaseException):
    pass


def killed_after(monkeypatch, n_appends):
    """End the work inside an append, after some were finished, with bytes that no journal knows of."""
    append, done = _writer.PackedWriter.append, []

    def dying(self, bits, *more, **named):
        if len(done) == n_appends:
            for file in self._files.values():
                file.write(b"half")
                file.flush()
            raise Killed
        done.append(append(self, bits, *more, **named))

    monkeypatch.setattr(_writer.PackedWriter, "append", dying)


@pytest.mark.parametrize("n_appends", [0, 1, 3, 4])
def test_interrupted_work_goes_on(tmp_path, monkeypatch, table, n_appends):
    pack(tmp_path / "t.parquet", tmp_path / "whole")
    with monkeypatch.context() as patched:
        killed_after(patched, n_appends)
        with pytest.raises(Killed):
            pack(tmp_path / "t.parquet", tmp_path / "x.bits")
    assert not (tmp_path / "x.bits").exists()
    for wrong in ("x.bits", "x.bits.part"):
        with pytest.raises((FileNotFoundError, DamagedFile)):
            PackedBits.open(tmp_path / wrong)
    read = []
    columns_pack = _columns.Columns.pack
    monkeypatch.setattr(_columns.Columns, "pack", lambda self, *some: read.append(some) or columns_pack(self, *some))
    pack(tmp_path / "t.parquet", tmp_path / "x.bits")
    assert [start for start, _ in read] == list(range(8 * n_appends, N_COLUMNS, 8))
    assert content(tmp_path / "x.bits") == content(tmp_path / "whole")
    assert not (tmp_path / "x.bits.part").exists()


def test_a_killed_process_leaves_what_the_next_one_finishes(tmp_path, table):
    code = """
import os, signal, sys
from laconic.covering.packed import _bits, _writer
_bits._MOST_AT_ONCE, _writer._BLOCK_BYTES = 8, 8 * 3 * 4
append, done = _writer.PackedWriter.append, []
def dying(self, *some, **named):
    if len(done) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    done.append(append(self, *some, **named))
_writer.PackedWriter.append = dying
_bits.pack(sys.argv[1], sys.argv[2])
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "t.parquet"), str(tmp_path / "x")], timeout=120)
    assert done.returncode == -signal.SIGKILL
    assert not (tmp_path / "x").exists()
    assert json.loads((tmp_path / "x.part" / "journal.json").read_bytes())["n_columns"] == 16
    assert np.array_equal(pack(tmp_path / "t.parquet", tmp_path / "x")._table.matrix(), table.to_numpy())


@pytest.mark.parametrize("change", ["table", "columns", "journal"])
def test_other_work_begins_anew(tmp_path, monkeypatch, table, change):
    with monkeypatch.context() as patched:
        killed_after(patched, 2)
        with pytest.raises(Killed):
            pack(tmp_path / "t.parquet", tmp_path / "x")
    drop = []
    if change == "table":
        table = ~table
        table.to_parquet(tmp_path / "t.parquet")
    elif change == "columns":
        drop, table = ["c3"], table.drop(columns="c3")
    else:
        (tmp_path / "x.part" / "journal.json").write_bytes(b'{"plan": 1')
    assert np.array_equal(pack(tmp_path / "t.parquet", tmp_path / "x", drop=drop)._table.matrix(), table.to_numpy())


def test_a_full_disk_is_an_error_and_room_mends_it(tmp_path, table):
    with files_up_to(500), pytest.raises(OSError, match="the same call goes on from what is finished") as full:
        pack(tmp_path / "t.parquet", tmp_path / "x")
    assert "x.part" in str(full.value)
    assert not (tmp_path / "x").exists()
    assert np.array_equal(pack(tmp_path / "t.parquet", tmp_path / "x")._table.matrix(), table.to_numpy())
    before = content(tmp_path / "x")
    with files_up_to(500), pytest.raises(OSError, match="nothing is there half-written"):
        pack(~table, tmp_path / "x", force=True)
    assert content(tmp_path / "x") == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["t.parquet", "x"]


@pytest.fixture
def small_disk(tmp_path):
    """Mount a disk of a megabyte, where that is allowed."""
    place = tmp_path / "small"
    place.mkdir()
    if shutil.which("mount") is None or os.geteuid() != 0:
        pytest.skip("only root may mount a disk")
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", place], capture_output=True)
    if done.returncode:
        pytest.skip("no disk can be mounted here")
    yield place
    subprocess.run(["umount", place], check=True)


@pytest.mark.slow
def test_a_disk_that_is_full_indeed(tmp_path, small_disk, table):
    filler, words = small_disk / "filler", ["pack", tmp_path / "t.parquet", small_disk / "x.bits"]
    model, predicted = small_disk / "model.json", small_disk / "predicted.csv"
    fit(pack(table, tmp_path / "whole")).save(model)
    before = model.read_bytes()
    with open(filler, "wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(4096)):
            pass
    done = here(*map(str, words))
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    with pytest.raises(OSError, match="No space left on device"):
        fit(table.assign(more=True)).save(model)
    done = here("predict", str(model), str(tmp_path / "whole"), "--out", str(predicted))
    assert "No space left on device" in done.stderr
    assert model.read_bytes() == before
    assert {each.name for each in small_disk.iterdir()} <= {"filler", "model.json", "x.bits.part"}
    filler.unlink()
    assert here(*map(str, words)).returncode == 0
    assert content(small_disk / "x.bits") == content(pack_of(tmp_path))
    assert here("predict", str(model), str(tmp_path / "whole"), "--out", str(predicted)).returncode == 0


def pack_of(folder):
    pack(folder / "t.parquet", folder / "again")
    return folder / "again"


def test_what_is_there_stays_unless_forced(tmp_path, table):
    pack(table, tmp_path / "x")
    with pytest.raises(FileExistsError, match="is there already; choose another name, or replace it"):
        pack(table, tmp_path / "x")
    assert np.array_equal(pack(~table, tmp_path / "x", force=True)._table.matrix(), ~table.to_numpy())
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("all of it")
    with pytest.raises(FileExistsError, match="it is something else, and stays"):
        pack(table, tmp_path / "mine", force=True)
    with pytest.raises(FileNotFoundError, match="There is no directory"):
        pack(table, tmp_path / "no" / "x")
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "all of it"


def test_two_processes_do_not_write_the_same(tmp_path, table):
    with (
        _writer.PackedWriter(tmp_path / "x", 10),
        pytest.raises(BlockingIOError, match="Another process is writing"),
        _writer.PackedWriter(tmp_path / "x", 10),
    ):
        pass


def damage_bits(folder):
    with open(folder / "bits", "r+b") as file:
        file.seek(20 * 3 * 8)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 1]))


def swap_words(folder):
    data = np.fromfile(folder / "bits", dtype=np.uint64).reshape(-1, 3)
    data[[4, 5]] = data[[5, 4]]
    data.tofile(folder / "bits")


def top_bits(folder):
    data = np.fromfile(folder / "bits", dtype=np.uint64).reshape(-1, 3)
    data[4, :2] ^= np.uint64(2**63)
    data.tofile(folder / "bits")


@pytest.mark.parametrize("damage", [damage_bits, swap_words, top_bits])
def test_a_damaged_block_is_found_when_it_is_read(tmp_path, table, damage):
    pack(table, tmp_path / "x")
    damage(tmp_path / "x")
    bits = PackedBits.open(tmp_path / "x")
    with pytest.raises(DamagedFile, match=r"'.*bits' is damaged: the checksum of block \d+ \(columns"):
        fit(bits)
    with pytest.raises(DamagedFile, match="the checksum of block"):
        PackedBits.open(tmp_path / "x").verify()
    assert PackedBits.open(tmp_path / "x")._table.column(0).values.sum() == table["c0"].sum()


@pytest.mark.parametrize("name", ["bits", "blocks", "kinds", "names", "header.json"])
@pytest.mark.parametrize("how", ["cut", "gone", "altered"])
def test_every_file_must_be_as_it_was_written(tmp_path, table, name, how):
    pack(table, tmp_path / "x")
    file = tmp_path / "x" / name
    data = file.read_bytes()
    if how == "gone":
        file.unlink()
    else:
        file.write_bytes(data[:-5] if how == "cut" else data[:30] + bytes([data[30] ^ 1]) + data[31:])
    with pytest.raises(DamagedFile):
        fit(PackedBits.open(tmp_path / "x"))


def test_a_whole_folder_verifies_and_can_be_moved(tmp_path, table):
    pack(table, tmp_path / "x")
    shutil.move(tmp_path / "x", tmp_path / "y")
    PackedBits.open(tmp_path / "y").verify()
    with pytest.raises(FileNotFoundError, match="does not exist"):
        PackedBits.open(tmp_path / "x")
    with pytest.raises(FileNotFoundError, match="is a file, and packed bits are a folder"):
        PackedBits.open(tmp_path / "t.parquet")
    with pytest.raises(DamagedFile, match="there is no header.json"):
        PackedBits.open(tmp_path)


def test_the_command_packs_and_says_what_is_wrong(tmp_path, table):
    words = ["pack", str(tmp_path / "t.parquet"), str(tmp_path / "x.bits")]
    done = here(*words, "--drop", "c1")
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / 'x.bits'}: 130 rows, 39 columns\n")
    again = here(*words)
    assert again.returncode == 1
    assert "is there already" in again.stderr
    assert here(*words, "--force").returncode == 0
    missing = here("pack", str(tmp_path / "nothing.parquet"), str(tmp_path / "z"))
    assert (missing.returncode, list(tmp_path.glob("z*"))) == (1, [])
    assert "There is no file" in missing.stderr
    cut = tmp_path / "cut.parquet"
    cut.write_bytes((tmp_path / "t.parquet").read_bytes()[:-100])
    said = " ".join(here("pack", str(cut), str(tmp_path / "z")).stderr.split())
    assert "Cannot read" in said
    assert "cut short, or damaged" in said
