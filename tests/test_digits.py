"""Linear machines in few digits: all that is read is in the message, and paid for."""

import functools
import itertools
import math
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from laconic import HalfspaceIntersectionClassifier, MinimalComplexityClassifier, NeuralDecisionListClassifier
from laconic._digits import GRIDS, Digits, DigitSum
from laconic._rounding import MOST_DIGITS, Rounding, best_constant, column_powers, most_wrong
from laconic._table import as_table
from laconic.certificates import (
    FiniteClass,
    SampleCompression,
    integer_nats,
    occam_bound,
    repeats_nats,
    signed_nats,
)
from laconic.halfspaces.intersection import _scheme as intersection_scheme
from laconic.lists import _neural_scheme as neural_scheme
from laconic.minimal import _scheme as minimal_scheme
from laconic.rules import Halfspace


def sums_of(n_columns, digits, lengths):
    """List all sums of so many columns and digits whose constants are of some lengths."""
    limit = 2**digits - 1
    each = [number for number in range(-limit, limit + 1) if number]
    constants = [c for c in range(-(2 ** max(lengths)), 2 ** max(lengths) + 1) if c.bit_length() in lengths]
    return [
        DigitSum(columns, numbers, constant)
        for size in range(n_columns + 1)
        for columns in itertools.combinations(range(n_columns), size)
        for numbers in itertools.product(each, repeat=size)
        for constant in constants
    ]


@pytest.mark.parametrize("n_columns", [1, 2, 3])
@pytest.mark.parametrize("digits", [1, 2])
def test_all_sums_of_some_digits_share_what_the_digits_leave(digits, n_columns):
    fraction, lengths = 1, range(5)
    sums = sums_of(n_columns, digits, lengths)
    assert len(set(sums)) == len(sums)
    total = math.fsum(
        math.exp(-Digits(n_columns, 1, digits, fraction, (0,) * len(one.columns), (one,)).each_nats[0]) for one in sums
    )
    assert total == pytest.approx(sum(math.exp(-signed_nats(length - digits - fraction)) for length in lengths))
    assert total < 1


def test_all_messages_obey_kraft():
    """Sums share what the digits leave, as above; so it is enough to add up the shared parts, and the exponents."""
    total = math.fsum(
        math.exp(-Digits(2, grid, digits, fraction, exponents, (DigitSum((0, 1), (1, 1), 0),)).shared_nats)
        for grid in GRIDS
        for digits in range(1, 7)
        for fraction in range(6)
        for exponents in itertools.product(range(-4, 5), repeat=2)
    )
    assert 0.4 < total <= 1


def test_every_part_has_its_price():
    one = Digits(3, 2, 3, 2, (1, 1), (DigitSum((0, 2), (5, -1), 12),))
    shared = math.log(4) + integer_nats(2) + integer_nats(2) + repeats_nats((1, 1))
    each = math.log(4) + math.log(3) + 2 * math.log(14) + signed_nats(4 - 3 - 2) + 4 * math.log(2)
    assert one.shared_nats == pytest.approx(shared)
    assert one.nats == pytest.approx(shared + each)
    twice = Digits(3, 2, 3, 2, (1, 1), one.sums * 2)
    assert twice.nats == pytest.approx(shared + 2 * each)


def test_a_sum_reads_what_the_message_says():
    message = Digits(4, 2, 3, 1, (-1, 0, 2), (DigitSum((0, 3), (5, -4), 3), DigitSum((1,), (1,), -2)))
    assert message.terms(0) == ((5 * 4.0, 0.0, 0.0, -4 / 16), 1.5)
    assert message.terms(1) == ((0.0, 1.0, 0.0, 0.0), -1.0)
    assert message.shift([0]) == 2
    assert message.terms(0, message.shift([0])) == ((80.0, 0.0, 0.0, -1.0), 6.0)
    assert message.shift([0, 1]) == 2
    assert Digits(1, 1, 1, 0, (), (DigitSum((), (), 0),)).shift([0]) == 0
    assert pickle.loads(pickle.dumps(message)) == message


