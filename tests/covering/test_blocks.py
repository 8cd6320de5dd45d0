"""Every holder of candidates, through the greedy driver, against the paper's algorithm in exact arithmetic."""

from __future__ import annotations

import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from tests.oracles import covering as oracle

from laconic._table import Table
from laconic.covering import Literals
from laconic.covering.core._greedy import cover
from laconic.covering.core._problem import fixed_point_gains, make_problem
from laconic.covering.families import _bit_kernels as bit_kernels
from laconic.covering.families._blocks import CombinationBlock, PackedBlock, gain_planes, pack_bits
from laconic.covering.families._histograms import HistogramBlock
from laconic.covering.families._thresholds import ThresholdBlock
from laconic.covering.normal_forms._elimination import eliminate
from laconic.rules import Literal, Stump

FORMS = ["conjunction", "disjunction"]
PENALTIES = [0.0, 0.5, 1.0, 1.7, math.inf]
WEIGHTS = ["ones", "whole", "real"]
FRACTION = 2.0**-16  # a penalty is rounded to this where weights are whole
FINE = 2.0**-40  # real weights are rounded to this share of the largest

both_forms = pytest.mark.parametrize("form", FORMS)
every_penalty = pytest.mark.parametrize("penalty", PENALTIES)
every_weight = pytest.mark.parametrize("kind", WEIGHTS)


@pytest.fixture(autouse=True)
def _quiet_overflow():
    # without the JIT, numpy warns where a number is too large for float32
    with np.errstate(over="ignore"):
        yield


# ---- data


def random_weights(rng, n, kind):
    if kind == "ones":
        return np.ones(n)
    weights = rng.integers(1, 5, size=n).astype(float) if kind == "whole" else rng.gamma(2.0, size=n)
    weights[rng.random(n) < 0.2] = 0.0
    weights[0] = 1.0
    return weights


def random_numbers(rng, n, n_columns, missing=False):
    """Columns of few and of many different values, loosely tied to the labels."""
    X = rng.normal(size=(n, n_columns))
    X[:, ::2] = np.round(2 * X[:, ::2]) / 2
    positive = X.sum(axis=1) + rng.normal(size=n) > 0
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
        X[rng.integers(n), 0] = np.nan
    return X, positive


def random_flags(rng, n, n_columns, missing=False):
    X = (rng.random((n, n_columns)) < 0.5).astype(float)
    positive = (X[:, 0] + X[:, 1] > 0) ^ (rng.random(n) < 0.2)
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
    return X, positive


def random_categories(rng, n):
    """A frame of two columns of categories and one of flags, and its rows as plain tuples."""
    colour = rng.choice(np.array(["red", "green", "blue", None], dtype=object), size=n)
    side = rng.choice(np.array(["left", "right"], dtype=object), size=n)
    flag = rng.random(n) < 0.5
    colour[:2], side[:2] = "red", "left"
    positive = np.array([c == "red" for c in colour]) ^ (rng.random(n) < 0.25)
    frame = pd.DataFrame({"colour": colour, "side": side, "flag": flag})
    return Table.from_frame(frame), list(zip(colour, side, flag.astype(float).tolist(), strict=True)), positive


# ---- blocks


def stump_blocks(problem):
    columns = tuple(range(problem.table.n_columns))
    return [ThresholdBlock(problem, columns, problem.table.matrix(columns))]


def histogram_blocks(problem, bins=255):
    columns = tuple(range(problem.table.n_columns))
    return [HistogramBlock(problem, columns, problem.table.matrix(columns), bins)]


def packed(rules):
    return lambda problem: [PackedBlock(problem, tuple(rules))]


def combined(literals, k):
    def make(problem):
        columns = np.array([literal.feature for literal in literals], dtype=np.int64)
        return [CombinationBlock(problem, tuple(literals), columns, size) for size in range(1, k + 1)]

    return make


def solve(X, positive, weights, penalty, form, blocks, max_rules=None):
    table = X if isinstance(X, Table) else Table.from_array(X)
    problem = make_problem(table, positive, weights, penalty, form)
    # each rule turns away at least one row, so more rules than rows would mean a run without end
    return cover(problem, [(0, block) for block in blocks(problem)], max_rules or table.n_rows + 1)


