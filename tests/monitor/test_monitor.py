"""The monitor: bets that are fair under the promise, rows that count once, a state that is whole."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from sklearn.tree import DecisionTreeClassifier

import laconic
from laconic import CertificateMonitor, Certified, MarginPerceptronClassifier
from laconic.certificates import binomial_tail_inversion, integer_nats, set_nats
from laconic.monitor import Evidence, running_mean
from laconic.monitor._evidence import ODDS, evidence_text
from laconic.plotting import EvidenceDisplay
from tests.monitor.common import NAMES, NEW, TRUE, X, Y, fitted, run


@pytest.fixture(scope="module")
def model():
    return fitted()


def slow_wealth(rate, batches):
    """The definition: for each start and alternative a product of factors, and what has not started is kept."""
    total, n = 0.0, sum(size for size, _ in batches)
    for odds in ODDS:
        q = odds * rate / (1 - rate + odds * rate)
        begun = 0
        for first, (size, _) in enumerate(batches):
            share = sum(1 / (s * (s + 1)) for s in range(begun + 1, begun + size + 1))
            grown = math.prod(
                (q / rate) ** wrong * ((1 - q) / (1 - rate)) ** (many - wrong) for many, wrong in batches[first:]
            )
            total += share * grown / len(ODDS)
            begun += size
    return total + 1 / (n + 1)


def test_the_wealth_is_the_sum_over_starts_and_alternatives():
    batches = [(1, 0), (1, 1), (5, 2), (30, 4), (2, 2)]
    evidence = Evidence(0.13)
    for size, wrong in batches:
        evidence = evidence.after(size, wrong)
    assert evidence.log_wealth == pytest.approx(math.log(slow_wealth(0.13, batches)), rel=1e-12)


@pytest.mark.parametrize("rate", [0.01, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("size", [1, 7])
def test_the_bet_on_a_batch_is_fair(rate, size):
    evidence = Evidence(rate).after(3, 1)
    grown = [evidence.after(size, wrong).log_wealth - evidence.log_wealth for wrong in range(size + 1)]
    for true in (rate, rate / 2):
        mean = sum(p * math.exp(g) for p, g in zip(binom.pmf(range(size + 1), size, true), grown, strict=True))
        assert mean <= 1 + 1e-12
    assert sum(binom.pmf(k, size, rate) * math.exp(g) for k, g in enumerate(grown)) == pytest.approx(1.0)


def test_extreme_rates_and_counts():
    assert Evidence(1.0).after(100, 100).log_wealth == 0.0
    assert Evidence(0.0).after(100, 1).alarms(1e-9)
    assert not Evidence(0.0).after(100, 0).alarms(0.5)
    with pytest.raises(ValueError, match="cannot be errors"):
        Evidence(0.1).after(2, 3)


def test_the_mean_risk_is_in_its_interval_at_all_times_even_if_it_drifts():
    rng = np.random.default_rng(1)
    missed = 0
    for _ in range(80):
        risks = 0.1 + 0.3 * (np.arange(300) > rng.integers(300)) * rng.random()
        errors = np.cumsum(rng.random(300) < risks)
        means = np.cumsum(risks) / np.arange(1, 301)
        looks = range(0, 300, 20)
        ends = [running_mean(i + 1, int(errors[i]), 0.1) for i in looks]
        missed += any(not low <= means[i] <= high for (low, high), i in zip(ends, looks, strict=True))
    assert missed <= binom.ppf(0.999, 80, 0.1)


def test_false_alarms_are_as_rare_as_promised():
    """A quick one; `python -m benchmarks.watch` does it with 10,000 streams, looked at after every row."""
    rng = np.random.default_rng(2)
    n_streams, alarms = 400, 0
    for _ in range(n_streams):
        evidence = Evidence(0.1)
        for wrong in rng.binomial(5, 0.1, size=60).tolist():
            evidence = evidence.after(5, wrong)
        alarms += evidence.alarms(0.1)
    assert alarms <= binom.ppf(0.999, n_streams, 0.1)


def test_it_is_quiet_on_the_same_and_loud_on_other_rows(model):
    monitor = CertificateMonitor(model)
    for start in range(0, 600, 100):
        monitor.update(NEW[start : start + 100], TRUE[start : start + 100])
    assert not monitor.alarm_
    assert not monitor.line_alarm_
    assert "stands" in str(monitor)
    low, high = monitor.risk_interval()
    assert low <= monitor.n_errors_ / 600 <= high
    monitor.update(NEW[::-1][:400] + 1.0, TRUE[::-1][:400])
    assert monitor.alarm_
    assert monitor.line_alarm_
    assert "Alarm after 1000 rows" in monitor.summary()
    monitor.update(NEW[:99] + 0.001, model.predict(NEW[:99] + 0.001))  # an alarm stays
    assert monitor.alarm_


def test_lines_are_watched_without_labels(model):
    monitor = CertificateMonitor(model)
    assert all(low <= share <= high for (low, high), share in zip(monitor.line_intervals_, _shares(model), strict=True))
    monitor.update(NEW)
    assert (monitor.n_rows_, monitor.alarm_, monitor.line_alarm_) == (0, False, False)
    monitor.update(NEW + 2)
    assert monitor.line_alarm_


def test_intervals_of_lines_pay_for_set_message_order_and_ends(model):
    said = model.certificate_.rests_on
    m, d = said.n_samples, said.size
    supports = [line.support for line in model.reading().lists[0].lines]
    n = len(supports)
    nats = said.message_nats + set_nats(m, d) + integer_nats(d) + math.log(math.factorial(n - 1)) + math.log(2 * n)
    share = model.certificate_.delta * math.exp(-nats)
    for support, (low, high) in zip(supports, CertificateMonitor(model).line_intervals_, strict=True):
        assert high == pytest.approx(binomial_tail_inversion(min(support, m - d), m - d, share))
        assert low == pytest.approx(1 - binomial_tail_inversion(min(m - support, m - d), m - d, share))


def _shares(model):
    decided = [line.support for line in model.reading().lists[0].lines]
    return np.array(decided) / sum(decided)


def test_rows_count_once(model):
    monitor = CertificateMonitor(model).update(NEW[:50], TRUE[:50], ids=range(50))
    seen = monitor.evidence_, monitor.n_rows_
    with pytest.raises(ValueError, match="fed before: rows count once"):
        monitor.update(NEW[:50][::-1], TRUE[:50][::-1])
    with pytest.raises(ValueError, match="some or all were fed before"):
        monitor.update(NEW[50:53], TRUE[50:53], ids=[50, 51, 7])
    with pytest.raises(ValueError, match="labels for 3 rows"):
        monitor.update(NEW[50:53], TRUE[50:52])
    with pytest.raises(ValueError, match="not among the classes"):
        monitor.update(NEW[50:53], ["no", "maybe", "yes"])
    with pytest.raises(ValueError, match="name of its own"):
        monitor.update(NEW[50:53], TRUE[50:53], ids=[60, 60, 61])
    assert (monitor.evidence_, monitor.n_rows_) == seen
    monitor.update(NEW[:1], TRUE[:1])  # one row may be equal to another by chance


def test_rows_may_come_without_labels_first(model):
    monitor = CertificateMonitor(model).update(NEW[:50], ids=range(50))
    assert "No labels yet" in monitor.summary()
    lines = monitor.line_evidence_
    monitor.update(NEW[:50], TRUE[:50], ids=range(50))
    assert (monitor.n_rows_, monitor.line_evidence_) == (50, lines)  # lines are not bet on twice
    for labels in (None, TRUE[:50]):
        with pytest.raises(ValueError, match="fed before"):
            monitor.update(NEW[:50], labels)
    both = CertificateMonitor(model).update(NEW[:50], TRUE[:50])
    assert both.line_evidence_ == lines
    with pytest.raises(ValueError, match="fed before"):
        both.update(NEW[:50])


def test_any_certified_model_is_watched_by_its_errors(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2)).round(2)
    y = X[:, 0] > 0
    for estimator in (Certified(DecisionTreeClassifier(max_depth=1)), MarginPerceptronClassifier()):
        watched = estimator.fit(X[:100], y[:100])
        monitor = CertificateMonitor(watched).update(X[100:], y[100:])
        assert not monitor.alarm_
        assert monitor.line_evidence_ is None
        with pytest.raises(ValueError, match="fed before"):
            monitor.update(X[100:], y[100:])
        place = tmp_path / type(estimator).__name__
        monitor.save(place)
        assert CertificateMonitor.open(place, watched).n_rows_ == 100


def test_what_cannot_be_watched_is_refused(model):
    for alpha in (0.0, 1.0, math.nan):
        with pytest.raises(ValueError, match="alpha"):
            CertificateMonitor(model, alpha)
    with pytest.raises(ValueError, match="no certificate of its error on classes"):
        CertificateMonitor(laconic.MinimalComplexityRegressor().fit(X[:60], X[:60, 0]))


@pytest.mark.parametrize("alpha", [0.05, 0.03, 1e-9])
@pytest.mark.parametrize("log", [-800.0, -5.0, -0.1, 2.9957, 2.99574, 4.6, 8.0, 13.9, 45.0, 900.0, math.inf])
def test_evidence_is_written_in_digits_and_never_rounded_up_to_an_alarm(log, alpha):
    text = evidence_text(log, alpha)
    assert not re.search(r"\de|inf|nan", text)
    found, needed = (float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*\.?\d*", text))
    assert 1 / alpha <= needed <= 1 / alpha + 0.1
    assert ("less than" in text) == (log < math.log(0.01))
    if log < -math.log(alpha):
        assert found < needed


def test_no_screen_shows_powers_of_ten(model):
    monitor = CertificateMonitor(model).update(NEW, np.where(TRUE == "yes", "no", "yes"))
    monitor.update(NEW + 3)
    assert monitor.evidence_ > 1e19
    assert monitor.line_alarm_
    unlabelled = CertificateMonitor(model).update(NEW)
    for said in (str(monitor), monitor.summary(), unlabelled.summary(), unlabelled.update(NEW + 3).summary()):
        assert "where 20 raises an alarm" in said
        assert not re.search(r"\de[+-]?\d", said)


def test_the_picture_shows_what_was_seen(model):
    pytest.importorskip("matplotlib").use("agg")
    with pytest.raises(ValueError, match="no rows yet"):
        EvidenceDisplay.compute(CertificateMonitor(model))
    monitor = CertificateMonitor(model)
    for start in range(0, 300, 100):
        monitor.update(NEW[start : start + 100], TRUE[start : start + 100])
    shown = EvidenceDisplay.from_monitor(monitor)
    assert shown.rows.tolist() == [100, 200, 300]
    assert np.exp(shown.evidence[-1]) == pytest.approx(monitor.evidence_)
    assert "%" in shown.ax_.get_title("left")


def test_the_command_watches(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(X, columns=NAMES).assign(y=Y).to_csv("old.csv", index=False)
    for place, part, shift in (
        ("one.csv", slice(0, 200), 0),
        ("two.csv", slice(200, 400), 0),
        ("bad.csv", slice(400, 600), 1),
    ):
        pd.DataFrame(NEW[part] + shift, columns=NAMES).assign(y=TRUE[part]).to_csv(place, index=False)
    assert run("fit old.csv --target y --learner rule-list --out model.json", monkeypatch, capsys)[0] == 0
    watch = "watch model.json {} --target y --state watch.json"
    code, said = run(watch.format("one.csv"), monkeypatch, capsys)
    assert (code, "No alarm after 200 rows" in said) == (0, True), said
    before = (tmp_path / "watch.json").read_bytes()
    code, said = run(watch.format("one.csv"), monkeypatch, capsys)
    assert (code, "fed before" in said, "No alarm after 200 rows" in said) == (1, True, True)
    assert (tmp_path / "watch.json").read_bytes() == before
    assert run(watch.format("two.csv") + " --alpha 0.5", monkeypatch, capsys)[0] == 2
    assert run(watch.format("two.csv"), monkeypatch, capsys)[0] == 0
    code, said = run(watch.format("bad.csv"), monkeypatch, capsys)
    assert (code, "Alarm after 600 rows" in said) == (4, True)
    code, said = run(watch.format("two.csv"), monkeypatch, capsys)  # rows that count no more do not hide the alarm
    assert (code, "fed before" in said, "Alarm after 600 rows" in said) == (4, True, True)
