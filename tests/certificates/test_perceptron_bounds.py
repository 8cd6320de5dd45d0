from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.certificates import (
    occam_bound,
    online_bound,
    perceptron_bound,
    perceptron_mistake_bound,
    perceptron_sample_size,
)

unhurried = settings(deadline=None)
gammas = st.floats(1e-3, 1.0)
epsilons = st.floats(1e-4, 1.0)
deltas = st.floats(1e-9, 1.0)
DIGITS = 60


# --- Mistakes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hinge", [0.0, 1e-12, 0.5, 10.0, 1e9, 1e200])
@pytest.mark.parametrize("gamma", [1.0, 0.3, 1e-3, 1e-9, 1e-100])
def test_mistake_bounds_equal_the_formulas(gamma, hinge):
    with mp.workdps(300):
        g, h = mp.mpf(gamma), mp.mpf(hinge)
        root = ((1 + mp.sqrt(1 + 4 * g**2 * h)) / (2 * g)) ** 2
        assert perceptron_mistake_bound(gamma, hinge) == pytest.approx(float(1 / g**2 + 2 * h), rel=1e-15)
        solved = perceptron_mistake_bound(gamma, hinge, quadratic=True)
        assert solved == pytest.approx(float(root), rel=1e-15)
        # The root is where sqrt(M) = gamma M - TD, with TD = gamma hinge.
        assert mp.almosteq(mp.sqrt(root), g * root - g * h, rel_eps=mp.mpf(10) ** -30)


@given(st.floats(1e-160, 1.0), st.floats(0.0, 1e300), st.floats(1.0, 100.0))
@unhurried
def test_mistake_bounds_are_ordered(gamma, hinge, more):
    solved = perceptron_mistake_bound(gamma, hinge, quadratic=True)
    assert 1.0 <= solved <= perceptron_mistake_bound(gamma, hinge)
    assert hinge <= solved
    assert solved <= perceptron_mistake_bound(gamma, hinge * more, quadratic=True) * (1 + 1e-15)
    assert solved <= perceptron_mistake_bound(gamma / more, hinge, quadratic=True) * (1 + 1e-15)


def test_mistake_bounds_at_the_ends():
    assert perceptron_mistake_bound(1.0) == 1.0
    assert perceptron_mistake_bound(1.0, quadratic=True) == 1.0
    for quadratic in [False, True]:
        assert perceptron_mistake_bound(1e-200, quadratic=quadratic) == math.inf
        assert perceptron_mistake_bound(1e-200, math.inf, quadratic=quadratic) == math.inf


def run_perceptron(points, labels):
    """The lecture's algorithm: how long each hypothesis was right, and all of them."""
    weights, survived, hypotheses = np.zeros(points.shape[1]), [0], [np.zeros(points.shape[1])]
    for point, label in zip(points, labels, strict=True):
        if (weights @ point > 0) == (label > 0):
            survived[-1] += 1
        else:
            weights = weights + label * point
            survived.append(0)
            hypotheses.append(weights)
    return survived, hypotheses


def sphere(random, m, n):
    points = random.normal(size=(m, n))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


@pytest.mark.parametrize("noise", [0.0, 0.1])
@pytest.mark.parametrize("gamma", [0.05, 0.2])
def test_runs_keep_to_the_mistake_bounds(gamma, noise):
    for seed in range(10):
        random = np.random.default_rng(seed)
        points = sphere(random, 500, 5)
        labels = np.where(points[:, 0] > 0, 1, -1) * np.where(random.random(500) < noise, -1, 1)
        hinge = np.maximum(0.0, 1.0 - labels * points[:, 0] / gamma).sum()
        mistakes = len(run_perceptron(points, labels)[0]) - 1
        assert mistakes <= perceptron_mistake_bound(gamma, hinge, quadratic=True)


# --- Sample sizes ----------------------------------------------------------------------------------------------------


def lecture_oracle(gamma, epsilon, delta):
    with mp.workdps(DIGITS):
        most = 1 / mp.mpf(gamma) ** 2
        return int(mp.ceil(most / mp.mpf(epsilon) * mp.log(most / mp.mpf(delta))))


def run_oracle(mistakes, epsilon, delta):
    """The shortest run, by trying: (1 - epsilon)^l <= delta / mistakes in whole numbers."""
    rest, allowed = 1 - Fraction(epsilon), Fraction(delta) / mistakes
    length, chance = 0, Fraction(1)
    while chance > allowed:
        length, chance = length + 1, chance * rest
    return length