# ---- comparing with the twin


def rounding(weights, penalty):
    """How far the library's value of a candidate may be from the exact one: its numbers are fixed-point."""
    weights = np.asarray(weights, dtype=float)
    if not np.all(weights == np.floor(weights)):
        return len(weights) * FINE * weights.max()
    exact = math.isinf(penalty) or Fraction(penalty).denominator <= 2**16
    return 0.0 if exact else FRACTION * weights.sum()


def check_against_twin(X, positive, weights, penalty, form, candidates, solution, max_rules=None):
    """Every step is the twin's: the first of the best candidates, or one that rounding cannot tell from it."""
    tolerance = 2 * rounding(weights, penalty)
    if tolerance == 0:
        gains = oracle.greedy_cover(X, positive, weights, penalty, form, candidates, max_rules)
        assert solution.rules == tuple(gain.rule for gain in gains)
    else:
        gains = follow(oracle.Cover(X, positive, weights, penalty, form, candidates), solution, max_rules, tolerance)
    decided = np.full(len(positive), len(solution.steps))
    for number, (step, gain) in enumerate(zip(solution.steps, gains, strict=True)):
        assert step.value == pytest.approx(float(gain.value), abs=tolerance, rel=1e-9)
        assert step.value > 0
        assert (step.n_covered, step.n_errors) == (len(gain.covered), len(gain.errors))
        decided[[*gain.covered, *gain.errors]] = number
    assert solution.decided.tolist() == decided.tolist()


def follow(state, solution, max_rules, tolerance):
    """Take the library's steps one by one, each of which must be as good as any but for rounding."""
    gains = []
    for rule in solution.rules:
        (_, highest), values, away = state.best(), state.values(), state.newly_turned_away()
        near = [i for i, value in enumerate(values) if value is not None and value >= highest - tolerance]
        place = state.candidates.index(rule)
        assert place in near
        if len({away[i] for i in near}) == 1:  # rounding or not, they are equal: the first must be taken
            assert place == near[0]
        gains.append(state.take(place))
    if max_rules is None or len(gains) < max_rules:
        place, highest = state.best()
        assert place is None or highest <= tolerance
    return gains


@pytest.mark.sampled(2)
@both_forms
@every_penalty
@every_weight
@pytest.mark.parametrize("missing", [False, True])
def test_stumps_equal_the_twin(form, penalty, kind, missing):
    for seed in range(3):
        rng = np.random.default_rng([seed, missing])
        X, positive = random_numbers(rng, 26, 3, missing)
        weights = random_weights(rng, 26, kind)
        candidates = oracle.stump_candidates(X, np.flatnonzero(weights > 0))
        for blocks in (stump_blocks, histogram_blocks):
            solution = solve(X, positive, weights, penalty, form, blocks)
            check_against_twin(X, positive, weights, penalty, form, candidates, solution)


@pytest.mark.sampled(2)
@both_forms
@every_penalty
@every_weight
@pytest.mark.parametrize("missing", [False, True])
def test_literals_equal_the_twin(form, penalty, kind, missing):
    for seed in range(3):
        rng = np.random.default_rng([seed, missing, 1])
        X, positive = random_flags(rng, 70, 6, missing)
        weights = random_weights(rng, 70, kind)
        for negated in (True, False):
            candidates = oracle.literal_candidates(X, np.flatnonzero(weights > 0), negated)
            solution = solve(X, positive, weights, penalty, form, packed(candidates))
            check_against_twin(X, positive, weights, penalty, form, candidates, solution)


@pytest.mark.sampled(2)
@both_forms
@every_penalty
@every_weight
@pytest.mark.parametrize("missing", [False, True])
def test_clauses_equal_the_twin(form, penalty, kind, missing):
    for seed, k in enumerate([1, 2, 3]):
        rng = np.random.default_rng([seed, missing, 2])
        X, positive = random_flags(rng, 66, 3, missing)
        weights = random_weights(rng, 66, kind)
        rows = np.flatnonzero(weights > 0)
        candidates = oracle.clause_candidates(X, rows, k, form)
        solution = solve(X, positive, weights, penalty, form, combined(oracle.literal_candidates(X, rows), k))
        check_against_twin(X, positive, weights, penalty, form, candidates, solution)


