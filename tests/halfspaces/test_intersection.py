"""Intersections and unions of halfspaces: consistent where that is possible, placed as they should be, and sendable."""

import itertools
import math
import pickle
import re
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.svm import SVC

from laconic import HalfspaceIntersectionClassifier
from laconic.certificates import SampleCompression, integer_nats
from laconic.halfspaces import find_large_subset
from laconic.halfspaces.intersection import _cuts as cuts
from laconic.halfspaces.intersection._placement import middle, place, rebuild, widest_gap
from laconic.halfspaces.intersection._scheme import HalfspaceMessage, IntersectionMessage, reconstruct
from laconic.rules import Conjunction, Disjunction, Halfspace, from_dict

COLUMNS = ["rule", "prediction", "support", "precision", "column", "operator", "value", "parts"]  # of get_rules

ORDERS = ["nearest", "random", "batch"]
PLACEMENTS = ["max_margin", "vertex"]
MANNERS = list(itertools.product(ORDERS, PLACEMENTS))
quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def learner(union=False, order="nearest", **parameters):
    return HalfspaceIntersectionClassifier(union, order, **{"random_state": 0, "code": "rows", **parameters})


def continuous(rng, n_rows, n_columns):
    return rng.uniform(-1, 1, size=(n_rows, n_columns))


def signs(rng, n_rows, n_columns):
    return rng.choice([-1.0, 1.0], size=(n_rows, n_columns))


def duplicates(rng, n_rows, n_columns):
    return rng.integers(0, 4, size=(n_rows, n_columns)) / 2


def uneven(rng, n_rows, n_columns):
    return rng.normal(size=(n_rows, n_columns)) * 10.0 ** rng.integers(-3, 4, n_columns) + rng.integers(-9, 9)


KINDS = [continuous, signs, duplicates, uneven]


def target(seed, n_columns, n_halfspaces, n_rows, kind):
    """Draw rows, and which of them lie in all of some random halfspaces: some and not all."""
    for attempt in itertools.count():
        rng = np.random.default_rng((seed, attempt))
        X = kind(rng, n_rows, n_columns)
        scale = np.abs(X - X.mean(axis=0)).max(axis=0) + 1e-300
        sums = ((X - X.mean(axis=0)) / scale) @ rng.normal(size=(n_columns, n_halfspaces))
        inside = (sums + rng.uniform(0, 0.8, n_halfspaces) > 0).all(axis=1)
        if 0 < inside.sum() < n_rows:
            return X, inside
    raise AssertionError


def surrounded(extra=0):
    """Return a square of positives around a negative, and negatives outside."""
    X = [[-1, -1], [-1, 1], [1, -1], [1, 1], [0.25, 0.5], [3, 0], [-3, 0.5], [0.5, 4], [0, -3]]
    X += [[0.1 * i, 0.05 * i] for i in range(extra)]
    return np.array(X, dtype=float), np.array([True] * 4 + [False] * (5 + extra))


@pytest.fixture(scope="module")
def noisy():
    """Rows of few values, of which some lie among those of the other class."""
    rng = np.random.default_rng(7)
    X = rng.integers(0, 5, size=(70, 3)).astype(float)
    return X, (X[:, 0] + X[:, 1] > X[:, 2] + 2.5) ^ (rng.random(70) < 0.05)


# ---- consistent where that is possible


@settings(max_examples=100, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n_columns=st.integers(1, 6),
    n_halfspaces=st.integers(1, 4),
    n_rows=st.integers(4, 300),
    kind=st.sampled_from(KINDS),
    union=st.booleans(),
    manner=st.sampled_from(MANNERS),
)
def test_a_target_of_the_class_is_learnt_consistently(seed, n_columns, n_halfspaces, n_rows, kind, union, manner):
    X, inside = target(seed, n_columns, n_halfspaces, n_rows, kind)
    y = inside != union
    model = learner(union, manner[0], placement=manner[1], random_state=seed).fit(X, y)
    assert model.score(X, y) == 1.0
    assert (model.hypothesis_.evaluate(X) == y).all()
    assert model.certificate_.empirical_risk == 0
    assert len(model.inseparable_) == 0
    assert isinstance(model.hypothesis_, Disjunction if union else Conjunction)
    assert sum(step.n_covered for step in model.path_) == (y == union).sum(), "each cuts away rows of its own"
    assert all(step.n_covered > 0 and step.n_support <= n_columns + 1 for step in model.path_)


