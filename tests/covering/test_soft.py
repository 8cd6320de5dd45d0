"""The soft greedy cover: every step against the definitions of paper 3, its hard limit, and what must not matter."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from functools import cached_property

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import balls as hard_oracle
from tests.oracles import soft as oracle

from laconic._table import Table, as_table
from laconic.covering import Balls
from laconic.covering.core._family import make_families
from laconic.covering.core._greedy import cover
from laconic.covering.core._problem import Sample, make_problem
from laconic.covering.soft._cover import rejected_at, soft_cover
from laconic.covering.soft._grid import by_value, in_given_order
from laconic.covering.soft._orders import allowed_centers, class_distance, soft_orders
from laconic.rules import Ball, SoftBall, SoftConjunction, SoftDisjunction, from_dict

FORMS = ["conjunction", "disjunction"]
METRICS = ["euclidean", "manhattan", "chebyshev", hard_oracle.crooked, "precomputed"]
WIDTHS = [0.0, 0.1, 0.7, 3.0]
PENALTIES = [0.5, 1.0, 1.7, 4.0]
CENTERS = ["covered", "both", "spared"]
TERMS = ["definition", "paper"]
NEAR = 1e-10


def distances_of(X, metric):
    """The distance of every row (first index) to every row (second index), by the twins."""
    if metric == "precomputed":
        return X.tolist()
    if callable(metric):
        return [[metric(row, center) for center in X] for row in X]
    return hard_oracle.distance_table(X, metric)


def sample(kind, seed, metric="euclidean", n_rows=None, weighted=False):
    """Rows, classes and weights: grids have ties and duplicates, tenths have ties that arithmetic blurs."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 15)) if n_rows is None else n_rows
    n_columns = int(rng.integers(1, 4))
    if kind == "reals":
        X = rng.normal(size=(n, n_columns))
    else:
        X = rng.integers(0, rng.integers(2, 6), size=(n, n_columns)) * (0.1 if kind == "tenths" else 1.0)
    if metric == "precomputed":
        X = np.array(hard_oracle.distance_table(X, "manhattan"))
        if seed % 3 == 0:  # to and fro may differ
            X += rng.integers(0, 3, X.shape) * (1 - np.eye(n))
    positive = rng.random(n) < 0.5
    positive[:2] = True, False
    weights = rng.choice([0.0, 0.5, 1.0, 2.3], size=n) if weighted else np.ones(n)
    weights[:2] = np.maximum(weights[:2], 1)
    return X, positive, weights


class Case:
    """A problem for the machine, and the same world for its twin."""

    def __init__(self, X, positive, weights, penalty, form, metric="euclidean", centers="covered"):
        any_holds = form == "disjunction"
        self.X, self.form, self.penalty, self.metric = X, form, penalty, metric
        self.problem = make_problem(Table.from_array(X), positive, weights, penalty, form)
        self.orders = soft_orders(self.problem, allowed_centers(self.problem, centers, any_holds), metric)

    @cached_property
    def world(self):
        weights = self.problem.weights.tolist()
        return oracle.World(distances_of(self.X, self.metric), self.problem.in_p.tolist(), weights, self.penalty)

    def solve(self, **options):
        return soft_cover(self.problem, self.orders, penalty=self.penalty, **options)

    def combined(self, solution):
        return (SoftDisjunction if self.problem.any_holds else SoftConjunction)(solution.rules)

    def something_is_left(self, G):
        return any(G[row] > 0 for row in self.world.counted() if not self.world.in_p[row])


def many_cases(form, first_seed=0):
    """Every width with every penalty and every kind of centres; metrics, data and weights take turns."""
    for seed, (width, penalty, centers) in enumerate(itertools.product(WIDTHS, PENALTIES, CENTERS), first_seed):
        rng = np.random.default_rng(seed)
        metric, kind = METRICS[rng.integers(len(METRICS))], ["grid", "reals", "tenths"][seed % 3]
        X, positive, weights = sample(kind, seed, metric, weighted=rng.random() < 0.5)
        max_radius = math.inf if rng.random() < 0.7 else float(rng.uniform(0.5, 3))
        yield Case(X, positive, weights, penalty, form, metric, centers), {"width": width, "max_radius": max_radius}


