"""Prefix codes: what it costs, in nats, to say which of several things was chosen.

Each code is a constant of the program, and exp(−nats) sums to at most one over everything that it can say.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from decimal import Decimal
from heapq import heappush, heappushpop

from laconic.certificates._numbers import check_count, log_binomial
from laconic.certificates._prices import Nats, itemised, prefix_code, priced, total


@prefix_code
def integer_nats(n: int) -> float:
    """Return the cost of a number 0, 1, 2, ...: the prior is 1/((n+1)(n+2)), which sums to one.

    Examples
    --------
    >>> round(sum(math.exp(-integer_nats(n)) for n in range(1000)), 3)
    0.999
    """
    return _integer(n)


@prefix_code
def signed_nats(n: int) -> float:
    """Return the cost of a number 0, −1, 1, −2, 2, ..., in this order by `integer_nats`.

    Examples
    --------
    >>> signed_nats(-1) == integer_nats(1), signed_nats(3) == integer_nats(6)
    (True, True)
    """
    return _signed(n)


def _integer(n: int) -> float:  # without an item, for codes that are made of others
    n = check_count("n", n)
    return math.log(n + 1) + math.log(n + 2)


def _signed(n: int) -> float:
    return _integer(2 * n if n >= 0 else -2 * n - 1)


@prefix_code
def decimal_nats(number: float) -> float:
    """Return the cost of a real number, a shortest decimal d·10^e: both by `signed_nats`, so round numbers are cheap.

    Examples
    --------
    >>> [round(decimal_nats(number), 1) for number in (0.0, 0.5, 1.0, 0.1 + 0.2)]
    [1.4, 6.7, 3.2, 84.3]
    """
    if not math.isfinite(number):
        raise ValueError(f"number must be finite, got {number}")
    sign, digits, exponent = Decimal(repr(float(number))).normalize().as_tuple()
    whole = int("".join(map(str, digits)))
    return _signed(-whole if sign else whole) + _signed(int(exponent))


@prefix_code
def power_nats(number: float) -> float:
    """Return the cost of a positive number: a power of two (its exponent by `signed_nats`) or a decimal; ln 2 at most.

    Examples
    --------
    >>> [round(power_nats(number), 1) for number in (1.0, 0.0078125, 0.1)]
    [1.3, 6.0, 5.0]
    """
    fraction, exponent = math.frexp(number)
    power = _signed(exponent - 1) if fraction == 0.5 else math.inf
    return either_nats(power, decimal_nats(number))


MIXED = "that another code could say it, too"
COUNTS_FUNCTIONS = "that a code of functions, not of formulas, could say it, too"
"""A message with this item does not determine the lines of a model: nothing may be concluded for single lines."""


def either_nats(one: float, other: float, part: str = MIXED) -> Nats:
    """Return the cost of a thing that two codes can say: its prior is the mean of what both give it.

    Never more than ln 2 above the cheaper code; a code that cannot say it costs infinity. What the mean adds to the
    first code's price, or takes from it, is an item called ``part``.

    Examples
    --------
    >>> round(either_nats(10.0, 30.0), 3), round(either_nats(10.0, 10.0), 3)
    (10.693, 10.0)
    """
    cheap, dear = sorted(map(float, (one, other)))
    nats = cheap + math.log(2) - math.log1p(math.exp(cheap - dear))
    known = itemised(one if math.isfinite(one) else other)
    if math.isinf(dear):  # which of two codes is all that is said beside
        mixed = priced("choice", 2, nats=math.log(2))
    else:
        mixed = priced("either", float(one), float(other), nats=nats - known)
    return known + mixed.called(part)


@prefix_code
def choice_nats(n: int) -> float:
    """Return the cost of one of n equally likely things.

    Examples
    --------
    >>> choice_nats(1)
    0.0
    """
    return math.log(check_count("n", n, low=1))


@prefix_code
def weight_nats(weight: float, total: float) -> float:
    """Return the cost of one of several things whose weights were fixed before the data, and have a sum.

    Examples
    --------
    >>> round(weight_nats(1.0, 4.0), 3)
    1.386
    """
    if not 0 < weight <= total < math.inf:
        raise ValueError(f"A weight is above zero and at most the sum of all, {total!r}; got {weight!r}.")
    return math.log(total / weight)


@prefix_code
def choices_nats(times: int, n: int) -> float:
    """Return the cost of choosing several times one of n equally likely things.

    Examples
    --------
    >>> choices_nats(3, 2) == 3 * choice_nats(2)
    True
    """
    return check_count("times", times) * math.log(check_count("n", n, low=1))


@prefix_code
def set_nats(n: int, size: int) -> float:
    """Return the cost of a set of known size out of n things: ln C(n, size).

    Examples
    --------
    >>> round(math.exp(set_nats(5, 2)))
    10
    """
    return log_binomial(n, size)


@prefix_code
def subset_nats(n: int, size: int) -> float:
    """Return the cost of a subset of n things, its size said first: ln(n+1) + ln C(n, size).

    Examples
    --------
    >>> round(sum(math.comb(4, k) * math.exp(-subset_nats(4, k)) for k in range(5)), 12)
    1.0
    """
    return log_binomial(n, size) + math.log(n + 1)


@prefix_code
def kinds_nats(n_columns: int) -> float:
    """Return the cost of saying of some columns whether each holds numbers, flags or categories.

    Examples
    --------
    >>> round(math.exp(kinds_nats(2)))
    9
    """
    return check_count("n_columns", n_columns) * math.log(3)


@prefix_code
def left_out_nats(n: int, n_left_out: int) -> float:
    """Return the cost of the few things, as a rule none, left out of n: nine tenths of the prior are for none.

    That r are left out has the prior 1/(10 r (r+1)), and which costs ln C(n, r).

    Examples
    --------
    >>> [round(left_out_nats(10, r), 1) for r in (0, 1, 2)]
    [0.1, 5.3, 7.9]
    """
    if n_left_out == 0:
        return -math.log(0.9)
    return math.log(10) + math.log(n_left_out) + math.log(n_left_out + 1) + log_binomial(n, n_left_out)


_MOST_COUNTED = 2_000  # slots


@prefix_code
def pairing_nats(n_slots: int, n_examples: int) -> float:
    """Return the cost of saying which example fills which slot, where every example fills at least one.

    It is the logarithm of the number of ways to map the slots onto the examples (surjections), ln(d!·S(n, d)) with
    Stirling's number of the second kind. As many slots as examples: ln d!. Beyond 2,000 slots, where counting takes
    long, it is an upper bound, S(n, d) ≤ C(n, d)·d^(n − d)/2.

    Examples
    --------
    >>> round(math.exp(pairing_nats(3, 2)))
    6
    """
    n_slots, n_examples = check_count("n_slots", n_slots), check_count("n_examples", n_examples)
    if n_examples > n_slots or (n_examples == 0 < n_slots):
        raise ValueError(f"{n_slots} slots cannot be filled by {n_examples} examples that are all needed.")
    if n_slots > _MOST_COUNTED:
        return math.lgamma(n_examples + 1) + _partitions_at_most(n_slots, n_examples)
    ways = sum((-1) ** i * math.comb(n_examples, i) * (n_examples - i) ** n_slots for i in range(n_examples + 1))
    return math.log(ways)


def _partitions_at_most(n: int, d: int) -> float:
    """Bound the logarithm of Stirling's number of the second kind, S(n, d), from above; exact where d is n or one."""
    if d in (1, n):
        return 0.0
    return log_binomial(n, d) + (n - d) * math.log(d) - math.log(2)


