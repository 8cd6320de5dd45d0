"""Which columns a hypothesis looks at: whatever stands in the others, its answers stay."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from tests.model_files.catalogue import NAMES, fitted

from laconic.rules import (
    Ball,
    Clause,
    Conjunction,
    DecisionList,
    Dichotomies,
    Halfspace,
    Highest,
    KernelExpansion,
    LinearModel,
    Literal,
    Rule,
    SoftBall,
    SoftDisjunction,
    Stump,
    Term,
)

LIST = DecisionList(((Literal(5), 1), (Stump(2, 0.0, True), 0)), 0)


@pytest.mark.parametrize(
    ("value", "columns"),
    [
        (Stump(3, 1.0, True), {3}),
        (Literal(4, category="red"), {4}),
        (Clause((Literal(1), Literal(6))), {1, 6}),
        (Term((Stump(1, 0.0, True), Literal(0))), {0, 1}),
        (Halfspace((0.0, 1.0, -2.0), 1.0), {1, 2}),
        (Ball((0.0, 0.0, 0.0), 1.0, True), {0, 1, 2}),
        (Ball(7, 1.0, True, "precomputed"), {7}),
        (SoftDisjunction((SoftBall(4, 1.0, 2.0, True), SoftBall(1, 1.0, 2.0, True))), {1, 4}),
        (Conjunction(()), set()),
        (LIST, {2, 5}),
        (Dichotomies((LIST, DecisionList(((Literal(0), 1),), 0)), ((0, 0), (1, 1))), {0, 2, 5}),
        (Highest((LinearModel((1.0, 0.0), 0.0), LinearModel((0.0, 0.0), 0.0))), {0}),
        (KernelExpansion(((1.0, 2.0),), (1.0,), 0.0), {0, 1}),
        (KernelExpansion(((3.0,), (9.0,)), (1.0, 1.0), 0.0, "precomputed"), {3, 9}),
        (KernelExpansion((), (), 0.5), set()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_value_says_what_it_looks_at(value, columns):
    assert value.columns_used == columns


@pytest.mark.parametrize("name", NAMES)
def test_no_answer_depends_on_another_column(name):
    model, rows = fitted(name)
    dense = rows.toarray() if sparse.issparse(rows) else rows
    unused = [j for j in range(dense.shape[1]) if j not in model.hypothesis_.columns_used]
    altered = dense.copy()
    for j in unused:
        if isinstance(altered, pd.DataFrame):
            altered.isetitem(j, altered.iloc[::-1, j].to_numpy())
        else:
            altered[:, j] = altered[::-1, j]
    assert np.array_equal(model.predict(altered), model.predict(dense))


def test_a_rule_that_does_not_say_is_named():
    class Odd(Rule):
        def holds(self, table):
            return np.ones(table.n_rows, dtype=bool)

        def describe(self, names=None):
            return "odd"

    with pytest.raises(NotImplementedError, match="Odd does not say which columns it reads"):
        _ = Conjunction((Odd(),)).columns_used


def test_a_rule_that_does_not_say_where_it_holds_cannot_be_made():
    class Old(Rule):
        def _holds(self, table):
            return np.ones(table.n_rows, dtype=bool)

        def describe(self, names=None):
            return "old"

    with pytest.raises(TypeError, match="abstract.*'?holds'?"):
        Old()
