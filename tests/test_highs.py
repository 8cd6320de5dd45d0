import ast
from pathlib import Path

import numpy as np
import pytest

import laconic
from laconic._highs import INFEASIBLE, OPTIMAL, Highs


def imports_highspy(path):
    found = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    names = [alias.name for node in found if isinstance(node, ast.Import) for alias in node.names]
    return "highspy" in names


def test_one_module_drives_it():
    # runs that ask for different numbers of threads refuse each other, so that nobody else may set them
    source = Path(laconic.__file__).parent
    assert [path.name for path in source.rglob("*.py") if imports_highspy(path)] == ["_highs.py"]


def small(lower):
    highs = Highs()
    highs.add_columns(np.zeros(2), np.ones(2), costs=np.array([1.0, 3.0]))
    highs.add_rows(np.array([[1.0, 1.0], [1.0, 0.0]]), lower=np.array([lower, -np.inf]), upper=np.array([np.inf, 0.75]))
    return highs


def test_values_and_prices():
    highs = small(1.0)
    assert highs.run() == OPTIMAL
    assert highs.n_rows == 2
    assert highs.values == pytest.approx([0.75, 0.25])
    assert highs.row_duals == pytest.approx([3.0, -2.0])


def test_rows_and_columns_can_change():
    highs = small(3.0)
    assert highs.solve([{}], "a test", ends=(OPTIMAL, INFEASIBLE)) == INFEASIBLE
    highs.free_row(0)
    assert highs.run() == OPTIMAL
    highs.bound_column(1, 0.5, 0.5)
    highs.run()
    assert highs.values == pytest.approx([0.0, 0.5])


def test_a_status_that_is_no_answer_is_told_in_words():
    highs = small(3.0)
    attempts = [{"presolve": "off"}, {"presolve": "on"}]
    with pytest.raises(RuntimeError, match="HiGHS stopped with 'Infeasible' on two rows."):
        highs.solve(attempts, "two rows")
    assert len(highs.steps) == 2