def unordered_nats(nats: Iterable[float]) -> Nats:
    """Return the cost of a set of things, each with its own cost: their order need not be said, so ln r! is saved.

    The prior of a set is the sum over all its orders of the prior of the sequence, and those are equal.

    Examples
    --------
    >>> round(math.exp(unordered_nats([math.log(10), math.log(10)])))
    50
    """
    each = list(nats)
    saved = priced("order", len(each), nats=-math.lgamma(len(each) + 1)).called("saved: no order is said")
    return total(each) + saved


def check_distinct(things: Sequence[Hashable]) -> None:
    """Refuse a set in which a thing stands twice: fewer than r! orders mean it, and `unordered_nats` saves ln r!.

    Examples
    --------
    >>> check_distinct(["age > 50", "smokes"])
    >>> check_distinct(["age > 50", "age > 50"])
    Traceback (most recent call last):
    ValueError: A message sends a set, and 'age > 50' stands in it twice; send each thing once.
    """
    if len(set(things)) != len(things):
        twice = next(thing for place, thing in enumerate(things) if thing in things[:place])
        raise ValueError(f"A message sends a set, and {twice!r:.200} stands in it twice; send each thing once.")


_NEW = 4  # how many repeats a new number weighs as much as


@prefix_code
def repeats_nats(values: Sequence[int]) -> float:
    """Return the cost of some whole numbers that lie close together and may repeat.

    The i-th number, counted from 0, has the probability (r + 4·q) / (i + 4): r says how often it came before, and q is
    the prior of `signed_nats` for its distance from the median of those before it (from 0 at first).

    Examples
    --------
    >>> [round(repeats_nats(values), 2) for values in ([0, 0, 0, 0], [5, 5, 5, 5], [3, -1, 7, 2])]
    [1.95, 6.14, 17.01]
    """
    nats, times = 0.0, Counter[int]()
    low: list[int] = []  # two heaps of those before: the lower half, negated, whose first is the median
    high: list[int] = []
    for i, value in enumerate(values):
        new = math.exp(-_signed(value + low[0] if low else value))
        nats += math.log((i + _NEW) / (times[value] + _NEW * new))
        times[value] += 1
        if len(low) == len(high):
            heappush(low, -heappushpop(high, value))
        else:
            heappush(high, -heappushpop(low, -value))
    return nats
