"""Tables as people have them: read right, or refused with the reason."""

import datetime as dt
import gzip
import io
import zipfile

import numpy as np
import polars as pl
import pytest

from laconic.cli._columns import MISSING
from laconic.cli._sources import Reading
from laconic.cli._tables import LeftOut, read_target

ROWS = [(i % 23 + 0.5, "AB"[i % 2], "true" if i % 3 else "false", "yes" if i * 7 % 5 < 2 else "no") for i in range(60)]


def written(sep=",", decimal=".", end="\n", header=("mass", "side", "flag", "ill"), rows=ROWS):
    lines = [sep.join(header)]
    lines += [sep.join([str(row[0]).replace(".", decimal), *map(str, row[1:])]) for row in rows]
    return end.join(lines) + end


@pytest.fixture
def read(tmp_path):
    """Read bytes or a text as a file, with the target "ill" and any options."""

    def reader(data, target="ill", name="table.csv", **options):
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return read_target(str(path), target, Reading.of(**options))

    return reader


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (written(end="\r\n"), {}),
        (written(end="\r"), {}),
        (written(";"), {}),
        (written(";", ","), {}),
        (written("\t"), {}),
        (written("|"), {}),
        (written("\t", ","), {"decimal": ","}),
        (written("~"), {"sep": "~"}),
        (written("\t"), {"sep": "tab"}),
        (written().replace("\n", "\n\n"), {}),
        (written().rstrip("\n"), {}),
        ("\n" + written(), {}),
        (written().replace("A,", '"A",'), {}),
        ("\ufeff" + written(), {}),
        (written().encode("utf-16"), {}),
        (written().encode("utf-32"), {}),
        (gzip.compress(written().encode("utf-16"), mtime=0), {}),
        (written().encode("utf-16-le"), {"encoding": "utf-16-le"}),
        (written().encode("latin-1"), {"encoding": "latin-1"}),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_the_same_table_in_many_writings(data, options, read):
    plain, other = read(written()), read(data, **options)
    assert plain.X.schema == {"mass": pl.Float64, "side": pl.String, "flag": pl.Boolean}
    assert other.X.equals(plain.X)
    assert other.y.tolist() == plain.y.tolist()
    assert other.notes == plain.notes == ()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"is empty\."),
        ("mass,ill\n", "has a header and no rows"),
        (written(header=("mass", "séite", "flag", "ill")).encode("latin-1"), r"byte 0xe9 at offset 6 \(line 1\)"),
        (written(header=("mass", "séite", "flag", "ill")).encode("latin-1"), "try --encoding latin-1"),
        (written().encode("utf-16-le"), "UTF-16 without a byte order mark: try --encoding utf-16-le"),
        (written().encode("utf-16-be"), "UTF-16 without a byte order mark: try --encoding utf-16-be"),
        (written().replace("1.5,B", "1.5,\0"), r"is no text: the byte at offset 39 \(line 3\) is NUL"),
        (written(header=("mass", "mass", "flag", "ill")), "has 2 columns called 'mass'; rename all but one"),
        (written(header=("mass", "", "flag", "ill")), "Column 2 of 4 in .* has no name"),
        (written() + "1,A,true,yes,more\n", "Line 62 of .* has 5 values, and the header names 4 columns"),
        (written() + "1,A\n", "Line 62 of .* has 2 values, and the header names 4 columns"),
        (written().replace("A", '"x\ny"') + "1,A\n", "Line 92 of .* has 2 values"),
        (written().replace("1.5,B", '1.5,5" pipe'), "Line 3 of .* has a quotation mark in the middle of a value"),
        (written() + '1,"A,true,yes\n', "a quotation mark that is never closed; the last is in line 62"),
        (b"\xd0\xcf\x11\xe0 and more", "old Excel workbook .*: save the sheet as CSV"),
        (gzip.compress(written().encode(), mtime=0)[:60], "Cannot read .* as a table: Compressed file ended"),
        (b"PAR1 and no more", "Cannot read .* as a table"),
        ("ill\nyes\nno\n", "There is no column to predict 'ill' from"),
        (written(rows=[(*row[:3], "") for row in ROWS]), "ill is empty: no row has a value"),
        (written(rows=[(*row[:3], "yes") for row in ROWS]), "ill has one value only"),
        (written(rows=[(*row[:3], "2020-01-02") for row in ROWS]), "ill holds dates or times: turn it into a number"),
    ],
    ids=lambda value: value if isinstance(value, str) and "\n" not in value else "",
)
def test_what_cannot_be_read_is_refused_with_the_reason(data, message, read):
    with pytest.raises(ValueError, match=message):
        read(data)


