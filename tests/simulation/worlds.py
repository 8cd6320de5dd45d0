"""Distributions whose risk is known exactly: independent columns, and a noisy concept on some of them."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import pandas as pd

from laconic.rules import Ball, Clause, Halfspace, SoftBall, Stump, Term


@dataclass(frozen=True)
class World:
    """Independent columns: column j takes values[j] with chances[j]. The label is a concept, flipped with `noise`."""

    values: tuple
    chances: tuple
    concept: object  # from a tuple of the concept columns' values to a Boolean
    concept_columns: tuple
    noise: float
    as_frame: bool = False

    def draw(self, n_samples, rng):
        """Draw rows and labels of both classes."""
        while True:
            columns = [
                self.as_column(j)[rng.choice(len(chances), size=n_samples, p=chances)]
                for j, chances in enumerate(self.chances)
            ]
            y = self.clean(columns) ^ (rng.random(n_samples) < self.noise)
            if 0 < y.sum() < n_samples:
                return self.table(columns), y

    def table(self, columns):
        if self.as_frame:
            return pd.DataFrame({f"c{j}": column for j, column in enumerate(columns)})
        return np.column_stack(columns).astype(float)

    def risk(self, model):
        """Add up the chances of all rows, over the columns that matter, on which the model is wrong."""
        if self.noise == 0.5:
            return 0.5  # a coin, whatever the model says: so columns may be more than rows could be listed of
        features = features_of(model)
        wrong, chance = self.wrong_rows(range(len(self.values)) if features is None else features, model.predict)
        return float(np.sum(chance * (wrong * (1 - self.noise) + (1 - wrong) * self.noise)))

    def wrong_rows(self, features, predict):
        """List all rows of some columns (the others at their first value): how the concept is missed, and chances."""
        used = sorted(set(self.concept_columns) | set(features))
        codes = np.indices([len(self.values[j]) for j in used]).reshape(len(used), -1)
        place = dict(zip(used, codes, strict=True))
        nowhere = np.zeros(codes.shape[1], dtype=int)
        columns = [self.as_column(j)[place.get(j, nowhere)] for j in range(len(self.values))]
        chance = np.prod([np.array(self.chances[j])[place[j]] for j in used], axis=0)
        return np.abs(np.asarray(predict(self.table(columns)), dtype=float) - self.clean(columns)), chance

    def as_column(self, j):
        return np.array(self.values[j], dtype=object if isinstance(self.values[j][0], str) else float)

    def clean(self, columns):
        rows = list(zip(*(columns[j].tolist() for j in self.concept_columns), strict=True))
        answers = {row: self.concept(row) for row in set(rows)}
        return np.array([answers[row] for row in rows])


@dataclass(frozen=True)
class Classes(World):
    """Three classes: the concept is a number from 0 to 2, and `noise` is the chance that the label is the next one."""

    def draw(self, n_samples, rng):
        while True:
            X, y = self.draw_once(n_samples, rng)
            if len(np.unique(y)) == 3:
                return X, y

    def draw_once(self, n_samples, rng):
        columns = [
            self.as_column(j)[rng.choice(len(chances), size=n_samples, p=chances)]
            for j, chances in enumerate(self.chances)
        ]
        return self.table(columns), (self.clean(columns) + (rng.random(n_samples) < self.noise)) % 3

    def risk(self, model):
        def miss(X):
            """The chance that the label is none of those that the answer names."""
            clean, right = self.clean(list(X.T)).astype(int), accepted(model, X)
            every = np.arange(len(clean))
            hit = right[every, clean] * (1 - self.noise) + right[every, (clean + 1) % 3] * self.noise
            return 1 - hit + clean  # what `wrong_rows` takes off again

        features = features_of(model)
        missed, chance = self.wrong_rows(range(len(self.values)) if features is None else features, miss)
        return float(np.sum(chance * missed))


def accepted(model, X):
    """Which of the classes 0, 1 and 2 each answer of a model names: one, or one side of a split."""
    return model.accepts(X) if hasattr(model, "accepts") else model.predict(X)[:, None] == np.arange(3)


def features_of(model):
    """The columns that a machine looks at, or None for a model that does not say."""
    if not hasattr(model, "rules_"):
        return getattr(getattr(model, "hypothesis_", None), "columns_used", None)
    features = set()
    for rule in model.rules_:
        if isinstance(rule, Ball | SoftBall):
            features |= set(range(len(rule.center)))
        elif isinstance(rule, Halfspace):
            features |= rule.columns_used
        elif isinstance(rule, Clause | Term):
            features |= {literal.feature for literal in rule.literals}
        else:
            features.add(rule.feature)
    return features


@dataclass(frozen=True)
class Boxes:
    """Columns uniform on [0, 1) and a concept with edges, for thresholds and for balls whose shape is a box.

    The risk is a sum of box volumes: between the edges of concept and rules nothing changes.
    """

    n_columns: int
    edges: dict  # column -> where the concept may change
    concept: object  # from an array of rows to Booleans
    noise: float

    def draw(self, n_samples, rng):
        while True:
            X = rng.random((n_samples, self.n_columns))
            y = self.concept(X) ^ (rng.random(n_samples) < self.noise)
            if 0 < y.sum() < n_samples:
                return X, y

    def risk(self, model):
        edges = {column: {0.0, 1.0, *places} for column, places in self.edges.items()}
        for rule in (each for one in model.rules_ for each in getattr(one, "flags", (one,))):
            if isinstance(rule, Stump):
                edges.setdefault(rule.feature, {0.0, 1.0}).add(rule.threshold)
            else:
                assert rule.metric == "chebyshev" or len(rule.center) == 1
                for column, center in enumerate(rule.center):
                    edges.setdefault(column, {0.0, 1.0}).update((center - rule.radius, center + rule.radius))
        cuts = {column: np.unique(np.clip(sorted(places), 0.0, 1.0)) for column, places in edges.items()}
        middles = np.meshgrid(*((cut[1:] + cut[:-1]) / 2 for cut in cuts.values()), indexing="ij")
        widths = np.meshgrid(*(np.diff(cut) for cut in cuts.values()), indexing="ij")
        X = np.zeros((middles[0].size, self.n_columns))
        X[:, list(cuts)] = np.column_stack([middle.ravel() for middle in middles])
        wrong = model.predict(X) != self.concept(X)
        volume = functools.reduce(np.multiply, widths).ravel()
        return float(np.sum(volume * np.where(wrong, 1 - self.noise, self.noise)))


@dataclass(frozen=True)
class Targets:
    """A number to predict: a function of columns of few values, plus noise of few values; wrong beyond a tolerance.

    If a model has a ``tolerance_`` of its own, that is the one. The first column may be shown as categories.
    """

    columns: int
    values: tuple
    function: object  # from an array of rows to numbers
    noise: tuple  # equally likely
    tolerance: float = 0.0
    names: str = ""  # one letter for each value of the first column, if that holds categories

    def draw(self, n_samples, rng):
        X = rng.choice(self.values, size=(n_samples, self.columns))
        return self.shown(X), self.function(X) + rng.choice(self.noise, size=n_samples)

    def shown(self, X):
        if not self.names:
            return X
        frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(self.columns)])
        return frame.assign(c0=np.array([*self.names], dtype=object)[np.searchsorted(self.values, X[:, 0])])

    def risk(self, model):
        X = np.array(np.meshgrid(*[self.values] * self.columns)).reshape(self.columns, -1).T
        targets = self.function(X)[:, None] + np.array(self.noise)  # as drawn: a band ends at the residual of a row
        error = np.abs(model.predict(self.shown(X))[:, None] - targets)
        return float(np.mean(error > getattr(model, "tolerance_", self.tolerance)))


@dataclass(frozen=True)
class Letters:
    """Many classes that have nothing to do with the one column: all splits of them are equally hard to tell."""

    n_classes: int
    places: int = 1000

    def draw(self, n_samples, rng):
        while True:
            y = rng.integers(self.n_classes, size=n_samples)
            if len(np.unique(y)) == self.n_classes:
                return rng.integers(self.places, size=(n_samples, 1)) / self.places, y

    def risk(self, view):
        """Judge a view that accepts one side of a split of the classes."""
        return 1.0 - float(np.mean(view.accepts(np.arange(self.places)[:, None] / self.places)))


def uniform(*values):
    return tuple(values), (1 / len(values),) * len(values)


def world(columns, concept, concept_columns, noise, as_frame=False):
    values, chances = zip(*columns, strict=True)
    return World(values, chances, concept, concept_columns, noise, as_frame)


NUMBERS = world([uniform(*range(6))] * 4, lambda v: v[0] > 2 and v[1] <= 3, (0, 1), noise=0.15)
PURE_NOISE = world([uniform(*range(8))] * 40, lambda v: True, (0,), noise=0.5)
MANY_COLUMNS = world([uniform(*range(4))] * 300, lambda v: v[0] > 1, (0,), noise=0.3)
RARE = world([uniform(*range(10))] * 5, lambda v: v[0] > 8, (0,), noise=0.02)
FLAGS = world([((0, 1), (0.7, 0.3))] * 60, lambda v: bool(v[0]) or bool(v[1]), (0, 1), noise=0.1)
DISC = world([uniform(*range(7))] * 3, lambda v: (v[0] - 3) ** 2 + (v[1] - 3) ** 2 <= 5, (0, 1), noise=0.1)
CLEAN = world([uniform(*range(9))] * 3, lambda v: v[0] + v[1] <= 6, (0, 1), noise=0.0)
DUPLICATES = world([uniform(0, 1, 2)] * 2, lambda v: v[0] > 0, (0,), noise=0.2)
UNEVEN = world(
    [uniform(*range(5)), uniform(*range(0, 5000, 1000)), uniform(0.0, 0.001, 0.003)],
    lambda v: v[0] > 2,
    (0,),
    noise=0.1,
)
BITS = world([uniform(0, 1)] * 8, lambda v: bool(v[0]) and not v[1], (0, 1), noise=0.0)
NOISY_BITS = world([uniform(0, 1)] * 8, lambda v: bool(v[0]) and not v[1], (0, 1), noise=0.15)
SAME_BITS = world([uniform(0, 1)] * 6, lambda v: v[0] == v[1], (0, 1), noise=0.0)
THREE = Classes(*zip(*[uniform(0, 1)] * 8, strict=True), lambda v: 2 * v[0] or v[1], (0, 1), 0.1)
LETTERS = Letters(24)
CORNERS = Classes(
    *zip(*[uniform(0, 1, 2)] * 2, strict=True), lambda v: (v[0] > 0) + (v[0] > 0 and v[1] > 0), (0, 1), 0.1
)
LINE = world([uniform(*range(5))] * 3, lambda v: v[0] + v[1] > v[2] + 2.5, (0, 1, 2), noise=0.0)
NOISY_LINE = world([uniform(*range(5))] * 3, lambda v: v[0] + v[1] > v[2] + 2.5, (0, 1, 2), noise=0.05)
EQUAL_BITS = world([uniform(0, 1)] * 8, lambda v: v[0] == v[1], (0, 1), noise=0.1)
MIXED = world(
    [
        (tuple("abcdefghij"), (0.3, 0.2, 0.1, 0.1, 0.1, 0.06, 0.05, 0.04, 0.03, 0.02)),
        uniform("x", "y", "z"),
        uniform(*range(5)),
        *[uniform(*"pqrstuvw")] * 3,
    ],
    lambda v: v[0] in "ab" and v[1] > 1,
    (0, 2),
    noise=0.2,
    as_frame=True,
)
COLOURS = world(
    [
        (tuple("abcdefgh"), (0.3, 0.2, 0.2, 0.1, 0.1, 0.05, 0.03, 0.02)),
        uniform(*range(5)),
        uniform("x", "y"),
    ],
    lambda v: v[1] > (0 if v[0] in "ab" else 3),
    (0, 1),
    noise=0.1,
    as_frame=True,
)
SHADES = world(
    [(tuple("abcdefgh"), (0.3, 0.2, 0.2, 0.1, 0.1, 0.05, 0.03, 0.02)), uniform("x", "y"), uniform(*range(3))],
    lambda v: v[0] in "aceg",
    (0,),
    noise=0.03,
    as_frame=True,
)
GUESSES = world([uniform("x", "y")] * 20, lambda v: True, (0,), noise=0.5, as_frame=True)
REALS = Boxes(6, {0: (0.6,), 1: (0.3,)}, lambda X: (X[:, 0] <= 0.6) & (X[:, 1] > 0.3), noise=0.1)
SQUARE = Boxes(
    2, {0: (0.2, 0.7), 1: (0.3, 0.8)}, lambda X: ((X >= [0.2, 0.3]) & (X < [0.7, 0.8])).all(axis=1), noise=0.05
)
EPOCH = Targets(1, tuple(range(4)), lambda X: 1.7e9 + 10.0 * X[:, 0], noise=(-1.4, -1.2, 1.2, 1.4), tolerance=1.0)
FAR = Targets(1, tuple(range(8)), lambda X: 1e6 + 2.0 * X[:, 0], noise=(-2.9, -1.1, -0.4, 0.0, 0.0, 0.4, 1.1, 2.9))
STAIRS = Targets(2, tuple(range(6)), lambda X: 2.0 * X[:, 0] - X[:, 1], noise=(-0.4, 0.0, 0.0, 0.4), tolerance=0.5)
SHOPS = Targets(
    2,
    tuple(range(5)),
    lambda X: np.array([0.0, 7.0, 7.0, -3.0, 20.0])[X[:, 0]] + 1.5 * X[:, 1],
    noise=(-1.5, -0.5, 0.0, 0.0, 0.5, 1.5),
    names="abcde",
)
SLOPE = Targets(1, tuple(range(8)), lambda X: 2.0 * X[:, 0], noise=(-2.9, -1.1, -0.4, 0.0, 0.0, 0.4, 1.1, 2.9))
