"""Rows judge, tasks have names, results can be asked for."""

import pickle

import numpy as np
import pytest
from reproductions.record import make_point
from reproductions.rows import Row, claim, compare, show, unjudged
from reproductions.scm import conjunction_errors

from reproductions import REPRODUCTIONS, Results, Task


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
    assert task.identity["function"] == "reproductions.scm.conjunction_errors"


@pytest.mark.parametrize("single", [False, True])
def test_a_figure_that_is_one_run_is_judged_like_any_other_and_its_note_says_how_it_lies(single):
    values = [20.0, 24.0, 25.0, 26.0]  # mean 23.75, two standard errors 2.63
    met = compare("errors", 21.2, values, fewer=True, single=single, why="why")
    assert (met.verdict, met.note) == ("met", "")
    worse = compare("errors", 21, values, fewer=True, single=single, why="why")
    told = "why; the paper made one run; one of our 4 has as few, they go from 20 to 26"
    assert (worse.verdict, worse.note) == ("worse", told if single else "why")
    mirrored = compare("Gen", -19, [-value for value in values], single=single)
    assert mirrored.verdict == "worse"
    assert ("none of our 4 has as much" in mirrored.note) == single


def test_a_row_that_is_not_judged_keeps_its_figures():
    row = compare("errors", 10, [20.0, 24.0], fewer=True, why="why")
    assert unjudged(row) == Row("errors", 10.0, 22.0, row.spread, 2, "printed", "")
    assert unjudged(row, row.note).note == "why"