def test_a_workbook_and_a_directory_are_refused_with_the_reason(read, tmp_path):
    workbook = io.BytesIO()
    with zipfile.ZipFile(workbook, "w") as archive:
        archive.writestr("xl/workbook.xml", "<x/>")
    with pytest.raises(ValueError, match=r"workbooks \(.xlsx\) are: save the sheet as CSV"):
        read(workbook.getvalue())
    with pytest.raises(ValueError, match="is a directory"):
        read_target(str(tmp_path), "ill")


def test_separators_inside_quotation_marks_are_text(read):
    texts = ['"x, ""y"""', '"a;b;c"']
    lines = [f"{texts[i % 2]};{i % 7},5;{'yes' if i % 3 else 'no'}" for i in range(40)]
    task = read("\n".join(['"what, then";mass;ill', *lines]))
    assert task.X.columns == ["what, then", "mass"]
    assert task.X.row(0) == ('x, "y"', 0.5)
    assert task.X.row(1) == ("a;b;c", 1.5)


def test_embedded_line_ends_and_long_values_stay_whole(read):
    long = "x" * 200_000
    lines = [
        f'"{long if i % 2 else "two" + chr(13) + chr(10) + "lines"}",{"yes" if i % 3 else "no"}' for i in range(40)
    ]
    task = read("\r\n".join(["what,ill", *lines]))
    assert task.X["what"].unique().sort().to_list() == ["two\r\nlines", long]


@pytest.mark.parametrize("text", MISSING)
def test_what_stands_for_a_missing_value(text, read):
    rows = [
        (text if i % 9 == 0 else 1.5 * i, text if i % 4 == 0 else "AB"[i % 2], *row[2:]) for i, row in enumerate(ROWS)
    ]
    task = read(written(rows=rows))
    assert task.X["mass"].dtype == pl.Float64
    assert task.X["mass"].null_count() == 7
    assert task.X["side"].null_count() == 15
    assert not [note for note in task.notes if "read as text" in note]


def test_none_is_a_value_like_any_other(read):
    task = read(written(rows=[(row[0], "None" if row[1] == "A" else "-", *row[2:]) for row in ROWS]))
    assert task.X["side"].null_count() == 0


@pytest.mark.parametrize(
    ("odd", "note"),
    [
        (["unknown"], "mass is read as text because of 'unknown' in row 17; --na unknown reads it as numbers"),
        (
            ["not known", "inf"],
            "mass is read as text because of 'not known' in row 17 and of 'inf'; "
            "--na 'not known' --na inf reads it as numbers",
        ),
        (list("abcde"), "mass is read as text because of 'a' in row 17 and 4 other texts"),
        (
            ['"1,200"'],
            "mass is read as text because of '1,200' in row 17: write numbers without a mark between thousands",
        ),
        (['"1,25"'], "mass is read as text because of '1,25' in row 17; --decimal , reads it as numbers"),
    ],
)
def test_numbers_that_are_read_as_text_are_a_note(odd, note, read):
    rows = [(odd[i - 16] if 0 <= i - 16 < len(odd) else row[0], *row[1:]) for i, row in enumerate(ROWS)]
    task = read(written(rows=rows))
    assert task.X["mass"].dtype == pl.String
    assert note in task.notes


