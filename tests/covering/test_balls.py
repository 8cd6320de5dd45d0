"""Balls around examples: the definitions, what is sent, what must not matter, and what a user does with them."""

from __future__ import annotations

import itertools
import math
import pickle
import statistics

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.oracles import balls as oracle

from laconic import SetCoveringClassifier
from laconic._table import Table
from laconic.certificates import Examples, compression_bound, marchand_ball_bound, pairing_nats
from laconic.covering import Balls, Stumps
from laconic.covering.core import _scheme as scheme
from laconic.covering.core._family import make_families
from laconic.covering.core._greedy import cover
from laconic.covering.core._problem import make_problem
from laconic.covering.core._templates import StumpTemplate
from laconic.covering.families import _ball_blocks as balls_module
from laconic.covering.families import _kernels as kernels
from laconic.covering.families._ball_scheme import BallsMessage, BallTemplate
from laconic.exceptions import NoConsistentConcept
from laconic.rules import Ball, Conjunction, Disjunction

FORMS = ["conjunction", "disjunction"]
METRICS = ["manhattan", "euclidean", "chebyshev"]
PENALTIES = [0.5, 1.0, 1.7, math.inf]


def sample(kind, seed, n_rows=None, weighted=False):
    """Rows, classes and weights: grids have many ties and duplicates, tenths have ties that arithmetic blurs."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 15)) if n_rows is None else n_rows
    width = int(rng.integers(1, 4))
    if kind == "reals":
        X = rng.normal(size=(n, width))
    else:
        X = rng.integers(0, rng.integers(2, 6), size=(n, width)) * (0.1 if kind == "tenths" else 1.0)
    positive = rng.random(n) < 0.5
    positive[:2] = True, False
    weights = rng.integers(0, 4, n).astype(float) if weighted else np.ones(n)
    weights[:2] = np.maximum(weights[:2], 1)
    return X, positive, weights


def without_contradictions(X, positive):
    """Return equal rows the class of the first of them."""
    _, first, group = np.unique(X, axis=0, return_index=True, return_inverse=True)
    return positive[first[group.ravel()]]


def solve(X, positive, weights, penalty, form, features, n_blocks=1, max_rules=None):
    table = Table.from_array(X)
    problem = make_problem(table, positive, weights, penalty, form)
    families = make_families(features)
    columns = range(table.n_columns)
    blocks = [(f, block) for f, family in enumerate(families) for block in family.blocks(problem, columns, n_blocks)]
    return problem, families, cover(problem, blocks, max_rules)


# ---- kernels


def random_groups(rng, n_rows):
    """Some rows in a random order, in random groups."""
    rows = rng.permutation(n_rows)[: rng.integers(1, n_rows + 1)]
    cuts = np.flatnonzero(rng.random(len(rows) - 1) < rng.uniform(0.2, 1)) + 1
    return [group.tolist() for group in np.split(rows, cuts)]


def packed(groups_by_center, wide):
    """Write the orders as the kernels read them, with noise behind the end of each."""
    last = 1 << (31 if wide else 15)
    lengths = np.array([sum(map(len, groups)) for groups in groups_by_center])
    orders = np.full((len(groups_by_center), lengths.max() + 1), last - 1, dtype=np.uint32 if wide else np.uint16)
    for j, groups in enumerate(groups_by_center):
        orders[j, : lengths[j]] = oracle.marked(groups, last)
    return orders, lengths, last


@pytest.mark.parametrize("wide", [False, True])
def test_merge_near_follows_its_twin(wide):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        steps = rng.choice([0.0, 2.0**-50, 2.0**-37, 2.0**-34.5, 2.0**-33.5, 2.0**-61, 2.0**-57, 0.5], size=20)
        ordered = np.cumsum(steps) + rng.choice([0.0, 1.0])
        rows = rng.permutation(20)
        distances = np.empty(20)
        distances[rows] = ordered
        order = rows.astype(np.uint32) | (rng.random(20) < 0.5).astype(np.uint32) * kernels.LAST
        last = 1 << (31 if wide else 15)
        out = np.empty(20, dtype=np.uint32 if wide else np.uint16)
        slack, floor = 4 * 2.0**-36, 4 * 2.0**-60
        kernels.merge_near(order, distances, slack, floor, last, out)
        assert oracle.unmarked(out, last) == oracle.merge_near(rows, distances, slack, floor)
        near, far = ordered[:-1], ordered[1:]
        assert len(oracle.unmarked(out, last)) == 1 + sum(map(oracle.are_apart, near, far))


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_best_ball_and_ball_size_follow_their_twins(wide, dtype):
    n_found = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n_rows, n_centers = int(rng.integers(1, 90)), int(rng.integers(1, 7))
        groups = [random_groups(rng, n_rows) for _ in range(n_centers)]
        outward = rng.random(n_centers) < 0.5
        gains = rng.choice([-3, -2, -1, 0, 1, 2], size=n_rows, p=rng.dirichlet(np.ones(6))).astype(dtype)
        orders, lengths, last = packed(groups, wide)
        true = np.array([max([0, *oracle.values_of(g, o, gains)]) for g, o in zip(groups, outward, strict=True)])
        hope = int(gains[gains > 0].sum())
        for bounds in (np.full(n_centers, 2**61), true + rng.integers(0, 4, n_centers), true.copy()):
            sequence = np.argsort(-bounds, kind="stable")
            found = 0, -1
            for some in np.array_split(sequence, 1 + seed % 3):  # in pieces, too
                found = kernels.best_ball(orders, lengths, last, outward, gains, hope, some, bounds, *found)
            expected = oracle.best_ball(groups, outward, gains)
            assert tuple(map(int, found)) == expected
            assert (bounds >= true).all(), "a bound must stay one"
        value, j = expected
        if j >= 0:
            n_found += 1
            assert bounds[j] == value
        for j in range(n_centers):
            for value, longest in itertools.product(range(-2, 3), (False, True)):
                assert kernels.ball_size(
                    orders[j, : lengths[j]], last, bool(outward[j]), gains, value, longest
                ) == oracle.ball_size(groups[j], outward[j], gains, value, longest)
    assert n_found > 20


# ---- the greedy cover against the definitions


def shown(solution):
    return [(step.rule, step.n_covered, step.n_errors) for step in solution.steps]


def expected_steps(X, positive, weights, penalty, form, family, max_rules=None):
    """What the definitions choose, as `shown` gives it, and the exact values."""
    rows = np.flatnonzero(weights > 0)
    scale = oracle.dyadic_exponents(X[rows]) if family.scale else ()
    distances = oracle.distance_table(X, family.metric, scale or None)
    centers = oracle.centers_in_order(X, positive, rows, family.centers)
    steps = oracle.greedy_balls(distances, centers, positive, weights, penalty, form, family.radius, max_rules)
    balls = [
        Ball(tuple(map(float, X[step.center])), step.radius, bool(positive[step.center]), family.metric, scale)
        for step in steps
    ]
    listed = [(ball, len(step.covered), len(step.errors)) for ball, step in zip(balls, steps, strict=True)]
    return listed, [float(step.value) for step in steps]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("radius", ["reach", "tight"])
def test_cover_is_the_greedy_cover_of_the_definitions(form, penalty, radius):
    options = itertools.product(METRICS, ["both", "positive", "negative"], ["grid", "reals"], [False, True], range(2))
    n_steps = 0
    for seed, (metric, centers, kind, weighted, _) in enumerate(options):
        X, positive, weights = sample(kind, seed, weighted=weighted)
        family = Balls(metric, centers, radius, scale="dyadic" if seed % 5 == 0 else None)
        _, _, solution = solve(X, positive, weights, penalty, form, family, n_blocks=1 + seed % 3)
        listed, values = expected_steps(X, positive, weights, penalty, form, family)
        assert shown(solution) == listed
        assert [step.value for step in solution.steps] == pytest.approx(values, rel=1e-4)
        n_steps += len(listed)
    assert n_steps > 70


def test_rows_that_are_gone_change_no_later_ball():
    """With many steps the search forgets rows; the definitions never do."""
    longest = 0
    for seed in range(9):
        X, positive, weights = sample("grid" if seed % 3 else "reals", seed, n_rows=32)
        family = Balls(METRICS[seed % 3], radius=["reach", "tight"][seed % 2])
        for form in FORMS:
            _, _, solution = solve(X, positive, weights, 0.8, form, family)
            listed, _ = expected_steps(X, positive, weights, 0.8, form, family)
            assert shown(solution) == listed
            longest = max(longest, len(listed))
    assert longest >= 5


def test_a_step_is_worth_the_rows_that_it_turned_away():
    # the second and the third row are equally far from the first but for three hairs, and the third sets the radius
    X = np.array([[0.0], [1.0], [1 + 3 * 2.0**-36], [1.5]])
    positive = np.array([False, False, True, True])
    _, _, solution = solve(X, positive, np.ones(4), math.inf, "conjunction", Balls(centers="negative"))
    assert [step.value for step in solution.steps] == [step.n_covered for step in solution.steps]
    assert sum(step.n_covered for step in solution.steps) == 2


@pytest.mark.parametrize("form", FORMS)
def test_more_rows_than_two_bytes_can_name(form):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(33_000, 2))
    positive = (X**2).sum(axis=1) < 1
    family = Balls(max_centers=3)
    problem, _, solution = solve(X, positive, np.ones(len(X)), 1.0, form, family, max_rules=2)
    (block,) = family.blocks(problem, range(2), 1)
    assert block.orders.dtype == np.uint32
    assert len({step.rule.center for step in solution.steps}) <= 3
    alive = np.ones(len(X), dtype=bool)
    for step in solution.steps:
        best = 0
        for center in block.centers:
            lengths = np.sqrt(((X - X[center]) ** 2).sum(axis=1))
            outward = problem.in_p[center] == 0
            order = np.argsort(lengths if outward else -lengths)
            gains = np.where(problem.in_p, -1, 1)[order] * alive[order]
            best = max(best, np.cumsum(gains)[:-1].max())
        assert step.value == best
        alive &= ~problem.rejects(step.rule)
        assert step.n_covered - step.n_errors == step.value


def test_the_narrow_and_the_wide_orders_agree():
    """A table of more than 2**15 rows of which few count is searched over four-byte names."""
    X, positive, weights = sample("grid", 3, n_rows=40)
    many = np.zeros((2**15 + 1, X.shape[1]))
    many[-40:] = X
    labels, counted = np.zeros(len(many), dtype=bool), np.zeros(len(many))
    labels[-40:], counted[-40:] = positive, weights
    for form in FORMS:
        _, _, narrow = solve(X, positive, weights, 1.0, form, Balls())
        _, _, wide = solve(many, labels, counted, 1.0, form, Balls())
        assert narrow.rules == wide.rules != ()


# ---- the paper's consistent machine


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("metric", METRICS)
def test_an_infinite_penalty_gives_the_machine_of_the_paper(form, metric):
    for seed in range(30):
        X, positive, weights = sample("grid" if seed % 2 else "reals", seed, n_rows=5 + seed)
        positive = without_contradictions(X, positive)
        if positive.all() or not positive.any():
            continue
        problem, _, solution = solve(X, positive, weights, math.inf, form, Balls(metric))
        distances = oracle.distance_table(X, metric)
        centers = oracle.centers_in_order(X, positive, range(len(X)))
        machine = oracle.consistent_machine(distances, centers, positive, form)
        assert [(rule.center, rule.radius) for rule in solution.rules] == [
            (tuple(map(float, X[center])), radius) for center, radius in machine
        ]
        assert (((solution.decided == len(solution.rules)) != problem.any_holds) == positive).all()
        model = SetCoveringClassifier(form, Balls(metric), penalty=math.inf, max_rules=None).fit(X, positive)
        assert (model.predict(X) == positive).all()
        assert model.certificate_.empirical_risk == 0


@pytest.mark.parametrize("form", FORMS)
def test_tight_balls_make_no_error_either(form):
    for seed in range(20):
        X, positive, _ = sample("tenths", seed, n_rows=30)
        positive = without_contradictions(X, positive)
        model = SetCoveringClassifier(form, Balls(radius="tight"), penalty=math.inf, max_rules=None)
        if len(set(positive)) == 2:
            assert (model.fit(X, positive).predict(X) == positive).all()


# ---- what is sent


def rebuild(encoding):
    """Let nothing but the bytes of the set and the message cross over."""
    examples, message = pickle.loads(pickle.dumps((encoding.examples, encoding.message)))
    return scheme.reconstruct(examples, message)


def check_rebuilt(problem, solution, encoding):
    machine = rebuild(encoding)
    assert set(machine.rules) == set(solution.rules)
    assert len(machine.rules) == len(solution.rules)
    assert len(encoding.rows) == len(set(encoding.rows.tolist())) == len(encoding.examples)
    if solution.rules:
        assert isinstance(machine, Disjunction if problem.any_holds else Conjunction)
        by_steps = (solution.decided == len(solution.rules)) != problem.any_holds
        assert (machine.evaluate(problem.table) == by_steps).all(), "a training row changed sides"
    return machine


GENERAL = {
    "reach": Balls(),
    "tight": Balls("manhattan", radius="tight"),
    "centres of one class": Balls("chebyshev", centers="positive", radius="tight"),
    "few centres": Balls(centers="negative", max_centers=3),
    "dyadic": Balls(scale="dyadic"),
    "dyadic, tight": Balls("manhattan", radius="tight", scale="dyadic"),
    "another name": Balls("canberra"),
    "a function": Balls(oracle.crooked),
    "a function, tight and dyadic": Balls(oracle.crooked, radius="tight", scale="dyadic"),
    "against stumps": ["balls", "stumps"],
    "after stumps": [Stumps(), Balls("manhattan", scale="dyadic"), Balls("chebyshev", radius="tight")],
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", GENERAL)
@pytest.mark.parametrize("form", FORMS)
def test_reconstruct_gives_back_the_very_machine(name, form):
    n_shared = n_rules = 0
    for seed in range(22):
        X, positive, weights = sample(
            ["grid", "tenths", "reals"][seed % 3], seed, n_rows=6 + seed, weighted=seed % 4 > 1
        )
        penalty = [1.0, 0.3, 2.0, math.inf][seed % 4]
        problem, families, solution = solve(X, positive, weights, penalty, form, GENERAL[name], max_rules=6)
        encoding = scheme.encode(solution, problem, families, 0.05)
        check_rebuilt(problem, solution, encoding)
        if isinstance(encoding.message, scheme.CoverMessage):
            assert set(encoding.message.pairing) == set(range(len(encoding.rows))), "every example serves a slot"
        n_slots = sum(families[step.family].template(step.rule).n_slots for step in solution.steps)
        n_shared += n_slots > len(encoding.rows)
        n_rules += len(solution.rules)
    assert n_rules > 15
    assert n_shared > 0 or name == "centres of one class", "one row should sometimes serve two rules"


def precomputed(X, metric, rows=slice(None)):
    return np.array(oracle.distance_table(X, metric))[:, rows]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("radius", ["reach", "tight"])
@pytest.mark.parametrize("symmetric", [True, False])
def test_reconstruct_gives_back_a_machine_of_precomputed_distances(form, radius, symmetric):
    for seed in range(30):
        X, positive, weights = sample(["grid", "tenths", "reals"][seed % 3], seed, weighted=seed % 2)
        X = precomputed(X, "manhattan")
        if not symmetric:
            X = X + np.random.default_rng(seed).integers(0, 3, X.shape)
        features = Balls("precomputed", radius=radius)
        problem, families, solution = solve(X, positive, weights, [1.0, 0.5, math.inf][seed % 3], form, features)
        check_rebuilt(problem, solution, scheme.encode(solution, problem, families, 0.05))


@st.composite
def small_tables(draw):
    """Few values, so that rows repeat, contradict each other and lie equally far; rows of weight zero."""
    n, width = draw(st.integers(2, 12)), draw(st.integers(1, 2))
    value = st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0, -1.0, 7.0])
    X = draw(st.lists(st.lists(value, min_size=width, max_size=width), min_size=n, max_size=n))
    labels = [True, False, *draw(st.lists(st.booleans(), min_size=n - 2, max_size=n - 2))]
    weights = draw(st.lists(st.sampled_from([1.0, 1.0, 2.0, 0.0]), min_size=n, max_size=n).filter(any))
    return np.array(X), np.array(labels), np.array(weights)


families_of_balls = st.builds(
    Balls,
    st.sampled_from([*METRICS, oracle.crooked]),
    st.sampled_from(["both", "positive", "negative"]),
    st.sampled_from(["reach", "tight"]),
    st.sampled_from([None, "dyadic"]),
    st.sampled_from([None, 2]),
)


@given(small_tables(), families_of_balls, st.sampled_from(PENALTIES), st.sampled_from(FORMS))
@settings(deadline=None, max_examples=100, derandomize=True)
def test_any_machine_is_rebuilt(table, family, penalty, form):
    problem, families, solution = solve(*table, penalty, form, family)
    check_rebuilt(problem, solution, scheme.encode(solution, problem, families, 0.05))


# ---- the scheme of theorem 5.2


def check_theorem(problem, families, solution):
    encoding = scheme.encode(solution, problem, families, 0.05, strict=True)
    machine = check_rebuilt(problem, solution, encoding)
    if not solution.rules:
        return encoding
    in_p = encoding.examples.labels != problem.any_holds
    if not (problem.in_p & (problem.weights > 0)).any():
        # no radius is set by a P-row then; a set without P-examples is no other message's
        assert not in_p.any()
        return encoding
    assert isinstance(encoding.message, BallsMessage)
    assert len(encoding.rows) <= 2 * len(solution.rules)
    assert problem.weights[encoding.rows].all()
    # the N-examples of the set are the N-centres, and nothing else
    n_centers = {rule.center for rule in solution.rules if rule.label == problem.any_holds}
    assert len(n_centers) == (~in_p).sum() == sum(rule.label == problem.any_holds for rule in machine.rules)
    if all(isinstance(center, tuple) for center in n_centers):
        X = problem.table.matrix(range(problem.table.n_columns))[encoding.rows]
        assert {tuple(map(float, row)) for row in X[~in_p]} == n_centers
    n_p, n_p_centers = int(in_p.sum()), len(solution.rules) - len(n_centers)
    assert len(encoding.message.p_centers) == n_p_centers
    exponents = solution.rules[0].scale
    nats = math.log(n_p + 1) + math.log(math.comb(n_p, n_p_centers)) + exponents_nats(exponents)
    assert encoding.nats == pytest.approx(nats)
    return encoding


def exponents_nats(exponents):
    """A number around the median of those before it or, the likelier the more often it came, one of them."""
    chance = 1.0
    for i, exponent in enumerate(exponents):
        off = exponent - statistics.median_low(exponents[:i] or [0])
        n = 2 * off if off >= 0 else -2 * off - 1
        chance *= (exponents[:i].count(exponent) + 4 / ((n + 1) * (n + 2))) / (i + 4)
    return -math.log(chance)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("metric", [*METRICS, oracle.crooked, "precomputed"])
@pytest.mark.parametrize("centers", ["both", "positive", "negative"])
def test_the_scheme_of_theorem_52_rebuilds_the_machine(form, metric, centers):
    kinds = set()
    for seed in range(16):
        kind = ["grid", "tenths", "reals"][seed % 3]
        X, positive, weights = sample(kind, seed, n_rows=4 + seed, weighted=seed % 4 == 3)
        scale = "dyadic" if seed % 2 else None
        if metric == "precomputed":
            X, scale = precomputed(X, "chebyshev"), None
        family = Balls(metric, centers, scale=scale, max_centers=9 if seed % 5 == 0 else None)
        problem, families, solution = solve(X, positive, weights, math.inf, form, family)
        check_theorem(problem, families, solution)
        kinds |= {rule.label for rule in solution.rules}
    assert kinds == {"both": {True, False}, "positive": {True}, "negative": {False}}[centers]


@given(small_tables(), st.sampled_from(METRICS), st.sampled_from([None, "dyadic"]), st.sampled_from(FORMS))
@settings(deadline=None, max_examples=80, derandomize=True)
def test_any_consistent_machine_is_rebuilt(table, metric, scale, form):
    check_theorem(*solve(*table, math.inf, form, Balls(metric, scale=scale)))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("scheme_of_paper", [True, False])
def test_a_row_without_weight_does_not_come_between(form, scheme_of_paper):
    # a weightless P-row is nearer to the N-centres than the border, another is farther than all others from P-centres
    n_class, p_class = (0, 1) if form == "conjunction" else (1, 0)
    X = np.array([[0.0], [1.0], [3.0], [2.0], [0.5], [90.0]])
    y = np.array([n_class, n_class, p_class, p_class, p_class, p_class])
    weights = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0])
    for centers in ("positive", "negative"):
        problem, families, solution = solve(X, y == 1, weights, math.inf, form, Balls(centers=centers))
        assert len(solution.rules) == 1
        if scheme_of_paper:
            encoding = check_theorem(problem, families, solution)
        else:
            encoding = scheme.encode(solution, problem, families, 0.05)
            check_rebuilt(problem, solution, encoding)
        assert len(encoding.rows) <= 2
        model = SetCoveringClassifier(form, Balls(centers=centers), penalty=math.inf).fit(X, y, sample_weight=weights)
        assert model.rules_ == tuple(model.hypothesis_.rules) == solution.rules
        assert model.certificate_.n_samples == 6
        assert (model.predict(X[:4]) == y[:4]).all()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("penalty", [1.0, math.inf])
@pytest.mark.parametrize("radius", ["reach", "tight"])
def test_one_class_may_weigh_nothing(form, penalty, radius):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2))
    y = X[:, 0] > 0
    for label in (True, False):
        model = SetCoveringClassifier(form, Balls(radius=radius), penalty=penalty)
        model.fit(X, y, sample_weight=(y == label).astype(float))
        assert set(model.hypothesis_.rules) == set(model.rules_)
        assert model.certificate_.empirical_risk == np.mean(model.predict(X) != y)


# ---- Kraft: over everything that can be said with d examples, exp(-nats) sums to at most one


def messages_of(templates, n_examples, n_rules):
    """Every set of different filled templates that uses all examples."""
    filled = [
        (family, template, places)
        for family, template in templates
        for places in itertools.product(range(n_examples), repeat=template.n_slots)
    ]
    for chosen in itertools.combinations(filled, n_rules):
        if {place for _, _, places in chosen for place in places} == set(range(n_examples)):
            pairing = tuple(place for _, _, places in chosen for place in places)
            message = scheme.CoverMessage(False, tuple(template for _, template, _ in chosen), pairing)
            yield message, [family for family, _, _ in chosen]


def ball_template(*exponents):
    return BallTemplate("euclidean", exponents, True)


@pytest.mark.parametrize("n_examples", [1, 2, 3])
@pytest.mark.parametrize("with_stumps", [False, True])
def test_messages_obey_kraft(n_examples, with_stumps):
    families = [Balls(), Stumps()] if with_stumps else [Balls()]
    templates = [(0, ball_template())]
    if with_stumps:
        templates += [(1, StumpTemplate(column, greater)) for column in range(2) for greater in (True, False)]
    total = sum(
        math.exp(-scheme.message_nats(message, chosen, families, n_examples, 2))
        for n_rules in range(1, 4)
        for message, chosen in messages_of(templates, n_examples, n_rules)
    )
    assert 0 < total <= 1 + 1e-12


@pytest.mark.parametrize("n_examples", [1, 2, 3])
def test_messages_with_a_scale_obey_kraft(n_examples):
    families = [Balls(scale="dyadic")]
    total = sum(
        math.exp(-scheme.message_nats(message, chosen, families, n_examples, 2))
        for exponents in itertools.product(range(-6, 7), repeat=2)
        for n_rules in range(1, 4)
        for message, chosen in messages_of([(0, ball_template(*exponents))], n_examples, n_rules)
    )
    assert 0 < total <= 1 + 1e-12


def test_exponents_obey_kraft_and_are_charged_once():
    family = Balls(scale="dyadic")
    shares = [math.exp(-family.shared_nats([ball_template(e)])) for e in range(-3000, 3001)]
    assert 0.99 < math.fsum(shares) <= 1
    pairs = itertools.product(range(-40, 41), repeat=3)
    assert 0.8 < math.fsum(math.exp(-family.shared_nats([ball_template(*e)])) for e in pairs) <= 1
    many = [ball_template(3, -2, 0, 3)] * 4
    assert family.shared_nats(many) == pytest.approx(exponents_nats((3, -2, 0, 3)))
    assert family.shared_nats([]) == Balls().shared_nats([ball_template()]) == 0


@pytest.mark.parametrize("n_p", range(4))
def test_messages_of_the_theorem_obey_kraft(n_p):
    # as `check_theorem` finds them charged: which of the P-examples of the set are centres
    nats = [math.log(n_p + 1) + math.log(math.comb(n_p, size)) for size in range(n_p + 1)]
    total = sum(math.comb(n_p, size) * math.exp(-nats[size]) for size in range(n_p + 1))
    assert total == pytest.approx(1)


@pytest.mark.parametrize("labels", list(itertools.product([False, True], repeat=4)))
def test_messages_with_exceptions_obey_kraft(labels):
    """Every set of centres and, for each, a border that follows or is named: however the labels fall."""
    examples = Examples(Table.from_array(np.arange(4.0)[:, None]), np.array(labels), (0, 1, 2, 3))
    n_p = sum(labels)
    total = 0.0
    for n_p_centers in range(n_p + 1):
        for n_idle in range(4 - n_p + 1):
            n_balls = n_p_centers + 4 - n_p - n_idle
            for n_borders in range(n_balls + 1):
                borders = tuple((ball, 0) for ball in range(n_borders))
                message = BallsMessage(False, ball_template(), tuple(range(n_p_centers)), tuple(range(n_idle)), borders)
                ways = math.comb(n_p, n_p_centers) * math.comb(4 - n_p, n_idle) * math.comb(n_balls, n_borders)
                total += ways * 4**n_borders * math.exp(-message.nats(examples, exceptions=True))
    assert 0.2 < total <= 1 + 1e-12


def test_borders_follow_where_that_is_shorter_and_the_choice_is_paid():
    seen = set()
    for seed in range(40):
        X, positive, weights = sample("reals", seed, n_rows=40)
        n_rules = 2 + seed % 6
        problem, families, solution = solve(X, positive, weights, 3.0, FORMS[seed % 2], Balls(), max_rules=n_rules)
        encoding = scheme.encode(solution, problem, families, 0.05)
        check_rebuilt(problem, solution, encoding)
        seen.add((type(encoding.message).__name__, len(encoding.rows) > 4))
        if len(encoding.rows) <= 4:
            assert isinstance(encoding.message, scheme.CoverMessage), "few examples are paired, and no choice is paid"
            paid = 0.0
        else:
            paid = math.log(2)
        if isinstance(encoding.message, scheme.CoverMessage):
            nats = scheme.message_nats(encoding.message, [0] * len(solution.rules), families, len(encoding.rows), 3)
        else:
            nats = encoding.message.nats(encoding.examples, exceptions=True)
            pairs = len(solution.rules) * 2
            paired = pairing_nats(pairs, len(encoding.rows)) - math.lgamma(len(solution.rules) + 1)
            assert nats < paired + math.log(2) + 1e-9
        assert encoding.nats == pytest.approx(nats + paid)
    assert {("BallsMessage", True), ("CoverMessage", False)} <= seen


# ---- training rows never flip


@pytest.mark.sampled(1)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("metric", [*METRICS, "canberra", "cosine", oracle.crooked])
@pytest.mark.filterwarnings("ignore::laconic.exceptions.RepeatedRowsWarning")
def test_training_rows_never_flip(form, metric):
    for seed in range(8):
        X, positive, _ = sample(["tenths", "reals"][seed % 2], seed, n_rows=25)
        X = X[:, :1] + [0.1, 1.7, 0.3] * X[:, -1:] + 0.1
        X = X.astype(np.float32) if seed % 4 > 1 else X
        rng = np.random.default_rng(seed)
        features = Balls(metric, radius=["reach", "tight"][seed // 4], scale=None if seed % 3 else "dyadic")
        model = SetCoveringClassifier(form, features, penalty=1.5, max_rules=None).fit(X, positive)
        problem, _, solution = solve(X, positive, np.ones(25), 1.5, form, features)
        assert model.rules_ == solution.rules
        if not solution.rules:
            continue
        assert set(model.hypothesis_.rules) == set(model.rules_)
        booked = (solution.decided == len(solution.rules)) != problem.any_holds
        assert (model.predict(X) == booked).all()
        shuffled = rng.permutation(25)
        assert (model.predict(X[shuffled]) == booked[shuffled]).all()
        assert (model.predict(np.asfortranarray(X)) == booked).all()
        assert (model.predict(X[::3]) == booked[::3]).all()
        assert (model.predict(X.astype(np.float64)) == booked).all()
        assert [model.predict(X[i : i + 1])[0] for i in range(0, 25, 2)] == booked[::2].tolist()
        assert [entry["prediction"] for entry in model.explain(X)] == booked.tolist()


# ---- what must not matter

INVARIANT = {
    "reach": Balls(),
    "tight": Balls("manhattan", radius="tight"),
    "tight euclidean": Balls(radius="tight"),
    "dyadic": Balls("manhattan", scale="dyadic"),
    "few centres": Balls("chebyshev", max_centers=7),
    "against stumps": ["balls", "stumps"],
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", INVARIANT)
@pytest.mark.parametrize("form", [*FORMS, "auto"])
def test_the_order_of_rows_and_the_number_of_threads_do_not_matter(name, form):
    for seed in range(6):
        X, y, weights = sample(["tenths", "grid", "reals"][seed % 3], seed, n_rows=60, weighted=seed % 2)
        penalty = [0.7, 2.0][seed // 3]
        model = SetCoveringClassifier(form, INVARIANT[name], penalty=penalty, max_rules=None)
        first = model.fit(X, y, sample_weight=weights)
        rules, certificate = first.rules_, first.certificate_
        order = np.random.default_rng(seed).permutation(60)
        again = model.fit(X[order], y[order], sample_weight=weights[order])
        assert again.rules_ == rules
        assert again.certificate_ == certificate
        for n_jobs in (2, 3):
            model.set_params(n_jobs=n_jobs).fit(np.asfortranarray(X), y, sample_weight=weights)
            assert model.rules_ == rules
            assert model.certificate_ == certificate


@pytest.mark.parametrize("radius", ["reach", "tight"])
@pytest.mark.parametrize("metric", METRICS)
def test_blocks_can_be_split_anyhow(metric, radius):
    for seed in range(6):
        X, positive, weights = sample("tenths", seed, n_rows=50)
        for form in FORMS:
            rules = {
                solve(X, positive, weights, 0.6, form, Balls(metric, radius=radius), n_blocks=n_blocks)[2].rules
                for n_blocks in (1, 2, 3, 50)
            }
            assert len(rules) == 1


def test_a_weight_of_two_is_a_row_given_twice():
    for seed in range(10):
        X, y, weights = sample("grid", seed, n_rows=20, weighted=True)
        repeated = np.repeat(np.arange(20), weights.astype(int))
        for form in FORMS:
            model = SetCoveringClassifier(form, "balls", max_rules=None, penalty=1.0)
            rules = model.fit(X, y, sample_weight=weights).rules_
            assert model.fit(X[repeated], y[repeated]).rules_ == rules


# ---- the estimator


@pytest.fixture(scope="module")
def rings():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2)) * 2
    y = np.where((np.hypot(X[:, 0], X[:, 1]) < 2) ^ (rng.random(120) < 0.05), "in", "out")
    return X, y


def test_a_ring_is_found_and_read(rings):
    X, y = rings
    model = SetCoveringClassifier("disjunction", "balls", max_rules=1, penalty=1.0).fit(X, y)
    (ball,) = model.rules_
    assert isinstance(ball, Ball)
    assert not ball.label  # centred among "in", it picks out what is outside
    assert model.score(X, y) > 0.85
    assert model.to_text().count("not within") == 1
    assert model.path_[0].n_covered > 10 * model.path_[0].n_errors
    assert SetCoveringClassifier("disjunction", Balls(), max_rules=1, penalty=1.0).fit(X, y).rules_ == model.rules_


@pytest.mark.parametrize("metric", ["cosine", "canberra", "l1", "cityblock", "sqeuclidean", oracle.crooked])
def test_other_metrics(rings, metric):
    X, y = rings
    model = SetCoveringClassifier("auto", Balls(metric), max_rules=3, penalty=1.0).fit(X, y)
    assert all(rule.metric == metric for rule in model.rules_)
    assert set(model.hypothesis_.rules) == set(model.rules_)
    assert model.score(X, y) == pytest.approx(1 - model.certificate_.empirical_risk)
    if metric in ("l1", "cityblock"):
        plain = SetCoveringClassifier("auto", Balls("manhattan"), max_rules=3, penalty=1.0).fit(X, y)
        assert [(r.center, r.radius) for r in plain.rules_] == [(r.center, r.radius) for r in model.rules_]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("penalty", [1.0, math.inf])
def test_precomputed_distances_equal_measured_ones(rings, form, penalty):
    X, y = rings
    new = np.random.default_rng(1).normal(size=(200, 2)) * 2
    order = np.lexsort((y, X[:, 1], X[:, 0]))  # ties go to the earlier row there, and to the smaller here
    X, y = X[order], y[order]
    measured = SetCoveringClassifier(form, Balls(), penalty=penalty).fit(X, y)
    model = SetCoveringClassifier(form, Balls("precomputed"), penalty=penalty).fit(precomputed(X, "euclidean"), y)
    assert [tuple(map(float, X[rule.center])) for rule in model.rules_] == [rule.center for rule in measured.rules_]
    assert [rule.radius for rule in model.rules_] == [rule.radius for rule in measured.rules_]
    assert (model.predict(cdist(new, X)) == measured.predict(new)).all()
    assert model.certificate_ == measured.certificate_
    assert "of row" in model.to_text()


def test_precomputed_distances_can_be_cross_validated(rings):
    X, y = rings
    model = SetCoveringClassifier("disjunction", Balls("precomputed"), penalty=1.0)
    assert model.__sklearn_tags__().input_tags.pairwise
    assert not SetCoveringClassifier("conjunction", "balls", penalty=1.0).__sklearn_tags__().input_tags.pairwise
    scores = cross_val_score(model, cdist(X, X), y, cv=3)
    assert (
        scores.tolist()
        == cross_val_score(SetCoveringClassifier("disjunction", "balls", penalty=1.0), X, y, cv=3).tolist()
    )
    with pytest.raises(ValueError, match="60 features, but .* 120 features"):
        model.fit(cdist(X, X), y).predict(cdist(X, X[:60]))


@pytest.mark.parametrize(
    ("family", "message"),
    [
        (Balls(centers="all"), "'centers' parameter of Balls must be a str among .* Got 'all'"),
        (Balls(radius="wide"), "'radius' parameter of Balls must be a str among .* Got 'wide'"),
        (
            Balls(scale="std"),
            "'scale' parameter of Balls must be a str among {'dyadic'} or None. Got 'std'",
        ),
        (
            Balls(max_centers=0),
            r"'max_centers' parameter of Balls must be an int in the range \[1, inf\) or None. Got 0",
        ),
        (Balls(max_centers=2.5), "'max_centers' parameter of Balls must be an int in .* Got 2.5"),
        (Balls("precomputed"), "square matrix, got 120 rows and 2 columns"),
        (Balls("no such metric"), "no such metric"),
    ],
)
def test_bad_parameters_are_refused(rings, family, message):
    with pytest.raises(ValueError, match=message):
        SetCoveringClassifier("conjunction", family, penalty=1.0).fit(*rings)


def test_tables_that_have_no_distances_are_refused(rings):
    X, y = rings
    model = SetCoveringClassifier("conjunction", "balls", penalty=1.0)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.where(X > 3, np.nan, X), y)
    with pytest.raises(ValueError, match="infinity"):
        model.fit(np.where(X > 3, np.inf, X), y)
    with pytest.raises(TypeError, match="dense"):
        model.fit(sparse.csr_array(X), y)
    assert not model.__sklearn_tags__().input_tags.sparse
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(color=pd.Categorical(["red", "blue"] * 60))
    with pytest.raises(ValueError, match="'color' holds categories and Balls need numbers; drop it, or code it"):
        model.fit(frame, y)
    with pytest.raises(ValueError, match="Balls measure distances over all columns"):
        SetCoveringClassifier("conjunction", ["balls", "literals", "stumps"], penalty=1.0).fit(frame, y)
    named = model.fit(frame[["a", "b"]], y)
    assert named.rules_ == SetCoveringClassifier("conjunction", "balls", penalty=1.0).fit(X, y).rules_
    assert "(a " in named.get_rules()[0]["rule"]
    with pytest.raises(ValueError, match="feature names"):
        named.predict(frame[["b", "a"]])


def test_distances_below_zero_are_refused(rings):
    X, y = rings
    distances = cdist(X, X)
    distances[3, 5] = -1.0
    with pytest.raises(ValueError, match="distances to row 5 are not all finite and at least zero"):
        SetCoveringClassifier("conjunction", Balls("precomputed"), penalty=1.0).fit(distances, y)


def test_contradictory_rows_are_named():
    X, y = [[1.0], [3.0], [1.0], [5.0]], [0, 0, 1, 1]
    with pytest.raises(NoConsistentConcept, match=r"0 = 2 \(counted from 0\)"):
        SetCoveringClassifier(features="balls", penalty=math.inf).fit(X, y)
    SetCoveringClassifier(features="balls", penalty=100.0).fit(X, y)


def test_too_many_distances_are_refused_with_advice(rings, monkeypatch):
    X, y = rings
    monkeypatch.setattr(balls_module, "MEMORY_LIMIT", 120 * 2 * 50)
    with pytest.raises(ValueError, match=r"120 centres and 120 rows need .* Set max_centers=50 or less: Balls\("):
        SetCoveringClassifier("conjunction", "balls", penalty=1.0).fit(X, y)
    SetCoveringClassifier("conjunction", Balls(max_centers=50), penalty=1.0).fit(X, y)


@pytest.mark.parametrize("centers", ["both", "positive", "negative"])
def test_centres_can_be_few(rings, centers):
    X, y = rings
    family = Balls(centers=centers, max_centers=4)
    model = SetCoveringClassifier("conjunction", family, penalty=0.5, max_rules=None).fit(X, y)
    assert 1 <= len({rule.center for rule in model.rules_}) <= 4
    allowed = {"both": {True, False}, "positive": {True}, "negative": {False}}[centers]
    assert {rule.label for rule in model.rules_} <= allowed
    again = SetCoveringClassifier("conjunction", family, penalty=0.5, max_rules=None).fit(X, y)
    assert again.rules_ == model.rules_
    assert again.certificate_ == model.certificate_
    order = np.random.default_rng(2).permutation(len(X))
    assert again.fit(X[order], y[order]).rules_ == model.rules_
    plenty = SetCoveringClassifier("conjunction", Balls(centers=centers, max_centers=10**6), penalty=1.0).fit(X, y)
    assert plenty.rules_ == SetCoveringClassifier("conjunction", Balls(centers=centers), penalty=1.0).fit(X, y).rules_


@pytest.mark.parametrize("magnitude", [1e-150, 1e-30, 1e30, 1e45, 1e150])
def test_numbers_of_any_size(magnitude):
    X, y, _ = sample("reals", 4, n_rows=40)
    y = X[:, 0] > 0
    # below a hair's absolute floor all distances are equal, unless they are scaled
    family = Balls("manhattan", scale="dyadic" if magnitude < 1 else None)
    model = SetCoveringClassifier("conjunction", family, max_rules=None, penalty=1.0).fit(X * magnitude, y)
    assert model.rules_
    assert set(model.hypothesis_.rules) == set(model.rules_)
    assert model.score(X * magnitude, y) == 1 - model.certificate_.empirical_risk > 0.6


# ---- the scale


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("penalty", [1.0, math.inf])
def test_a_dyadic_scale_undoes_powers_of_two(rings, form, penalty):
    X, y = rings
    new = np.random.default_rng(3).normal(size=(100, 2)) * 2
    factors = np.array([2.0**7, 2.0**-3])
    family = Balls(scale="dyadic")
    plain = SetCoveringClassifier(form, family, penalty=penalty).fit(X, y)
    scaled = SetCoveringClassifier(form, family, penalty=penalty).fit(X * factors, y)
    assert (scaled.predict(new * factors) == plain.predict(new)).all()
    assert [rule.radius for rule in scaled.rules_] == [rule.radius for rule in plain.rules_]
    before, after = plain.rules_[0].scale, scaled.rules_[0].scale
    assert before == oracle.dyadic_exponents(X)
    assert after == (before[0] - 7, before[1] + 3)
    paid = [exponents_nats(exponents) for exponents in (before, after)]
    a, b = plain.certificate_, scaled.certificate_
    assert a.message_nats - paid[0] == pytest.approx(b.message_nats - paid[1])
    assert (a.compression_size, a.empirical_risk) == (b.compression_size, b.empirical_risk)


def test_a_constant_column_is_not_scaled():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=50) * 1000, np.full(50, 3.0), (rng.random(50) < 0.1) * 64.0])
    y = X[:, 0] > 0
    model = SetCoveringClassifier("conjunction", Balls(scale="dyadic"), penalty=1.0).fit(X, y)
    # the last column has no spread between its quartiles, and goes by its range
    assert model.rules_[0].scale == (oracle.dyadic_exponents(X)[0], 0, -6)


# ---- the certificate


@pytest.mark.parametrize("form", [*FORMS, "auto"])
@pytest.mark.parametrize("radius", ["reach", "tight"])
@pytest.mark.parametrize("penalty", [1.0, math.inf])
def test_theorem_52_is_noted(rings, form, radius, penalty):
    X, y = rings
    model = SetCoveringClassifier(form, Balls(radius=radius), penalty=penalty, max_rules=3).fit(X, y)
    conjunction = isinstance(model.hypothesis_, Conjunction)
    n_wrong = int((model.predict(X) != y).sum())
    n_p_centers = sum(rule.label == conjunction for rule in model.rules_)
    m, n_balls, k = 120, len(model.rules_), n_wrong
    inner = (
        math.log(math.comb(m, 2 * n_balls))
        + math.log(math.comb(2 * n_balls, n_p_centers))
        + math.log(math.comb(m - 2 * n_balls, k))
        + math.log(2 * m**2 * n_balls / 0.05)
    )
    by_hand = 1 - math.exp(-inner / (m - 2 * n_balls - k))
    assert marchand_ball_bound(m, n_balls, n_p_centers, k, 0.05) == pytest.approx(by_hand)
    (note,) = model.certificate_.notes
    assert "Theorem 5.2" in note
    shown_percent = float(note.split(" would give ")[1].split(" %")[0])
    assert by_hand * 100 <= shown_percent + 1e-9 < by_hand * 100 + 0.1 + 1e-9
    theorem_applies = radius == "reach" and math.isinf(penalty) and form != "auto"
    assert ("paper's formula, not a certificate" not in note) == theorem_applies
    assert note in model.certificate_.summary()
    assert note not in str(model.certificate_)


def test_a_scale_chosen_by_the_data_voids_the_theorem(rings):
    model = SetCoveringClassifier(features=Balls(scale="dyadic"), penalty=math.inf).fit(*rings)
    (note,) = model.certificate_.notes
    assert "paper's formula, not a certificate" in note


def test_other_rules_have_no_note(rings):
    X, y = rings
    assert SetCoveringClassifier("conjunction", "stumps", penalty=1.0).fit(X, y).certificate_.notes == ()
    constant = SetCoveringClassifier("conjunction", "balls", penalty=1.0).fit(np.zeros((10, 1)), [0] * 5 + [1] * 5)
    assert constant.rules_ == constant.certificate_.notes == ()


@pytest.mark.parametrize("penalty", [1.0, math.inf])
def test_the_bound_is_that_of_the_set_and_the_message(rings, penalty):
    X, y = rings
    problem, families, solution = solve(X, y == "out", np.ones(120), penalty, "conjunction", Balls(), max_rules=4)
    encoding = scheme.encode(solution, problem, families, 0.05, strict=math.isinf(penalty))
    model = SetCoveringClassifier("conjunction", "balls", penalty=penalty, max_rules=4).fit(X, y)
    wrong = model.predict(X) != y
    outside = int(wrong.sum() - wrong[encoding.rows].sum())
    certificate = model.certificate_
    assert certificate.compression_size == len(encoding.rows)
    assert certificate.message_nats == encoding.nats
    assert certificate.risk_bound == compression_bound(120, len(encoding.rows), outside, encoding.nats, 0.05)


# ---- scikit-learn's own checks

MACHINES = [
    SetCoveringClassifier("conjunction", Balls(), penalty=1.0),
    SetCoveringClassifier("auto", Balls(radius="tight", scale="dyadic"), penalty=1.0),
]


@parametrize_with_checks(MACHINES)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
