"""What the certificates of minimal complexity machines rest on: the set, the message, and what the message costs."""

import itertools
import math
import pickle
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from tests.minimal.common import KERNELS, as_solved, machines_of, reached, signs_of, tube_reached

from laconic import MinimalComplexityClassifier
from laconic.certificates import (
    choice_nats,
    decimal_nats,
    order_by_value,
    power_nats,
    repeats_nats,
    signed_nats,
    subset_nats,
)
from laconic.datasets import load_pima
from laconic.minimal._features import KernelSpec
from laconic.minimal._scheme import MachineMessage, MinimalMessage, reconstruct


def continuous(rng):
    return rng.normal(size=(40, 3))


def duplicates(rng):
    return rng.integers(0, 3, size=(40, 2)).astype(float)


def repeated(rng):
    return rng.normal(size=(12, 2))[rng.integers(0, 12, size=40)]


def one_column(rng):
    return rng.integers(0, 6, size=(30, 1)).astype(float)


def constant_columns(rng):
    return np.column_stack([np.full(30, 0.1), rng.normal(size=30), np.zeros(30)])


def dependent(rng):
    X = rng.normal(size=(30, 2))
    return np.column_stack([X, X @ [2.0, -1.0] + 3.0])


def few_rows(rng):
    return rng.normal(size=(4, 6))


def two_rows(rng):
    return rng.normal(size=(2, 2))


def wild(rng):
    return rng.normal(size=(40, 4)) * [1e-8, 1.0, 1e5, 1e8]


def nothing(rng):
    return np.zeros((6, 2))


DATA = [continuous, duplicates, repeated, one_column, constant_columns, dependent, few_rows, two_rows, wild, nothing]


def classes_for(X, rng, n_classes=2):
    codes = rng.integers(0, n_classes, size=len(X))
    codes[: min(n_classes, len(X))] = range(min(n_classes, len(X)))
    return codes


def targets_for(X, rng):
    return np.round(X[:, 0] / (np.abs(X[:, 0]).max() or 1.0) * 8) + rng.integers(-1, 2, size=len(X))


def rebuilt(model):
    """Only these bytes cross over."""
    examples, message = pickle.loads(pickle.dumps((model._encoding.examples, model._encoding.message)))
    return reconstruct(examples, message)


def check_encoding(model, table, answers):
    encoding = model._encoding
    assert rebuilt(model) == machines_of(model)
    assert len(set(encoding.rows.tolist())) == len(encoding.rows) == len(encoding.examples)
    assert (order_by_value(encoding.examples.table, encoding.examples.labels) == np.arange(len(encoding.rows))).all()
    assert (encoding.examples.table.matrix() == table[encoding.rows]).all()
    assert (encoding.examples.labels == answers[encoding.rows]).all()
    statement = model.certificate_.statements[0]
    assert (statement.n_samples, statement.size) == (len(table), len(encoding.rows))
    pivots = encoding.message.pivots
    used = {member for machine in encoding.message.machines for member in machine.members}.union(pivots)
    assert used == set(range(len(encoding.rows))), "every example of the set does something"
    for machine in encoding.message.machines:
        n_constraints = sum(map(len, machine.kinds)) + machine.h_is_one
        regressor = encoding.message.epsilon is not None
        assert n_constraints == len(machine.columns) + 2 + regressor, "as many as unknowns"
    assert encoding.message.n_features == (table.shape[1] if encoding.message.spec.kernel is None else len(pivots))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", [name for name in KERNELS if name != "callable"])
@pytest.mark.parametrize("data", DATA)
@pytest.mark.filterwarnings("ignore:The programme was solved to:sklearn.exceptions.ConvergenceWarning")  # a poor kernel
@pytest.mark.filterwarnings("ignore::laconic.exceptions.RepeatedRowsWarning")
def test_set_and_message_give_back_the_very_classifier(data, name):
    rng = np.random.default_rng(5)
    X = data(rng)
    for C, n_classes in ((0.05, 3), (30.0, 2)):
        codes = classes_for(X, rng, n_classes)
        model = MinimalComplexityClassifier(C, **KERNELS[name]).fit(X, codes)
        check_encoding(model, X, np.searchsorted(model.classes_, codes))
        for machine, signs, objective in zip(machines_of(model), signs_of(model, codes), model.objective_, strict=True):
            assert reached(signs * machine.evaluate(X), C) == pytest.approx(objective, rel=1e-5), "and it is optimal"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", [name for name in KERNELS if name != "callable"])
