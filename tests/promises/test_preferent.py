"""What a preferent set promises by class and by group, and who tries to break it."""

import math
import warnings

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.promises.test_estimators import table

import laconic
from laconic import Certified, MarginPerceptronClassifier, Promises
from laconic.certificates import Certificate, PreferentCompression, Promised, SampleCompression, preferent_bound
from laconic.exceptions import CeilingNotMet

WANTED = Promises(classes=True, groups=3)
LEARNERS = {
    "perceptron": (MarginPerceptronClassifier(5), 2),
    "picks": (Certified(DecisionTreeClassifier(max_depth=3), batch=3, max_size=12), 2),
    "picks of three classes": (Certified(KNeighborsClassifier(1), batch=4, seed_size=20), 3),
    "picks that the bound chose": (Certified(DecisionTreeClassifier(max_depth=2), select="bound", max_size=6), 2),
}


def fit(name, wanted=WANTED):
    estimator, n_classes = LEARNERS[name]
    X, y = table(n_classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(estimator).set_params(promises=wanted).fit(X, y), X, y


@pytest.mark.parametrize("name", LEARNERS)
def test_limits_are_those_of_the_rows_of_a_class_and_of_the_set_among_them(name):
    model, X, y = fit(name)
    (statement,) = model.certificate_.statements
    assert isinstance(statement, PreferentCompression)
    inside = np.isin(np.arange(len(y)), model._encoding.rows)
    counting = ~np.isin(np.arange(len(y)), getattr(model, "seed_", []))
    n_classes = len(np.unique(y))
    share = 0.05 / 2 / 2 * math.exp(-statement.message_nats)  # half to both kinds, one of two
    tails = {2: 2, 3: 6}[n_classes]
    for label in range(n_classes):
        found, here = model.certificate_.for_class(label), y == label
        missed = preferent_bound(int((here & counting).sum()), int((here & inside).sum()), share / tails)
        alarms = preferent_bound(int((~here & counting).sum()), int((~here & inside).sum()), share / tails)
        assert (found.missed.high, found.false_alarms.high) == pytest.approx((missed, alarms), rel=1e-9)
        assert {each.high for each in found.taken_for.values()} == {found.missed.high}
        assert found.wrong_answers.high == 1.0
        assert "called so" not in str(found)
    for value in range(3):
        here = X[:, 3] == value
        error = preferent_bound(int((here & counting).sum()), int((here & inside).sum()), share / 3)
        assert model.certificate_.by_group(value).high == pytest.approx(error, rel=1e-9)
    assert model.certificate_.by_group(7).high == 1.0  # nobody was of it
    assert model.certificate_.risk_bound == pytest.approx(statement.bound(0.05 / 2))
    assert "in the set" in str(model.certificate_.for_class(0).missed)
    assert "of its rows are missed" in model.to_text()


def test_a_start_that_rows_only_tested_is_counted():
    X, y = table()
    start = Certified(DecisionTreeClassifier(max_depth=1), seed_size=60, select="bound", max_size=1, promises=WANTED)
    model = start.fit(X, y)
    assert model.certificate_.held_out
    missed = model.certificate_.for_class(1).missed
    here = (y == 1) & ~np.isin(np.arange(len(y)), model.seed_)
    assert (missed.events, missed.rows) == (int((model.predict(X) != y)[here].sum()), int(here.sum()))


def test_what_does_not_depend_on_an_example_alone_is_refused_before_any_work():
    class Never(DecisionTreeClassifier):
        def fit(self, X, y):
            raise AssertionError("work was done")

    X, y = table()
    for wanted in (("rules",), ("costs",), Promises(abstain=0.5), Promises(costs=[[0, 1], [1, 0]])):
        for model in (MarginPerceptronClassifier(), Certified(Never())):
            with pytest.raises(ValueError, match="depends on the model's answers"):
                clone(model).set_params(promises=wanted).fit(X, y)
    with pytest.raises(ValueError, match="for classifiers"):
        Certified(DecisionTreeRegressor(), 0.5, promises="classes").fit(X, y)
    with pytest.raises(ValueError, match="at least two classes"):
        Certified(DecisionTreeClassifier(), promises="classes").fit(X, np.zeros(len(y)))
    with pytest.raises(ValueError, match="promises=None"):
        MarginPerceptronClassifier(promises="classes").partial_fit(X, y, [0, 1])
    counts = Promised(("costs",), ("a", "b"), ((3, 0), (0, 3)))
    certificate = Certificate.resting_on(PreferentCompression(6, 2), delta=0.05, empirical_risk=0.0)
    with pytest.raises(ValueError, match="preferent set"):
        certificate.promising(counts)


@pytest.mark.parametrize(
    "counts",
    [
        {"inside": (1,)},  # not for every class
        {"inside": (1, 4)},  # more than there are
        {"inside": (0, 1), "confusion": ((2, 1), (0, 3))},  # a row is wrong and not in the set
        {"inside": (1, 1), "kinds": ("costs",)},
        {"inside": (1, 1), "groups": (0.0,), "group_counts": ((6, 0),)},
        {"group_inside": (1,), "groups": (0.0,), "group_counts": ((6, 0),)},
    ],
)
def test_sets_that_cannot_be_are_refused(counts):
    given = {"kinds": ("classes",), "labels": ("a", "b"), "confusion": ((3, 0), (0, 3))} | counts
    with pytest.raises(ValueError, match="does not fit together"):
        Promised(**given)


def test_counts_belong_to_their_kind_of_statement():
    by_set = Promised(("classes",), ("a", "b"), ((3, 0), (0, 3)), inside=(1, 1))
    counted = Promised(("classes",), ("a", "b"), ((3, 0), (0, 3)))
    for promised, statement in ((counted, PreferentCompression(6, 0)), (by_set, SampleCompression(6, 0, 0, 0.0))):
        certificate = Certificate.resting_on(statement, delta=0.05, empirical_risk=0.0)
        with pytest.raises(ValueError, match="not the rows that it counts"):
            certificate.promising(promised)


def test_files_ceilings_and_choices(tmp_path):
    model, _, y = fit("perceptron")
    model.save(tmp_path / "model.json")
    again = laconic.load(tmp_path / "model.json")
    assert again.certificate_ == model.certificate_
    assert again.certificate_.for_class(1) == model.certificate_.for_class(1)
    assert again.to_text() == model.to_text()
    chosen = model.certificate_.one_of(4)
    assert chosen.for_class(1).missed.high == pytest.approx(
        preferent_bound(*_counts(model, y), 0.05 / 2 / 2 / 2 / 4 * math.exp(-model.certificate_.message_nats))
    )
    with pytest.raises(CeilingNotMet, match="in its set"):
        fit("perceptron", Promises(ceilings={1: 0.1}))


def _counts(model, y):
    return int((y == 1).sum()), int((y[model._encoding.rows] == 1).sum())


# ---- what the proof says


@pytest.mark.parametrize("name", ["perceptron", "picks"])
def test_given_the_other_classes_no_row_outside_changes_the_rows_of_the_set(name):
    """Leave out rows of one class outside the set: the set stays what it was."""
    from laconic.certified import _picks as picks
    from laconic.halfspaces.perceptron import _scheme as scheme

    model, X, y = fit(name, None)
    inside = model._encoding.rows
    rng = np.random.default_rng(0)
    for label in (0, 1):
        outside = np.setdiff1d(np.flatnonzero(y == label), inside)
        for _ in range(5):
            left_out = outside[rng.random(len(outside)) < 0.5]
            kept = np.setdiff1d(np.arange(len(y)), left_out)
            if name == "picks":
                learner = model._encoding.message.learner
                rows = model._read(X[kept], y[kept])
                again = picks.pick(learner, rows)
                assert set(kept[again.rows]) == set(model.picks_)
            else:
                order = np.random.RandomState(0).permutation(len(y))
                keys = np.argsort(order)
                few = scheme.Keyed(laconic._table.as_table(X[kept]), y[kept] == 1, keys[kept])
                assert scheme.reconstruct(few, model._encoding.message) == model.hypothesis_


# ---- an adversary


def broken_by_the_largest(of_all):
    """A scheme whose set is the largest row of the rare class, above which it answers the other one.

    With `of_all` the limit is computed as if the rows of both classes had been draws of the rare one.
    """
    rng, n_rows, n_draws, broken = np.random.default_rng(3), 60, 400, 0
    for _ in range(n_draws):
        rare = int(rng.binomial(n_rows, 0.1))
        if rare == 0:
            continue
        missed = 1.0 - rng.random(rare).max()  # rows of the class are uniform
        counts = ((n_rows, 0), (0, n_rows)) if of_all else ((n_rows - rare, 0), (0, rare))
        promised = Promised(("classes",), ("usual", "rare"), counts, inside=(0, 1))
        statement = PreferentCompression(sum(map(sum, counts)), 1)
        certificate = Certificate.resting_on(statement, delta=1.0, empirical_risk=0.0).promising(promised)
        broken += certificate.for_class("rare").missed.high < missed
    return binomtest(broken, n_draws, 0.25, alternative="greater").pvalue < 1e-4


def test_a_rare_class_is_promised_by_its_own_rows():
    assert not broken_by_the_largest(of_all=False)
    assert broken_by_the_largest(of_all=True)


def test_shares_of_two_and_of_three_classes_sum_to_that_of_the_kind():
    for labels in ("ab", "abc"):
        n = len(labels)
        zeros = tuple(tuple(0 for _ in labels) for _ in labels)
        promised = Promised(("classes",), tuple(labels), zeros, inside=(0,) * n)
        limits = set()
        for label in labels:
            found = promised.for_class(label, 0.0)
            limits |= {("missed", label), ("alarms", label)} if n > 2 else {("missed", label)}
            assert found.missed.high == 1.0  # no rows
        assert promised.tails("classes") == len(limits)
        assert math.exp(-promised.share_nats("classes")) * len(limits) == pytest.approx(0.5)
