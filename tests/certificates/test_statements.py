"""What a certificate rests on: read at another delta, and explained."""

import math
import pickle
import re
from dataclasses import replace

import numpy as np
import pytest

from laconic._table import Table
from laconic.certificates import (
    ASSUMPTIONS,
    Certificate,
    FiniteClass,
    PreferentCompression,
    SampleCompression,
    compression_bound,
    order_by_value,
    percent_up,
    preferent_bound,
    smallest_bound,
)
from laconic.certificates._percentages import confidence

PICKED = PreferentCompression(683, 14)
COUNTED = SampleCompression(683, 2, 13, 2.1)
PAIR = (PreferentCompression(683, 40), SampleCompression(683, 40, 0, 0.0))
STOPPED = (PreferentCompression(683, 90, 20, 1.8), SampleCompression(683, 5, 20, 0.0))
VACUOUS = (PreferentCompression(10, 10, 2), SampleCompression(10, 8, 2, 0.0))
BASES = {
    "picked": (PICKED,),
    "counted": (COUNTED,),
    "nothing sent": (SampleCompression(50, 0, 3, 0.0),),
    "pair": PAIR,
    "stopped": STOPPED,
    "vacuous": VACUOUS,
    "one row": (PreferentCompression(1, 1), SampleCompression(1, 1, 0, 0.0)),
    "no picks": (PreferentCompression(500, 0), SampleCompression(500, 0, 0, 0.0)),
    "many rows": (SampleCompression(10**7, 100, 12345, 987.6),),
}
every_base = pytest.mark.parametrize("statements", BASES.values(), ids=BASES)


def resting(*statements, delta=0.05, **others):
    return Certificate.resting_on(*statements, delta=delta, empirical_risk=0.02, **others)


# --- Statements ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delta", [1.0, 0.05, 1e-9])
@pytest.mark.parametrize(
    ("m", "d", "k", "nats"), [(10, 0, 0, 0.0), (683, 2, 13, 2.1), (683, 600, 83, 0.0), (1, 1, 0, 5)]
)
def test_sample_compression_is_the_compression_bound(m, d, k, nats, delta):
    assert SampleCompression(m, d, k, nats).bound(delta) == compression_bound(m, d, k, nats, delta)