@pytest.mark.parametrize("grid", GRIDS)
def test_columns_are_brought_to_about_one(grid):
    X = np.array([[1.0, 0.0, -1000.0, 0.001], [-3.0, 0.0, 2.0, 0.0]])
    powers = column_powers(X, grid)
    assert not (powers % grid).any()
    largest = np.abs(np.ldexp(X, -powers)).max(axis=0)
    assert ((largest == 0) | ((largest >= 2.0**-grid) & (largest <= 1))).all()
    assert powers[1] == 0


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), fraction=st.integers(0, 3))
def test_the_best_constant_is_that_of_a_search(seed, fraction):
    rng = np.random.default_rng(seed)
    values = np.sort(rng.integers(-20, 20, size=int(rng.integers(1, 20))) / 4)
    gains = rng.integers(-2, 3, size=len(values))
    near = float(rng.normal(scale=4))
    number, cost = best_constant(values, gains, 10, near, fraction)
    tried = {c: 10 - int(gains[values + c / 2**fraction > 0].sum()) for c in range(-100, 101)}
    assert cost == tried[number] == min(tried.values())
    low, high = -values.max() * 2**fraction - 1, -values.min() * 2**fraction + 1  # beyond, nothing changes
    within = [c for c in tried if low <= c <= high and tried[c] == cost]
    assert abs(number - near * 2**fraction) <= min(abs(c - near * 2**fraction) for c in within) + 1e-9


def one_halfspace(weights, constant, X, positive, delta=0.05):
    def costs(places, values):
        assert list(places) == [0]
        return ((values[0] > 0) != positive).astype(int)

    return Rounding(np.array([weights]), np.array([constant]), X, costs, lambda message, _: message.nats, delta)


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), n_columns=st.integers(1, 4))
def test_candidates_cost_what_they_say_and_the_smallest_bound_is_first(seed, n_columns):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, n_columns)) * 10.0 ** rng.integers(-3, 4, n_columns)
    weights = rng.normal(size=n_columns) / np.abs(X).max(axis=0)
    positive = (X @ weights + 0.2 > 0) ^ (rng.random(60) < 0.1)
    n_wrong = int(((X @ weights + 0.2 > 0) != positive).sum())
    most = most_wrong(n_wrong)
    found = one_halfspace(weights, 0.2, X, positive).search(most)
    bounds = [occam_bound(60, one.nats, one.cost, 0.05) for one in found]
    assert bounds == sorted(bounds)
    for one in found:
        assert one.nats == one.message.nats
        assert one.cost <= most
        halfspace = Halfspace(*one.message.terms(0))
        assert (halfspace.holds(as_table(X)) != positive).sum() == one.cost
        whole = Halfspace(*one.message.terms(0, one.message.shift([0])))
        assert all(weight.is_integer() for weight in (*whole.weights, whole.bias))
        assert (whole.holds(as_table(X)) == halfspace.holds(as_table(X))).all()
        assert all(0 < abs(number) < 2**one.message.digits for number in one.message.sums[0].numbers)


def test_columns_of_no_weight_are_left_out():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 8, size=200), rng.normal(size=(200, 5)) * 1e6, np.zeros(200)])
    positive = X[:, 0] > 3
    (best, *_) = one_halfspace([1.0, *[1e-9] * 5, 7.0], -3.5, X, positive).search()
    assert best.message.sums[0].columns == (0,)
    assert best.cost == 0
    assert len(best.message.exponents) == 1


def test_plain_rounding_keeps_as_many_digits_as_one_likes():
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(50, 3)), rng.normal(size=3)
    one = one_halfspace(weights, 0.3, X, X[:, 0] > 0).plain(MOST_DIGITS)
    found, constant = one.message.terms(0)
    assert np.allclose(np.array(found) * weights[0] / found[0], weights)
    assert constant * weights[0] / found[0] == pytest.approx(0.3)


def test_several_sums_that_gain_nothing_are_left_out():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    positive = X.all(axis=1)

    def costs(places, values):
        return ((values > 0).all(axis=0) != positive).astype(int)

    weights, constants = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), np.full(3, -0.5)
    rounding = Rounding(weights, constants, X, costs, lambda message, _: message.nats, 0.05, n_varies=True)
    found = rounding.search()
    assert {one.places for one in found} <= {(0,), (0, 2)}
    assert min(one.cost for one in found) == 0


