"""Tables 1 and 2 of paper 4 and its classifier on Pima, judged by rules that were stated before they were run."""

import json
import re

import numpy as np
import pytest
from reproductions.minimal import (
    MPG,
    PAPER_TABLE1,
    PAPER_TABLE2,
    PIMA,
    SETS,
    candidates,
    choose,
    fold_cells,
    paper_data,
)
from reproductions.record import Results
from scipy.optimize import linprog

from laconic.datasets import load_pima
from laconic.minimal import MinimalComplexityClassifier, MinimalComplexityRegressor
from reproductions import REPRODUCTIONS

# as the paper prints them, without dimensions and units
PRINTED1 = """
Autompg 0.35 ± 0.02 0.36 ± 0.03
Yacht 104.8 ± 7.5 161.8 ± 68.4
Price 33.6 ± 12.5 32.8 ± 23.2
Machine 6.5368 ± 3.6512 19.948 ± 15.521
Baseball 0.80 ± 0.12 1.62 ± 0.61
Housing 23.09 ± 4.26 25.92 ± 9.61
Energy 8.74 ± 1.35 9.08 ± 1.45
"""
PRINTED2 = """
Autompg 0.31 ± 0.02 0.32 ± 0.04 26.8 ± 7.9 184.2 ± 4.3
Yacht 0.97 ± 0.42 158.86 ± 62.9 129.8 ± 24.3 224.8 ± 0.8
Price 12.77 ± 9.0 39.48 ± 26.9 68.6 ± 15.4 126.4 ± 0.9
Machine 7.588 ± 3.909 26.351 ± 21.330 52.4 ± 27.3 166.4 ± 1.5
Baseball 0.78 ± 0.14 1.78 ± 0.67 24.4 ± 6.8 269.2 ± 1.1
Housing 25.8 ± 4.64 29.72 ± 5.96 76.4 ± 14.45 386.8 ± 4.82
Energy 4.1 ± 0.2 7.64 ± 1.31 44 ± 3.39 557 ± 5.05
"""


def read(printed):
    lines = [line.split(maxsplit=1) for line in printed.split("\n") if line]
    pairs = {name: re.findall(r"(\S+) ± (\S+)", figures) for name, figures in lines}
    return {name: tuple((float(mean), float(spread)) for mean, spread in found) for name, found in pairs.items()}


def quick(name):
    """Run the quick form in this process; give its rows by name."""
    reproduction = REPRODUCTIONS[name]
    pairs = [(task, task.run(**task.arguments)) for task in reproduction.tasks("quick", 0)]
    return {row.what: row for row in reproduction.judge(Results(pairs)).rows}


def test_the_figures_are_those_of_the_paper():
    assert read(PRINTED1) == PAPER_TABLE1
    assert read(PRINTED2) == PAPER_TABLE2
    assert list(PAPER_TABLE1) == list(PAPER_TABLE2) == list(SETS)


def test_the_data_are_those_of_the_paper():
    # it counts the target among the columns of Autompg, Yacht, Price, Machine and Baseball
    assert {name: paper_data(name)[0].shape for name in (*SETS, MPG)} == {
        "Autompg": (392, 7),
        "Yacht": (308, 6),
        "Price": (159, 15),
        "Machine": (209, 6),
        "Baseball": (337, 16),
        "Housing": (506, 13),
        "Energy": (768, 8),
        MPG: (392, 7),
    }
    assert set(np.unique(paper_data("Autompg")[1])) == {1.0, 2.0, 3.0}
    assert paper_data(MPG)[1].max() == 46.6
    # heating goes up to 43.1, cooling to 48.03
    assert paper_data("Energy")[1].max() == 43.1


def test_units_are_those_of_the_paper():
    units = {name: paper_data(name)[2] for name in (*SETS, MPG)}
    assert units == dict.fromkeys((*SETS, MPG), 1.0) | {"Price": 1e6, "Machine": 1e3, "Baseball": 1e6}
    # dollars for cars, thousands of dollars for players
    assert paper_data("Price")[1].min() == 5118
    assert paper_data("Baseball")[1].max() == 6100


def test_shares_are_of_the_paper_s_support_vectors():
    caps = {name: [one["max_support"] for one in candidates(name, {"share": [1.0, 0.5]})] for name in (*SETS, MPG)}
    assert caps == {
        "Autompg": [26, 13],
        "Yacht": [129, 64],
        "Price": [68, 34],
        "Machine": [52, 26],
        "Baseball": [24, 12],
        "Housing": [76, 38],
        "Energy": [44, 22],
        MPG: [26, 13],
    }


