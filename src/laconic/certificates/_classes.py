"""How many concepts the Boolean classes of the PAC lecture hold: ln|C| in nats, for theorem 1 and beyond.

A class is counted by its *different functions* of n Boolean columns, both constants among them where the class can
say them. Each number is exact where the docstring says so, and never below the truth elsewhere. A missing value
satisfies no literal. Counts that no float can hold come back as inf, for which `occam_bound` gives 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from ._numbers import Count, check_count, log_binomial

_LN_2, _LN_3, _LN_4 = math.log(2.0), math.log(3.0), math.log(4.0)
# From here on, the first term of the sums over j is the whole sum: see `_log_cnf` and `_log_monotone`.
_MANY_COLUMNS = 200


def ln_conjunctions(n: Count, monotone: bool = False) -> float:
    r"""Return ln of the number of conjunctions of literals over n Boolean columns.

    .. math:: \ln|C| = n \ln 2 \text{ (monotone)}, \qquad \ln|C| = \ln(3^n + 1) \text{ (with negations)}

    Exact, with missing values too: a column is absent or there (or there negated), and all conjunctions that
    contradict themselves are the constant false. Disjunctions are as many by duality as long as no value is missing.
    Where values may be missing, ``x or not x`` says that x is known, and all 4^n disjunctions differ; then use
    ``ln_normal_forms(n, 1, missing=True, form="dnf")``.

    Parameters
    ----------
    n : int
        Number of columns, at least 1.
    monotone : bool, default=False
        Whether literals are never negated. The constant false is then not in the class.

    Returns
    -------
    float
        ln|C|.

    Examples
    --------
    >>> from laconic.certificates import occam_sample_size
    >>> occam_sample_size(ln_conjunctions(10, monotone=True), epsilon=0.1, delta=0.05)
    100
    >>> occam_sample_size(ln_conjunctions(10), epsilon=0.1, delta=0.05)
    140
    """
    n = check_count("n", n, low=1)
    return n * _LN_2 if monotone else _log_plus_one(n * _LN_3)


def ln_normal_forms(n: Count, k: Count, monotone: bool = False, missing: bool = False, form: str = "cnf") -> float:
    r"""Return ln of (at least) the number of k-CNF or k-DNF formulas over n Boolean columns.

    With negations, and k no larger than n,

    .. math:: |C| \le 1 + \sum_{j=0}^{n} \binom{n}{j} 2^j R_k^{\binom{n-j}{k}} \le 1 + (2^{2^k} - 1)^{\binom{n}{k}},
              \qquad |C| \le 2^{2^n},

    of which the smaller of the first and the last is returned. Here :math:`R_k` = 1, 7, 193, 63775, ... counts the
    subsets of {0, 1}^k in which every column takes both values; where n - j < k, the power is :math:`R_{n-j}`.
    A formula that can be satisfied is the conjunction of what its solutions take on every k columns: j columns are
    constant there, and among k of the others every column takes both values. Exact for k = 1 and for k >= n.

    Without negations (monotone),

    .. math:: |C| \le \sum_{j=0}^{n} \binom{n}{j} 2^{\sum_{s=2}^{k} \binom{n-j}{s}}

    chooses the j clauses of one column, then any clauses of 2 to k of the other columns. Exact for k <= 2.

    k-DNF are as many by duality as long as no value is missing. A clause names a column once at the most; then a CNF
    with missing values holds where it holds for all values that could be filled in, so that its function of complete
    rows says it all and ``missing`` changes nothing. A DNF is not like that (``x or not x`` says that x is known):
    where a row may have missing values, every set of the N = sum_s C(n, s) 2^s terms can be another function, and
    ln(2^N + 1) is returned, with the constant true; exact for k = 1.

    Parameters
    ----------
    n : int
        Number of columns, at least 1.
    k : int
        Most literals in a clause (CNF) or term (DNF), at least 1; more than n is the same as n.
    monotone : bool, default=False
        Whether literals are never negated. One constant is then not in the class: false for CNF, true for DNF.
    missing : bool, default=False
        Whether values may be missing, in the rows at hand or in those to come. It matters for a DNF with negations
        alone.
    form : {"cnf", "dnf"}, default="cnf"
        Which normal form.

    Returns
    -------
    float
        ln|C|, or an upper limit of it; inf where a float cannot hold it.

    Notes
    -----
    O(nk) up to 200 columns and O(k) beyond. Asymptotically nearly all k-CNF are monotone up to the choice of
    signs, ln|C| ~ C(n, k) ln 2; what is returned holds for every n.

    Examples
    --------
    >>> from laconic.certificates import occam_sample_size
    >>> occam_sample_size(ln_normal_forms(20, 2), epsilon=0.1, delta=0.05)
    3728
    >>> occam_sample_size(ln_normal_forms(20, 2, monotone=True), epsilon=0.1, delta=0.05)
    1347
    """
    n = check_count("n", n, low=1)
    k = min(check_count("k", k, low=1), n)
    if form not in ("cnf", "dnf"):
        raise ValueError(f"form must be 'cnf' or 'dnf', got {form!r}")
    if monotone:
        return _log_monotone(n, k)
    if missing and form == "dnf":
        return _log_plus_one(_count_subsets(n, 1, k, signs=2) * _LN_2)
    return min(_log_plus_one(_log_cnf(n, k)), _log_functions(n))


def ln_decision_lists(n: Count, k: Count = 1, missing: bool = False) -> float:
    r"""Return ln of at least the number of decision lists over terms of at most k of n Boolean columns.

    Without missing values and for k = 1, where every rule asks for one literal, this is the lecture's

    .. math:: |C| \le n!\,4^n,

    the default at the end and shorter lists included. Otherwise, over the :math:`N = \sum_{s=1}^{k}\binom{n}{s}2^s`
    terms,

    .. math:: |C| \le 2 + \sum_{r=1}^{N} \frac{N!}{(N-r)!} 2^r < N!\,2^N \sqrt e + 1:

    r different terms in order, each with one of two classes, and a default that is not the last rule's class, for
    that rule would be idle. Rivest's :math:`N!\,3^N` is larger for N >= 2, which is always. Without missing values
    there are no more than :math:`2^{2^n}` functions, and the smaller number is returned (for k = 1 it matters for
    n = 2 and 3 only). Exact for n = 1 without missing values.

    Parameters
    ----------
    n : int
        Number of columns, at least 1.
    k : int, default=1
        Most literals in a rule's term, at least 1; more than n is the same as n.
    missing : bool, default=False
        Whether values may be missing, in the rows at hand or in those to come. A rule whose term asks for a missing
        value passes the row on.

    Returns
    -------
    float
        An upper limit of ln|C|; inf where a float cannot hold it.

    Notes
    -----
    O(k).

    Examples
    --------
    >>> from laconic.certificates import occam_sample_size
    >>> occam_sample_size(ln_decision_lists(10), epsilon=0.1, delta=0.05)
    320
    >>> occam_sample_size(ln_decision_lists(10, missing=True), epsilon=0.1, delta=0.05)
    597
    >>> occam_sample_size(ln_decision_lists(10, k=2), epsilon=0.1, delta=0.05)
    7128
    """
    n = check_count("n", n, low=1)
    k = min(check_count("k", k, low=1), n)
    if missing:
        return _log_lists(_count_subsets(n, 1, k, signs=2))
    return min(_log_literal_lists(n) if k == 1 else _log_lists(_count_subsets(n, 1, k, signs=2)), _log_functions(n))


def ln_term_normal_forms(n: Count, k: Count) -> float:
    r"""Return ln of at least the number of DNF formulas of at most k terms over n Boolean columns.

    .. math:: |C| \le \binom{3^n + k - 1}{k} + 1

    A term of any length leaves a column out, has it, or has it negated; k of them with repetition are at most k
    terms; and the DNF without terms is the constant false. Missing values change nothing. Exact for k = 1.
    CNF of at most k clauses are as many by duality as long as no value is missing.

    To *find* a consistent formula of this class is hard already for two terms. But an OR of k terms is an AND of
    clauses that take one literal from each term, so a k-CNF, and those can be learnt: the class is learnt by the
    hypotheses of another one, and ln|H| = ``ln_normal_forms(n, k)`` takes the place of ln|C| in theorem 1. (Without
    missing values: a clause that asks for ``x or not x`` is dropped, for it always holds.)

    Parameters
    ----------
    n : int
        Number of columns, at least 1.
    k : int
        Most terms, at least 1.

    Returns
    -------
    float
        ln|C|, or an upper limit of it.

    Notes
    -----
    O(1) but for the 3^n in whole numbers up to n = 600.

    Examples
    --------
    What an exhaustive search would need, and what learning by 2-CNF needs:

    >>> from laconic.certificates import occam_sample_size
    >>> occam_sample_size(ln_term_normal_forms(20, 2), epsilon=0.1, delta=0.05)
    463
    >>> occam_sample_size(ln_normal_forms(20, 2), epsilon=0.1, delta=0.05)
    3728
    """
    n = check_count("n", n, low=1)
    k = check_count("k", k, low=1)
    if n <= 600:
        return _log_plus_one(log_binomial(3**n + k - 1, k))
    # Here 3^n is above 10^286, and k is nothing beside it.
    return k * n * _LN_3 - math.lgamma(k + 1.0)


def _log_monotone(n: int, k: int) -> float:
    """Return ln sum_j C(n, j) 2^(sum_{s=2..k} C(n-j, s)) for 1 <= k <= n."""
    if k == 1:
        return n * _LN_2
    # j columns less cost at least the j(n-1)/2 clauses of two columns with one of them, so that term j is at most
    # (n 2^(-(n-1)/2))^j of the first: beyond 200 columns, less than 1e-27 for all of them together.
    most = n if n <= _MANY_COLUMNS else 0
    return _log_sum(log_binomial(n, j) + _count_subsets(n - j, 2, k) * _LN_2 for j in range(most + 1))


def _log_cnf(n: int, k: int) -> float:
    """Return ln sum_j C(n, j) 2^j R_k^C(n-j, k) for 1 <= k <= n."""
    if k == 1:
        return n * _LN_3
    if n <= _MANY_COLUMNS:
        return _log_sum(
            log_binomial(n, j) + j * _LN_2 + math.comb(max(n - j, k), k) * _log_relations(min(n - j, k))
            for j in range(n + 1)
        )
    # The terms from j = 1 on have at most C(n-1, k) = C(n, k) - C(n-1, k-1) factors R_k >= 7, the latter number is at
    # least n - 1 for k < n, and their C(n, j) 2^j sum to less than 3^n: together 7 (3/7)^n < 1e-72 of the first. For
    # k = n the limit 2^(2^n) is smaller anyway.
    if log_binomial(n, k) > 700.0:
        return math.inf
    return math.comb(n, k) * _log_relations(k)


def _log_relations(k: int) -> float:
    """Return ln R_k: the subsets of {0, 1}^k in which every column takes both values."""
    if k > 8:
        return _log_functions(k)  # R_k is 2^(2^k) less a share of 2^-200
    relations: list[int] = []
    for size in range(k + 1):
        # All subsets but the empty one, less those with j >= 1 constant columns.
        constant = sum(math.comb(size, j) * 2**j * relations[size - j] for j in range(1, size + 1))
        relations.append(2 ** (2**size) - 1 - constant)
    return math.log(relations[k])


def _log_literal_lists(n: int) -> float:
    """Return ln(n! 4^n), for lists of literals on complete rows."""
    # A column that comes twice is idle the second time, or its rule is a default. Columns that do not come are put at
    # the end, with rules that give the default class. So every list is one with all n columns, in one of n! orders:
    # n - 1 rules of four kinds each, then the last column with the default behind it, which together are one of the
    # four functions x, not x, 0 and 1 of that column.
    return math.lgamma(n + 1.0) + n * _LN_4


def _log_lists(n_terms: float) -> float:
    """Return ln(2 + sum_{r=1..N} N!/(N-r)! 2^r) for N >= 2 terms."""
    if n_terms > 1e300:
        return math.inf
    # From the longest list down, with i = N - r: N! 2^N (1 + 1/2 + 1/8 + ... + 2^-i/i! + ...), and 1 more.
    longest = math.lgamma(n_terms + 1.0) + n_terms * _LN_2
    series = math.fsum(0.5**i / math.factorial(i) for i in range(int(min(n_terms, 20.0)) + 1))
    return longest + math.log(series + math.exp(-longest))


def _count_subsets(n: int, low: int, high: int, signs: int = 1) -> float:
    """Return sum_{s=low..high} C(n, s) signs^s; inf where a float cannot hold it."""
    total, ways = 0, 1
    for size in range(1, min(high, n) + 1):
        ways = ways * signs * (n - size + 1) // size  # signs^size C(n, size), whole at every step
        if size >= low:
            total += ways
        if total > 2**1000:
            return math.inf
    return float(total)


def _log_functions(n: int) -> float:
    """Return ln 2^(2^n), or inf."""
    return math.ldexp(_LN_2, n) if n < 1000 else math.inf


def _log_plus_one(nats: float) -> float:
    """Return ln(e^nats + 1)."""
    return nats + math.log1p(math.exp(-nats))


def _log_sum(nats: Iterable[float]) -> float:
    """Return ln of the sum of e^nats."""
    terms = list(nats)
    top = max(terms)
    return top if math.isinf(top) else top + math.log(math.fsum(math.exp(term - top) for term in terms))