# ---- the definitions themselves


def random_state(seed):
    """A world in the middle of things: some balls were taken."""
    X, positive, weights = sample(["grid", "reals"][seed % 2], seed, weighted=seed % 3 == 0)
    world = oracle.World(distances_of(X, METRICS[seed % 3]), positive.tolist(), weights.tolist(), PENALTIES[seed % 4])
    rng = np.random.default_rng(seed)
    G, used = [1.0] * len(X), []
    for center in rng.choice(world.counted(), size=2, replace=False).tolist():
        inner, outer = sorted(rng.uniform(0, 3, size=2).tolist())
        G, used = oracle.after(world, G, oracle.Ball(center, inner, outer)), [*used, center]
    return world, G, used


def test_contributions_are_what_the_paper_prints():
    for seed in range(40):
        world, G, used = random_state(seed)
        for center in set(world.counted()) - set(used):
            for ball in oracle.balls_of_width(world, center, 0.7):
                printed = oracle.printed_contributions(world, G, ball, used)
                assert oracle.contributions(world, G, ball, used, "paper") == pytest.approx(printed, abs=1e-12)
                # by the definition it is the same sum, with the centre's term like any other's and all rows counted
                by_hand = [0.0, 0.0]
                for row in world.counted():
                    away = (1 - oracle.zeta(world, ball, row)) * G[row]
                    by_hand[world.in_p[row]] += world.weights[row] * away
                assert oracle.contributions(world, G, ball) == pytest.approx(by_hand, abs=1e-12)


@pytest.mark.parametrize("term", TERMS)
def test_a_utility_is_the_mean_of_hard_utilities_so_no_pair_is_better_than_a_gap(term):
    for seed in range(30):
        world, G, used = random_state(seed)
        for center in set(world.counted()) - set(used):
            gaps = oracle.balls_of_gaps(world, center)
            values = [oracle.utility(world, G, gap, used, term) for gap in gaps]
            for gap, value in zip(gaps, values, strict=True):
                hard = oracle.Ball(center, gap.inner, gap.inner)
                assert oracle.utility(world, G, hard, used, term) == pytest.approx(value, abs=1e-12)
            for pair in oracle.balls_of_pairs(world, center):
                within = [
                    (value, gap.outer - gap.inner)
                    for gap, value in zip(gaps, values, strict=True)
                    if pair.inner <= gap.inner and gap.outer <= pair.outer
                ]
                mean = sum(value * length for value, length in within) / (pair.outer - pair.inner)
                found = oracle.utility(world, G, pair, used, term)
                assert found == pytest.approx(mean, abs=1e-10)
                assert found <= max(values) + 1e-10


# ---- every step against the definitions


def check_first_choice(case, G, used, center, width, term, max_radius):
    """Return how good the best ball of the width is, over all centres and over the one that was taken."""
    world = case.world
    values = {
        ball: oracle.utility(world, G, ball, used, term)
        for allowed in oracle.open_centers(case.world, case.orders.centers.tolist(), G, used, term, width)
        for ball in oracle.balls_of_width(world, allowed, width, max_radius)
    }
    best = max(values.values())
    assert max(value for ball, value in values.items() if ball.center == center) >= best - NEAR
    return values, best