@pytest.mark.parametrize("delta", [1.0, 0.9, 0.25, 0.05])
@pytest.mark.parametrize("epsilon", [1.0, 0.99, 0.75, 0.499, 0.5, 0.25, 0.1])
@pytest.mark.parametrize(
    ("gamma", "mistakes"), [(1.0, 1), (0.8, 1), (0.7, 2), (0.5, 4), (0.1, 100), (1 / 7, 49), (1 / 3, 9), (0.01, 10**4)]
)
def test_sample_size_equals_the_formula(gamma, mistakes, epsilon, delta):
    m = perceptron_sample_size(gamma, epsilon, delta)
    assert isinstance(m, int)
    assert m == max(lecture_oracle(gamma, epsilon, delta), mistakes * run_oracle(mistakes, epsilon, delta))


def test_the_lectures_figure_can_be_too_small():
    # Two hypotheses can be bad (1/0.7^2 = 2.04) and each needs two right answers in a row: four examples, not three.
    assert run_oracle(2, 0.499, 1.0) == 2
    assert lecture_oracle(0.7, 0.499, 1.0) == 3
    assert perceptron_sample_size(0.7, 0.499, 1.0) == 4


@given(gammas, epsilons, deltas)
@unhurried
def test_the_lectures_figure_is_enough_for_three_nats(gamma, epsilon, delta):
    m = perceptron_sample_size(gamma, epsilon, delta)
    lecture = lecture_oracle(gamma, epsilon, delta)
    assert m >= lecture
    if math.log(1 / gamma**2 / delta) >= 3:
        assert m == lecture


@pytest.mark.parametrize("epsilon", [1e-9, 1e-25, 1e-300])
@pytest.mark.parametrize("gamma", [1.0, 1e-5, 1e-160, 5e-324])
def test_sample_sizes_of_extreme_arguments(gamma, epsilon):
    m = perceptron_sample_size(gamma, epsilon, 0.05)
    with mp.workdps(DIGITS):
        most = 1 / mp.mpf(gamma) ** 2
        # The margin 5e-324 is a float with one digit: what rounds to it may be half of it.
        slack = mp.mpf("1e-15") if gamma > 1e-300 else 8
        assert most / epsilon * mp.log(most / 0.05) * (1 - mp.mpf("1e-15")) <= m
        assert m <= most / epsilon * mp.log(most / 0.05) * (1 + slack) + 1


@given(gammas, epsilons, deltas, st.floats(1.0, 2.0))
@unhurried
def test_sample_size_is_monotone(gamma, epsilon, delta, more):
    m = perceptron_sample_size(gamma, epsilon, delta)
    assert perceptron_sample_size(gamma / more, epsilon, delta) >= m
    assert perceptron_sample_size(gamma, epsilon / more, delta) >= m
    assert perceptron_sample_size(gamma, epsilon, delta / more) >= m


# --- Given m, what error? --------------------------------------------------------------------------------------------


@given(gammas, epsilons, deltas)
@unhurried
def test_the_bound_at_the_sample_size_is_what_was_asked_for(gamma, epsilon, delta):
    m = perceptron_sample_size(gamma, epsilon, delta)
    assert m == 0 or perceptron_bound(m, gamma, delta) <= epsilon * (1 + 1e-15)


