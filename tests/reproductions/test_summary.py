"""The summary is what its CSV files give, and nothing that was not met goes without a reason."""

import json
from pathlib import Path

import pytest
from reproductions.record import Report
from reproductions.rows import compare
from reproductions.runner import RUN_FILE, read_rows, write_report

from reproductions import REPRODUCTIONS, Reproduction, Row, summarise, write_summary

RECORD = Path(__file__).parents[2] / "reproductions" / "results"
ALL = list(REPRODUCTIONS.values())


def made(rows, tmp_path):
    reproduction = Reproduction(
        "test/rows", 1, "rows", "no rule", None, None, oddities=("The paper is odd.",), hindsight=("We looked.",)
    )
    write_report(reproduction, Report(rows), tmp_path)
    entry = {"scale": "full", "seed": 0, "date": "2026-01-01", "cpu_minutes": 1.5, "versions": {"python": "3"}}
    (tmp_path / RUN_FILE).write_text(json.dumps({"test/rows": entry}))
    return reproduction


def test_the_summary_counts_and_tells_why(tmp_path):
    rows = [
        Row("a", 1.0, 1.0, 0.0, 1, "met"),
        Row("b", 1.0, 2.0, 0.0, 1, "better"),
        Row("c", 1.0, 0.5, 0.1, 2, "worse", "it rained"),
        Row("d", 1.0, 0.5, 0.0, 1, "worse", "it rained"),
        Row("penalty", 1.0, 0.5, 0.0, 1, "printed"),
    ]
    text = summarise(tmp_path, [made(rows, tmp_path), *ALL])
    assert "Of 4 figures that are judged, 2 (50 %) are met or better" in text
    assert "| [test/rows](test-rows.md) | 1 | rows | 1 | 1 | 2 |  | 1 |" in text
    assert "- **test/rows**, worse: c 0.5 ± 0.1 (paper 1); d 0.5 (paper 1). It rained." in text
    assert "The paper is odd." in text
    assert "- **test/rows**: We looked." in text
    assert "Settled after results had been seen: We looked." in (tmp_path / "test-rows.md").read_text()
    assert "| test/rows | full | 0 | 2026-01-01 | 1.5 | python 3 |" in text


@pytest.mark.parametrize(("paper", "close"), [(20.0, True), (17.5, False)])
def test_the_summary_counts_figures_of_one_run_that_are_not_far(paper, close, tmp_path):
    # mean 23.75, deviation 2.63: two standard errors of the difference are 5.88
    rows = [
        compare("errors", paper, [20.0, 24.0, 25.0, 26.0], fewer=True, single=True),
        compare("size", paper, [20.0, 24.0, 25.0, 26.0], fewer=True, why="not of one run"),
    ]
    assert [row.verdict for row in rows] == ["worse", "worse"]
    text = summarise(tmp_path, [made(rows, tmp_path)])
    assert "Of 2 figures that are judged, 0 (0 %) are met or better" in text
    assert ("1 of the others are worse than a figure that the paper has from one run" in text) == close


def test_somebody_elses_readme_is_kept(tmp_path):
    reproduction = made([Row("a", 1.0, 1.0, 0.0, 1, "met")], tmp_path)
    assert write_summary(tmp_path, [reproduction]) == write_summary(tmp_path, [reproduction])
    (tmp_path / "README.md").write_text("# My own\n")
    with pytest.raises(FileExistsError, match="kept"):
        write_summary(tmp_path, [reproduction])
    assert (tmp_path / "README.md").read_text() == "# My own\n"


@pytest.mark.skipif(not (RECORD / "README.md").exists(), reason="a source distribution has no record")
class TestTheRecordInTheRepository:
    def test_it_is_whole(self):
        entries = json.loads((RECORD / RUN_FILE).read_text())
        assert sorted(entries) == sorted(REPRODUCTIONS)
        assert {entry["scale"] for entry in entries.values()} == {"full"}

    def test_its_summary_is_what_the_rows_give(self):
        assert (RECORD / "README.md").read_text() == summarise(RECORD, ALL)

    @pytest.mark.parametrize("reproduction", ALL, ids=lambda each: each.name)
    def test_what_is_not_met_has_a_reason(self, reproduction):
        rows = read_rows(RECORD / f"{reproduction.stem}.csv")
        assert [row.what for row in rows if row.verdict in ("worse", "not comparable") and not row.note] == []