@pytest.mark.parametrize("union", [False, True])
@pytest.mark.parametrize(("order", "put"), MANNERS)
def test_one_halfspace_is_found_as_one(order, put, union):
    for seed, kind in enumerate([continuous, signs, duplicates]):
        X, inside = target(seed, 4, 1, 120, kind)
        model = learner(union, order, placement=put).fit(X, inside)
        assert len(model.rules_) == 1
        assert model.score(X, inside) == 1.0


def test_every_function_of_three_signs_that_is_an_intersection_is_found():
    """One that is not has a row that is among the others."""
    cube = np.array(list(itertools.product([-1.0, 1.0], repeat=3)))
    for codes in itertools.islice(itertools.product([False, True], repeat=8), 1, 255, 11):
        model = learner().fit(cube, codes)  # no corner lies in the hull of others
        assert model.predict(cube).tolist() == list(codes)


# ---- rows that cannot be cut away


@pytest.mark.parametrize(("order", "put"), MANNERS)
@pytest.mark.parametrize("union", [False, True])
def test_a_row_among_the_others_is_named_and_counted(union, order, put):
    X, y = surrounded()
    with pytest.warns(ConvergenceWarning, match=r"^Row 4 \(counted from 0\) lies among .* cut it away"):
        model = learner(union, order, placement=put).fit(X, y != union)
    assert model.inseparable_.tolist() == [4]
    wrong = model.predict(X) != (y != union)
    assert np.flatnonzero(wrong).tolist() == [4]
    assert model.certificate_.empirical_risk == 1 / 9
    assert model.certificate_.statements[0].errors_outside == 1


def test_many_rows_among_the_others_are_counted():
    X, y = surrounded(extra=14)
    with pytest.warns(ConvergenceWarning) as caught:
        model = learner().fit(X, y)
    (warning,) = caught
    assert warning.filename == __file__
    text = str(warning.message)
    hidden = [4, *(i for i in range(9, 23) if np.abs(X[i]).max() <= 1)]
    assert model.inseparable_.tolist() == hidden
    assert text.startswith(f"Rows {', '.join(map(str, hidden[:5]))} and {len(hidden) - 5} more (counted from 0) lie ")
    assert (np.flatnonzero(model.predict(X) != y) == hidden).all()


@quiet
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), union=st.booleans(), manner=st.sampled_from(MANNERS))
def test_only_rows_among_the_others_are_errors(seed, union, manner):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(int(rng.integers(4, 40)), int(rng.integers(1, 4)))).astype(float)
    y = rng.random(len(X)) < 0.5
    y[:2] = [False, True]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = learner(union, manner[0], placement=manner[1]).fit(X, y)
    if model.rules_:  # else it is the constant that is right most often
        assert np.flatnonzero(model.predict(X) != y).tolist() == model.inseparable_.tolist()
    assert len(caught) == (len(model.inseparable_) > 0)
    kept = X[y != union]
    for row in model.inseparable_:
        assert find_large_subset(kept, X[[row]]).size == 0


def test_where_nothing_can_be_cut_away_the_model_is_a_constant():
    X = np.zeros((6, 2))
    for y, answer in (([0, 1, 1, 1, 1, 1], 1), ([0, 0, 0, 0, 1, 1], 0)):
        for union in (False, True):
            with pytest.warns(ConvergenceWarning):
                model = learner(union).fit(X, y)
            assert model.rules_ == ()
            assert set(model.predict(X)) == {answer}
            assert model.to_text().startswith(f"always {answer}")
            assert model.certificate_.compression_size == 0
            assert model.certificate_.message_nats == pytest.approx(2 * math.log(2))
            assert list(model.staged_predict(X)) == []
            assert reconstruct(model._encoding.examples, model._encoding.message) == model.hypothesis_


