"""Rows set apart: the split looks at nothing, and the bound is that of a hold-out, whatever the other rows chose."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest

from laconic.certificates import Certificate, OneOf, SetApart, binomial_tail_inversion, rows_apart

HELD_OUT = SetApart(342, 12, 341)


@pytest.mark.parametrize("n_rows", [2, 3, 10, 683])
@pytest.mark.parametrize("share", [0.01, 0.2, 0.5, 0.99])
def test_the_split_depends_on_the_number_of_rows_alone(n_rows, share):
    apart = rows_apart(n_rows, share)
    assert apart.shape == (n_rows,)
    assert 1 <= apart.sum() <= n_rows - 1
    assert apart.sum() <= max(share * n_rows, 1)
    assert (apart == rows_apart(n_rows, share)).all()


def test_other_keys_give_other_splits():
    splits = {rows_apart(50, random_state=seed).tobytes() for seed in range(20)}
    assert len(splits) == 20


@pytest.mark.parametrize(("n_rows", "share"), [(1, 0.5), (0, 0.5), (10, 0.0), (10, 1.0), (10, math.nan)])
def test_a_split_that_leaves_nothing_is_refused(n_rows, share):
    with pytest.raises(ValueError, match="found"):
        rows_apart(n_rows, share)


@pytest.mark.parametrize("nats", [0.0, 2.5])
def test_the_bound_is_the_binomial_tail_over_the_rows_set_apart(nats):
    expected = binomial_tail_inversion(12, 342, 0.05 * math.exp(-nats))
    assert SetApart(342, 12, 341, nats).bound(0.05) == pytest.approx(expected, rel=1e-12)
    assert SetApart(342, 12, 5, nats).bound(0.05) == SetApart(342, 12, 5000, nats).bound(0.05)


def test_the_certificate_says_that_it_is_a_hold_out():
    certificate = Certificate.resting_on(HELD_OUT, delta=0.05, empirical_risk=0.03, n_samples=683)
    assert certificate.n_samples == 683
    assert certificate.held_out_errors() == (12, 342)
    assert certificate.summary() == (
        "12 of the 342 held-out rows (3.5 %) are misclassified; the model was chosen on the other 341 rows."
    )
    assert "12 of the 342 rows" in certificate.explain()
    among = certificate.one_of(2)
    assert among.statements == (OneOf(HELD_OUT, 2),)
    assert "held-out rows" in among.summary()
    assert among.n_samples == 683
    assert certificate.paying(1.0).statements == (SetApart(342, 12, 341, 1.0),)


def test_what_is_paid_is_what_the_bound_charges_and_what_would_improve_it_does():
    for statement in (HELD_OUT, SetApart(342, 0, 341, 3.0)):
        paid = math.fsum(nats for _, nats in statement.paid())
        assert SetApart(342, statement.errors_outside, 341, paid).bound(0.05) == statement.bound(0.05)
        for _, other in statement.improvements():
            assert other.bound(0.05) <= statement.bound(0.05)


MESSAGES = [math.log(2), math.log(4), math.log(8), math.log(8)]  # nats; a complete prefix code


def failures(delta, certify, n_draws=20_000, n_rows=12):
    """Finish a model in one of four ways, of independent errors, whichever breaks its promise, if one does."""
    rng = np.random.default_rng(5)
    risks = np.array([min(certify(nats, delta) * (1 + 1e-9), 1.0) for nats in MESSAGES])
    errors = rng.binomial(n_rows, risks, size=(n_draws, len(MESSAGES)))
    return int((errors == 0).any(axis=1).sum()), n_draws


@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_finishing_on_the_rows_set_apart_is_paid_and_the_bound_is_nearly_reached(delta):
    failed, n_draws = failures(delta, lambda nats, delta: SetApart(12, 0, 100, nats).bound(delta))
    assert binomtest(failed, n_draws, delta, alternative="greater").pvalue > 1e-4
    assert failed > 0.85 * (1 - math.exp(-delta)) * n_draws


def test_finishing_for_nothing_breaks_the_bound():
    failed, n_draws = failures(0.05, lambda nats, delta: SetApart(12, 0, 100).bound(delta))
    assert binomtest(failed, n_draws, 0.05, alternative="greater").pvalue < 1e-4
