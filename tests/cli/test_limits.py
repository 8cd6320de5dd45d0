"""Tables of strangers: however large or wide, they are read in bounded room, or refused before they fill the memory."""

import gzip
import io
import os
import subprocess
import sys
import threading

import numpy as np
import polars as pl
import pytest
from tests.cli.test_safe_output import COMMAND, on_terminal

from laconic.cli._options import MOST_BYTES, Reading
from laconic.cli._sources import read_source

BOMB = b"a,ill\n" + b"1,yes\n2,no\n" * 2**20  # 11 MB, which gzip packs into 40 kB


def test_reading_stops_at_the_limit(tmp_path):
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(BOMB))
    with pytest.raises(ValueError, match=r"holds more than 1,048,576 bytes.* --max-bytes 8G. .* --max-memory"):
        read_source(str(path), Reading.of(max_bytes="1M"))
    assert len(read_source(str(path), Reading.of(max_bytes="40M")).frame) == 2**21


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="this system has no such device")
@pytest.mark.parametrize("how", ["name", "standard input"])
def test_a_table_without_end_is_refused(how):
    code = "import sys; from laconic.cli._sources import *; read_source(sys.argv[1], Reading.of(max_bytes='64M'))"
    shell = ["sh", "-c", 'ulimit -v 4194304; exec "$@"', "sh"]  # 4 GiB, which is less than it could be made to read
    words = [*shell, sys.executable, "-c", code, "-" if how == "standard input" else "/dev/zero"]
    with open("/dev/zero", "rb") as zeros:
        done = subprocess.run(words, stdin=zeros, capture_output=True, text=True, timeout=60)
    assert done.stderr.splitlines()[-1].startswith("ValueError: ")
    assert "holds more than 67,108,864 bytes" in done.stderr


def test_a_named_pipe_is_read_within_the_limit(tmp_path):
    path = tmp_path / "pipe"
    for most, data in (("1M", gzip.compress(BOMB)), ("40M", gzip.compress(BOMB)), ("1M", b"a,ill\n1,yes\n")):
        os.mkfifo(path)
        writer = threading.Thread(target=path.write_bytes, args=(data,), daemon=True)
        writer.start()
        if most == "1M" and len(data) > 100:
            with pytest.raises(ValueError, match="holds more than 1,048,576 bytes"):
                read_source(str(path), Reading.of(max_bytes=most))
        else:
            assert read_source(str(path), Reading.of(max_bytes=most)).frame.columns == ["a", "ill"]
        writer.join(10)
        path.unlink()


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"a\n" + b"1\n" * 2**18, "131,072 values"),
        (b"a,b\n1," + b"x" * (2**20 + 1) + b"\n", "1,048,576 bytes in a line"),
        (b",".join(b"%d" % i for i in range(3000)) + b"\n", "1,024 columns"),
    ],
)
def test_what_takes_more_room_than_its_bytes_is_limited_too(data, what, tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=rf"has more than {what}; if you trust it, allow more: --max-bytes"):
        read_source(str(path), Reading.of(sep=",", max_bytes="1M" if "line" not in what else "2M"))


def test_a_small_parquet_file_of_many_rows_is_refused(tmp_path):
    path = tmp_path / "table.parquet"
    pl.DataFrame({"a": pl.repeat(0, 2**20, eager=True)}).write_parquet(path)
    assert path.stat().st_size < 2**17
    with pytest.raises(ValueError, match="has more than 131,072 values"):
        read_source(str(path), Reading.of(max_bytes="1M"))