HARD = {  # rows that only weights beyond the limit of the search tell apart: all halfspaces are a matter of rounding
    "two of seven": (
        [[-4234.566146420462, 38256809.9944652], [-33479.21832756027, 38256809.99446614],
         [9815.132336451827, 38256809.99446792], [13591.443461889787, 38256809.994469345],
         [-9674.761209957696, 38256809.9944667], [-7647.619821629896, 38256809.994464815],
         [-54761.58668636838, 38256809.994467326]],
        [1, 1, 1, 0, 0, 1, 1],
    ),
    "no end": (
        [[13098225.471268956, 3733499239.1764965, 43.60578597260553],
         [13098225.471269315, 3736064844.0150304, 43.60578585737791],
         [13098225.471266069, 3750977129.909293, 43.605785871377485],
         [13098225.471269332, 3737707129.393778, 43.60578588029844],
         [13098225.471270727, 3751403493.2922883, 43.6057858948802],
         [13098225.471268302, 3770898747.988963, 43.60578582336985],
         [13098225.471257996, 3790532591.938706, 43.605785881081694],
         [13098225.471269129, 3720285568.613827, 43.60578583541872],
         [13098225.471263524, 3786385861.5708394, 43.60578596885964],
         [13098225.471264511, 3768083212.688955, 43.605785904699],
         [13098225.471268324, 3778897072.983753, 43.605785875796954]],
        [1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0],
    ),
}  # fmt: skip


@pytest.mark.parametrize("union", [False, True])
@pytest.mark.parametrize("name", HARD)
def test_rounding_never_makes_it_go_on_for_ever_or_hides_an_error(name, union, monkeypatch):
    calls = itertools.count()

    def counted(*arguments):
        assert next(calls) < 50, "the same halfspace again and again"
        return place(*arguments)

    monkeypatch.setattr(cuts, "place", counted)
    X, y = np.array(HARD[name][0]), np.array(HARD[name][1])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = learner(union).fit(X, y)
    assert model.certificate_.empirical_risk == np.mean(model.predict(X) != y)
    assert model.score(X, y) == 1.0 or caught, "never a silent inconsistency"
    assert set(np.flatnonzero(model.predict(X) != y)) <= set(model.inseparable_)


# ---- fewer halfspaces, and stages


@quiet
@pytest.mark.parametrize("union", [False, True])
@pytest.mark.parametrize("put", PLACEMENTS)
def test_stages_are_prefixes_and_what_a_limit_gives(put, union, noisy):
    sets = [noisy, target(3, 3, 4, 150, continuous), target(5, 5, 4, 150, duplicates)]
    for X, inside in sets:
        y = inside != union
        model = learner(union, placement=put).fit(X, y)
        stages = list(model.staged_predict(X))
        assert len(stages) == len(model.rules_) > 1
        assert (stages[-1] == model.predict(X)).all()
        form = Disjunction if union else Conjunction
        for n_rules, stage in enumerate(stages, start=1):
            assert (stage == form(model.rules_[:n_rules]).evaluate(X)).all()
            short = learner(union, placement=put, max_halfspaces=n_rules).fit(X, y)
            assert short.rules_ == model.rules_[:n_rules]
            assert (short.predict(X) == stage).all()
        errors = [(stage != y).sum() for stage in stages]
        assert errors == sorted(errors, reverse=True)


def test_a_limit_is_no_reason_to_warn():
    X, inside = target(3, 3, 4, 150, continuous)
    model = learner(max_halfspaces=1).fit(X, inside)
    assert len(model.rules_) == 1
    assert len(model.inseparable_) == 0
    assert 0 < model.certificate_.empirical_risk == np.mean(model.predict(X) != inside)


# ---- unions are mirrors


@quiet
@pytest.mark.parametrize(("order", "put"), MANNERS)
def test_a_union_is_the_intersection_of_the_other_class(order, put, noisy):
    for X, inside in (noisy, target(2, 4, 3, 100, signs), target(8, 2, 2, 100, continuous)):
        union = learner(True, order, placement=put).fit(X, ~inside)
        intersection = learner(False, order, placement=put).fit(X, inside)
        assert union.rules_ == tuple(rule.opposite() for rule in intersection.rules_)
        assert (union.predict(X) == ~intersection.predict(X)).all()
        assert union.certificate_ == intersection.certificate_
        assert union.path_[0].n_covered == intersection.path_[0].n_covered
        assert (union.inseparable_ == intersection.inseparable_).all()


