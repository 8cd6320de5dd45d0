"""Bands: as narrow as the wanted coverage allows, and never narrower than is promised."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest
from tests.oracles.bounds import narrowest_band

from laconic.certificates import Band, Residuals, SampleCompression


def residuals_of(values, rows=(), nats=0.0, delta=0.05, coverage=0.9):
    outside = np.ones(len(values), dtype=bool)
    outside[list(rows)] = False
    return Residuals(np.asarray(values), outside, SampleCompression(len(values), len(rows), 0, nats), delta, coverage)


@pytest.mark.parametrize("seed", range(12))
def test_the_band_is_that_of_the_slow_twin(seed):
    rng = np.random.default_rng(seed)
    values = np.abs(rng.standard_t(2, size=int(rng.choice([5, 40, 200, 700])))).round(int(rng.integers(0, 4)))
    rows = rng.choice(len(values), size=4, replace=False)
    nats, delta, coverage = float(rng.uniform(0, 9)), float(rng.choice([0.01, 0.3])), float(rng.choice([0.5, 0.9]))
    certificate, tolerance = residuals_of(values, rows, nats, delta, coverage).narrowest()
    promised, expected, statement = narrowest_band(values, rows, nats, delta, coverage)
    beyond = values > expected
    assert tolerance == expected
    assert certificate.statements == (Band(statement, int(np.delete(beyond, rows).sum())),)
    assert certificate.risk_bound == statement.bound(delta)
    assert certificate.empirical_risk == beyond.mean()
    assert (certificate.refusal == "") == promised == (certificate.risk_bound <= 1 - coverage)


@pytest.mark.parametrize("values", [np.arange(1, 5), np.arange(1, 200), np.array([1.0, 1.0, 1.0, 2.0])])
def test_a_band_fails_as_often_as_it_may_and_no_oftener(values):
    """Also where residuals take few values, so that many are as far away as the band is wide."""
    rng = np.random.default_rng(0)
    failed = seen = 0
    for _ in range(600):
        certificate, tolerance = residuals_of(rng.choice(values, size=60), delta=0.5, coverage=0.8).narrowest()
        seen += certificate.statements[0].errors_outside < certificate.statements[0].statement.errors_outside
        failed += np.mean(values > tolerance) > certificate.risk_bound
    assert binomtest(failed, 600, 0.5, alternative="greater").pvalue > 1e-3
    assert seen > 0, "there are ties, and they are no gain"


def test_the_share_of_failures_is_that_of_the_binomial_tail():
    """For a continuous residual the chance is known exactly: no narrower band could be promised."""
    certificate, _ = residuals_of(np.arange(250.0), delta=0.05).narrowest()
    allowed = certificate.statements[0].statement.errors_outside
    share = 0.05 / 2  # the size of the set, none, has half of the prior
    assert binom.cdf(allowed, 250, 0.1) <= share < binom.cdf(allowed + 1, 250, 0.1)


def test_what_cannot_be_promised_is_said_first():
    certificate, tolerance = residuals_of([3.0, 1.0, 2.0]).narrowest()
    assert tolerance == 3.0
    assert str(certificate).startswith("No band that holds 90 % of new targets can be promised from 3 rows. With 95 %")
    assert certificate.explain().startswith("No band that holds 90 %")
    assert certificate.to_html().startswith("<p>No band that holds 90 %")
    assert certificate.at(0.5).risk_bound < certificate.risk_bound


def test_what_is_paid_later_counts_as_what_was_paid_at_once():
    values = np.random.default_rng(1).exponential(size=300)
    later, tolerance = residuals_of(values).narrowest(4.0)
    at_once, expected = residuals_of(values, nats=4.0).narrowest()
    assert (later, tolerance) == (at_once, expected)
    assert residuals_of(values).narrowest()[1] < tolerance
    assert residuals_of(values).narrowest()[0].paying(4.0).risk_bound > 0.1


def test_of_endless_residuals_nothing_is_promised():
    certificate, tolerance = residuals_of(np.full(300, np.inf)).narrowest()
    assert certificate.risk_bound == 1.0
    assert np.isfinite(tolerance)
    assert certificate.refusal


def test_a_band_explains_itself():
    values = np.repeat(np.arange(30.0), 10)
    certificate, _ = residuals_of(values, rows=[0, 1]).narrowest()
    text = " ".join(certificate.explain().split())
    assert "10 of the 298 rows outside are beyond the band, and 10 were allowed to be" in text or "were allowed" in text
    assert "The confidence and the coverage were chosen before the data was seen." in text
    assert certificate.one_of(3).risk_bound > certificate.risk_bound
