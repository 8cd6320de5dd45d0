"""What is finished is kept, what is stale or broken is run again, and files are whole."""

import json
import time
from pathlib import Path

import pytest
from reproductions.record import Panel, Report, make_point
from reproductions.rows import compare
from reproductions.runner import read_rows, run_tasks

from reproductions import REPRODUCTIONS, Interrupted, Reproduction, Task, reproduce


def square(number, log):
    """Leave a trace, and press Ctrl-C where a file of that name says so."""
    with Path(log).open("a") as file:
        file.write(f"{number}\n")
    if Path(log).with_name(f"stop{number}").exists():
        raise KeyboardInterrupt
    return {"number": number, "squares": [number**2]}


def slow_square(number):
    time.sleep(0.05 * (5 - number))  # the first ends last
    return number**2


def not_a_number():
    return float("nan")


@pytest.fixture
def squares(tmp_path):
    def tasks(scale, seed):
        return [Task(square, {"number": number + seed, "log": str(tmp_path / "log")}) for number in range(4)]

    def judge(results):
        values = [float(result["squares"][0]) for _, result in results.pairs]
        return Report([compare("mean square", 3, values)], [make_point("all", "squares", 1, values)])

    return Reproduction("test/squares", 1, "squares", "no rule", tasks, judge)


def take_log(tmp_path):
    """List which tasks were run since the last time."""
    log = tmp_path / "log"
    numbers = [int(line) for line in log.read_text().split()] if log.exists() else []
    log.unlink(missing_ok=True)
    return numbers


def cell(tmp_path, number):
    (path,) = (tmp_path / "out" / "cells" / "quick-seed0" / "test-squares").glob(f"square_number={number}_*")
    return path


def test_everything_is_written(squares, tmp_path):
    seen = []
    out = tmp_path / "out"
    report = reproduce(squares, scale="quick", out=out, progress=lambda *pair: seen.append(pair))
    assert seen == [(number, 4) for number in range(5)]
    assert {path.name for path in out.iterdir()} == {"cells", "run.json", "test-squares.csv", "test-squares.md"}
    assert read_rows(out / "test-squares.csv")[0].verdict == report.rows[0].verdict == "met"
    assert "| mean square | 3 | 3.5 ±" in (out / "test-squares.md").read_text()
    entry = json.loads((out / "run.json").read_text())["test/squares"]
    assert entry["scale"] == "quick"
    assert set(entry["versions"]) == {"laconic", "python", "numpy", "scipy", "scikit-learn"}


def test_after_an_interruption_only_the_rest_is_run(squares, tmp_path):
    out, stop = tmp_path / "out", tmp_path / "stop2"
    stop.touch()
    with pytest.raises(Interrupted, match="2 of 4 tasks are done and kept, 2 left"):
        reproduce(squares, scale="quick", out=out)
    assert [path.name for path in out.iterdir()] == ["cells"]
    assert take_log(tmp_path) == [0, 1, 2]
    stop.unlink()
    report = reproduce(squares, scale="quick", out=out)
    assert take_log(tmp_path) == [2, 3]
    assert reproduce(squares, scale="quick", out=tmp_path / "fresh") == report
    assert (tmp_path / "fresh/test-squares.csv").read_bytes() == (out / "test-squares.csv").read_bytes()


@pytest.mark.parametrize("spoil", [lambda text: text[: len(text) // 2], lambda text: "", lambda text: "[]"])
def test_a_broken_cell_is_run_again(squares, tmp_path, spoil):
    first = reproduce(squares, scale="quick", out=tmp_path / "out")
    broken = cell(tmp_path, 1)
    broken.write_text(spoil(broken.read_text()))
    take_log(tmp_path)
    assert reproduce(squares, scale="quick", out=tmp_path / "out") == first
    assert take_log(tmp_path) == [1]


@pytest.mark.parametrize(("key", "value"), [("function", "other.square"), ("arguments", {}), ("version", "0")])
def test_a_stale_cell_is_run_again(squares, tmp_path, key, value):
    first = reproduce(squares, scale="quick", out=tmp_path / "out")
    stale = cell(tmp_path, 3)
    stale.write_text(json.dumps(json.loads(stale.read_text()) | {key: value}))
    take_log(tmp_path)
    assert reproduce(squares, scale="quick", out=tmp_path / "out") == first
    assert take_log(tmp_path) == [3]


def test_seeds_and_scales_have_cells_of_their_own(squares, tmp_path):
    for seed, scale in ((0, "quick"), (5, "quick"), (0, "full")):
        reproduce(squares, scale=scale, seed=seed, out=tmp_path / "out")
    assert take_log(tmp_path) == [0, 1, 2, 3, 5, 6, 7, 8, 0, 1, 2, 3]
    with pytest.raises(ValueError, match="holds the full test/squares; a quick one must go elsewhere"):
        reproduce(squares, scale="quick", out=tmp_path / "out")


def test_the_order_in_which_tasks_end_does_not_matter(tmp_path):
    tasks = [Task(slow_square, {"number": number}) for number in range(5)]
    found = [run_tasks(tasks, tmp_path / str(jobs), jobs=jobs) for jobs in (1, 2)]
    one, two = ({name: each["result"] for name, each in cells.items()} for cells in found)
    assert one == two == {f"slow_square_number={number}": number**2 for number in range(5)}


def test_two_processes_find_what_one_finds(tmp_path):
    for jobs in (1, 2):
        reproduce(REPRODUCTIONS["halfspaces/table2"], scale="quick", out=tmp_path / str(jobs), jobs=jobs)
    for name in ("halfspaces-table2.csv", "halfspaces-table2.md"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


def test_results_that_are_not_plain_are_refused(tmp_path):
    with pytest.raises(TypeError, match="JSON serializable"):
        run_tasks([Task(set, {})], tmp_path)
    with pytest.raises(ValueError, match="JSON compliant"):
        run_tasks([Task(not_a_number, {})], tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_figure_is_drawn_the_same_twice(squares, tmp_path):
    panels = (Panel("all", "x", "y", log_x=True, log_y=True), Panel("empty", "x", "y"))
    figure = Reproduction(squares.name, 1, "squares", "no rule", squares.tasks, squares.judge, panels)
    for place in ("one", "two"):
        reproduce(figure, scale="quick", out=tmp_path / place)
    for ending, least in ((".svg", 5000), (".png", 5000), ("-points.csv", 50)):
        first, second = ((tmp_path / place / f"test-squares{ending}").read_bytes() for place in ("one", "two"))
        assert first == second
        assert len(first) > least
    assert "(test-squares.svg)" in (tmp_path / "one" / "test-squares.md").read_text()