@pytest.mark.parametrize("data", DATA)
@pytest.mark.filterwarnings("ignore::laconic.exceptions.RepeatedRowsWarning")
def test_set_and_message_give_back_the_very_regressor(data, name):
    rng = np.random.default_rng(6)
    X = data(rng)
    y = targets_for(X, rng)
    for C, epsilon in ((1.0, 2.0), (10.0, 0.3)):
        model = as_solved(C, epsilon, **KERNELS[name]).fit(X, y)
        check_encoding(model, X, y)
        assert tube_reached(model, X, y) == pytest.approx(model.objective_, rel=1e-5)


@pytest.mark.parametrize("max_support", [5, None])
def test_a_precomputed_kernel_is_named_by_columns(max_support):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(30, 2))
    matrix, codes, weights = rbf_kernel(X, gamma=0.5), classes_for(X, rng, 3), rng.integers(0, 3, size=30)
    model = MinimalComplexityClassifier(kernel="precomputed", max_support=max_support).fit(matrix, codes, weights)
    check_encoding(model, matrix, codes)
    columns = {int(place) for machine in machines_of(model) for (place,) in machine.points}
    assert columns == set(model.support_.tolist())
    y = X[:, 0] + rng.normal(scale=0.3, size=30)
    model = as_solved(kernel="precomputed", max_support=max_support).fit(matrix, y, weights)
    check_encoding(model, matrix, y)


@pytest.mark.parametrize("C", [0.01, 1.0])
def test_pima_is_degenerate_and_still_sent_in_few_rows(C):
    """At C = 0.01 hundreds of rows are tight; a vertex needs no more than there are unknowns."""
    X, y = load_pima(return_X_y=True)
    model = MinimalComplexityClassifier(C, code="rows").fit(X, y)
    check_encoding(model, np.asarray(X, dtype=float), np.searchsorted(model.classes_, y))
    margins = signs_of(model, y)[0] * model.decision_function(X)
    tight = np.isclose(margins, 1) | np.isclose(margins, model.h_[0])
    assert tight.sum() == (500 if C == 0.01 else 10)
    assert len(model._encoding.rows) <= X.shape[1] + 2 == 10


@pytest.mark.parametrize("C", [1e-6, 0.01, 1.0, 100.0])
@pytest.mark.filterwarnings("ignore::laconic.exceptions.RepeatedRowsWarning")
def test_a_machine_that_always_says_the_same(C):
    """Every row twice in one class and once in the other: the majority has margin 1, h = 1, all weights are zero."""
    X, y = continuous(np.random.default_rng(8))[:12].repeat(3, axis=0), np.tile([1, 1, 0], 12)
    model = MinimalComplexityClassifier(C, code="rows").fit(X, y)
    assert model.h_[0] == pytest.approx(1)
    assert model.objective_[0] == pytest.approx(1 + 24 * C)
    assert model.decision_function(X) == pytest.approx(1)
    assert np.abs(model.coef_).max() < 1e-9
    check_encoding(model, X, y)