@both_forms
@pytest.mark.parametrize("penalty", [0.5, 1.0, math.inf])
@every_weight
def test_categories_equal_the_twin(form, penalty, kind):
    for seed in range(3):
        rng = np.random.default_rng([seed, 3])
        table, rows, positive = random_categories(rng, 40)
        weights = random_weights(rng, 40, kind)
        counted = np.flatnonzero(weights > 0)
        literals = oracle.literal_candidates(rows, counted)
        solution = solve(table, positive, weights, penalty, form, packed(literals))
        check_against_twin(rows, positive, weights, penalty, form, literals, solution)
        clauses = oracle.clause_candidates(rows, counted, 2, form)
        solution = solve(table, positive, weights, penalty, form, combined(literals, 2))
        check_against_twin(rows, positive, weights, penalty, form, clauses, solution)


def with_identifiers(rng, n):
    """Flags around a column in which nearly every row has a category of its own, and its rows as plain tuples."""
    table, rows, positive = random_categories(rng, n)
    names = np.array([f"n{i}" for i in rng.integers(0, 3 * n, size=n)], dtype=object)
    names[rng.random(n) < 0.1] = None
    name = Table.from_frame(pd.DataFrame({"name": names})).column(0)
    colour, side, flag = (table.column(j) for j in range(3))
    rows = [(row[2], row[0], None if name is None else name, row[1]) for row, name in zip(rows, names, strict=True)]
    return Table((flag, colour, name, side), n, 4), rows, positive


@both_forms
@pytest.mark.parametrize("penalty", [0.5, 1.0, math.inf])
@every_weight
@pytest.mark.parametrize("n_blocks", [1, 3])
def test_sums_by_category_equal_the_twin_and_packed_answers(form, penalty, kind, n_blocks):
    for seed in range(3):
        rng = np.random.default_rng([seed, 11])
        table, rows, positive = with_identifiers(rng, 40)
        weights = random_weights(rng, 40, kind)
        literals = oracle.literal_candidates(rows, np.flatnonzero(weights > 0))
        solution = solve(
            table, positive, weights, penalty, form, lambda problem: Literals().blocks(problem, range(4), n_blocks)
        )
        check_against_twin(rows, positive, weights, penalty, form, literals, solution)
        bits = solve(table, positive, weights, penalty, form, packed(literals))
        assert solution.steps == bits.steps
        assert (solution.decided == bits.decided).all()


@both_forms
def test_blocks_of_literals_offer_the_same_first_and_are_left_the_same(form):
    for seed in range(20):
        rng = np.random.default_rng([seed, 12])
        table, rows, positive = with_identifiers(rng, 30)
        positive = positive if seed % 3 else np.arange(30) < 3
        problem = make_problem(table, positive, random_weights(rng, 30, "whole"), 1.0, form)
        blocks = Literals().blocks(problem, range(4), 2)
        (bits,) = packed(oracle.literal_candidates(rows, problem.rows))(problem)
        offers = [block.search(problem, problem.gains).first() for block in blocks]
        first = min((offer.place, offer) for offer in offers if offer.value > 0)[1]
        assert first == bits.search(problem, problem.gains).first()
        assert eliminate(problem, blocks, 1000).rules == eliminate(problem, [bits], 1000).rules
        left = [cover(problem, [(0, b) for b in eliminate(problem, some, 1000).blocks()]) for some in (blocks, [bits])]
        assert left[0].steps == left[1].steps


DOMAINS = {
    "some, twice and none": {0: ["red", "blue", "grey", "red"], 2: [True, False, "x"]},
    "of truths and names": {1: ["left"], 2: [1.0]},
    "empty": {0: [], 1: ["right", "left"]},
}


