from __future__ import annotations

import itertools
import math
from functools import cache

import mpmath as mp
import numpy as np
import pytest

from laconic.certificates import (
    ln_conjunctions,
    ln_decision_lists,
    ln_normal_forms,
    ln_term_normal_forms,
    occam_sample_size,
)

COMPLETE, TERNARY = (0, 1), (0, 1, None)
SMALL = [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3)]


# --- All formulas over few columns. A function is the set of rows where it holds, as the bits of a whole number ------


def rows_of(n, values):
    return list(itertools.product(values, repeat=n))


def literal(n, values, column, wanted):
    """Where a column has the wanted value; a missing one has none."""
    return sum(1 << i for i, row in enumerate(rows_of(n, values)) if row[column] == wanted)


def everywhere(n, values):
    return (1 << len(values) ** n) - 1


def pieces(n, k, values, join, monotone=False):
    """All clauses (or) or terms (and) of 1 to k different columns."""
    for size in range(1, min(k, n) + 1):
        for columns in itertools.combinations(range(n), size):
            for wanted in itertools.product((1,) if monotone else (0, 1), repeat=size):
                yield join(literal(n, values, *pair) for pair in zip(columns, wanted, strict=True))


def any_of(masks):
    total = 0
    for mask in masks:
        total |= mask
    return total


def all_of(masks):
    total = -1
    for mask in masks:
        total &= mask
    return total


def all_cnf(n, k, values, monotone=False):
    found = {everywhere(n, values)}
    for clause in pieces(n, k, values, any_of, monotone):
        found |= {function & clause for function in found}
    return found


def all_dnf(n, k, values, monotone=False):
    found = {0}
    for term in pieces(n, k, values, all_of, monotone):
        found |= {function | term for function in found}
    return found


@cache
def all_lists(n, k, values):
    """A list is a default, or a rule with a list behind it."""
    terms = set(pieces(n, k, values, all_of))
    found = new = {0, everywhere(n, values)}
    while new:
        longer = {behind & ~term for term in terms for behind in new} | {
            behind | term for term in terms for behind in new
        }
        new = longer - found
        found = found | new
    return found


def all_term_dnf(n, k, values):
    terms = {everywhere(n, values), *pieces(n, n, values, all_of)}
    found = {0}
    for _ in range(k):
        found |= {function | term for function in found for term in terms}
    return found


def assert_covers(ln_count, functions):
    assert ln_count >= math.log(len(functions)) * (1 - 1e-15)


def assert_exact(ln_count, functions):
    assert ln_count == pytest.approx(math.log(len(functions)), rel=1e-14)


# --- Conjunctions and disjunctions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [COMPLETE, TERNARY])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_conjunctions_are_counted_exactly(n, values):
    assert_exact(ln_conjunctions(n), all_cnf(n, 1, values))
    assert_exact(ln_conjunctions(n, monotone=True), all_cnf(n, 1, values, monotone=True))
    assert_exact(ln_conjunctions(n, monotone=True), all_dnf(n, 1, values, monotone=True))


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_disjunctions_are_as_many_unless_values_are_missing(n):
    assert_exact(ln_conjunctions(n), all_dnf(n, 1, COMPLETE))
    with_gaps = all_dnf(n, 1, TERNARY)
    assert len(with_gaps) == 4**n
    assert_exact(ln_normal_forms(n, 1, missing=True, form="dnf"), with_gaps | {everywhere(n, TERNARY)})


@pytest.mark.parametrize("n", [1, 30, 646, 10**4, 10**9])
def test_conjunctions_of_many_columns(n):
    with mp.workdps(50):
        assert ln_conjunctions(n, monotone=True) == pytest.approx(float(n * mp.log(2)), rel=1e-15)
        assert ln_conjunctions(n) == pytest.approx(float(n * mp.log(3) + mp.log1p(mp.mpf(3) ** -n)), rel=1e-15)


# --- Normal forms ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "k"), [*SMALL, (4, 1), (4, 2), (4, 3), (4, 4)])
def test_normal_forms_cover_all_formulas_on_complete_rows(n, k):
    functions = all_cnf(n, k, COMPLETE)
    assert len(all_dnf(n, k, COMPLETE)) == len(functions)
    assert ln_normal_forms(n, k, form="dnf") == ln_normal_forms(n, k)
    assert_covers(ln_normal_forms(n, k), functions)
    if k == 1 or k >= n:
        assert_exact(ln_normal_forms(n, k), functions)