def check_steps(case, solution, width, refine, term, max_radius=math.inf):
    """Follow the steps one by one. Gives G at the end, by the definition."""
    world, G, used = case.world, [1.0] * len(case.X), []
    for step, center in zip(solution.steps, solution.centers, strict=True):
        rule = step.rule
        name = center if case.metric == "precomputed" else tuple(map(float, case.X[center]))
        assert (rule.center, rule.label, rule.metric) == (name, bool(case.problem.positive[center]), case.metric)
        assert case.something_is_left(G)
        ball = oracle.Ball(center, rule.inner, rule.outer)
        value = oracle.utility(world, G, ball, used, term)
        assert value == pytest.approx(step.value, abs=NEAR)
        assert step.value > 0
        assert (step.covered, step.errors) == pytest.approx(oracle.contributions(world, G, ball), abs=NEAR)
        values, best = check_first_choice(case, G, used, center, width, term, max_radius)
        if refine:
            pairs = oracle.balls_of_pairs(world, center, max_radius)
            assert ball in pairs
            assert value >= max(oracle.utility(world, G, pair, used, term) for pair in pairs) - NEAR
        else:
            assert ball in values
            assert value >= best - NEAR
        G, used = oracle.after(world, G, ball), [*used, center]
    return G, used


def check_stop(case, solution, G, used, width, refine, term, max_radius=math.inf, max_rules=None):
    """Check that there was a reason to stop: all rules were made, N is gone, or the next ball is worth nothing."""
    if len(solution.steps) == max_rules:
        return "rules"
    if not case.something_is_left(G):
        return "covered"
    world = case.world
    best_of = {}
    for center in oracle.open_centers(case.world, case.orders.centers.tolist(), G, used, term, width):
        balls = oracle.balls_of_width(world, center, width, max_radius)
        if balls:
            best_of[center] = max(oracle.utility(world, G, ball, used, term) for ball in balls)
    best = max(best_of.values(), default=0.0)
    if not refine or not best_of:
        assert best <= NEAR
        return "worthless"
    refined = []
    for center, value in best_of.items():
        if value >= best - NEAR:
            gaps = oracle.balls_of_gaps(world, center, max_radius)
            refined.append(max((oracle.utility(world, G, gap, used, term) for gap in gaps), default=-math.inf))
    assert min(refined) <= NEAR, "a gap around the best centre is worth something"
    return "worthless"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("term", TERMS)
@pytest.mark.parametrize("refine", [True, False])
def test_every_step_is_the_best_of_all_balls(form, term, refine):
    n_steps, longest, reasons = 0, 0, set()
    for case, options in many_cases(form):
        solution = case.solve(**options, max_rules=5, refine=refine, center_term=term)
        G, used = check_steps(case, solution, **options, refine=refine, term=term)
        assert solution.accepted == pytest.approx(G, abs=NEAR)
        reasons.add(check_stop(case, solution, G, used, **options, refine=refine, term=term, max_rules=5))
        n_steps += len(solution.steps)
        longest = max(longest, len(solution.steps))
    assert n_steps > 40
    assert longest >= 3
    assert {"covered", "worthless"} <= reasons


@pytest.mark.parametrize("term", TERMS)
def test_a_refined_interval_is_as_wide_as_its_value_allows(term):
    """Where nothing lies at an end of the interval that counts, the next gap is as good and belongs to it."""
    n_runs = 0
    for form in FORMS:
        for case, options in many_cases(form):
            world, G, used = case.world, [1.0] * len(case.X), []
            solution = case.solve(**options, center_term=term)
            for rule, center in zip(solution.rules, solution.centers, strict=True):
                values = [value for value in oracle.observed(world, center) if value <= options["max_radius"]]
                n_runs += values.index(rule.outer) > values.index(rule.inner) + 1
                idle = set(used) if term == "paper" else set()
                for end, outermost in ((rule.inner, values[0]), (rule.outer, values[-1])):
                    at_end = [row for row in world.counted() if world.distances[row][center] == end]
                    assert end == outermost or any(G[row] > 0 and row not in idle for row in at_end)
                G = oracle.after(world, G, oracle.Ball(center, rule.inner, rule.outer))
                used.append(center)
    assert n_runs > 5, "rows that are gone should sometimes lie within an interval"