@both_forms
@pytest.mark.parametrize("name", DOMAINS)
def test_sums_by_listed_categories_equal_packed_answers(form, name):
    for seed in range(10):
        rng = np.random.default_rng([seed, 13])
        table, _, positive = random_categories(rng, 40)
        family = Literals(categories=DOMAINS[name])
        found = [
            solve(table, positive, np.ones(40), 0.7, form, make)
            for make in (
                lambda problem, family=family: family.blocks(problem, range(3), 1),
                lambda problem, family=family: packed(family.literals(problem, range(3)))(problem),
            )
        ]
        assert found[0].steps == found[1].steps


def test_identifiers_take_the_memory_of_the_table():
    n = 20_000
    table = Table.from_frame(pd.DataFrame({"id": [f"n{i}" for i in range(n)], "flag": np.arange(n) % 2 == 0}))
    problem = make_problem(table, np.arange(n) % 3 == 0, np.ones(n), 1.0, "conjunction")
    tracemalloc.start()
    cover(problem, [(0, block) for block in Literals().blocks(problem, range(2), 1)], max_rules=2)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1000 * n  # a bit for each row and literal would be 5000 bytes a row


@both_forms
@pytest.mark.parametrize("max_rules", [1, 2, 3])
def test_the_driver_stops_in_time(form, max_rules):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, positive = random_numbers(rng, 30, 2)
        candidates = oracle.stump_candidates(X, range(30))
        solution = solve(X, positive, np.ones(30), 0.5, form, stump_blocks, max_rules)
        assert len(solution.steps) <= max_rules
        check_against_twin(X, positive, np.ones(30), 0.5, form, candidates, solution, max_rules)


@both_forms
@pytest.mark.parametrize("size", [1.0, 3e4, 4e4, 1e5, 1e9])
def test_gains_that_need_more_than_32_bits(form, size):
    for seed in range(3):
        rng = np.random.default_rng([seed, 5])
        X, positive = random_numbers(rng, 24, 2, missing=True)
        weights = size * rng.integers(1, 4, size=24)
        candidates = oracle.stump_candidates(X, range(24))
        for penalty in (0.5, 2.0, math.inf):
            for blocks in (stump_blocks, histogram_blocks, packed(candidates)):
                solution = solve(X, positive, weights, penalty, form, blocks)
                check_against_twin(X, positive, weights, penalty, form, candidates, solution)


def test_of_equal_candidates_the_earlier_family_wins_and_then_the_smaller_place():
    X, positive = np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([False, True])
    problem = make_problem(Table.from_array(X), positive, np.ones(2), 1.0, "conjunction")
    early, late = PackedBlock(problem, (Literal(0),), ((3,),)), PackedBlock(problem, (Literal(1),), ((9,),))
    for blocks, rule in (
        ([(1, early), (0, late)], Literal(1)),
        ([(0, late), (1, early)], Literal(1)),
        ([(0, late), (0, early)], Literal(0)),
        ([(1, late), (0, early)], Literal(0)),
    ):
        (step,) = cover(problem, blocks).steps
        assert step.rule == rule
        assert step.family == min(family for family, _ in blocks)


def outliers(rng, n_inner, n_outer, n_columns):
    """Rows in the middle, and rows that lie outside in one column each, so that a cover takes many rules."""
    X = rng.integers(4, 9, size=(n_inner + n_outer, n_columns)).astype(float)
    odd = rng.integers(n_columns, size=n_outer)
    X[np.arange(n_inner, n_inner + n_outer), odd] = rng.choice([0, 1, 2, 3, 9, 10, 11, np.nan], size=n_outer)
    return X, np.arange(n_inner + n_outer) < n_inner


@both_forms
@pytest.mark.parametrize("penalty", [8.0, 20.5, math.inf])
def test_rows_are_forgotten_many_times_without_a_change(form, penalty):
    for seed in range(2):
        X, inner = outliers(np.random.default_rng([seed, 4]), 8, 60, 6)
        positive = inner if form == "conjunction" else ~inner
        candidates = oracle.stump_candidates(X, range(68))
        for blocks in (stump_blocks, histogram_blocks):
            solution = solve(X, positive, np.ones(68), penalty, form, blocks)
            assert len(solution.steps) > 6
            check_against_twin(X, positive, np.ones(68), penalty, form, candidates, solution)