def test_na_makes_them_numbers(read):
    rows = [("unknown" if i == 16 else "-9" if i == 3 else row[0], *row[1:]) for i, row in enumerate(ROWS)]
    task = read(written(rows=rows), na=["unknown,-9"])
    assert task.X["mass"].dtype == pl.Float64
    assert task.X["mass"].null_count() == 2
    frame = pl.DataFrame({"mass": [-9, 1] * 20, "side": ["?", "unknown"] * 20, "ill": ["yes", "no", "no", "no"] * 10})
    data = io.BytesIO()
    frame.write_parquet(data)
    task = read(data.getvalue(), na=["unknown,-9"])
    assert task.X["mass"].null_count() == task.X["side"].null_count() == 20  # "?" is a text where a file has nulls


@pytest.mark.parametrize(("sep", "decimal"), [(",", "."), (";", ",")])
def test_na_matches_a_number_however_it_is_written(sep, decimal, read):
    odd = {3: "-9", 8: "-9.0", 13: "-9.00", 18: "-9e0", 23: "-9.5"}
    rows = [(odd.get(i, row[0]), "-9.0" if i == 5 else row[1], *row[2:]) for i, row in enumerate(ROWS)]
    task = read(written(sep, decimal, rows=rows), na=["-9"])
    assert task.X["mass"].is_null().arg_true().to_list() == [3, 8, 13, 18]
    assert task.X["side"].null_count() == 0  # in a column of texts it is a text
    whole = read(
        written(sep, decimal, rows=[(-9.0 if i % 7 == 0 else i, *row[1:]) for i, row in enumerate(ROWS)]), na=["-9"]
    )
    assert whole.X["mass"].dtype == pl.Int64
    assert whole.X["mass"].null_count() == 9


def test_a_file_says_itself_how_it_reads_infinity(read):
    data = io.BytesIO()
    pl.DataFrame({"mass": [1.0, float("inf")] * 20, "ill": ["yes", "no"] * 20}).write_parquet(data)
    with pytest.raises(ValueError, match="Column 'mass' holds inf in row 2"):
        read(data.getvalue())


def twins():
    """Return a table with dates and its twin in the other format, which knows more types."""
    frame = pl.DataFrame(
        {
            "day": [dt.date(2020, 1, 1) + dt.timedelta(i) for i in range(60)],
            "at": [dt.datetime(2020, 1, 1, i % 24, 30) for i in range(60)],
            "hour": [dt.time(i % 24) for i in range(60)],
            "price": pl.Series([f"{i % 7}.50" for i in range(60)]).cast(pl.Decimal(10, 2)),
            "name": [f"patient {i}" for i in range(60)],
            "ill": [row[3] for row in ROWS],
        }
    )
    parquet = io.BytesIO()
    frame.write_parquet(parquet)
    return frame.write_csv().encode(), parquet.getvalue()


def test_dates_are_left_out_of_both_twins_with_a_note(read):
    csv, parquet = map(read, twins())
    assert csv.X.equals(parquet.X)
    assert csv.X.schema == {"price": pl.Float64}
    assert csv.notes == parquet.notes
    assert "day left out: it holds dates or times: turn it into a number, such as days since a fixed day" in csv.notes
    assert [each.column for each in csv.left_out] == ["day", "at", "hour", "name"]
    assert {each.column for each in csv.left_out if each.by_values} == {"day", "at", "hour", "name"}
    assert {each.column for each in parquet.left_out if each.by_values} == {"name"}


def test_types_that_no_rule_can_read_are_left_out(read):
    data = io.BytesIO()
    pl.DataFrame(
        {
            "list": [[1, 2]] * 40,
            "bytes": [b"x"] * 40,
            "took": [dt.timedelta(1)] * 40,
            "x": range(40),
            "ill": [0, 1] * 20,
        }
    ).write_parquet(data)
    task = read(data.getvalue())
    assert task.X.columns == ["x"]
    assert task.left_out[0] == LeftOut(
        "list", "holds List(Int64), which no rule can read: turn it into numbers or texts", by_values=False
    )