@pytest.mark.parametrize("delta", [1.0, 0.05, 1e-9])
@pytest.mark.parametrize(("m", "d"), [(10, 0), (683, 14), (683, 683)])
def test_preferent_compression_is_the_preferent_bound_whatever_put_a_row_into_the_set(m, d, delta):
    for wrong in {0, d // 2, d}:
        assert PreferentCompression(m, d, wrong).bound(delta) == preferent_bound(m, d, delta)
    share = delta * math.exp(-1.5)
    assert PreferentCompression(m, d, message_nats=1.5).bound(delta) == preferent_bound(m, d, share)


def test_statements_are_values():
    for statement in (PICKED, COUNTED):
        assert pickle.loads(pickle.dumps(statement)) == statement
        assert hash(replace(statement)) == hash(statement)
        with pytest.raises(AttributeError):
            statement.size = 0
    assert PICKED.message_nats == 0.0


def test_what_sample_compression_pays_is_what_its_bound_charges():
    paid = math.fsum(nats for _, nats in COUNTED.paid())
    as_message = SampleCompression(681, 0, 13, paid - math.log(2)).bound(0.05)  # nothing else is charged but ln 2
    assert as_message == pytest.approx(COUNTED.bound(0.05), rel=1e-12)


@every_base
def test_what_would_improve_a_statement_is_never_worse(statements):
    for statement in statements:
        for _, other in statement.improvements():
            assert other.bound(0.05) <= statement.bound(0.05) * (1 + 1e-12)


# --- Several statements share delta --------------------------------------------------------------------------


@every_base
@pytest.mark.parametrize("delta", [1.0, 0.05, 1e-6])
def test_delta_is_split_equally_and_the_smallest_bound_counts(statements, delta):
    bounds = [statement.bound(delta / len(statements)) for statement in statements]
    bound, best = smallest_bound(statements, delta)
    assert bound == min(bounds)
    assert best is statements[bounds.index(min(bounds))]


def test_of_two_each_gets_half():
    preferent, counted = preferent_bound(683, 40, 0.025), compression_bound(683, 40, 0, 0.0, 0.025)
    assert preferent < counted
    assert smallest_bound(PAIR, 0.05) == (preferent, PAIR[0])
    assert smallest_bound(PAIR[::-1], 0.05) == (preferent, PAIR[0])
    # where the other one is smaller, it counts, and still has half only
    assert smallest_bound(STOPPED, 0.05) == (compression_bound(683, 5, 20, 0.0, 0.025), STOPPED[1])
    assert smallest_bound((COUNTED,), 0.05)[0] == compression_bound(683, 2, 13, 2.1, 0.05)


@every_base
def test_a_certificate_describes_the_statement_that_counts(statements):
    certificate = resting(*statements)
    bound, best = smallest_bound(statements, 0.05)
    assert certificate.risk_bound == bound
    assert certificate.statements == statements
    described = (certificate.n_samples, certificate.compression_size, certificate.message_nats, certificate.method)
    assert described == (best.n_samples, best.size, best.message_nats, best.method)
    assert certificate.promised_delta is None


def test_rows_that_were_set_apart_are_counted_among_the_rows_passed():
    certificate = resting(PICKED, n_samples=700, outcome="off by more than 0.5", notes=("A note.",))
    assert certificate.n_samples == 700
    assert "the chance that a new row is off by more than 0.5 is at most" in str(certificate)
    assert "of 700 rows are off by more than 0.5" in certificate.summary()
    assert certificate.summary().endswith("A note.")


# --- Another delta -------------------------------------------------------------------------------------------


@every_base
@pytest.mark.parametrize("delta", [1.0, 0.5, 0.01, 1e-9])
def test_another_delta_is_read_in_hindsight(statements, delta):
    certificate = resting(*statements, notes=("A note.",))
    reading = certificate.at(delta)
    bound, best = smallest_bound(statements, delta)
    assert (reading.risk_bound, reading.delta, reading.method) == (bound, delta, best.method)
    assert reading.promised_delta == 0.05
    assert str(reading) == (
        f"Had {confidence(delta)} confidence been chosen before the data was seen, the bound would have read "
        f"{percent_up(bound)}.\n"
        "Chosen now, it promises nothing; the promise stays the one made with 95 % confidence."
    )
    assert certificate.delta == 0.05  # the promise itself is untouched
    assert "at most" in str(certificate) or "No useful bound" in str(certificate)


@every_base
def test_back_at_the_promised_delta_the_certificate_is_the_same_but_for_its_notes(statements):
    certificate = resting(*statements, notes=("A note.",), n_samples=700, outcome="off by more than 2")
    assert certificate.at(0.05) == replace(certificate, notes=())
    assert certificate.at(0.5).at(0.05) == replace(certificate, notes=())
    assert certificate.at(0.5).at(0.01) == certificate.at(0.01)
    assert str(certificate.at(0.5).at(0.05)) == str(certificate)


def test_the_bound_falls_as_delta_rises():
    for statements in BASES.values():
        readings = [resting(*statements).at(delta).risk_bound for delta in [1e-12, 1e-6, 0.01, 0.05, 0.3, 1.0]]
        assert readings == sorted(readings, reverse=True)


@pytest.mark.parametrize("delta", [0.0, -0.1, 1.5, math.nan, math.inf, None, "0.5", True])
def test_a_delta_that_makes_no_sense_is_refused(delta):
    with pytest.raises(ValueError, match=r"delta must be a number in \(0, 1\], got"):
        resting(COUNTED).at(delta)


def test_a_certificate_without_statements_cannot_be_read_at_another_delta():
    bare = Certificate(0.1, 0.05, 0.02, 683, 2, 9.0, "sample compression")
    with pytest.raises(ValueError, match="does not say what it rests on"):
        bare.at(0.5)


# --- Explained -----------------------------------------------------------------------------------------------


def one_line(text):
    return re.sub(r"\s+", " ", text)


def section(text, heading):
    """The (number, words) pairs below a heading, with wrapped words joined."""
    _, found, rest = text.partition(f"\n{heading}")
    if not found:
        return []
    entries = []
    for line in rest.split("\n\n")[0].split("\n")[1:]:
        if number := re.match(r" {0,7}(-?[\d.]+)(?: %)?  (\S.*)", line):
            entries.append([float(number[1]), number[2]])
        else:
            entries[-1][1] += " " + line.strip()
    return entries


@every_base
@pytest.mark.parametrize("delta", [1.0, 0.05, 1e-9])
def test_explanations_fit_eighty_columns_and_name_every_assumption(statements, delta):
    assumptions = (*ASSUMPTIONS, "The estimator is a fixed function of the rows that it is given.")
    outcome = "off by more than 0.123457"
    text = resting(*statements, delta=delta, assumptions=assumptions, outcome=outcome).explain()
    assert max(map(len, text.split("\n"))) <= 80
    assert all(line == line.rstrip() for line in text.split("\n"))
    for assumption in assumptions:
        assert f"- {assumption}" in one_line(text)


@every_base
@pytest.mark.parametrize("delta", [1.0, 0.05, 1e-9])
def test_explanations_list_every_price_and_their_sum(statements, delta):
    certificate = resting(*statements, delta=delta)
    share = delta / len(statements)
    _, best = smallest_bound(statements, delta)
    prices = [*best.paid(), (f"{confidence(share)} confidence", -math.log(share))]
    together = math.fsum(nats for _, nats in prices)
    listed = section(certificate.explain(), "Paid, in nats")
    assert [what for _, what in listed] == [*(what for what, _ in prices), "together"]
    for (number, _), nats in zip(listed, [*(nats for _, nats in prices), together], strict=True):
        assert number == pytest.approx(nats, abs=0.0501)
    assert sum(number for number, _ in listed[:-1]) == pytest.approx(listed[-1][0], abs=0.05 * len(listed) + 1e-9)


def test_no_confidence_costs_nothing_and_not_minus_nothing():
    text = resting(COUNTED, delta=1.0).explain()
    assert [0.0, "0 % confidence"] in section(text, "Paid, in nats")
    assert "-0.0" not in text


@every_base
@pytest.mark.parametrize("delta", [1.0, 0.05, 1e-9])
def test_explanations_list_what_really_would_tighten_the_bound_the_most_first(statements, delta):
    certificate = resting(*statements, delta=delta)
    _, best = smallest_bound(statements, delta)
    improved = {what: other.bound(delta / len(statements)) for what, other in best.improvements()}
    listed = section(certificate.explain(), "What would tighten it")
    numbers = [number for number, _ in listed]
    assert numbers == sorted(numbers)
    for number, what in listed:
        assert improved[what] < certificate.risk_bound
        assert f"{number:g} %" == percent_up(improved[what])
    assert {what for _, what in listed} == {what for what, bound in improved.items() if bound < certificate.risk_bound}


def test_an_explanation_says_what_each_of_two_statements_gives():
    text = one_line(resting(*STOPPED).explain())
    assert "It rests on sample compression, binomial tail: 20 of the 678 rows that it is not rebuilt from" in text
    assert "Delta was split equally" in text
    preferent = percent_up(STOPPED[0].bound(0.025))
    assert f"preferent compression would give {preferent}" in text
    other = percent_up(PAIR[1].bound(0.025))
    assert f"sample compression, binomial tail would give {other}" in one_line(resting(*PAIR).explain())
    assert "split" not in resting(COUNTED).explain()


def test_a_vacuous_certificate_explains_itself_too():
    text = resting(*VACUOUS).explain()
    assert one_line(text).startswith(
        "No useful bound: at 95 % confidence nothing below 100 % can be promised from 10 rows."
    )
    assert section(text, "Paid, in nats")
    assert "Assumed:" in text


def test_a_reading_in_hindsight_explains_that_it_is_one():
    text = resting(COUNTED).at(0.5).explain()
    assert text.startswith("Had 50 % confidence been chosen before the data was seen")
    assert "it promises nothing" in text
    assert section(text, "Paid, in nats")[-2] == [0.7, "50 % confidence"]


def test_a_certificate_without_statements_explains_what_it_assumes():
    text = Certificate(0.1, 0.05, 0.02, 683, 2, 9.0, "sample compression").explain()
    assert text.startswith("With 95 % confidence")
    assert ASSUMPTIONS[1] in one_line(text)
    assert "Paid" not in text
    assert "tighten" not in text


def test_order_by_value_is_the_order_of_all_columns():
    rng = np.random.default_rng(0)
    for _ in range(300):
        n, d = rng.integers(0, 12), rng.integers(1, 4)
        X, y = rng.choice([0.0, -0.0, 1.0, 2.0, np.nan], (n, d)), rng.integers(0, 3, n)
        table = Table.from_array(X)
        keys = [y, *(table.column(j).sort_keys(np.arange(n)) for j in reversed(range(d)))]
        assert (order_by_value(table, y) == np.lexsort(keys)).all()


def test_a_choice_among_models_is_paid_for():
    alone = Certificate.resting_on(*PAIR, delta=0.05, empirical_risk=0.01)
    chosen = alone.one_of(8)
    assert chosen.risk_bound == alone.at(0.05 / 8).risk_bound > alone.risk_bound
    assert (chosen.delta, chosen.promised_delta) == (0.05, None)
    assert str(chosen).startswith("With 95 % confidence")
    assert "which of 8 models it is" in chosen.explain()
    assert chosen.at(0.2).risk_bound == alone.at(0.2 / 8).risk_bound
    assert alone.one_of(1) is alone
    for among in (0, -1):
        with pytest.raises(ValueError, match="at least one model"):
            alone.one_of(among)
    for other in (alone.at(0.1), replace(alone, statements=())):
        with pytest.raises(ValueError, match="Only the certificate that was promised"):
            other.one_of(2)


def test_the_best_of_many_keeps_its_promise():
    """Models that guess, each with a bound of its own: the one with the smallest bound breaks it, unless it pays."""
    rng, n_models, n_draws = np.random.default_rng(0), 40, 400
    errors = rng.binomial(60, 0.5, size=(n_draws, n_models)).min(axis=1)  # the fewest errors have the smallest bound
    certificates = {
        int(k): Certificate.resting_on(FiniteClass(60, int(k), 0.0), delta=0.05, empirical_risk=k / 60)
        for k in set(errors.tolist())
    }
    free = sum(certificates[int(k)].risk_bound < 0.5 for k in errors)
    paid = sum(certificates[int(k)].one_of(n_models).risk_bound < 0.5 for k in errors)
    assert paid <= 0.05 * n_draws < 0.5 * n_draws < free


def test_paying_lengthens_the_message_of_every_statement():
    statements = (SampleCompression(300, 2, 5, 1.5), PreferentCompression(300, 20))
    certificate = Certificate.resting_on(*statements, delta=0.05, empirical_risk=0.02)
    dearer = certificate.paying(2.0)
    assert [statement.message_nats for statement in dearer.statements] == [3.5, 2.0]
    assert dearer.statements[0].bound(0.05) == SampleCompression(300, 2, 5, 3.5).bound(0.05)
    assert dearer.statements[1].bound(0.05) == PreferentCompression(300, 20).bound(0.05 * math.exp(-2.0))
    assert dearer.risk_bound > certificate.risk_bound
    assert certificate.one_of(3).paying(2.0).risk_bound == certificate.paying(2.0).one_of(3).risk_bound
    assert certificate.paying(0.0) == certificate
    assert PreferentCompression(300, 20, message_nats=1e6).bound(0.05) == 1.0
    for price in (-1.0, math.inf, math.nan):
        with pytest.raises(ValueError, match="A price is a number of nats"):
            certificate.paying(price)
    with pytest.raises(ValueError, match="was promised"):
        certificate.at(0.5).paying(1.0)


def test_a_void_certificate_promises_nothing_and_says_why():
    void = Certificate.resting_on(SampleCompression(300, 2, 5, 1.5), delta=0.05, empirical_risk=0.02).void("Picked.")
    assert void.risk_bound == 1.0
    assert "No useful bound" in str(void)
    assert "Picked." in void.summary()