# ---- numbers that are hard to sort

HARD = {
    "merged by float32": 1.0 + 2.0**-50 * np.arange(12),
    "zeros of both signs": np.array([0.0, -0.0, 5e-324, -5e-324, 1e-310, -1e-310, 1.0, -1.0]),
    "beyond float32": np.array([1e300, 1.1e300, -1e300, -1.1e300, 1.7e308, -1.7e308, 3.5e38, 0.0]),
    "one value": np.array([0.1]),
}


@both_forms
@pytest.mark.parametrize("penalty", [0.5, math.inf])
@pytest.mark.parametrize("hard", HARD, ids=str)
@pytest.mark.parametrize("missing", [False, True])
def test_hard_numbers(form, penalty, hard, missing):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = rng.choice(HARD[hard], size=(30, 2))
        if missing:
            X[rng.random(X.shape) < 0.2] = np.nan
        positive = rng.random(30) < 0.4
        candidates = oracle.stump_candidates(X, range(30))
        solution = solve(X, positive, np.ones(30), penalty, form, stump_blocks)
        check_against_twin(X, positive, np.ones(30), penalty, form, candidates, solution)
        assert not any(math.copysign(1.0, rule.threshold) < 0 for rule in solution.rules if rule.threshold == 0)


@pytest.mark.parametrize("missing", [False, True])
def test_thresholds_where_float32_merges_all_values(missing):
    rng = np.random.default_rng(0)
    values = 1.0 + 2.0**-50 * rng.permutation(300)
    X = np.column_stack([values, rng.normal(size=300), np.round(values, 15)])
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    weights = (rng.random(300) < 0.9).astype(float)
    (best,) = solve(X, values > 1.0 + 2.0**-50 * 150, weights, 1.0, "conjunction", stump_blocks, max_rules=1).steps
    assert best.rule.feature == 0


@both_forms
def test_no_column_and_no_candidate(form):
    positive = np.array([True, False, True])
    empty = np.zeros((3, 0))
    same, missing = np.ones((3, 2)), np.full((3, 2), np.nan)
    for X in (empty, same, missing):
        for blocks in (stump_blocks, histogram_blocks, packed(()), combined((), 1)):
            solution = solve(X, positive, np.ones(3), 1.0, form, blocks)
            assert solution.steps == ()
            assert solution.decided.tolist() == [0, 0, 0]


def test_a_value_is_known_is_a_rule_where_some_are_missing():
    X = np.array([[1.0], [2.0], [np.nan], [np.nan]])
    positive = np.array([True, True, False, False])
    for blocks in (stump_blocks, histogram_blocks):
        assert solve(X, positive, np.ones(4), math.inf, "conjunction", blocks).rules == (Stump(0, 2.0, False),)
        assert solve(X, positive, np.ones(4), math.inf, "disjunction", blocks).rules == (Stump(0, 2.0, False),)
        assert solve(X, ~positive, np.ones(4), math.inf, "disjunction", blocks).rules == ()


# ---- histograms


@both_forms
@pytest.mark.parametrize("bins", [2, 5, 12])
@pytest.mark.parametrize("missing", [False, True])
def test_histograms_equal_presorting_where_bins_suffice(form, bins, missing):
    for seed in range(10):
        rng = np.random.default_rng([seed, bins])
        values = np.float32(10.0 ** rng.uniform(-8, 8, size=(bins, 3)) * rng.choice([-1, 1], size=(bins, 3)))
        X = np.take_along_axis(values, rng.integers(0, bins, size=(80, 3)), axis=0).astype(float)
        if missing:
            X[rng.random(X.shape) < 0.15] = np.nan
        positive = rng.random(80) < 0.5
        weights = random_weights(rng, 80, "whole")
        for penalty in (0.5, 1.7, math.inf):
            exact = solve(X, positive, weights, penalty, form, stump_blocks)
            binned = solve(X, positive, weights, penalty, form, lambda problem: histogram_blocks(problem, bins))
            assert binned.steps == exact.steps
            assert binned.decided.tolist() == exact.decided.tolist()