# ---- where halfspaces are put


def test_the_middle_is_the_shortest_that_has_the_points_on_its_margins():
    rng = np.random.default_rng(0)
    for n_points, n_columns in [(2, 1), (2, 4), (3, 4), (5, 4)]:
        points = rng.normal(size=(n_points, n_columns))
        inside = np.arange(n_points) % 2 == 0
        found = middle(points, inside)
        sums = points @ found.weights + found.bias
        scale = sums[0]
        assert scale > 0
        assert np.allclose(sums / scale, np.where(inside, 1, -1))
        others = np.linalg.lstsq(np.column_stack([points, np.ones(n_points)]), np.where(inside, 1.0, -1.0))[0]
        assert np.linalg.norm(found.weights) / scale <= np.linalg.norm(others[:-1]) * (1 + 1e-9)
        assert 1 <= np.abs(found.weights).max() < 2


@pytest.mark.parametrize("n_columns", [1, 2, 3, 5])
def test_the_widest_gap_is_that_of_a_support_vector_machine(n_columns):
    for seed in range(6):
        rng = np.random.default_rng((n_columns, seed))
        X = rng.uniform(-1, 1, size=(60, n_columns))
        sums = X @ rng.choice([-1.0, 0.5, 2.0], size=n_columns) + 0.1
        X, y = X[np.abs(sums) > 0.05], sums[np.abs(sums) > 0.05] > 0
        if seed % 2:
            X = np.round(X, 1)
            y = X @ np.arange(1, n_columns + 1) > 0.05
        model = learner().fit(X, y)
        (rule,) = model.rules_
        weights = np.array(rule.weights)
        distances = np.where(y, 1, -1) * (X @ weights + rule.bias) / np.linalg.norm(weights)
        svm = SVC(kernel="linear", C=1e8, tol=1e-6).fit(X, y)
        assert distances.min() > 0
        assert distances.min() == pytest.approx(1 / np.linalg.norm(svm.coef_), rel=1e-3)
        assert distances[y].min() == pytest.approx(distances[~y].min(), rel=1e-6), "in the middle"
        assert np.allclose(distances[model._encoding.rows], distances.min(), rtol=1e-6), "its rows touch it"
        vertex = learner(placement="vertex").fit(X, y).rules_[0]
        at_vertex = np.where(y, 1, -1) * (X @ vertex.weights + vertex.bias) / np.linalg.norm(vertex.weights)
        assert 0 < at_vertex.min() <= distances.min() * (1 + 1e-6)


def test_many_rows_join_the_search_for_the_widest_gap():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 3))
    sums = X @ [1.0, 2.0, -1.0]
    X, inside = X[np.abs(sums) > 0.3], sums[np.abs(sums) > 0.3] > 0
    found = widest_gap(X, inside, np.array([1.0, 2.0, -1.0]), 0.0)
    distances = np.where(inside, 1, -1) * (X @ found.halfspace.weights + found.halfspace.bias)
    assert distances.min() > 0
    assert distances[found.support] == pytest.approx(distances.min(), rel=1e-6)
    svm = SVC(kernel="linear", C=1e8, tol=1e-6).fit(X, inside)
    margin = distances.min() / np.linalg.norm(found.halfspace.weights)
    assert margin == pytest.approx(1 / np.linalg.norm(svm.coef_), rel=1e-3)


def test_one_side_alone_has_no_gap():
    X = np.arange(6.0).reshape(3, 2)
    for inside in (np.ones(3, dtype=bool), np.zeros(3, dtype=bool)):
        assert widest_gap(X, inside, np.ones(2), 1.0) is None


def broken(*arguments, **options):
    raise RuntimeError("Maximum number of iterations reached.")


def easy(n_columns=3):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, n_columns))
    y = X[:, 0] > 0
    kept, others = np.flatnonzero(y), np.flatnonzero(~y)
    return X, kept, others, find_large_subset(X[kept], X[others])