def test_a_candidate_without_a_regressor_is_passed_over():
    X, y, _ = paper_data("Price")
    halves = [(np.arange(0, 159, 2), np.arange(1, 159, 2)), (np.arange(1, 159, 2), np.arange(0, 159, 2))]
    some = [{"epsilon": 1e-9, "C": 0.1}, {"epsilon": 0.25, "C": 1e-9}, {"epsilon": 0.25, "C": 1.0}]
    model, chosen = choose(MinimalComplexityRegressor, some, X, y, halves)
    assert chosen == some[2]
    assert model.get_params()["epsilon"] == 0.25
    with pytest.raises(ValueError, match="No candidate has a regressor"):
        choose(MinimalComplexityRegressor, some[:2], X, y, halves)


def test_other_errors_are_not_passed_over():
    X, y, _ = paper_data("Price")
    with pytest.raises(ValueError, match="epsilon"):
        choose(MinimalComplexityRegressor, [{"epsilon": -1.0}], X, y, [(np.arange(80), np.arange(80, 159))])


def test_table_1_quick():
    rows = quick("mcm/table1")
    assert rows["Price, MCM: mean squared error"].verdict == "better"
    assert rows["Price, SVM at library defaults: mean squared error"].verdict == "met"
    assert rows["Price, MCM: support vectors"].verdict == "printed"
    ours, theirs = (rows[f"Price, {each}: support vectors"].ours for each in ("MCM", "SVM at library defaults"))
    assert ours < 0.2 * theirs


def test_table_2_quick():
    rows = quick("mcm/table2")
    error, support = rows["Machine, MCM: mean squared error"], rows["Machine, MCM: support vectors"]
    assert error.ours < error.paper
    assert (support.ours, support.spread, support.paper) == (26.0, 0.0, 52.4)
    # what the paper calls SVM is SVR at the library's defaults
    for what in ("mean squared error", "support vectors"):
        row = rows[f"Machine, SVM at library defaults: {what}"]
        assert row.ours == pytest.approx(row.paper, rel=0.1)
    assert rows["Machine, SVR tuned: mean squared error"].verdict == "printed"


def test_the_machine_never_has_more_support_vectors_than_the_paper():
    for task in REPRODUCTIONS["mcm/table2"].tasks("full", 0):
        assert task.arguments["grid"] is None
        data = "Autompg" if task.arguments["data"] == MPG else task.arguments["data"]
        assert all(one["max_support"] <= PAPER_TABLE2[data][2][0] for one in candidates(data, {"share": [1.0, 0.5]}))


def test_a_fold_can_be_stored():
    fold = fold_cells("Machine", "linear", 0, 0, {"C": [1.0], "epsilon": [0.5]}, {"C": [0.1]})
    assert json.loads(json.dumps(fold)) == fold
    assert fold["mcm"]["chosen"] == {"C": 1.0, "epsilon": 0.5}


@pytest.mark.parametrize("C", [0.01, 1.0])
def test_pima_is_solved_as_highs_solves_the_paper_s_own_programme(C):
    X, y = load_pima(return_X_y=True)
    n = len(y)
    signed = np.where(y == "positive", 1.0, -1.0)[:, None] * np.column_stack([X, np.ones(n)])
    # w, b, h, q: signed (w, b) + q between 1 and h
    A = np.block([[-signed, np.zeros((n, 1)), -np.eye(n)], [signed, -np.ones((n, 1)), np.eye(n)]])
    c = np.concatenate([np.zeros(X.shape[1] + 1), [1.0], np.full(n, C)])
    bounds = [(None, None)] * (X.shape[1] + 1) + [(1, None)] + [(0, None)] * n
    best = linprog(c, A, np.repeat([-1.0, 0.0], n), bounds=bounds, method="highs").fun
    found = MinimalComplexityClassifier(C=C).fit(X, y).objective_.item()
    assert found == pytest.approx(best, rel=1e-6)


def test_pima_quick():
    rows = quick("mcm/pima")
    for C in (0.01, 1.0):
        assert rows[f"C = {C:g}: objective beside that of HiGHS, relative difference"].ours < 1e-6
        for what, expected in zip(("train", "test"), PIMA[C], strict=True):
            # the folds are others than those of the prototype
            assert rows[f"C = {C:g}: {what} accuracy, %"].ours == pytest.approx(expected, abs=1.0)
