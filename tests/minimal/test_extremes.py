"""Tables and parameters at the ends of the range: a fit that works, or an error, before work, that says what to do."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from tests.minimal.common import machines_of
from tests.minimal.test_programme import classifier, regressor
from threadpoolctl import threadpool_info, threadpool_limits

from laconic import MinimalComplexityClassifier, MinimalComplexityRegressor
from laconic._table import as_table
from laconic.exceptions import SizeWarning
from laconic.minimal import _machine as machine
from laconic.minimal._crossover import cross_over
from laconic.minimal._forms import make_form
from laconic.minimal._scheme import reconstruct
from laconic.minimal._solving import solve
from laconic.minimal._values import scores_of

MACHINES = (MinimalComplexityClassifier, MinimalComplexityRegressor)
LARGEST, SMALLEST = np.finfo(float).max, 5e-324


# ---- columns


@pytest.mark.parametrize("exponent", [-1008, -900, 900, 1007])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_units_of_columns_do_not_matter(mixed, slope, exponent, kernel):
    for (X, y), make in zip((mixed, slope), MACHINES, strict=True):
        near, far = (
            make(kernel=kernel, max_support=6, code="rows").fit(table, y) for table in (X, np.ldexp(X, [exponent, 0]))
        )
        assert far.certificate_.compression_size == near.certificate_.compression_size
        ours, theirs = (
            scores_of(far.hypothesis_, as_table(np.ldexp(X, [exponent, 0]))),
            scores_of(near.hypothesis_, as_table(X)),
        )
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("make", MACHINES)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize(("factor", "remedy"), [(SMALLEST, "Multiply"), (2.0**-1020, "Multiply"), (4e307, "Divide")])
def test_columns_beyond_are_refused_by_name(mixed, make, kernel, factor, remedy):
    X, y = mixed
    X = np.column_stack([X[:, 0], np.minimum(np.round(3 * np.abs(X[:, 1])), 4) * factor])
    with pytest.raises(ValueError, match=f"Column x1 holds numbers up to .*{remedy} the column by a power of ten"):
        make(kernel=kernel).fit(X, y)


def test_columns_are_held_against_the_targets(slope):
    X, y = slope
    with pytest.raises(ValueError, match=r"Column x0 holds numbers up to .*, beside targets of about 8.3e\+180"):
        MinimalComplexityRegressor(epsilon=0.5).fit(np.ldexp(X, -500), np.ldexp(y, 600))
    model = MinimalComplexityRegressor(epsilon=0.5).fit(np.ldexp(X, -400), np.ldexp(y, 600))
    assert np.isfinite(model.predict(np.ldexp(X, -400))).all()


def test_whole_numbers_beyond_those_that_floats_tell_apart(mixed):
    X, y = mixed
    X = np.column_stack([np.round(X[:, 0] * 3) + 2**55, X[:, 1]])
    model = MinimalComplexityClassifier().fit(X, y)
    assert reconstruct(model._encoding.examples, model._encoding.message) == machines_of(model)
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid"])
def test_a_column_that_no_kernel_can_hold_is_refused(mixed, kernel):
    X, y = mixed
    with pytest.raises(ValueError, match=r"Column x2 holds 1e\+300 .* Leave that row or that column out"):
        MinimalComplexityClassifier(kernel=kernel).fit(np.column_stack([X, np.full(70, 1e300)]), y)


def test_kernels_that_overflow_are_refused(mixed):
    X, y = mixed
    with pytest.raises(ValueError, match="NaN or infinite. Bring gamma, degree and coef0 nearer to 1"):
        MinimalComplexityClassifier(kernel="poly", degree=1000, gamma=1e6).fit(X, y)


# ---- parameters, weights and targets


@pytest.mark.parametrize("make", MACHINES)
@pytest.mark.parametrize(("name", "value"), [("C", 1e-300), ("gamma", SMALLEST), ("gamma", LARGEST), ("coef0", -1e300)])
def test_parameters_that_cannot_be_counted_with_are_refused(mixed, make, name, value):
    X, y = mixed
    with pytest.raises(ValueError, match=f"{name}=.* to count with; use one from 1e-100 to"):
        make(kernel="poly", **{name: value}).fit(X, y)
    if name != "C":  # what a machine does not read does no harm
        make(**{name: value}).fit(X, y)


@pytest.mark.parametrize("epsilon", [SMALLEST, 1e-300, 1e-99, 1e-17, 1e300, LARGEST])
def test_tubes_that_cannot_be_counted_with_are_refused(slope, epsilon):
    with pytest.raises(ValueError, match="epsilon=.* is too (small|large|narrow)"):
        MinimalComplexityRegressor(epsilon=epsilon).fit(*slope)


@pytest.mark.parametrize("factor", [LARGEST / 8, 2.0**-1060, SMALLEST])
def test_targets_that_cannot_be_counted_with_are_refused(slope, factor):
    X, y = slope
    with pytest.raises(ValueError, match="The targets hold numbers up to .* them by a power of ten"):
        MinimalComplexityRegressor().fit(X, np.clip(np.round(y), -3, 3) * factor)


@pytest.mark.parametrize("make", MACHINES)
def test_weights_far_apart_are_refused(mixed, make):
    X, y = mixed
    with pytest.raises(ValueError, match="C=1 times the weights of the rows, which lie between 1e-200 and 1, must lie"):
        make().fit(X, y, np.where(np.arange(70) == 5, 1e-200, 1.0))


@pytest.mark.parametrize("C", [1e-90, 1e-20, 1e20, 1e60, 1e100])
@pytest.mark.parametrize("solver", ["interior", "highs"])
def test_any_price_of_slack_is_solved_by_either_solver(mixed, C, solver):
    """HiGHS takes prices from 1e20 on for infinite, and gives up."""
    X, y = mixed
    model = MinimalComplexityClassifier(C, solver=solver).fit(X, y)
    assert model.duality_gap_[0] <= 1e-8
    assert reconstruct(model._encoding.examples, model._encoding.message) == machines_of(model)


# ---- rows


@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid", "rbf"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_finite_row_has_a_finite_value_of_the_right_sign(kernel, n_classes):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    y = np.digitize(X @ [1, -2, 0.5], [0.0, 1.0][: n_classes - 1])
    model = MinimalComplexityClassifier(10.0, kernel, max_support=6, coef0=0.5).fit(X, y)
    rows = rng.choice([LARGEST, -LARGEST, 1e300, -1e300, SMALLEST, 0.0, 1.0], size=(200, 3))
    with np.errstate(invalid="ignore"):  # scikit-learn adds the rows up to see whether they are finite
        values, answers, reasons = model.decision_function(rows), model.predict(rows), model.explain(rows[:3])
    assert np.isfinite(values).all()
    codes = values.argmax(axis=1) if n_classes > 2 else (values > 0).astype(int)
    assert (answers == model.classes_[codes]).all()
    assert [reason["prediction"] for reason in reasons] == answers[:3].tolist()
    if n_classes == 2 and kernel in ("linear", "poly"):
        exact = [exact_value(model.hypothesis_, row) for row in rows]
        assert [np.sign(value) for value in values] == [(value > 0) - (value < 0) for value in exact]


def exact_value(model, row):
    """The value as a fraction of whole numbers."""
    x = [Fraction(float(value)) for value in row]
    if not hasattr(model, "points"):
        return sum((Fraction(w) * v for w, v in zip(model.weights, x, strict=True)), Fraction(model.bias))
    total = Fraction(model.bias)
    for weight, point in zip(model.coefficients, model.points, strict=True):
        inner = sum((v * Fraction(p) * Fraction(4) ** s for v, p, s in zip(x, point, model.scale, strict=True)))
        total += Fraction(weight) * (Fraction(model.gamma) * inner + Fraction(model.coef0)) ** model.degree
    return total


def test_a_regressor_predicts_numbers_for_its_own_rows_and_all_others(slope):
    X, y = slope
    X, weights = np.vstack([X, [[1e303, -1e303]]]), np.append(np.ones(90), 0.0)  # a row that does not count
    for parameters in ({}, {"kernel": "poly", "max_support": 4}):
        model = MinimalComplexityRegressor(epsilon=0.5, **parameters).fit(X, np.append(y, 0.0), weights)
        assert np.isfinite(model.predict(X)).all()
        assert np.isfinite(model.predict([[LARGEST, 1.0], [1.0, -LARGEST]])).all()
        assert math.isfinite(model.tolerance_)
        assert model.certificate_.risk_bound <= 1


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.filterwarnings("ignore:The programme was solved to:sklearn.exceptions.ConvergenceWarning")
def test_what_is_rebuilt_predicts_as_the_model_does_whatever_the_scales(seed):
    rng = np.random.default_rng(seed)
    m, n = int(rng.choice([2, 5, 30])), int(rng.choice([1, 2, 5]))
    X = rng.normal(size=(m, n)) * 10.0 ** rng.integers(-302, 302, size=n) + rng.choice([0, 0, 1e16], size=n)
    make = MACHINES[seed % 2]
    y = rng.normal(size=m) * 10.0 ** rng.integers(-5, 6) if seed % 2 else np.append([0, 1], rng.integers(0, 2, m - 2))
    C, kernel = float(rng.choice([1e-60, 1.0, 1e12, np.inf])), str(rng.choice(["linear", "rbf", "poly"]))
    try:
        model = make(C, kernel=kernel, solver=str(rng.choice(["interior", "highs"]))).fit(X, y)
    except ValueError as refusal:
        model, message = None, str(refusal)
    if model is None:
        assert re.search(r"(Bring|Choose|Raise|Divide|Multiply|Leave|Use|scale|or C larger|or C finite)", message)
        return
    again = reconstruct(model._encoding.examples, model._encoding.message)
    assert again == machines_of(model)
    assert np.isfinite(scores_of(model.hypothesis_, as_table(X))).all()
    assert np.isfinite(model.predict(X)).all()


# ---- solvers


@pytest.mark.parametrize("make", [classifier, regressor])
def test_a_walk_from_what_is_no_number_ends(make):
    reduced = make_form(make("plain", 1.0, np.random.default_rng(0), 0.5)).reduced
    assert len(cross_over(reduced, np.full(reduced.design.shape[1], np.nan)).borders) <= reduced.design.shape[1] + 1


def test_no_solver_is_an_error_that_says_what_to_do(monkeypatch):
    from laconic.minimal import _solving as solving

    def lost(reduced, **options):
        raise RuntimeError

    monkeypatch.setattr(solving, "solve_interior", lost)
    monkeypatch.setattr(solving, "solve_highs", lost)
    with pytest.raises(ValueError, match="No solver could count with this programme of .* Bring them nearer to 1"):
        solve(classifier("plain", 1.0, np.random.default_rng(0), 0.5))


# ---- threads and sizes


def test_dense_solves_run_in_one_thread(mixed, monkeypatch):
    seen = []

    def watched(programme, **options):
        seen.extend(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")
        return solve(programme, **options)

    monkeypatch.setattr(machine, "solve", watched)
    with threadpool_limits(2, user_api="blas"):
        MinimalComplexityClassifier().fit(*mixed)
        after = [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]
    assert seen
    assert set(seen) == {1}
    assert set(after) == {2}


@pytest.mark.parametrize("make", MACHINES)
def test_auto_support_goes_by_the_number_of_rows_alone(mixed, make, monkeypatch):
    X, y = mixed
    assert make().max_support == "auto"
    everything = make(kernel="rbf", max_support=None).fit(X, y)
    assert make(kernel="rbf").fit(X, y).hypothesis_ == everything.hypothesis_
    monkeypatch.setattr(machine, "ALL_SUPPORT_ROWS", 69)
    monkeypatch.setattr(machine, "AUTO_SUPPORT", 7)
    with pytest.warns(SizeWarning, match="With 70 rows, more than 69, max_support='auto' takes 7 support rows"):
        few = make(kernel="rbf").fit(X, y)
    assert few.hypothesis_ == make(kernel="rbf", max_support=7).fit(X, y).hypothesis_
    assert make(kernel="rbf", max_support=None).fit(X, y).hypothesis_ == everything.hypothesis_
    make(kernel="poly", degree=1).fit(X, y)  # its rank is below the limit, and nothing needs to be said