@pytest.mark.parametrize("n_columns", [1, 2, 3])
def test_without_a_gap_it_is_the_vertex(n_columns, monkeypatch):
    X, kept, others, found = easy(n_columns)
    in_a_gap = place(X, kept, others, found, "max_margin")
    vertex = place(X, kept, others, found, "vertex")
    monkeypatch.setattr("scipy.optimize.nnls", broken)
    placed = place(X, kept, others, found, "max_margin")
    assert in_a_gap.zeros is None
    assert (placed.halfspace, placed.zeros) == (vertex.halfspace, vertex.zeros)
    assert sorted(placed.support) == sorted(vertex.support)
    assert placed.zeros is not None
    scale = found.bias / placed.halfspace.bias
    assert np.allclose(np.array(placed.halfspace.weights) * scale, found.weights, rtol=1e-15)
    assert math.log2(scale) % 1 == 0


def test_with_a_weight_at_its_limit_it_is_the_gap(monkeypatch):
    X, kept, others, found = easy()
    no_vertex = replace(found, tight=None)
    gap = place(X, kept, others, found, "max_margin")
    for put in PLACEMENTS:
        placed = place(X, kept, others, no_vertex, put)
        assert placed.zeros is None
        assert placed.halfspace == gap.halfspace
    monkeypatch.setattr("scipy.optimize.nnls", broken)
    for n_columns in (1, 3):
        X, kept, others, found = easy(n_columns)
        for put in PLACEMENTS:
            placed = place(X, kept, others, replace(found, tight=None), put)
            inside = np.isin(placed.support, kept)
            assert 0 < inside.sum() < len(inside)
            assert rebuild(X[placed.support], inside, placed.zeros) == placed.halfspace
        if n_columns == 1:  # the nearest row of each side
            assert sorted(X[placed.support, 0]) == [X[others].max(), X[kept].min()]
            assert (placed.halfspace.evaluate(X) == np.isin(np.arange(len(X)), kept)).all()


def test_whatever_is_placed_is_rebuilt_and_consistent():
    for seed in range(12):
        X, inside = target(seed, 1 + seed % 5, 1 + seed % 3, 60, KINDS[seed % 4])
        kept, others = np.flatnonzero(inside), np.flatnonzero(~inside)
        found = find_large_subset(X[kept], X[others])
        for put in PLACEMENTS:
            placed = place(X, kept, others, found, put)
            again = rebuild(X[placed.support], np.isin(placed.support, kept), placed.zeros)
            assert again == placed.halfspace, "to the last bit"
            held = placed.halfspace.evaluate(X)
            assert held[kept].all()
            assert not held[others[found.accepted]].any()


def test_rows_that_determine_nothing_are_refused():
    assert rebuild(np.zeros((2, 1)), np.array([True, False]), ()) is None
    X, y = target(0, 2, 1, 30, continuous)
    encoding = learner(placement="vertex").fit(X, y)._encoding
    message = IntersectionMessage(False, (HalfspaceMessage((0,), ()),))
    with pytest.raises(ValueError, match="do not determine a halfspace"):
        reconstruct(encoding.examples, message)


# ---- what is stored is what the code can send


