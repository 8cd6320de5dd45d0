"""Coverage, certificates and bands count what an obvious loop counts."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from scipy.stats import binomtest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from tests.plotting.common import CLASSIFIERS, OF_RULES, digits, fitted, line, points, regressor, words

from laconic import Certified, MarginPerceptronClassifier, MinimalComplexityRegressor, SetCoveringClassifier
from laconic.certificates import tolerance_text
from laconic.plotting import CertificateDisplay, CoverageDisplay, IntervalDisplay

# ---- coverage


@pytest.mark.parametrize("name", OF_RULES)
def test_coverage_counts_what_explain_says(name):
    X, y = points()
    model = fitted(name)
    display = CoverageDisplay.from_estimator(model, X, y, ax=plt.figure().add_subplot())
    right, wrong = np.zeros((2, len(model.rules_) + 1), dtype=int)
    for row, label in zip(model.explain(X), y, strict=True):
        place = len(model.rules_) if row["position"] is None else row["position"] - 1
        if row["prediction"] == label:
            right[place] += 1
        else:
            wrong[place] += 1
    assert display.n_right.tolist() == right.tolist()
    assert display.n_wrong.tolist() == wrong.tolist()
    assert len(display.lines) == len(display.predictions) == len(model.rules_) + 1


def test_the_lists_of_a_class_code_are_counted_each():
    X, y = points(n_classes=3)
    display = CoverageDisplay.from_estimator(digits(), X, y)
    assert sum(display.n_right) + sum(display.n_wrong) == len(digits().lists_) * len(y)
    assert sum(display.n_wrong) == 0  # the list agrees with every row
    assert display.lines[0].startswith("list 1: if ")
    assert CoverageDisplay.compute(digits(), X[:2], ["new", "new"]).n_wrong.sum() == 2 * len(digits().lists_)


def test_a_line_is_written_with_its_count_and_never_loses_its_class():
    X, y = points()
    frame = pd.DataFrame(X, columns=["a very long name of a column, " * 5, "$x$"])
    display = CoverageDisplay.from_estimator(
        SetCoveringClassifier("conjunction", max_rules=1, features="stumps", penalty=1.0).fit(frame, y), frame, y
    )
    shown = words(display.figure_)
    rows = int(display.n_right[0] + display.n_wrong[0])
    assert any(text.startswith(f"{rows} rows, ") for text in shown)
    ticks = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert [text.split("→ ")[1] for text in ticks] == list(display.predictions)
    assert all(len(text.split("\n")) <= 3 for text in ticks)


def test_coverage_is_for_rules():
    X, y = points()
    with pytest.raises(NotFittedError):
        CoverageDisplay.compute(SetCoveringClassifier(), X, y)
    with pytest.raises(TypeError, match="classifiers made of rules"):
        CoverageDisplay.compute(fitted("minimal"), X, y)
    with pytest.raises(ValueError, match="X has 1 column"):
        CoverageDisplay.compute(fitted("stumps"), X[:, :1], y)
    with pytest.raises(ValueError, match="inconsistent"):
        CoverageDisplay.compute(fitted("stumps"), X, y[:-1])


# ---- certificates


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_the_certificate_is_read_off_the_model(name):
    model = fitted(name)
    display = CertificateDisplay.compute(model)
    assert display.empirical_risk == model.certificate_.empirical_risk
    assert display.risk_bound == model.certificate_.risk_bound
    assert display.holdout_error is None


def test_the_sentence_stands_above_the_bars():
    display = CertificateDisplay.from_estimator(fitted("stumps"))
    assert str(display.certificate) in " ".join(" ".join(words(display.figure_)).split())


def test_rows_held_out_have_an_interval():
    X, y = points(n_rows=300)
    model = SetCoveringClassifier("conjunction", "balls", max_rules=2, penalty=1.0).fit(X[:150], y[:150])
    display = CertificateDisplay.from_estimator(model, X[150:], y[150:])
    n_wrong = int((model.predict(X[150:]) != y[150:]).sum())
    exact = binomtest(n_wrong, 150).proportion_ci(0.95)
    assert display.holdout_error == n_wrong / 150
    assert display.n_holdout == 150
    np.testing.assert_allclose(display.holdout_interval, (exact.low, exact.high), atol=1e-9)
    shown = words(display.figure_)
    assert "hold-out error\n(150 rows)" in shown
    assert any("95 % interval" in text for text in shown)


def test_a_row_outside_the_band_is_what_counts_for_a_regressor():
    X, y = line()
    model = regressor()
    off = np.abs(model.predict(X) - (y + 0.4)) > model.tolerance_
    display = CertificateDisplay.from_estimator(model, X, y + 0.4)
    assert display.holdout_error == pytest.approx(off.mean())
    assert display.ax_.get_xlabel() == f"share of rows off by more than {tolerance_text(model.tolerance_)}"
    certified = Certified(LinearRegression(), 0.3).fit(X, y)
    wrong = np.abs(certified.predict(X) - y) > 0.3
    assert CertificateDisplay.compute(certified, X, y).holdout_error == pytest.approx(wrong.mean())


def test_without_a_certificate_there_is_no_picture():
    X, y = points()
    with pytest.raises(NotFittedError):
        CertificateDisplay.compute(SetCoveringClassifier())
    with pytest.raises(TypeError, match="LogisticRegression has no certificate_"):
        CertificateDisplay.compute(LogisticRegression().fit(X, y))
    stream = MarginPerceptronClassifier().partial_fit(X, y, classes=["no", "yes"])
    with pytest.raises(TypeError, match="not after partial_fit"):
        CertificateDisplay.compute(stream)
    with pytest.raises(ValueError, match="both X and y"):
        CertificateDisplay.compute(fitted("stumps"), X)
    with pytest.raises(ValueError, match="no rows"):
        CertificateDisplay.compute(fitted("stumps"), X[:0], y[:0])
    with pytest.raises(ValueError, match="X has 3 column"):
        CertificateDisplay.compute(fitted("stumps"), np.zeros((2, 3)), y[:2])


# ---- bands


@pytest.mark.parametrize("feature", [None, 0, "x0"])
def test_the_band_is_the_interval_in_the_order_of_the_picture(feature):
    X, y = line()
    model = regressor()
    display = IntervalDisplay.from_estimator(model, X[::-1], y[::-1] + 0.2, feature=feature)
    low, high = model.predict_interval(X)
    order = np.argsort(model.predict(X), kind="stable") if feature is None else np.arange(len(X))
    np.testing.assert_allclose(display.low, low[order])
    np.testing.assert_allclose(display.high, high[order])
    np.testing.assert_allclose(display.target, y[order] + 0.2)
    np.testing.assert_allclose(display.place, np.arange(1, 151) if feature is None else X[:, 0])
    outside = (y[order] + 0.2 < low[order]) | (y[order] + 0.2 > high[order])
    assert (display.outside == outside).all()
    assert 0 < outside.sum() < len(y)
    shown = " ".join(words(display.figure_))
    assert f"target outside: {outside.sum()} of 150" in shown
    assert "promised for new rows: at most" in shown


def test_of_several_columns_each_row_has_its_own_interval():
    X, y = line()
    wide = pd.DataFrame({"$x$": X[:, 0], "other": np.cos(9 * X[:, 0])})
    model = MinimalComplexityRegressor(epsilon=0.2).fit(wide, y)
    target = pd.Series(y, name="price in $")
    with plt.style.context("dark_background"):
        display = IntervalDisplay.from_estimator(model, wide, target, feature="$x$")
    assert not display.is_curve
    assert {"$x$", "price in $"} <= set(words(display.figure_))


def test_a_certified_regressor_has_a_band():
    X, y = line()
    display = IntervalDisplay.compute(Certified(LinearRegression(), 0.3).fit(X, y), X, y)
    np.testing.assert_allclose(display.high - display.low, 0.6)


def test_bands_are_for_regressors_that_have_one():
    X, y = line()
    with pytest.raises(NotFittedError):
        IntervalDisplay.compute(MinimalComplexityRegressor(), X, y)
    with pytest.raises(TypeError, match="regressors with a certified band, and SetCoveringClassifier is none"):
        IntervalDisplay.compute(fitted("stumps"), *points())
    with pytest.raises(TypeError, match="Certified is none"):
        IntervalDisplay.compute(fitted("certified"), *points())
    with pytest.raises(ValueError, match="no column 'weight'"):
        IntervalDisplay.compute(regressor(), X, y, feature="weight")
    with pytest.raises(ValueError, match="X has 2 column"):
        IntervalDisplay.compute(regressor(), np.zeros((2, 2)), [0.0, 0.0])
    with pytest.raises(TypeError, match="by its name or its number"):
        IntervalDisplay.compute(regressor(), X, y, feature=0.5)


def test_the_majority_stands_beside_the_bound():
    model = fitted("stumps")
    shown = CertificateDisplay.from_estimator(model)
    assert shown.majority_error == model.certificate_.majority_error
    assert "always the most\nfrequent class (90 rows)" in words(shown.figure_)
    assert len(shown.ax_.patches) == 3
    assert len(CertificateDisplay(replace(model.certificate_, majority_error=None)).plot().ax_.patches) == 2