# ---- where arithmetic is exact, ties are too


def exact(value):
    return Fraction(value) == Fraction(float(value))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("term", TERMS)
@pytest.mark.parametrize("refine", [True, False])
def test_ties_go_to_the_first_centre_and_the_smaller_radius(form, term, refine):
    """Whole distances, widths and penalties that are powers of two: nothing is rounded, until an interval is not so."""
    options = itertools.product([0, 0.5, 1, 4], [0.5, 1, 4], CENTERS)
    n_steps = n_ties = 0
    for seed, (width, penalty, centers) in enumerate(options):
        max_radius = 3 if seed % 4 == 0 else math.inf
        X, positive, weights = sample("grid", seed)
        weights = np.random.default_rng(seed).integers(0, 3, len(X)).astype(float) if seed % 2 else weights
        weights[:2] = 1
        case = Case(X, positive, weights, penalty, form, ["manhattan", "chebyshev"][seed % 2], centers)
        whole = [[Fraction(value) for value in row] for row in case.world.distances]
        world = oracle.World(whole, case.world.in_p, [Fraction(w) for w in weights], Fraction(penalty))
        order = case.orders.centers.tolist()
        expected = oracle.soft_greedy(world, order, Fraction(width), 4, refine, term, max_radius)
        solution = case.solve(width=width, max_rules=4, refine=refine, center_term=term, max_radius=max_radius)
        steps = zip(solution.steps, solution.centers, strict=True)
        for (ball, value, G), (step, center) in zip(expected, steps, strict=False):
            assert (center, step.rule.inner, step.rule.outer) == ball
            assert step.value == value
            n_steps += 1
            if not all(map(exact, G)):
                break
        else:
            assert len(solution.steps) == len(expected)
            if expected:
                assert solution.accepted.tolist() == expected[-1].G
        first = [
            oracle.utility(case.world, [1.0] * len(X), ball)
            for center in order
            for ball in oracle.balls_of_width(case.world, center, width, max_radius)
        ]
        n_ties += bool(expected) and first.count(max(first)) > 1
    assert n_steps > 30
    assert n_ties > 10


# ---- the hard limit


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("metric", METRICS[:3])
def test_without_a_width_this_is_the_hard_machine(form, metric):
    n_rules = 0
    n_class = "positive" if form == "disjunction" else "negative"
    for seed in range(24):
        X, positive, weights = sample("reals", seed, n_rows=5 + 2 * seed)
        if seed % 2:
            weights = np.random.default_rng(seed).integers(1, 4, len(X)).astype(float)
        order = np.lexsort(X.T[::-1])  # of equally good centres the hard machine takes the smallest
        case = Case(X[order], positive[order], weights[order], [0.5, 1.0, 2.0, 4.0][seed % 4], form, metric)
        (family,) = make_families(Balls(metric, centers=n_class, radius="tight"))
        blocks = family.blocks(case.problem, range(X.shape[1]), 1)
        hard = cover(case.problem, [(0, block) for block in blocks])
        soft = case.solve(width=0.0, refine=False)
        assert [step.value for step in soft.steps] == [step.value for step in hard.steps]
        assert [rule.center for rule in soft.rules] == [rule.center for rule in hard.rules]
        assert [rule.inner for rule in soft.rules] == pytest.approx([rule.radius for rule in hard.rules], rel=1e-9)
        assert all(rule.inner == rule.outer for rule in soft.rules)
        assert (soft.accepted == (hard.decided == len(hard.steps))).all()
        assert (rejected_at(soft.rules, case.problem.table, case.problem.any_holds) == hard.decided).all()
        n_rules += len(soft.rules)
    assert n_rules > 60


# ---- what must not matter


def results(solution):
    return solution.rules, [step.value for step in solution.steps], solution.accepted.tolist()