@quiet
@pytest.mark.parametrize("as_given", [np.array, np.asfortranarray, pd.DataFrame], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("union", [False, True])
@pytest.mark.parametrize("put", PLACEMENTS)
def test_set_and_message_give_back_the_very_hypothesis(put, union, as_given, noisy):
    sets = [noisy, *(target(seed, 2 + seed, 3, 80, kind) for seed, kind in enumerate(KINDS))]
    for X, inside in sets:
        columns = {"columns": [f"c{j}" for j in range(X.shape[1])]} if as_given is pd.DataFrame else {}
        table = as_given(X, **columns)
        model = learner(union, placement=put).fit(table, inside)
        encoding = model._encoding
        examples, message = pickle.loads(pickle.dumps((encoding.examples, encoding.message)))
        assert reconstruct(examples, message) == model.hypothesis_
        assert sorted(map(repr, model.hypothesis_.rules)) == sorted(map(repr, model.rules_))
        assert from_dict(model.hypothesis_.to_dict()) == model.hypothesis_
        rows = encoding.rows
        assert (examples.table.matrix() == X[rows]).all()
        assert (examples.labels == inside[rows]).all()
        assert len({(*X[row], inside[row]) for row in rows}) == len(rows), "all different"
        assert {place for one in message.halfspaces for place in one.members} == set(range(len(rows))), "all needed"
        wrong = model.hypothesis_.evaluate(X) != inside
        nats = message.nats(len(rows), X.shape[1])
        statement = SampleCompression(len(X), len(rows), int(np.delete(wrong, rows).sum()), nats)
        assert model.certificate_.statements == (statement,)
        assert model.certificate_.empirical_risk == wrong.mean()


@quiet
@pytest.mark.parametrize("kind", [continuous, signs, duplicates])
@pytest.mark.parametrize("put", PLACEMENTS)
def test_the_order_of_the_rows_changes_nothing(put, kind):
    for seed in range(8):
        X, inside = target(seed, 3, 2, 60, kind)
        rng = np.random.default_rng(seed)
        y = inside ^ (rng.random(60) < 0.05)
        shuffled = rng.permutation(60)
        first, second = learner(placement=put).fit(X, y), learner(placement=put).fit(X[shuffled], y[shuffled])
        assert second.hypothesis_ == first.hypothesis_
        assert second.certificate_ == first.certificate_


def all_halfspaces(n_examples, n_columns):
    """Return every halfspace that can be sent, whether or not there is one."""
    members = subsets(range(n_examples))
    return [HalfspaceMessage(m, zeros) for m in members for zeros in [None, *subsets(range(n_columns))]]


def subsets(things):
    return [chosen for size in range(len(things) + 1) for chosen in itertools.combinations(things, size)]


@pytest.mark.parametrize(("n_examples", "n_columns"), [(1, 1), (2, 1), (2, 2), (3, 1)])
def test_messages_obey_kraft_and_so_do_those_of_each_length(n_examples, n_columns):
    halfspaces = all_halfspaces(n_examples, n_columns)
    assert math.fsum(math.exp(-one.nats(n_examples, n_columns)) for one in halfspaces) == pytest.approx(1)
    empty = [IntersectionMessage(union, ()) for union in (False, True)]
    total = math.fsum(math.exp(-one.nats(n_examples, n_columns)) for one in empty)
    assert total == pytest.approx(0.5)
    for size in (1, 2, 3):
        messages = (IntersectionMessage(True, chosen) for chosen in itertools.combinations(halfspaces, size))
        share = math.fsum(math.exp(-one.nats(n_examples, n_columns)) for one in messages)
        assert share <= math.exp(-integer_nats(size)) + 1e-12
        total += share
    assert total <= 1


@quiet
def test_what_is_sent_is_a_set_of_different_halfspaces(noisy):
    for X, inside in (noisy, *(target(seed, 2, 4, 100, KINDS[seed % 4]) for seed in range(8))):
        for put in PLACEMENTS:
            sent = learner(placement=put).fit(X, inside)._encoding.message.halfspaces
            assert len(set(sent)) == len(sent)
            assert list(sent) == sorted(sent, key=repr)


# ---- reading


@pytest.fixture(scope="module")
def named():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(-1, 1, size=(300, 3)), columns=["height", "age", "weight"])
    return X, np.where((3 * X["age"] - X["height"] > -0.4) & (X["weight"] < 0.5), "fit", "ill")


@pytest.mark.parametrize("union", [False, True])
def test_reading_the_model(named, union):
    X, y = named
    y = np.where((y == "fit") != union, "yes", "no")
    model = learner(union).fit(X, y)
    assert len(model.rules_) == 2
    text = model.to_text()
    assert ("yes if any of these holds, else no:" if union else "yes if all of these hold, else no:") in text
    assert "With 95 % confidence" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "laconic-card" in model._repr_html_()
    unwrapped = " ".join(re.sub(r"  +\d+ rows +[\d.]+ %$", "", text, flags=re.MULTILINE).split())
    for rule, line, step in zip(model.rules_, model.get_rules(), model.path_, strict=True):
        assert line["rule"] == rule.describe(list(X.columns))
        assert rule.shortly(list(X.columns)) in unwrapped
        order = sorted(range(3), key=lambda j: -abs(rule.weights[j]))
        named_in_order = re.findall("height|age|weight", line["rule"])
        assert named_in_order == [X.columns[j] for j in order if rule.weights[j]], "largest weights first"
        assert line["prediction"] == ("yes" if union else "no")
        assert line["precision"] == 1
        assert line["support"] == step.n_covered
        assert step.rule == rule
    assert list(model.get_rules(as_frame=True).columns) == COLUMNS