@pytest.mark.parametrize(("n", "k"), [*SMALL, (4, 2)])
def test_a_cnf_with_missing_values_is_known_from_complete_rows(n, k):
    functions = all_cnf(n, k, TERNARY)
    assert len(functions) == len(all_cnf(n, k, COMPLETE))
    assert ln_normal_forms(n, k, missing=True) == ln_normal_forms(n, k)
    # It holds for a row with gaps exactly where it holds however they are filled.
    rows = rows_of(n, TERNARY)
    at = {row: i for i, row in enumerate(rows)}
    for function in list(functions)[:200]:
        for i, row in enumerate(rows):
            filled = itertools.product(*[(value,) if value is not None else (0, 1) for value in row])
            assert (function >> i & 1) == all(function >> at[full] & 1 for full in filled)


@pytest.mark.parametrize("n", [2, 3])
def test_longer_clauses_say_a_shorter_one_with_missing_values_too(n):
    clauses = [0, *pieces(n - 1, n - 1, TERNARY, any_of)]
    x, not_x = (literal(n, TERNARY, 0, wanted) for wanted in (1, 0))
    rest = rows_of(n - 1, TERNARY)
    for clause in clauses:
        # The same clause, with one more column before its own.
        wider = sum((clause >> rest.index(row[1:]) & 1) << i for i, row in enumerate(rows_of(n, TERNARY)))
        assert (wider | x) & (wider | not_x) == wider
    assert all_of(c for c in pieces(n, n, TERNARY, any_of)) == 0


@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2)])
def test_a_dnf_with_missing_values_is_one_of_more(n, k):
    functions = all_dnf(n, k, TERNARY) | {everywhere(n, TERNARY)}
    assert len(functions) > len(all_dnf(n, k, COMPLETE))
    assert_covers(ln_normal_forms(n, k, missing=True, form="dnf"), functions)
    if n > 1:  # the dual of the CNF would promise too much
        assert ln_normal_forms(n, k) < math.log(len(functions))


@pytest.mark.parametrize("values", [COMPLETE, TERNARY])
@pytest.mark.parametrize("form", ["cnf", "dnf"])
@pytest.mark.parametrize(("n", "k"), [*SMALL, (4, 1), (4, 2), (4, 3), (4, 4)])
def test_monotone_normal_forms(n, k, form, values):
    functions = (all_cnf if form == "cnf" else all_dnf)(n, k, values, monotone=True)
    ln_count = ln_normal_forms(n, k, monotone=True, missing=values is TERNARY, form=form)
    assert_covers(ln_count, functions)
    if k <= 2:
        assert_exact(ln_count, functions)


def test_monotone_two_cnf_of_five_columns():
    assert_exact(ln_normal_forms(5, 2, monotone=True), all_cnf(5, 2, COMPLETE, monotone=True))


def relations_oracle(k):
    """Subsets of {0, 1}^k in which every column takes both values."""
    rows = rows_of(k, COMPLETE)
    count = 0
    for chosen in range(1, 1 << len(rows)):
        inside = [row for i, row in enumerate(rows) if chosen >> i & 1]
        count += all(len({row[column] for row in inside}) == 2 for column in range(k))
    return count


def test_relations():
    assert [relations_oracle(k) for k in range(4)] == [1, 1, 7, 193]


def cnf_oracle(n, k):
    """The formula as printed, and the looser one beside it."""
    k = min(k, n)
    size = {0: 1, 1: 1, 2: 7, 3: 193, 4: 63775}
    with mp.workdps(50):
        total = mp.mpf(1)
        for j in range(n + 1):
            ways = mp.binomial(n, j) * mp.mpf(2) ** j
            total += ways * mp.mpf(size[min(k, n - j)]) ** max(math.comb(n - j, k), 1)
        loose = math.comb(n, k) * mp.log(mp.mpf(2) ** (2**k) - 1)
        return mp.log(total), loose + mp.log1p(mp.exp(-loose)), mp.mpf(2) ** n * mp.log(2)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("n", [1, 2, 4, 5, 10, 100, 200, 201, 1000])
def test_normal_forms_equal_the_formula(n, k):
    exact, loose, functions = cnf_oracle(n, k)
    ln_count = ln_normal_forms(n, k)
    assert ln_count == pytest.approx(float(min(exact, functions)), rel=1e-14)
    assert ln_count <= float(loose) * (1 + 1e-15)


def monotone_oracle(n, k):
    with mp.workdps(50):
        terms = (
            mp.binomial(n, j) * mp.mpf(2) ** sum(math.comb(n - j, s) for s in range(2, k + 1)) for j in range(n + 1)
        )
        return mp.log(mp.fsum(terms))


