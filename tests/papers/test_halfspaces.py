"""The figures and tables of paper 5, judged by rules that were stated before they were run."""

import numpy as np
import pytest

from laconic.papers._concepts import Intersection, Mirror, Row, balanced, balanced_score, make_row
from laconic.papers.halfspaces import FIGURE6, figure3, figure4, figure5, figure6
from laconic.papers.halfspaces_tables import TABLE1, TABLE3, mirror50, paper_rows, table1, table2, table3

HEAD = f"{'':58} {'order':8} {'paper':>7}  {'ours':>8}   {'':5} {'runs':>5}"


def show(capsys, title, rows, points=()):
    with capsys.disabled():
        print("\n" + "\n".join([title, *map(str, points), HEAD, *map(str, rows)]))


def worse(rows, order=None):
    """List what was not reached, by our own learners."""
    orders = ("nearest", "random") if order is None else (order,)
    return [str(row) for row in rows if row.order in orders and row.verdict == "worse"]


def test_a_row_judges_on_its_better_side():
    more = make_row("Gen", "nearest", 95.0, [94.0, 95.0], tolerance=0.5, note="why")
    assert (more.verdict, more.ours, more.runs, more.note) == ("met", 94.5, 2, "")
    assert make_row("Gen", "nearest", 95.0, [94.0], tolerance=0.5, note="why").note == "why"
    assert make_row("Gen", "nearest", 95.0, [96.0]).verdict == "better"
    fewer = Row("k", "nearest", 4, 0.0, 5, 0.0, 1, fewer_is_better=True, note="why")
    assert fewer.verdict == "worse"
    assert str(fewer).endswith("worse: why")


@pytest.mark.parametrize("concept", [Mirror(30), Intersection.orthogonal(10, np.random.default_rng(0))])
def test_samples_are_half_positive(concept):
    X, y = balanced(concept, 200, np.random.default_rng(1))
    assert X.shape[0] == 200
    assert y.sum() == 100
    assert (concept.holds(X) == y).all()
    assert balanced_score(np.ones(200, dtype=bool), y) == 50.0


def test_the_targets_are_those_of_the_paper():
    random = np.random.default_rng(0)
    pair = Intersection.orthogonal(20, random)
    assert np.allclose(pair.weights @ pair.weights.T, np.eye(2))
    assert not pair.biases.any()
    slab = Intersection.slab(16, 0.25, random)
    assert slab.holds(np.outer([0.0, 0.24, 0.26, -0.26], slab.weights[0])).tolist() == [True, True, False, False]
    assert np.abs(Intersection.uniform(8, 2, random).weights).max() <= 1


def test_the_tables_are_those_of_the_paper():
    shapes = {"CH": (3196, 36), "G2": (163, 9), "IR": (150, 4), "V0": (435, 16), "V1": (435, 15)}
    for name, (default, *_) in TABLE3.items():
        X, y = paper_rows(name)
        assert X.shape == shapes[name]
        assert abs(100 * np.unique(y, return_counts=True)[1].max() / len(y) - default) < 0.05
    chess, _ = paper_rows("CH")
    values = [len(np.unique(column)) for column in chess.T]
    assert sorted(values) == [2] * 35 + [3]
    assert set(chess.ravel().tolist()) == {-1.0, 0.0, 1.0}


def test_figure_3_quick():
    figure = figure3(sizes=(200, 1600), n_tests=3)
    curves = {(point.curve, point.size): point.mean for point in figure.points}
    assert curves["pocket", 1600] > 5 * curves["pocket", 200]
    assert curves["pocket", 1600] > curves["random", 1600]
    capped = figure3(sizes=(400, 800), n_tests=2, orders=["nearest"], max_iterations=100)
    assert [point.censored for point in capped.points if point.curve == "pocket"] == [2, 2]


def test_figure_4_quick():
    figure = figure4(sizes=(300,), n_targets=2, n_tests=2, distance=0.5)
    half = [row for row in figure.rows if "share" in row.what or "pocket" in row.what]
    assert len(half) == 4
    assert worse(half) == []


def test_figures_5_and_6_quick():
    few = figure5([(8, 2)], sizes=(100, 500), n_tests=8)
    assert worse(few.rows) == []
    scores = [point.mean for point in few.points if point.curve == "Gen, n = 8, h = 2, nearest"]
    assert scores[0] < scores[1] > 95
    assert worse(figure6([(10, 4)], sizes=(500,), n_tests=5).rows) == []


def test_table_1_quick():
    assert worse(table1([10])) == []
    assert worse(table1([20], n_runs=2)) == []


def test_table_2_quick():
    assert worse(table2([100, 600], n_runs=3)) == []
    assert worse(mirror50(n_runs=1)) == []


def test_table_3_quick():
    rows = table3(["IR", "V0"], n_trials=4)
    assert worse([row for row in rows if "Gen" in row.what]) == []
    assert {row.order for row in rows} == {"nearest", "random", "default", "tree"}


@pytest.mark.slow
def test_figure_3_in_full(capsys):
    figure = figure3()
    show(capsys, "figure 3: CPU seconds", figure.rows, figure.points)
    assert worse(figure.rows) == []


@pytest.mark.slow
@pytest.mark.parametrize("distance", [0.25, 0.5])
def test_figure_4_in_full(distance, capsys):
    figure = figure4(distance=distance)
    show(capsys, f"figure 4: negatives found, %; planes {distance} from the origin", figure.rows, figure.points)
    assert worse(figure.rows, "nearest") == []
    # With 100 negatives a random order does no better than multiple passes. With planes at 0.25 it needs 600 to find
    # half of them; below, its spread is about that of multiple passes.
    claims = ("share", "spread", "pocket") if distance == 0.5 else ("pocket",)
    assert worse([row for row in figure.rows if any(claim in row.what for claim in claims)]) == []


@pytest.mark.slow
@pytest.mark.parametrize("draw", [figure5, figure6])
def test_figures_5_and_6_in_full(draw, capsys):
    figure = draw() if draw is figure5 else draw([problem for problem in FIGURE6 if problem != (10, 2)])
    show(capsys, draw.__name__, figure.rows, figure.points)
    # the largest of hundreds of tests is a matter of chance: a random order exceeds it now and then
    assert worse(figure.rows, "nearest") == []


@pytest.mark.slow
@pytest.mark.parametrize("n", TABLE1)
def test_table_1_in_full(n, capsys):
    rows = table1([n])
    show(capsys, "table 1", rows)
    assert worse(rows, None if n < 50 else "nearest") == []


@pytest.mark.slow
@pytest.mark.parametrize("placement", ["max_margin", "vertex"])
def test_table_2_in_full(placement, capsys):
    rows = table2(placement=placement)
    show(capsys, f"table 2, {placement}", rows)
    assert worse(rows) == []
    rows = mirror50(placement=placement)
    show(capsys, f"50 dimensions, {placement}", rows)
    assert worse(rows) == []


@pytest.mark.slow
@pytest.mark.parametrize("placement", ["max_margin", "vertex"])
def test_table_3_in_full(placement, capsys):
    rows = table3(placement=placement)
    show(capsys, f"table 3, {placement}", rows)
    assert worse(rows) == []