def test_the_limit_is_a_number_of_bytes():
    assert Reading.of(max_bytes="3K").max_bytes == 3 * 2**10
    assert Reading.of().max_bytes == MOST_BYTES
    for wrong in ("much", "0", "-1G", "1.5G", ""):
        with pytest.raises(ValueError, match="--max-bytes is a number of bytes, such as 8G or 512M"):
            Reading.of(max_bytes=wrong)


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """Write a table of 1,500 columns, some of them of texts."""
    folder = tmp_path_factory.mktemp("wide")
    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 1500)).round(2)
    columns = {f"c{i}": values[:, i] if i % 3 else np.where(values[:, i] > 0, "high", "low") for i in range(1500)}
    frame = pl.DataFrame(columns | {"ill": np.where(values[:, 1] > 0, "yes", "no")})
    frame.write_csv(folder / "wide.csv")
    return folder


def test_all_verbs_take_more_than_1000_columns(wide, monkeypatch):
    monkeypatch.chdir(wide)
    for words in (
        ["fit", "wide.csv", "-t", "ill", "-l", "scm", "-o", "model.json"],
        ["show", "model.json", "--explain"],
        ["predict", "model.json", "wide.csv", "--explain", "-o", "predicted.csv"],
        ["report", "model.json", "wide.csv", "-o", "report.html"],
        ["watch", "model.json", "wide.csv", "--target", "ill", "--state", "watch.jsonl"],
        ["verify", "model.json", "wide.csv"],
        *(["export", "model.json", "--to", to, "-o", f"model.{to}"] for to in ("sql", "python", "pmml", "json-rules")),
    ):
        code, got = on_terminal(*words)
        assert (code, "Traceback" in got) == (0, False), (words, got)
    predicted = pl.read_csv("predicted.csv")["prediction"].to_list()
    assert predicted == pl.read_csv("wide.csv")["ill"].to_list()


def test_verify_reads_within_the_limit_too(wide, monkeypatch):
    monkeypatch.chdir(wide)
    code, got = on_terminal("verify", "model.json", "wide.csv", "--max-bytes", "1K")
    assert code == 1
    assert "'wide.csv' holds more than 1,024 bytes" in got


def test_columns_are_read_alike_in_any_company(tmp_path):
    texts = {
        "whole": [" 1", "2", ""],
        "fraction": ["1.5", "2", "?"],
        "flag": ["true", "FALSE", ""],
        "date": ["2020-01-01", "2020-01-02", ""],
        "text": ["a", "b", ""],
        "empty": ["", "NA", "?"],
        "comma": ["1,5", "2,5", ""],
        "mixed": ["1,5", "2", "x"],
        "thousands": ["1,000", "2,000", "3,000"],
    }
    from laconic.cli._columns import Writing, guess

    columns = [pl.Series(name, values) for name, values in texts.items()]
    for decimals in ((".",), (".", ","), (",",)):
        writing = Writing(is_text=True, decimals=decimals)
        together = list(guess(columns, writing))
        for found, column in zip(together, columns, strict=True):
            (alone,) = guess([column], writing)
            assert (found.unread, found.note) == (alone.unread, alone.note)
            assert (found.values is None) == (alone.values is None)
            assert found.values is None or found.values.equals(alone.values, check_dtypes=True, check_names=True)


@pytest.mark.slow
def test_a_hundred_thousand_columns(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(0).normal(size=(40, 100_000)).round(2)
    text = io.StringIO()
    text.write(",".join(f"c{i}" for i in range(100_000)) + ",ill\n")
    text.writelines(f"{','.join(map(str, row))},{'ny'[int(row[0] > 0)]}\n" for row in values)
    (tmp_path / "wide.csv").write_text(text.getvalue())
    for words in (
        ["fit", "wide.csv", "-t", "ill", "-l", "scm", "-o", "model.json"],
        ["predict", "model.json", "wide.csv", "-o", "predicted.csv"],
        ["report", "model.json", "wide.csv", "-o", "report.html"],
        ["watch", "model.json", "wide.csv", "--target", "ill", "--state", "watch.jsonl"],
        ["verify", "model.json", "wide.csv"],
    ):
        assert subprocess.run([*COMMAND, *words], timeout=900).returncode == 0
