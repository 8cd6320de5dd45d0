"""Slow and obvious twins of the covering machine: the definitions, in plain Python and exact arithmetic."""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from laconic.rules import Clause, Literal, Stump, Term

MISSING_KEY = 2**32 - 1
LAST_MARK = 2**31

# ---- kernels: keys


def ordered_key(value):
    """The bits of the nearest float32, moved so that they order as numbers do; the largest key where missing."""
    if math.isnan(value):
        return MISSING_KEY
    with np.errstate(over="ignore"):
        single = np.float32(value + 0.0)
    (bits,) = struct.unpack("<I", struct.pack("<f", single))
    is_negative = bits >= 2**31
    return 2**32 - 1 - bits if is_negative else 2**31 + bits


def ordered_keys(X, rows, first, n_columns):
    """Keys of some columns, and how many values each column has."""
    keys = [[ordered_key(float(X[row, first + j])) for row in rows] for j in range(n_columns)]
    return keys, [sum(key != MISSING_KEY for key in column) for column in keys]


# ---- kernels: presorted columns, as lists of groups of rows that have equal values


def presorted_groups(values, rows):
    """The rows that have a value, in order of value, those of equal value together (and by row)."""
    known = [float(values[row]) for row in rows if not math.isnan(values[row])]
    return [sorted(int(row) for row in rows if values[row] == value) for value in sorted(set(known))]


def groups_of(order):
    """Read a presorted column: 31 bits are a row, the top bit ends a group."""
    groups, group = [], []
    for entry in map(int, order):
        group.append(entry % LAST_MARK)
        if entry >= LAST_MARK:
            groups.append(sorted(group))
            group = []
    assert not group, "the last row of a column must end its group"
    return groups


def gains_up_to(groups, gains):
    """For each group the sum of the gains in it and before it."""
    return [sum(int(gains[row]) for group in groups[: i + 1] for row in group) for i in range(len(groups))]


def scan_column(groups, gains):
    """The highest and the lowest gain at or below a threshold (None where there is none) and that of all rows."""
    sums = gains_up_to(groups, gains)
    thresholds = sums[:-1]
    return max(thresholds, default=None), min(thresholds, default=None), sums[-1] if sums else 0


def first_threshold(groups, gains, wanted):
    """The number of the first group up to which the gains sum to what is wanted, or None."""
    return next((i for i, gain in enumerate(gains_up_to(groups, gains)) if gain == wanted), None)


def column_summary(groups, gains, values):
    """All that a search reads off a column: the three gains, the smallest thresholds that attain two of them, the top.

    Dropping rows without gain from a presorted column must leave this as it is.
    """
    highest, lowest, total = scan_column(groups, gains)
    smallest = [
        None if wanted is None else float(values[groups[first_threshold(groups, gains, wanted)][0]])
        for wanted in (highest, lowest)
    ]
    return highest, lowest, total, *smallest, float(values[groups[-1][0]]) if groups else None


def best_in_bin(X, gains, codes, j, code, any_holds):
    """Of all thresholds that rows of one bin have: the highest value, and the first candidate that has it."""
    rows = range(len(gains))
    inside = {float(X[i, j]) + 0.0 for i in rows if codes[j][i] == code}
    best = None
    for rule in stump_candidates(X[:, [j]], rows):
        if rule.threshold in inside:
            value = sum(int(gains[i]) for i in rows if holds(rule, X[i, [j]]) == any_holds)
            if best is None or value > best[0]:
                best = value, rule.threshold, rule.greater
    return best


# ---- kernels: bins


def bucket(key, lowest, shift):
    return (int(key) - lowest) // 2**shift


def count_buckets(keys, lowest, shift, n_buckets):
    found = [bucket(key, lowest, shift) for key in keys if key != MISSING_KEY]
    return [found.count(b) for b in range(n_buckets)]


def has_mixed_bucket(keys, lowest, shift, heavy):
    held = {}
    for key in keys:
        if key != MISSING_KEY:
            held.setdefault(bucket(key, lowest, shift), set()).add(int(key))
    return any(heavy[b] and len(different) > 1 for b, different in held.items())


def code_keys(keys, lowest, shift, bin_of_bucket):
    return [255 if key == MISSING_KEY else int(bin_of_bucket[bucket(key, lowest, shift)]) for key in keys]


def add_to_histograms(codes, positions, gains, sign, histograms):
    """In each bin the gains from zero up, and those below."""
    added = [[[int(entry) for entry in both] for both in histogram] for histogram in histograms]
    for j, column in enumerate(codes):
        for i in positions:
            added[j][column[i]][int(gains[i] < 0)] += sign * int(gains[i])
    return added


