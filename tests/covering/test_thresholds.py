"""The exact search in bins: equal to the slow twin whatever the bins are, and never more than what a bin can hold."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.covering.test_kernels import KINDS
from tests.oracles import covering as oracle

from laconic import SetCoveringClassifierCV
from laconic._table import Table
from laconic.covering.core._greedy import cover
from laconic.covering.core._problem import make_problem
from laconic.covering.families import _bin_kernels as bin_kernels
from laconic.covering.families import _bins as bins_module
from laconic.covering.families import _kernels as kernels
from laconic.covering.families._bins import Bins
from laconic.covering.families._thresholds import ThresholdBlock, Weighed, _rows_in_bin

every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
both_directions = pytest.mark.parametrize("any_holds", [False, True])


@pytest.fixture(autouse=True)
def _quiet_overflow():
    with np.errstate(over="ignore"):
        yield


def coded(rng, kind, n, n_columns, with_tables):
    """Put columns into bins that a few of their rows chose."""
    X = np.column_stack([kind(rng, n) for _ in range(n_columns)])
    sampled = X[rng.integers(0, n, size=int(rng.integers(1, n)))]
    bins = Bins.chosen(np.ascontiguousarray(sampled.T), 10**6 if with_tables else 1)
    return X, bins, bins.code(X, np.arange(n))


# ---- kernels


@every_kind
@pytest.mark.parametrize("with_tables", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_bins_keep_the_order_of_values(kind, with_tables, seed):
    rng = np.random.default_rng(seed)
    X, bins, (codes, spans, mixed) = coded(rng, kind, [5, 60, 700][seed], 3, with_tables)
    assert (bins.layout[:, 0] <= bin_kernels.MOST_EDGES).all()
    for values, own, span, may_mix, edges in zip(X.T, codes.astype(int), spans, mixed, bins.edges, strict=True):
        known = ~np.isnan(values)
        assert ((own == kernels.MISSING) == ~known).all()
        order = np.argsort(values[known], kind="stable")
        assert (np.diff(own[known][order]) >= 0).all()
        if known.any():
            assert span.tolist() == [own[known].min(), own[known].max(), not known.all()]
        else:
            assert span.tolist() == [0, -1, 1]
        for code in set(own[known]):
            held = set(values[own == code])
            assert may_mix[code] or held == {edges[code]}


def test_values_that_many_rows_have_get_bins_of_their_own():
    rng = np.random.default_rng(0)
    zero_inflated = np.where(rng.random(3000) < 0.9, 0.0, rng.normal(size=3000))
    X = np.column_stack([zero_inflated, rng.integers(0, 2, size=3000), rng.integers(0, 100, size=3000)])
    bins = Bins.chosen(np.ascontiguousarray(X[::2].T), len(X))
    codes, _, mixed = bins.code(X, np.arange(len(X)))
    assert not mixed[0, codes[0, np.flatnonzero(zero_inflated == 0)[0]]]
    assert not mixed[1, codes[1]].any()
    assert not mixed[2, codes[2]].any()


@every_kind
def test_codes_do_not_depend_on_how_a_table_lies_in_memory(kind, monkeypatch):
    rng = np.random.default_rng(0)
    X, bins, (expected, spans, mixed) = coded(rng, kind, 300, 5, with_tables=True)
    monkeypatch.setattr(bins_module, "_ROWS_AT_ONCE", 70)
    monkeypatch.setattr(bins_module, "_COLUMNS_AT_ONCE", 2)
    rows = np.sort(rng.choice(300, size=200, replace=False))
    for table in (X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2]):
        codes, *more = bins.code(table, np.arange(300))
        assert (codes == expected).all()
        assert (more[0] == spans).all()
        assert (more[1] == mixed).all()
        assert (bins.code(table, rows).codes == expected[:, rows]).all()
    by_columns = bins.code_table(Table.from_array(X), range(5), rows)
    assert (by_columns.codes == expected[:, rows]).all()


@pytest.mark.parametrize("n_rows", [0, 1, 7, 8, 9, 300])
def test_rows_of_a_bin_are_those_with_its_code(n_rows):
    rng = np.random.default_rng(n_rows)
    codes = rng.choice(np.array([0, 1, 2, 127, 128, 254], dtype=np.uint8), size=n_rows)
    for code in (0, 1, 2, 3, 127, 128, 254):
        expected = [i for i, own in enumerate(codes) if own == code]
        positions = np.full(max(len(expected) - 1, 1), -1)
        assert bin_kernels.rows_in_bin(codes, code, positions) == len(expected)
        room = len(positions)
        assert positions[: len(expected)].tolist() == expected[:room]
        assert _rows_in_bin(codes, code).tolist() == expected


@every_kind
@both_directions
@pytest.mark.parametrize("seed", range(3))
def test_what_an_opened_bin_held_limits_it_when_rows_are_gone(kind, any_holds, seed):
    rng = np.random.default_rng([seed, 2])
    n = 40
    X, _, (codes, spans, mixed) = coded(rng, kind, n, 2, with_tables=seed == 0)
    gains = rng.integers(-3, 4, size=n)
    weighed = Weighed.of(2)
    kernels.add_to_histograms(codes, np.arange(n), gains, 1, weighed.histograms)

    def open_bin(j, code, rest):
        del rest
        positions = np.flatnonzero(codes[j] == code)
        positions = positions[np.argsort(X[positions, j])]
        return X[positions, j], gains[positions]

    for _ in range(6):
        weighed.best((0, 1), spans, mixed, any_holds, open_bin)
        gone = rng.choice(n, size=5, replace=False)
        kernels.add_to_histograms(codes, gone, gains, -1, weighed.histograms)
        gains[gone] = 0
        sums, inside, limits, running = weighed
        bin_kernels.weigh_bins(sums, inside, spans, mixed, any_holds, limits, running)
        for j in range(2):
            for code in set(codes[j].tolist()) - {int(kernels.MISSING)}:
                best = oracle.best_in_bin(X, gains, codes, j, code, any_holds)
                assert best is None or limits[j, code] >= best[0]


@every_kind
@both_directions
@pytest.mark.parametrize("seed", range(3))
def test_limits_and_thresholds_equal_their_twin(kind, any_holds, seed):
    rng = np.random.default_rng([seed, 1])
    n = 40
    X, _, (codes, spans, mixed) = coded(rng, kind, n, 2, with_tables=seed == 0)
    gains = rng.integers(-3, 4, size=n).astype(np.int32 if seed else np.int64)
    weighed = Weighed.of(2)
    kernels.add_to_histograms(codes, np.arange(n), gains, 1, weighed.histograms)
    best_end = bin_kernels.weigh_bins(
        weighed.histograms, weighed.inside, spans, mixed, any_holds, weighed.limits, weighed.running
    )
    ends = []
    for j in range(2):
        total = int(weighed.histograms[j, kernels.MISSING].sum())
        for code in sorted(set(codes[j].tolist()) - {int(kernels.MISSING)}):
            positions = np.flatnonzero(codes[j] == code)
            positions = positions[np.argsort(X[positions, j])]
            value, place, greater = bin_kernels.best_threshold(
                X[positions, j], gains[positions], int(weighed.running[j, code]),
                int(weighed.running[j, kernels.MISSING]), total, any_holds, code == spans[j, 1], bool(spans[j, 2]),
            )  # fmt: skip
            expected = oracle.best_in_bin(X, gains, codes, j, code, any_holds)
            found = None if place < 0 else (value, X[positions[place], j] + 0.0, greater)
            assert found == expected
            assert expected is None or weighed.limits[j, code] >= expected[0]
            largest = X[positions, j].max() + 0.0
            at_end = [
                sum(int(gains[i]) for i in range(n) if oracle.holds(rule, X[i, [j]]) == any_holds)
                for rule in oracle.stump_candidates(X[:, [j]], range(n))
                if rule.threshold == largest
            ]
            ends += at_end
    assert best_end == max(ends, default=kernels.NO_CANDIDATE)


# ---- the search


numbers = st.sampled_from([0.0, -0.0, 1.0, 2.0, 2.5, -1.0, 1e300, -1e300, 5e-324, 1.0 + 2.0**-52, math.nan])


@st.composite
def problems(draw):
    n, n_columns = draw(st.integers(1, 14)), draw(st.integers(1, 3))
    rows = st.lists(numbers, min_size=n_columns, max_size=n_columns)
    weights = draw(st.lists(st.sampled_from([0.0, 1.0, 1.0, 2.0, 5.0]), min_size=n, max_size=n))
    weights[0] = 1.0
    return SimpleNamespace(
        X=np.array(draw(st.lists(rows, min_size=n, max_size=n))),
        positive=np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n))),
        weights=np.array(weights),
        penalty=draw(st.sampled_from([0.0, 0.5, 1.0, 2.0, math.inf])),
        form=draw(st.sampled_from(["conjunction", "disjunction"])),
        sampled=draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=4)),
        with_tables=draw(st.booleans()),
    )


@given(problems())
@settings(max_examples=300, deadline=None)
def test_any_bins_give_the_rules_of_the_twin(p):
    table = Table.from_array(p.X)
    problem = make_problem(table, p.positive, p.weights, p.penalty, p.form)
    columns = tuple(range(table.n_columns))
    block = ThresholdBlock(problem, columns, table.matrix(columns))
    some = np.ascontiguousarray(p.X[p.sampled].T)
    block.__dict__["bins"] = Bins.chosen(some, 10**6 if p.with_tables else 1)  # instead of those that it would choose
    solution = cover(problem, [(0, block)], 20)
    candidates = oracle.stump_candidates(p.X, np.flatnonzero(p.weights > 0))
    steps = oracle.greedy_cover(p.X, p.positive, p.weights, p.penalty, p.form, candidates, 20)
    assert solution.rules == tuple(step.rule for step in steps)
    assert solution.decided.tolist() == solution.deciders(table, problem.any_holds).tolist()
    assert [(step.n_covered, step.n_errors) for step in solution.steps] == [
        (len(step.covered), len(step.errors)) for step in steps
    ]
    assert not any(math.copysign(1.0, rule.threshold) < 0 for rule in solution.rules if rule.threshold == 0)


def plain_search(problem, gains):
    """Every threshold by sorting, column by column; a twin that is quick enough for thousands of rows."""
    best = None
    total = int(gains.sum())
    for j in range(problem.table.n_columns):
        values, own = problem.table.numbers(j)[problem.rows], gains[problem.rows]
        known = ~np.isnan(values)
        different, places = np.unique(values[known], return_inverse=True)
        if len(different) == 0:
            continue
        sums = np.zeros(len(different), dtype=np.int64)
        np.add.at(sums, places, own[known])
        below = np.cumsum(sums)
        held = np.stack([below[-1] - below, below])
        valued = held if problem.any_holds else total - held
        for i in range(len(different)):
            for which in (0, 1):
                allowed = i + 1 < len(different) or (which == 1 and not known.all())
                if allowed and (best is None or valued[which, i] > best[0]):
                    best = int(valued[which, i]), (j, float(different[i]) + 0.0, which)
    return best


@pytest.mark.parametrize("form", ["conjunction", "disjunction"])
@pytest.mark.parametrize("penalty", [0.7, 2.0, math.inf])
def test_thousands_of_rows(form, penalty):
    rng = np.random.default_rng(5)
    n = 6000
    X = rng.normal(size=(n, 5))
    X[:, 1] = np.round(X[:, 1], 1)
    X[:, 2] = np.where(rng.random(n) < 0.8, 0.0, X[:, 2])
    X[:, 3] = np.exp(20 * X[:, 3])
    X[rng.random(n) < 0.1, 4] = np.nan
    positive = (X[:, 0] > -0.5) & (X[:, 1] < 1) & (rng.random(n) < 0.95)
    weights = rng.integers(0, 3, size=n).astype(float)
    problem = make_problem(Table.from_array(X), positive, weights, penalty, form)
    columns = tuple(range(5))
    search = ThresholdBlock(problem, columns, X).search(problem, problem.gains)
    gains = problem.gains.copy()
    for step in range(6):
        offer, expected = search.best(), plain_search(problem, gains)
        if expected[0] <= 0:  # a rule that gains nothing is not offered
            assert step > 0
            assert offer is None
            break
        assert (offer.value, offer.place) == expected
        rejected = problem.rejects(offer.rule)
        gains[rejected] = 0
        search.drop(rejected)


def test_runs_of_one_block_share_opened_bins_and_disturb_each_other_not():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(3000, 3))
    positive = (X[:, 0] > 0) ^ (rng.random(3000) < 0.2)
    first = make_problem(Table.from_array(X), positive, np.ones(3000), 1.0, "conjunction")
    second = make_problem(Table.from_array(X), positive, np.ones(3000), 3.0, "disjunction")
    shared = ThresholdBlock(first, (0, 1, 2), X)
    together = [cover(problem, [(0, shared)], 5).steps for problem in (first, second, first)]
    alone = [cover(problem, [(0, ThresholdBlock(problem, (0, 1, 2), X))], 5).steps for problem in (first, second)]
    assert together == [alone[0], alone[1], alone[0]]


def test_cross_validation_does_not_depend_on_threads():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 4))
    y = (X[:, 0] > 0) & (X[:, 1] < 1)
    models = [
        SetCoveringClassifierCV(features=["stumps"], penalties=[1, 2], max_rules=4, cv=3, n_jobs=n_jobs).fit(X, y)
        for n_jobs in (1, 2)
    ]
    assert models[0].cv_results_ == models[1].cv_results_
    assert models[0].rules_ == models[1].rules_