@pytest.mark.parametrize("union", [False, True])
def test_explaining_says_which_halfspace_decided(named, union):
    X, y = named
    model = learner(union).fit(X, (y == "fit") != union)
    held = [rule.evaluate(X) for rule in model.rules_]
    for row, (reason, answer) in enumerate(zip(model.explain(X), model.predict(X), strict=True)):
        speaks = [answers[row] == union for answers in held]
        assert reason["prediction"] == answer
        assert reason["position"] == (speaks.index(True) + 1 if any(speaks) else None)
        if any(speaks):
            assert reason["rule"] == model.rules_[reason["position"] - 1].describe(list(X.columns))
            assert reason["reason"].endswith(" > 0 holds" if union else " > 0 does not hold")
        else:
            assert reason["reason"] == ("no rule holds" if union else "every rule holds")


def test_a_wide_halfspace_is_shown_by_its_largest_weights():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 12))
    model = learner().fit(X, X @ np.arange(1, 13) > 0)
    assert "7 smaller terms" in model.rules_text()
    assert "smaller terms" not in model.get_rules()[0]["rule"]
    outside = X[~model.predict(X)]
    assert all("7 smaller terms" in reason["reason"] for reason in model.explain(outside))
    assert not any("smaller" in reason["rule"] for reason in model.explain(outside))


def test_the_decision_function_has_the_sign_of_the_answer(named):
    X, y = named
    for union in (False, True):
        model = learner(union).fit(X, (y == "fit") != union)
        assert ((model.decision_function(X) > 0) == model.predict(X)).all()


# ---- bad input


@pytest.mark.parametrize(
    "parameters",
    [
        {"union": "yes"},
        {"order": "best"},
        {"max_halfspaces": 0},
        {"max_halfspaces": 1.5},
        {"placement": "middle"},
        {"delta": 0.0},
        {"delta": 1.5},
        {"random_state": "x"},
    ],
)
def test_nonsense_is_refused(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        HalfspaceIntersectionClassifier(**parameters).fit([[0.0], [1.0]], [0, 1])


def test_input_that_cannot_be_used_is_refused(named):
    X, y = named
    model = learner()
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match="NaN|infinity"):
            model.fit(np.where(X > 0.9, bad, X), y)
    with pytest.raises((TypeError, ValueError), match=r"[Ss]parse"):
        model.fit(sparse.csr_array(X.to_numpy()), y)
    with pytest.raises(ValueError, match="one class"):
        model.fit(X, np.ones(len(y)))
    with pytest.raises(ValueError, match="binary"):
        model.fit(X, np.arange(len(y)) % 3)
    with pytest.raises(NotFittedError):
        learner().predict(X)
    model.fit(X, y == "fit")
    with pytest.raises(ValueError, match="feature"):
        model.predict(X[["age", "height"]])


def test_columns_of_booleans_are_numbers():
    X = pd.DataFrame({"a": [True, True, False, False], "b": [True, False, True, False]})
    model = learner().fit(X, [1, 0, 0, 0])
    assert model.predict(X).tolist() == [1, 0, 0, 0]
    assert isinstance(model.rules_[0], Halfspace)


@pytest.mark.parametrize("size", [1e-280, 1e-20, 1e20, 1e150, 1e300])
@pytest.mark.parametrize("put", PLACEMENTS)
def test_units_do_not_matter(put, size):
    X, inside = target(1, 3, 2, 60, continuous)
    assert learner(placement=put).fit(X * size, inside).score(X * size, inside) == 1.0