def check_same_up_to_ties(ours, theirs, tolerance):
    """Compare step by step. Where two balls are equally good, rounding or the order of the centres may decide.

    Gives how many steps agree, and whether all do.
    """
    for place, (one, other) in enumerate(zip(ours.steps, theirs.steps, strict=False)):
        assert one.value == pytest.approx(other.value, abs=tolerance)
        if one.rule != other.rule:
            return place, False
    assert len(ours.steps) == len(theirs.steps)
    return len(ours.steps), True


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("term", TERMS)
def test_the_order_of_rows_breaks_ties_and_does_nothing_else(form, term):
    # not refined: equally good centres may have gaps that are not
    n_rules = n_same = 0
    for seed, (width, centers) in enumerate(itertools.product(WIDTHS * 2, CENTERS)):
        X, positive, weights = sample("reals", seed, weighted=seed % 2)
        rest = PENALTIES[seed % 4], form, METRICS[seed % 4], centers
        order = np.random.default_rng(seed).permutation(len(X))
        options = {"width": width, "max_rules": 6, "refine": False, "center_term": term}
        plain = Case(X, positive, weights, *rest).solve(**options)
        moved = Case(X[order], positive[order], weights[order], *rest).solve(**options)
        n_steps, same = check_same_up_to_ties(moved, plain, 1e-12)
        if same:
            assert moved.accepted == pytest.approx(plain.accepted[order], abs=1e-12)
        n_rules += n_steps
        n_same += same
    assert n_rules > 10
    assert n_same > 12


