"""Every kernel against its slow twin; the same file runs with NUMBA_DISABLE_JIT=1."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numba import njit
from tests.oracles import covering as oracle

from laconic._table import Table
from laconic.covering.families import _bit_kernels as bit_kernels
from laconic.covering.families import _kernels as kernels
from laconic.covering.families._streamed_clauses import Combinations
from laconic.covering.packed._format import column_hashes, odd_keys
from laconic.rules import Literal

SEEDS = range(6)
NEAR_ONE = 1.0 + 2.0**-50 * np.arange(600)  # all of them 1 in float32, all different in float64
TILE = 512  # rows that the key kernel reads at once


def continuous(rng, n):
    return rng.normal(size=n)


def few_values(rng, n):
    return rng.integers(-2, 3, size=n) / 4.0


def many_ties(rng, n):
    return np.where(rng.random(n) < 0.8, 0.5, rng.normal(size=n))


def one_value(rng, n):
    return np.full(n, -3.25)


def colliding(rng, n):
    return rng.choice(np.concatenate([NEAR_ONE[:5], 1e6 + 1e-4 * np.arange(5), [-1.0]]), size=n)


def with_missing(rng, n):
    return np.where(rng.random(n) < 0.3, np.nan, few_values(rng, n))


def all_missing(rng, n):
    return np.full(n, np.nan)


def zeros_of_both_signs(rng, n):
    return rng.choice([0.0, -0.0, 1e-300, -1e-300], size=n)


def subnormal(rng, n):
    return rng.choice([5e-324, -5e-324, 1e-310, -1e-310, 1e-40, -1e-40, 1.5e-45, 0.0, -0.0, 1e-38], size=n)


def huge(rng, n):
    return rng.choice([1e300, -1e300, 1.1e300, -1.1e300, 3.4e38, 3.5e38, -3.5e38, 1.7e308, 0.0], size=n)


KINDS = [
    continuous,
    few_values,
    many_ties,
    one_value,
    colliding,
    with_missing,
    all_missing,
    zeros_of_both_signs,
    subnormal,
    huge,
]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
every_seed = pytest.mark.parametrize("seed", SEEDS)


@pytest.fixture(autouse=True)
def _quiet_overflow():
    # without the JIT, numpy warns where a number is too large for float32; the key of infinity is what is meant
    with np.errstate(over="ignore"):
        yield


def some_rows(rng, n):
    return np.flatnonzero(rng.random(n) < 0.7)


def keys_of(X, rows, first=0, n_columns=1):
    keys = np.zeros((n_columns, len(rows)), dtype=np.uint32)
    n_known = np.full(n_columns, -1, dtype=np.int64)
    kernels.ordered_keys(X, rows, first, keys, n_known)
    return keys, n_known


def settled(values, rows, longest=256):
    """Presort one column as a block does, with the kernels; None where they give up."""
    (keys,), (n_known,) = keys_of(values[:, None], rows)
    words = np.sort((keys.astype(np.uint64) << np.uint64(32)) | rows.astype(np.uint64))[:n_known]
    order = np.zeros(n_known, dtype=np.uint32)
    return order if kernels.settle(words, values, order, longest) else None


def marked(groups):
    """Write groups of rows as a presorted column."""
    return [row + oracle.LAST_MARK * (row == group[-1]) for group in groups for row in group]


def presorted(columns, rows):
    """Presort columns with the twin: rows with marks, padded with what must not be read, and lengths."""
    grouped = [oracle.presorted_groups(values, rows) for values in columns]
    lengths = np.array([sum(map(len, groups)) for groups in grouped], dtype=np.int64)
    order = np.full((len(columns), len(rows)), 2**32 - 1, dtype=np.uint32)
    for j, groups in enumerate(grouped):
        order[j, : lengths[j]] = marked(groups)
    return grouped, order, lengths


def random_gains(rng, n, dtype, share_of_zeros=0.0):
    limit = 2**40 if dtype == np.int64 else 50
    gains = rng.integers(-limit, limit, size=n).astype(dtype)
    gains[rng.random(n) < share_of_zeros] = 0
    return gains


# ---- keys


@every_kind
@pytest.mark.parametrize("order", ["C", "F"])
def test_keys_equal_their_twin(kind, order):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        X = np.asarray(np.column_stack([kind(rng, 40), continuous(rng, 40), kind(rng, 40)]), order=order)
        rows = some_rows(rng, 40)
        keys, n_known = keys_of(X, rows, first=1, n_columns=2)
        expected, n_expected = oracle.ordered_keys(X, rows, 1, 2)
        assert keys.tolist() == expected
        assert n_known.tolist() == n_expected


@every_kind
def test_keys_never_contradict_the_order_of_the_values(kind):
    rng = np.random.default_rng(1)
    values = kind(rng, 30)
    (keys,), _ = keys_of(values[:, None], np.arange(30))
    for i, j in itertools.product(range(30), repeat=2):
        if values[i] == values[j]:
            assert keys[i] == keys[j]
        elif values[i] < values[j]:
            assert keys[i] <= keys[j]
    assert (keys == oracle.MISSING_KEY).tolist() == np.isnan(values).tolist()


@pytest.mark.parametrize("n", [0, 1, TILE - 1, TILE, TILE + 1, 2 * TILE + 3])
def test_keys_of_any_number_of_rows(n):
    rng = np.random.default_rng(n)
    X = with_missing(rng, 2 * n).reshape(n, 2)
    keys, n_known = keys_of(X, np.arange(n), n_columns=2)
    expected, n_expected = oracle.ordered_keys(X, range(n), 0, 2)
    assert keys.tolist() == expected
    assert n_known.tolist() == n_expected


def test_keys_of_no_columns():
    keys, n_known = keys_of(np.zeros((3, 0)), np.arange(3), n_columns=0)
    assert keys.shape == (0, 3)
    assert n_known.shape == (0,)


# ---- presorting


@every_kind
def test_settled_columns_equal_their_twin(kind):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        values = kind(rng, 60)
        rows = some_rows(rng, 60)
        order = settled(values, rows)
        assert oracle.groups_of(order) == oracle.presorted_groups(values, rows)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_settle_a_few_rows(n):
    for values in itertools.product([1.0, 1.0 + 2.0**-50, np.nan], repeat=n):
        order = settled(np.array(values), np.arange(n))
        assert oracle.groups_of(order) == oracle.presorted_groups(values, range(n))


def test_settle_gives_up_after_too_many_moves():
    values = NEAR_ONE[:40][::-1].copy()  # backwards: 40·39/2 moves
    rows = np.arange(40)
    n_moves = 40 * 39 // 2
    assert settled(values, rows, longest=n_moves - 1) is None
    assert oracle.groups_of(settled(values, rows, longest=n_moves)) == oracle.presorted_groups(values, rows)


def test_settle_counts_moves_for_each_key_alone():
    values = np.concatenate([NEAR_ONE[:20][::-1], 2.0 * NEAR_ONE[:20][::-1]])
    rows = np.arange(40)
    order = settled(values, rows, longest=20 * 19 // 2)
    assert oracle.groups_of(order) == oracle.presorted_groups(values, rows)


def test_settle_is_not_stopped_by_ties_nor_by_order():
    rows = np.arange(600)
    for values in (np.full(600, 1.5), NEAR_ONE):
        assert oracle.groups_of(settled(values, rows, longest=0)) == oracle.presorted_groups(values, rows)


# ---- forgetting rows


def compacted(order, lengths, gains, in_place):
    kept = order if in_place else np.full((len(lengths), np.count_nonzero(gains) + 2), 2**32 - 1, dtype=np.uint32)
    kept_lengths = np.full_like(lengths, -1)
    kernels.compact_columns(order, lengths, gains, int(kernels.LAST), kept, kept_lengths)
    return kept, kept_lengths


@pytest.mark.sampled(2)
@every_kind
@pytest.mark.parametrize("share", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("in_place", [False, True])
def test_compacted_columns_keep_every_answer(kind, share, in_place):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        columns = [kind(rng, 30) for _ in range(3)]
        grouped, order, lengths = presorted(columns, some_rows(rng, 30))
        gains = rng.integers(-3, 4, size=30).astype(np.int32)
        for _ in range(3):  # rows go little by little, and columns are rewritten again and again
            gains[rng.random(30) < share] = 0
            order, lengths = compacted(order, lengths, gains, in_place)
            for j, values in enumerate(columns):
                fewer = oracle.groups_of(order[j, : lengths[j]])
                expected = oracle.column_summary(grouped[j], gains, values)
                assert oracle.column_summary(fewer, gains, values) == expected
                assert lengths[j] <= np.count_nonzero(gains) + 2


@pytest.mark.parametrize("n_rows", [0, 1, 2, 3])
def test_compact_every_short_column(n_rows):
    for values in itertools.product([0.0, 1.0, 2.0], repeat=n_rows):
        for gains in itertools.product([0, -1, 2], repeat=n_rows):
            gains = np.array(gains, dtype=np.int64)
            (groups,), order, lengths = presorted([values], range(n_rows))
            kept, kept_lengths = compacted(order, lengths, gains, in_place=False)
            fewer = oracle.groups_of(kept[0, : kept_lengths[0]])
            expected = oracle.column_summary(groups, gains, values)
            assert oracle.column_summary(fewer, gains, values) == expected


# ---- bins


def random_keys(rng, n):
    keys = rng.choice(rng.integers(2**31, 2**31 + 5000, size=12), size=n).astype(np.uint32)
    known = keys.copy()
    keys[rng.random(n) < 0.2] = oracle.MISSING_KEY
    return keys, int(known.min(initial=2**32 - 2)), int(known.max(initial=0))


@every_seed
@pytest.mark.parametrize("shift", [0, 3, 9])
@pytest.mark.parametrize("n", [0, 1, 60])
def test_buckets_equal_their_twins(seed, shift, n):
    rng = np.random.default_rng(seed)
    keys, lowest, highest = random_keys(rng, n)
    n_buckets = max((highest - lowest) >> shift, 0) + 1
    counts = np.zeros(n_buckets, dtype=np.int64)
    kernels.count_buckets(keys, lowest, shift, counts)
    expected = oracle.count_buckets(keys, lowest, shift, n_buckets)
    assert counts.tolist() == expected
    for heavy in (counts > 0, counts > 2, np.zeros(n_buckets, dtype=bool)):
        for ordered in (keys, np.sort(keys), np.sort(keys)[::-1].copy()):
            seen = np.zeros(n_buckets, dtype=np.uint32)
            mixed = kernels.has_mixed_bucket(ordered, lowest, shift, heavy, seen)
            assert mixed == oracle.has_mixed_bucket(keys, lowest, shift, heavy)
    bins = rng.integers(0, 255, size=n_buckets).astype(np.uint8)
    codes = np.zeros(n, dtype=np.uint8)
    kernels.code_keys(keys, lowest, shift, bins, codes)
    assert codes.tolist() == oracle.code_keys(keys, lowest, shift, bins)


def test_buckets_reach_from_the_smallest_key_to_the_largest():
    (keys,), _ = keys_of(np.array([[-1.7e308], [-1.0], [-0.0], [0.0], [1.0], [np.nan], [1.7e308]]), np.arange(7))
    lowest, highest = int(keys.min()), int(keys[keys != oracle.MISSING_KEY].max())
    shift = max((highest - lowest).bit_length() - 16, 0)
    counts = np.zeros(((highest - lowest) >> shift) + 1, dtype=np.int64)
    kernels.count_buckets(keys, lowest, shift, counts)
    codes = np.zeros(7, dtype=np.uint8)
    kernels.code_keys(keys, lowest, shift, (np.cumsum(counts > 0) - 1).astype(np.uint8), codes)
    assert counts.sum() == 6
    assert codes.tolist() == [0, 1, 2, 2, 3, kernels.MISSING, 4]


@every_seed
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("n_columns", "n_rows"), [(3, 50), (9, 50), (0, 5), (4, 0)])
def test_histograms_equal_their_twin(seed, sign, n_columns, n_rows):
    rng = np.random.default_rng(seed)
    codes = rng.choice(np.array([0, 1, 7, 254, 255], dtype=np.uint8), size=(n_columns, n_rows))
    histograms = rng.integers(-9, 9, size=(n_columns, 256, 2))
    positions = some_rows(rng, n_rows)
    gains = random_gains(rng, n_rows, np.int64)
    expected = oracle.add_to_histograms(codes, positions, gains, sign, histograms)
    kernels.add_to_histograms(codes, positions, gains, sign, histograms)
    assert histograms.tolist() == expected


@every_seed
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("n_columns", "n_rows"), [(3, 50), (0, 5), (2, 0)])
def test_sums_by_code_equal_their_twin(seed, sign, n_columns, n_rows):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 40, size=(n_columns, n_rows))
    sums = rng.integers(-9, 9, size=40)
    positions = some_rows(rng, n_rows)
    gains = random_gains(rng, n_rows, np.int64)
    expected = oracle.add_by_code(codes, positions, gains, sign, sums)
    kernels.add_by_code(codes, positions, gains, sign, sums)
    assert sums.tolist() == expected


# ---- packed bits


@njit
def count_bits(words, counts):
    # a processor's instruction can be called from compiled code alone
    for i in range(len(words)):
        counts[i] = bit_kernels.popcount(words[i])


def test_popcount_equals_its_twin():
    rng = np.random.default_rng(0)
    words = np.concatenate(
        [
            rng.integers(0, 2**64, size=50, dtype=np.uint64),
            np.array([0, 1, 2**63, 2**64 - 1, 2**32, 2**32 - 1], dtype=np.uint64),
        ]
    )
    counts = np.zeros(len(words), dtype=np.int64)
    count_bits(words, counts)
    assert counts.tolist() == [oracle.popcount(word) for word in words]


@every_seed
@pytest.mark.parametrize(("n_rules", "n_rows", "n_masks"), [(5, 130, 3), (4, 64, 1), (0, 10, 2), (3, 0, 2), (3, 20, 0)])
def test_held_gains_equal_their_twin(seed, n_rules, n_rows, n_masks):
    rng = np.random.default_rng(seed)
    bits = oracle.pack(rng.random((n_rules, n_rows)) < 0.4)
    masks = oracle.pack(rng.random((n_masks, n_rows)) < 0.5)
    factors = rng.integers(-(2**50), 2**50, size=n_masks)
    values = np.zeros(n_rules, dtype=np.int64)
    bit_kernels.held_gains(bits, masks, factors, values)
    assert values.tolist() == oracle.held_gains(bits, masks, factors)


@pytest.mark.parametrize("n_words", range(1, 20))
def test_least_and_most_are_those_of_all_columns(n_words):
    rng = np.random.default_rng(n_words)
    bits = rng.integers(0, 2**64, size=(600, n_words), dtype=np.uint64)
    masks = rng.integers(0, 2**64, size=(2 + n_words % 2, n_words), dtype=np.uint64)
    factors = rng.integers(-2, 3, size=len(masks))  # so that many columns tie
    held = oracle.held_gains(bits, masks, factors)
    least, most = min(held), max(held)
    expected = least, held.index(least), most, held.index(most)
    assert bit_kernels.least_and_most(bits, masks, factors) == expected


@every_seed
def test_sums_of_rows_equal_their_twin(seed):
    rng = np.random.default_rng(seed)
    bits = oracle.pack(rng.random((7, 130)) < 0.4)
    amounts, totals = rng.integers(0, 2**64, size=7, dtype=np.uint64), np.zeros(130, dtype=np.uint64)
    with np.errstate(over="ignore"):
        bit_kernels.add_to_rows(bits, amounts, totals)
    assert totals.tolist() == oracle.add_to_rows(bits, amounts, 130)


@every_seed
def test_hashes_of_columns_equal_their_twin(seed):
    rng = np.random.default_rng(seed)
    bits, keys = rng.integers(0, 2**64, size=(4, 3), dtype=np.uint64), odd_keys(3)
    mask = rng.integers(0, 2**64, size=3, dtype=np.uint64)
    assert all(key % 2 == 1 for key in keys.tolist())
    assert column_hashes(bits, mask).tolist() == oracle.hash_columns(bits, mask, keys)


@pytest.mark.sampled(2)
@every_seed
@pytest.mark.parametrize("any_holds", [True, False])
@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("n_rows", [9, 70])
def test_best_combinations_equal_their_twin(seed, any_holds, size, n_rows):
    rng = np.random.default_rng(seed)
    answers = rng.random((7, n_rows)) < 0.5
    columns = np.array([0, 0, 1, 2, 2, 2, 3])
    gains = rng.choice([-2, 1, 5], size=n_rows)
    different = np.unique(gains)
    masks, factors = oracle.pack(gains[None, :] == different[:, None]), different.astype(np.int64)
    value, chosen = bit_kernels.best_combination(
        oracle.pack(answers), columns, size, any_holds, masks, factors, int(gains.sum()), False
    )
    assert (value, tuple(chosen)) == oracle.best_combination(answers, columns, size, any_holds, gains)
    value, chosen = bit_kernels.best_combination(
        oracle.pack(answers), columns, size, any_holds, masks, factors, int(gains.sum()), True
    )
    valued = oracle.valued_combinations(answers, columns, size, any_holds, gains)
    first = next(((value, chosen) for value, chosen in valued if value > 0), (0, (-1,) * size))
    assert (value, tuple(chosen)) == first


@every_seed
@pytest.mark.parametrize("any_holds", [True, False])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_gains_of_combinations_equal_their_twin(seed, any_holds, size):
    """Each run of first literals, and which combination stands where in it."""
    rng = np.random.default_rng(seed)
    n_rows = 70
    table = Table.from_array(rng.integers(0, 2, size=(n_rows, 4)).astype(float))
    literals = tuple(Literal(column, negated) for column in range(4) for negated in (False, True))
    every = Combinations(literals, size)
    gains = rng.choice([-2, 0, 1, 5], size=n_rows)
    answers = [literal.holds(table) for literal in literals]
    twin = list(oracle.valued_combinations(answers, every.columns, size, any_holds, gains))
    total = int(gains.sum()) if any_holds else 0
    found = []
    for most in (1, 5, 10**6):
        runs = list(every.runs(most))
        assert [first for run in runs for first in run] == list(range(len(literals) - size + 1))
        values = [every.gains(run, table, gains, any_holds) for run in runs]
        found = [
            (total - int(value) if any_holds else int(value), tuple(every.at(run, place).tolist()))
            for run, held in zip(runs, values, strict=True)
            for place, value in enumerate(held)
        ]
        assert found == twin


@pytest.mark.sampled(2)
@every_seed
@pytest.mark.parametrize("any_holds", [True, False])
@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("limit", [0, 2, 100])
def test_consistent_combinations_equal_their_twin(seed, any_holds, size, limit):
    rng = np.random.default_rng(seed)
    answers = rng.random((7, 80)) < 0.5
    columns = np.array([0, 0, 1, 2, 2, 2, 3])
    kept = rng.random(80) < 0.05
    found = np.empty((limit, size), dtype=np.int64)
    n_found = bit_kernels.consistent_combinations(
        oracle.pack(answers), columns, any_holds, oracle.pack(kept[None, :])[0], found
    )
    valued = oracle.valued_combinations(answers, columns, size, any_holds, kept)
    expected = [chosen for turned_away, chosen in valued if turned_away == 0]
    assert n_found == len(expected)
    assert list(map(tuple, found[:n_found])) == expected[:limit]


@pytest.mark.parametrize("any_holds", [True, False])
@pytest.mark.parametrize(
    ("columns", "size"),
    [((), 1), ((0,), 2), ((0, 0, 0), 2), ((0, 1, 0, 1), 3)],
    ids=["no literals", "too few literals", "one column", "too few columns"],
)
def test_no_combination_is_found_where_there_is_none(any_holds, columns, size):
    answers = np.ones((len(columns), 5), dtype=bool)
    masks, factors = oracle.pack(np.ones((1, 5), dtype=bool)), np.array([3])
    where = np.array(columns, dtype=np.int64)
    value, chosen = bit_kernels.best_combination(
        oracle.pack(answers), where, size, any_holds, masks, factors, 15, False
    )
    assert oracle.best_combination(answers, columns, size, any_holds, [3] * 5) is None
    assert value == kernels.NO_CANDIDATE
    assert chosen.tolist() == [-1] * size


@pytest.mark.parametrize("any_holds", [True, False])
def test_the_first_of_equal_combinations_is_given(any_holds):
    answers = np.ones((5, 10), dtype=bool)
    masks, factors = oracle.pack(np.ones((1, 10), dtype=bool)), np.array([1])
    columns = np.array([0, 0, 1, 1, 2])
    _, chosen = bit_kernels.best_combination(oracle.pack(answers), columns, 3, any_holds, masks, factors, 10, False)
    assert chosen.tolist() == [0, 2, 4]
