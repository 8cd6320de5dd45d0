"""A ball as a value: where it holds, how it reads, what is written down."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import balls as oracle
from tests.oracles.expressions import evaluate

from laconic._table import as_table
from laconic.rules import Ball, Clause, Conjunction, Disjunction, Literal, from_dict

METRICS = ["manhattan", "euclidean", "chebyshev"]
numbers = st.floats(-1e6, 1e6)
radii = st.floats(0, 1e7)
points = st.lists(numbers, min_size=3, max_size=3).map(tuple)
scales = st.just(()) | st.tuples(*[st.integers(-5, 5)] * 3)
measured = st.builds(Ball, points, radii, st.booleans(), st.sampled_from(METRICS), scales)
from_rows = st.builds(Ball, st.integers(0, 3), radii, st.booleans(), st.just("precomputed"))
balls = measured | from_rows
quick = settings(deadline=None, derandomize=True)


@given(balls)
@quick
def test_a_ball_survives_its_dictionary_and_json(ball):
    written = ball.to_dict()
    assert written["type"] == "Ball"
    assert from_dict(written) == ball
    assert from_dict(json.loads(json.dumps(written))) == ball
    assert hash(from_dict(json.loads(json.dumps(written)))) == hash(ball)
    assert isinstance(from_dict(written).center, type(ball.center))
    machine = Disjunction((ball, Clause((Literal(0, False),))))
    assert from_dict(json.loads(json.dumps(machine.to_dict()))) == machine


@given(balls)
@quick
def test_a_ball_can_be_said_with_and_without_names(ball):
    text = ball.describe()
    assert text.startswith("within " if ball.label else "not within ")
    assert str(ball) == text
    named = ball.describe(["age", "size", "weight"])
    if isinstance(ball.center, int):
        assert text == named
        assert text.endswith(f"of row {ball.center}")
    else:
        assert "(x0 " in text
        assert "(age " in named
        assert ", weight " in named


@given(measured, st.lists(points, min_size=1, max_size=8))
@quick
def test_a_ball_gives_its_label_inside_and_the_other_outside(ball, rows):
    scale = ball.scale or (0, 0, 0)
    center, *scaled = [[np.ldexp(v, e) for v, e in zip(row, scale, strict=True)] for row in (ball.center, *rows)]
    inside = [oracle.distance(row, center, ball.metric) <= ball.radius for row in scaled]
    assert ball.evaluate(rows).tolist() == [within == ball.label for within in inside]
    opposite = Ball(ball.center, ball.radius, not ball.label, ball.metric, ball.scale)
    assert (opposite.evaluate(rows) != ball.evaluate(rows)).all()


@given(from_rows, st.integers(0, 2**32))
@quick
def test_a_ball_around_a_row_reads_the_column_of_that_row(ball, seed):
    distances = np.random.default_rng(seed).uniform(0, 1e7, size=(6, 4))
    within = distances[:, ball.center] <= ball.radius
    assert (ball.evaluate(distances) == (within == ball.label)).all()


@pytest.mark.parametrize("label", [True, False])
@pytest.mark.parametrize("metric", METRICS)
def test_the_border_is_inside_and_the_centre_too(label, metric):
    ball = Ball((1.0, 2.0), 3.0, label, metric)
    assert ball.evaluate([[1.0, 5.0], [1.0, 2.0]]).tolist() == [label, label]
    assert ball.evaluate([[1.0, np.nextafter(5.0, 6.0)]]).tolist() == [not label]
    assert Ball((1.0, 2.0), -1e-18, label, metric).evaluate([[1.0, 2.0]]).tolist() == [not label]


def test_metrics_differ():
    corner, X = (0.0, 0.0), [[1.0, 1.0], [2.0, 0.0], [0.0, 1.0]]
    assert Ball(corner, 1.0, True, "manhattan").evaluate(X).tolist() == [False, False, True]
    assert Ball(corner, 1.5, True, "euclidean").evaluate(X).tolist() == [True, False, True]
    assert Ball(corner, 1.0, True, "chebyshev").evaluate(X).tolist() == [True, False, True]
    assert Ball(corner, 1.0, True).metric == "euclidean"
    assert Ball((1.0, 0.0), 0.5, True, "cosine").evaluate([[5.0, 0.1], [0.0, 1.0]]).tolist() == [True, False]
    assert Ball(corner, 4.0, True, oracle.crooked).evaluate(X).tolist() == [False, False, True]


def test_a_scale_acts_on_centre_and_rows_alike():
    X = [[8.0, 0.25], [0.0, 0.0], [4.0, 0.5]]
    ball = Ball((0.0, 0.0), 1.0, True, "chebyshev", (-3, 2))
    assert ball.distances(as_table(X)).tolist() == [1.0, 0.0, 2.0]
    assert ball.evaluate(X).tolist() == [True, True, False]
    moved = Ball((4.0, 0.25), 1.0, True, "chebyshev", (-3, 2))
    assert moved.distances(as_table(X)).tolist() == [0.5, 1.0, 1.0]


def test_a_scale_that_no_float_holds_is_a_product():
    ball = Ball((5e-324,), 1.5, True, "manhattan", (1074,))
    X = [[-5e-324], [0.0], [5e-324], [1e-323], [1.5e-323]]
    assert ball.evaluate(X).tolist() == [False, True, True, True, False]
    assert [evaluate(ball.expression(("number",)), row) for row in X] == ball.evaluate(X).tolist()


def test_text_marks_what_was_cut():
    assert Ball((0.5, 2.0), 2 / 3, True).describe(["x", "y"]) == "within 0.666666… of (x 0.5, y 2)"
    assert Ball(7, 1.5, False, "precomputed").describe(["x", "y"]) == "not within 1.5 of row 7"


@given(measured, st.lists(points, min_size=1, max_size=8))
@quick
def test_margins_have_the_sign_of_the_answer(ball, rows):
    for machine in (Conjunction((ball,)), Disjunction((ball,))):
        margin = machine.margin(as_table(rows))
        assert ((margin > 0) == ball.evaluate(rows)).all()
        assert ((np.abs(margin) >= 1) & (np.abs(margin) <= 1.5)).all()


def test_a_margin_grows_with_the_distance_from_the_border():
    margin = Conjunction((Ball((0.0,), 2.0, True),)).margin(as_table([[0.0], [1.0], [1.9], [2.1], [3.0], [90.0]]))
    assert (np.diff(margin) < 0).all()
    assert (margin[:3] > 0).all()
    assert (margin[3:] < 0).all()


def test_frames_and_other_tables_are_read():
    pd = pytest.importorskip("pandas")
    ball = Ball((0.0, 1.0), 1.0, True, "manhattan")
    frame = pd.DataFrame({"a": [0, 2], "b": [True, False]})
    assert ball.evaluate(frame).tolist() == [True, False]
    assert ball.evaluate(np.asfortranarray([[0, 1], [2, 0]], dtype=np.float32)).tolist() == [True, False]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"radius": "wide"}, "Expected `float`"),
        ({"center": "origin"}, r"center"),
        ({"center": [1.0, None]}, r"center"),
        ({"label": 1}, "Expected `bool`"),
        ({"scale": [0.5]}, "Expected `int`"),
        ({"color": "red"}, "unknown field 'color'"),
    ],
)
def test_what_is_no_ball_is_refused(change, message):
    data = Ball((0.0, 1.0), 1.0, True).to_dict() | change
    with pytest.raises(ValueError, match=message):
        from_dict(data)


def test_balls_are_frozen_values():
    ball = Ball((0.0,), 1.0, True)
    with pytest.raises(AttributeError):
        ball.radius = 2.0
    assert ball == Ball((-0.0,), 1.0, True)
    assert len({ball, Ball((0.0,), 1.0, True), Ball((0.0,), 1.0, False)}) == 2
    with_function = Ball((0.0,), 1.0, True, oracle.crooked)
    assert pickle.loads(pickle.dumps(with_function)) == with_function