@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("n", [1, 5, 20, 199, 200, 201, 500])
def test_monotone_normal_forms_equal_the_formula(n, k):
    assert ln_normal_forms(n, k, monotone=True) == pytest.approx(float(monotone_oracle(n, k)), rel=1e-14)


def test_normal_forms_of_ten_thousand_columns():
    n = 10**4
    with mp.workdps(50):
        assert ln_normal_forms(n, 1) == ln_conjunctions(n)
        assert ln_normal_forms(n, 3) == pytest.approx(float(math.comb(n, 3) * mp.log(193)), rel=1e-14)
        pairs_and_triples = math.comb(n, 2) + math.comb(n, 3)
        assert ln_normal_forms(n, 3, monotone=True) == pytest.approx(float(pairs_and_triples * mp.log(2)), rel=1e-14)
        terms = sum(math.comb(n, s) * 2**s for s in (1, 2, 3))
        gaps = ln_normal_forms(n, 3, missing=True, form="dnf")
        assert gaps == pytest.approx(float(terms * mp.log(2)), rel=1e-14)


def test_more_than_a_float_can_hold_is_inf():
    assert ln_normal_forms(10**4, 5000) == math.inf
    assert ln_normal_forms(10**4, 5000, monotone=True) == math.inf
    assert ln_normal_forms(10**4, 5000, missing=True, form="dnf") == math.inf
    assert ln_decision_lists(10**4, 5000) == math.inf
    assert ln_decision_lists(10**9, 10**9, missing=True) == math.inf
    assert ln_normal_forms(10**9, 10**9 - 1) == math.inf
    assert ln_normal_forms(300, 300) == pytest.approx(2.0**300 * math.log(2), rel=1e-14)


# --- Decision lists --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "k"), [*SMALL, (4, 1), (4, 2)])
def test_decision_lists_cover_all_lists_on_complete_rows(n, k):
    assert_covers(ln_decision_lists(n, k), all_lists(n, k, COMPLETE))
    if n == 1:
        assert_exact(ln_decision_lists(n, k), all_lists(n, k, COMPLETE))


@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (2, 2), (3, 1)])
def test_decision_lists_cover_all_lists_with_missing_values(n, k):
    functions = all_lists(n, k, TERNARY)
    assert len(functions) > len(all_lists(n, k, COMPLETE))
    assert_covers(ln_decision_lists(n, k, missing=True), functions)


def test_complete_rows_alone_do_not_count_the_lists_with_missing_values():
    assert len(all_lists(3, 1, TERNARY)) > math.exp(ln_decision_lists(3))


@pytest.mark.parametrize("n", [1, 4, 5, 100, 10**4])
def test_decision_lists_of_literals_are_the_papers(n):
    with mp.workdps(50):
        assert ln_decision_lists(n) == pytest.approx(float(mp.loggamma(n + 1) + n * mp.log(4)), rel=1e-14)


def lists_oracle(n_terms):
    return 2 + sum(math.perm(n_terms, r) * 2**r for r in range(1, n_terms + 1))


def n_terms_of(n, k):
    return sum(math.comb(n, s) * 2**s for s in range(1, min(k, n) + 1))


@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (2, 2), (3, 2), (4, 4), (10, 2), (100, 1)])
def test_decision_lists_equal_the_formula(n, k):
    n_terms = n_terms_of(n, k)
    ln_count = ln_decision_lists(n, k, missing=True)
    assert ln_count == pytest.approx(float(mp.log(lists_oracle(n_terms))), rel=1e-13)
    if k > 1:
        assert ln_decision_lists(n, k) == pytest.approx(min(ln_count, 2.0**n * math.log(2)), rel=1e-14)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("n", [1, 2, 3, 10, 100, 10**4])
def test_decision_lists_are_never_above_rivests(n, k):
    n_terms = n_terms_of(n, k)
    with mp.workdps(50):
        rivest = mp.loggamma(n_terms + 1) + n_terms * mp.log(3)
        ours = mp.loggamma(n_terms + 1) + n_terms * mp.log(2) + mp.mpf("0.5")
        assert ln_decision_lists(n, k, missing=True) <= float(rivest)
        if n_terms > 30:
            assert ln_decision_lists(n, k, missing=True) == pytest.approx(float(ours), rel=1e-14)
    assert ln_decision_lists(n, k) <= ln_decision_lists(n, k, missing=True)


