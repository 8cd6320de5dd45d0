"""Learners made to break a bound nearly reach it, and break every bound that forgets something."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest

from laconic.certificates import binomial_tail_inversion, preferent_bound
from laconic.certificates._numbers import log_binomial
from tests.simulation import adversary

N_DRAWS = 2_500


def rejected(violations, delta, n_draws=N_DRAWS):
    return binomtest(violations, n_draws, delta, alternative="greater").pvalue < 1e-4


def search(delta, certify=None):
    searcher, rng = adversary.Searcher(certify, delta), np.random.default_rng(5)
    return sum(searcher.violations(100, rng) for _ in range(N_DRAWS // 100))


@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_the_compression_bound_holds_against_a_search_and_is_nearly_reached(delta):
    violations = search(delta)
    assert not rejected(violations, delta)
    # of the prior over sizes four terms are used, and independent events overlap a little
    reachable = 1 - math.exp(-delta * 0.8)
    assert violations > 0.85 * reachable * N_DRAWS


def tail(size, errors, log_share):
    return binomial_tail_inversion(errors, adversary.N_ROWS - size, min(math.exp(log_share), 1.0))


FORGETFUL = {
    "the message": lambda size, nats: -math.log((size + 1) * (size + 2)) - log_binomial(adversary.N_ROWS, size),
    "the sizes": lambda size, nats: -nats - log_binomial(adversary.N_ROWS, size),
    "the choice of the set": lambda size, nats: -nats - math.log((size + 1) * (size + 2)),
    "half of 1/delta": lambda size, nats: (
        math.log(2) - nats - math.log((size + 1) * (size + 2)) - log_binomial(adversary.N_ROWS, size)
    ),
}


@pytest.mark.parametrize("forgotten", FORGETFUL)
def test_the_search_breaks_a_bound_that_forgets(forgotten):
    delta = 0.05
    log_share = FORGETFUL[forgotten]

    def certify(size, errors, nats):
        return tail(size, errors, math.log(delta) + log_share(size, nats))

    assert rejected(search(delta, certify), delta)


def test_the_search_breaks_a_bound_that_counts_the_set_as_tested():
    """m trials instead of m − d: the examples of the set were right by construction, so they prove nothing."""
    delta, m = 0.05, adversary.N_ROWS

    def certify(size, errors, nats):
        share = math.exp(math.log(delta) - nats - math.log((size + 1) * (size + 2)) - log_binomial(m, size))
        return binomial_tail_inversion(errors, m, share)

    assert rejected(search(delta, certify), delta)


# ---- Pick-to-Learn


def nested_violations(n_rows, delta, rng, uncounted=0, n_draws=20_000):
    """Stop at the first j for which the (j + 1)-th smallest x is not below the risk that j picks would promise."""
    risks = np.array([min(preferent_bound(n_rows, j, delta) * (1 + 1e-9), 1.0) for j in range(n_rows)])
    x = np.sort(rng.random((n_draws, n_rows - uncounted)), axis=1)
    return int((x >= risks[: n_rows - uncounted]).any(axis=1).sum())


@pytest.mark.parametrize(("delta", "least"), [(0.5, 0.25), (0.05, 0.01)])
@pytest.mark.parametrize("n_rows", [20, 200])
def test_the_preferent_bound_holds_against_nested_regions(n_rows, delta, least):
    violations = nested_violations(n_rows, delta, np.random.default_rng(8))
    assert not rejected(violations, delta, 20_000)
    assert violations > least * 20_000


@pytest.mark.parametrize("n_rows", [20, 200])
def test_nested_regions_break_a_bound_with_an_uncounted_seed_or_twice_delta(n_rows):
    rng = np.random.default_rng(9)
    assert rejected(nested_violations(n_rows, 0.5, rng, uncounted=1), 0.5, 20_000)
    assert rejected(nested_violations(n_rows, 1.0, rng), 0.5, 20_000)


@pytest.mark.parametrize("kind", adversary.PICKERS)
def test_certified_holds_against_nested_regions(kind):
    n_draws = 100
    count = adversary.duel(kind, n_draws, delta=0.5)
    assert count.holds
    assert count.violations > (0.05 if "early" in kind else 0.15) * n_draws