@pytest.mark.parametrize("refine", [True, False])
def test_rows_in_order_of_value_have_no_order_of_their_own(refine):
    """What the estimators do first: then even ties, and the last bits, do not depend on how the rows came."""
    n_rules = 0
    for seed in range(48):
        X, positive, weights = sample("reals", seed, weighted=seed % 2)
        moves = [np.arange(len(X)), np.random.default_rng(seed).permutation(len(X))]
        found = []
        for move in moves:
            given_rows = Sample(Table.from_array(X[move]), positive[move], weights[move])
            ordered, order = by_value(given_rows, "euclidean")
            rest = PENALTIES[seed % 4], FORMS[seed % 2], "euclidean", CENTERS[seed % 3]
            case = Case(ordered.table.matrix(), ordered.positive, ordered.weights, *rest)
            solution = in_given_order(case.solve(width=WIDTHS[seed // 4 % 4], max_rules=6, refine=refine), order)
            accepted = np.empty(len(X))
            accepted[move] = solution.accepted
            found.append((solution.steps, [int(move[center]) for center in solution.centers], accepted.tolist()))
            points = [tuple(map(float, X[move][center])) for center in solution.centers]
            assert points == [rule.center for rule in solution.rules]
        assert found[0] == found[1]
        n_rules += len(found[0][0])
    assert n_rules > 40


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("term", TERMS)
def test_threads_change_nothing(form, term):
    for seed in range(48):  # sums that are rounded, and many ties
        X, positive, weights = sample(["reals", "tenths"][seed % 2], seed, n_rows=5 + seed // 3, weighted=True)
        case = Case(X, positive, weights, 1.7, form, METRICS[seed % 3], CENTERS[seed % 3])
        options = {"width": WIDTHS[seed % 4], "max_rules": 4, "refine": seed % 5 == 0, "center_term": term}
        assert results(case.solve(**options, n_jobs=2)) == results(case.solve(**options))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("refine", [True, False])
def test_a_row_of_weight_two_is_a_row_given_twice(form, refine):
    n_rules = n_same = 0
    for seed, (width, centers) in enumerate(itertools.product(WIDTHS * 2, CENTERS)):
        X, positive, _ = sample(["reals", "grid"][seed % 2], seed)
        weights = np.random.default_rng(seed).integers(0, 4, len(X))
        weights[:2] = 2
        repeated = np.repeat(np.arange(len(X)), weights)
        rest = PENALTIES[seed % 4], form, METRICS[seed % 4], centers
        options = {"width": width, "max_rules": 6, "refine": refine}
        weighted = Case(X, positive, weights.astype(float), *rest).solve(**options)
        given_twice = Case(X[repeated], positive[repeated], np.ones(len(repeated)), *rest).solve(**options)
        n_steps, same = check_same_up_to_ties(weighted, given_twice, NEAR)
        if same:
            assert weighted.accepted[repeated] == pytest.approx(given_twice.accepted, abs=NEAR)
        n_rules += n_steps
        n_same += same
    assert n_rules > 15
    assert n_same > 15


def test_rows_without_weight_make_no_candidates_and_are_answered_all_the_same():
    for seed in range(30):
        X, positive, weights = sample(["reals", "grid"][seed % 2], seed, weighted=True)
        form, metric, centers = FORMS[seed % 2], METRICS[seed % 4], CENTERS[seed % 3]
        options = {"width": WIDTHS[seed % 4], "max_rules": 4}
        kept = weights > 0
        every = Case(X, positive, weights, 1.0, form, metric, centers)
        few = Case(X[kept], positive[kept], weights[kept], 1.0, form, metric, centers).solve(**options)
        solution = every.solve(**options)
        assert results(solution)[:2] == results(few)[:2]
        assert solution.accepted[kept].tolist() == few.accepted.tolist()
        assert len(solution.accepted) == len(X)
        G = [1.0] * len(X)
        for rule, center in zip(solution.rules, solution.centers, strict=True):
            G = oracle.after(every.world, G, oracle.Ball(center, rule.inner, rule.outer))
        assert solution.accepted == pytest.approx(G, abs=NEAR)


def test_what_the_machine_accepted_is_what_its_rules_accept():
    for form in FORMS:
        for place, (case, options) in enumerate(many_cases(form)):
            solution = case.solve(**options, max_rules=4, refine=place % 4 == 0)
            machine = case.combined(solution)
            assert machine.accepted(case.X) == pytest.approx(solution.accepted, abs=1e-14)
            of_class = 1 - solution.accepted if form == "disjunction" else solution.accepted
            assert machine.probability(case.X) == pytest.approx(of_class, abs=1e-14)
            assert (machine.evaluate(case.X) == ((machine.accepted(case.X) > 0.5) != (form == "disjunction"))).all()
            decided = rejected_at(solution.rules, case.problem.table, case.problem.any_holds)
            assert ((decided < len(solution.rules)) == (machine.accepted(case.X) <= 0.5)).all()
            for step in range(len(solution.rules)):
                kept = type(machine)(solution.rules[: step + 1]).accepted(case.X) > 0.5
                assert (kept == (decided > step)).all()


# ---- orders and distances


def test_orders_are_sorted_distances_around_the_allowed_centres():
    for seed in range(24):
        metric, centers, any_holds = METRICS[seed % 5], CENTERS[seed % 3], seed % 2 == 1
        X, positive, weights = sample(["grid", "reals"][seed % 2], seed, metric, weighted=seed % 4 > 1)
        problem = make_problem(Table.from_array(X), positive, weights, 1.0, FORMS[any_holds])
        orders = soft_orders(problem, allowed_centers(problem, centers, any_holds), metric)
        classes = {"both": (True, False), "covered": (any_holds,), "spared": (not any_holds,)}[centers]
        counted = [row for row in range(len(X)) if weights[row] > 0]
        assert sorted(orders.centers.tolist()) == [row for row in counted if bool(positive[row]) in classes]
        table = distances_of(X, metric)
        for center, order, around in zip(orders.centers, orders.orders, orders.distances, strict=True):
            assert sorted(order.tolist()) == counted
            assert around.tolist() == sorted(around.tolist())
            assert around == pytest.approx([table[row][center] for row in order], abs=1e-12)


def test_the_distance_between_classes_is_the_mean_over_pairs():
    for seed in range(20):
        metric = METRICS[seed % 4]
        X, positive, weights = sample(["grid", "reals"][seed % 2], seed, weighted=seed % 3 == 0)
        problem = make_problem(Table.from_array(X), positive, weights, 1.0, "conjunction")
        table = distances_of(X, metric)
        rows = np.flatnonzero(weights > 0).tolist()
        pairs = [table[i][j] for i in rows for j in rows if positive[i] and not positive[j]]
        assert class_distance(problem, metric) == pytest.approx(sum(pairs) / len(pairs))


def test_a_sample_of_rows_is_enough_for_the_distance_between_classes():
    X, positive, weights = sample("reals", 3)
    problem = make_problem(Table.from_array(X), positive, weights, 1.0, "conjunction")
    few, many = sorted([np.flatnonzero(~positive), np.flatnonzero(positive)], key=len)
    table, most = distances_of(X, "manhattan"), len(few) - 1
    means = [np.mean([table[i][j] for j in many]) for i in few]
    possible = [np.mean(np.delete(means, left_out)) for left_out in range(len(few))]
    assert np.isclose(class_distance(problem, "manhattan", most), possible).any()
    assert class_distance(problem, "manhattan", len(few)) == class_distance(problem, "manhattan")


def test_distances_that_are_none_are_refused():
    X, positive, weights = sample("reals", 0, "precomputed")
    X[2, 1] = -1.0
    with pytest.raises(ValueError, match="distances to row 1 are not all finite and at least zero"):
        Case(X, positive, weights, 1.0, "conjunction", "precomputed", "both")


# ---- the rules as values

numbers = st.floats(-1e3, 1e3)
points = st.lists(numbers, min_size=2, max_size=2).map(tuple)
radii = st.lists(st.floats(0, 1e3), min_size=2, max_size=2).map(sorted)


def soft_ball(center, interval, label, metric):
    return SoftBall(center, *interval, label, metric)


measured = st.builds(soft_ball, points, radii, st.booleans(), st.sampled_from(METRICS[:3]))
from_rows = st.builds(soft_ball, st.integers(0, 1), radii, st.booleans(), st.just("precomputed"))
soft_balls = measured | from_rows
quick = settings(deadline=None, derandomize=True)


@given(soft_balls, st.lists(points, min_size=1, max_size=6))
@quick
def test_a_soft_ball_is_a_ball_of_random_radius(ball, rows):
    rows = np.abs(rows) if ball.metric == "precomputed" else np.array(rows)
    distances = Ball(ball.center, 1.0, ball.label, ball.metric).distances(as_table(rows))
    probability = ball.probability(as_table(rows))
    assert ball.probability(rows).tolist() == probability.tolist()
    assert probability.dtype == np.float64
    assert (ball.evaluate(rows) == (probability > 0.5)).all()
    inside = [oracle.sigma(distance, ball.inner, ball.outer) for distance in distances.tolist()]
    assert probability == pytest.approx([value if ball.label else 1 - value for value in inside], abs=1e-12)
    if ball.outer - ball.inner > 1e-6 * ball.outer or ball.inner == ball.outer:
        # a radius from each of many equal parts of the interval; a narrower one has no parts
        radii = ball.inner + (np.arange(1000)[:, None] + 0.5) / 1000 * (ball.outer - ball.inner)
        simulated = ((distances <= radii) == ball.label).mean(axis=0)
        assert probability == pytest.approx(simulated, abs=1 / 1000)


@pytest.mark.parametrize("label", [True, False])
def test_the_ends_of_the_interval_are_sure(label):
    ball = SoftBall((0.0,), 1.0, 2.0, label)
    inside = np.array([1.0, 1.0, 0.75, 0.5, 0.0, 0.0])
    assert ball.probability([[0.0], [-1.0], [1.25], [1.5], [2.0], [9.0]]).tolist() == abs((not label) - inside).tolist()
    hard = SoftBall((0.0,), 1.0, 1.0, label)
    assert hard.probability([[1.0], [np.nextafter(1.0, 2.0)]]).tolist() == [label, not label]


@pytest.mark.parametrize("machine", [SoftConjunction, SoftDisjunction])
def test_soft_combinations_draw_their_radii_independently(machine):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    n_draws = 4000
    for n_rules in range(4):
        balls = tuple(
            SoftBall(
                tuple(rng.normal(size=2).tolist()), *np.sort(rng.uniform(0, 3, 2)).tolist(), bool(rng.random() < 0.5)
            )
            for _ in range(n_rules)
        )
        said = []
        for ball in balls:
            drawn = rng.uniform(ball.inner, ball.outer, size=(n_draws, 1))
            said.append((ball.distances(as_table(X)) <= drawn) == ball.label)
        together = np.all if machine is SoftConjunction else np.any
        simulated = together(np.array(said).reshape(n_rules, n_draws, len(X)), axis=0).mean(axis=0)
        combined = machine(balls)
        probability = combined.probability(X)
        assert probability == pytest.approx(simulated, abs=5 * 0.5 / math.sqrt(n_draws))
        ones = np.ones((1, len(X)))
        zetas = np.vstack([ones, *(ball.probability(X)[None] for ball in balls)])
        if machine is SoftConjunction:
            assert probability == pytest.approx(zetas.prod(axis=0))
            assert (combined.evaluate(X) == (zetas.prod(axis=0) > 0.5)).all()
        else:
            kept = (1 - zetas[1:]).prod(axis=0)
            assert probability == pytest.approx(1 - kept)
            assert (combined.evaluate(X) == ~(kept > 0.5)).all()


def test_an_even_chance_turns_a_row_away():
    ball = SoftBall((0.0,), 1.0, 3.0, True)
    assert ball.probability([[2.0]]).tolist() == [0.5]
    assert SoftConjunction((ball,)).evaluate([[2.0]]).tolist() == [False]
    assert SoftDisjunction((ball,)).evaluate([[2.0]]).tolist() == [True]
    assert SoftConjunction(()).evaluate([[2.0]]).tolist() == [True]
    assert SoftDisjunction(()).evaluate([[2.0]]).tolist() == [False]


@given(st.lists(soft_balls, max_size=3), st.sampled_from([SoftConjunction, SoftDisjunction]))
@quick
def test_soft_rules_survive_their_dictionaries_and_json(balls, machine):
    for rule in (*balls, machine(tuple(balls))):
        written = rule.to_dict()
        assert written["type"] == type(rule).__name__
        assert from_dict(written) == rule
        again = from_dict(json.loads(json.dumps(written)))
        assert again == rule
        assert hash(again) == hash(rule)


def test_soft_balls_say_centre_and_both_radii():
    ball = SoftBall((0.5, -2.0), 0.25, 1.75, True)
    assert ball.describe(["age", "size"]) == "within 0.25 to 1.75 of (age 0.5, size -2)"
    away = SoftBall(7, 1.0, 2.5, False, "precomputed")
    assert away.describe() == str(away) == "not within 1 to 2.5 of row 7"
    for machine in (SoftConjunction, SoftDisjunction):
        text = machine((ball, away)).describe()
        assert all(part in text for part in ("x0 0.5", "x1 -2", "0.25", "1.75", "row 7", "2.5"))
        assert machine(()).describe() == {"SoftConjunction": "always", "SoftDisjunction": "never"}[machine.__name__]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"inner": "wide"}, "Expected `float`"),
        ({"outer": None}, "Expected `float`"),
        ({"label": 1}, "Expected `bool`"),
        ({"radius": 1.0}, "unknown field 'radius'"),
    ],
)
def test_what_is_no_soft_ball_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        from_dict(SoftBall((0.0, 1.0), 1.0, 2.0, True).to_dict() | change)