def test_texts_that_are_nearly_all_different_are_left_out_unless_asked_for(read):
    rows = [(row[0], f"patient {i // 3 if i < 30 else i}", *row[2:]) for i, row in enumerate(ROWS)]
    task = read(written(rows=rows))
    assert [each.column for each in task.left_out] == ["side"]
    assert task.left_out[0].by_values
    assert task.notes == (
        "side left out: it has 40 different texts in 60 rows, more than one for two rows; to use it, name it by "
        "--only, together with every other column to use",
    )
    kept = read(written(rows=rows), only=["side,mass"])
    assert kept.X.columns == ["side", "mass"]
    assert kept.left_out == ()
    half = [(row[0], f"patient {i // 2}", *row[2:]) for i, row in enumerate(ROWS)]
    assert read(written(rows=half)).left_out == ()


def test_options_choose_columns(read):
    data = written(
        header=("body mass, kg", "side", "flag", "ill"), rows=[('"' + str(r[0]) + '"', *r[1:]) for r in ROWS]
    )
    data = data.replace("body mass, kg", '"body mass, kg"', 1)
    assert read(data, drop=["side,flag"]).X.columns == ["body mass, kg"]
    assert read(data, drop=["body mass, kg"], ids=["flag"]).X.columns == ["side"]
    assert read(data, only=["flag", "side"]).X.columns == ["flag", "side"]
    for options, message in (
        ({"drop": ["sied"]}, "--drop names 'sied', and there is no such column; .* Did you mean 'side'?"),
        ({"only": ["x"]}, "--only names 'x'"),
        ({"drop": ["ill"]}, "--drop names 'ill', which is to be predicted"),
        ({"only": ["side"], "ids": ["side"]}, "--only names 'side', and --id does too"),
        ({"drop": ["side,flag", "body mass, kg"]}, "no column to predict 'ill' from"),
        ({"sep": ";;"}, "--sep takes one character"),
        ({"decimal": "'"}, "--decimal is . or ,"),
        ({"encoding": "klingon"}, "There is no encoding 'klingon'"),
    ):
        with pytest.raises(ValueError, match=message):
            read(data, **options)


def test_columns_that_may_not_be_what_they_seem_are_noted_and_kept(read):
    rng = np.random.default_rng(0)
    rows = [(i + 7, int(i * 7919 % 10007), "early" if row[3] == "no" else "late", row[3]) for i, row in enumerate(ROWS)]
    task = read(written(header=("no", "account", "leak", "ill"), rows=rows))
    assert task.X.columns == ["no", "account", "leak"]
    assert [note.split(";")[0] for note in task.notes] == [
        "no counts from 7 to 66 without a gap, as row numbers do",
        "account holds whole numbers that are all different, as identifiers are",
        "leak alone tells ill without an error",
    ]
    numbers = [(x, round(3 * x - 2, 6), rng.integers(5), x) for x in rng.normal(size=60).round(3)]
    task = read(written(header=("x", "copy", "other", "price"), rows=numbers), target="price")
    assert [note.split(";")[0] for note in task.notes] == [
        "x alone tells price without an error",
        "copy alone tells price without an error",
    ]


def test_a_threshold_that_tells_all_is_noted(read):
    rows = [(row[0], *row[1:3], "yes" if row[0] > 9 else "no") for row in ROWS]
    assert read(written(rows=rows)).notes[0].startswith("mass alone tells ill without an error")
    almost = [(20 if i == 0 else row[0], *row[1:]) for i, row in enumerate(rows)]
    assert read(written(rows=almost)).notes == ()


def test_classes_are_called_what_the_file_calls_them(read):
    assert set(read(written(), target="flag").y) == {"true", "false"}
    assert set(read(written().replace("true", "TRUE"), target="flag").y) == {"TRUE", "false"}
    data = io.BytesIO()
    pl.DataFrame({"x": [1, 2] * 20, "ill": [True, False] * 20}).write_parquet(data)
    assert set(read(data.getvalue()).y) == {"true", "false"}
    assert read(written(rows=[(*row[:3], i % 2) for i, row in enumerate(ROWS)])).y.dtype == np.int64