@pytest.mark.parametrize("n_common", [1, 10])
def test_neighbours_get_bins_of_their_own_where_bins_suffice(n_common):
    # four values for four bins; two of them are neighbours in float32, in a column of a wide range
    low, high = 1.0, float(np.nextafter(np.float32(1.0), np.float32(2.0)))
    X = np.array([[low], [high], *[[-1e30]] * n_common, *[[1e30]] * n_common])
    positive = X[:, 0] != low
    exact = solve(X, positive, np.ones(len(X)), math.inf, "disjunction", stump_blocks)
    binned = solve(X, positive, np.ones(len(X)), math.inf, "disjunction", lambda problem: histogram_blocks(problem, 4))
    assert exact.rules == (Stump(0, low, True), Stump(0, -1e30, False))
    assert binned.rules == exact.rules


@pytest.mark.sampled(2)
@both_forms
@pytest.mark.parametrize("bins", [2, 3, 16, 255])
@pytest.mark.parametrize("spread", ["even", "wide", "heavy"])
def test_histograms_give_observed_values_and_never_promise_too_much(form, bins, spread):
    for seed in range(4):
        rng = np.random.default_rng([seed, bins])
        X = rng.normal(size=(400, 3))
        if spread == "wide":
            X = np.sign(X) * 10.0 ** (20 * X)
        if spread == "heavy":
            X = np.where(rng.random(X.shape) < 0.9, 1.0 + 1e-7 * rng.integers(0, 500, size=X.shape), 1e20 * X)
        positive = X[:, 0] + rng.normal(size=400) > 0
        X[rng.random(X.shape) < 0.1] = np.nan
        weights = random_weights(rng, 400, "whole")
        for penalty in (0.5, 1.0, math.inf):
            exact = solve(X, positive, weights, penalty, form, stump_blocks, max_rules=1)
            binned = solve(X, positive, weights, penalty, form, lambda problem: histogram_blocks(problem, bins))
            first = [steps[0].value if steps else 0.0 for steps in (binned.steps, exact.steps)]
            assert first[0] <= first[1]
            check_values_attained(X, positive, weights, penalty, form, binned)
            for rule in binned.rules:
                assert rule.threshold in X[weights > 0, rule.feature]


def check_values_attained(X, positive, weights, penalty, form, solution):
    """What each step says it gained is what its rule turns away."""
    state = oracle.Cover(X, positive, weights, penalty, form, solution.rules)
    for place, step in enumerate(solution.steps):
        gain = state.take(place)
        assert step.value == pytest.approx(float(gain.value), abs=FRACTION * weights.sum())
        assert (step.n_covered, step.n_errors) == (len(gain.covered), len(gain.errors))


@pytest.mark.parametrize("bins", [2, 7, 255])
@pytest.mark.parametrize("distribution", ["normal", "skewed", "ties"])
def test_bins_keep_the_order_and_share_the_rows(bins, distribution):
    rng = np.random.default_rng(bins)
    n = 5000
    values = {
        "normal": rng.normal(size=n),
        "skewed": np.exp(8 * rng.normal(size=n)),
        "ties": np.where(rng.random(n) < 0.5, 3.0, rng.normal(size=n)),
    }[distribution]
    problem = make_problem(Table.from_array(values[:, None]), values > 0, np.ones(n), 1.0, "conjunction")
    codes, last_bin, _ = histogram_blocks(problem, bins)[0].binned
    by_value = codes[0][np.argsort(values)].astype(int)
    assert np.all(np.diff(by_value) >= 0)
    assert by_value[0] == 0
    assert by_value[-1] == last_bin[0] < bins
    if distribution != "ties":
        assert len(np.unique(by_value)) > 0.9 * bins
    heaviest = max(np.unique(np.float32(values), return_counts=True)[1])
    assert np.bincount(by_value).max() <= 4 * n / bins + heaviest


# ---- masks


