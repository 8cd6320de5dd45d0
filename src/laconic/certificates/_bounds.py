"""Risk bounds as pure functions of numbers.

Each returns an upper limit of the error probability on new data. It holds with probability at least 1 - delta
over the draw of m i.i.d. examples. A bound that has nothing to say returns 1.0; arguments that make no sense
raise.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Decimal, localcontext

from ._inversion import inverted_tail
from ._numbers import Count, Real, check_count, check_delta, check_real, log_binomial, log_ways

# ln(pi^6 / 216): three priors 6 / (pi (i + 1))^2, over the rules, the errors and the sizes of the set.
_THREE_ZETA_PRIORS = 3.0 * math.log(math.pi**2 / 6.0)


def occam_sample_size(ln_hypotheses: Real, epsilon: Real, delta: Real) -> int:
    r"""Return how many examples make every consistent hypothesis good.

    .. math:: m \ge \frac{1}{\epsilon}\left(\ln|H| + \ln\frac{1}{\delta}\right)

    With that many i.i.d. examples, with probability at least 1 - delta, every h in H that errs on none of
    them has error at most epsilon (theorem 1 of the PAC lecture). Void if H was chosen after the examples
    were seen or if h errs on an example.

    Parameters
    ----------
    ln_hypotheses : float
        ln|H|, finite and at least 0.
    epsilon : float
        Error allowed, in (0, 1].
    delta : float
        Probability that the statement may fail, in (0, 1].

    Returns
    -------
    int
        The smallest such m.

    Examples
    --------
    Monotone conjunctions of 10 features, of which there are 2**10:

    >>> occam_sample_size(10 * math.log(2), epsilon=0.1, delta=0.05)
    100
    """
    ln_hypotheses = check_real("ln_hypotheses", ln_hypotheses)
    if math.isinf(ln_hypotheses):
        raise ValueError("ln_hypotheses must be finite, got inf: no sample is large enough for an infinite class")
    epsilon = check_real("epsilon", epsilon, high=1.0, above=True)
    delta = check_delta(delta)
    # Decimals decide a quotient next to an integer, and rounding up keeps their error on the safe side.
    with localcontext(prec=50, rounding=ROUND_CEILING):
        nats = Decimal(ln_hypotheses) - Decimal(delta).ln()
        return int((nats / Decimal(epsilon)).to_integral_value())


def occam_bound(m: Count, ln_hypotheses: Real, errors: Count, delta: Real) -> float:
    r"""Bound the error of one of finitely many hypotheses from its training errors.

    .. math:: \overline{\mathrm{Bin}}\left(\mathrm{errors}, m, \frac{\delta}{|H|}\right)

    With probability at least 1 - delta it holds for every h in H at once, where H was fixed before the m
    i.i.d. examples were seen. Without errors it is 1 - (delta/\|H\|)^(1/m), which is at most
    (ln\|H\| + ln(1/delta)) / m. Void for a class that the data chose. With a prior P over H, -ln P(h) takes the
    place of ln\|H\|.

    Parameters
    ----------
    m : int
        Number of examples, at least 0.
    ln_hypotheses : float
        ln\|H\| (or the length of h in nats in a prefix code), at least 0; inf gives 1.
    errors : int
        Number of examples that h gets wrong, 0 to m.
    delta : float
        Probability that the statement may fail, in (0, 1].

    Returns
    -------
    float
        The bound in [0, 1]; 1.0 if errors = m.

    Examples
    --------
    >>> round(occam_bound(m=1000, ln_hypotheses=10 * math.log(2), errors=0, delta=0.05), 6)
    0.009878
    """
    m = check_count("m", m)
    ln_hypotheses = check_real("ln_hypotheses", ln_hypotheses)
    errors = check_count("errors", errors, high=m, limit="m")
    return inverted_tail(errors, m, math.log(check_delta(delta)) - ln_hypotheses)


def marchand_compression_bound(
    m: Count, d: Count, d_prime: Count, k: Count, delta: Real, relaxed: bool = False
) -> float:
    r"""Bound the error of a sample-compressed classifier, as theorem 5.1 of the set covering machine paper.

    .. math:: 1 - \exp\left\{\frac{-1}{m - d - k}\left(\ln\binom{m}{d} + \ln\binom{d}{d'} + \ln\binom{m-d}{k}
              + \ln\frac{m^2 d}{\delta}\right)\right\}

    and, with ``relaxed=True``, the paper's second and larger form

    .. math:: \frac{1}{m - d - k}\left(d\ln\frac{em}{d} + d'\ln\frac{ed}{d'} + k\ln\frac{e(m-d)}{k}
              + \ln\frac{m^2 d}{\delta}\right)

    It holds if the classifier is a function of the compression set and its marked part alone, fixed before
    the examples were seen, and *gets the whole compression set right*. It is void otherwise; then use
    ``compression_bound``, which also is the smaller one as a rule.

    Parameters
    ----------
    m : int
        Number of examples, at least 1.
    d : int
        Size of the compression set (the paper's d''), 1 to m. 0 is refused: the proof divides delta by d.
    d_prime : int
        Size of its marked part, 0 to d - 1. The proof divides delta among d values only, so d itself is
        refused.
    k : int
        Number of training errors, 0 to m; all are outside the set.
    delta : float
        Probability that the statement may fail, in (0, 1].
    relaxed : bool, default=False
        Return the second form, cut at 1.

    Returns
    -------
    float
        The bound in [0, 1]; 1.0 if m <= d + k.

    Examples
    --------
    >>> round(marchand_compression_bound(m=1000, d=4, d_prime=1, k=10, delta=0.05), 6)
    0.094537
    """
    m = check_count("m", m, low=1)
    d = check_count("d", d, low=1, high=m, limit="m")
    d_prime = check_count("d_prime", d_prime, high=d - 1, limit="d - 1")
    k = check_count("k", k, high=m, limit="m")
    return _marchand(m, d, d_prime, k, check_delta(delta), relaxed)


def marchand_ball_bound(
    m: Count, n_balls: Count, n_p_centers: Count, k: Count, delta: Real, relaxed: bool = False
) -> float:
    r"""Bound the error of a set covering machine with balls, as theorem 5.2 of its paper.

    .. math:: 1 - \exp\left\{\frac{-1}{m - 2R - k}\left(\ln\binom{m}{2R} + \ln\binom{2R}{R^+}
              + \ln\binom{m-2R}{k} + \ln\frac{2 m^2 R}{\delta}\right)\right\}

    This is theorem 5.1 with d = 2R examples (a centre and a border point for each ball), of which d' = R+ are
    marked. It rises with R, so it also holds where balls share examples. It holds for a reconstruction that
    gets all centres and border points right and needs no other information; scales, metrics or forms chosen
    on the data void it.

    Parameters
    ----------
    m : int
        Number of examples, at least 0.
    n_balls : int
        Number of balls (the paper's R), at least 1.
    n_p_centers : int
        Number of balls centred on P-examples (the paper's R+), 0 to n_balls.
    k : int
        Number of training errors, 0 to m.
    delta : float
        Probability that the statement may fail, in (0, 1].
    relaxed : bool, default=False
        Return the second and larger form of the theorem, cut at 1.

    Returns
    -------
    float
        The bound in [0, 1]; 1.0 if m <= 2 n_balls + k.

    See Also
    --------
    marchand_compression_bound : theorem 5.1, with both forms written out.

    Examples
    --------
    >>> round(marchand_ball_bound(m=615, n_balls=2, n_p_centers=1, k=12, delta=0.05), 6)
    0.150917
    """
    m = check_count("m", m)
    n_balls = check_count("n_balls", n_balls, low=1)
    n_p_centers = check_count("n_p_centers", n_p_centers, high=n_balls, limit="n_balls")
    k = check_count("k", k, high=m, limit="m")
    return _marchand(m, 2 * n_balls, n_p_centers, k, check_delta(delta), relaxed)


def _marchand(m: int, d: int, d_prime: int, k: int, delta: float, relaxed: bool) -> float:
    """Return the right-hand side of theorem 5.1 for checked arguments."""
    left = m - d - k
    if left <= 0:
        return 1.0
    nats = 2 * math.log(m) + math.log(d) - math.log(delta)
    if relaxed:
        nats += _log_power_limit(m, d) + _log_power_limit(d, d_prime) + _log_power_limit(m - d, k)
        return min(nats / left, 1.0)
    return _exponential_bound(nats + log_binomial(m, d) + log_binomial(d, d_prime) + log_binomial(m - d, k), left)


def _log_power_limit(n: int, k: int) -> float:
    """Return k ln(e n / k), which is at least ln C(n, k); 0 for k = 0."""
    return k * (1.0 + math.log(n / k)) if k else 0.0


def _exponential_bound(nats: float, n: int) -> float:
    """Return 1 - exp(-nats / n): the error that n right answers in a row make implausible."""
    return -math.expm1(-nats / n)


def compression_bound(m: Count, d: Count, k_outside: Count, message_nats: Real, delta: Real) -> float:
    r"""Bound the error of a sample-compressed classifier by a binomial tail.

    .. math:: \overline{\mathrm{Bin}}(k, m - d, \delta'), \quad
              \ln\delta' = \ln\delta - \ln\binom{m}{d} - \ln((d+1)(d+2)) - \mathrm{message\_nats}

    It holds, for all sets and messages at once, if the classifier is a function of d of the m i.i.d. examples
    and of a message, fixed before the examples were seen; the compression set itself may be misclassified.
    The message comes from a prefix code and costs -ln of its probability; the size costs ln((d+1)(d+2)) under
    the prior 1/((d+1)(d+2)), which is counted here and not in the message. Void if anything else about the
    data enters the classifier, or if delta or the code were chosen after seeing the data.

    Parameters
    ----------
    m : int
        Number of examples, at least 0.
    d : int
        Number of distinct examples in the compression set, 0 to m.
    k_outside : int
        Number of errors on the m - d other examples, 0 to m - d.
    message_nats : float
        Length of the message in nats, at least 0; inf gives 1.
    delta : float
        Probability that the statement may fail, in (0, 1].

    Returns
    -------
    float
        The bound in [0, 1], never below the error rate outside the set; 1.0 if k_outside = m - d.

    Examples
    --------
    >>> round(compression_bound(m=1000, d=4, k_outside=10, message_nats=5.0, delta=0.05), 6)
    0.060854
    """
    m = check_count("m", m)
    d = check_count("d", d, high=m, limit="m")
    k_outside = check_count("k_outside", k_outside, high=m - d, limit="m - d")
    message_nats = check_real("message_nats", message_nats)
    nats = log_ways(m, d) + math.log((d + 1) * (d + 2)) + message_nats
    return inverted_tail(k_outside, m - d, math.log(check_delta(delta)) - nats)


def drouin_kmer_bound(
    m: Count, n_compression: Count, r: Count, n_rules: Count, genome_size: Count, delta: Real
) -> float:
    r"""Bound the error of a rule over k-mers, each of which occurs in a genome of the compression set.

    .. math:: 1 - \exp\left\{\frac{-1}{m - |Z| - r}\left(\ln\binom{m}{|Z|} + \ln\binom{m - |Z|}{r}
              + |h|\ln(2N) + \ln\frac{\pi^6 (|h|+1)^2 (r+1)^2 (|Z|+1)^2}{216\,\delta}\right)\right\}

    where N = \|Z\| * genome_size is at least the number of k-mers in the genomes of Z (Drouin et al., 2016).
    It holds for a conjunction or disjunction, fixed beforehand which, of \|h\| presence and absence rules, if
    the m genomes are i.i.d. and k was not chosen on them. Void for k-mers that occur in no genome of Z.

    Parameters
    ----------
    m : int
        Number of genomes, at least 0.
    n_compression : int
        Size of the compression set Z, 0 to m; at least 1 if there is a rule.
    r : int
        Number of training errors outside Z, 0 to m.
    n_rules : int
        Number of rules \|h\|, at least 0.
    genome_size : int
        Largest number of k-mers in one genome, at least 0; at least 1 if there is a rule.
    delta : float
        Probability that the statement may fail, in (0, 1].

    Returns
    -------
    float
        The bound in [0, 1]; 1.0 if m <= n_compression + r.

    Examples
    --------
    >>> round(drouin_kmer_bound(m=500, n_compression=2, r=5, n_rules=2, genome_size=4_000_000, delta=0.05), 6)
    0.156014
    """
    m = check_count("m", m)
    n_rules = check_count("n_rules", n_rules)
    named = 1 if n_rules else 0  # a rule names its k-mer by a place in a genome of Z
    n_compression = check_count("n_compression", n_compression, low=min(named, m), high=m, limit="m")
    r = check_count("r", r, high=m, limit="m")
    genome_size = check_count("genome_size", genome_size, low=named)
    delta = check_delta(delta)
    left = m - n_compression - r
    if left <= 0:
        return 1.0
    nats = log_binomial(m, n_compression) + log_binomial(m - n_compression, r)
    if n_rules:
        nats += n_rules * math.log(2 * n_compression * genome_size)
    nats += 2 * math.log((n_rules + 1) * (r + 1) * (n_compression + 1)) + _THREE_ZETA_PRIORS - math.log(delta)
    return _exponential_bound(nats, left)