@pytest.mark.parametrize("name", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("data", [continuous, duplicates, repeated])
@pytest.mark.filterwarnings("ignore::laconic.exceptions.RepeatedRowsWarning")
def test_the_order_of_the_rows_changes_nothing(data, name):
    rng = np.random.default_rng(9)
    X = data(rng)
    for make, y in (
        (MinimalComplexityClassifier, classes_for(X, rng)),
        (as_solved, targets_for(X, rng)),
    ):
        model = make(epsilon=0.5, **KERNELS[name]) if make is as_solved else make(**KERNELS[name])
        first = model.fit(X, y)
        certificate, values = first.certificate_, first.hypothesis_.evaluate(X)
        order = rng.permutation(len(y))
        other = model.fit(X[order], y[order])
        assert other.hypothesis_.evaluate(X) == pytest.approx(values, abs=1e-7)
        assert other.certificate_ == certificate


# ---- what is paid


def all_messages(spec, n_examples, n_columns, n_machines, epsilon):
    """Every message that can be about a set: examples do something, and constraints are as many as unknowns."""
    n_kinds = 2 if epsilon is None else 4
    ways = [one for size in range(1, n_kinds + 1) for one in itertools.combinations(range(n_kinds), size)]
    everyone = set(range(n_examples))
    subsets = [one for size in range(n_examples + 1) for one in itertools.combinations(everyone, size)]
    for pivots in subsets if spec.kernel is not None else [()]:
        n_features = n_columns if spec.kernel is None else len(pivots)
        machines = [
            MachineMessage(members, kinds, columns, flag)
            for members in subsets
            for kinds in itertools.product(ways, repeat=len(members))
            for width in range(n_features + 1)
            for columns in itertools.combinations(range(n_features), width)
            for flag in ((False, True) if epsilon is None else (False,))
            if sum(map(len, kinds)) + flag == width + 2 + (epsilon is not None)
        ]
        for several in itertools.product(machines, repeat=n_machines):
            if everyone == set(pivots).union(*(machine.members for machine in several)):
                yield MinimalMessage(spec, epsilon, 0, pivots, n_features, several)


@pytest.mark.parametrize(("epsilon", "n_machines"), [(None, 1), (None, 2), (0.5, 1)])
@pytest.mark.parametrize("kernel", [None, "precomputed"])
def test_messages_are_a_prefix_code(kernel, epsilon, n_machines):
    spec = KernelSpec(kernel)
    fixed = spec.nats if epsilon is None else spec.nats + decimal_nats(epsilon) + signed_nats(0)
    most = (4 if epsilon is None else 3) if n_machines == 1 else 2
    for n_examples in range(1, most + 1):
        found = list(all_messages(spec, n_examples, 2, n_machines, epsilon))
        assert len(set(found)) == len(found)
        assert sum(math.exp(fixed - message.nats(n_examples)) for message in found) <= 1 + 1e-12
    assert len(found) > 15


@pytest.mark.parametrize(("kernel", "n_examples", "n_machines"), [(None, 3, 2), ("precomputed", 4, 1)])
def test_flags_that_nobody_needs_pay_for_nothing(kernel, n_examples, n_machines):
    """Messages with the same points and flags are a prefix code of their own."""
    totals = defaultdict(float)
    for message in all_messages(KernelSpec(kernel), n_examples, 0, n_machines, None):
        flags = tuple((len(one.columns) == message.n_features, one.is_simple, one.h_is_one) for one in message.machines)
        said = replace(message, machines=()).nats(n_examples) + 3 * n_machines * math.log(2)
        totals[message.pivots, flags] += math.exp(said - message.nats(n_examples))
    assert len(totals) >= 5
    assert max(totals.values()) <= 1 + 1e-12


def test_what_goes_without_saying_costs_nothing():
    """A lone linear machine over all columns, each example tight in one way: only the ways are said, and flags."""
    one = MachineMessage((0, 1, 2), ((0,), (1,), (0,)), (0,), h_is_one=False)
    message = MinimalMessage(KernelSpec(), n_features=1, machines=(one,))
    assert message.nats(3) == pytest.approx(3 * math.log(2) + 3 * math.log(2))
    both = MachineMessage((0, 1), ((0, 1), (1,)), (0,), h_is_one=False)
    twice = MinimalMessage(KernelSpec(), n_features=1, machines=(both,))
    assert twice.nats(2) == pytest.approx(3 * math.log(2) + 2 * math.log(3))
    fewer = MinimalMessage(KernelSpec(), n_features=4, machines=(one,))
    assert fewer.nats(3) == pytest.approx(message.nats(3) + subset_nats(4, 1))
    kernel = MinimalMessage(KernelSpec("precomputed"), pivots=(0, 3), n_features=2, machines=(one,))
    rest = subset_nats(2, 1) + subset_nats(4, 2) + math.log(2)
    assert kernel.nats(4) == pytest.approx(message.nats(3) + choice_nats(6) + rest)


def test_kernels_and_their_parameters_are_a_prefix_code():
    """A few hundred numbers of each parameter add up to less than one: there is room for all others."""
    numbers = sorted(
        {2.0**e for e in range(-12, 13)} | {round(k * 10.0**e, 9) for k in range(1, 60) for e in range(-3, 3)}
    )
    signed = sorted({*numbers, 0.0, *(-number for number in numbers)})
    assert sum(math.exp(-power_nats(number)) for number in numbers) < 1
    assert sum(math.exp(-decimal_nats(number)) for number in signed) < 1
    for n_columns, reach in ((1, 40), (2, 12)):
        scales = itertools.product(range(-reach, reach + 1), repeat=n_columns)
        assert sum(math.exp(-repeats_nats(scale)) for scale in scales) < 1
    names = ("linear", "rbf", "poly", "sigmoid", "precomputed", print)  # and any function, once
    total = 0.0
    for name, gamma in itertools.product(names, numbers[::4]):
        if name in ("rbf", "poly", "sigmoid") or gamma == numbers[0]:
            total += math.exp(-KernelSpec(name, gamma).nats)
    assert total < 1


def test_what_a_kernel_reads_is_charged_and_nothing_else():
    assert KernelSpec().nats == 0
    name = choice_nats(6)
    scale = (-3, 2, 2)
    assert KernelSpec("precomputed", gamma=0.3, coef0=0.7).nats == pytest.approx(name)
    assert KernelSpec(print, gamma=0.3, coef0=0.7).nats == pytest.approx(name)
    rbf = KernelSpec("rbf", 0.3, 5, 0.7, scale).nats
    assert rbf == pytest.approx(name + repeats_nats(scale) + power_nats(0.3))
    sigmoid = KernelSpec("sigmoid", 0.3, 5, 0.7, scale).nats
    assert sigmoid == pytest.approx(rbf + decimal_nats(0.7))
    assert KernelSpec("poly", 0.3, 5, 0.7, scale).nats == pytest.approx(sigmoid + decimal_nats(5))
    for field, plain, odd in (("gamma", 0.5, 0.4837), ("coef0", 1.0, 0.98765), ("degree", 2, 7)):
        assert KernelSpec("poly", **{field: odd}).nats > KernelSpec("poly", **{field: plain}).nats + 0.5
    assert KernelSpec("rbf", 0.1 + 0.2).nats > KernelSpec("rbf", 0.3).nats + 50
    assert KernelSpec("rbf", scale=(9, -9)).nats > KernelSpec("rbf", scale=(0, 0)).nats + 5


def test_the_tube_and_its_unit_are_charged():
    classifier = MinimalMessage(KernelSpec())
    assert classifier.nats(0) == 0
    for epsilon, unit in ((0.1, 0), (0.12345, 3), (2.0, -7)):
        message = MinimalMessage(KernelSpec(), epsilon, unit)
        assert message.nats(0) == pytest.approx(decimal_nats(epsilon) + signed_nats(unit))
    X = continuous(np.random.default_rng(3))
    y = X[:, 0] + np.random.default_rng(4).normal(size=40)
    cheap, dear = (as_solved(epsilon=epsilon).fit(X, y) for epsilon in (0.5, 0.50001))
    assert len(cheap._encoding.rows) == len(dear._encoding.rows)
    assert dear.certificate_.message_nats > cheap.certificate_.message_nats + 10
    far = as_solved(epsilon=0.5).fit(X, y * 2.0**30)
    extra = signed_nats(far._encoding.message.unit) - signed_nats(cheap._encoding.message.unit)
    assert far.certificate_.message_nats == pytest.approx(cheap.certificate_.message_nats + extra)


def test_the_price_of_slack_and_the_solver_are_free():
    """What `reconstruct` does not read is not charged: only what the machine became counts."""
    X, y = continuous(np.random.default_rng(3)), np.arange(40) % 2
    hard = MinimalComplexityClassifier(0.123456789, solver="highs", rank_tol=0.0123, code="rows").fit(X, y)
    message = hard._encoding.message
    assert message.nats(len(hard._encoding.rows)) == hard._encoding.nats == hard.certificate_.message_nats
    assert hard._encoding.nats < 3 * math.log(2) + len(message.machines[0].members) * math.log(3)


def test_several_machines_share_the_set_and_the_kernel():
    X, y = continuous(np.random.default_rng(3)), np.arange(40) % 3
    for name in ("linear", "rbf"):
        model = MinimalComplexityClassifier(**KERNELS[name], code="rows").fit(X, y)
        message, d = model._encoding.message, len(model._encoding.rows)
        assert len(message.machines) == 3
        alone = replace(message, machines=())
        assert alone.nats(d) == pytest.approx(message.spec.nats + (name == "rbf") * subset_nats(d, len(message.pivots)))
        pairs = [replace(message, machines=(one, one)).nats(d) - alone.nats(d) for one in message.machines]
        assert model._encoding.nats == pytest.approx(alone.nats(d) + sum(pairs) / 2)
        assert model.certificate_.compression_size == d
