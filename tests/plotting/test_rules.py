"""Regions are predictions, borders are where rules change their mind, and every kind of classifier can be drawn."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot as plt
from sklearn.exceptions import NotFittedError
from tests.plotting.common import CLASSIFIERS, digits, fitted, flags, points, words

import laconic
from laconic import DecisionListClassifier, MinimalComplexityRegressor, SetCoveringClassifier
from laconic.covering import Balls
from laconic.plotting import CoverageDisplay, RulesDisplay


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_every_classifier_is_drawn_as_it_predicts(name):
    X, y = points()
    model = fitted(name)
    with plt.style.context("dark_background"):
        display = RulesDisplay.from_estimator(model, X, y, resolution=40, ax=plt.figure().add_subplot())
        display.figure_.draw_without_rendering()
    across, up = np.meshgrid(display.horizontal, display.vertical)
    expected = model.predict(np.column_stack([across.ravel(), up.ravel()])).reshape(40, 40)
    assert (display.classes[display.regions] == expected).all()
    np.testing.assert_array_equal(display.points, X)
    assert (display.classes[display.labels] == y).all()
    assert display.ax_.get_xlabel() == "x0"
    assert display.ax_.get_ylabel() == "x1"


@pytest.mark.parametrize("name", ["balls", "manhattan balls", "stumps", "halfspaces", "union", "neural list"])
def test_a_rule_changes_its_mind_on_its_border(name):
    X, y = points()
    model = fitted(name)
    display = RulesDisplay.compute(model, X, y, resolution=40)
    across, up = np.meshgrid(display.horizontal, display.vertical)
    rows = np.column_stack([across.ravel(), up.ravel()])
    for rule, border in zip(model.rules_, display.borders, strict=True):
        (field,) = border.fields
        holds, inside = rule.evaluate(rows), field.ravel() > 0
        assert (holds == inside).all() or (holds != inside).all()


def test_a_soft_ball_has_two_borders():
    X, y = points()
    model = fitted("soft")
    display = RulesDisplay.compute(model, X, y, resolution=40)
    across, up = np.meshgrid(display.horizontal, display.vertical)
    distance = np.hypot(*(grid - center for grid, center in zip((across, up), model.rules_[0].center, strict=True)))
    inner, outer = display.borders[0].fields
    np.testing.assert_allclose(inner, model.rules_[0].inner - distance, atol=1e-12)
    np.testing.assert_allclose(outer, model.rules_[0].outer - distance, atol=1e-12)


def test_other_columns_are_held():
    X, y = points(n_columns=4)
    X = np.round(X, 3)
    model = SetCoveringClassifier("conjunction", "balls", max_rules=2, penalty=1.0).fit(X, y)
    display = RulesDisplay.from_estimator(model, X, y, features=(1, 3), held={"x0": 0.5}, resolution=30)
    assert display.names == ("x1", "x3")
    assert display.held == {"x0": 0.5, "x2": float(np.median(X[:, 2]))}
    across, up = np.meshgrid(display.horizontal, display.vertical)
    held = [np.full(900, value) for value in display.held.values()]
    expected = model.predict(np.column_stack([held[0], across.ravel(), held[1], up.ravel()]))
    assert (display.classes[display.regions.ravel()] == expected).all()
    assert any(text.startswith("cut where x0 = 0.5, x2 = ") for text in words(display.figure_))


def test_a_rule_about_another_column_has_no_border():
    X, _ = points(n_columns=3)
    model = SetCoveringClassifier("disjunction", "stumps", max_rules=1, penalty=1.0).fit(X, X[:, 2] > 0)
    display = RulesDisplay.from_estimator(model, X, X[:, 2] > 0, features=(0, 1), resolution=20)
    assert display.borders[0].fields == ()
    assert "1 rule without a border in this plane" in words(display.figure_)


@pytest.mark.parametrize("to_frame", [lambda frame: frame, pl.from_pandas])
def test_flags_and_categories_are_cells(to_frame):
    frame, y = flags()
    table = to_frame(frame[["smoker", "side"]])
    model = DecisionListClassifier(k=2).fit(table, y)
    display = RulesDisplay.from_estimator(model, table, y, resolution=30)
    assert display.ticks == (("False", "True"), ("both", "left", "right"))
    for i, smoker in enumerate((False, True)):
        for j, side in enumerate(("both", "left", "right")):
            cell = display.regions[(np.rint(display.vertical) == j)][:, (np.rint(display.horizontal) == i)]
            expected = "ill" if smoker and side != "left" else "well"
            assert set(display.classes[cell.ravel()]) == {expected}
    assert {"left", "right", "both"} <= set(words(display.figure_))


@pytest.mark.parametrize("to_frame", [lambda frame: frame, pl.from_pandas])
def test_mixed_frames_hold_what_is_not_drawn(to_frame):
    frame, y = flags()
    table = to_frame(frame)
    model = SetCoveringClassifier("conjunction", ["stumps", "literals"], max_rules=3, penalty=1.0).fit(table, y)
    display = RulesDisplay.from_estimator(model, table, y, features=("age", "smoker"), resolution=20)
    assert display.held == {"side": frame["side"].mode()[0]}
    row = pd.DataFrame({"smoker": [True], "side": [display.held["side"]], "age": [display.horizontal[3]]})
    assert display.classes[display.regions[-1, 3]] == model.predict(to_frame(row))[0]


def test_rows_with_missing_values_are_left_out_of_the_picture():
    X, y = points()
    X = X.copy()
    X[::9, 0] = np.nan
    model = SetCoveringClassifier("conjunction", "stumps", max_rules=2, penalty=1.0).fit(X, y)
    display = RulesDisplay.from_estimator(model, X, y, resolution=20)
    display.figure_.draw_without_rendering()
    drawn = sum(len(collection.get_offsets()) for collection in display.ax_.collections)
    assert drawn >= np.isfinite(X).all(axis=1).sum()


def test_lists_of_a_class_code_are_drawn():
    X, y = points(n_classes=3)
    display = RulesDisplay.from_estimator(digits(), X, y, resolution=30)
    assert display.borders[0].text.startswith("list 1: if ")
    assert display.borders[0].prediction in ("maybe or no", "maybe", "no", "yes", "maybe or yes", "no or yes")
    assert "2 lists, one for each digit:" in words(display.figure_)


def test_names_and_classes_are_drawn_as_they_are():
    X, y = points()
    frame = pd.DataFrame(X, columns=["cost in $ or $$", "a\n$b_{1}$"])
    labels = np.where(y == "yes", "$pay$", "_free")
    model = SetCoveringClassifier("disjunction", "stumps", max_rules=2, penalty=1.0).fit(frame, labels)
    display = RulesDisplay.from_estimator(model, frame, labels, resolution=20)
    shown = words(display.figure_)
    assert "cost in $ or $$" in shown
    assert "a $b_{1}$" in shown
    assert any(text.startswith("class _free (") for text in shown)
    assert any("_free if any of these holds, else $pay$" in " ".join(text.split()) for text in shown)


def test_a_model_from_a_file_is_drawn_alike(tmp_path):
    X, y = points()
    for name in ("balls", "neural list"):
        fitted(name).save(tmp_path / "model.json")
        found = laconic.load(tmp_path / "model.json")
        shown, again = (RulesDisplay.compute(model, X, y, resolution=20) for model in (fitted(name), found))
        assert (shown.regions == again.regions).all()
        assert [border.text for border in shown.borders] == [border.text for border in again.borders]
        assert CoverageDisplay.compute(found, X, y).lines == CoverageDisplay.compute(fitted(name), X, y).lines


def test_given_axes_are_used():
    _, (left, right) = plt.subplots(1, 2)
    display = RulesDisplay.compute(fitted("stumps"), *points(), resolution=20)
    assert display.plot(right) is display
    assert display.ax_ is right
    assert right.get_legend() is not None
    assert not left.has_data()


def test_what_cannot_be_drawn_is_refused():
    X, y = points()
    wide, labels = points(n_columns=4)
    model = SetCoveringClassifier("conjunction", "stumps", max_rules=1, penalty=1.0).fit(wide, labels)
    with pytest.raises(NotFittedError):
        RulesDisplay.compute(SetCoveringClassifier(), X, y)
    with pytest.raises(TypeError, match="MinimalComplexityRegressor is none"):
        RulesDisplay.compute(MinimalComplexityRegressor().fit(X, X[:, 0]), X, y)
    with pytest.raises(ValueError, match="4 column.*name two columns"):
        RulesDisplay.compute(model, wide, labels)
    with pytest.raises(ValueError, match="X has 2 column"):
        RulesDisplay.compute(model, X, y, features=(0, 1))
    with pytest.raises(ValueError, match="no column 'nonsense'"):
        RulesDisplay.compute(model, wide, labels, features=("nonsense", 1))
    with pytest.raises(ValueError, match="no column 4"):
        RulesDisplay.compute(model, wide, labels, features=(4, 1))
    with pytest.raises(ValueError, match="two different columns"):
        RulesDisplay.compute(model, wide, labels, features=(1, "x1"))
    with pytest.raises(ValueError, match="must name two columns"):
        RulesDisplay.compute(model, wide, labels, features="x1")
    with pytest.raises(ValueError, match="'x1' is one of the two"):
        RulesDisplay.compute(model, wide, labels, features=(0, 1), held={1: 0.0})
    with pytest.raises(ValueError, match="the label 'other'"):
        RulesDisplay.compute(fitted("stumps"), X, ["other"] * len(X))
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    pairwise = SetCoveringClassifier("conjunction", Balls("precomputed"), penalty=1.0).fit(distances, y)
    with pytest.raises(ValueError, match="no coordinates"):
        RulesDisplay.compute(pairwise, distances, y, features=(0, 1))


def many_balls(n_rules, names=("x", "y")):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(-1, 1, (300, 2)), columns=list(names))
    y = np.sin(6 * X.iloc[:, 0]) * np.cos(5 * X.iloc[:, 1]) > 0
    return SetCoveringClassifier("disjunction", penalty=np.inf, max_rules=n_rules).fit(X, y), X, y


@pytest.mark.parametrize("n_rules", [1, 3, 14, 40])
@pytest.mark.parametrize(
    "names", [("x", "y"), ("a name as long as nobody would choose " * 3, "another of that length, " * 4)]
)
def test_many_rules_leave_room_for_the_picture(n_rules, names):
    model, X, y = many_balls(n_rules, names)
    display = RulesDisplay.from_estimator(model, X, y, resolution=30)
    figure = display.figure_
    figure.draw_without_rendering()
    picture, legend = display.ax_.get_window_extent(), display.ax_.get_legend().get_window_extent()
    assert picture.height > 0.75 * figure.bbox.height
    assert legend.y0 >= 0
    assert display.ax_.yaxis.label.get_window_extent().height <= figure.bbox.height
    assert figure.get_figheight() <= 9


def test_rules_that_the_legend_cannot_name_are_counted():
    model, X, y = many_balls(14)
    _, ax = plt.subplots(figsize=(4, 3))
    display = RulesDisplay.from_estimator(model, X, y, resolution=30, ax=ax)
    numbered = [text.split(".")[0] for text in words(display.figure_) if " of row " in text]
    assert 1 <= len(numbered) < len(model.rules_)
    assert f"{len(model.rules_) - len(numbered)} more rules, not numbered" in words(display.figure_)
    assert {annotation.get_text() for annotation in ax.texts} == set(numbered)


def test_bars_of_many_rules_share_one():
    model, X, y = many_balls(40)
    display = CoverageDisplay.compute(model, X, y)
    longer = CoverageDisplay(
        display.lines[:-1] * 3 + display.lines[-1:],
        display.predictions[:-1] * 3 + display.predictions[-1:],
        np.append(np.tile(display.n_right[:-1], 3), display.n_right[-1]),
        np.append(np.tile(display.n_wrong[:-1], 3), display.n_wrong[-1]),
    ).plot()
    assert len(longer.ax_.get_yticks()) == 32
    assert f"{len(longer.lines) - 31} more" in words(longer.figure_)
    widths = [bar.get_width() for bar in longer.ax_.patches]
    assert sum(widths) == longer.n_right.sum() + longer.n_wrong.sum()
