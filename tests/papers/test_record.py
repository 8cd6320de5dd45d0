"""Rows judge, tasks have names, results can be asked for."""

import pickle

import numpy as np
import pytest

from laconic.papers import REPRODUCTIONS, Results, Task
from laconic.papers._record import claim, compare, make_point, show
from laconic.papers.scm import conjunction_errors


def test_a_row_judges_on_its_better_side():
    assert compare("Gen", 95.0, [94.0, 95.0], tolerance=0.5, why="why").verdict == "met"
    worse = compare("Gen", 95.0, [94.0], tolerance=0.5, why="why")
    assert (worse.verdict, worse.note, worse.spread) == ("worse", "why", 0.0)
    assert compare("Gen", 95.0, [96.0], why="why").verdict == "better"
    assert compare("k", 4, [5.0], fewer=True).verdict == "worse"
    assert compare("k", 4, [3.0], fewer=True, why="why").note == ""


@pytest.mark.parametrize("shift", [1.9, 2.1])
def test_two_standard_errors_are_allowed_where_nothing_is_said(shift):
    values = np.array([10.0, 12.0, 14.0, 16.0])
    error = values.std(ddof=1) / 2
    expected = "met" if shift < 2 else "worse"
    assert compare("errors", 13 - shift * error, values.tolist(), fewer=True).verdict == expected
    assert compare("Gen", 13 + shift * error, values.tolist()).verdict == expected


def test_what_is_claimed_is_met_or_not_and_what_is_printed_is_not_judged():
    assert claim("linear", 1.25, 1.0, True, 3, why="why").note == ""
    assert claim("linear", 1.25, 1.5, False, 3, why="why").note == "why"
    row = show("penalty", None, [1.0, 3.0])
    assert (row.verdict, row.paper, row.ours, row.runs) == ("printed", None, 2.0, 2)
    assert make_point("panel", "curve", 5, [1.0, 3.0]).mean == 2.0


def test_results_are_asked_by_function_and_arguments():
    tasks = [Task(pow, {"base": base, "exp": exp}) for base in (2, 3) for exp in (1, 2)]
    results = Results([(task, [task.run(**task.arguments)]) for task in tasks])
    assert results.of(pow, base=3) == [[3], [9]]
    assert results.joined(pow, exp=2) == [4, 9]
    assert results.of(pow, base=3, exp=1) == [[3]]
    assert results.of(pow, other=3) == results.of(max) == []
    assert results.distinct(pow, "base") == [2, 3]
    assert results.distinct(pow, "exp", "base") == [(1, 2), (2, 2), (1, 3), (2, 3)]


@pytest.mark.parametrize("scale", ["quick", "full"])
@pytest.mark.parametrize("name", REPRODUCTIONS)
def test_tasks_have_names_of_their_own_and_travel_to_other_processes(name, scale):
    tasks = REPRODUCTIONS[name].tasks(scale, 0)
    names = [task.name for task in tasks]
    assert len(set(names)) == len(names) > 0
    assert all(len(each) < 120 and "/" not in each and " " not in each for each in names)
    assert all(pickle.loads(pickle.dumps(task)) == task for task in tasks)
    assert all(task.weight > 0 for task in tasks)
    assert tasks != REPRODUCTIONS[name].tasks(scale, 1)


def test_names_say_what_is_run():
    task = Task(conjunction_errors, {"size": 20, "seed": 0, "list": [1, 2]})
    assert task.name == "conjunction_errors_size=20_seed=0"
    assert task.identity["function"] == "laconic.papers.scm.conjunction_errors"


@pytest.mark.parametrize(
    ("paper", "verdict"), [(17.5, "worse"), (18.5, "met"), (20, "met"), (29.0, "met"), (30.0, "better")]
)
def test_a_figure_that_is_one_run_has_the_spread_of_one(paper, verdict):
    values = [20.0, 24.0, 25.0, 26.0]  # mean 23.75, deviation 2.63: two standard errors of the difference are 5.88
    row = compare("errors", paper, values, fewer=True, single=True, why="why")
    assert row.verdict == verdict
    assert row.note.startswith(
        "why; the paper made one run; none" if verdict == "worse" else "the paper made one run"
    ) == (paper < 21)
    mirrored = compare("Gen", -paper, [-value for value in values], single=True)
    assert mirrored.verdict == verdict
