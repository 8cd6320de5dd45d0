"""PAC-Bayes: the bound of paper 3 for balls whose radii are drawn, and the constant in it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np
from scipy.special import gammaln, logsumexp, xlog1py, xlogy

from laconic import _kept as kept
from laconic._words import counted

from ._inversion import kl_inverse
from ._numbers import Count, Real, check_count, check_delta, check_real, log_binomial
from ._prices import Message, SentRows, bill
from ._statements import Sending, Statement, of_rows

# ln(pi^6 / 216): three priors 6 / (pi (i + 1))^2, over the rules, the errors and the sizes of the set.


def pac_bayes_ball_bound(
    m: Count,
    widths: Sequence[Real],
    max_radius: Real,
    gibbs_risk: Real,
    delta: Real,
    n_centers: Count | None = None,
    message_nats: Real = 0.0,
    exact: bool = False,
) -> float:
    r"""Bound the risk of a Gibbs classifier of soft balls, as theorem 2 of the PAC-Bayes paper, by kl inversion.

    .. math:: \sup\left\{\epsilon : \mathrm{kl}(\hat R \| \epsilon) \le \frac{1}{m - d}\left[\ln\binom{m}{d}
              + \ln\frac{1}{p(d)} + \sum_i \ln\frac{R}{b_i - a_i} + \ln\frac{m + 1}{\delta}\right]\right\}

    with p(d) = 1/((d+1)(d+2)). With probability at least 1 - delta it holds for all sets of d centres and all intervals
    inside [0, R] at once; the risk of the Bayes classifier (the majority vote) is at most twice as large. R must be
    fixed before the examples were seen, or its choice paid for in the message.

    The theorem's m + 1 bounds the mean of exp(n kl(k/n, p)) for a binomial k of n = m - d draws. With ``exact`` that
    mean itself stands there, :math:`\xi(n) = \sum_k \binom{n}{k} (k/n)^k (1 - k/n)^{n-k}`, which is near
    :math:`\sqrt{\pi n / 2}`: in each term the powers of p cancel, so that p does not matter. Chances of an error lie in
    [0, 1] instead of being 0 or 1, and exp(n kl) is convex in each of them, so that its mean is at most that of the
    binomial (A. Maurer, *A note on the PAC Bayesian theorem*, 2004). The rest of the proof is the paper's.

    Parameters
    ----------
    m : int
        Number of examples, at least 0.
    widths : sequence of float
        The widths b - a of the intervals, one for each ball; a width of 0 makes the bound 1.
    max_radius : float
        R, above 0 and at least every b.
    gibbs_risk : float
        The empirical Gibbs risk on the m - d examples that are no centres, in [0, 1].
    delta : float
        Probability that the statement may fail, in (0, 1].
    n_centers : int or None
        The number d of different centres, if some have several balls; what says which is part of the message.
    message_nats : float
        What else the data chose, in nats.
    exact : bool
        Take Maurer's constant instead of the theorem's m + 1.

    Returns
    -------
    float
        The bound on the Gibbs risk in [0, 1]; 1.0 if m <= d.

    Examples
    --------
    >>> round(pac_bayes_ball_bound(m=343, widths=[0.4, 0.4], max_radius=16.0, gibbs_risk=0.03, delta=0.05), 6)
    0.157589
    """
    m = check_count("m", m)
    widths = [check_real("widths", width) for width in widths]
    d = check_count("n_centers", len(widths) if n_centers is None else n_centers, high=len(widths), limit="len(widths)")
    max_radius = check_real("max_radius", max_radius, above=True)
    gibbs_risk = check_real("gibbs_risk", gibbs_risk, high=1.0)
    delta, message_nats = check_delta(delta), check_real("message_nats", message_nats)
    if any(width > max_radius for width in widths):
        raise ValueError(f"max_radius must be at least every width, got {max_radius} and {max(widths)}")
    if m <= d or 0.0 in widths:
        return 1.0
    constant = log_maurer_constant(m - d) if exact else math.log(m + 1)
    nats = log_binomial(m, d) + math.log((d + 1) * (d + 2)) + message_nats + constant - math.log(delta)
    nats += math.fsum(math.log(max_radius / width) for width in widths)
    return kl_inverse(gibbs_risk, nats / (m - d))


def log_maurer_constant(n: int) -> float:
    """Return the logarithm of the sum of C(n, k) (k/n)^k (1 - k/n)^(n-k) over k = 0, ..., n, rounded up; n at least 1.

    Examples
    --------
    >>> round(math.exp(log_maurer_constant(1)), 6), round(math.exp(log_maurer_constant(2)), 6)
    (2.0, 2.5)
    """
    k = np.arange(n + 1, dtype=np.float64)
    share = k / n
    terms = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + xlogy(k, share) + xlog1py(n - k, -share)
    rounding = 1e-13 * (1.0 + abs(float(gammaln(n + 1))))  # of sums of logarithms as large as ln n!
    return float(logsumexp(terms)) + rounding


@kept.typed
@dataclass(frozen=True, slots=True)
class GibbsBalls(Sending):
    """The bound of `pac_bayes_ball_bound` for balls whose radii are drawn, or for the majority vote over the draws.

    Parameters
    ----------
    n_samples : int
        The number of rows.
    size : int
        How many of them are centres.
    gibbs_risk : float
        The mean chance of an error on the others.
    widths : tuple of float
        The widths of the intervals that radii are drawn from.
    max_radius : float
        The largest radius that was possible.
    message_nats : float
        What else the data chose: the largest radius, which centre has several balls, the form.
    vote : bool
        Whether the bound is for the majority vote (the Bayes classifier), whose risk is at most twice that of one draw.
    exact : bool
        Whether Maurer's constant stands in the place of the theorem's m + 1.
    message : tuple of Item
        The items of the message, where they are known; they follow from a price that has them.
    rows : tuple of SentRow
        Which rows these are, and their digests, where that is known.

    Examples
    --------
    >>> draw = GibbsBalls(343, 2, 0.03, (0.4, 0.4), 16.0, 0.0)
    >>> round(draw.bound(0.05), 3), round(replace(draw, vote=True).bound(0.05), 3)
    (0.158, 0.315)
    """

    n_samples: kept.Count
    size: kept.Count
    gibbs_risk: kept.Fraction
    widths: tuple[float, ...]
    max_radius: float
    message_nats: float
    vote: bool = False
    exact: Annotated[bool, kept.LATER] = False  # files of before have the theorem's own constant
    message: Message = field(default=(), compare=False)
    rows: SentRows = field(default=(), compare=False)

    @property
    def method(self) -> str:
        """The theorem, in few words."""
        return "PAC-Bayes, twice the Gibbs bound" if self.vote else "PAC-Bayes, kl inversion"

    def bound(self, delta: float) -> float:
        """Bound the risk, with probability at least 1 − delta."""
        made_of = self.widths, self.max_radius, self.gibbs_risk, delta, self.size, self.message_nats
        gibbs = pac_bayes_ball_bound(self.n_samples, *made_of, self.exact)
        return min(2 * gibbs, 1.0) if self.vote else gibbs

    def paid(self) -> Iterator[tuple[str, float]]:
        """List what was paid, in nats, beside delta."""
        if self.size:
            yield f"which {of_rows(self.size, self.n_samples)} are centres", log_binomial(self.n_samples, self.size)
        yield f"that there are {self.size or 'none'}", math.log((self.size + 1) * (self.size + 2))
        if self.widths:
            narrow = math.inf if 0.0 in self.widths else sum(math.log(self.max_radius / w) for w in self.widths)
            yield f"how narrow the intervals of the radii are, within {self.max_radius:g}", narrow
        yield from bill(self, "the message: all that the centres do not say")
        if self.exact and self.n_samples > self.size:
            n_outside = self.n_samples - self.size
            yield f"Maurer's constant for {counted(n_outside, 'row')}", log_maurer_constant(n_outside)
        else:
            yield "the theorem's ln(m + 1)", math.log(self.n_samples + 1)

    def counted(self) -> str:
        """Return what was seen on the rows outside the set."""
        rows = counted(self.n_samples - self.size, "other row")
        return f"on the {rows} a draw errs with a chance of {self.gibbs_risk:.3g}"

    def improvements(self) -> Iterator[tuple[str, Statement]]:
        """List what would make the bound smaller, as the statement that it would then be."""
        yield f"twice the rows ({2 * self.n_samples}), the same model", replace(self, n_samples=2 * self.n_samples)
        if self.gibbs_risk:
            yield f"half the risk of a draw ({self.gibbs_risk / 2:.3g})", replace(self, gibbs_risk=self.gibbs_risk / 2)
        if self.widths:
            wider = tuple(min(2 * width, self.max_radius) for width in self.widths)
            yield "intervals twice as wide", replace(self, widths=wider)