@pytest.mark.parametrize("m", [1, 99, 100, 199, 200, 7601, 10**7])
@pytest.mark.parametrize(("gamma", "mistakes"), [(1.0, 1), (0.5, 4), (0.1, 100), (1e-5, 10**10)])
def test_bound_equals_the_formula(gamma, mistakes, m):
    bound = perceptron_bound(m, gamma, 0.05)
    if m < mistakes:
        assert bound == 1.0
    else:
        with mp.workdps(DIGITS):
            truth = 1 - mp.root(mp.mpf(0.05) / mistakes, m // mistakes)
        assert bound == pytest.approx(float(truth), rel=1e-14)


@given(st.integers(0, 10**7), gammas, deltas, st.floats(1.0, 2.0))
@unhurried
def test_bound_is_monotone(m, gamma, delta, more):
    bound = perceptron_bound(m, gamma, delta)
    assert 0.0 <= bound <= 1.0
    assert perceptron_bound(m + 1000, gamma, delta) <= bound
    assert perceptron_bound(m, gamma / more, delta) >= bound
    assert perceptron_bound(m, gamma, delta / more) >= bound


def angle_error(weights, gamma):
    """The error of weights in the plane on the sphere without the strip of the margin, by a fine grid."""
    angles = np.linspace(0.0, 2 * np.pi, 4000, endpoint=False)
    points = np.column_stack([np.cos(angles), np.sin(angles)])
    points = points[np.abs(points[:, 0]) >= gamma]
    return np.mean((points @ weights > 0) != (points[:, 0] > 0))


def test_the_conversion_keeps_its_promise():
    gamma, epsilon, delta = 0.3, 0.1, 0.5
    m = perceptron_sample_size(gamma, epsilon, delta)
    most = math.floor(1 / gamma**2)
    length = m // most
    failures = 0
    for seed in range(60):
        points = sphere(np.random.default_rng(seed), 2 * m, 2)
        points = points[np.abs(points[:, 0]) >= gamma][:m]
        survived, hypotheses = run_perceptron(points, np.where(points[:, 0] > 0, 1, -1))
        assert len(survived) <= most + 1
        chosen = next((i for i, run in enumerate(survived) if run >= length), len(survived) - 1)
        assert survived[chosen] >= length or chosen == most
        failures += angle_error(hypotheses[chosen], gamma) > perceptron_bound(m, gamma, delta)
    assert failures <= 60 * delta


# --- Online ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("survived", [0, 1, 200, 10**7])
@pytest.mark.parametrize("index", [1, 2, 8, 10**12])
def test_online_bound_equals_the_formula(survived, index):
    bound = online_bound(survived, index, 0.05)
    assert bound == occam_bound(survived, math.log(index * (index + 1)), 0, 0.05)
    if survived:
        with mp.workdps(DIGITS):
            truth = 1 - mp.root(mp.mpf(0.05) / (index * (index + 1)), survived)
        assert bound == pytest.approx(float(truth), rel=1e-14)
    else:
        assert bound == 1.0


def test_the_shares_of_the_hypotheses_sum_to_one():
    assert sum(Fraction(1, i * (i + 1)) for i in range(1, 1000)) == 1 - Fraction(1, 1000)


@given(st.integers(0, 10**7), st.integers(1, 10**6), deltas)
@unhurried
def test_online_bound_is_monotone(survived, index, delta):
    bound = online_bound(survived, index, delta)
    assert 0.0 <= bound <= 1.0
    assert online_bound(survived + 1, index, delta) <= bound
    assert online_bound(survived, index + 1, delta) >= bound
    assert online_bound(survived, index, delta / 2) >= bound


def test_online_bound_holds_for_all_runs_at_once():
    # A hypothesis of error p survives s examples with probability (1-p)^s; the bound is read at every length. Exactly:
    # it fails at the first length where it is below p, if the run gets there.
    delta = 0.2
    for p in [0.01, 0.1, 0.5, 0.9]:
        for index in [1, 3, 50]:
            length = next(s for s in range(1, 10**5) if online_bound(s, index, delta) < p)
            assert (1 - p) ** length <= delta / (index * (index + 1)) * (1 + 1e-12)


# --- Arguments -------------------------------------------------------------------------------------------------------

VALID = {
    perceptron_mistake_bound: {"gamma": 0.5, "hinge": 1.0},
    perceptron_sample_size: {"gamma": 0.5, "epsilon": 0.1, "delta": 0.05},
    perceptron_bound: {"m": 100, "gamma": 0.5, "delta": 0.05},
    online_bound: {"survived": 100, "index": 3, "delta": 0.05},
}
OUT_OF_RANGE = {
    "gamma": [0.0, 1.01, math.inf],
    "epsilon": [0.0, 1.5],
    "delta": [0.0, 1.01, -math.inf],
    "m": [1.5, math.inf],
    "survived": [1.5, math.inf],
    "index": [0, 1.5, math.inf],
    "hinge": [-math.inf],
}


def refusals():
    for function, arguments in VALID.items():
        for name in arguments:
            for value in [-1, math.nan, None, "1", True, *OUT_OF_RANGE[name]]:
                yield pytest.param(function, name, value, id=f"{function.__name__}-{name}-{value}")


@pytest.mark.parametrize(("function", "name", "value"), list(refusals()))
def test_arguments_that_make_no_sense_are_refused(function, name, value):
    with pytest.raises(ValueError, match=rf"^{name} must be .*, got {value}"):
        function(**{**VALID[function], name: value})


@pytest.mark.parametrize("function", VALID, ids=lambda function: function.__name__)
def test_numpy_numbers_are_accepted(function):
    arguments = VALID[function]
    as_numpy = {
        name: np.int8(value) if isinstance(value, int) else np.float64(value) for name, value in arguments.items()
    }
    result = function(**as_numpy)
    assert result == function(**arguments)
    assert type(result) is (int if function is perceptron_sample_size else float)
