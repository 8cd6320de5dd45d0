"""Tables 1 and 2 of paper 4 and its classifier on Pima, judged by rules that were stated before they were run."""

import numpy as np
import pytest

from laconic.minimal import MinimalComplexityRegressor
from laconic.papers.minimal import MPG, PAPER_TABLE1, PAPER_TABLE2, SETS, choose, paper_data, pima, table1, table2


def spread(pair):
    return "–" if pair is None else f"{pair[0]:.4g} ± {pair[1]:.3g}"


def score(found):
    return "–" if found is None else f"{spread(found.error)} ({spread(found.support)})"


def show(row):
    pairs = (("MCM", row.mcm, row.paper_mcm), ("SVR", row.default_svr, row.paper_svm), ("SVR tuned", row.tuned_svr, None))
    lines = [f"{row.data}: {row.verdict}"]
    lines += [f"   {name:9} paper {score(paper):38} | here {score(here)}" for name, here, paper in pairs]
    lines.append(f"   chosen {'; '.join(str(chosen) for chosen in row.chosen)}")
    return "\n".join(lines)


def n_not_above(rows):
    return sum(row.verdict == "not above" for row in rows)


def test_the_tables_are_those_of_the_paper():
    shapes = {name: paper_data(name)[0].shape for name in (*SETS, MPG)}
    assert list(PAPER_TABLE1) == list(PAPER_TABLE2) == list(SETS)
    # the paper counts the target among the columns of Autompg, Yacht, Price, Machine and Baseball
    assert shapes == {
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


def test_a_candidate_without_a_regressor_is_passed_over():
    X, y, _ = paper_data("Price")
    halves = [(np.arange(0, 159, 2), np.arange(1, 159, 2)), (np.arange(1, 159, 2), np.arange(0, 159, 2))]
    candidates = [{"epsilon": 1e-9, "C": 0.1}, {"epsilon": 0.25, "C": 1e-9}, {"epsilon": 0.25, "C": 1.0}]
    model, chosen = choose(MinimalComplexityRegressor, candidates, X, y, halves)
    assert chosen == candidates[2]
    assert model.get_params()["epsilon"] == 0.25
    with pytest.raises(ValueError, match="No candidate has a regressor"):
        choose(MinimalComplexityRegressor, candidates[:2], X, y, halves)


def test_other_errors_are_not_passed_over():
    X, y, _ = paper_data("Price")
    with pytest.raises(ValueError, match="epsilon"):
        choose(MinimalComplexityRegressor, [{"epsilon": -1.0}], X, y, [(np.arange(80), np.arange(80, 159))])


def test_table_1_quick():
    (row,) = table1(["Price"], grid={"C": [0.1], "epsilon": [0.25]})
    assert row.verdict == "not above"
    assert row.mcm.support[0] < 0.2 * row.default_svr.support[0]
    assert "Price: not above" in show(row)


def test_table_2_quick():
    grid = {"C": [1.0], "epsilon": [0.25], "gamma": [2.0**-7]}
    (row,) = table2(["Machine"], grid=grid, shares=(0.5,))
    assert row.verdict == "not above"
    assert row.mcm.support == (26.0, 0.0)
    # what the paper calls SVM is SVR at the library's defaults
    assert row.default_svr.error[0] == pytest.approx(row.paper_svm.error[0], rel=0.1)
    assert row.default_svr.support[0] == pytest.approx(row.paper_svm.support[0], rel=0.1)


def test_pima(capsys):
    rows = pima()
    for row in rows:
        assert row.gap < 1e-6, row
        # the folds are others than those of the prototype
        assert row.train == pytest.approx(row.expected[0], abs=0.7), row
        assert row.test == pytest.approx(row.expected[1], abs=1.0), row
    with capsys.disabled():
        print("\nPima, linear classifier, five folds: train and test accuracy, expected | here")
        for row in rows:
            print(f"   C = {row.C:<6g} {row.expected[0]} {row.expected[1]} | {row.train:.1f} {row.test:.1f}")