def add_by_code(codes, positions, gains, sign, sums):
    added = [int(entry) for entry in sums]
    for column in codes:
        for i in positions:
            added[column[i]] += sign * int(gains[i])
    return added


# ---- kernels: packed bits


def popcount(word):
    return bin(int(word)).count("1")


def pack(answers):
    """Booleans to words: row i is bit i mod 64 of word i div 64."""
    n_words = -(-answers.shape[1] // 64)
    words = np.zeros((answers.shape[0], n_words), dtype=np.uint64)
    for j, i in np.argwhere(answers):
        words[j, i // 64] |= np.uint64(2 ** (int(i) % 64))
    return words


def held_gains(bits, masks, factors):
    return [
        sum(
            int(factor) * sum(popcount(int(a) & int(b)) for a, b in zip(answers, mask, strict=True))
            for mask, factor in zip(masks, factors, strict=True)
        )
        for answers in bits
    ]


def hash_columns(bits, mask, keys):
    """The sum over words of (word, its upper half folded onto its lower) times a key, below 2^64."""

    def folded(word):
        return word ^ (word >> 32)

    return [
        sum(folded(int(word) & int(some)) * int(key) for word, some, key in zip(column, mask, keys, strict=True))
        % 2**64
        for column in bits
    ]


def add_to_rows(bits, amounts, n_rows):
    """For each row the sum, below 2^64, of the amounts of the columns that it has."""
    return [
        sum(int(amount) for column, amount in zip(bits, amounts, strict=True) if int(column[row // 64]) >> row % 64 & 1)
        % 2**64
        for row in range(n_rows)
    ]


def valued_combinations(answers, columns, size, any_holds, gains):
    """All sets of literals of different columns, each with the gain of the rows that it turns away."""
    for chosen in combinations(range(len(answers)), size):
        if len({columns[i] for i in chosen}) == size:
            held = [(any if any_holds else all)(answers[i][row] for i in chosen) for row in range(len(gains))]
            yield sum(int(gain) for gain, holds in zip(gains, held, strict=True) if holds != any_holds), chosen


def best_combination(answers, columns, size, any_holds, gains):
    """The highest value among all sets of literals of different columns, and the first set that has it."""
    valued = list(valued_combinations(answers, columns, size, any_holds, gains))
    return max(valued, key=lambda entry: entry[0]) if valued else None


# ---- rules, asked one row at a time


def is_missing(value):
    return value is None or (isinstance(value, float) and math.isnan(value))


def holds(rule, row):
    """Whether a rule holds on a row; a missing value satisfies nothing."""
    if isinstance(rule, Clause):
        return any(holds(literal, row) for literal in rule.literals)
    if isinstance(rule, Term):
        return all(holds(literal, row) for literal in rule.literals)
    value = row[rule.feature]
    if is_missing(value):
        return False
    if isinstance(rule, Stump):
        return bool(value > rule.threshold if rule.greater else value <= rule.threshold)
    return bool(value == (1 if rule.category is None else rule.category)) != rule.negated


# ---- candidates, in the order in which ties are broken


def stump_candidates(X, rows):
    """Every threshold that one of the rows has, but for the largest value of a column.

    Where values are missing, "at most the largest value" says that there is one, and is a candidate too.
    """
    made = []
    for column in range(np.shape(X)[1]):
        values = [float(X[row][column]) for row in rows]
        known = sorted({value + 0.0 for value in values if not math.isnan(value)})
        made += [Stump(column, threshold, greater) for threshold in known[:-1] for greater in (True, False)]
        if known and any(map(math.isnan, values)):
            made.append(Stump(column, known[-1], False))
    return made


def literal_candidates(X, rows, negated=True):
    """The flag of each column of numbers, or each category that one of the rows has; plain before negated."""
    made = []
    for column in range(len(X[0])):
        known = {X[row][column] for row in rows if not is_missing(X[row][column])}
        is_category = any(isinstance(row[column], str) for row in X)
        for sign in (False, True) if negated else (False,):
            made += [Literal(column, sign, c) for c in (sorted(known, key=str) if is_category else [None])]
    return made


def clause_candidates(X, rows, k, form, negated=True):
    """One literal, then two, and so on up to k, of different columns, in lexicographic order."""
    literals = literal_candidates(X, rows, negated)
    make = Clause if form == "conjunction" else Term
    return [
        make(chosen)
        for size in range(1, k + 1)
        for chosen in combinations(literals, size)
        if len({literal.feature for literal in chosen}) == size
    ]


# ---- the greedy cover (paper 1, section 4)


class Gain(NamedTuple):
    """What one step chose: the rule, its exact value, and the rows of N and of P that it newly turned away."""

    rule: object
    value: Fraction
    covered: tuple
    errors: tuple


class Cover:
    """The state of a greedy cover: which rows are still there, and what each candidate would be worth."""

    def __init__(self, X, positive, weights, penalty, form, candidates):
        any_holds = form == "disjunction"
        self.in_p = [bool(label) != any_holds for label in positive]
        self.forbids = math.isinf(penalty)
        cost = Fraction(0) if self.forbids else Fraction(penalty)
        exact = [Fraction(float(weight)) for weight in weights]
        self.gains = [-cost * weight if p else weight for p, weight in zip(self.in_p, exact, strict=True)]
        self.forbidden = frozenset(i for i, p in enumerate(self.in_p) if p and self.forbids and exact[i] > 0)
        self.candidates = list(candidates)
        # a rule of a conjunction turns away the rows where it fails, one of a disjunction those where it holds
        self.turned_away = [
            frozenset(i for i, row in enumerate(X) if holds(rule, row) == any_holds) for rule in self.candidates
        ]
        self.left = frozenset(range(len(self.in_p)))

    def newly_turned_away(self):
        """For each candidate the rows that it would turn away now."""
        return [away & self.left for away in self.turned_away]

    def values(self):
        """For each candidate the weight of N minus the penalty times the weight of P; None where it is forbidden."""
        return [
            None if away & self.forbidden else sum((self.gains[i] for i in away), Fraction(0))
            for away in self.newly_turned_away()
        ]

    def best(self):
        """The place of the first candidate of the highest value, and that value; None twice where there is none."""
        best, highest = None, None
        for place, value in enumerate(self.values()):
            if value is not None and (highest is None or value > highest):
                best, highest = place, value
        return best, highest

    def take(self, place):
        """Choose a candidate and drop what it turns away."""
        away = sorted(self.turned_away[place] & self.left)
        value = None if set(away) & self.forbidden else sum((self.gains[i] for i in away), Fraction(0))
        covered = tuple(i for i in away if not self.in_p[i])
        errors = tuple(i for i in away if self.in_p[i])
        self.left -= frozenset(away)
        return Gain(self.candidates[place], value, covered, errors)


def greedy_cover(X, positive, weights, penalty, form, candidates, max_rules=None):
    """Take the candidate of the highest value, again and again, until none has a positive one."""
    state = Cover(X, positive, weights, penalty, form, candidates)
    steps = []
    while max_rules is None or len(steps) < max_rules:
        place, value = state.best()
        if place is None or value <= 0:
            break
        steps.append(state.take(place))
    return steps


# ---- another program's greedy cover of stumps


class PeerStep(NamedTuple):
    """One step of the peer, and whether it is one that every greedy cover must take."""

    rule: Stump
    utility: Fraction
    unique: bool  # all candidates of this utility turn away the same rows
    trivial: bool  # it turns away all rows that are left, or none


def merged_thresholds(values, tolerance=1e-7):
    """The different values; of neighbours nearer than the tolerance only the last."""
    ordered = sorted(float(value) for value in values)
    return [value for value, following in pairwise([*ordered, math.inf]) if following - value > tolerance]


def pyscm_rules(X, y, p, model_type, max_rules):
    """The steps of pyscm: utility N − p·P̄ on what is left, then the first maximum of N − P̄, whatever its sign."""
    conjunction = model_type == "conjunction"
    penalty = Fraction(p)
    left = frozenset(range(len(y)))
    stumps, turned_away = [], []
    for column in range(X.shape[1]):
        for threshold in merged_thresholds(X[:, column]):
            below = frozenset(i for i in left if X[i, column] <= threshold)
            for greater in (True, False):
                stumps.append(Stump(column, threshold, greater))
                turned_away.append(below if greater == conjunction else left - below)
    to_cover = frozenset(i for i in left if bool(y[i]) != conjunction)
    steps = []
    while len(steps) < max_rules and left & to_cover:
        away = [rows & left for rows in turned_away]
        n_covered = [len(rows & to_cover) for rows in away]
        n_errors = [len(rows - to_cover) for rows in away]
        utility = [n - penalty * e for n, e in zip(n_covered, n_errors, strict=True)]
        highest = max(utility)
        best = [i for i in range(len(stumps)) if utility[i] == highest]
        chosen = max(best, key=lambda i: (n_covered[i] - n_errors[i], -i))
        unique = len({away[i] for i in best}) == 1
        steps.append(PeerStep(stumps[chosen], utility[chosen], unique, len(away[chosen]) in (0, len(left))))
        left -= away[chosen]
    return steps