@pytest.mark.parametrize("n_rows", [1, 64, 65, 300])
@pytest.mark.parametrize("largest", [3, 40, 1000, 2**40, 2**61])
def test_planes_reproduce_the_gains(n_rows, largest):
    rng = np.random.default_rng(n_rows)
    gains = rng.integers(-largest, largest + 1, size=n_rows)
    gains[rng.random(n_rows) < 0.1] = 0
    if n_rows == 300 and largest > 1000:
        assert len(np.unique(gains)) > 64
    masks, factors = gain_planes(gains)
    assert len(masks) == len(factors) <= max(64, 2 * largest.bit_length())
    one_row = pack_bits(np.eye(n_rows, dtype=bool))
    assert oracle.held_gains(one_row, masks, factors) == gains.tolist()
    held = np.zeros(n_rows, dtype=np.int64)
    bit_kernels.held_gains(one_row, masks, factors, held)
    assert held.tolist() == gains.tolist()


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (3, 0), (2, 1), (3, 64), (3, 65), (2, 200)])
def test_bits_are_packed_as_the_twin_packs_them(shape):
    answers = np.random.default_rng(0).random(shape) < 0.5
    assert pack_bits(answers).tolist() == oracle.pack(answers).tolist()


def test_no_gain_makes_no_mask():
    masks, factors = gain_planes(np.zeros(10, dtype=np.int64))
    assert masks.shape == (0, 1)
    assert factors.shape == (0,)


# ---- gains


@pytest.mark.parametrize("penalty", [0.0, 0.5, 1.0, 3.0, 1 / 65536])
def test_whole_weights_are_not_rescaled(penalty):
    rng = np.random.default_rng(0)
    in_p, weights = rng.random(50) < 0.5, rng.integers(0, 9, size=50).astype(float)
    gains, unit = fixed_point_gains(in_p, weights, penalty)
    assert unit == 2.0**16
    assert gains.tolist() == (unit * np.where(in_p, -penalty * weights, weights)).tolist()


@pytest.mark.parametrize("penalty", [0.3, 1.7, 1e9, math.inf])
def test_a_weight_of_two_is_a_row_given_twice(penalty):
    rng = np.random.default_rng(1)
    in_p, weights = rng.random(40) < 0.5, rng.integers(0, 4, size=40).astype(float)
    repeated = np.repeat(np.arange(40), weights.astype(int))
    gains, unit = fixed_point_gains(in_p, weights, penalty)
    single, single_unit = fixed_point_gains(in_p[repeated], np.ones(len(repeated)), penalty)
    assert unit == single_unit
    sums = np.zeros(40, dtype=np.int64)
    np.add.at(sums, repeated, single)
    covered = gains[~in_p].sum()
    if penalty < 1e9:
        assert gains.tolist() == sums.tolist()
    else:  # what is forbidden outweighs everything; by how much does not matter
        assert gains[~in_p].tolist() == sums[~in_p].tolist()
        assert np.all((gains <= -covered) == (sums <= -covered))


@pytest.mark.parametrize("scale", [1e-6, 0.37, 1.0, 1e6])
@pytest.mark.parametrize("penalty", [0.0, 0.5, 1.7])
def test_gains_are_near_their_definition(scale, penalty):
    rng = np.random.default_rng(2)
    in_p, weights = rng.random(200) < 0.5, scale * rng.gamma(2.0, size=200)
    gains, unit = fixed_point_gains(in_p, weights, penalty)
    exact = np.where(in_p, -penalty * weights, weights)
    assert np.abs(gains / unit - exact).max() <= 0.51 * FINE * weights.max()


EXTREMES = {
    "one": [1.0] * 6,
    "large": [1e15] * 6,
    "large and odd": [1e15 + 1, 1e15 + 3, 1e15 + 7, 1e15 + 9, 1e15 + 11, 1.0],
    "just whole": [2.0**53, 2.0**52 + 1, 3.0, 1.0, 1.0, 2.0],
    "too large to stay whole": [1e17, 1e18, 1.0, 2.0, 3.0, 4.0],
    "real and large": [1e15 + 0.5, 0.25, 3.75, 1e12, 7.5, 0.125],
    "real and enormous": [1e200, 1.5e200, 1e180, 0.5, 1e200, 1e199],
    "tiny": [1e-200, 3e-200, 2.5e-200, 1e-200, 7e-200, 1e-201],
    "of all sizes": [1e-12, 1e12, 1.5, 1e-3, 1e6, 1e9],
    "one counts": [0.0, 0.0, 0.0, 0.5, 0.0, 0.0],
}