def test_sums_that_are_compared_have_one_scale():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 2))
    weights, constants = np.array([[4.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), np.array([0.0, 0.5, 1.0])
    codes = np.argmax(X @ weights.T + constants, axis=1)

    def costs(places, values):
        assert list(places) == [0, 1, 2]
        return (np.argmax(values, axis=0) != codes).astype(int)

    rounding = Rounding(weights, constants, X, costs, lambda message, _: message.nats, 0.05, compared=True)
    best = rounding.search(3)[0]
    terms = [best.message.terms(place) for place in range(3)]
    values = np.array([X @ np.array(weight) + constant for weight, constant in terms])
    assert (np.argmax(values, axis=0) != codes).sum() == best.cost <= 3


@pytest.mark.parametrize(("n_wrong", "limit"), [(0, 1), (9, 11), (100, 106)])
def test_a_rounded_machine_may_be_a_little_worse(n_wrong, limit):
    assert most_wrong(n_wrong) == limit


@pytest.mark.parametrize("size", [1e-300, 1e-180, 1e180, 1e300])
def test_numbers_of_any_size_can_be_rounded(size):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2)) * [size, 1 / size]
    positive = X[:, 0] / size > X[:, 1] * size
    with np.errstate(all="raise", under="ignore", over="ignore"):
        best = one_halfspace([1 / size, -size], 0.0, X, positive).search()[0]
    halfspace = Halfspace(*best.message.terms(0, best.message.shift([0])))
    assert np.isfinite((*halfspace.weights, halfspace.bias)).all()
    assert (halfspace.holds(as_table(X)) != positive).mean() < 0.1


# ---- the machines that are sent so

LEARNERS = {
    "minimal": lambda **parameters: MinimalComplexityClassifier(**parameters),
    "intersection": lambda **parameters: HalfspaceIntersectionClassifier(max_halfspaces=2, **parameters),
    "list": lambda **parameters: NeuralDecisionListClassifier(max_halfspaces=2, **parameters),
}
RECONSTRUCT = {
    "minimal": minimal_scheme.reconstruct,
    "intersection": intersection_scheme.reconstruct,
    "list": neural_scheme.reconstruct,
}


def overlapping(n_rows=200, n_columns=3, noise=0.1):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, size=(n_rows, n_columns)).astype(float)
    return X, np.where((X[:, 0] + X[:, 1] > 8) ^ (rng.random(n_rows) < noise), "yes", "no")


@functools.cache
def fitted(name, code, few=False):
    """Many rows of few columns are shorter in digits; few rows of many columns are not."""
    X, y = overlapping(40, 8, noise=0.0) if few else overlapping()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LEARNERS[name](code=code).fit(X, y)


@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize("name", LEARNERS)
def test_the_choice_of_a_code_is_paid_whichever_is_taken(name, few):
    auto, rows, digits = (fitted(name, code, few) for code in ("auto", "rows", "digits"))
    taken = digits if auto.hypothesis_ == digits.hypothesis_ else rows
    assert auto.hypothesis_ == taken.hypothesis_
    assert auto.certificate_.message_nats == pytest.approx(taken.certificate_.message_nats + math.log(2))
    assert auto._encoding.nats == auto.certificate_.message_nats
    assert isinstance(rows.certificate_.statements[0], SampleCompression)
    assert isinstance(digits.certificate_.statements[0], FiniteClass)
    if not few:
        assert taken is digits
        assert digits.certificate_.risk_bound < rows.certificate_.risk_bound


@pytest.mark.parametrize("code", ["auto", "digits"])
@pytest.mark.parametrize("name", LEARNERS)
def test_what_is_stored_is_what_the_message_says_and_what_errors_are_counted_for(name, code):
    X, y = overlapping()
    model = fitted(name, code)
    built = RECONSTRUCT[name](None, pickle.loads(pickle.dumps(model._encoding.message)))
    assert (built[0] if name == "minimal" else built) == model.hypothesis_
    wrong = int((model.predict(X) != y).sum())
    assert model.certificate_.statements[0].errors_outside == wrong
    assert model.certificate_.empirical_risk == wrong / len(y)
    assert len(model._encoding.rows) == 0
    if name == "minimal":
        assert model.coef_.tolist() == [list(model.hypothesis_.weights)]
        assert all(weight.is_integer() for weight in (*model.hypothesis_.weights, model.hypothesis_.bias))
        assert model.objective_ == fitted(name, "rows").objective_
        assert model.support_.tolist() == fitted(name, "rows").support_.tolist()
    else:
        assert {step.rule for step in model.path_} == set(model.rules_)
        assert sum(line["support"] for line in model.get_rules()) <= len(y)
        assert len(set(model.rules_)) == len(model.rules_), "each order is another sequence"


