"""The perceptron's mistakes, and what a learner that errs seldom promises about new data (section 2.1 of paper 2)."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction

from ._bounds import occam_bound
from ._numbers import Count, Real, check_count, check_delta, check_real


def perceptron_mistake_bound(gamma: Real, hinge: Real = 0.0, quadratic: bool = False) -> float:
    r"""Bound the number of mistakes that the online perceptron makes on a sequence.

    .. math:: M \le \frac{1}{\gamma^2} + 2H, \qquad H = \frac{TD_\gamma}{\gamma}

    or, with ``quadratic=True``, the largest M that the lecture's :math:`\sqrt M \ge \gamma M - TD_\gamma` allows, which
    is never larger and is the same for H = 0:

    .. math:: M \le \left(\frac{1 + \sqrt{1 + 4\gamma^2 H}}{2\gamma}\right)^2

    Both hold for every sequence of examples scaled to length 1, in any order and with repetition, and for every unit
    vector w* with its margin and hinge loss *on that sequence* (theorem 2, and what follows it). Nothing is random
    here, so gamma may be read off the sequence.

    Parameters
    ----------
    gamma : float
        The margin, in (0, 1].
    hinge : float, default=0.0
        The total hinge loss H of w*, at least 0: the distance by which the examples would have to move to get the
        margin gamma, in sum, divided by gamma. 0 for separable examples.
    quadratic : bool, default=False
        Solve the quadratic instead of using its simple limit.

    Returns
    -------
    float
        The bound, at least 1; a count of mistakes is at most its whole part.

    Examples
    --------
    >>> perceptron_mistake_bound(0.25)
    16.0
    >>> perceptron_mistake_bound(0.25, hinge=32.0)
    80.0
    >>> perceptron_mistake_bound(0.25, hinge=32.0, quadratic=True)
    64.0
    """
    gamma = _check_gamma(gamma)
    hinge = check_real("hinge", hinge)
    simple = 1.0 / gamma / gamma + 2.0 * hinge
    if not quadratic:
        return simple
    # With a = gamma^2 H, the square is (1 + 2a + sqrt(1 + 4a)) / (2 gamma^2): a sum of positive terms.
    root = math.sqrt(1.0 + 4.0 * (gamma * hinge) * gamma)
    return min((0.5 + 0.5 * root) / gamma / gamma + hinge, simple)


def perceptron_sample_size(gamma: Real, epsilon: Real, delta: Real) -> int:
    r"""Return how many examples make the online perceptron's conversion find a good hypothesis.

    .. math:: m = \max\left(\left\lceil\frac{M}{\epsilon}\ln\frac{M}{\delta}\right\rceil, M' l\right), \quad
              M = \frac{1}{\gamma^2}, \quad M' = \lfloor M \rfloor, \quad
              l = \left\lceil\frac{\ln(M'/\delta)}{-\ln(1-\epsilon)}\right\rceil

    The conversion runs the perceptron once over m i.i.d. examples and stops at the first hypothesis that is right on
    l of them in a row. With probability at least 1 - delta its error is at most epsilon. M' hypotheses can be
    bad, for the one after M' mistakes errs nowhere, and each takes at most l examples to fail: M'l are enough. The
    first figure is the lecture's, which leaves out that runs are whole. It is enough by itself, and so is what is
    returned, whenever ln(M/delta) >= 3.

    The margin gamma must hold over the whole distribution, for some w* through the origin, and be known before the
    examples are seen. The margin attained on the examples in its place voids the statement; without a margin known
    beforehand use `online_bound`.

    Parameters
    ----------
    gamma : float
        The margin over the whole distribution, with examples scaled to length 1; in (0, 1].
    epsilon : float
        Error allowed, in (0, 1].
    delta : float
        Probability that the statement may fail, in (0, 1].

    Returns
    -------
    int
        A number of examples that is enough.

    Examples
    --------
    >>> perceptron_sample_size(gamma=0.1, epsilon=0.1, delta=0.05)
    7601
    """
    gamma = _check_gamma(gamma)
    epsilon = check_real("epsilon", epsilon, high=1.0, above=True)
    delta = check_delta(delta)
    mistakes = _most_mistakes(gamma)
    # Why the lecture's figure is enough for L = ln(M/delta) >= 3: with -ln(1 - e) = 2 artanh(e/(2 - e)) >= 2e/(2 - e),
    # l <= 1 + L (1/e - 1/2) <= L/e - 1/2, so that M'l <= ML/e. (L >= 2 would do, but for M' that may be a hair
    # above M where gamma was rounded to a float; the 1/2 makes good for that up to L/e = 10^15.)
    with localcontext(prec=80, rounding=ROUND_CEILING):
        inverse_square = 1 / Decimal(gamma) ** 2
        nats = (inverse_square / Decimal(delta)).ln()
        lecture = int((inverse_square * nats / Decimal(epsilon)).to_integral_value())
        return max(lecture, mistakes * _run_length(Decimal(mistakes) / Decimal(delta), Decimal(epsilon)))


def perceptron_bound(m: Count, gamma: Real, delta: Real) -> float:
    r"""Return the error that the online perceptron's conversion promises with m examples.

    .. math:: 1 - \left(\frac{\delta}{M'}\right)^{1/l}, \qquad l = \lfloor m / M' \rfloor, \quad
              M' = \lfloor 1/\gamma^2 \rfloor

    The inversion of `perceptron_sample_size`: run the perceptron once over m i.i.d. examples and take the first
    hypothesis that is right on l of them in a row, or the one after M' mistakes. With probability at least
    1 - delta its error is at most this. The margin gamma must hold over the whole distribution and be known
    beforehand; the margin attained on the examples in its place voids the statement.

    Parameters
    ----------
    m : int
        Number of examples, at least 0.
    gamma : float
        The margin over the whole distribution, with examples scaled to length 1; in (0, 1].
    delta : float
        Probability that the statement may fail, in (0, 1].

    Returns
    -------
    float
        The bound in [0, 1]; 1.0 if m < M'.

    Examples
    --------
    >>> round(perceptron_bound(m=7601, gamma=0.1, delta=0.05), 6)
    0.095173
    """
    m = check_count("m", m)
    mistakes = _most_mistakes(_check_gamma(gamma))
    return occam_bound(m // mistakes, math.log(mistakes), 0, delta)


def online_bound(survived: Count, index: Count, delta: Real) -> float:
    r"""Bound the error of a hypothesis of an online run that was right on fresh examples in a row.

    .. math:: 1 - \left(\frac{\delta}{i(i+1)}\right)^{1/s}

    With probability at least 1 - delta it holds for all hypotheses of the run at once, and for all s up to the first
    mistake of each, so that both may be chosen after the run: the i-th hypothesis gets the share delta/(i(i+1)), and
    more right answers only lower its bound. It needs no margin and no learner in particular. It is void for
    examples that the learner has seen before (a second pass), or that are not i.i.d.

    Parameters
    ----------
    survived : int
        How many fresh examples in a row the hypothesis got right, from its first one on (s), at least 0.
    index : int
        Which hypothesis of the run it is (i), counted from 1: one more than the mistakes before it.
    delta : float
        Probability that the statement may fail, in (0, 1].

    Returns
    -------
    float
        The bound in [0, 1]; 1.0 if survived = 0.

    Examples
    --------
    The eighth hypothesis of a run, after 200 right answers:

    >>> round(online_bound(survived=200, index=8, delta=0.05), 6)
    0.035709
    """
    survived = check_count("survived", survived)
    index = check_count("index", index, low=1)
    return occam_bound(survived, math.log(index * (index + 1)), 0, delta)


def _check_gamma(gamma: Real) -> float:
    """Return the margin as a float in (0, 1]."""
    return check_real("gamma", gamma, high=1.0, above=True)


def _most_mistakes(gamma: float) -> int:
    """Return floor(1/gamma^2), for the smallest margin that rounds to this float: 100 for 0.1, not 99."""
    return math.floor(1 / ((Fraction(gamma) + Fraction(math.nextafter(gamma, 0.0))) / 2) ** 2)


def _run_length(odds: Decimal, epsilon: Decimal) -> int:
    """Return the smallest l with (1 - epsilon)^l <= 1/odds, for odds >= 1."""
    if epsilon == 1:
        return 1 if odds > 1 else 0
    # At 80 digits, 1 - epsilon keeps sixty digits of an epsilon above 1e-20; below, two terms of the series have forty.
    rate = -(1 - epsilon).ln() if epsilon > Decimal("1e-20") else epsilon + epsilon * epsilon / 2
    # A quotient that is whole up to thirty digits is whole: ln 4 / ln 2 is 2.
    return int((odds.ln() / rate * (1 - Decimal("1e-30"))).to_integral_value())