@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.parametrize("penalty", [0.0, 1e-9, 1.0, 1e9, 1e300, math.inf])
def test_no_sum_of_gains_overflows(name, penalty):
    weights = np.tile(EXTREMES[name], 20)
    in_p = np.arange(120) % 4 == 1
    gains, unit = fixed_point_gains(in_p, weights, penalty)
    assert math.isfinite(unit)
    assert unit > 0
    assert sum(abs(int(gain)) for gain in gains) < 2**63
    assert np.all(gains[in_p] <= 0)
    assert np.all(gains[~in_p] >= 0)
    assert np.all(gains[weights == 0] == 0)
    largest = weights[~in_p].max()
    if largest > 0:
        assert gains[~in_p].max() == pytest.approx(largest * unit, rel=0.01)


@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.parametrize("penalty", [1e300, math.inf])
def test_no_gain_makes_up_for_a_row_that_is_forbidden(name, penalty):
    weights = np.array(EXTREMES[name])
    for bits in range(1, 2**6):
        in_p = (bits >> np.arange(6)) & 1 == 1
        gains, _ = fixed_point_gains(in_p, weights, penalty)
        everything = sum(int(gain) for gain in gains[~in_p])
        assert all(everything + int(gain) <= 0 for gain in gains[in_p & (weights > 0)])


@both_forms
@every_weight
def test_a_huge_penalty_acts_as_infinity(form, kind):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, positive = random_numbers(rng, 40, 3, missing=True)
        weights = random_weights(rng, 40, kind)
        huge, infinite = (solve(X, positive, weights, penalty, form, stump_blocks) for penalty in (1e12, math.inf))
        assert huge.steps == infinite.steps


@pytest.mark.parametrize("name", ["large", "large and odd", "just whole", "real and large", "too large to stay whole"])
@pytest.mark.parametrize("penalty", [0.5, 1.0, math.inf])
@both_forms
def test_extreme_weights_steer_the_cover(name, penalty, form):
    rng = np.random.default_rng(0)
    X, positive = random_numbers(rng, 6, 2)
    positive[:2] = True, False
    weights = np.array(EXTREMES[name])
    candidates = oracle.stump_candidates(X, range(6))
    tolerance = 1e-3 * weights.sum()
    exact = oracle.greedy_cover(X, positive, weights, penalty, form, candidates, max_rules=1)
    for blocks in (stump_blocks, histogram_blocks, packed(candidates)):
        solution = solve(X, positive, weights, penalty, form, blocks, max_rules=1)
        value = sum(step.value for step in solution.steps)
        assert value == pytest.approx(float(sum(gain.value for gain in exact)), abs=tolerance)


def test_literals_come_by_column_sign_and_category():
    table, rows, positive = random_categories(np.random.default_rng(0), 30)
    problem = make_problem(table, positive, np.ones(30), 1.0, "conjunction")
    assert Literals().literals(problem, range(3)) == oracle.literal_candidates(rows, range(30))
    assert Literals(negated=False).literals(problem, [2]) == [Literal(2)]


def test_gains_do_not_depend_on_the_order_of_the_rows():
    # weights whose sum in floating point depends on its order, and one of which lies between two whole gains
    weights = np.array([0.960052168121322, 3.5, 0.5, 1.3, 3.6])
    order = np.array([4, 0, 3, 1, 2])
    gains, unit = fixed_point_gains(np.zeros(5, dtype=bool), weights, 1.0)
    permuted, permuted_unit = fixed_point_gains(np.zeros(5, dtype=bool), weights[order], 1.0)
    assert permuted.tolist() == gains[order].tolist()
    assert permuted_unit == unit