@pytest.mark.parametrize("union", [False, True])
def test_a_union_is_rounded_as_it_is_shown(union):
    X, y = overlapping()
    model = HalfspaceIntersectionClassifier(union, max_halfspaces=2, code="digits").fit(X, y)
    assert model.hypothesis_.any_holds == union
    assert model.score(X, y) > 0.7
    assert all(step.n_support == 0 for step in model.path_)


def test_a_list_of_several_classes_in_digits():
    X, y = load_iris(return_X_y=True)
    model = NeuralDecisionListClassifier(code="digits").fit(X, y)
    assert model.score(X, y) > 0.9
    assert [node.rule for node in model.path_] == list(model.rules_)
    assert sum(node.n_right for node in model.path_) <= len(y)
    assert model.hypothesis_.default != model.hypothesis_.nodes[-1][1]


def test_three_sums_in_digits():
    X, y = load_iris(return_X_y=True)
    model = MinimalComplexityClassifier(code="digits").fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.coef_.shape == (3, 4)
    assert model.certificate_.risk_bound < 0.55


def test_weights_keep_a_machine_as_it_was_solved():
    X, y = overlapping()
    weights = np.where(y == "yes", 2.0, 1.0)
    auto, rows = (MinimalComplexityClassifier(code=code).fit(X, y, weights) for code in ("auto", "rows"))
    assert auto.hypothesis_ == rows.hypothesis_
    assert auto.certificate_.message_nats == pytest.approx(rows.certificate_.message_nats + math.log(2))


def test_other_kernels_have_no_digits():
    X, y = overlapping(30)
    with pytest.raises(ValueError, match="kernel must be 'linear'"):
        MinimalComplexityClassifier(kernel="rbf", code="digits").fit(X, y)
    auto, rows = (MinimalComplexityClassifier(kernel="rbf", max_support=3, code=c).fit(X, y) for c in ("auto", "rows"))
    assert auto.certificate_ == rows.certificate_


def few_sums():
    return [one for one in sums_of(1, 1, range(2)) if one.constant in (-1, 0, 1)]


def digits_of(sums):
    """All messages of some sums, with exponents of few sizes."""
    used = any(one.columns for one in sums)
    return [Digits(1, 1, 1, 0, (e,) if used else (), tuple(sums)) for e in (range(-3, 4) if used else [0])]


WITHOUT_EXPONENTS = math.exp(-math.log(4) - 2 * integer_nats(0))


def test_sets_of_halfspaces_obey_kraft():
    total = math.fsum(
        math.exp(-intersection_scheme.DigitsMessage(union, digits).nats)
        for size in range(3)
        for sums in itertools.combinations(few_sums(), size)
        for digits in digits_of(sums)
        for union in ([False, True] if size == 0 else [False])
    )
    assert 0.5 * WITHOUT_EXPONENTS < total < 0.85 * WITHOUT_EXPONENTS, "sizes 0 to 2, and short constants"


def test_lists_of_halfspaces_obey_kraft():
    """Of neighbours that answer alike the order is not said."""
    total = math.fsum(
        math.exp(-neural_scheme.DigitsListMessage(digits, answers, default).nats(2))
        for size in range(3)
        for sums in itertools.permutations(few_sums(), size)
        for answers in itertools.product(range(2), repeat=size)
        if len(set(answers)) == size or list(sums) == sorted(sums, key=repr)
        for digits in digits_of(sums)
        for default in ([1 - answers[-1]] if size else [0, 1])
    )
    assert 0.5 * WITHOUT_EXPONENTS < total < 0.85 * WITHOUT_EXPONENTS
