"""Tables 1 and 2 of paper 1, judged by rules that were stated before they were run."""

import numpy as np
import pytest

from laconic.covering import Balls
from laconic.papers import nested_errors, table1, table2

JUDGED = ("BreastWisc", "Haberman", "Bupa", "Glass", "Pima", "Credit")


def line(cell):
    ours = f"{cell.size:7.1f} {cell.error:7.1f} {cell.formula:7.0f} {cell.certificate:7.0f}"
    return (
        f"{cell.data:11} {cell.form[:4]} {cell.kind:12} {cell.penalty:5.2g} {ours} {cell.by_bound:9.1f}"
        f"   paper {' '.join(f'{value:g}' for value in cell.paper)}"
    )


HEAD = "                              p     size   error formula    cert by bound"


def faults(cells):
    """List what breaks the rules: sizes, errors of the inconsistent machine, bounds."""
    found = []
    for cell in cells:
        *_, size, error, bound = cell.paper
        if cell.kind == "consistent" and cell.size > 1.1 * size:
            found.append(f"{line(cell)}: more than 10 % larger")
        if cell.kind == "inconsistent" and cell.error > error + max(0.1 * error, 3):
            found.append(f"{line(cell)}: more errors by over 10 % and 3")
        if cell.certificate > bound:
            found.append(f"{line(cell)}: a larger bound")
    return found


def test_table_2_quick():
    cells = table2(["Glass", "BreastWisc"], n_shuffles=1, penalties=(0.5, 1.0, 1.8, 3.0))
    assert len(cells) == 12
    assert not faults(cells)
    for cell in cells:
        if cell.kind == "consistent":
            # the formula at these sizes is well below what the paper prints, and no reading of it gives the print
            assert cell.formula < 0.9 * cell.paper[-1]


def test_table_1_quick():
    (glass,) = table1(["Glass"], n_shuffles=1)
    assert glass.neighbour <= glass.paper[0] + 8
    assert glass.soft_svm <= glass.paper[2] + 8


@pytest.mark.slow
def test_table_1_in_full(capsys):
    cells = table1()
    with capsys.disabled():
        print("\ntable 1: nearest neighbour, SVM with C = infinity, SVM with C tuned; ours / paper")
        for cell in cells:
            pairs = zip((cell.neighbour, cell.hard_svm, cell.soft_svm), cell.paper, strict=True)
            print(f"{cell.data:11}", "   ".join(f"{ours:6.1f} / {paper:<4g}" for ours, paper in pairs))
    for cell in cells:
        if cell.data in JUDGED:
            # the paper's folds are unknown, and on Glass and Haberman its neighbours do worse than ours on any folds
            assert cell.neighbour <= cell.paper[0] + max(0.15 * cell.paper[0], 8)
            assert cell.soft_svm <= cell.paper[2] + max(0.15 * cell.paper[2], 8)


@pytest.mark.slow
def test_table_2_in_full(capsys):
    cells = table2()
    with capsys.disabled():
        print(f"\ntable 2, five shuffles\n{HEAD}")
        print("\n".join(map(line, cells)))
    assert faults(cell for cell in cells if cell.data in JUDGED) == []


def test_nested_selection_quick():
    errors = nested_errors("Glass", penalties=(1.0, 3.0), max_rules=6)
    # chosen inside each fold it cannot be luckier than a few errors below the best choice on the folds themselves
    assert all(24 <= count <= 60 for count in errors.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", JUDGED)
def test_nested_selection_in_full(name, capsys):
    errors = nested_errors(name, penalties=(0.5, 0.85, 1.0, 1.4, 2.0, 3.0, 6.0))
    with capsys.disabled():
        print(f"\n{name:11} nested selection: " + ", ".join(f"{form} {count:.0f}" for form, count in errors.items()))
    assert all(np.isfinite(list(errors.values())))


@pytest.mark.slow
@pytest.mark.parametrize(
    "features",
    [
        Balls(metric="manhattan"),
        Balls(metric="chebyshev"),
        Balls(radius="tight"),
        Balls(scale="dyadic"),
    ],
    ids=["manhattan", "chebyshev", "tight", "dyadic scale"],
)
def test_table_2_with_other_balls(features, capsys):
    cells = table2(JUDGED, n_shuffles=2, features=features)
    with capsys.disabled():
        print(f"\ntable 2, {features}, two shuffles\n{HEAD}")
        print("\n".join(line(cell) for cell in cells if cell.kind == "inconsistent"))
    assert np.isfinite([cell.error for cell in cells]).all()
