"""Promises beside the error: the figures are those of the slow twin, shares sum to delta, nothing else is read."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.oracles import promises as oracle

from laconic.certificates import (
    Certificate,
    FiniteClass,
    GibbsBalls,
    Promised,
    Promises,
    SampleCompression,
    SetApart,
    binomial_tail_inversion,
)

KINDS = ("classes", "rules", "groups", "costs", "abstain")
N_CLASSES = (2, 3)


def counts(first, second, n_first, n_second):
    table = np.zeros((n_first, n_second), dtype=int)
    np.add.at(table, (first, second), 1)
    return tuple(map(tuple, table.tolist()))


def drawn(n_classes, runs=(1, 1, 1), kinds=KINDS, seed=0, n_rows=150, costs=None):
    """A made-up model with four lines, judged on rows of three groups."""
    rng = np.random.default_rng(seed)
    labels, lines, groups = (rng.integers(n, size=n_rows) for n in (n_classes, 4, 3))
    answers = np.array([0, 1, 0, n_classes - 1])
    lines = np.where(rng.random(n_rows) < 0.7, np.argmax(labels[:, None] == answers, axis=1), lines)
    predicted = answers[lines]
    wrong = (predicted != labels).astype(int)
    promised = Promised(
        kinds,
        tuple("abc"[:n_classes]),
        counts(labels, predicted, n_classes, n_classes),
        tuple(answers.tolist()) if "rules" in kinds else (),
        counts(lines, labels, 4, n_classes) if "rules" in kinds else (),
        runs if "rules" in kinds else (),
        (1, 2, None),
        tuple((a + b, b) for a, b in counts(groups, wrong, 3, 2)),
        costs,
        0.5,
    )
    statement = SampleCompression(n_rows + 2, 2, int(wrong.sum()), 1.5)
    certificate = Certificate.resting_on(statement, delta=0.05, empirical_risk=0.3).promising(promised)
    price = math.log(math.comb(n_rows + 2, 2)) + math.log(12) + 1.5
    return certificate, price, labels, predicted, lines, groups


@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_by_class(n_classes):
    certificate, price, labels, predicted, *_ = drawn(n_classes)
    expected = oracle.class_bounds(labels, predicted, n_classes, KINDS, price, 0.05)
    for code, (missed, alarms, wrong, taken) in enumerate(expected):
        found = certificate.for_class("abc"[code])
        assert found.missed.high == pytest.approx(missed, rel=1e-9)
        assert found.false_alarms.high == pytest.approx(alarms, rel=1e-9)
        assert found.wrong_answers.high == pytest.approx(wrong, rel=1e-9)
        assert {c: p.high for c, p in found.taken_for.items()} == pytest.approx(
            {"abc"[other]: bound for other, bound in taken.items()}, rel=1e-9
        )
        rates = found.sensitivity, found.specificity, found.precision
        assert rates == pytest.approx((1 - missed, 1 - alarms, 1 - wrong), rel=1e-9)


@pytest.mark.parametrize("runs", [(1, 1, 1), (3,), (1, 2)])
@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_by_line_both_ends(n_classes, runs):
    certificate, price, labels, _, lines, _ = drawn(n_classes, runs)
    expected = oracle.line_bounds(labels, lines, 4, n_classes, KINDS, price, 0.05, runs)
    for number, limits in zip((1, 2, 3, None), expected, strict=True):
        found = certificate.for_rule(number)
        assert [(p.low, p.high) for p in found.chances] == [pytest.approx(pair, abs=1e-9) for pair in limits]
        assert found.right == found.chances[found.answer]


@pytest.mark.parametrize("runs", [(1,), (2,), (5,), (1, 1, 1), (3, 1, 2)])
def test_the_price_of_an_order_that_was_not_sent_is_the_number_of_ways_to_stand(runs):
    n_lines = sum(runs) + 1
    promised = Promised(("rules",), ("a", "b"), ((0, 0), (0, 0)), (0,) * n_lines, ((0, 0),) * n_lines, runs)
    for place in range(n_lines):
        assert math.exp(promised._line_nats(place)) == pytest.approx(oracle.ways_to_stand(runs, place))


def test_by_group():
    certificate, price, labels, predicted, _, groups = drawn(2)
    share = oracle.share_of("groups", KINDS, 3, price, 0.05)
    for place, value in enumerate((1, 2, None)):
        wrong = (labels != predicted)[groups == place]
        assert certificate.by_group(value).high == pytest.approx(
            oracle.upper(int(wrong.sum()), len(wrong), share), rel=1e-9
        )
    assert certificate.by_group("never seen").high == 1.0


@pytest.mark.parametrize("n_classes", N_CLASSES)
@pytest.mark.parametrize("seed", range(4))
def test_the_cost_under_any_matrix_is_the_dearest_that_the_pairs_allow(n_classes, seed):
    certificate, price, *_ = drawn(n_classes)
    costs = np.random.default_rng(seed).normal(size=(n_classes, n_classes)).round(2)
    if seed % 2:
        np.fill_diagonal(costs, 0.0)
        costs = np.abs(costs)
    expected = oracle.pairs_cost(certificate.promised.confusion, costs.tolist(), KINDS, price, 0.05)
    assert certificate.cost(costs) == pytest.approx(expected, abs=1e-7)


def test_a_declared_cost_is_inverted_by_relative_entropy_and_a_count_by_the_tail():
    costs = ((0.0, 1.0), (5.0, -1.0))
    certificate, price, *_ = drawn(2, costs=costs)
    confusion = np.array(certificate.promised.confusion)
    share = oracle.share_of("costs", KINDS, 1, price, 0.05)
    mean = float((confusion * (np.array(costs) + 1) / 6).sum() / confusion.sum())
    expected = 6 * oracle.kl_upper(mean, int(confusion.sum()), share) - 1
    assert certificate.cost() == pytest.approx(expected, rel=1e-9)
    assert certificate.cost(costs) == certificate.cost({"a": {"b": 1}, "b": {"a": 5, "b": -1}}) == certificate.cost()
    with pytest.raises(ValueError, match="Another matrix"):
        certificate.cost([[0, 1], [1, 0]])
    certificate, price, *_ = drawn(2, costs=((0.0, 0.0), (3.0, 0.0)))
    expected = 3 * oracle.upper(certificate.promised.confusion[1][0], 150, share)
    assert certificate.cost() == pytest.approx(expected, rel=1e-9)


def test_what_a_model_cannot_answer_costs_nothing():
    """Always answering b costs 1 for each a, so that it is a count, and never the 5 of a missed b."""
    promised = Promised(("costs",), ("a", "b"), ((0, 60), (0, 90)), costs=((0.0, 1.0), (5.0, 0.0)), possible=(1,))
    certificate = Certificate.resting_on(FiniteClass(150, 60, 0.7), delta=0.05, empirical_risk=0.4).promising(promised)
    assert certificate.cost() == pytest.approx(oracle.upper(60, 150, 0.025 * math.exp(-0.7)))
    any_matrix = replace(certificate, promised=replace(promised, costs=None))
    share = 0.025 / 4 * math.exp(-0.7)
    assert any_matrix.cost([[9, 1], [9, 0]]) == pytest.approx(oracle.upper(60, 150, share))


def test_lines_that_answer():
    for runs, orders in (((1, 1, 1), 1), ((3,), 6), ((2, 1), 2)):
        certificate, price, labels, predicted, lines, _ = drawn(2, runs)
        limits = oracle.line_bounds(labels, lines, 4, 2, KINDS, price, 0.05, runs)
        right = [limits[line][answer][0] for line, answer in enumerate(certificate.promised.answers)]
        found = certificate.answered()
        assert found.lines == tuple(low >= 0.5 for low in right)
        answered = np.array(found.lines)[lines]
        assert 0 < answered.sum() < len(lines)
        share = oracle.share_of("abstain", KINDS, 2, price, 0.05, orders * 2**4)
        wrong = int((labels != predicted)[answered].sum())
        pooled = 1 - oracle.upper(wrong, int(answered.sum()), share)
        smallest = min(low for low, answers in zip(right, found.lines, strict=True) if answers)
        assert found.precision == pytest.approx(max(pooled, smallest), rel=1e-9)
        assert found.share == pytest.approx(1 - oracle.upper(int((~answered).sum()), len(lines), share), rel=1e-9)


@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_all_shares_and_that_of_the_error_sum_to_delta(n_classes):
    certificate, *_ = drawn(n_classes)
    promised = certificate.promised
    spent = sum(promised.tails(kind) * math.exp(-promised.share_nats(kind)) for kind in KINDS)
    assert spent + certificate.error_delta / certificate.delta == pytest.approx(1.0)


def test_the_error_has_half_of_delta_and_nothing_else_changes():
    certificate, *_ = drawn(2)
    alone = Certificate.resting_on(certificate.statements[0], delta=0.025, empirical_risk=0.3)
    assert certificate.risk_bound == alone.risk_bound
    assert certificate.delta == 0.05
    assert "95 %" in str(certificate)
    assert "half of delta" in certificate.explain()


def test_whatever_the_model_pays_every_promise_pays():
    certificate, *_ = drawn(2)
    before = certificate.for_class("a").missed.high
    for dearer in (certificate.one_of(7), certificate.paying(math.log(7))):
        assert dearer.for_class("a").missed.high == pytest.approx(certificate.at(0.05 / 7).for_class("a").missed.high)
        assert dearer.for_class("a").missed.high > before


def test_a_void_certificate_promises_nothing():
    certificate, *_ = drawn(2)
    with pytest.raises(ValueError, match="not promised"):
        certificate.void("Its rows were picked.").for_class("a")


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_not_declared_cannot_be_read(kind):
    asked = {
        "classes": lambda c: c.for_class("a"),
        "rules": lambda c: c.for_rule(1),
        "groups": lambda c: c.by_group(1),
        "costs": lambda c: c.cost([[0, 1], [1, 0]]),
        "abstain": lambda c: c.answered(),
    }[kind]
    others = tuple(one for one in KINDS if one != kind and not (kind == "rules" and one == "abstain"))
    certificate, *_ = drawn(2, kinds=others)
    with pytest.raises(ValueError, match="Declare it before fitting"):
        asked(certificate)


def test_nothing_seen_promises_nothing():
    statement = SampleCompression(5, 5, 0, 0.0)
    empty = ((0, 0), (0, 0))
    promised = Promised(KINDS, ("a", "b"), empty, (0, 1), empty, (1,), (1,), ((0, 0),), None, 0.5)
    certificate = Certificate.resting_on(statement, delta=0.05, empirical_risk=0.0).promising(promised)
    assert certificate.for_class("a").missed.high == certificate.by_group(1).high == 1.0
    assert (certificate.for_rule(1).right.low, certificate.for_rule(1).right.high) == (0.0, 1.0)
    assert certificate.cost([[0, 1], [2, 0]]) == 2.0
    assert certificate.answered().lines == (False, False)
    assert certificate.answered().share == certificate.answered().precision == 0.0


@pytest.mark.parametrize("statement", [SetApart(150, 20, 50, 0.7), FiniteClass(150, 20, 0.7)])
def test_rows_set_apart_and_messages_alone_pay_for_the_message_only(statement):
    promised = Promised(("classes",), ("a", "b"), ((60, 15), (5, 70)))
    certificate = Certificate.resting_on(statement, delta=0.05, empirical_risk=0.1).promising(promised)
    expected = binomial_tail_inversion(15, 75, 0.05 / 2 / 4 * math.exp(-0.7))
    assert certificate.for_class("a").missed.high == pytest.approx(expected)


def test_counts_of_other_rows_are_refused():
    certificate = Certificate.resting_on(SampleCompression(152, 2, 20, 1.0), delta=0.05, empirical_risk=0.1)
    with pytest.raises(ValueError, match="not the rows that it counts"):
        certificate.promising(Promised(("classes",), ("a", "b"), ((60, 15), (6, 69))))
    with pytest.raises(ValueError, match="not the rows that it counts"):
        certificate.promising(Promised(("classes",), ("a", "b"), ((62, 15), (5, 70))))


def test_a_vote_over_draws_cannot_promise_more():
    certificate = Certificate.resting_on(GibbsBalls(100, 1, 0.1, (0.4,), 4.0, 0.0), delta=0.05, empirical_risk=0.1)
    with pytest.raises(ValueError, match="Nothing beside the error"):
        certificate.promising(Promised(("classes",), ("a", "b"), ((50, 5), (5, 39))))


@pytest.mark.parametrize(
    ("wanted", "match"),
    [
        ("groups", "by which column"),
        (("classes", "lines"), "names out of"),
        (7, "names out of"),
        (Promises(classes="yes"), "True or False"),
        (Promises(ceilings={"a": 2}), "between 0 and 1"),
        (Promises(ceilings=0.1), "map classes"),
        (Promises(abstain=-0.1), "between 0 and 1"),
        (Promises(groups=2.5), "name or position"),
        (Promises(costs="many"), "matrix or a mapping"),
    ],
)
def test_what_makes_no_sense_is_refused(wanted, match):
    with pytest.raises(ValueError, match=match):
        Promises.of(wanted)


def test_nothing_declared_is_nothing_promised():
    assert Promises.of(None) is Promises.of(()) is Promises.of(Promises()) is None


@pytest.mark.parametrize(
    "change",
    [
        {"kinds": ()},
        {"kinds": ("classes", "classes")},
        {"kinds": ("anything",)},
        {"confusion": ((1, 2),)},
        {"answers": (0,)},
        {"runs": (1, 1)},
        {"runs": (4,)},
        {"answers": (0, 1, 0, 9)},
        {"groups": ()},
        {"group_counts": ((1, 2), (3, 3), (3, 3))},
        {"costs": ((1.0,),)},
        {"level": None},
        {"possible": (0,)},
    ],
)
def test_records_that_do_not_fit_together_are_refused(change):
    certificate, *_ = drawn(2)
    with pytest.raises(ValueError, match="does not fit together"):
        replace(certificate.promised, **change)