# --- DNF of few terms ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [COMPLETE, TERNARY])
@pytest.mark.parametrize(("n", "k"), [(1, 1), (1, 3), (2, 1), (2, 2), (2, 4), (3, 1), (3, 2), (3, 3)])
def test_term_normal_forms_cover_all_formulas(n, k, values):
    functions = all_term_dnf(n, k, values)
    assert_covers(ln_term_normal_forms(n, k), functions)
    if k == 1:
        assert_exact(ln_term_normal_forms(n, k), functions)


@pytest.mark.parametrize("k", [1, 2, 7, 1000])
@pytest.mark.parametrize("n", [1, 2, 20, 600, 601, 10**4])
def test_term_normal_forms_equal_the_formula(n, k):
    with mp.workdps(60):
        # As a product, for the terms are too many for loggamma.
        truth = mp.fsum(mp.log(mp.mpf(3**n + i)) for i in range(k)) - mp.loggamma(k + 1)
        truth += mp.log1p(mp.exp(-truth))
        assert ln_term_normal_forms(n, k) == pytest.approx(float(truth), rel=1e-13)


@pytest.mark.parametrize(("n", "k"), [(2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (4, 2)])
def test_a_dnf_of_k_terms_is_a_k_cnf(n, k):
    assert all_term_dnf(n, k, COMPLETE) <= all_cnf(n, k, COMPLETE)


def test_a_dnf_of_k_terms_need_not_be_a_k_cnf_with_missing_values():
    assert not all_term_dnf(2, 2, TERNARY) <= all_cnf(2, 2, TERNARY)


def test_learning_one_class_by_another_takes_the_larger_sample():
    by_itself = occam_sample_size(ln_term_normal_forms(50, 2), 0.1, 0.05)
    by_cnf = occam_sample_size(ln_normal_forms(50, 2), 0.1, 0.05)
    with mp.workdps(50):
        assert by_cnf == int(mp.ceil((math.comb(50, 2) * mp.log(7) - mp.log(mp.mpf(0.05))) / mp.mpf(0.1)))
    assert by_itself < 1200 < by_cnf


# --- Order and arguments ---------------------------------------------------------------------------------------------


def test_more_columns_and_longer_terms_are_more_concepts():
    sizes = [1, 2, 3, 4, 5, 6, 10, 50, 199, 200, 201, 202, 1000]
    lengths = [1, 2, 3, 4]
    classes = [
        ln_normal_forms,
        lambda n, k: ln_normal_forms(n, k, monotone=True),
        lambda n, k: ln_normal_forms(n, k, missing=True, form="dnf"),
        ln_decision_lists,
        lambda n, k: ln_decision_lists(n, k, missing=True),
        ln_term_normal_forms,
    ]
    for count in classes:
        table = np.array([[count(n, k) for k in lengths] for n in sizes])
        assert (np.diff(table, axis=0) > 0).all()
        assert (np.diff(table, axis=1) >= -1e-12 * table[:, 1:]).all()
    for n, k in itertools.product(sizes, lengths):
        assert ln_normal_forms(n, k, monotone=True) < ln_normal_forms(n, k)
        assert ln_normal_forms(n, k) <= ln_normal_forms(n, k, missing=True, form="dnf")
        assert ln_normal_forms(n, k) == ln_normal_forms(n, min(k, n))
        if k >= 2:  # a k-CNF is a k-decision list; the limits keep that order
            assert ln_normal_forms(n, k) <= ln_decision_lists(n, k)


COUNTS = {
    ln_conjunctions: {"n": 5},
    ln_normal_forms: {"n": 5, "k": 2},
    ln_decision_lists: {"n": 5, "k": 2},
    ln_term_normal_forms: {"n": 5, "k": 2},
}


def refusals():
    for function, arguments in COUNTS.items():
        for name, value in itertools.product(arguments, [0, -1, 1.5, math.nan, math.inf, None, "1", True]):
            yield pytest.param(function, name, value, id=f"{function.__name__}-{name}-{value}")


@pytest.mark.parametrize(("function", "name", "value"), list(refusals()))
def test_arguments_that_make_no_sense_are_refused(function, name, value):
    with pytest.raises(ValueError, match=rf"^{name} must be an integer of at least 1, got {value}"):
        function(**{**COUNTS[function], name: value})


def test_an_unknown_form_is_refused():
    with pytest.raises(ValueError, match=r"^form must be 'cnf' or 'dnf', got 'list'"):
        ln_normal_forms(5, 2, form="list")


@pytest.mark.parametrize("function", COUNTS, ids=lambda function: function.__name__)
def test_numpy_numbers_are_accepted(function):
    result = function(**{name: np.int8(value) for name, value in COUNTS[function].items()})
    assert type(result) is float
    assert result == function(**COUNTS[function])
